/* tests/step/test_detection.c: how far ahead of a step contacts are looked for.
 *
 * A ball at the distance d of a plane that it moves to with v takes part in the step from
 *   d = l + 2 dt v     l: speculative distance
 * on, twice its way, as other contacts of the step may speed it up; and so it does where v is what
 * the forces of the step give it. The plane is tilted, so that v has three equal components:
 * changes are known by component, and the search must allow for the length of the vector. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_text.h"

static const double dt = 0.01, speculative = 2e-4, radius = 0.1;
// [m/s]  half the radius a step: what is faster is swept, and seen anyway
static const double fastest = 5.0;

// A ball of 1 kg above the plane through the origin with the normal (1, 1, 1)/sqrt(3).
static const char *const world = MODEL(
    "<option timestep='.01' gravity='0 0 0'/><worldbody><geom type='plane' size='9 9 .1' "
    "zaxis='1 1 1'/><body><freejoint/><geom size='.1' mass='1'/></body></worldbody>");

// Whether the ball at `distance` takes part; v, force: towards the plane.
static bool takes_part(limpet_model *model, double distance, double v, double force) {
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.speculative_distance = speculative;
  const double along = 1.0 / sqrt(3.0);
  for (int i = 0; i < 3; ++i) {
    data->q[i] = (radius + distance) * along;
    data->v[i] = -v * along;
    data->applied_force[i] = -force * along;
  }
  assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
  const bool part = data->info.contact_count == 1;
  limpet_data_destroy(data);
  return part;
}

static void a_moving_ball_is_seen_two_ways_ahead(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(world);
  for (double v = 1e-3; v < fastest; v *= 3.0) {
    const double way = v * dt;
    assert_true(takes_part(model, speculative + 1.99 * way, v, 0.0));
    assert_false(takes_part(model, speculative + 2.01 * way, v, 0.0));
    assert_false(takes_part(model, speculative + 0.01 * way, -v, 0.0));  // it goes away
  }
  limpet_model_destroy(model);
}

// v = dt f/m from rest; the components are v/sqrt(3) each.
static void so_is_one_that_forces_will_move(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(world);
  for (double v = 1e-3; v < fastest; v *= 3.0) {
    const double way = v * dt, force = v / dt;
    assert_true(takes_part(model, speculative + 1.99 * way, 0.0, force));
    assert_false(takes_part(model, speculative + 2.01 * way, 0.0, force));
  }
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_moving_ball_is_seen_two_ways_ahead),
      cmocka_unit_test(so_is_one_that_forces_will_move),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
