/* tests/gradient/test_gradient_parameters.c: derivatives by numbers of the model against central
 * differences of whole steps of models with another number. Golden values of friction, stiffness,
 * dissipation and relaxation times: test_golden_gradients.c.
 *
 * Differences of steps have round-off tolerance/E and their own error E^2, and contact laws change
 * on far smaller scales: the best of several widths E counts, to 1e-6 of the largest entry. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/gradient_parameters.h"
#include "limpet/parameter.h"
#include "model_variants.h"

enum { NV = 32, STEPS = 40 };

static const double tolerance = 1e-6;          // [-]  of the largest entry of a column
static const double least_entry = 1e-3;        // [-]  zero has the round-off of differences
static const double solver_tolerance = 1e-13;  // [-]

// An arm with servos on a fixed base that pushes a box on the floor; a ball that flies.
static const char text[] =
    "<mujoco><option timestep='0.002'/><worldbody>"
    "<geom name='floor' type='plane' size='2 2 .1' friction='.6'/>"
    "<body name='upper' pos='-.5 0 .3'><joint name='shoulder' axis='0 1 0' damping='.3' "
    "armature='.02'/><geom name='upper_arm' type='capsule' fromto='0 0 0 .3 0 -.1' size='.03' "
    "mass='1.5'/><body name='lower' pos='.3 0 -.1'><joint name='elbow' axis='0 1 0' "
    "damping='.2' stiffness='2'/><inertial pos='.1 0 0' mass='.8' diaginertia='.002 .003 .003'/>"
    "<geom name='tip' type='sphere' size='.04' pos='.2 0 -.1' friction='.7'/></body></body>"
    "<body name='box' pos='.09 0 .0999'><freejoint/><geom name='box' type='box' "
    "size='.06 .08 .1' mass='1' friction='.5'/></body>"
    "<body name='ball' pos='0 1 2'><freejoint/><geom name='ball' type='ellipsoid' "
    "size='.05 .06 .08' mass='.3'/></body>"
    "</worldbody><actuator><position name='push' joint='shoulder' kp='40' kv='4'/>"
    "<position name='bend' joint='elbow' kp='30' kv='3'/></actuator></mujoco>";

static const char *const names[] = {
    "box.friction",     "floor.friction",   "body:box.mass",     "body:lower.mass",
    "lower.com[0]",     "geom:box.size[2]", "tip.position[0]",   "tip.size[0]",
    "shoulder.damping", "elbow.stiffness",  "shoulder.armature", "push.gain[0]",
    "gravity[2]",       "gravity[0]",       "time_step",         "body:ball.mass"};
enum { COUNT = sizeof names / sizeof names[0] };

// A world, the numbers by which its steps are differentiated, and how it is driven.
typedef struct parameter_case {
  const char *text;
  const char *const *names;
  int count;
  void (*complete)(limpet_builder *builder);  // NULL: the text is all
  void (*command)(limpet_data *data);
  double spin;  // [m/s, rad/s]  of the last body at the start, times 1 to 6
  int least;    // columns that are compared, at least
  bool felt;    // every number does something
} parameter_case;

static limpet_builder *builder_of_case(const parameter_case *c) {
  limpet_builder *builder = builder_of(c->text);
  if (c->complete) c->complete(builder);
  return builder;
}

static limpet_step_settings settings_of(const limpet_model *model) {
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.tolerance = solver_tolerance;
  settings.iteration_limit = 300;
  return settings;
}

static void command(limpet_data *data) { data->control[0] = 0.35, data->control[1] = -0.4; }

// Smooth in time, so that what is remembered differs from step to step.
static void wave(limpet_data *data) {
  for (int i = 0; i < data->model->nu; ++i)
    data->control[i] = 0.3 * sin(60.0 * data->time + i) + 0.1;
}

// q, v after a step from `state` with that value.
static void stepped(limpet_builder *builder, const parameter_case *c, const char *name,
                    double value, const double *state, double *q, double *v) {
  limpet_model *model = varied(builder, name, value);
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = settings_of(model);
  if (strcmp(name, "time_step") == 0) settings.time_step = value;
  limpet_data_state_write(model, data, state);
  c->command(data);
  limpet_step(model, data, &settings);
  memcpy(q, data->q, (size_t)model->nq * sizeof *q);
  memcpy(v, data->v, (size_t)model->nv * sizeof *v);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// The worst error of column i over its largest entry, of the best width.
static double error_of(limpet_builder *builder, const parameter_case *c, const limpet_model *model,
                       const double *state, const limpet_gradient_parameters *p, int i) {
  double best = INFINITY;
  for (double share = 1e-3; share > 1e-7; share *= 0.1) {
    const double E = share * (p->value[i] != 0.0 ? fabs(p->value[i]) : 0.1);
    double q[2][2 * NV], v[2][NV], shift[NV], worst = 0.0, largest = least_entry;
    for (int k = 0; k < 2; ++k)
      stepped(builder, c, c->names[i], p->value[i] + (k ? E : -E), state, q[k], v[k]);
    limpet_difference_position(model, shift, q[0], q[1]);
    for (int d = 0; d < model->nv; ++d) {
      const double by_v = (v[1][d] - v[0][d]) / (2.0 * E), by_q = shift[d] / (2.0 * E);
      largest = fmax(largest, fmax(fabs(by_v), fabs(by_q)));
      worst = fmax(worst, fabs(by_v - p->dv[d * p->count + i]));
      worst = fmax(worst, fabs(by_q - p->dq[d * p->count + i]));
    }
    best = fmin(best, worst / largest);
  }
  return best;
}

// Products with vectors are those of the columns.
static void compare_adjoint(limpet_gradient *gradient, limpet_gradient_parameters *p, int nv) {
  double weight_q[NV], weight_v[NV], sum = 0.0;
  for (int d = 0; d < nv; ++d) weight_q[d] = 1.0 + d, weight_v[d] = 2.0 - 0.3 * d;
  assert_null(limpet_gradient_parameters_adjoint(gradient, p, weight_q, weight_v));
  for (int d = 0; d < nv; ++d)
    sum += weight_q[d] * p->dq[d * p->count] + weight_v[d] * p->dv[d * p->count];
  assert_true(fabs(p->adjoint[0] - sum) <= 1e-12 * (1.0 + fabs(sum)));
}

static void compare_columns(const parameter_case *c) {
  limpet_builder *builder = builder_of_case(c);
  limpet_model *model = compiled(builder);
  limpet_data *data = limpet_data_create(model);
  limpet_gradient *gradient = limpet_gradient_create(model);
  limpet_error error = {0};
  limpet_gradient_parameters *p =
      limpet_gradient_parameters_create(builder, c->names, c->count, &error);
  if (!p) fail_msg("%s", error.message);
  double *state = calloc((size_t)limpet_data_state_size(model), sizeof *state);
  const limpet_step_settings settings = settings_of(model);
  const limpet_gradient_settings wanted = limpet_gradient_settings_default();
  for (int d = 0; d < 6; ++d) data->v[model->nv - 1 - d] = c->spin * (1.0 + d);
  int smooth = 0;
  double felt[COUNT] = {0.0};
  for (int i = 0; i <= STEPS; ++i) {
    limpet_data_state_read(model, data, state);
    c->command(data);
    if (i % 20 != 5) {
      limpet_step(model, data, &settings);
      continue;
    }
    assert_int_equal(limpet_gradient_step(model, data, &settings, &wanted, gradient),
                     LIMPET_OUTCOME_SOLVED);
    assert_null(limpet_gradient_by_parameters(gradient, p));
    for (int k = 0; k < c->count; ++k) {
      for (int d = 0; d < model->nv; ++d) felt[k] = fmax(felt[k], fabs(p->dv[d * p->count + k]));
      if (p->kink[k] > 0.0) continue;
      const double worst = error_of(builder, c, model, state, p, k);
      ++smooth;
      if (!(worst <= tolerance)) fail_msg("step %d, %s: %g", i, c->names[k], worst);
    }
    compare_adjoint(gradient, p, model->nv);
  }
  printf("parameters: %d columns compared\n", smooth);
  assert_true(smooth >= c->least);
  for (int k = 0; k < c->count && c->felt; ++k)
    if (!(felt[k] > least_entry)) fail_msg("%s does nothing", c->names[k]);
  free(state);
  limpet_gradient_parameters_destroy(p);
  limpet_gradient_destroy(gradient);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  limpet_builder_destroy(builder);
}

static void columns_agree_with_steps_of_other_models(void **unused) {
  (void)unused;
  const parameter_case c = {text,    names, COUNT,     NULL,
                            command, 1.0,   COUNT + 1, false};  // most are smooth
  compare_columns(&c);
}

/* Terms and pulleys of tendons, delays, and shapes that are scaled: a tendon that holds two joints,
 * one over a pulley that holds two sliders, a ball on a hill, a cloud of points over the floor. */
