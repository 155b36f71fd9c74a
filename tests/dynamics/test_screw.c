/* tests/dynamics/test_screw.c: screw joints.
 *
 * A nut on a frictionless screw follows from energy alone: m h^2 + I about the axis is what turns,
 * m g h what turns it, h = pitch/(2 pi). And a screw is a turn and a slide of one coordinate: with
 * J = d(turn, slide)/dq constant, poses are equal, M = J' M_c J and bias = J' bias_c of the chain
 * in which a hinge and a slide stand for each screw. Derivatives: test_dynamics_derivatives.c. */
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
#include "limpet/step.h"
#include "math/vec3.h"
#include "random_models.h"
#include "small_models.h"

enum { CHAINS = 200, MOST = 64 };

static unsigned long seed = 5;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }

// pitches from a micrometre to ten metres, of both hands
static double random_pitch(void) {
  return (uniform(0, 1) < 0.5 ? -1.0 : 1.0) * pow(10.0, uniform(-6.0, 1.0));
}

static void a_nut_runs_down_its_screw(void **state) {
  (void)state;
  const double pitches[] = {1e-3, -0.02, 0.5, 6.0};
  for (int i = 0; i < 4; ++i) {
    const double mass = 2.0, inertia = 0.03, g = 9.81, h = pitches[i] / (2.0 * LIMPET_PI);
    limpet_builder *builder = limpet_builder_create();
    limpet_body_description body = limpet_body_description_default();
    body.has_inertial = true, body.mass = mass;
    body.inertia[0] = body.inertia[1] = 0.02, body.inertia[2] = inertia;
    const int nut = limpet_builder_add_body(builder, &body);
    limpet_joint_description joint = limpet_joint_description_default();
    joint.body = nut, joint.kind = LIMPET_JOINT_SCREW, joint.pitch = pitches[i];
    limpet_builder_add_joint(builder, &joint);
    limpet_model *model = small_compile(builder);
    limpet_data *data = limpet_data_create(model);
    limpet_step_settings settings = limpet_step_settings_default(model);
    settings.time_step = 1e-3;
    for (int k = 0; k < 500; ++k)
      assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);

    const double acceleration = -mass * g * h / (inertia + mass * h * h);
    const double scale = fabs(acceleration);
    assert_true(fabs(data->v[0] - acceleration * 0.5) < 1e-10 * scale);
    limpet_kinematics(model, data);
    assert_true(fabs(data->body_position[5] - h * data->q[0]) < 1e-12);
    // the constant acceleration is met by the midpoint rule of flight
    assert_true(fabs(data->q[0] - 0.125 * acceleration) < 1e-3 * scale);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

// A chain with screws, or with a hinge and a slide for each.
typedef struct chain {
  limpet_model *model;
  limpet_data *data;
} chain;

// the joints of the chain: of `count`, kinds and numbers drawn once for both
typedef struct part {
  limpet_body_description body;
  limpet_joint_description joint;
} part;

static chain make_chain(const part *parts, int count, bool split) {
  limpet_builder *builder = limpet_builder_create();
  int body = 0;
  for (int i = 0; i < count; ++i) {
    limpet_joint_description joint = parts[i].joint;
    limpet_body_description description = parts[i].body;
    description.parent = body;
    body = joint.body = limpet_builder_add_body(builder, &description);
    const bool two = split && joint.kind == LIMPET_JOINT_SCREW;
    if (two) joint.kind = LIMPET_JOINT_REVOLUTE;
    limpet_builder_add_joint(builder, &joint);
    if (!two) continue;
    joint.kind = LIMPET_JOINT_PRISMATIC, joint.reference = 0.0;
    limpet_builder_add_joint(builder, &joint);
  }
  chain c = {.model = small_compile(builder)};
  assert_non_null(c.model);
  c.data = limpet_data_create(c.model);
  return c;
}

static void draw_parts(part *parts, int count) {
  static const limpet_joint_kind kinds[] = {LIMPET_JOINT_SCREW, LIMPET_JOINT_REVOLUTE,
                                            LIMPET_JOINT_PRISMATIC};
  for (int i = 0; i < count; ++i) {
    parts[i].body = random_body(&seed, 0);
    limpet_joint_description *joint = &parts[i].joint;
    *joint = limpet_joint_description_default();
    joint->kind = kinds[i == 0 ? 0 : (int)uniform(0, 2.99)];
    random_vector(&seed, joint->position, 3, 0.3);
    random_vector(&seed, joint->axis, 3, 1.0);
    joint->pitch = random_pitch();
    joint->reference = uniform(-1, 1);
  }
}

// J (rows of the split chain by columns of the other), and its state from that of the other
static void couple(const chain *screws, const chain *split, const part *parts, double *J) {
  const int n = screws->model->nv;
  memset(J, 0, sizeof(double) * MOST * MOST);
  int row = 0;
  for (int j = 0; j < n; ++j) {
    const double h = parts[j].joint.pitch / (2.0 * LIMPET_PI);
    J[row * n + j] = 1.0;
    split->data->q[row++] = screws->data->q[j];
    if (parts[j].joint.kind != LIMPET_JOINT_SCREW) continue;
    J[row * n + j] = h;
    split->data->q[row++] = h * (screws->data->q[j] - parts[j].joint.reference);
  }
  assert_int_equal(row, split->model->nv);
  for (int i = 0; i < row; ++i) {
    split->data->v[i] = 0.0;
    for (int j = 0; j < n; ++j) split->data->v[i] += J[i * n + j] * screws->data->v[j];
  }
}

static void evaluate(const chain *c) {
  limpet_kinematics(c->model, c->data);
  limpet_velocity_kinematics(c->model, c->data);
  limpet_mass_matrix(c->model, c->data);
  limpet_bias(c->model, c->data);
}

// the worst of M - J' M_c J and bias - J' bias_c, relative to the largest of M and bias
static double difference(const chain *screws, const chain *split, const double *J) {
  const int n = screws->model->nv, m = split->model->nv;
  const double *M = screws->data->mass_matrix, *C = split->data->mass_matrix;
  double worst = 0.0, most = 0.0, worst_bias = 0.0, most_bias = 0.0;
  for (int i = 0; i < n; ++i) {
    double bias = 0.0;
    for (int a = 0; a < m; ++a) bias += J[a * n + i] * split->data->bias[a];
    worst_bias = fmax(worst_bias, fabs(bias - screws->data->bias[i]));
    most_bias = fmax(most_bias, fabs(bias));
    for (int j = 0; j < n; ++j) {
      double sum = 0.0;
      for (int a = 0; a < m; ++a)
        for (int b = 0; b < m; ++b) sum += J[a * n + i] * C[a * m + b] * J[b * n + j];
      worst = fmax(worst, fabs(sum - M[i * n + j]));
      most = fmax(most, fabs(sum));
    }
  }
  return fmax(worst / most, worst_bias / most_bias);
}

static void screws_are_coupled_turns_and_slides(void **state) {
  (void)state;
  static double J[MOST * MOST];
  double worst = 0.0, worst_pose = 0.0;
  for (int k = 0; k < CHAINS; ++k) {
    part parts[8];
    const int count = 1 + (int)uniform(0, 7.99);
    draw_parts(parts, count);
    const chain screws = make_chain(parts, count, false), split = make_chain(parts, count, true);
    random_vector(&seed, screws.data->q, screws.model->nq, 6.0);
    random_vector(&seed, screws.data->v, screws.model->nv, 4.0);
    couple(&screws, &split, parts, J);
    evaluate(&screws), evaluate(&split);
    worst = fmax(worst, difference(&screws, &split, J));
    for (int b = 1; b < screws.model->body_count; ++b)
      worst_pose = fmax(worst_pose, limpet_vec3_distance(screws.data->body_position + 3 * b,
                                                         split.data->body_position + 3 * b));
    // at the reference the compiler's own M counts in the inverse weights
    assert_true(screws.model->dof_inverse_weight[0] > 0.0);
    limpet_data_destroy(screws.data), limpet_model_destroy(screws.model);
    limpet_data_destroy(split.data), limpet_model_destroy(split.model);
  }
  printf("screws, %d chains: M and bias differ by %.2g, poses by %.2g m\n", CHAINS, worst,
         worst_pose);
  assert_true(worst < 1e-12 && worst_pose < 1e-12);
}

// the inverse weight of the one joint is 1/M at the reference pose
static void the_reference_mass_knows_the_way(void **state) {
  (void)state;
  for (int k = 0; k < 50; ++k) {
    part parts[1];
    draw_parts(parts, 1);
    const chain c = make_chain(parts, 1, false);
    c.data->q[0] = parts[0].joint.reference;
    evaluate(&c);
    const double product = c.model->dof_inverse_weight[0] * c.data->mass_matrix[0];
    assert_true(fabs(product - 1.0) < 1e-10);
    limpet_data_destroy(c.data), limpet_model_destroy(c.model);
  }
}

static void a_pitch_must_be_finite(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  limpet_body_description body = random_body(&seed, 0);
  limpet_joint_description joint = limpet_joint_description_default();
  joint.body = limpet_builder_add_body(builder, &body);
  joint.kind = LIMPET_JOINT_SCREW, joint.pitch = NAN;
  limpet_builder_add_joint(builder, &joint);
  limpet_error error = {0};
  assert_null(limpet_builder_compile(builder, &error));
  assert_non_null(strstr(error.message, "its pitch is not a number"));
  limpet_builder_destroy(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_nut_runs_down_its_screw),
                                     cmocka_unit_test(screws_are_coupled_turns_and_slides),
                                     cmocka_unit_test(the_reference_mass_knows_the_way),
                                     cmocka_unit_test(a_pitch_must_be_finite)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
