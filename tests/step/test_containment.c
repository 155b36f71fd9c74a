/* tests/step/test_containment.c: an island whose numbers fail is held, and the rest of the world
 * moves on as if it were alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "law/normal_law.h"
#include "mjcf_world.h"

enum { STEPS = 200, BALL_Z = 2, BOX = 7, OTHER_BOX = 14, BROKEN_GEOM = 2 };

static const double broken_stiffness = 12345.0;  // [N/m]  of the geom whose law gives no number
static const double gravity = 9.81;              // [m/s^2]

// A free ball that falls, a box whose contact fails, a box that rests far away.
static const char *scene =
    "<mujoco><option timestep='0.002'/><worldbody>"
    "<geom type='plane' size='9 9 1'/>"
    "<body pos='0 0 10'><freejoint/><geom type='sphere' size='0.1' mass='.001'/></body>"
    "<body pos='1 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
    "<body pos='3 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
    "</worldbody></mujoco>";

static bool breaks;

static double broken_impulse(const limpet_normal_law *law, const limpet_normal_point *point,
                             double v, double *curvature, double *integral) {
  (void)law;
  const limpet_normal_law *sound = &limpet_normal_law_hunt_crossley;
  const double impulse = sound->impulse(sound, point, v, curvature, integral);
  return breaks && point->stiffness == broken_stiffness ? NAN : impulse;
}

static double range(const limpet_normal_law *law, const double *parameter) {
  (void)law, (void)parameter;
  return 0.0;
}

static const limpet_normal_law broken_law = {
    .descriptor = {.name = "broken"}, .impulse = broken_impulse, .range = range};

static mjcf_world open_world(const char *contact_model, int threads) {
  mjcf_world w = mjcf_world_of(scene, contact_model);
  w.settings.normal_law = &broken_law;
  w.settings.threads = threads;
  w.model->geom_material[BROKEN_GEOM].stiffness = broken_stiffness;
  w.data->v[BOX - 1] = 0.5;  // of the box that fails: kept, and it goes nowhere
  return w;
}

static void check_held(const char *contact_model) {
  mjcf_world w = open_world(contact_model, 1), twin = open_world(contact_model, 4);
  const limpet_data *data = w.data;
  double q[7], v[6];
  memcpy(q, data->q + BOX, sizeof q);
  memcpy(v, data->v + 6, sizeof v);
  breaks = true;
  for (int i = 0; i < STEPS; ++i) {
    assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_ISLAND_FAILED);
    assert_int_equal(data->info.failed_islands, 1);
    assert_false(limpet_outcome_failed(data->info.outcome));
    assert_memory_equal(q, data->q + BOX, sizeof q);
    assert_memory_equal(v, data->v + 6, sizeof v);
    for (int c = 0; c < 3 * data->contact_count; ++c) assert_true(isfinite(data->contact_force[c]));
    assert_true(isfinite(data->info.residual) && isfinite(data->info.cost));

    // the same with four threads
    limpet_step(twin.model, twin.data, &twin.settings);
    assert_int_equal(limpet_data_state_hash(w.model, data),
                     limpet_data_state_hash(twin.model, twin.data));
  }
  assert_int_equal(data->warning_count[LIMPET_OUTCOME_ISLAND_FAILED], STEPS);

  // the ball falls: second order is exact for it, but for round-off of 200 sums near 10 m
  const double t = STEPS * w.settings.time_step;
  assert_true(fabs(data->time - t) < 1e-12);
  assert_true(fabs(data->q[BALL_Z] - (10.0 - 0.5 * gravity * t * t)) < 1e-11);
  // the other box stays on the plane, 1 kg on near-rigid contacts: within a micrometre
  assert_true(fabs(data->q[OTHER_BOX + 2] - 0.1) < 1e-6);

  // what is whole again moves on, with the velocity that it had
  breaks = false;
  assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_SOLVED);
  assert_int_equal(data->info.failed_islands, 0);
  assert_true(data->q[BOX] != q[0]);
  mjcf_world_destroy(&w), mjcf_world_destroy(&twin);
}

static void an_island_that_fails_is_held(void **state) {
  (void)state;
  check_held("coulomb"), check_held("lagged"), check_held("similar");
}

// Without anything that could move the step fails as a whole, and time stands.
static void a_world_that_fails_stands(void **state) {
  (void)state;
  mjcf_world w = open_world("coulomb", 1);
  breaks = true;
  for (int g = 1; g < w.model->geom_count; ++g)
    w.model->geom_material[g].stiffness = broken_stiffness;
  w.data->q[BALL_Z] = 0.1;
  const uint64_t before = limpet_data_state_hash(w.model, w.data);
  assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_NUMERICAL_FAILURE);
  assert_int_equal(limpet_data_state_hash(w.model, w.data), before);
  mjcf_world_destroy(&w);
}

// A free body of no finite velocity is an island of its own.
static void a_free_body_that_fails_is_held(void **state) {
  (void)state;
  mjcf_world w = open_world("coulomb", 1);
  breaks = false;
  const double z = w.data->q[BALL_Z];
  w.data->applied_force[0] = 1e308;  // [N]  times 2 ms over 1 g: more than a double holds
  assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_ISLAND_FAILED);
  assert_true(w.data->q[BALL_Z] == z);
  assert_int_equal(w.data->info.failed_islands, 1);
  mjcf_world_destroy(&w);
}

// A velocity whose square is no number turns no body: by every model the body is held and told.
static void velocities_without_a_square_are_held(void **state) {
  (void)state;
  static const char *const models[] = {"coulomb", "lagged",   "sap",
                                       "similar", "anitescu", "anitescu-cone"};
  for (int k = 0; k < 6; ++k) {
    mjcf_world w = open_world(models[k], 1);
    breaks = false;
    const int dof = w.model->body_dof[1];  // of the ball
    w.data->v[dof + 4] = 1e200;
    double q[7];
    memcpy(q, w.data->q, sizeof q);
    const limpet_outcome outcome = limpet_step(w.model, w.data, &w.settings);
    assert_true(outcome == LIMPET_OUTCOME_ISLAND_FAILED ||
                outcome == LIMPET_OUTCOME_NUMERICAL_FAILURE);
    assert_true(w.data->v[dof + 4] == 1e200);
    assert_memory_equal(w.data->q, q, sizeof q);
    mjcf_world_destroy(&w);
  }
}

/* A body whose mass matrix is not positive definite: one in the air is held alone, one in contact
 * with all that it touches; the others move on. */
