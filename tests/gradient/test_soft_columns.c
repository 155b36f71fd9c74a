/* tests/gradient/test_soft_columns.c: Jacobians of trees beside deformable bodies.
 *
 * Columns and the adjoint against products forwards, which go another way: to round-off. Columns
 * against differences of whole steps: to 1e-8 of the largest entry, unless they are flagged. */
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
#include "mjcf_text.h"
#include "mjcf_world.h"
#include "random_models.h"
#include "step_differences.h"

static unsigned long seed = 77;

static const double products_agree = 1e-11;  // [-]  of the largest entry: round-off of stiff solves
static const double differences_agree = 1e-8;  // [-]  of the largest entry

static const char *const press = MODEL(
    "<worldbody><body pos='0 0 .055'><joint type='slide' axis='0 0 1' damping='1'/>"
    "<joint type='slide' axis='1 0 0' damping='1'/><joint type='hinge' axis='1 0 0' damping='.01'/>"
    "<geom type='box' size='.02 .04 .015' euler='5 8 3' mass='.1'/></body>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='3 2 1' pos='0 0 .02' "
    "friction='.5' %s><limpet:tie body='world' box='-1 -1 -.021 1 1 -.019'/>"
    "</limpet:deformable></worldbody>");
static const char *const box = MODEL(
    "<worldbody><geom type='plane' size='1 1 .1'/><body pos='.01 .005 .0495'><freejoint/>"
    "<geom type='box' size='.02 .015 .01' mass='.05' euler='3 4 0'/></body>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='3 2 1' "
    "pos='0 0 .0199' friction='.5' %s/></worldbody>");

static const char *const thrown = MODEL(
    "<worldbody><body pos='0 0 .2' euler='20 30 40'><freejoint/>"
    "<geom type='box' size='.02 .015 .01' mass='.05'/></body>"
    "<body pos='.3 0 .3'><freejoint/><geom type='box' size='.02 .015 .01' mass='.05'/>"
    "<body pos='.03 0 0'><joint type='hinge' axis='0 1 0' damping='.001'/>"
    "<geom type='capsule' fromto='0 0 0 .03 0 0' size='.01' mass='.02'/></body></body>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' pos='0 0 .05' %s>"
    "<limpet:tie body='world' box='-1 -1 -.021 1 1 -.019'/></limpet:deformable></worldbody>");

// A body of random material whose law is not linear in a step, after some steps.
static mjcf_world pressed(const char *world, const char *law, const char *model) {
  char text[4096], body[256];
  snprintf(body, sizeof body,
           "law='%s' young='%.17g' poisson='%.17g' density='%.17g' mass_damping='.2' "
           "damping='%.17g'",
           law, random_log(&seed, 1e4, 1e6), random_uniform(&seed, 0.0, 0.45),
           random_uniform(&seed, 500.0, 2000.0), random_uniform(&seed, 1e-4, 0.005));
  snprintf(text, sizeof text, world, body);
  mjcf_world w = mjcf_world_of(text, model);
  w.settings.time_step = random_log(&seed, 5e-4, 5e-3);
  w.settings.tolerance = 1e-11, w.settings.iteration_limit = 300;
  for (int i = 0; i < w.model->nv; ++i) w.data->v[i] += random_uniform(&seed, -0.1, 0.1);
  const int steps = (int)random_uniform(&seed, 5.0, 30.0);
  for (int i = 0; i < steps; ++i) limpet_step(w.model, w.data, &w.settings);
  return w;
}

static double largest(const double *x, int count) {
  double most = 0.0;
  for (int i = 0; i < count; ++i) most = fmax(most, fabs(x[i]));
  return most;
}

// How far columns and the adjoint are from products along units, of the largest entries.
static double off_products(const limpet_model *model, limpet_gradient *g) {
  const int nv = model->nv;
  const double *matrices[2][3] = {{g->dq.q, g->dq.v, g->dq.force}, {g->dv.q, g->dv.v, g->dv.force}};
  double *unit = calloc(5 * (size_t)nv, sizeof *unit), *moved = unit + nv, *weight = moved + 2 * nv,
         worst = 0.0;
  random_vector(&seed, weight, 2 * nv, 1.0);
  assert_true(limpet_gradient_adjoint(g, weight, weight + nv));
  const double *adjoint[3] = {g->adjoint.q, g->adjoint.v, g->adjoint.force};
  for (int group = 0; group < 3; ++group) {
    for (int j = 0; j < nv; ++j) {
      unit[j] = 1.0;
      const limpet_gradient_vector x = {.q = group == 0 ? unit : NULL,
                                        .v = group == 1 ? unit : NULL,
                                        .force = group == 2 ? unit : NULL},
                                   y = {.q = moved, .v = moved + nv};
      assert_true(limpet_gradient_forward(g, &x, &y));
      unit[j] = 0.0;
      double sum = -adjoint[group][j], size = 0.0;
      for (int i = 0; i < 2 * nv; ++i) {
        const double *matrix = matrices[i / nv][group];
        const double off = fabs(moved[i] - matrix[i % nv * nv + j]);
        worst = fmax(worst, off / largest(matrix, nv * nv));
        sum += weight[i] * moved[i], size += fabs(weight[i]) * largest(matrix, nv * nv);
      }
      worst = fmax(worst, fabs(sum) / size);
    }
  }
  free(unit);
  return worst;
}

