/* tests/control: controllers in closed loop.
 *
 * With the exact model, computed torque makes each joint a double integrator: a step gives v1 = v +
 * dt a, q1 = q + dt v1 with a = a_d + kd (v_d - v) + kp (q_d - q), whatever the robot. So a
 * recurrence in two numbers predicts an arm of seven joints, and the tracking error has a bound in
 * closed form: per second the step leaves the velocity behind by dt a_d/2 and the acceleration by
 * dt jerk/2, which the loop takes as disturbances:
 *   |e| <= dt/2 A W^2 (|j W + kd| + W)/|kp - W^2 + j W kd|  for q_d = A sin(W t), once the start
 *                                                           has died away. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "json_text.h"
#include "limpet/limpet.h"
#include "mjcf_text.h"
#include "shared_data.h"

static const char pendulum_text[] =
    "<mujoco><worldbody><body><joint name='hinge' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 "
    "0 0 -.5' size='.02' "
    "mass='1.3'/>"
    "</body></worldbody></mujoco>";

static limpet_controller *controller(const limpet_model *model, const char *text) {
  limpet_error error;
  limpet_controller *made = limpet_controller_create(model, text, "test.json", &error);
  if (!made) printf("%s\n", error.message);
  assert_non_null(made);
  return made;
}

static double bound(double dt, double A, double W, double kp, double kd) {
  return 0.5 * dt * A * W * W * (cabs(I * W + kd) + W) / cabs(kp - W * W + I * W * kd);
}

// Largest error of the pendulum on 0.5 sin(3 t) from 4 s on; it starts at rest, away from the
// trajectory's velocity.
static double pendulum_error(double dt, const char *law) {
  char text[400];
  limpet_model *model = mjcf_load(pendulum_text);
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.time_step = dt;
  snprintf(text, sizeof text,
           "{'kind':'computed-torque','joints':['hinge'],'apply':'joint-force','law':'%s','natural_"
           "frequency':20,"
           "'trajectory':{'kind':'sinusoid','amplitude':0.5,'angular_frequency':3}}",
           law);
  limpet_controller *c = controller(model, json_text(text));
  assert_true(limpet_controller_pushes(c));
  double worst = 0.0;
  while (data->time < 8.0) {
    limpet_controller_update(c, model, data, dt);
    limpet_step(model, data, &settings);
    if (data->time > 4.0) worst = fmax(worst, fabs(data->q[0] - 0.5 * sin(3.0 * data->time)));
  }
  limpet_controller_destroy(c);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return worst;
}

static void pendulum_tracks_to_the_order_of_the_step(void **state) {
  (void)state;
  const double coarse = pendulum_error(2e-3, "inverse-dynamics"),
               fine = pendulum_error(1e-3, "inverse-dynamics");
  const double allowed = bound(2e-3, 0.5, 3.0, 400.0, 40.0);
  printf("pendulum: %.3g rad at 2 ms (bound %.3g), %.3g rad at 1 ms\n", coarse, allowed, fine);
  assert_true(coarse < 1.02 * allowed && coarse > 0.1 * allowed);
  assert_true(fabs(coarse / fine - 2.0) < 0.05);
  const double ahead = pendulum_error(2e-3, "feed-forward");
  printf("pendulum, feed-forward: %.3g rad\n", ahead);
  assert_true(ahead < 2.0 * allowed);
}

// -------------------------------------------------------------------------------------- iiwa

enum { ARM = 7 };
static const double amplitude = 0.25, slow = 1.5;  // [rad], [rad/s]
static const double home[ARM] = {0.0, 0.3, 0.1, -1.2, 0.2, 0.9, -0.1};

static limpet_model *iiwa(void) {
  limpet_error error;
  const char *path = "models/menagerie/kuka_iiwa_14/iiwa14.xml";
  if (!shared_exists(path)) skip();
  limpet_model *model = limpet_load(shared_path(path), NULL, &error);
  assert_non_null(model);
  return model;
}

static const char iiwa_json[] =
    "{\"kind\": \"computed-torque\",\n"
    " \"joints\": [\"joint1\", \"joint2\", \"joint3\", \"joint4\", \"joint5\", \"joint6\", "
    "\"joint7\"],\n"
    " \"natural_frequency\": 15, \"damping_ratio\": 1, \"law\": \"%s\",\n"
    " \"trajectory\": {\"kind\": \"sinusoid\", \"offset\": [0, 0.3, 0.1, -1.2, 0.2, 0.9, -0.1], "
    "\"amplitude\": 0.25,\n"
    "                \"angular_frequency\": 1.5, \"phase\": [0, 1, 2, 3, 4, 5, 6]}}\n";

static void iiwa_wanted(double t, double *q, double *v, double *a) {
  for (int i = 0; i < ARM; ++i) {
    q[i] = home[i] + amplitude * sin(slow * t + i);
    v[i] = amplitude * slow * cos(slow * t + i);
    a[i] = -slow * slow * (q[i] - home[i]);
  }
}

// All joints of the iiwa move at once, driven through its position servos; each is the double
// integrator of the law.
static void iiwa_is_seven_double_integrators(void **state) {
  (void)state;
  const double dt = 2e-3, kp = 225.0, kd = 30.0;
  char text[800];
  limpet_model *model = iiwa();
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.time_step = dt;
  settings.tolerance = 1e-12;
  snprintf(text, sizeof text, iiwa_json, "inverse-dynamics");
  limpet_controller *c = controller(model, text);
  double q[ARM], v[ARM], wanted[ARM], rate[ARM], second[ARM], apart = 0.0, worst = 0.0;
  iiwa_wanted(0.0, data->q, data->v, second);
  memcpy(q, data->q, sizeof q);
  memcpy(v, data->v, sizeof v);
  while (data->time < 5.0) {
    iiwa_wanted(data->time, wanted, rate, second);
    for (int i = 0; i < ARM; ++i) {
      v[i] += dt * (second[i] + kd * (rate[i] - v[i]) + kp * (wanted[i] - q[i]));
      q[i] += dt * v[i];
    }
    limpet_controller_update(c, model, data, dt);
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
    iiwa_wanted(data->time, wanted, rate, second);
    for (int i = 0; i < ARM; ++i) {
      apart = fmax(apart, fabs(data->q[i] - q[i]));
      worst = fmax(worst, fabs(data->q[i] - wanted[i]));
    }
  }
  const double allowed = bound(dt, amplitude, slow, kp, kd);
  printf("iiwa: %.3g rad from the double integrators, %.3g rad from the trajectory (bound %.3g)\n",
         apart, worst, allowed);
  assert_true(apart < 1e-9);  // the residual 1e-12 of each step, summed over 2500
  assert_true(worst <
              1.5 * allowed);  // it starts on the trajectory, so the start adds to the bound once
  assert_true(limpet_controller_report(c).saturated_count == 0 &&
              limpet_controller_report(c).updates >= 2500);
  limpet_controller_destroy(c);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// Runs the iiwa for 3 s from its trajectory; the largest error, and the hash of the end.
static double iiwa_run(const char *text, uint64_t *hash) {
  limpet_model *model = iiwa();
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_controller *c = controller(model, text);
  double second[ARM], wanted[ARM], rate[ARM], worst = 0.0;
  iiwa_wanted(0.0, data->q, data->v, second);
  while (data->time < 3.0) {
    limpet_controller_update(c, model, data, settings.time_step);
    limpet_step(model, data, &settings);
    iiwa_wanted(data->time, wanted, rate, second);
    for (int i = 0; i < ARM; ++i) worst = fmax(worst, fabs(data->q[i] - wanted[i]));
  }
  *hash = limpet_data_state_hash(model, data);
  limpet_controller_destroy(c);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return worst;
}

static void other_laws_track_too_and_repeat(void **state) {
  (void)state;
  uint64_t hash[2];
  char text[800];
  snprintf(text, sizeof text, iiwa_json, "feed-forward");
  const double ahead = iiwa_run(text, &hash[0]);
  assert_true(iiwa_run(text, &hash[1]) == ahead && hash[0] == hash[1]);

  // servos alone lag behind by their damping, kd v/kp = 0.1 s v, and sag; with the forces of the
  // motion they do neither
  static const char servos[] =
      "{\"kind\": \"joint-position\", \"feed_forward\": %s,\n"
      " \"joints\": [\"joint1\", \"joint2\", \"joint3\", \"joint4\", \"joint5\", \"joint6\", "
      "\"joint7\"],\n"
      " \"trajectory\": {\"kind\": \"sinusoid\", \"offset\": [0, 0.3, 0.1, -1.2, 0.2, 0.9, -0.1], "
      "\"amplitude\": 0.25,\n"
      "                \"angular_frequency\": 1.5, \"phase\": [0, 1, 2, 3, 4, 5, 6]}}\n";
  snprintf(text, sizeof text, servos, "true");
  const double led = iiwa_run(text, &hash[0]);
  snprintf(text, sizeof text, servos, "false");
  const double alone = iiwa_run(text, &hash[1]);
  printf("iiwa: feed-forward %.3g, servos led %.3g, servos alone %.3g rad\n", ahead, led, alone);
  assert_true(ahead < 4e-4 && led < 2e-4 && alone > 0.02);
}

// The attachment site follows a circle of 10 cm, upright, in 4 s; its largest error [m].
static double circle_error(const char *precomputed) {
  static const char json[] =
      "{\"kind\": \"cartesian\", \"precomputed\": %s, \"posture\": [0.2, 0.6, 0, -1.2, 0, 1.34, "
      "0], \"site\": "
      "\"attachment_site\", \"natural_frequency\": 20,\n"
      " \"joints\": [\"joint1\", \"joint2\", \"joint3\", \"joint4\", \"joint5\", \"joint6\", "
      "\"joint7\"],\n"
      " \"path\": {\"kind\": \"circle\", \"position\": [0.5, 0.1, 0.6], \"quaternion\": [0, 0, 1, "
      "0], \"centre\": [0.5, 0, "
      "0.6],\n"
      "           \"axis\": [1, 0, 0], \"angle\": 6.283185307179586, \"start\": 1, \"end\": 5}}\n";
  char text[1000];
  snprintf(text, sizeof text, json, precomputed);
  limpet_model *model = iiwa();
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_controller *c = controller(model, text);
  const int site = limpet_model_find(model, LIMPET_OBJECT_SITE, "attachment_site"),
            body = model->site_body[site];
  limpet_path *path =
      limpet_path_circle(&(limpet_pose){{0.5, 0.1, 0.6}, {0, 0, 1, 0}}, (double[3]){0.5, 0, 0.6},
                         (double[3]){1, 0, 0}, 6.283185307179586, 1.0, 5.0, false, NULL);
  // it starts on the path, so that nothing has to be caught up with
  const int joints[ARM] = {0, 1, 2, 3, 4, 5, 6};
  limpet_ik *ik = limpet_ik_create(model, ARM, joints, 1, NULL);
  limpet_ik_task task = limpet_ik_task_default(LIMPET_OBJECT_SITE, site);
  limpet_ik_settings reach = limpet_ik_settings_default();
  const double down[ARM] = {0.2, 0.6,  0.0, -1.2,
                            0.0, 1.34, 0.0};  // points down, far from all limits
  double velocity[6], acceleration[6];
  reach.posture = down;
  limpet_path_at(path, 0.0, &task.target, velocity, acceleration);
  memcpy(data->q, down, sizeof down);
  assert_int_equal(limpet_ik_solve(ik, data, 1, &task, &reach, data->q, NULL), LIMPET_IK_SOLVED);
  limpet_ik_destroy(ik);
  double worst = 0.0;
  while (data->time < 5.5) {
    limpet_controller_update(c, model, data, settings.time_step);
    limpet_step(model, data, &settings);
    limpet_kinematics(model, data);
    limpet_pose pose;
    double away = 0.0;
    limpet_path_at(path, data->time, &pose, velocity, acceleration);
    for (int i = 0; i < 3; ++i) {
      double p = data->body_position[3 * body + i];
      for (int k = 0; k < 3; ++k)
        p += data->body_rotation[9 * body + 3 * i + k] * model->site_position[3 * site + k];
      away += (p - pose.position[i]) * (p - pose.position[i]);
    }
    worst = fmax(worst, sqrt(away));
  }
  const limpet_controller_info info = limpet_controller_report(c);
  assert_true(info.unreached_count == 0 && info.saturated_count == 0);
  limpet_path_destroy(path);
  limpet_controller_destroy(c);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return worst;
}

static void iiwa_follows_a_circle(void **state) {
  (void)state;
  const double stepwise = circle_error("false"), precomputed = circle_error("true");
  printf("iiwa on a circle: %.3g m away at most, precomputed %.3g m\n", stepwise, precomputed);
  // largest acceleration of the path: (1.875 x 2 pi/4 s)^2 x 0.1 m = 0.87 m/s^2, so dt/2 a kd/kp =
  // 8.7e-5 m with kd/kp = 0.1 s
  assert_true(stepwise < 1e-4 && precomputed < 1e-4);
}

// ------------------------------------------------------------------------------- other joints

/* A cart whose pole swings freely: the cart is the double integrator all the same. And a box in the
 * same world falls as if there were no controller. */
