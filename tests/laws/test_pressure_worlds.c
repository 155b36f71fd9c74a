/* tests/laws/test_pressure_worlds.c: random worlds of things that lie flat on pressure fields come
 * to rest with every contact model: 20 worlds, three models each. test_pressure_worlds_slow runs
 * others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "effort.h"
#include "rest_worlds.h"

static void worlds_come_to_rest(void **state) {
  (void)state;
  const int worlds = test_effort(20, 4);
  const rest_count count = rest_worlds_run(0, worlds, 1.0, 1e-6);
  printf("%d runs, %d moving, worst %.2g, %d steps unsolved\n", count.runs, count.moving,
         count.worst, count.unsolved);
  assert_int_equal(count.runs, 3 * worlds);
  assert_int_equal(count.moving, 0);
  assert_int_equal(count.unsolved, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(worlds_come_to_rest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
