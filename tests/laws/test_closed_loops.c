/* tests/laws/test_closed_loops.c: mechanisms with closed loops: Cassie's legs (four connects) and
 * the Robotiq 2F-85 gripper (two connects and a coupler) close to 1e-6 m under gravity for 10 s, at
 * the time steps of their files; the gripper opens, closes and holds a box; a loop exerts no force
 * on what carries it.
 *
 * MuJoCo 4.0.1 on the same files: gaps of 72 to 90 um in the free gripper, 375 um where it closes
 * on itself, 1.1 mm in Cassie's legs (its loops are springs). Angles of the gripper are compared
 * with it; they differ by what its gaps do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "limpet/limpet.h"
#include "math/vec3.h"
#include "shared_data.h"
#include "small_models.h"

static const double closed = 1e-6;  // [m]

static limpet_builder *robot_read(const char *path) {
  limpet_error error;
  limpet_builder *builder = limpet_builder_create();
  if (limpet_mjcf_read(builder, shared_path(path), NULL, &error)) fail_msg("%s", error.message);
  return builder;
}

typedef struct gaps {
  double early, late;  // [m]  widest gap from 0.05 s to 0.5 s, and after
} gaps;

static gaps run(const limpet_model *model, limpet_data *data, double time) {
  const limpet_step_settings settings = limpet_step_settings_default(model);
  gaps g = {0};
  while (data->time < time) {
    const double start = data->time;
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
    if (start >= 0.5) g.late = fmax(g.late, data->info.loop_gap);
    else if (start >= 0.05) g.early = fmax(g.early, data->info.loop_gap);
  }
  return g;
}

// ----------------------------------------------------------------------------------- Cassie

/* From the keyframe, whose loops are 2 mm open for want of digits and close within some steps.
 * `pinned`: the pelvis is welded to the world. */
static gaps cassie(const char *path, bool pinned) {
  limpet_error error;
  limpet_builder *builder = robot_read(path);
  if (pinned) {
    limpet_loop_description pin = limpet_loop_description_default();
    pin.kind = LIMPET_LOOP_WELD;
    pin.body_b = limpet_builder_find(builder, LIMPET_OBJECT_BODY, "cassie-pelvis");
    limpet_vec3_set(pin.position_a, 0.0, 0.0, 1.0059301);  // where the keyframe has it
    limpet_builder_add_loop(builder, &pin);
  }
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) fail_msg("%s", error.message);
  limpet_builder_destroy(builder);
  assert_int_equal(model->loop_count, pinned ? 5 : 4);
  for (int i = 0; i < model->loop_count; ++i) assert_false(model->loop_has_impedance[i]);
  limpet_data *data = limpet_data_create(model);
  limpet_data_reset_keyframe(model, data, 0);
  const gaps g = run(model, data, 10.0);
  printf("%s%s: gap %.3g m from 0.05 s on, %.3g m from 0.5 s on\n", path, pinned ? ", pinned" : "",
         g.early, g.late);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return g;
}

static void cassie_stays_closed(void **state) {
  (void)state;
  if (!shared_exists("models/menagerie/agility_cassie")) skip();
  static const char *const robot = "models/menagerie/agility_cassie/cassie.xml";
  if (!TEST_WATCHED) {
    assert_true(cassie(robot, false).late < closed);  // falls freely
    assert_true(cassie(robot, true).late < closed);   // hangs
  }
  assert_true(cassie("models/menagerie/agility_cassie/scene.xml", false).late <
              closed);  // falls over on a floor
}

/* From its zero pose, whose feet are 30 degrees outside of their limits, at a dead centre of their
 * loops: they jam there, with forces of loads, and Cassie falls. No energy comes from nowhere, and
 * what lies has the same at every step. */
