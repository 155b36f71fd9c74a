/* tests/step/test_known_poses.c: a step begins with the poses in which the last one ended, where
 * that was looked at. The result is that of a world that knows nothing, bit by bit, whatever
 * happens between the steps; and what is known is used. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mjcf_text.h"
#include "model/workspace.h"
#include "random_models.h"
#include "step/flight.h"

enum { STEPS = 600, WALKER = 0, SWING = 1 };

// A walker of five bodies that falls and kicks, and a fast swing that hangs on a mocap body.
static const char scene[] =
    "<mujoco><option timestep='.002'/><worldbody>"
    "<geom type='plane' size='5 5 .1'/>"
    "<body pos='0 0 .5'><freejoint/><geom type='box' size='.1 .2 .05'/>"
    "  <body pos='0 .1 -.1'><joint name='l' axis='0 1 0' damping='.1'/>"
    "    <geom type='capsule' fromto='0 0 0 0 0 -.15' size='.03'/>"
    "    <body pos='0 0 -.15'><joint axis='1 0 0' pos='0 0 .02' damping='.1'/>"
    "      <joint axis='0 1 0' pos='0 0 .02' damping='.1'/><geom size='.05'/></body></body>"
    "  <body pos='0 -.1 -.1'><joint name='r' axis='0 1 0' damping='.1'/>"
    "    <geom type='capsule' fromto='0 0 0 0 0 -.15' size='.03'/>"
    "    <body pos='0 0 -.15'><joint type='ball'/><geom size='.05'/></body></body></body>"
    "<body mocap='true' pos='0 1 2'/>"
    "<body pos='2 0 2'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 -.3' "
    "size='.02'/>"
    "  <body pos='0 0 -.3'><joint axis='0 1 0'/><geom size='.05'/></body></body>"
    "</worldbody><actuator><motor joint='l'/><motor joint='r'/></actuator></mujoco>";

static void steer(limpet_data *data) {
  data->control[0] = 2.0 * sin(20.0 * data->time);
  data->control[1] = -1.5 * sin(17.0 * data->time);
}

static void throw(const limpet_model *model, limpet_data *data) {
  data->v[model->tree_dof[SWING]] = 60.0;
  data->v[3] = 4.0;
}

// Whether the next step finds the tree where the last one left it.
static bool is_known(const limpet_model *model, const limpet_data *data, int tree) {
  const limpet_solved_step *last = limpet_solved_step_of(data);
  const limpet_range q = limpet_tree_positions(model, tree);
  if (!last || !last->motion.flight->posed[tree]) return false;
  const limpet_known_poses known = limpet_flight_poses(last->motion.flight);
  return memcmp(known.q + q.first, data->q + q.first,
                (size_t)(q.end - q.first) * sizeof *known.q) == 0;
}

static void step_both(const limpet_model *model, limpet_data *data, limpet_data *fresh) {
  const limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_workspace_turn(fresh->workspace);  // which forgets the last step
  limpet_data_state_copy(data, fresh);
  memcpy(fresh->mocap_position, data->mocap_position, 3 * sizeof *data->mocap_position);
  assert_null(limpet_solved_step_of(fresh));
  steer(data);
  steer(fresh);
  assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
  assert_int_equal(limpet_step(model, fresh, &settings), LIMPET_OUTCOME_SOLVED);
  assert_int_equal(limpet_data_state_hash(model, data), limpet_data_state_hash(model, fresh));
  assert_memory_equal(data->body_position, fresh->body_position,
                      3 * (size_t)model->body_count * sizeof *data->body_position);
  assert_memory_equal(data->body_inertia, fresh->body_inertia,
                      10 * (size_t)model->body_count * sizeof *data->body_inertia);
}

static void worlds_that_know_and_do_not_agree(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(scene);
  assert_non_null(model);
  limpet_data *data = limpet_data_create(model), *fresh = limpet_data_create(model);
  throw(model, data);
  int known[2] = {0, 0};
  unsigned long seed = 7;
  for (int i = 0; i < STEPS; ++i) {
    known[0] += is_known(model, data, WALKER);
    known[1] += is_known(model, data, SWING);
    // someone moves a joint, or the free body, or turns a quaternion's sign
    double x[2];
    random_vector(&seed, x, 2, 1.0);
    if (i % 50 == 25) data->q[model->nq - 1 - i % 3] += 0.1 * x[0];
    if (i % 50 == 35) data->q[2] += 1e-3 * fabs(x[1]);
    if (i % 50 == 45)
      for (int k = 3; k < 7; ++k) data->q[k] = -data->q[k];
    step_both(model, data, fresh);
  }
  // the walker stands on its feet most of the time, and nothing else spares the swing its passes
  assert_true(known[0] > STEPS / 4);
  assert_true(known[1] > STEPS / 4);
  limpet_data_destroy(fresh);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// A shift to where the centre of mass must be is known, too.
static void what_flies_is_known(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(scene);
  limpet_data *data = limpet_data_create(model), *fresh = limpet_data_create(model);
  throw(model, data);
  data->q[2] = 50.0;
  for (int i = 0; i < STEPS / 6; ++i) {
    assert_true(is_known(model, data, WALKER) == (i > 0));
    step_both(model, data, fresh);
  }
  limpet_data_destroy(fresh);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static void what_is_known_is_used(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(scene);
  limpet_data *data = limpet_data_create(model), *fresh = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  throw(model, data);
  for (int i = 0; i < STEPS && !is_known(model, data, SWING); ++i)
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
  limpet_data_state_copy(data, fresh);

  // a false inertia in what is known leads the step elsewhere
  const limpet_known_poses known = limpet_flight_poses(limpet_solved_step_of(data)->motion.flight);
  const int body = model->tree_body[SWING] + 1;
  known.world->body_com[3 * body] += 0.125;
  const double com = known.world->body_com[3 * body];
  limpet_step_prepared prepared;
  limpet_step_prepare(model, data, &settings, settings.time_step, &prepared);
  assert_true(data->body_com[3 * body] == com);
  limpet_step_prepare(model, fresh, &settings, settings.time_step, &prepared);
  assert_true(fabs(fresh->body_com[3 * body] - (com - 0.125)) < 1e-12);
  limpet_data_destroy(fresh);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worlds_that_know_and_do_not_agree),
      cmocka_unit_test(what_flies_is_known),
      cmocka_unit_test(what_is_known_is_used),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