static const char of_arrays[] =
    "<mujoco><option timestep='0.002'/><asset><hfield name='hill' nrow='3' ncol='3' "
    "size='.5 .5 .1 .1' elevation='0 .1 .3 .2 .8 .4 .1 .3 0'/></asset><worldbody>"
    "<geom name='hill' type='hfield' hfield='hill' pos='3 0 0' limpet:stiffness='2e4'/>"
    "<geom name='floor' type='plane' size='9 9 .1'/><site name='top' pos='0 0 2'/>"
    "<site name='high' pos='1 0 2'/>"
    "<body pos='0 2 1'><joint name='a' axis='0 1 0' damping='.1'/><geom size='.05' pos='.2 0 0' "
    "mass='1'/><body pos='.4 0 0'><joint name='b' axis='0 1 0' damping='.1'/><geom size='.05' "
    "pos='.2 0 0' mass='1'/></body></body>"
    "<body pos='.3 0 1'><joint type='slide' axis='0 0 1'/><geom size='.05' mass='1'/><site "
    "name='left'/></body><body pos='.8 .1 1'><joint type='slide' axis='0 0 1'/><geom size='.05' "
    "mass='.6'/><site name='right'/></body>"
    "<body pos='3.1 .08 .155'><freejoint/><geom size='.1' mass='1' limpet:stiffness='2e4'/></body>"
    "<body name='cloud' pos='-3 0 .0995'><freejoint/><inertial pos='0 0 0' mass='1' "
    "diaginertia='.01 .01 .01'/></body></worldbody>"
    "<tendon><fixed name='both' stiffness='5'><joint joint='a' coef='.7'/><joint joint='b' "
    "coef='-.4'/></fixed><spatial name='rope' stiffness='200' damping='3' springlength='.5'><site "
    "site='top'/><site site='left'/><pulley divisor='2'/><site site='high'/><site "
    "site='right'/></spatial></tendon>"
    "<actuator><motor name='pull' tendon='both' delay='.0051' nsample='5' interp='cubic'/>"
    "<motor name='late' joint='b' delay='.0033' nsample='4' interp='linear'/></actuator></mujoco>";

