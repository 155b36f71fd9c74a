/* tests/fuzz/readers.h: every reader of files as one function of bytes, for coverage-guided fuzzing
 * (fuzz_target.c) and for the corpus that it found (test_fuzz_corpus.c). */
#ifndef LIMPET_FUZZ_READERS_H
#define LIMPET_FUZZ_READERS_H

#include <stddef.h>

typedef struct fuzz_reader {
  const char *name;  // of the reader, and of its folder in tests/fuzz/corpus
  // Reads the bytes, which it may not keep; aborts where what was read is wrong.
  void (*read)(const char *bytes, size_t length);
} fuzz_reader;

extern const fuzz_reader fuzz_readers[];  // ended by name NULL

// The reader of that name; NULL: there is none.
const fuzz_reader *fuzz_reader_find(const char *name);

#endif
