/* tests/step/test_trees.c: a step of some of the trees. Those that are not in the list keep their
 * state to the bit, what is known of them is neither read nor written, and they are in the way of
 * the others as bodies that cannot move. For every scheme with every contact model that it takes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mjcf_text.h"
#include "step/prepared.h"

enum { STEPS = 40, ARM = 0, BALL = 1, STILL_ARM = 2, PLATE = 3 };

/* Two arms with springs, dampers, an actuator with an activation, and tendons, the second one a
 * copy of the first; a ball that falls on a plate. `plate`: how the plate is held. */
static const char world[] =
    "<mujoco><option timestep='.002'/><worldbody>"
    "<geom type='plane' size='5 5 .1'/>"
    "<body pos='2 0 1' gravcomp='.3'><joint name='a' axis='0 1 0' stiffness='3' damping='.1'/>"
    "  <geom type='capsule' fromto='0 0 0 .3 0 0' size='.02'/>"
    "  <body pos='.3 0 0'><joint name='b' axis='0 1 0' armature='.01'/>"
    "    <geom type='capsule' fromto='0 0 0 .3 0 0' size='.02'/></body></body>"
    "<body pos='0 0 .35'><freejoint/><geom size='.1'/></body>"
    "<body pos='-2 0 1' gravcomp='.3'><joint name='c' axis='0 1 0' stiffness='3' damping='.1'/>"
    "  <geom type='capsule' fromto='0 0 0 .3 0 0' size='.02'/>"
    "  <body pos='.3 0 0'><joint name='d' axis='0 1 0' armature='.01'/>"
    "    <geom type='capsule' fromto='0 0 0 .3 0 0' size='.02'/></body></body>"
    "<body pos='0 0 .2'>%s<geom type='box' size='.2 .2 .04'/></body>"
    "</worldbody>"
    "<tendon><fixed name='ab' stiffness='2' damping='.05'><joint joint='a' coef='1'/>"
    "  <joint joint='b' coef='-1'/></fixed>"
    "  <fixed name='cd' stiffness='2' damping='.05'><joint joint='c' coef='1'/>"
    "  <joint joint='d' coef='-1'/></fixed></tendon>"
    "<actuator><general joint='a' dyntype='filter' dynprm='.05' gainprm='3'/>"
    "  <position tendon='ab' kp='5'/>"
    "  <general joint='c' dyntype='filter' dynprm='.05' gainprm='3'/>"
    "  <position tendon='cd' kp='5'/></actuator></mujoco>";

static limpet_model *model_with(const char *plate) {
  char text[sizeof world + 64];
  snprintf(text, sizeof text, world, plate);
  limpet_model *model = mjcf_load(text);
  assert_non_null(model);
  return model;
}

static void steer(const limpet_model *model, limpet_data *data) {
  for (int i = 0; i < model->nu; ++i) data->control[i] = 0.4 * sin(9.0 * data->time + i / 2);
}

static limpet_outcome step_trees(const limpet_model *model, limpet_data *data,
                                 const limpet_step_settings *settings, limpet_trees trees) {
  limpet_step_prepared prepared;
  limpet_step_result result;
  limpet_step_prepare_trees(model, data, settings, settings->time_step, trees, &prepared);
  limpet_step_attempt(&prepared, settings, &result);
  return limpet_step_commit(model, data, &prepared, &result);
}

/* Calls `check` for every scheme whose step is one prepare, attempts and one commit, with every
 * contact model that it takes. */
static void for_all(const limpet_model *model,
                    void (*check)(const limpet_model *, const limpet_step_settings *)) {
  for (int s = 0; limpet_schemes()[s]; ++s)
    for (int m = 0; limpet_contact_models()[m]; ++m) {
      if (limpet_schemes()[s] == limpet_scheme_find("adaptive") ||
          !limpet_scheme_takes(limpet_schemes()[s], limpet_contact_models()[m]))
        continue;
      limpet_step_settings settings = limpet_step_settings_default(model);
      limpet_step_settings_scheme(&settings, limpet_schemes()[s]);
      limpet_step_settings_contact_model(&settings, limpet_contact_models()[m]);
      check(model, &settings);
    }
}

static bool is_same(const double *a, const double *b, int first, int end) {
  return memcmp(a + first, b + first, (size_t)(end - first) * sizeof *a) == 0;
}

static void fill(double *array, int first, int end, double value) {
  for (int i = first; i < end; ++i) array[i] = value;
}

