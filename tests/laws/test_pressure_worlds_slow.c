/* tests/laws/test_pressure_worlds_slow.c: random worlds of things that lie flat on pressure
 * fields, with three contact models each: 6, or LIMPET_REST_WORLDS of them. 300 take two minutes
 * of a processor; docs/pressure-fields.md has their numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rest_worlds.h"

static void worlds_come_to_rest(void **state) {
  (void)state;
  const char *wanted = getenv("LIMPET_REST_WORLDS");
  const int worlds = wanted ? atoi(wanted) : 6;
  const rest_count count = rest_worlds_run(100, worlds, 1.5, 1e-6);
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
