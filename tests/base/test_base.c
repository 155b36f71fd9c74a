/* tests/base/test_base.c: pages, arena, errors, threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/pages.h"
#include "base/threads.h"

// What is released counts as free again; the peak is the most that was taken at one time.
static void arena_counts_what_is_taken(void **state) {
  (void)state;
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, 4096), 0);
  limpet_arena_take(&arena, 1024);
  const limpet_arena_mark mark = limpet_arena_mark_now(&arena);
  limpet_arena_take(&arena, 2048);
  assert_int_equal(limpet_arena_taken(&arena), 3072);
  limpet_arena_release(&arena, mark);
  assert_int_equal(limpet_arena_taken(&arena), 1024);
  limpet_arena_take(&arena, 512);
  assert_int_equal(arena.peak, 3072);
  assert_int_equal(arena.growth_count, 0);
  limpet_arena_destroy(&arena);
}

// A part counts as taken at once, takes no more from the whole, and ends where it ends.
static void part_of_an_arena_does_not_grow(void **state) {
  (void)state;
  limpet_arena arena, part;
  assert_int_equal(limpet_arena_create(&arena, 4096), 0);
  assert_int_equal(limpet_arena_part(&arena, 1000, &part), LIMPET_OK);
  const size_t taken = limpet_arena_taken(&arena);
  char *first = limpet_arena_take(&part, 500), *second = limpet_arena_take(&part, 500);
  assert_true(first && second && second >= first + 500);
  memset(first, 1, 500), memset(second, 2, 500);
  char *beside = limpet_arena_take(&arena, 64);
  assert_true(beside >= second + 500 || beside + 64 <= first);
  assert_null(limpet_arena_take(&part, 64));
  assert_int_equal(limpet_arena_taken(&arena), taken + 64);
  assert_int_equal(part.growth_count, 0);
  limpet_arena_destroy(&arena);
}

static void arena_keeps_what_it_gave_while_it_grows(void **state) {
  (void)state;
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, 4096), 0);
  int *numbers[64];
  for (int i = 0; i < 64; ++i) {
    numbers[i] = LIMPET_TAKE(&arena, int, 1000);
    assert_non_null(numbers[i]);
    assert_int_equal((uintptr_t)numbers[i] % 64, 0);
    for (int k = 0; k < 1000; ++k) numbers[i][k] = 1000 * i + k;
  }
  for (int i = 0; i < 64; ++i)
    for (int k = 0; k < 1000; ++k) assert_int_equal(numbers[i][k], 1000 * i + k);
  assert_true(arena.growth_count > 0);

  // after the reset one block holds everything: the same again does not grow
  limpet_arena_reset(&arena);
  const int growth = arena.growth_count;
  for (int i = 0; i < 64; ++i) assert_non_null(LIMPET_TAKE(&arena, int, 1000));
  assert_int_equal(arena.growth_count, growth);
  limpet_arena_destroy(&arena);
}

// Large blocks of an arena begin at a huge page and are whole ones; small ones take what they need.
static void large_blocks_are_huge_pages(void **state) {
  (void)state;
  enum { LARGE = 5 << 20, SMALL = 5 << 10 };  // [bytes]
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, LARGE), 0);
  assert_int_equal((uintptr_t)arena.block % LIMPET_PAGES_HUGE, 0);
  const uintptr_t end = (uintptr_t)arena.free + arena.left;
  assert_int_equal(end % LIMPET_PAGES_HUGE, 0);
  assert_true(arena.left >= LARGE && arena.left < LARGE + LIMPET_PAGES_HUGE);
  memset(limpet_arena_take(&arena, LARGE), 1, LARGE);
  limpet_arena_destroy(&arena);
  assert_int_equal(limpet_pages_size(SMALL + 1), SMALL + 64);
}

static void arena_marks_nest(void **state) {
  (void)state;
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, 4096), 0);
  char *first = limpet_arena_take_zero(&arena, 100);
  const limpet_arena_mark outer = limpet_arena_mark_now(&arena);
  limpet_arena_take(&arena, 200);
  const limpet_arena_mark inner = limpet_arena_mark_now(&arena);
  limpet_arena_take(&arena, 100000);
  limpet_arena_release(&arena, inner);
  limpet_arena_release(&arena, outer);
  char *again = limpet_arena_take(&arena, 200);
  memset(again, 1, 200);
  for (int i = 0; i < 100; ++i) assert_int_equal(first[i], 0);
  limpet_arena_destroy(&arena);
}

/* What is kept of a release lies where the mark is, with its bytes, whether the arena grew after
 * the mark or not; all else is free again. */
static void arena_keeps_a_part_of_what_it_releases(void **state) {
  (void)state;
  enum { SMALL = 1000, LARGE = 100000, KEPT = 700 };
  static const int before[] = {64, SMALL, LARGE}, after[] = {64, LARGE};
  for (int i = 0; i < 6; ++i) {
    limpet_arena arena;
    assert_int_equal(limpet_arena_create(&arena, 4096), 0);
    char *first = limpet_arena_take_zero(&arena, 100);
    const limpet_arena_mark mark = limpet_arena_mark_now(&arena);
    const size_t taken = limpet_arena_taken(&arena);
    limpet_arena_take(&arena, (size_t)before[i % 3]);
    unsigned char *bytes = limpet_arena_take(&arena, SMALL);
    for (int k = 0; k < SMALL; ++k) bytes[k] = (unsigned char)(7 * k);
    limpet_arena_take(&arena, (size_t)after[i / 3]);
    const unsigned char *kept = limpet_arena_release_but(&arena, mark, bytes, KEPT);
    assert_int_equal(limpet_arena_taken(&arena), taken + 704);  // rounded up to 64 bytes
    memset(limpet_arena_take(&arena, LARGE), 1, LARGE);
    for (int k = 0; k < KEPT; ++k) assert_int_equal(kept[k], (unsigned char)(7 * k));
    for (int k = 0; k < 100; ++k) assert_int_equal(first[k], 0);
    limpet_arena_destroy(&arena);
  }
}

static void error_names_the_place(void **state) {
  (void)state;
  limpet_error error;
  assert_int_equal(
      limpet_error_fill_at(&error, LIMPET_ERROR_INPUT, "robot.xml", 3, 14, "mass is %g kg", -1.0),
      LIMPET_ERROR_INPUT);
  assert_string_equal(error.message, "robot.xml:3:14: mass is -1 kg");
  assert_int_equal(error.line, 3);
}

static void square(void *context, int task, int thread) {
  (void)thread;
  ((long *)context)[task] = (long)task * task;
}

static void threads_run_every_task_once(void **state) {
  (void)state;
  for (int count = 1; count <= 4; ++count) {
    limpet_threads *threads = limpet_threads_create(count);
    assert_non_null(threads);
    for (int round = 0; round < 200; ++round) {
      long squares[100] = {0};
      limpet_threads_run(threads, 100, square, squares);
      for (long i = 0; i < 100; ++i) assert_int_equal(squares[i], i * i);
    }
    limpet_threads_destroy(threads);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arena_counts_what_is_taken),
      cmocka_unit_test(part_of_an_arena_does_not_grow),
      cmocka_unit_test(arena_keeps_what_it_gave_while_it_grows),
      cmocka_unit_test(large_blocks_are_huge_pages),
      cmocka_unit_test(arena_marks_nest),
      cmocka_unit_test(arena_keeps_a_part_of_what_it_releases),
      cmocka_unit_test(error_names_the_place),
      cmocka_unit_test(threads_run_every_task_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