static bool all_nan(const double *array, int first, int end) {
  for (int i = first; i < end; ++i)
    if (!isnan(array[i])) return false;
  return true;
}

// What dynamics knows of a tree, as bad numbers.
static void poison(const limpet_model *model, limpet_data *data, int tree) {
  const limpet_range v = limpet_tree_dofs(model, tree), b = limpet_tree_bodies(model, tree);
  const int n = model->tree_dof_count[tree], M = model->tree_mass[tree];
  double *const by_dof[] = {data->bias, data->spring_force, data->damper_force,
                            data->gravity_compensation_force, data->passive_force};
  for (int i = 0; i < 5; ++i) fill(by_dof[i], v.first, v.end, NAN);
  fill(data->mass_matrix, M, M + n * n, NAN);
  fill(data->dof_axis, 6 * v.first, 6 * v.end, NAN);
  fill(data->dof_axis_rate, 6 * v.first, 6 * v.end, NAN);
  fill(data->body_inertia, 10 * b.first, 10 * b.end, NAN);
  fill(data->body_velocity, 6 * b.first, 6 * b.end, NAN);
  data->actuator_force[2] = data->actuator_force[3] = NAN;
}

static void assert_poisoned(const limpet_model *model, const limpet_data *data, int tree) {
  const limpet_range v = limpet_tree_dofs(model, tree), b = limpet_tree_bodies(model, tree);
  const int n = model->tree_dof_count[tree], M = model->tree_mass[tree];
  assert_true(
      all_nan(data->bias, v.first, v.end) && all_nan(data->passive_force, v.first, v.end) &&
      all_nan(data->spring_force, v.first, v.end) && all_nan(data->damper_force, v.first, v.end) &&
      all_nan(data->gravity_compensation_force, v.first, v.end) &&
      all_nan(data->mass_matrix, M, M + n * n) && all_nan(data->dof_axis, 6 * v.first, 6 * v.end) &&
      all_nan(data->body_inertia, 10 * b.first, 10 * b.end) &&
      all_nan(data->body_velocity, 6 * b.first, 6 * b.end) && all_nan(data->actuator_force, 2, 4));
}

/* The arm and the ball move as in a step of all trees, to the bit; the other arm, of which nothing
 * is known but bad numbers, stays. */
static void check_apart(const limpet_model *model, const limpet_step_settings *settings) {
  static const int moving[] = {ARM, BALL};
  limpet_data *all = limpet_data_create(model), *some = limpet_data_create(model);
  for (int k = 0; k < STEPS; ++k) {
    steer(model, all);
    steer(model, some);
    if (k > 0) poison(model, some, STILL_ARM);
    // the plate is fixed: it has no velocity, whatever was there
    fill(some->body_velocity, 6 * (model->body_count - 1), 6 * model->body_count, 1.0);
    const limpet_outcome whole = limpet_step(model, all, settings);
    const limpet_outcome part = step_trees(model, some, settings, (limpet_trees){2, moving});
    assert_true(whole < LIMPET_OUTCOME_NUMERICAL_FAILURE && part == whole);
    if (k > 0) assert_poisoned(model, some, STILL_ARM);
    assert_true(some->body_velocity[6 * model->body_count - 1] == 0.0);
    const limpet_range q = limpet_tree_positions(model, ARM), v = limpet_tree_dofs(model, ARM);
    assert_true(is_same(all->q, some->q, q.first, q.end));
    assert_true(is_same(all->v, some->v, v.first, v.end));
    assert_true(all->activation[0] == some->activation[0] && some->activation[1] == 0.0);
    assert_true(all->actuator_force[0] == some->actuator_force[0]);
    const limpet_range still = limpet_tree_positions(model, STILL_ARM);
    assert_true(is_same(some->q, model->q_reference, still.first, still.end));
    assert_true(some->v[limpet_tree_dofs(model, STILL_ARM).first] == 0.0);
  }
  const limpet_range q = limpet_tree_positions(model, ARM);
  assert_false(is_same(some->q, model->q_reference, q.first, q.end));
  limpet_data_destroy(all);
  limpet_data_destroy(some);
}

static void what_is_left_out_costs_nothing(void **state) {
  (void)state;
  limpet_model *model = model_with("");
  assert_int_equal(model->tree_count, 3);
  for_all(model, check_apart);
  limpet_model_destroy(model);
}