static void cassie_falls_with_jammed_feet(void **state) {
  (void)state;
  if (!shared_exists("models/menagerie/agility_cassie")) skip();
  static const double steps[] = {0.5e-3, 1e-3, 1.9e-3, 2e-3, 2.1e-3};
  double rise = 0.0, least = INFINITY, most = 0.0, gap = 0.0;
  int iterations = 0, count = 0;
  for (int k = 0; k < 5; ++k) {
    limpet_error error;
    limpet_builder *builder = robot_read("models/menagerie/agility_cassie/scene.xml");
    limpet_model *model = limpet_builder_compile(builder, &error);
    if (!model) fail_msg("%s", error.message);
    limpet_builder_destroy(builder);
    limpet_data *data = limpet_data_create(model);
    limpet_step_settings settings = limpet_step_settings_default(model);
    settings.time_step = steps[k], settings.energy = true;
    bool jammed = false;
    while (data->time < 2.0) {
      assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
      rise = fmax(rise, data->info.energy_rise), gap = fmax(gap, data->info.loop_gap);
      iterations += data->info.iterations, ++count;
      jammed = jammed || data->tree_jammed[0] == 1.0;
    }
    const double energy = data->info.kinetic_energy + data->info.potential_energy;
    least = fmin(least, energy), most = fmax(most, energy);
    assert_true(jammed);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
  printf(
      "Cassie from its zero pose: %.3g J from nowhere in a step, ends at %.3f to %.3f J, loops "
      "%.3g m open, %.3g iterations\n",
      rise, least, most, gap, (double)iterations / count);
  assert_true(rise < 0.1 && most - least < 1.0 && gap < 1e-4);
  assert_true(iterations < 5 * count);
}

// ---------------------------------------------------------------------------------- gripper

static const char *const gripper_path = "models/menagerie/robotiq_2f85/2f85.xml";

static double angle_of(const limpet_model *model, const limpet_data *data, const char *joint) {
  const int j = limpet_model_find(model, LIMPET_OBJECT_JOINT, joint);
  assert_true(j >= 0);
  return data->q[model->joint_q[j]];
}

static limpet_model *gripper(void) {
  limpet_error error;
  limpet_builder *builder = robot_read(gripper_path);
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) fail_msg("%s", error.message);
  limpet_builder_destroy(builder);
  return model;
}

