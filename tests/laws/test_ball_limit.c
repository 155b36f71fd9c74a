/* tests/laws/test_ball_limit.c: the limit of a ball joint's angle is that of a hinge about whatever
 * axis the joint turns. */
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

static const double largest = 0.5;  // [rad]

/* A ball of 1 kg on a massless arm of 0.3 m that stands up; the joint at its foot is limited. Falls
 * towards `axis` x z. */
static limpet_model *standing_arm(limpet_joint_kind kind, const double axis[3]) {
  limpet_builder *builder = limpet_builder_create();
  const int arm = small_body(builder, "arm", 0, 0, 0, 0);
  const int joint = small_joint(builder, "foot", arm, kind, axis[0], axis[1], axis[2]);
  limpet_joint_description *d = limpet_builder_joint(builder, joint);
  d->limited = true;
  d->range[0] = kind == LIMPET_JOINT_BALL ? 0.0 : -largest;
  d->range[1] = largest;
  limpet_geom_description *geom =
      limpet_builder_geom(builder, small_sphere(builder, arm, 1.0, 0.05));
  geom->position[2] = 0.3;
  return small_compile(builder);
}

static double angle_of(const limpet_model *model, const limpet_data *data) {
  double turn[3];
  if (model->joint_kind[0] == LIMPET_JOINT_REVOLUTE) return data->q[0];
  limpet_quaternion_log(turn, data->q);
  return limpet_vec3_norm(turn);
}

/* Ball joint and hinge fall from the same lean about six axes: both reach the limit in the same
 * step, neither goes beyond it, both rest on it with the moment of the weight. A sphere's inertia
 * is alike about all axes, so the motions are the same to the error of integration. */
static void a_ball_joint_falls_onto_its_limit_like_a_hinge(void **state) {
  (void)state;
  for (int i = 0; i < 6; ++i) {
    const double axis[3] = {cos(1.1 * i), sin(1.1 * i), 0.0};
    limpet_model *model[2] = {standing_arm(LIMPET_JOINT_BALL, axis),
                              standing_arm(LIMPET_JOINT_REVOLUTE, axis)};
    limpet_data *data[2] = {limpet_data_create(model[0]), limpet_data_create(model[1])};
    limpet_quaternion_from_axis_angle(data[0]->q, axis, 0.1);
    data[1]->q[0] = 0.1;
    const limpet_step_settings settings = limpet_step_settings_default(model[0]);
    double beyond = 0.0, apart = 0.0;
    while (data[0]->time < 2.0) {
      double angle[2];
      for (int k = 0; k < 2; ++k) {
        assert_int_equal(limpet_step(model[k], data[k], &settings), LIMPET_OUTCOME_SOLVED);
        angle[k] = angle_of(model[k], data[k]);
        beyond = fmax(beyond, angle[k] - largest);
      }
      apart = fmax(apart, fabs(angle[0] - angle[1]));
    }
    assert_int_equal(data[0]->constraint_count, 1);
    const double moment = 9.81 * 0.3 * sin(largest);
    assert_true(fabs(data[0]->constraint_force[0] / moment - 1.0) < 1e-4);
    assert_true(fabs(data[1]->constraint_force[0] / moment - 1.0) < 1e-4);
    assert_true(beyond < 1e-6 && apart < 1e-6 && angle_of(model[0], data[0]) > largest - 1e-6);
    for (int k = 0; k < 2; ++k) {
      limpet_data_destroy(data[k]);
      limpet_model_destroy(model[k]);
    }
  }
}

// The angle is that of the whole turn: a spin about the arm counts, too, and is stopped.
static void a_spin_is_stopped_at_the_limit(void **state) {
  (void)state;
  limpet_model *model = standing_arm(LIMPET_JOINT_BALL, (const double[3]){0, 0, 1});
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  data->v[2] = 30.0;
  while (data->time < 0.2) {
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
    assert_true(angle_of(model, data) < largest + 1e-6);
  }
  printf("spin: %.9g rad, %.3g rad/s\n", angle_of(model, data), data->v[2]);
  assert_true(angle_of(model, data) > largest - 1e-3 && fabs(data->v[2]) < 1e-3);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_joint_falls_onto_its_limit_like_a_hinge),
      cmocka_unit_test(a_spin_is_stopped_at_the_limit)};
  return cmocka_run_group_tests_name("ball_limit", tests, NULL, NULL);
}