/* A ball falls on a plate that floats but is not in the list, and on one that is fixed: the same.
 * Numbers of trees and bodies are the same, so is the arithmetic; what a pair of geoms weighs at
 * the reference pose is not, but counts for impedances that an author has set only. */
static void a_still_tree_is_in_the_way(void **state) {
  (void)state;
  static const int moving[] = {BALL};
  limpet_model *floats = model_with("<freejoint/>"), *fixed = model_with("");
  assert_int_equal(floats->tree_count, 4);
  const limpet_step_settings settings = limpet_step_settings_default(floats);
  limpet_data *one = limpet_data_create(floats), *other = limpet_data_create(fixed);
  const limpet_range q = limpet_tree_positions(floats, BALL), v = limpet_tree_dofs(floats, BALL);
  const limpet_range plate = limpet_tree_positions(floats, PLATE);
  bool touched = false;
  limpet_kinematics(floats, one);
  limpet_geom_kinematics(floats, one, true);
  for (int k = 0; k < 5 * STEPS; ++k) {
    assert_int_equal(step_trees(floats, one, &settings, (limpet_trees){1, moving}),
                     LIMPET_OUTCOME_SOLVED);
    assert_int_equal(limpet_step(fixed, other, &settings), LIMPET_OUTCOME_SOLVED);
    assert_int_equal(one->contact_count, other->contact_count);
    assert_true(is_same(one->q, other->q, q.first, q.end));
    assert_true(is_same(one->v, other->v, v.first, v.end));
    assert_true(is_same(one->q, floats->q_reference, plate.first, plate.end));
    touched = touched || one->info.touching_count > 0;
  }
  assert_true(touched && one->q[q.first + 2] > 0.33);
  limpet_data_destroy(one);
  limpet_data_destroy(other);
  limpet_model_destroy(floats);
  limpet_model_destroy(fixed);
}

/* What a tree that is left out has of its own: v* is its velocity, its momentum is zero, so nothing
 * is seen to change it; and its activation stays where it is, be that out of its range. */
static void a_still_tree_keeps_what_it_has(void **state) {
  (void)state;
  static const int moving[] = {ARM, BALL};
  limpet_model *model = model_with("<freejoint/>");
  model->actuator_activation_limited[2] = 1;
  model->actuator_activation_range[5] = 1.0;
  limpet_data *data = limpet_data_create(model);
  const limpet_range still = limpet_tree_dofs(model, STILL_ARM);
  for (int s = 0; limpet_schemes()[s]; ++s) {
    limpet_step_settings settings = limpet_step_settings_default(model);
    limpet_step_settings_scheme(&settings, limpet_schemes()[s]);
    limpet_data_reset(model, data);
    data->activation[1] = 2.0;
    for (int d = still.first; d < still.end; ++d) data->v[d] = 0.1 * (1 + d);
    limpet_step_prepared prepared;
    limpet_step_result result;
    limpet_step_prepare_trees(model, data, &settings, settings.time_step, (limpet_trees){2, moving},
                              &prepared);
    const limpet_free_motion *motion = &prepared.work->motion;
    for (int d = still.first; d < still.end && !settings.scheme->from_rest; ++d) {
      assert_true(motion->v_free[d] == data->v[d]);
      assert_true(motion->momentum[d] == 0.0);
    }
    limpet_step_attempt(&prepared, &settings, &result);
    limpet_step_commit(model, data, &prepared, &result);
    assert_true(data->activation[1] == 2.0);
    for (int d = still.first; d < still.end; ++d) assert_true(data->v[d] == 0.1 * (1 + d));
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static void lists_know_their_trees(void **state) {
  (void)state;
  static const int tree[] = {1, 4, 5, 9};
  const limpet_trees some = {4, tree}, first = {3, NULL}, none = {0, tree};
  for (int t = -1; t < 12; ++t) {
    assert_int_equal(limpet_trees_have(some, t), t == 1 || t == 4 || t == 5 || t == 9);
    assert_int_equal(limpet_trees_have(first, t), t >= 0 && t < 3);
    assert_false(limpet_trees_have(none, t));
  }
  assert_int_equal(limpet_trees_at(some, 2), 5);
  assert_int_equal(limpet_trees_at(first, 2), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_know_their_trees),
      cmocka_unit_test(what_is_left_out_costs_nothing),
      cmocka_unit_test(a_still_tree_is_in_the_way),
      cmocka_unit_test(a_still_tree_keeps_what_it_has),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
