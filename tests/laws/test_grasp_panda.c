/* tests/laws/test_grasp_panda.c: the Panda of the menagerie holds a 0.2 kg, 50 mm cube while it is
 * lifted 0.1 m and shaken 0.1 m peak to peak at 2 Hz for 10 s (section A7 of the shared reference
 * peers.md: MuJoCo loses it after 5 s, Drake slips 1.1 mm). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "math/quaternion.h"
#include "shared_data.h"

enum { ARM = 7 };

static const char *const joints[ARM] = {"joint1", "joint2", "joint3", "joint4",
                                        "joint5", "joint6", "joint7"};
static const double start[ARM] = {0.0, 0.3, 0.0, -2.1, 0.0, 2.4, -0.7853};  // [rad]
static const double grip_distance = 0.1029;  // [m]  from the hand's origin along its axis
static const double close_time = 0.5, lift_time = 1.0, shake_time = 10.0;  // [s]

typedef struct grasp {
  limpet_model *model;
  limpet_data *data;
  limpet_ik *ik;
  limpet_ik_task task;
  int hand, q[ARM];
  double origin[3];  // of the hand at the start
  double angles[ARM];
  int cube, cube_q;
} grasp;

/* panda.xml with friction mu everywhere, a cube, and the fingers' actuator replaced by the
 * constant force `force` [N] on each finger. */
static limpet_model *panda_with_cube(double mu, double force) {
  limpet_error error;
  limpet_builder *builder = limpet_builder_create();
  if (limpet_mjcf_read(builder, shared_path("models/menagerie/franka_emika_panda/panda.xml"), NULL,
                       &error))
    fail_msg("%s", error.message);
  limpet_builder_remove_keyframes(builder);
  limpet_builder_options(builder)->time_step = 2e-3;
  limpet_body_description body = limpet_body_description_default();
  body.name = "cube";
  limpet_joint_description joint = limpet_joint_description_default();
  joint.kind = LIMPET_JOINT_FREE;
  joint.body = limpet_builder_add_body(builder, &body);
  joint.name = "cube";
  limpet_builder_add_joint(builder, &joint);
  limpet_geom_description geom = limpet_geom_description_default();
  geom.body = joint.body, geom.kind = LIMPET_SHAPE_BOX, geom.mass = 0.2;
  limpet_vec3_set(geom.size, 0.025, 0.025, 0.025);
  limpet_builder_add_geom(builder, &geom);
  for (int g = 0; g < limpet_builder_count(builder, LIMPET_OBJECT_GEOM); ++g)
    limpet_builder_geom(builder, g)->material.friction = mu;
  limpet_actuator_description *fingers = limpet_builder_actuator(
      builder, limpet_builder_find(builder, LIMPET_OBJECT_ACTUATOR, "actuator8"));
  for (int k = 0; k < 3; ++k) fingers->gain[k] = fingers->bias[k] = 0.0;
  fingers->bias[0] = -2.0 * force;  // the tendon takes half of each finger
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) fail_msg("%s", error.message);
  limpet_builder_destroy(builder);
  return model;
}

static grasp grasp_create(double mu, double force) {
  grasp g = {.model = panda_with_cube(mu, force)};
  int joint[ARM];
  g.data = limpet_data_create(g.model);
  g.hand = limpet_model_find(g.model, LIMPET_OBJECT_BODY, "hand");
  for (int i = 0; i < ARM; ++i) {
    joint[i] = limpet_model_find(g.model, LIMPET_OBJECT_JOINT, joints[i]);
    g.q[i] = g.model->joint_q[joint[i]];
  }
  g.ik = limpet_ik_create(g.model, ARM, joint, 1, NULL);
  g.task = limpet_ik_task_default(LIMPET_OBJECT_BODY, g.hand);
  assert_non_null(g.ik);
  g.cube = limpet_model_find(g.model, LIMPET_OBJECT_BODY, "cube");
  g.cube_q = g.model->joint_q[limpet_model_find(g.model, LIMPET_OBJECT_JOINT, "cube")];
  for (int i = 0; i < ARM; ++i) g.angles[i] = g.data->q[g.q[i]] = start[i];
  for (int f = 0; f < 2; ++f) {
    const int finger =
        limpet_model_find(g.model, LIMPET_OBJECT_JOINT, f ? "finger_joint2" : "finger_joint1");
    g.data->q[g.model->joint_q[finger]] = 0.027;
  }

  // the cube between the pads, aligned with the hand
  limpet_kinematics(g.model, g.data);
  const double *R = g.data->body_rotation + 9 * g.hand;
  limpet_vec3_copy(g.origin, g.data->body_position + 3 * g.hand);
  limpet_quaternion_copy(g.task.target.quaternion, g.data->body_quaternion + 4 * g.hand);
  for (int i = 0; i < 3; ++i) g.data->q[g.cube_q + i] = g.origin[i] + grip_distance * R[3 * i + 2];
  limpet_quaternion_copy(g.data->q + g.cube_q + 3, g.data->body_quaternion + 4 * g.hand);
  return g;
}

