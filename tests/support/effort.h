/* tests/support/effort.h: how much of a long test runs.
 *
 * Under a sanitizer a program takes five to twenty times as long, and a tenth of the steps or
 * draws visits the same code. A second compiler needs no more of them (LIMPET_TEST_LESS: clang's
 * preset). All of them run in the optimised build. */
#ifndef LIMPET_TESTS_EFFORT_H
#define LIMPET_TESTS_EFFORT_H

#include <stdbool.h>

#if defined(LIMPET_TEST_LESS) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_WATCHED 1
#endif
#endif
#ifndef TEST_WATCHED
#define TEST_WATCHED 0
#endif

// `full`; `less` under a sanitizer or a second compiler.
static inline int test_effort(int full, int less) { return TEST_WATCHED ? less : full; }

/* Of `count` variants of case `number` the first that is tried, and the way to the next: all;
 * where less runs one, of following cases following ones. */
typedef struct test_turn {
  int first, way;
} test_turn;

static inline test_turn test_turn_of(int number, int count) {
  return (test_turn){.first = TEST_WATCHED ? number % count : 0, .way = TEST_WATCHED ? count : 1};
}

#endif