static void gripper_stays_closed_for_ten_seconds(void **state) {
  (void)state;
  if (!shared_exists(gripper_path)) skip();
  limpet_model *model = gripper();
  limpet_data *data = limpet_data_create(model);
  const gaps g = run(model, data, 10.0);
  printf("2f85: gap %.3g m from 0.05 s on, %.3g m from 0.5 s on\n", g.early, g.late);
  assert_true(g.early < closed && g.late < closed);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* The driver's angle 5 s after a command is MuJoCo's to 1e-4 rad: both are the servo's static
 * angle. Links follow to 4e-3 rad: MuJoCo's gap of 75 to 90 um over links of some centimetres.
 * Fully closed the pads touch, in MuJoCo softly, so that its driver goes 1.4 % further; there one
 * per cent and a half is allowed. */
static void gripper_goes_where_mujoco_s_does(void **state) {
  (void)state;
  static const struct {
    double control, driver, spring_link, follower;
  } mujoco[] = {{0, 0.002267, 0.005934, -0.010947},
                {40, 0.127679, 0.130351, -0.128999},
                {128, 0.403595, 0.405161, -0.391257},
                {200, 0.629353, 0.630968, -0.607004}};
  if (!shared_exists(gripper_path)) skip();
  limpet_model *model = gripper();
  limpet_data *data = limpet_data_create(model);
  double worst[2] = {0};
  for (size_t i = 0; i < sizeof mujoco / sizeof *mujoco; ++i) {
    limpet_data_reset(model, data);
    data->control[0] = mujoco[i].control;
    assert_true(run(model, data, 5.0).late < closed);
    worst[0] = fmax(worst[0], fabs(angle_of(model, data, "right_driver_joint") - mujoco[i].driver));
    worst[1] = fmax(worst[1],
                    fabs(angle_of(model, data, "right_spring_link_joint") - mujoco[i].spring_link));
    worst[1] =
        fmax(worst[1], fabs(angle_of(model, data, "right_follower_joint") - mujoco[i].follower));
    assert_true(fabs(angle_of(model, data, "right_driver_joint") -
                     angle_of(model, data, "left_driver_joint")) < 1e-6);
  }
  limpet_data_reset(model, data);
  data->control[0] = 255.0;
  assert_true(run(model, data, 5.0).late < closed);
  const double full = angle_of(model, data, "right_driver_joint");
  printf(
      "2f85 against MuJoCo: driver %.2g rad, links %.2g rad; closed: %.4f rad, MuJoCo 0.7969 rad\n",
      worst[0], worst[1], full);
  assert_true(worst[0] < 1e-4 && worst[1] < 4e-3);
  assert_true(fabs(full / 0.796949 - 1.0) < 0.015);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// A box of 0.1 kg and 40 mm between the pads; its weight is carried until `released`.
static limpet_model *gripper_with_box(void) {
  limpet_error error;
  limpet_builder *builder = robot_read(gripper_path);
  limpet_body_description body = limpet_body_description_default();
  limpet_vec3_set(body.position, 0.0, 0.0, 0.152);
  body.name = "box";
  const int box = limpet_builder_add_body(builder, &body);
  small_joint(builder, "box", box, LIMPET_JOINT_FREE, 0, 0, 1);
  small_box(builder, box, 0.1, 0.02, 0.012, 0.012);
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) fail_msg("%s", error.message);
  limpet_builder_destroy(builder);
  return model;
}

static void gripper_holds_a_box_and_lets_go(void **state) {
  (void)state;
  if (!shared_exists(gripper_path)) skip();
  limpet_model *model = gripper_with_box();
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  const int box = limpet_model_find(model, LIMPET_OBJECT_BODY, "box");
  const double *q = data->q + model->joint_q[model->body_joint[box]];
  double gap = 0.0, gripped = NAN, held = NAN;
  while (data->time < 5.0) {
    data->control[0] = data->time < 4.0 ? 255.0 : 0.0;
    data->applied_wrench[6 * box + 5] = data->time < 1.0 ? 0.1 * 9.81 : 0.0;
    if (data->time < 1.0) gripped = q[2];
    if (data->time < 4.0) held = q[2];
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
    gap = fmax(gap, data->info.loop_gap);
  }
  printf("2f85 with a box: slipped %.3g m in 3 s, gap %.3g m, fell %.3g m when let go\n",
         gripped - held, gap, held - q[2]);
  assert_true(fabs(gripped - held) < 1e-4);
  assert_true(gap < closed);
  assert_true(held - q[2] > 0.02);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// ---------------------------------------------------------------- loops of a floating robot

// A free body with two arms of two hinges, whose ends are held together by `kind`.
static limpet_model *floating_loop(limpet_loop_kind kind) {
  limpet_builder *builder = limpet_builder_create();
  limpet_builder_options(builder)->gravity[2] = 0.0;
  const int base = small_body(builder, "base", 0, 0, 0, 0);
  small_joint(builder, NULL, base, LIMPET_JOINT_FREE, 0, 0, 1);
  small_box(builder, base, 1.0, 0.2, 0.1, 0.1);
  int end[2];
  for (int arm = 0; arm < 2; ++arm) {
    const int upper = small_body(builder, NULL, base, arm ? 0.2 : -0.2, 0, 0.1);
    small_joint(builder, NULL, upper, LIMPET_JOINT_REVOLUTE, 0, 1, 0);
    small_box(builder, upper, 0.3, 0.02, 0.02, 0.15);
    end[arm] = small_body(builder, NULL, upper, 0, 0, 0.15);
    small_joint(builder, NULL, end[arm], LIMPET_JOINT_BALL, 0, 0, 1);
    small_box(builder, end[arm], 0.2, 0.02, 0.02, 0.1);
  }
  for (int g = 0; g < limpet_builder_count(builder, LIMPET_OBJECT_GEOM); ++g)
    limpet_builder_geom(builder, g)->contype = 0;
  for (int g = 0; g < limpet_builder_count(builder, LIMPET_OBJECT_GEOM); ++g)
    limpet_builder_geom(builder, g)->conaffinity = 0;
  limpet_loop_description loop = limpet_loop_description_default();
  loop.kind = kind;
  loop.body_a = end[0], loop.body_b = end[1];
  limpet_vec3_set(loop.position_a, 0.1, 0, 0.1);
  if (kind == LIMPET_LOOP_DISTANCE) limpet_vec3_set(loop.position_b, -0.1, 0, 0.1);
  else loop.from_reference = LIMPET_LOOP_FRAME_B;
  limpet_builder_add_loop(builder, &loop);
  limpet_builder_add_loop(builder, &loop);  // twice: redundant rows share the force and do no harm
  return small_compile(builder);
}

/* The loop, which starts centimetres open here, works between bodies of the robot: its generalised
 * force on the floating base, which is the rate of linear and angular momentum, is zero to
 * round-off while its own forces are newtons. */
static void loops_keep_momentum(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; ++kind) {
    limpet_model *model = floating_loop((limpet_loop_kind)kind);
    limpet_data *data = limpet_data_create(model);
    limpet_step_settings settings = limpet_step_settings_default(model);
    settings.tolerance = 1e-13;
    for (int i = 0; i < model->nv; ++i) data->v[i] = 0.3 * cos(3.0 * i + 1.0);
    for (int j = 0; j < model->joint_count; ++j)
      if (model->joint_kind[j] == LIMPET_JOINT_REVOLUTE) data->q[model->joint_q[j]] = 0.1;
    double force = 0.0;
    for (int step = 0; step < 100; ++step) {
      assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
      for (int r = 0; r < data->constraint_count; ++r)
        force = fmax(force, fabs(data->constraint_force[r]));
      for (int i = 0; i < 6; ++i) assert_true(fabs(data->constraint_joint_force[i]) < 1e-9);
    }
    printf("loop of kind %d on a floating base: forces up to %.3g N, gap %.3g m\n", kind, force,
           data->info.loop_gap);
    assert_true(force > 1.0 && data->info.loop_gap < closed);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cassie_stays_closed),
                                     cmocka_unit_test(cassie_falls_with_jammed_feet),
                                     cmocka_unit_test(gripper_stays_closed_for_ten_seconds),
                                     cmocka_unit_test(gripper_goes_where_mujoco_s_does),
                                     cmocka_unit_test(gripper_holds_a_box_and_lets_go),
                                     cmocka_unit_test(loops_keep_momentum)};
  return cmocka_run_group_tests_name("closed_loops", tests, NULL, NULL);
}
