/* tests/step/test_adaptive.c: the scheme `adaptive`: its error follows the accuracy, in swings and
 * through landings over the whole range of friction; substeps are its own affair: time, counts,
 * sensors, delays, restarts and failures are those of one step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "limpet/gradient.h"
#include "mjcf_text.h"
#include "mjcf_world.h"
#include "random_models.h"

static const char swing[] = MODEL(
    "<worldbody><body pos='0 0 2'><joint axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.02' mass='1'/>"
    "<body pos='.3 0 0'><joint axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 .2 0 .1' size='.02' mass='.5'/></body></body>"
    "</worldbody>");

static mjcf_world adaptive_world(const char *text, double time_step, double accuracy) {
  mjcf_world world = mjcf_world_of(text, NULL);
  limpet_step_settings_scheme(&world.settings, limpet_scheme_find("adaptive"));
  world.settings.time_step = time_step;
  world.settings.accuracy = accuracy;
  world.settings.tolerance = 1e-9;
  return world;
}

static double distance_of(const mjcf_world *a, const mjcf_world *b) {
  double *difference = malloc((size_t)a->model->nv * sizeof *difference), most = 0.0;
  limpet_difference_position(a->model, difference, a->data->q, b->data->q);
  for (int i = 0; i < a->model->nv; ++i) most = fmax(most, fabs(difference[i]));
  free(difference);
  return most;
}

// ------------------------------------------------------------------------------ the error

static void a_swing_is_as_exact_as_asked(void **state) {
  (void)state;
  const double time = TEST_WATCHED ? 0.2 : 1.0;  // [s]
  mjcf_world exact = mjcf_world_of(swing, NULL);
  exact.settings.time_step = 2e-5;
  mjcf_world_run(&exact, time);
  double last = INFINITY;
  int64_t last_substeps = 0;
  for (double accuracy = 1e-4; accuracy > 1e-8; accuracy *= 0.1) {
    mjcf_world world = adaptive_world(swing, 0.02, accuracy);
    int64_t substeps = 0;
    while (world.data->time < time - 1e-9) {
      mjcf_world_step(&world);
      substeps += world.data->info.substep_count;
      assert_true(world.data->info.substep_error <= accuracy);
    }
    // a two-link pendulum lets errors grow, but no faster than they are made
    const double error = distance_of(&world, &exact);
    assert_true(error < 0.5 * last);
    assert_true(error < 20.0 * accuracy * (double)substeps);
    assert_true(substeps >= last_substeps);
    last = error, last_substeps = substeps;
    mjcf_world_destroy(&world);
  }
  mjcf_world_destroy(&exact);
}

/* Boxes of 1 g to 1 t that land and spin on a free slab, friction 0.01 to 1.5. Their contacts have
 * a stiffness, and swing in 20 ms: how an impact of near-rigid bodies falls on steps has no
 * limit for short ones (docs/theory/coulomb.md). */
static void landing_text(unsigned long *seed, char *text, size_t size, double speed[6]) {
  const double friction = random_log(seed, 0.01, 1.5), mass = random_log(seed, 1e-3, 1e3);
  snprintf(text, size,
           MODEL("<default><geom friction='%g' limpet:stiffness='%g'/></default><worldbody>"
                 "<body><freejoint/><geom type='box' size='2 2 .1' mass='%g'/></body>"
                 "<body pos='0 0 .18' euler='20 10 0'><freejoint/>"
                 "<geom type='box' size='.05 .04 .03' mass='%g'/></body></worldbody>"),
           friction, 1e5 * mass, mass * random_log(seed, 1.0, 1e6), mass);
  random_vector(seed, speed, 3, 1.0), random_vector(seed, speed + 3, 3, 5.0);
  speed[2] = -1.0;
}

static mjcf_world landed(const double speed[6], mjcf_world world, bool *touched) {
  memcpy(world.data->v + 6, speed, 6 * sizeof *speed);
  *touched = false;
  while (world.data->time < 0.1 - 1e-9) {
    mjcf_world_step(&world);
    *touched = *touched || world.data->info.touching_count > 0;
  }
  return world;
}

