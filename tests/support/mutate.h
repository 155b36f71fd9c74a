/* tests/support/mutate.h: texts and bytes changed at random, from a fixed seed: the same on every
 * machine. */
#ifndef LIMPET_TEST_MUTATE_H
#define LIMPET_TEST_MUTATE_H

#include <stddef.h>

/* Changes `bytes` (length n, room for `room`) in one to four places: flips, copies, cuts, words
 * of the format; returns the new length. */
size_t mutate(unsigned long *seed, char *bytes, size_t n, size_t room, const char *const *words,
              int word_count);

#endif
