/* tests/model/test_model_memory.c: every allocation of description, compilation and data may fail: then there is an error of memory or
 * NULL, nothing crashes and nothing leaks.
 *
 * The test puts its own malloc, calloc, realloc and aligned_alloc before those of glibc; the n-th call fails, n = 0, 1, 2, ... until
 * nothing fails any more. Under the address sanitizer, which does the same, it is left out. Meshes are left out too: qhull leaves
 * with an error of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "limpet/data.h"
#include "small_models.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CAN_FAIL 1

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void *aligned_alloc(size_t alignment, size_t size);

static long calls_left = -1;  // < 0: never fail

static int fails(void) { return calls_left >= 0 && calls_left-- == 0; }
void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void *realloc(void *memory, size_t size) { return fails() ? NULL : __libc_realloc(memory, size); }
void *aligned_alloc(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }

static void compilation_survives_any_failure(void **state) {
  (void)state;
  limpet_builder *builder = small_everything();
  assert_non_null(builder);
  int failures = 0;
  for (long n = 0;; ++n) {
    limpet_error error = {0};
    calls_left = n;
    limpet_model *model = limpet_builder_compile(builder, &error);
    const int reached = calls_left < 0;
    calls_left = -1;
    limpet_model_destroy(model);
    if (!reached) {
      assert_non_null(model);
      break;
    }
    assert_null(model);
    assert_int_equal(error.status, LIMPET_ERROR_MEMORY);
    ++failures;
  }
  assert_true(failures >= 3);  // scratch, model, arrays at least
  limpet_builder_destroy(builder);
}

static void builder_remembers_a_failure(void **state) {
  (void)state;
  for (long n = 0; n < 40; ++n) {
    calls_left = n;
    limpet_builder *builder = limpet_builder_create();
    if (!builder) {
      calls_left = -1;
      continue;
    }
    int last = 0;
    for (int i = 0; i < 3000 && last >= 0; ++i) last = small_body(builder, "name", 0, i, 0, 0);
    const int reached = calls_left < 0;
    calls_left = -1;
    limpet_error error = {0};
    limpet_model *model = limpet_builder_compile(builder, &error);
    assert_null(model);  // out of memory, or the names are the same
    assert_int_equal(error.status, reached ? LIMPET_ERROR_MEMORY : LIMPET_ERROR_INPUT);
    limpet_builder_destroy(builder);
  }
}

static void data_survives_any_failure(void **state) {
  (void)state;
  limpet_model *model = small_compile(small_everything());
  for (long n = 0; n < 4; ++n) {
    calls_left = n;
    limpet_data *data = limpet_data_create(model);
    calls_left = -1;
    assert_null(data);
  }
  limpet_data *data = limpet_data_create(model);
  assert_non_null(data);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}
#endif

int main(void) {
#ifdef CAN_FAIL
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compilation_survives_any_failure),
      cmocka_unit_test(builder_remembers_a_failure),
      cmocka_unit_test(data_survives_any_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
#else
  puts("skipped: allocations cannot be made to fail here");
  return 77;
#endif
}