static void grasp_destroy(grasp *g) {
  limpet_data_destroy(g->data);
  limpet_ik_destroy(g->ik);
  limpet_model_destroy(g->model);
}

// Minimum-jerk blend from 0 to 1.
static double blend(double s) {
  s = fmin(fmax(s, 0.0), 1.0);
  return s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
}

// Height over the start; the shaking swells within its first second, so that the servos do not
// overshoot.
static double height_at(double t) {
  const double shaken = fmax(t - close_time - lift_time, 0.0);
  return 0.1 * blend((t - close_time) / lift_time) +
         0.05 * blend(shaken) * sin(4.0 * LIMPET_PI * shaken);
}

// Servo commands: angles for the height at t, with the velocity fed forward.
static void command(grasp *g, double t) {
  double earlier[ARM], h = 1e-3;
  for (int k = 0; k < 2; ++k) {
    limpet_vec3_set(g->task.target.position, g->origin[0], g->origin[1],
                    g->origin[2] + height_at(t + (k - 1) * h));
    assert_int_equal(limpet_ik_solve(g->ik, g->data, 1, &g->task, NULL, g->angles, NULL),
                     LIMPET_IK_SOLVED);
    if (k == 0) memcpy(earlier, g->angles, sizeof earlier);
  }
  for (int i = 0; i < ARM; ++i) {
    const double kp = g->model->actuator_gain[3 * i], kd = -g->model->actuator_bias[3 * i + 2];
    g->data->control[i] = g->angles[i] + kd / kp * (g->angles[i] - earlier[i]) / h;
  }
}

// Cube in the hand's axes, relative to the hand's origin.
static void cube_in_hand(const grasp *g, double p[3]) {
  double d[3];
  limpet_kinematics(g->model, g->data);
  limpet_vec3_sub(d, g->data->body_position + 3 * g->cube, g->data->body_position + 3 * g->hand);
  limpet_mat3_tmul_vec(p, g->data->body_rotation + 9 * g->hand, d);
}

/* Largest displacement along the pads (hand x and z) during the shaking [m], and how far the hand
 * really moved up and down. INFINITY: lost. */
static double shake(double mu, double force, double *stroke) {
  grasp g = grasp_create(mu, force);
  const limpet_step_settings settings = limpet_step_settings_default(g.model);
  double *gravity = (double *)g.model->options.gravity, first[3], slip = 0.0, low = INFINITY,
         high = -INFINITY;
  bool measuring = false;
  limpet_vec3_zero(gravity);
  while (g.data->time < close_time + lift_time + shake_time - 1e-9) {
    if (g.data->time > close_time - 1e-9) gravity[2] = -9.81;
    command(&g, g.data->time + settings.time_step);
    assert_int_equal(limpet_step(g.model, g.data, &settings), LIMPET_OUTCOME_SOLVED);
    if (g.data->time < close_time + lift_time) continue;
    double p[3];
    cube_in_hand(&g, p);
    if (!measuring) limpet_vec3_copy(first, p), measuring = true;
    slip = fmax(slip, hypot(p[0] - first[0], p[2] - first[2]));
    low = fmin(low, g.data->body_position[3 * g.hand + 2]),
    high = fmax(high, g.data->body_position[3 * g.hand + 2]);
    if (slip > 0.05) break;
  }
  *stroke = high - low;
  grasp_destroy(&g);
  return slip;
}

/* An ideal grip slips 0. The need is 3.6 N at most, fingers of 20, 10 and 4 N carry 20, 10 and 4 N:
 * below 1 um. */
static void cube_stays_in_the_hand(void **state) {
  (void)state;
  static const double force[] = {20.0, 10.0, 4.0};
  if (!shared_exists("models/menagerie/franka_emika_panda/panda.xml")) skip();
  for (int k = 0; k < 3; ++k) {
    double stroke;
    const double slip = shake(0.5, force[k], &stroke);
    printf("panda, %g N per finger: cube slips %.3f um in 10 s of shaking by %.1f mm\n", force[k],
           1e6 * slip, 1e3 * stroke);
    assert_true(stroke > 0.095);
    assert_true(slip < 1e-6);
  }
}

// Negative control: with friction 0.05 two fingers of 10 N carry 1 N, less than the cube weighs.
static void slippery_cube_is_lost(void **state) {
  (void)state;
  if (!shared_exists("models/menagerie/franka_emika_panda/panda.xml")) skip();
  double stroke;
  assert_true(shake(0.05, 10.0, &stroke) > 0.02);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cube_stays_in_the_hand),
                                     cmocka_unit_test(slippery_cube_is_lost)};
  return cmocka_run_group_tests_name("grasp_panda", tests, NULL, NULL);
}
