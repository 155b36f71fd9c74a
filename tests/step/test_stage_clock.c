/* tests/step/test_stage_clock.c: times of stages add up over laps, whatever the clock says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "step/stage_clock.h"

static void laps_add_up(void **state) {
  (void)state;
  double time[LIMPET_STAGE_COUNT] = {[LIMPET_STAGE_SOLVE] = 100.0};
  limpet_stage_clock clock = limpet_stage_clock_start(true, time);
  for (int i = 0; i < 2; ++i) limpet_stage_clock_lap(&clock, LIMPET_STAGE_SOLVE);
  assert_true(time[LIMPET_STAGE_SOLVE] >= 100.0);
  assert_true(time[LIMPET_STAGE_ASSEMBLY] == 0.0);
}

static void a_clock_that_does_not_run_writes_nothing(void **state) {
  (void)state;
  limpet_stage_clock clock = limpet_stage_clock_start(false, NULL);
  limpet_stage_clock_lap(&clock, LIMPET_STAGE_SOLVE);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(laps_add_up),
                                     cmocka_unit_test(a_clock_that_does_not_run_writes_nothing)};
  return cmocka_run_group_tests_name("stage clock", tests, NULL, NULL);
}