// Against steps of 10 us, whose own error is about their difference from steps of 20 us.
static void landings_are_as_exact_as_asked(void **state) {
  (void)state;
  unsigned long seed = 20261130;
  int compared = 0;
  for (int draw = 0; draw < test_effort(14, 4); ++draw) {
    char text[1000];
    double speed[6];
    bool touched;
    landing_text(&seed, text, sizeof text, speed);
    mjcf_world fine = mjcf_world_of(text, NULL), coarse = mjcf_world_of(text, NULL);
    fine.settings.time_step = 1e-5, coarse.settings.time_step = 2e-5;
    fine.settings.tolerance = coarse.settings.tolerance = 1e-9;
    fine = landed(speed, fine, &touched), coarse = landed(speed, coarse, &touched);
    mjcf_world world = landed(speed, adaptive_world(text, 5e-3, 1e-6), &touched);
    // [m, rad]  some twenty substeps, and what each hands on
    const double error = distance_of(&fine, &world), own = distance_of(&fine, &coarse);
    if (!(error < 1e-4 + 2.0 * own)) fail_msg("draw %d: off by %g, of it %g", draw, error, own);
    compared += touched;
    mjcf_world_destroy(&fine), mjcf_world_destroy(&coarse), mjcf_world_destroy(&world);
  }
  assert_true(compared >= test_effort(6, 1));
}

static void what_rests_takes_one_substep(void **state) {
  (void)state;
  mjcf_world world = adaptive_world(
      MODEL("<worldbody><geom type='plane' size='1 1 .1'/><body pos='0 0 .1'><freejoint/>"
            "<geom type='box' size='.1 .1 .1'/></body></worldbody>"),
      5e-3, 1e-5);
  mjcf_world_run(&world, 0.1);
  for (int i = 0; i < 20; ++i) {
    mjcf_world_step(&world);
    assert_int_equal(world.data->info.substep_count, 1);
    assert_int_equal(world.data->info.rejected_substeps, 0);
    assert_true(world.data->info.shortest_substep == 5e-3);
  }
  mjcf_world_destroy(&world);
}

// An accuracy below round-off is missed at the shortest substep, and told.
static void an_accuracy_that_is_missed_is_told(void **state) {
  (void)state;
  mjcf_world world = adaptive_world(
      MODEL("<worldbody><geom type='plane' size='1 1 .1'/><body pos='0 0 .1002'><freejoint/>"
            "<geom size='.1'/></body></worldbody>"),
      1e-6, 1e-12);
  world.data->v[2] = -300.0;
  assert_int_equal(limpet_step(world.model, world.data, &world.settings),
                   LIMPET_OUTCOME_ITERATION_LIMIT);
  assert_true(world.data->info.substep_error > world.settings.accuracy);
  mjcf_world_destroy(&world);
}

// ------------------------------------------------------------------------ one step as others

static const char servo[] = MODEL(
    "<worldbody><geom type='plane' size='1 1 .1'/><body pos='0 0 .06'><freejoint/>"
    "<geom type='box' size='.05 .05 .05' mass='1'/><body><joint name='j' axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.01' mass='.1'/></body></body></worldbody>"
    "<actuator><motor joint='j' gear='.05' delay='0.02' nsample='3'/></actuator>"
    "<sensor><jointpos joint='j'/><clock delay='0.02' nsample='3'/></sensor>");

static void steer(mjcf_world *world) { world->data->control[0] = sin(40.0 * world->data->time); }

static void time_and_counts_are_of_one_step(void **state) {
  (void)state;
  mjcf_world world = adaptive_world(servo, 0.01, 1e-7);
  int most = 0;
  for (int i = 0; i < 30; ++i) {
    const double angle = world.data->q[7];
    steer(&world), mjcf_world_step(&world);
    assert_true(fabs(world.data->time - 0.01 * (i + 1)) < 1e-15 * (i + 1));
    assert_int_equal(world.data->step_count, i + 1);
    assert_int_equal(world.data->warning_count[LIMPET_OUTCOME_SOLVED], i + 1);
    const limpet_step_info *info = &world.data->info;
    // sensors read at the start of the step; the clock is two steps late
    assert_true(world.data->sensor[0] == angle);
    assert_true(fabs(world.data->sensor[1] - fmax(0.01 * (i - 2), 0.0)) < 1e-12);
    most = info->substep_count > most ? info->substep_count : most;
  }
  assert_true(most > 3);
  mjcf_world_destroy(&world);
}

