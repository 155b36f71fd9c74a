// Orientation servos in steps: they arrive, stay stable at large steps, keep within their torque.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/dynamics.h"
#include "math/quaternion.h"
#include "mjcf_text.h"
#include "mjcf_world.h"

#define SERVOS(joint_servo, site_servo)                                                       \
  MODEL(                                                                                      \
      "<option timestep='0.02' gravity='0 0 0'/><worldbody><site name='w' euler='20 30 40'/>" \
      "<body><joint name='a' type='ball'/><geom type='box' size='.1 .2 .15'/></body>"         \
      "<body pos='2 0 0'><joint name='b' type='ball'/><geom type='box' size='.2 .1 .15'/>"    \
      "<site name='s' euler='-50 5 60'/></body></worldbody><actuator>"                        \
      "<orientation name='j' joint='a' kp='400' dampratio='1' " joint_servo                   \
      "/><orientation name='t' site='s' refsite='w' kp='400' dampratio='1' " site_servo       \
      "/></actuator>")

static double uniform(void) { return 2.0 * rand() / (double)RAND_MAX - 1.0; }

static void random_turn(double q[4]) {
  for (int i = 0; i < 4; ++i) q[i] = uniform();
  limpet_quaternion_normalize(q);
}

static double angle_between(const double a[4], const double b[4]) {
  double back[4], difference[4], turn[3];
  limpet_quaternion_conjugate(back, a);
  limpet_quaternion_mul(difference, back, b);
  limpet_quaternion_log(turn, difference);
  return sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
}

// Rotation of the site in the reference site.
static void site_turn(const mjcf_world *world, double q[4]) {
  double own[4], base[4], back[4];
  const limpet_model *m = world->model;
  const int site[2] = {mjcf_index(m, LIMPET_OBJECT_SITE, "s"),
                       mjcf_index(m, LIMPET_OBJECT_SITE, "w")};
  limpet_quaternion_mul(own, world->data->body_quaternion + 4 * m->site_body[site[0]],
                        m->site_quaternion + 4 * site[0]);
  limpet_quaternion_mul(base, world->data->body_quaternion + 4 * m->site_body[site[1]],
                        m->site_quaternion + 4 * site[1]);
  limpet_quaternion_conjugate(back, base);
  limpet_quaternion_mul(q, back, own);
}

static void arrives(void **state) {
  (void)state;
  static const char *const models[] = {SERVOS("", ""), SERVOS("input='quat'", "input='quat'"),
                                       SERVOS("forcerange='0 40'", "input='quat'")};
  srand(4);
  for (int m = 0; m < 3; ++m) {
    mjcf_world world = mjcf_world_of(models[m], NULL);
    const limpet_model *model = world.model;
    for (int trial = 0; trial < 10; ++trial) {
      double goal[2][4], now[4];
      limpet_data_reset(model, world.data);
      for (int k = 0, u = 0; k < 2; ++k) {
        random_turn(world.data->q + 4 * k), random_turn(goal[k]);
        const int count = model->actuator_part_count[u];
        double *control = world.data->control + u;
        if (count == 3) limpet_quaternion_log(control, goal[k]);
        for (int i = 0; count == 4 && i < 4; ++i) control[i] = 7.0 * goal[k][i];
        u += count;
      }
      for (int i = 0; i < 400; ++i) {
        mjcf_world_step(&world);
        const double *f = world.data->actuator_force;
        if (m == 2) assert_true(f[0] * f[0] + f[1] * f[1] + f[2] * f[2] <= 3.0 * 40.0 * 40.0);
      }
      limpet_kinematics(model, world.data);
      site_turn(&world, now);
      assert_true(angle_between(world.data->q, goal[0]) < 1e-6);
      assert_true(angle_between(now, goal[1]) < 1e-6);
    }
    mjcf_world_destroy(&world);
  }
}

// No quaternion at all stands for no turn.
static void zero_is_the_identity(void **state) {
  (void)state;
  static const double identity[4] = {1.0, 0.0, 0.0, 0.0};
  mjcf_world world = mjcf_world_of(SERVOS("input='quat'", ""), NULL);
  random_turn(world.data->q);
  for (int i = 0; i < 400; ++i) mjcf_world_step(&world);
  assert_true(angle_between(world.data->q, identity) < 1e-6);
  mjcf_world_destroy(&world);
}

static void parts_have_names_and_controls(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(SERVOS("input='quat'", "ctrlrange='-1 2' forcerange='0 5'"));
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_ACTUATOR), "j j_2 j_3 j_4 t t_2 t_3");
  assert_int_equal(m->nu, 7);
  for (int i = 4; i < 7; ++i) {
    CLOSE(m->actuator_control_range + 2 * i, -1.0, 2.0);
    CLOSE(m->actuator_force_range + 2 * i, -5.0, 5.0);
  }
  limpet_model_destroy(m);
}

static void mistakes_are_told(void **state) {
  (void)state;
#define REFUSED(servo, message)                                                                    \
  assert_true(                                                                                     \
      mjcf_refused(MODEL("<worldbody><body><joint name='h'/>" GEOM "<site name='s'/></body><body>" \
                         "<joint name='b' type='ball'/>" GEOM                                      \
                         "</body></worldbody><actuator>\n" servo "\n</actuator>"),                 \
                   message))
  REFUSED("<orientation joint='h'/>",
          "robot.xml:3:1: actuator 'h' is an orientation servo; it needs a ball joint, or a site "
          "and a reference site");
  REFUSED("<orientation site='s'/>",
          "robot.xml:3:1: actuator 's' is an orientation servo; it needs a ball joint, or a site "
          "and a reference site");
  REFUSED("<orientation joint='b' forcerange='-1 1'/>",
          "robot.xml:3:1: actuator 'b': the force range of an orientation servo bounds the norm of "
          "its torque; its first number is -1, give 0");
  REFUSED("<orientation joint='b' kv='1' dampratio='1'/>",
          "robot.xml:3:31: 'kv' and 'dampratio' both give the damping; keep one");
  REFUSED("<orientation/>",
          "robot.xml:3:1: <orientation> needs a target: one of joint, jointinparent, tendon, site, "
          "cranksite");

  // a builder that adds the parts apart
  limpet_builder *builder = limpet_builder_create();
  limpet_body_description body = limpet_body_description_default();
  body.has_inertial = true, body.mass = 1.0;
  for (int k = 0; k < 3; ++k) body.inertia[k] = 1.0;
  limpet_joint_description joint = limpet_joint_description_default();
  joint.body = limpet_builder_add_body(builder, &body);
  joint.kind = LIMPET_JOINT_BALL;
  limpet_actuator_description servo = limpet_actuator_description_default();
  servo.target = limpet_builder_add_joint(builder, &joint);
  servo.gain_law = servo.bias_law = LIMPET_ACTUATOR_ORIENTATION;
  servo.part_count = 3;
  limpet_builder_add_actuator(builder, &servo);
  servo.part = 2;
  limpet_builder_add_actuator(builder, &servo);
  limpet_error error = {0};
  assert_null(limpet_builder_compile(builder, &error));
  assert_non_null(strstr(error.message, "they do not stand together"));
  limpet_builder_destroy(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arrives),
      cmocka_unit_test(zero_is_the_identity),
      cmocka_unit_test(parts_have_names_and_controls),
      cmocka_unit_test(mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