static void a_tree_without_inertia_is_held(void **state) {
  (void)state;
  static const char *const models[] = {"coulomb", "lagged", "sap"};
  for (int k = 0; k < 6; ++k) {
    mjcf_world w = open_world(models[k % 3], 1);
    breaks = false;
    const int body = k < 3 ? 1 : 2;  // the ball, the box
    for (int i = 0; i < 9; i += 4) w.model->body_inertia[9 * body + i] = -1.0;
    double q[7];
    memcpy(q, w.data->q + 7 * (body - 1), sizeof q);
    w.settings.compatibility.plain_flight = k % 2;
    for (int i = 0; i < STEPS; ++i) {
      assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_ISLAND_FAILED);
      assert_int_equal(w.data->info.failed_islands, 1);
    }
    assert_memory_equal(q, w.data->q + 7 * (body - 1), sizeof q);
    assert_true(fabs(w.data->q[OTHER_BOX + 2] - 0.1) < 1e-6);
    if (body == 2) assert_true(w.data->q[BALL_Z] < 9.5);
    mjcf_world_destroy(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_island_that_fails_is_held),
      cmocka_unit_test(a_world_that_fails_stands),
      cmocka_unit_test(a_free_body_that_fails_is_held),
      cmocka_unit_test(velocities_without_a_square_are_held),
      cmocka_unit_test(a_tree_without_inertia_is_held),
  };
  return cmocka_run_group_tests_name("containment", tests, NULL, NULL);
}
