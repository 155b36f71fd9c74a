/* tests/constraint/test_weld.c: what a weld does besides having the right rows: it pulls at a
 * bounded speed, the torque scale weakens its turns, light bodies hold, and what is off does
 * nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "small_models.h"

// A free box of 0.5 kg, welded to `target` (0: the world at its own place).
static limpet_model *welded_box(bool mocap, double torque_scale, double offset, double size,
                                bool active) {
  limpet_builder *builder = limpet_builder_create();
  int target = 0;
  if (mocap) {
    target = small_body(builder, "target", 0, 0, 0, 0);
    limpet_builder_body(builder, target)->mocap = true;
  }
  const int box = small_body(builder, "box", 0, 0, 0, 0);
  small_joint(builder, "box", box, LIMPET_JOINT_FREE, 0, 0, 1);
  limpet_builder_geom(builder, small_box(builder, box, 0.5, size, 0.7 * size, 0.5 * size))
      ->position[0] = offset;
  limpet_loop_description weld = limpet_loop_description_default();
  weld.kind = LIMPET_LOOP_WELD;
  weld.body_a = target, weld.body_b = box;
  weld.torque_scale = torque_scale;
  weld.active = active;
  limpet_builder_add_loop(builder, &weld);
  return small_compile(builder);
}

static double turn_of(const limpet_data *data) {
  double turn[3];
  limpet_quaternion_log(turn, data->q + 3);
  return limpet_vec3_norm(turn);
}

// Steps until `time`; returns the last step's widest gap.
static double simulate(const limpet_model *model, limpet_data *data,
                       const limpet_step_settings *settings, double time) {
  while (data->time < time)
    assert_int_equal(limpet_step(model, data, settings), LIMPET_OUTCOME_SOLVED);
  return data->info.loop_gap;
}

// An impedance of the author that the step cannot resolve is near-rigid, and does not throw what
// starts far away, either.
static void what_is_stiffer_than_the_step_pulls_no_faster(void **state) {
  (void)state;
  limpet_model *model = welded_box(true, 1.0, 0.0, 0.1, true);
  model->loop_has_impedance[0] = true;
  model->loop_impedance[0] = (limpet_impedance){{-1e12, -1e3}, {0.99, 0.99, 0.001, 0.5, 2.0}};
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  data->mocap_position[1] = 1.0;
  for (int i = 0; i < 50; ++i) {
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
    assert_true(limpet_vec3_norm(data->v) < 2.01);
  }
  assert_true(fabs(data->v[1] / 2.0 - 1.0) < 0.01);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// The body comes to a mocap body 1 m and 1 rad away with 2 m/s and 2 rad/s and stays there.
static void a_mocap_body_pulls_at_the_return_speed(void **state) {
  (void)state;
  limpet_model *model = welded_box(true, 1.0, 0.0, 0.1, true);
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  const double axis[3] = {0.0, 1.0,
                          0.0};  // along the way, so that the turn moves the point in no way
  data->mocap_position[1] = 1.0;
  limpet_quaternion_from_axis_angle(data->mocap_quaternion, axis, 1.0);
  double fastest[2] = {0}, most_turn = 0.0;
  while (data->time < 0.7) {
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
    fastest[0] = fmax(fastest[0], limpet_vec3_norm(data->v));
    fastest[1] = fmax(fastest[1], limpet_vec3_norm(data->v + 3));
    most_turn = fmax(most_turn, data->info.loop_turn);
  }
  printf("pulled with %.6g m/s and %.6g rad/s, %.3g m left\n", fastest[0], fastest[1],
         data->info.loop_gap);
  assert_true(fabs(fastest[0] / 2.0 - 1.0) < 0.01 && fabs(fastest[1] / 2.0 - 1.0) < 0.01);
  assert_true(data->info.loop_gap < 1e-6 && fabs(turn_of(data) - 1.0) < 1e-6);
  assert_true(data->info.loop_turn < 1e-6 && data->info.loop_turn > 0.0);
  assert_true(fabs(most_turn - 1.0) < 1e-12);  // the first step begins where the body was
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* The weight of a box whose centre is off its frame twists the weld: with the scale s by 1/s^2 of
 * the twist at 1; above 1 it is near-rigid; at 0 the box swings like a pendulum while its point
 * stays. Small angles: 1e-3 for what the moment changes. */
static void the_torque_scale_weakens_turns(void **state) {
  (void)state;
  static const double scale[4] = {1.0, 0.1, 3.0, 0.0};
  double turn[4], gap[4];
  for (int i = 0; i < 4; ++i) {
    limpet_model *model = welded_box(false, scale[i], 0.1, 0.1, true);
    limpet_data *data = limpet_data_create(model);
    const limpet_step_settings settings = limpet_step_settings_default(model);
    gap[i] = simulate(model, data, &settings, 0.3);
    turn[i] = turn_of(data);
    printf("torque scale %g: turn %.6g rad, gap %.3g m\n", scale[i], turn[i], gap[i]);
    assert_true(gap[i] < 1e-6);
    // turns that are free are no error of the weld
    assert_true(scale[i] == 0.0 ? data->info.loop_turn == 0.0
                                : fabs(data->info.loop_turn / turn[i] - 1.0) < 0.01);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
  assert_true(turn[0] > 0.0 && turn[0] < 1e-7);
  assert_true(fabs(turn[1] / turn[0] / 100.0 - 1.0) < 1e-3);
  assert_true(fabs(turn[2] / turn[0] - 1.0) < 1e-3);
  assert_true(turn[3] > 0.3);
}

// A small body is held as well as a large one; with Drake's single weight it hangs by how much its
// turns outweigh it.
static void a_light_body_holds(void **state) {
  (void)state;
  limpet_model *model = welded_box(false, 1.0, 0.0, 0.005, true);
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  const double gap = simulate(model, data, &settings, 0.3);
  limpet_data_reset(model, data);
  settings.compatibility.mixed_weld_weight = true;
  const double mixed = simulate(model, data, &settings, 0.3);
  printf("box of 1 cm: gap %.3g m, with a mixed weight %.3g m\n", gap, mixed);
  assert_true(gap < 1e-9 && mixed > 1000.0 * gap);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static void what_is_off_does_nothing(void **state) {
  (void)state;
  for (int i = 0; i < 2; ++i) {
    limpet_model *model = welded_box(false, 1.0, 0.0, 0.1, i == 1);
    if (i == 1) model->options.disabled |= LIMPET_DISABLE_EQUALITY;
    limpet_data *data = limpet_data_create(model);
    const limpet_step_settings settings = limpet_step_settings_default(model);
    assert_true(simulate(model, data, &settings, 0.1) == 0.0);  // no gap of a loop that is off
    assert_true(data->constraint_count == 0 && fabs(data->v[2] + 0.1 * 9.81) < 1e-9);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mocap_body_pulls_at_the_return_speed),
      cmocka_unit_test(what_is_stiffer_than_the_step_pulls_no_faster),
      cmocka_unit_test(the_torque_scale_weakens_turns),
      cmocka_unit_test(a_light_body_holds),
      cmocka_unit_test(what_is_off_does_nothing),
  };
  return cmocka_run_group_tests_name("weld", tests, NULL, NULL);
}