// Delays count steps, not substeps: the motion is that of short steps with the control of before.
static void delays_remember_steps(void **state) {
  (void)state;
  mjcf_world world = adaptive_world(servo, 0.01, 1e-8), exact = mjcf_world_of(servo, NULL);
  exact.settings.time_step = 2e-5;
  double given[32] = {0};
  for (int i = 0; i < test_effort(10, 5); ++i) {
    steer(&world);
    given[i] = world.data->control[0];
    mjcf_world_step(&world);
    // the same delay for a world whose list is too short for its steps: by hand
    for (int k = 0; k < 500; ++k) {
      exact.data->control[0] = i >= 2 ? given[i - 2] : 0.0;
      memset(exact.data->history, 0, (size_t)exact.model->history_count * sizeof(double));
      for (int s = 0; s < 3; ++s) {
        exact.data->history[exact.model->actuator_history[0] + s] = (s - 3) * 1e3;
        exact.data->history[exact.model->actuator_history[0] + 3 + s] = exact.data->control[0];
      }
      mjcf_world_step(&exact);
    }
  }
  assert_true(distance_of(&world, &exact) < 1e-5);
  mjcf_world_destroy(&world), mjcf_world_destroy(&exact);
}

static void a_restart_goes_on_alike(void **state) {
  (void)state;
  mjcf_world world = adaptive_world(servo, 0.01, 1e-6), other = adaptive_world(servo, 0.01, 1e-6);
  double *kept = malloc((size_t)limpet_data_state_size(world.model) * sizeof *kept);
  for (int i = 0; i < 12; ++i) steer(&world), mjcf_world_step(&world);
  limpet_data_state_read(world.model, world.data, kept);
  limpet_data_state_write(other.model, other.data, kept);
  for (int i = 0; i < 12; ++i) {
    steer(&world), mjcf_world_step(&world);
    steer(&other), mjcf_world_step(&other);
    assert_true(limpet_data_state_hash(world.model, world.data) ==
                limpet_data_state_hash(other.model, other.data));
  }
  free(kept);
  mjcf_world_destroy(&world), mjcf_world_destroy(&other);
}

static void what_fails_leaves_the_state(void **state) {
  (void)state;
  mjcf_world world = adaptive_world(servo, 0.01, 1e-6);
  for (int i = 0; i < 5; ++i) steer(&world), mjcf_world_step(&world);
  const uint64_t before = limpet_data_state_hash(world.model, world.data);
  world.data->control[0] = NAN;
  assert_int_equal(limpet_step(world.model, world.data, &world.settings), LIMPET_OUTCOME_BAD_INPUT);
  assert_int_equal(world.data->info.bad_input, LIMPET_INPUT_CONTROL);
  assert_true(before == limpet_data_state_hash(world.model, world.data));
  assert_int_equal(world.data->step_count, 6);
  mjcf_world_destroy(&world);
}

/* No substep is short enough for a body that cannot be moved as it is driven: after a hundred that
 * missed, one ends the step. */
static void what_no_substep_follows_ends(void **state) {
  (void)state;
  mjcf_world world =
      adaptive_world(MODEL("<worldbody><body><joint name='j' type='slide'/><geom size='.1'/></body>"
                           "<body pos='1 0 0'><freejoint/><geom size='.1'/></body></worldbody>"
                           "<actuator><motor joint='j' ctrllimited='false'/></actuator>"),
                     0.02, 1e-5);
  world.data->control[0] = 1e300;
  limpet_step(world.model, world.data, &world.settings);
  const limpet_step_info *info = &world.data->info;
  assert_int_equal(info->outcome, LIMPET_OUTCOME_ISLAND_FAILED);
  assert_true(info->substep_count < 200 && info->rejected_substeps < 200);
  assert_true(fabs(world.data->time - 0.02) < 1e-12);
  assert_true(world.data->q[3] < -1e-3);  // what is free falls on
  mjcf_world_destroy(&world);
}

static void there_are_no_gradients(void **state) {
  (void)state;
  mjcf_world world = adaptive_world(servo, 0.01, 1e-6);
  limpet_gradient *gradient = limpet_gradient_create(world.model);
  const limpet_gradient_settings asked = limpet_gradient_settings_default();
  limpet_gradient_step(world.model, world.data, &world.settings, &asked, gradient);
  assert_non_null(gradient->reason);
  assert_string_equal(gradient->reason, "the scheme has no derivatives");
  limpet_gradient_destroy(gradient);
  mjcf_world_destroy(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_swing_is_as_exact_as_asked),
      cmocka_unit_test(landings_are_as_exact_as_asked),
      cmocka_unit_test(what_rests_takes_one_substep),
      cmocka_unit_test(an_accuracy_that_is_missed_is_told),
      cmocka_unit_test(time_and_counts_are_of_one_step),
      cmocka_unit_test(delays_remember_steps),
      cmocka_unit_test(a_restart_goes_on_alike),
      cmocka_unit_test(what_fails_leaves_the_state),
      cmocka_unit_test(what_no_substep_follows_ends),
      cmocka_unit_test(there_are_no_gradients),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