static const char *const array_names[] = {
    "both.coefficient[0]", "both.coefficient[1]", "rope.divisor[2]",
    "pull.delay",          "late.delay",          "mesh:hill.scale[2]",
    "cloud.scale[0]",      "cloud.scale[2]",      "cloud.point_radius"};
enum { ARRAYS = sizeof array_names / sizeof array_names[0] };

static void add_cloud(limpet_builder *builder) {
  static const double points[] = {.1, .1, -.1, -.1, .1, -.1, -.1, -.1, -.1, .1, -.1, -.1, 0, 0, .1};
  limpet_cloud_description cloud = limpet_cloud_description_default();
  cloud.name = "cloud";
  cloud.points = points, cloud.point_count = 5, cloud.point_radius = 1e-3;
  limpet_geom_description geom = limpet_geom_description_default();
  geom.name = "points";
  geom.kind = LIMPET_SHAPE_CLOUD;
  geom.body = limpet_builder_find(builder, LIMPET_OBJECT_BODY, "cloud");
  geom.cloud = limpet_builder_add_cloud(builder, &cloud);
  geom.material.stiffness = 2e4;
  limpet_builder_add_geom(builder, &geom);
}

static void arrays_delays_and_scales_have_columns(void **unused) {
  (void)unused;
  const parameter_case c = {of_arrays, array_names, ARRAYS,         add_cloud,
                            wave,      -0.05,       2 * ARRAYS - 4, true};
  compare_columns(&c);
}

