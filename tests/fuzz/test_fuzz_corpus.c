/* tests/fuzz/test_fuzz_corpus.c: what coverage-guided fuzzing found (`make fuzz`), as a plain test:
 * every file of tests/fuzz/corpus is read or refused with a text. Files that once crashed stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "format/read/text.h"
#include "limpet/base.h"
#include "readers.h"
#include "shared_data.h"

enum { LARGEST = 1 << 20 };  // [bytes]

static int read_folder(const fuzz_reader *reader) {
  char folder[1024];
  snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus/%s", LIMPET_SOURCE_DIR, reader->name);
  file_list list = file_list_find(folder, "");
  for (int i = 0; i < list.count; ++i) {
    char *bytes;
    size_t length;
    limpet_error error = {0};
    assert_int_equal(limpet_text_file(&bytes, &length, list.path[i], LARGEST, &error), LIMPET_OK);
    reader->read(bytes, length);
    free(bytes);
  }
  const int count = list.count;
  file_list_free(&list);
  return count;
}

static void the_corpus_is_read(void **state) {
  (void)state;
  for (const fuzz_reader *reader = fuzz_readers; reader->name; ++reader) {
    const int count = read_folder(reader);
    printf("%s: %d files\n", reader->name, count);
    assert_true(count > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_corpus_is_read)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
