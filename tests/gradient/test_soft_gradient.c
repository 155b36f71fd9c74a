/* tests/gradient/test_soft_gradient.c: derivatives of whole steps with deformable bodies: products
 * forwards against differences of steps along random directions, backwards against forwards.
 *
 * Differences of fourth order: f' = [8 (f1 - f-1) - (f2 - f-2)]/(12 E). Round-off of a step,
 * 1e-15 or so of what moves, over the width, and the tolerance of the solver (1e-12) set 1e-7 of
 * the largest entry. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/gradient_deformable.h"
#include "limpet/law.h"
#include "mjcf_text.h"
#include "mjcf_world.h"
#include "shared_data.h"

static unsigned long seed = 2024;

static double random_number(double size) { return random_uniform(&seed, -size, size); }

// A vector with its arrays in one block.
typedef struct vector {
  limpet_gradient_vector at;
  double *block;
  int count;  // numbers
} vector;

static vector vector_make(const limpet_model *model) {
  const int V = 3 * model->vertex_count, nv = model->nv, d = model->deformable_count;
  vector x = {.count = 2 * V + 3 * nv + model->nu + 5 * d};
  x.block = calloc((size_t)x.count + 1, sizeof *x.block);
  double *next = x.block;
  double **arrays[] = {&x.at.q,
                       &x.at.v,
                       &x.at.force,
                       &x.at.vertex_position,
                       &x.at.vertex_velocity,
                       &x.at.control,
                       &x.at.youngs_modulus,
                       &x.at.poissons_ratio,
                       &x.at.density,
                       &x.at.mass_damping,
                       &x.at.stiffness_damping};
  const int counts[] = {nv, nv, nv, V, V, model->nu, d, d, d, d, d};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
    *arrays[k] = next;
    next += counts[k];
  }
  return x;
}

static void fill(double *array, int count, double size) {
  for (int i = 0; i < count; ++i) array[i] = random_number(size);
}

// A direction of the state: lengths, velocities and forces of the sizes that matter in a step.
static vector direction_make(const limpet_model *model) {
  vector x = vector_make(model);
  fill(x.at.q, model->nv, 1e-3), fill(x.at.v, model->nv, 0.1), fill(x.at.force, model->nv, 0.01);
  fill(x.at.vertex_position, 3 * model->vertex_count, 1e-4);
  fill(x.at.vertex_velocity, 3 * model->vertex_count, 0.1);
  return x;
}

// The end of the step from the state of `from` moved by s of x; whether it was solved.
static bool end_of(const mjcf_world *w, limpet_data *data, const limpet_data *from, const vector *x,
                   double s, double *q, double *rest) {
  const limpet_model *model = w->model;
  const int nv = model->nv, V = 3 * model->vertex_count;
  double *move = calloc((size_t)nv + 1, sizeof *move);
  limpet_data_state_copy(from, data);
  for (int i = 0; i < nv; ++i) {
    move[i] = s * x->at.q[i];
    data->v[i] += s * x->at.v[i];
    data->applied_force[i] = from->applied_force[i] + s * x->at.force[i];
  }
  limpet_integrate_position(model, data->q, from->q, move, 1.0, false);
  for (int i = 0; i < V; ++i) {
    data->vertex_position[i] += s * x->at.vertex_position[i];
    data->vertex_velocity[i] += s * x->at.vertex_velocity[i];
  }
  const bool solved = limpet_step(model, data, &w->settings) == LIMPET_OUTCOME_SOLVED;
  memcpy(q, data->q, (size_t)model->nq * sizeof *q);
  memcpy(rest, data->v, (size_t)nv * sizeof *rest);
  memcpy(rest + nv, data->vertex_position, (size_t)V * sizeof *rest);
  memcpy(rest + nv + V, data->vertex_velocity, (size_t)V * sizeof *rest);
  free(move);
  return solved;
}

// (nv, nv + 2 V)  derivative of the end along x; whether all steps were solved
static bool difference(const mjcf_world *w, const limpet_data *from, const vector *x, double width,
                       double *d) {
  static const double place[4] = {-2.0, -1.0, 1.0, 2.0},
                      share[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  const limpet_model *model = w->model;
  const int nv = model->nv, count = nv + 6 * model->vertex_count;
  limpet_data *data = limpet_data_create(model);
  double *q0 = calloc((size_t)model->nq + 1, sizeof *q0),
         *q = calloc((size_t)model->nq + 1, sizeof *q), *dq = calloc((size_t)nv + 1, sizeof *dq),
         *rest = calloc((size_t)count + 1, sizeof *rest);
  memset(d, 0, (size_t)(nv + count) * sizeof *d);
  bool solved = end_of(w, data, from, x, 0.0, q0, rest);
  for (int k = 0; k < 4; ++k) {
    solved &= end_of(w, data, from, x, place[k] * width, q, rest);
    limpet_difference_position(model, dq, q0, q);
    for (int i = 0; i < nv; ++i) d[i] += share[k] / width * dq[i];
    for (int i = 0; i < count; ++i) d[nv + i] += share[k] / width * rest[i];
  }
  free(q0), free(q), free(dq), free(rest);
  limpet_data_destroy(data);
  return solved;
}

// Largest difference over the largest entry.
static double distance(int count, const double *a, const double *b) {
  double worst = 0.0, most = 0.0;
  for (int i = 0; i < count; ++i)
    worst = fmax(worst, fabs(a[i] - b[i])), most = fmax(most, fabs(b[i]));
  return most > 0.0 ? worst / most : worst;
}

static double dot(int count, const double *x, const double *y, double *size) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += x[i] * y[i], *size += fabs(x[i] * y[i]);
  return sum;
}

static int flagged;  // states at a kink, which differences see otherwise

// One direction and one weight at the present state of the world.
static void check(mjcf_world *w, const char *what, double tolerance) {
  const limpet_model *model = w->model;
  const int nv = model->nv, V = 3 * model->vertex_count, count = 2 * nv + 2 * V;
  limpet_data *from = limpet_data_create(model);
  limpet_data_state_copy(w->data, from);
  vector x = direction_make(model), moved = vector_make(model), weight = direction_make(model),
         by = vector_make(model);
  limpet_gradient *gradient = limpet_gradient_create(model);
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.contacts = false, wanted.jacobians = false;
  assert_int_equal(limpet_gradient_step(model, w->data, &w->settings, &wanted, gradient),
                   LIMPET_OUTCOME_SOLVED);
  if (gradient->reason) fail_msg("%s: %s", what, gradient->reason);
  const bool smooth = !gradient->carried_count && !gradient->weak_count &&
                      !gradient->vertex_kink_count && !gradient->approximate;
  flagged += !smooth;
  assert_true(limpet_gradient_forward(gradient, &x.at, &moved.at));

  double *d = calloc((size_t)count + 1, sizeof *d);
  double error[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
  for (double width = 1e-1; width > 1e-7; width *= 0.1) {
    if (!difference(w, from, &x, width, d)) continue;
    error[0] = fmin(error[0], distance(nv, moved.at.q, d));
    error[1] = fmin(error[1], distance(nv, moved.at.v, d + nv));
    error[2] = fmin(error[2], distance(V, moved.at.vertex_position, d + 2 * nv));
    error[3] = fmin(error[3], distance(V, moved.at.vertex_velocity, d + 2 * nv + V));
  }

  // backwards against forwards
  double size = 0.0;
  assert_true(limpet_gradient_backward(gradient, &weight.at, &by.at));
  const double ahead = dot(nv, weight.at.q, moved.at.q, &size) +
                       dot(nv, weight.at.v, moved.at.v, &size) +
                       dot(V, weight.at.vertex_position, moved.at.vertex_position, &size) +
                       dot(V, weight.at.vertex_velocity, moved.at.vertex_velocity, &size);
  const double back = dot(x.count, x.block, by.block, &size);
  for (int k = 0; k < 4 && smooth; ++k) assert_true(error[k] < tolerance);
  // the solve of stiff ties loses digits both ways
  assert_true(fabs(ahead - back) < (strstr(what, "tied") ? 1e-10 : 1e-12) * size);
  free(d), free(x.block), free(moved.block), free(weight.block), free(by.block);
  limpet_gradient_destroy(gradient);
  limpet_data_destroy(from);
}

// Vertices shaken a little.
static void shake(mjcf_world *w, double speed) {
  for (int i = 0; i < 3 * w->model->vertex_count; ++i)
    w->data->vertex_velocity[i] += random_number(speed);
}

// Numbers of a material.
enum { YOUNG, POISSON, DENSITY, MASS_DAMPING, STIFFNESS_DAMPING, NUMBERS };
typedef struct material {
  const char *law;
  double number[NUMBERS];
} material;

static mjcf_world world_of(const char *world, const material *m, const char *model, double dt) {
  char text[4096], body[1024];
  const double *n = m->number;
  snprintf(body, sizeof body,
           "law='%s' young='%.17g' poisson='%.17g' density='%.17g' mass_damping='%.17g' "
           "damping='%.17g'",
           m->law, n[YOUNG], n[POISSON], n[DENSITY], n[MASS_DAMPING], n[STIFFNESS_DAMPING]);
  snprintf(text, sizeof text, world, body, body);
  mjcf_world w = mjcf_world_of(text, model);
  w.settings.time_step = dt;
  // what laws that are not linear come to in contact is round-off of the stress
  w.settings.tolerance = strstr(m->law, "linear") ? 1e-12 : 1e-10;
  return w;
}

static material material_make(const char *law) {
  return (material){law,
                    {pow(10.0, random_uniform(&seed, 4.0, 7.0)), random_uniform(&seed, 0.0, 0.49),
                     random_uniform(&seed, 500.0, 2000.0), random_uniform(&seed, 0.1, 0.5),
                     random_uniform(&seed, 1e-4, 0.005)}};
}

static double random_step(void) { return 2e-4 * pow(25.0, random_uniform(&seed, 0.0, 1.0)); }

static const char *const free_body = MODEL(
    "<worldbody><limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' "
    "pos='0 0 1' %s/></worldbody>");
static const char *const clamped = MODEL(
    "<worldbody><limpet:deformable name='a' type='box' size='.05 .03 .02' cells='3 1 1' "
    "pos='0 0 1' %s><limpet:tie body='world' box='-.051 -1 -1 -.049 1 1'/>"
    "</limpet:deformable></worldbody>");

static void each_law(const char *world, const char *what, const char *model, double speed,
                     int steps, double tolerance) {
  static const char *const laws[] = {"linear", "linear-corotated", "corotated", "neo-hookean"};
  for (size_t k = 0; k < sizeof laws / sizeof *laws; ++k) {
    char title[64];
    snprintf(title, sizeof title, "%s, %s", what, laws[k]);
    const material m = material_make(laws[k]);
    mjcf_world w = world_of(world, &m, model, random_step());
    shake(&w, speed);
    // to a step that is solved to the tolerance
    for (int i = 0; i < steps; ++i) limpet_step(w.model, w.data, &w.settings);
    limpet_data *before = limpet_data_create(w.model);
    do limpet_data_state_copy(w.data, before);
    while (limpet_step(w.model, w.data, &w.settings) != LIMPET_OUTCOME_SOLVED && ++steps < 200);
    limpet_data_state_copy(before, w.data);
    limpet_data_destroy(before);
    check(&w, title, tolerance);
    mjcf_world_destroy(&w);
  }
}

// The product of a weight with the end of a step of a body of other numbers.
static double loss_of(const char *world, const material *m, const mjcf_world *like,
                      const limpet_data *from, const vector *weight) {
  mjcf_world w = world_of(world, m, NULL, like->settings.time_step);
  const int V = 3 * w.model->vertex_count, nv = w.model->nv;
  vector none = vector_make(w.model);
  double *q = calloc((size_t)w.model->nq + 1, sizeof *q), size = 0.0,
         *rest = calloc((size_t)(nv + 2 * V) + 1, sizeof *rest);
  assert_true(end_of(&w, w.data, from, &none, 0.0, q, rest));
  const double sum = dot(nv, weight->at.v, rest, &size) +
                     dot(V, weight->at.vertex_position, rest + nv, &size) +
                     dot(V, weight->at.vertex_velocity, rest + nv + V, &size);
  free(none.block), free(q), free(rest);
  mjcf_world_destroy(&w);
  return sum;
}

// All numbers of the material, of one body, at the present state.
static void check_numbers(mjcf_world *w, const char *world, material m) {
  const limpet_model *model = w->model;
  limpet_data *from = limpet_data_create(model);
  limpet_data_state_copy(w->data, from);
  limpet_gradient *gradient = limpet_gradient_create(model);
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.contacts = false;
  vector weight = direction_make(model), by = vector_make(model), x = vector_make(model),
         moved = vector_make(model);
  memset(weight.at.q, 0, (size_t)model->nv * sizeof(double));
  limpet_gradient_step(model, w->data, &w->settings, &wanted, gradient);
  assert_true(limpet_gradient_backward(gradient, &weight.at, &by.at));
  const double own[NUMBERS] = {by.at.youngs_modulus[0], by.at.poissons_ratio[0], by.at.density[0],
                               by.at.mass_damping[0], by.at.stiffness_damping[0]};
  const int V = 3 * model->vertex_count;
  double error[NUMBERS];
  for (int k = 0; k < NUMBERS; ++k) {
    const double value = m.number[k];
    error[k] = INFINITY;
    for (double width = 1e-3 * value; width > 1e-6 * value; width *= 0.1) {
      double slope = 0.0;
      for (int i = 0; i < 4; ++i) {
        static const double place[4] = {-2.0, -1.0, 1.0, 2.0},
                            share[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
        m.number[k] = value + place[i] * width;
        slope += share[i] / width * loss_of(world, &m, w, from, &weight);
      }
      // relative, and round-off of the loss for numbers that hardly matter
      error[k] = fmin(error[k],
                      value * fabs(slope - own[k]) /
                          (value * fabs(own[k]) + 1e-2 * fabs(own[DENSITY] * m.number[DENSITY])));
    }
    m.number[k] = value;
    // forwards
    double size = 0.0;
    (&x.at.youngs_modulus)[k][0] = value;
    assert_true(limpet_gradient_forward(gradient, &x.at, &moved.at));
    (&x.at.youngs_modulus)[k][0] = 0.0;
    const double ahead = dot(model->nv, weight.at.v, moved.at.v, &size) +
                         dot(V, weight.at.vertex_position, moved.at.vertex_position, &size) +
                         dot(V, weight.at.vertex_velocity, moved.at.vertex_velocity, &size);
    assert_true(fabs(ahead - own[k] * value) < 1e-10 * size);
  }
  for (int k = 0; k < NUMBERS; ++k) assert_true(error[k] < 1e-5);
  free(weight.block), free(by.block), free(x.block), free(moved.block);
  limpet_gradient_destroy(gradient);
  limpet_data_destroy(from);
}

static void without_contact(void **state) {
  (void)state;
  each_law(free_body, "free", NULL, 0.02, 3, 1e-7);
  each_law(clamped, "clamped", NULL, 0.02, 3, 1e-7);
}

static const char *const lying = MODEL(
    "<worldbody><geom type='plane' size='1 1 .1'/>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' "
    "pos='0 0 .0199' friction='.5' %s/></worldbody>");

static const char *const compliant = MODEL(
    "<worldbody><geom type='plane' size='1 1 .1' limpet:stiffness='2e4' "
    "limpet:dissipation='5'/>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' "
    "pos='0 0 .0199' friction='.5' %s/></worldbody>");

static void on_a_plane(void **state) {
  (void)state;
  each_law(lying, "coulomb", "coulomb", 0.01, 20, 1e-6);
  each_law(lying, "sap", "sap", 0.01, 20, 1e-6);
  // near-rigid contact of these is 1e-9 m deep, and their laws bend there: no width fits
  each_law(compliant, "lagged", "lagged", 0.01, 20, 1e-6);
  each_law(compliant, "similar", "similar", 0.01, 20, 1e-6);
}

static const char *const pendulum = MODEL(
    "<worldbody><body pos='0 0 1'><joint type='hinge' axis='0 1 0' damping='.01'/>"
    "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.02' contype='0' conaffinity='0'/>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' pos='.25 0 0' %s>"
    "<limpet:tie box='-.051 -1 -1 -.049 1 1'/></limpet:deformable>"
    "</body></worldbody>");
static const char *const ball = MODEL(
    "<worldbody><geom type='plane' size='1 1 .1'/>"
    "<body pos='.01 .005 .0595'><freejoint/><geom type='sphere' size='.02' mass='.05'/></body>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' "
    "pos='0 0 .0199' friction='.5' %s/></worldbody>");
static const char *const gripped = MODEL(
    "<worldbody><body pos='0 0 .055'><joint name='s' type='slide' axis='0 0 1' damping='1'/>"
    "<geom type='box' size='.02 .04 .015' euler='5 8 3' mass='.1'/></body>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='3 2 1' "
    "pos='0 0 .02' friction='.5' %s><limpet:tie body='world' box='-1 -1 -.021 1 1 -.019'/>"
    "</limpet:deformable></worldbody>");
static const char *const stack = MODEL(
    "<worldbody><geom type='plane' size='1 1 .1'/>"
    "<limpet:deformable name='a' type='box' size='.05 .05 .02' cells='2 2 1' "
    "pos='0 0 .0199' friction='.5' %s/>"
    "<limpet:deformable name='b' type='box' size='.02 .02 .02' cells='1 1 1' "
    "pos='.003 .004 .0597' euler='0 0 20' friction='.5' %s/></worldbody>");

static void with_robots(void **state) {
  (void)state;
  each_law(pendulum, "tied to a pendulum", NULL, 0.01, 10, 1e-6);
  each_law(ball, "under a ball", NULL, 0.01, 20, 1e-6);
  each_law(gripped, "under a box on a slide", NULL, 0.01, 30, 1e-6);
  // laws that are not linear: what the step leaves of its residual
  each_law(stack, "soft on soft", NULL, 0.01, 20, 1e-5);
  assert_true(flagged <= 6);
}

static void materials(void **state) {
  (void)state;
  static const char *const laws[] = {"linear", "linear-corotated", "corotated", "neo-hookean"};
  static const char *const worlds[] = {clamped, lying, pendulum, ball};
  for (int i = 0; i < 4; ++i)
    for (size_t k = 0; k < sizeof laws / sizeof *laws; ++k) {
      const material m = material_make(laws[k]);
      mjcf_world w = world_of(worlds[i], &m, NULL, random_step());
      shake(&w, 0.02);
      for (int s = 0; s < 15; ++s) limpet_step(w.model, w.data, &w.settings);
      check_numbers(&w, worlds[i], m);
      mjcf_world_destroy(&w);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_contact),
                                     cmocka_unit_test(on_a_plane), cmocka_unit_test(with_robots),
                                     cmocka_unit_test(materials)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
