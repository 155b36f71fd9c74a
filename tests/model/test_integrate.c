/* tests/model/test_integrate.c: positions on the manifold of the joints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>

#include <cmocka.h>

#include "limpet/data.h"
#include "math/quaternion.h"
#include "shared_data.h"
#include "small_models.h"

enum { ROUNDS = 200, MOST = 32 };

static void random_state(const limpet_model *model, double *q, double *v, double turn,
                         unsigned long *seed) {
  for (int i = 0; i < model->nq; ++i) q[i] = random_uniform(seed, -1.0, 1.0);
  for (int j = 0; j < model->joint_count; ++j) {
    if (model->joint_kind[j] == LIMPET_JOINT_FREE)
      limpet_quaternion_normalize(q + model->joint_q[j] + 3);
    if (model->joint_kind[j] == LIMPET_JOINT_BALL)
      limpet_quaternion_normalize(q + model->joint_q[j]);
  }
  for (int i = 0; i < model->nv; ++i) v[i] = random_uniform(seed, -turn, turn);
}

/* q1 = q0 (+) v and back: v again where rotations are below half a turn (components below 1.8 rad:
 * norm below 3.12). Rounding of the logarithm is a few 1e-16 rad, near half a turn no worse; 1e-13
 * leaves room. */
static void difference_undoes_integration(void **state) {
  (void)state;
  limpet_model *model = small_compile(small_everything());
  assert_non_null(model);
  unsigned long seed = 1;
  for (int round = 0; round < ROUNDS; ++round) {
    double q0[MOST], q1[MOST], v[MOST], w[MOST];
    random_state(model, q0, v, round % 2 ? 1.8 : 1e-9, &seed);
    limpet_integrate_position(model, q1, q0, v, 1.0, false);
    limpet_difference_position(model, w, q0, q1);
    assert_true(arrays_agree("difference", w, v, model->nv, 1e-13));
    for (int j = 0; j < model->joint_count; ++j) {
      const double *Q = q1 + model->joint_q[j];
      if (model->joint_kind[j] != LIMPET_JOINT_BALL) continue;
      assert_true(fabs(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3] - 1.0) < 1e-14);
    }
  }
  limpet_model_destroy(model);
}

// A constant angular velocity: one step of dt is n steps of dt/n, also over many turns; in place is
// the same as apart.
static void exponential_is_exact_for_constant_velocity(void **state) {
  (void)state;
  limpet_model *model = small_compile(small_everything());
  assert_non_null(model);
  unsigned long seed = 2;
  for (int round = 0; round < ROUNDS; ++round) {
    double q0[MOST], one[MOST], many[MOST], v[MOST], difference[MOST];
    random_state(model, q0, v, 20.0, &seed);
    limpet_integrate_position(model, one, q0, v, 1.0, false);
    limpet_integrate_position(model, many, q0, v, 0.1, false);
    for (int i = 1; i < 10; ++i) limpet_integrate_position(model, many, many, v, 0.1, false);
    limpet_difference_position(model, difference, one, many);
    for (int i = 0; i < model->nv; ++i) assert_true(fabs(difference[i]) < 1e-13);
  }
  limpet_model_destroy(model);
}

static limpet_model *free_body(void) {
  limpet_builder *builder = limpet_builder_create();
  const int body = small_body(builder, NULL, 0, 0, 0, 0);
  small_joint(builder, NULL, body, LIMPET_JOINT_FREE, 0, 0, 1);
  small_sphere(builder, body, 1.0, 0.1);
  limpet_model *model = small_compile(builder);
  assert_non_null(model);
  return model;
}

/* First order turns by 2 atan(dt |w|/2) about the same axis; with Drake's form, quaternion rates
 * from the world's axes, it agrees to rounding. */
static void first_order_is_drakes(void **state) {
  (void)state;
  limpet_model *model = free_body();
  unsigned long seed = 3;
  for (int round = 0; round < ROUNDS; ++round) {
    double q0[7], q1[7], v[6], w[6], world[3], rate[4], expected[4];
    const double dt = 0.05;
    random_state(model, q0, v, 5.0, &seed);
    limpet_integrate_position(model, q1, q0, v, dt, true);
    limpet_difference_position(model, w, q0, q1);
    const double speed = limpet_vec3_norm(v + 3), angle = 2.0 * atan(0.5 * dt * speed);
    for (int k = 0; k < 3; ++k) assert_true(fabs(w[3 + k] - angle * v[3 + k] / speed) < 1e-14);

    limpet_quaternion_rotate(world, q0 + 3, v + 3);
    const double pure[4] = {0.0, world[0], world[1], world[2]};
    limpet_quaternion_mul(rate, pure, q0 + 3);
    for (int k = 0; k < 4; ++k) expected[k] = q0[3 + k] + 0.5 * dt * rate[k];
    limpet_quaternion_normalize(expected);
    for (int k = 0; k < 4; ++k) assert_true(fabs(expected[k] - q1[3 + k]) < 1e-15);
  }
  limpet_model_destroy(model);
}

// Body axes: a body that stands on its side (90 degrees about x) and turns about its own z turns
// about the world's -y.
static void angular_velocity_is_in_body_axes(void **state) {
  (void)state;
  limpet_model *model = free_body();
  const double half = sqrt(0.5), q0[7] = {0, 0, 0, half, half, 0, 0}, v[6] = {0, 0, 0, 0, 0, 0.1};
  double q1[7], expected[4];
  const double turn[4] = {cos(0.05), 0, -sin(0.05), 0}, *start = q0 + 3;
  limpet_integrate_position(model, q1, q0, v, 1.0, false);
  limpet_quaternion_mul(expected, turn, start);
  for (int k = 0; k < 4; ++k) assert_true(fabs(q1[3 + k] - expected[k]) < 1e-15);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(difference_undoes_integration),
      cmocka_unit_test(exponential_is_exact_for_constant_velocity),
      cmocka_unit_test(first_order_is_drakes),
      cmocka_unit_test(angular_velocity_is_in_body_axes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