static void what_swings_is_reckoned_with(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><body><joint name='rail' type='slide' axis='1 0 0' damping='3'/><geom "
      "size='.1' mass='2'/>"
      "<body><joint name='pole' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 .6' "
      "size='.02' mass='1.5'/></body></body>"
      "<body name='box' pos='5 0 3'><freejoint/><geom size='.1'/></body></worldbody>"
      "<actuator><motor name='push' joint='rail' gear='-2.5'/></actuator></mujoco>";
  static const char json[] =
      "{\"kind\": \"computed-torque\", \"joints\": [\"rail\"], \"kp\": 100, \"kd\": 20,\n"
      " \"trajectory\": {\"kind\": \"sinusoid\", \"amplitude\": 0.3, \"frequency\": 0.5}}";
  const double dt = 1e-3;
  limpet_model *model = mjcf_load(text);
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.time_step = dt;
  settings.tolerance = 1e-12;
  limpet_controller *c = controller(model, json);
  double q = 0.0, v = 0.0, apart = 0.0;
  data->q[1] = 0.4;
  for (int k = 0; k < 1500; ++k) {
    const double w = 3.14159265358979323846, t = data->time;
    const double a = -0.3 * w * w * sin(w * t) + 20.0 * (0.3 * w * cos(w * t) - v) +
                     100.0 * (0.3 * sin(w * t) - q);
    v += dt * a, q += dt * v;
    limpet_controller_update(c, model, data, dt);
    limpet_step(model, data, &settings);
    apart = fmax(apart, fabs(data->q[0] - q));
  }
  printf("cart: %.3g m from the double integrator; the pole is at %.2f rad\n", apart, data->q[1]);
  // the step takes the damper at its end, which differs by dt x 3 N s/m x a/(3.5 kg): about 1 per
  // mille of the force
  assert_true(apart < 3e-4 && fabs(data->q[1]) > 1.0);
  assert_true(limpet_controller_drives(c, 0) && !limpet_controller_pushes(c));
  assert_true(fabs(data->v[4] + 9.81 * data->time) < 1e-9);
  limpet_controller_destroy(c);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// Dry friction of 2 N m on a pendulum whose gravity needs 3 N m at most: overcome where the
// controller is told to.
static double friction_error(const char *told) {
  static const char text[] =
      "<mujoco><worldbody><body><joint name='hinge' axis='0 1 0' frictionloss='2'/><geom "
      "type='capsule' fromto='0 0 0 0 0 -.5' "
      "size='.02' mass='1.3'/></body></worldbody></mujoco>";
  char json[400];
  limpet_model *model = mjcf_load(text);
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  snprintf(json, sizeof json,
           "{\"kind\": \"computed-torque\", \"joints\": [\"hinge\"], \"apply\": \"joint-force\", "
           "\"natural_frequency\": 20,\n"
           " \"friction\": %s, \"trajectory\": {\"kind\": \"sinusoid\", \"amplitude\": 0.5, "
           "\"angular_frequency\": 3}}",
           told);
  limpet_controller *c = controller(model, json);
  double worst = 0.0;
  while (data->time < 4.0) {
    limpet_controller_update(c, model, data, settings.time_step);
    limpet_step(model, data, &settings);
    if (data->time > 2.0) worst = fmax(worst, fabs(data->q[0] - 0.5 * sin(3.0 * data->time)));
  }
  limpet_controller_destroy(c);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return worst;
}

static void dry_friction_is_overcome(void **state) {
  (void)state;
  const double with = friction_error("true"), without = friction_error("false");
  printf("dry friction: %.3g rad, %.3g rad where it is not reckoned with\n", with, without);
  // 2 N m over 0.11 kg m^2 and (20 rad/s)^2 is 46 mrad; the rest is the error of the step, 0.5
  // mrad, and turning points
  assert_true(without > 0.03 && with < 0.1 * without);
}

static void limits_are_kept_and_counted(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><compiler autolimits='true'/><worldbody><body><joint name='h' axis='0 1 0'/><geom "
      "type='capsule' fromto='0 0 0 "
      ".5 0 0' "
      "size='.02' mass='2'/></body></worldbody><actuator><motor joint='h' ctrlrange='-3 "
      "3'/></actuator></mujoco>";
  limpet_model *model = mjcf_load(text);
  limpet_data *data = limpet_data_create(model);
  limpet_controller *c =
      controller(model,
                 "{\"kind\": \"computed-torque\", \"joints\": [\"h\"], \"natural_frequency\": 10,\n"
                 " \"trajectory\": {\"kind\": \"constant\", \"position\": 0}}");
  limpet_controller_update(c, model, data, 1e-3);  // gravity needs m g l/2 = 4.9 N m
  assert_true(data->control[0] == -3.0);
  assert_true(limpet_controller_report(c).saturated_count == 1);
  limpet_controller_reset(c);
  assert_true(limpet_controller_report(c).saturated_count == 0 &&
              limpet_controller_report(c).updates == 0);
  limpet_controller_destroy(c);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// The force of every kind of affine actuator at the state it was computed for, as limpet_actuation
// has it.
static void command_gives_the_force(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><body><joint name='h'/><geom size='.1'/></body></worldbody><actuator>"
      "<general joint='h' gear='-3' gainprm='7' biastype='affine' biasprm='.4 -20 "
      "-2'/></actuator></mujoco>";
  limpet_model *model = mjcf_load(text);
  limpet_data *data = limpet_data_create(model);
  data->q[0] = 0.3, data->v[0] = -1.2;
  assert_true(limpet_actuator_command(model, limpet_joint_actuator(model, 0, NULL), 0.3, -1.2, 5.5,
                                      &data->control[0]));
  limpet_forward_dynamics(model, data);
  assert_true(fabs(data->actuator_joint_force[0] - 5.5) < 1e-12);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum_tracks_to_the_order_of_the_step),
      cmocka_unit_test(command_gives_the_force),
      cmocka_unit_test(dry_friction_is_overcome),
      cmocka_unit_test(limits_are_kept_and_counted),
      cmocka_unit_test(what_swings_is_reckoned_with),
      cmocka_unit_test(iiwa_is_seven_double_integrators),
      cmocka_unit_test(other_laws_track_too_and_repeat),
      cmocka_unit_test(iiwa_follows_a_circle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
