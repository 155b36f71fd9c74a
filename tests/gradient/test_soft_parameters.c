/* tests/gradient/test_soft_parameters.c: derivatives by numbers of the model through deformable
 * bodies, against differences of whole steps of models with another number: solids of linear and
 * nonlinear laws, shells, ropes, gas; in flight, clamped, tied to a link or a part of it, lying,
 * sliding and landing, and pressed by a ball.
 *
 * Differences of fourth order, the best of several widths: 1e-6 of the largest change of a kind,
 * which is what near-rigid contact leaves (test_thin_gradient.c). Step, E, nu and damping are drawn
 * at random, on log scales. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "limpet/gradient_deformable.h"
#include "limpet/parameter.h"
#include "mjcf_text.h"
#include "model_variants.h"
#include "shared_data.h"

enum { NAMES = 12 };

// [m, m/s]  of an end of a step within the largest width, over its share of the number
static const double round_off = 3e-12, turned = 2e-11;  // turned: of poses, by quaternions

static unsigned long seed = 151;
static int compared, kinks, close_ones;  // close: within 1e-7
static double solver_tolerance;          // of the scene
static bool rigid_ties;                  // of the scene

typedef struct scene {
  const char *title, *text;
  const char *name[NAMES];
  double along, down, height;  // [m/s, m/s, m]  of all vertices at the start
  int steps;
  double tolerance;
  bool rigid_ties;  // vertices that are tied to one body move as a part of it
} scene;

// The step [s], and E [Pa], nu, damping [s] go into the text.
#define SCENE(content) "<mujoco><option timestep='%g'/>" content "</mujoco>"
#define MATERIAL "a.youngs_modulus", "a.poissons_ratio", "a.density", "a.stiffness_damping"
#define PLANE "<geom name='floor' type='plane' size='2 2 .1' friction='.4'/>"
#define SOFT                                                                       \
  "name='a' young='%g' poisson='%g' density='800' damping='%g' mass_damping='.2' " \
  "friction='.6' "
#define BOX "<limpet:deformable type='box' size='.05 .03 .02' cells='2 1 1' " SOFT
#define SHELL                                                                    \
  "<limpet:deformable type='box' size='.05 .03 .02' cells='2 1 1' shell='true' " \
  "thickness='.003' edge_stiffness='20' edge_damping='.1' pressure='101800' "    \
  "gas_exponent='1.3' " SOFT
#define ARM                                                                       \
  "<body name='arm' pos='0 0 1'><joint name='hinge' axis='0 1 0' damping='.05'/>" \
  "<geom name='arm' type='capsule' fromto='0 0 0 .2 0 0' size='.02' contype='0' conaffinity='0'/>"

static const scene scenes[] = {
    {"solid in flight",
     SCENE("<worldbody>" BOX "pos='0 0 0'/></worldbody>"),
     {MATERIAL, "a.mass_damping", "gravity[2]", "time_step"},
     0.0,
     0.0,
     0.0,
     3,
     1e-7,
     false},
    {"shell in flight",
     SCENE("<worldbody>" SHELL "pos='0 0 0'/></worldbody>"),
     {MATERIAL, "a.mass_damping", "gravity[2]", "time_step", "a.thickness", "a.edge_stiffness",
      "a.edge_damping"},
     0.0,
     0.0,
     0.0,
     3,
     1e-6,
     false},
    {"nonlinear, clamped",
     SCENE("<worldbody>" BOX "law='neo-hookean' pos='0 0 0'><limpet:tie body='world' "
           "box='-.051 -1 -1 -.049 1 1'/></limpet:deformable></worldbody>"),
     {MATERIAL, "a.mass_damping", "gravity[2]", "time_step"},
     0.0,
     0.0,
     0.0,
     3,
     1e-5,
     false},
    {"shell, clamped",
     SCENE("<worldbody>" SHELL "pos='0 0 0'><limpet:tie body='world' "
           "box='-.051 -1 -1 -.049 1 1'/></limpet:deformable></worldbody>"),
     {MATERIAL, "a.mass_damping", "gravity[2]", "time_step", "a.thickness", "a.edge_stiffness",
      "a.edge_damping"},
     0.0,
     0.0,
     0.0,
     3,
     1e-6,
     false},
    {"solid on a pendulum",
     SCENE("<worldbody>" ARM BOX "pos='.25 0 0'><limpet:tie box='-.051 -1 -1 -.049 1 1'/>"
           "</limpet:deformable></body></worldbody>"),
     {MATERIAL, "gravity[2]", "time_step", "hinge.damping", "body:arm.mass"},
     0.0,
     0.0,
     0.0,
     5,
     1e-6,
     false},
    {"shell on a pendulum",
     SCENE("<worldbody>" ARM SHELL "pos='.25 0 0'><limpet:tie box='-.051 -1 -1 -.049 1 1'/>"
           "</limpet:deformable></body></worldbody>"),
     {MATERIAL, "gravity[2]", "time_step", "hinge.damping", "body:arm.mass", "a.thickness"},
     0.0,
     0.0,
     0.0,
     5,
     1e-6,
     false},
    {"solid at rest",
     SCENE("<worldbody>" PLANE BOX "pos='0 0 .0199'/></worldbody>"),
     {MATERIAL, "floor.friction", "a.friction", "gravity[2]", "gravity[0]", "time_step"},
     0.0,
     0.0,
     0.0,
     30,
     1e-6,
     false},
    {"solid, sliding",
     SCENE("<worldbody>" PLANE BOX "pos='0 0 .0199'/></worldbody>"),
     {MATERIAL, "floor.friction", "a.friction", "gravity[2]", "gravity[0]", "time_step"},
     0.4,
     0.0,
     0.0,
     12,
     1e-6,
     false},
    {"solid, landing",
     SCENE("<worldbody>" PLANE BOX "pos='0 0 .0199'/></worldbody>"),
     {MATERIAL, "floor.friction", "a.friction", "gravity[2]", "time_step"},
     0.1,
     0.4,
     1e-3,
     1,
     1e-6,
     false},
    {"nonlinear, sliding",
     SCENE("<worldbody>" PLANE BOX "law='corotated' pos='0 0 .0199'/></worldbody>"),
     {MATERIAL, "floor.friction", "gravity[2]", "time_step"},
     0.4,
     0.0,
     0.0,
     12,
     1e-5,
     false},
    {"shell, sliding",
     SCENE("<worldbody>" PLANE SHELL "pos='0 0 .0199'/></worldbody>"),
     {MATERIAL, "floor.friction", "a.friction", "gravity[2]", "time_step", "a.thickness"},
     0.4,
     0.0,
     0.0,
     12,
     1e-6,
     false},
    {"compliant floor",
     SCENE("<worldbody><geom name='floor' type='plane' size='2 2 .1' friction='.4' "
           "limpet:stiffness='2e4' limpet:dissipation='5'/>" BOX "pos='0 0 .0199'/></worldbody>"),
     {MATERIAL, "floor.friction", "floor.stiffness", "floor.dissipation", "gravity[2]",
      "time_step"},
     0.1,
     0.0,
     0.0,
     12,
     1e-6,
     false},
    {"under a ball",
     SCENE("<worldbody>" PLANE "<body name='ball' pos='.01 .005 .0595'><freejoint/><geom "
           "name='ball' type='sphere' size='.02' mass='.05' friction='.5'/></body>" BOX
           "pos='0 0 .0199'/></worldbody>"),
     {MATERIAL, "ball.friction", "a.friction", "body:ball.mass", "geom:ball.size[0]", "gravity[2]",
      "time_step"},
     0.0,
     0.0,
     0.0,
     20,
     1e-6,
     false},
    {"solid that is a part of a pendulum",
     SCENE("<worldbody>" ARM BOX "pos='.25 0 0'><limpet:tie box='-.051 -1 -1 -.049 1 1'/>"
           "</limpet:deformable></body></worldbody>"),
     {MATERIAL, "a.mass_damping", "gravity[2]", "time_step", "hinge.damping", "body:arm.mass"},
     0.0,
     0.0,
     0.0,
     5,
     1e-6,
     true},
    {"part of a body on the floor",
     SCENE("<worldbody>" PLANE "<body name='arm' pos='0 0 .02'><freejoint/><geom name='arm' "
           "type='box' size='.02 .03 .01' mass='.3' contype='0' conaffinity='0'/></body>" BOX
           "pos='.06 .01 .0199' euler='0 -2 0'><limpet:tie body='arm' "
           "box='-.051 -1 -1 -.049 1 1'/></limpet:deformable></worldbody>"),
     {MATERIAL, "floor.friction", "a.friction", "body:arm.mass", "gravity[2]", "time_step"},
     0.3,
     0.0,
     0.0,
     8,
     1e-6,
     true},
    // large: round-off of the stress is less of the weight
    {"nonlinear part of a pendulum",
     SCENE("<worldbody>" ARM "<limpet:deformable type='box' size='.5 .3 .2' cells='2 1 1' " SOFT
           "law='neo-hookean' pos='.7 0 0'><limpet:tie box='-.51 -1 -1 -.49 1 1'/>"
           "</limpet:deformable></body></worldbody>"),
     {MATERIAL, "a.mass_damping", "gravity[2]", "time_step", "hinge.damping"},
     0.0,
     0.0,
     0.0,
     5,
     1e-5,
     true},
};

static limpet_step_settings settings_of(const limpet_model *model) {
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.tolerance = solver_tolerance;
  settings.rigid_ties = rigid_ties;
  return settings;
}

// A part of the end of a step: pose, velocity, vertices and their velocities.
enum { PARTS = 4 };
typedef struct ending {
  double *q, *part[PARTS];  // part[0]: the pose less `q` of another
  int count[PARTS];
} ending;

static ending ending_make(const limpet_model *model) {
  ending e = {.q = calloc((size_t)model->nq + 1, sizeof(double)),
              .count = {model->nv, model->nv, 3 * model->vertex_count, 3 * model->vertex_count}};
  for (int k = 0; k < PARTS; ++k) e.part[k] = calloc((size_t)e.count[k] + 1, sizeof(double));
  return e;
}

static void ending_free(ending *e) {
  for (int k = 0; k < PARTS; ++k) free(e->part[k]);
  free(e->q);
}

// The end of a step from `state` with that value; whether it was solved.
static bool stepped(limpet_builder *builder, const char *name, double value, const double *state,
                    ending *e) {
  limpet_model *model = varied(builder, name, value);
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = settings_of(model);
  if (strcmp(name, "time_step") == 0) settings.time_step = value;
  limpet_data_state_write(model, data, state);
  const bool solved = limpet_step(model, data, &settings) == LIMPET_OUTCOME_SOLVED;
  memcpy(e->q, data->q, (size_t)model->nq * sizeof *e->q);
  memcpy(e->part[1], data->v, (size_t)e->count[1] * sizeof(double));
  memcpy(e->part[2], data->vertex_position, (size_t)e->count[2] * sizeof(double));
  memcpy(e->part[3], data->vertex_velocity, (size_t)e->count[3] * sizeof(double));
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return solved;
}

// d <- the derivative of the end by a number, over a width; whether all steps were solved.
static bool difference(limpet_builder *builder, const limpet_model *model, const char *name,
                       double value, double width, const double *state, ending *d) {
  static const double place[4] = {-2.0, -1.0, 1.0, 2.0},
                      share[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  ending rest = ending_make(model), side = ending_make(model);
  bool solved = stepped(builder, name, value, state, &rest);
  for (int k = 0; k < PARTS; ++k) memset(d->part[k], 0, (size_t)d->count[k] * sizeof(double));
  for (int i = 0; i < 4; ++i) {
    solved &= stepped(builder, name, value + place[i] * width, state, &side);
    limpet_difference_position(model, side.part[0], rest.q, side.q);
    for (int k = 0; k < PARTS; ++k)
      for (int n = 0; n < d->count[k]; ++n) d->part[k][n] += share[i] / width * side.part[k][n];
  }
  ending_free(&rest), ending_free(&side);
  return solved;
}

// Largest difference of column i of a matrix from `with`, over the largest entry.
static double error_of(int count, const double *matrix, int columns, int i, const double *with,
                       double least) {
  double worst = 0.0, most = least;
  for (int n = 0; n < count; ++n) {
    worst = fmax(worst, fabs(matrix[n * columns + i] - with[n]));
    most = fmax(most, fabs(with[n]));
  }
  return most > 0.0 ? worst / most : 0.0;
}

static void check_number(limpet_builder *builder, const limpet_model *model, const scene *s,
                         const limpet_gradient_parameters *p, int i, const double *state) {
  const double value = p->value[i], scale = value != 0.0 ? fabs(value) : 1.0;
  const double *matrix[PARTS] = {p->dq, p->dv, p->vertex_position, p->vertex_velocity};
  double error[PARTS] = {INFINITY, INFINITY, INFINITY, INFINITY};
  ending d = ending_make(model);
  // damping may change so little that a hundredth of it is hidden by round-off of the steps
  const double widest = strstr(s->name[i], "poissons_ratio") ? 1e-2 : 1e-1;
  for (double width = widest * scale; width > 1e-7 * scale; width *= 0.1) {
    if (!difference(builder, model, s->name[i], value, width, state, &d)) continue;
    for (int k = 0; k < PARTS; ++k)
      error[k] = fmin(error[k], error_of(d.count[k], matrix[k], p->count, i, d.part[k],
                                         (k == 0 ? turned : round_off) / s->tolerance / scale));
  }
  ending_free(&d);
  for (int k = 0; k < PARTS; ++k)
    if (!(error[k] < s->tolerance))
      fail_msg("%s: by %s: off by %.2g (pose), %.2g (velocity), %.2g and %.2g (vertices)", s->title,
               s->name[i], error[0], error[1], error[2], error[3]);
  ++compared;
  close_ones += fmax(fmax(error[0], error[1]), fmax(error[2], error[3])) < 1e-7;
}

// Products with weights of all parts are those of the columns.
static void check_product(limpet_gradient *gradient, limpet_gradient_parameters *p,
                          const limpet_model *model) {
  ending w = ending_make(model);
  const double *matrix[PARTS] = {p->dq, p->dv, p->vertex_position, p->vertex_velocity};
  for (int k = 0; k < PARTS; ++k)
    for (int n = 0; n < w.count[k]; ++n) w.part[k][n] = random_uniform(&seed, -1.0, 1.0);
  const limpet_gradient_vector weight = {
      .q = w.part[0], .v = w.part[1], .vertex_position = w.part[2], .vertex_velocity = w.part[3]};
  assert_null(limpet_gradient_parameters_backward(gradient, p, &weight));
  for (int i = 0; i < p->count; ++i) {
    double sum = 0.0, size = 0.0;
    for (int k = 0; k < PARTS; ++k)
      for (int n = 0; n < w.count[k]; ++n) {
        const double term = w.part[k][n] * matrix[k][n * p->count + i];
        sum += term, size += fabs(term);
      }
    assert_true(fabs(sum - p->adjoint[i]) <= 1e-12 * size);
  }
  ending_free(&w);
}

static double logarithmic(double low, double high) {
  return low * pow(high / low, random_uniform(&seed, 0.0, 1.0));
}

static void check_scene(const scene *s) {
  char text[4096];
  const double step = logarithmic(2e-4, 5e-3), young = logarithmic(1e4, 1e7);
  snprintf(text, sizeof text, s->text, step, young, random_uniform(&seed, 0.0, 0.49),
           logarithmic(1e-4, 5e-3));
  // what laws that are not linear come to in contact is round-off of the stress
  solver_tolerance = strstr(text, "law=") ? 1e-10 : 1e-12;
  rigid_ties = s->rigid_ties;
  limpet_builder *builder = builder_of(text);
  limpet_model *model = compiled(builder);
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = settings_of(model);
  for (int i = 0; i < 3 * model->vertex_count; ++i) {
    data->vertex_velocity[i] += random_uniform(&seed, -0.01, 0.01);
    if (i % 3 == 0) data->vertex_velocity[i] += s->along;
    if (i % 3 == 2) data->vertex_velocity[i] -= s->down, data->vertex_position[i] += s->height;
  }
  for (int i = 0; i < s->steps; ++i) limpet_step(model, data, &settings);
  double *state = calloc((size_t)limpet_data_state_size(model), sizeof *state);
  int count = 0, tries = 0;
  while (count < NAMES && s->name[count]) ++count;
  limpet_error error = {0};
  limpet_gradient_parameters *p =
      limpet_gradient_parameters_create(builder, s->name, count, &error);
  if (!p) fail_msg("%s: %s", s->title, error.message);
  limpet_gradient *gradient = limpet_gradient_create(model);
  const limpet_gradient_settings wanted = limpet_gradient_settings_default();
  do {  // to a step that is solved to the tolerance, which is round-off of the stress
    limpet_data_state_read(model, data, state);
    limpet_gradient_step(model, data, &settings, &wanted, gradient);
  } while (gradient->reason && ++tries < 20);
  if (gradient->reason) fail_msg("%s: %s", s->title, gradient->reason);
  const char *reason = limpet_gradient_by_parameters(gradient, p);
  if (reason) fail_msg("%s: %s", s->title, reason);
  const bool smooth = !gradient->weak_count && !gradient->approximate && !gradient->carried_count &&
                      !gradient->vertex_kink_count;
  for (int i = 0; i < count; ++i)
    if (smooth && p->kink[i] == 0.0) check_number(builder, model, s, p, i, state);
    else ++kinks;
  check_product(gradient, p, model);
  free(state);
  limpet_gradient_destroy(gradient);
  limpet_gradient_parameters_destroy(p);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  limpet_builder_destroy(builder);
}

static void every_scene(void **unused) {
  (void)unused;
  const char *rounds = getenv("LIMPET_GRADIENT_STATES");
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i)
    for (int k = 0; k < (rounds ? atoi(rounds) : test_effort(2, 1)); ++k) check_scene(&scenes[i]);
  printf("soft parameters: %d columns compared, %d within 1e-7; %d at a kink\n", compared,
         close_ones, kinks);
  assert_true(3 * kinks < compared);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_scene)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
