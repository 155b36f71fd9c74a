/* tests/fuzz/readers_common.h: what the readers of readers.h share. */
#ifndef LIMPET_FUZZ_READERS_COMMON_H
#define LIMPET_FUZZ_READERS_COMMON_H

#include <stdbool.h>
#include <stddef.h>

#include "limpet/limpet.h"

void fuzz_require(bool holds, const char *what);     // aborts unless it holds
void fuzz_require_words(const limpet_error *error);  // of a refusal
// A copy of exactly that size; with '\0' behind it (`ended`), as readers of whole files are
// promised.
char *fuzz_copy(const char *bytes, size_t length, bool ended);
// An arm of three joints with motors, a servo and a site; it lives as long as the program.
const limpet_model *fuzz_arm(void);

void fuzz_read_log(const char *bytes, size_t length);
void fuzz_read_live(const char *bytes, size_t length);

#endif