/* With laws that are not linear the stiffness of near-rigid contacts follows the end of the step:
 * columns without that were off by 1e-8 to 5e-7 of the largest entry. */
static void columns_are_products(void **state) {
  (void)state;
  static const char *const laws[] = {"corotated", "neo-hookean", "linear-corotated"};
  static const char *const worlds[] = {press, box};
  int solved = 0;
  for (int k = 0; k < test_effort(12, 4); ++k) {
    mjcf_world w = pressed(worlds[k % 2], laws[k / 2 % 3], "sap");
    limpet_gradient *g = limpet_gradient_create(w.model);
    const limpet_gradient_settings wanted = limpet_gradient_settings_default();
    limpet_gradient_step(w.model, w.data, &w.settings, &wanted, g);
    if (!g->reason) {
      ++solved;
      const double off = off_products(w.model, g);
      if (!(off < products_agree)) fail_msg("%s: off products by %.2g", laws[k / 2 % 3], off);
    }
    limpet_gradient_destroy(g);
    mjcf_world_destroy(&w);
  }
  assert_true(solved >= 3);
}

// Columns of the state at the present one, which is stepped. Returns how many are compared.
static int check_columns(mjcf_world *w, const char *what) {
  const limpet_model *model = w->model;
  const int nv = model->nv;
  int compared = 0;
  limpet_data *from = limpet_data_create(model);
  limpet_data_state_copy(w->data, from);
  limpet_gradient *g = limpet_gradient_create(model);
  const limpet_gradient_settings wanted = limpet_gradient_settings_default();
  limpet_gradient_step(model, w->data, &w->settings, &wanted, g);
  double *own = calloc(2 * (size_t)nv, sizeof *own), settled;
  for (int j = 0; j < 2 * nv && !g->reason; ++j) {
    const bool by_v = j >= nv;
    const double *dq = by_v ? g->dq.v : g->dq.q, *dv = by_v ? g->dv.v : g->dv.q;
    if ((by_v ? g->kink.v : g->kink.q)[j % nv] > 0.0) continue;
    // bodies that fly have no slope of velocities by poses: less than 1e-3 is round-off
    const double scale[2] = {fmax(1e-3, largest(dq, nv * nv)), fmax(1e-3, largest(dv, nv * nv))};
    for (int i = 0; i < nv; ++i) own[i] = dq[i * nv + j % nv], own[nv + i] = dv[i * nv + j % nv];
    step_differences s;
    step_differences_open(&s, model, from, &w->settings);
    const double best = step_differences_nearest(&s, by_v ? step_move_v : step_move_q, j % nv, own,
                                                 scale, &settled);
    step_differences_close(&s);
    if (best > differences_agree && settled <= 0.3 * best)
      fail_msg("%s: by %c %d off by %.2g", what, by_v ? 'v' : 'q', j % nv, best);
    ++compared;
  }
  free(own);
  limpet_gradient_destroy(g);
  limpet_data_destroy(from);
  return compared;
}

static void columns_are_slopes(void **state) {
  (void)state;
  static const char *const laws[] = {"corotated", "neo-hookean"};
  int compared = 0;
  for (int k = 0; k < test_effort(4, 2); ++k) {
    mjcf_world w = pressed(press, laws[k % 2], "sap");
    compared += check_columns(&w, laws[k % 2]);
    mjcf_world_destroy(&w);
  }
  assert_true(compared > 0);
}

/* Trees that touch no deformable body have closed forms, and so has the end of the step of all:
 * by differences columns of what flies were off by 1e-8 to 5e-7 of a slope of 1e-3 1/s. */
static void trees_apart_have_closed_forms(void **state) {
  (void)state;
  mjcf_world w = pressed(thrown, "linear-corotated", "coulomb");
  limpet_gradient *g = limpet_gradient_create(w.model);
  limpet_data *from = limpet_data_create(w.model);
  limpet_data_state_copy(w.data, from);
  const limpet_gradient_settings wanted = limpet_gradient_settings_default();
  limpet_gradient_step(w.model, w.data, &w.settings, &wanted, g);
  assert_null(g->reason);
  for (int i = 0; i < w.model->nv; ++i) assert_false(g->by_differences[i]);
  limpet_data_state_copy(from, w.data);
  assert_int_equal(check_columns(&w, "thrown"), 2 * w.model->nv);
  limpet_data_destroy(from);
  limpet_gradient_destroy(g);
  mjcf_world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(columns_are_products),
                                     cmocka_unit_test(columns_are_slopes),
                                     cmocka_unit_test(trees_apart_have_closed_forms)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
