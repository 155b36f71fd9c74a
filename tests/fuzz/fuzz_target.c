/* tests/fuzz/fuzz_target.c: the reader that LIMPET_FUZZ_READER names, for clang's libFuzzer. Built
 * with LIMPET_FUZZ, run by tools/fuzz.py (`make fuzz`). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "readers.h"

static const fuzz_reader *reader;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  const char *name = getenv("LIMPET_FUZZ_READER");
  reader = name ? fuzz_reader_find(name) : NULL;
  if (reader) return 0;
  fputs("LIMPET_FUZZ_READER names a reader:", stderr);
  for (const fuzz_reader *r = fuzz_readers; r->name; ++r) fprintf(stderr, " %s", r->name);
  fputs("\n", stderr);
  exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  reader->read((const char *)bytes, length);
  return 0;
}