static void wrong_names_are_errors(void **unused) {
  (void)unused;
  static const char *const wrong[2][5] = {
      {"nobody.friction", "box.colour", "gravity[3]", "friction", "geom:box.stiffness"},
      {"both.coefficient[2]", "rope.coefficient[0]", "rope.divisor[1]", "rope.divisor",
       "both.divisor[0]"}};
  for (int k = 0; k < 2; ++k) {
    limpet_builder *builder = builder_of(k ? of_arrays : text);
    for (int i = 0; i < 5; ++i) {
      limpet_error error = {0};
      assert_null(limpet_gradient_parameters_create(builder, &wrong[k][i], 1, &error));
      assert_true(strlen(error.message) > 10);
    }
    limpet_builder_destroy(builder);
  }
}

// The builder is as it was: its model has the same numbers.
static void the_builder_stays_as_it_is(void **unused) {
  (void)unused;
  limpet_builder *builder = builder_of(text);
  limpet_model *before = compiled(builder), *heavy;
  limpet_error error;
  limpet_parameter_target target;
  assert_int_equal(limpet_parameter_find(builder, "body:upper.mass", &target, &error), LIMPET_OK);
  heavy = limpet_parameter_compile(builder, &target, 3.0, &error);
  limpet_model *after = compiled(builder);
  const int body = limpet_model_find(before, LIMPET_OBJECT_BODY, "upper");
  assert_true(fabs(heavy->body_mass[body] - 3.0) <= 1e-12);
  assert_true(after->body_mass[body] == before->body_mass[body]);
  limpet_parameter_free(&target);
  limpet_model_destroy(before), limpet_model_destroy(heavy), limpet_model_destroy(after);
  limpet_builder_destroy(builder);
}

// So it is where the number lies in an array beside its description.
static void arrays_of_the_builder_stay_as_they_are(void **unused) {
  (void)unused;
  static const char *const changed[] = {"both.coefficient[1]", "rope.divisor[2]"};
  limpet_builder *builder = builder_of(of_arrays);
  for (int i = 0; i < 2; ++i) {
    limpet_error error;
    limpet_parameter_target target;
    double before, after;
    assert_int_equal(limpet_parameter_find(builder, changed[i], &target, &error), LIMPET_OK);
    assert_int_equal(limpet_parameter_value(builder, &target, &before, &error), LIMPET_OK);
    assert_true(before == (i ? 2.0 : -0.4));
    limpet_model *other = limpet_parameter_compile(builder, &target, 0.75, &error);
    assert_true(i ? other->tendon_point_divisor[2] == 0.75 : other->tendon_coefficient[1] == 0.75);
    assert_int_equal(limpet_parameter_value(builder, &target, &after, &error), LIMPET_OK);
    assert_true(after == before);
    limpet_parameter_free(&target);
    limpet_model_destroy(other);
  }
  limpet_builder_destroy(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_agree_with_steps_of_other_models),
      cmocka_unit_test(arrays_delays_and_scales_have_columns),
      cmocka_unit_test(wrong_names_are_errors),
      cmocka_unit_test(the_builder_stays_as_it_is),
      cmocka_unit_test(arrays_of_the_builder_stay_as_they_are),
  };
  return cmocka_run_group_tests_name("gradient_parameters", tests, NULL, NULL);
}
