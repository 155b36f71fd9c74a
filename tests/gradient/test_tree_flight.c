/* tests/gradient/test_tree_flight.c: Jacobians of steps of random trees of several bodies that fly,
 * land, leave the ground, and swing, in closed form, against differences of steps.
 *
 * Trees of 2 to 6 bodies on a free joint (with or without damping of its own) or on a hinge, with
 * revolute, prismatic and ball joints, springs, dampers, armature, limits, servos and motors, turn
 * by up to 0.09 rad in a step; nearer to the floor than they fall, or far above it. Each column is
 * compared with the best of differences of fourth order of many widths: their own error is 1e-12
 * over the width, for flight is renewed until then: 1e-7 of the largest entry, where differences of
 * three widths agree better. Products with weights are those with the Jacobian to 1e-9. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/gradient.h"
#include "mjcf_text.h"
#include "random_models.h"
#include "step_differences.h"

enum { TREES = 90, TEXT = 16384, SETTLE = 3, GROUPS = 4 };

// [-]  of the largest entry; of what comes from differences; of products
// of differences: 4 of 17,000 columns miss 1e-6, those of controls by 1e-5
static const double tolerance = 1e-7, of_differences = 2e-5, of_products = 1e-9, fastest = 0.09;
static const double limbs = 3e-8;  // [-]  of the largest entry, where nothing is renewed
static unsigned long seed = 414;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }

static bool likely(double share) { return uniform(0.0, 1.0) < share; }

typedef struct writer {
  char text[TEXT], actuators[TEXT];
  int at, end, joints;
} writer;

#define WRITE(w, ...) \
  ((w)->at += snprintf((w)->text + (w)->at, TEXT - (size_t)(w)->at, __VA_ARGS__))
#define ACTUATE(w, ...) \
  ((w)->end += snprintf((w)->actuators + (w)->end, TEXT - (size_t)(w)->end, __VA_ARGS__))

static void write_joint(writer *w) {
  const int number = w->joints++;
  const bool ball = likely(0.2), slides = !ball && likely(0.2);
  WRITE(w, "<joint name='j%d' type='%s' axis='%g %g %g'", number,
        ball     ? "ball"
        : slides ? "slide"
                 : "hinge",
        uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
  if (likely(0.5)) WRITE(w, " damping='%g'", random_log(&seed, 1e-3, 0.3));
  if (likely(0.5)) WRITE(w, " armature='%g'", random_log(&seed, 1e-4, 1e-2));
  if (!ball && likely(0.5)) WRITE(w, " stiffness='%g'", random_log(&seed, 0.1, 10.0));
  if (!ball && likely(0.2)) WRITE(w, " limited='true' range='-40 0.01'");
  WRITE(w, "/>");
  const double draw = uniform(0.0, 1.0);
  if (ball || draw < 0.4) return;
  if (draw < 0.7) ACTUATE(w, "<motor joint='j%d' gear='%g'/>", number, uniform(-2, 2));
  else ACTUATE(w, "<position joint='j%d' kp='%g' kv='%g'/>", number, random_log(&seed, 1, 50), 0.3);
}

static void write_body(writer *w, int *left, bool first, int kind) {
  WRITE(w, "<body pos='%g %g %g' euler='%g %g %g'>", uniform(-0.2, 0.2), uniform(-0.2, 0.2),
        first ? 1.0 : uniform(-0.2, 0.2), uniform(-90, 90), uniform(-90, 90), uniform(-90, 90));
  if (!first) write_joint(w);
  else if (kind == 0) WRITE(w, "<freejoint/>");
  else if (kind == 1) WRITE(w, "<joint type='free' damping='0.05'/>");
  else WRITE(w, "<joint axis='1 0.2 0.1'/>");
  WRITE(w, "<geom type='sphere' size='.05' mass='%g' pos='%g %g %g'/>", random_log(&seed, 0.2, 2),
        uniform(-0.1, 0.1), uniform(-0.1, 0.1), uniform(-0.1, 0.1));
  WRITE(w, "<geom type='box' size='.06 .03 .08' mass='%g' contype='0' conaffinity='0'/>",
        random_log(&seed, 0.2, 2));
  for (; *left > 0 && (first || likely(0.6));) {
    --*left;
    write_body(w, left, false, kind);
  }
  WRITE(w, "</body>");
}

static limpet_model *random_tree(bool *near) {
  static writer w;
  w.at = w.end = w.joints = 0;
  w.text[0] = w.actuators[0] = 0;
  int left = 1 + (int)uniform(0.0, 4.99);
  const double draw = uniform(0.0, 1.0);
  *near = likely(0.4);
  WRITE(&w,
        "<mujoco><option timestep='%g'/><compiler angle='degree'/><default><geom contype='0' "
        "conaffinity='1'/></default><worldbody><geom type='plane' size='5 5 .1' pos='0 0 %g' "
        "contype='1' conaffinity='0'/>",
        random_log(&seed, 5e-4, 5e-3), *near ? 0.6 : -9.0);
  write_body(&w, &left, true, draw < 0.75 ? 0 : draw < 0.85 ? 1 : 2);
  WRITE(&w, "</worldbody><actuator>%s</actuator></mujoco>", w.actuators);
  return mjcf_load(w.text);
}

typedef struct counts {
  int steps, states[3], columns, flagged, undecided, wrong, closed, by_differences;
  double worst, product;
} counts;

static void compare(step_differences *s, step_move *move, int width, const double *dq,
                    const double *dv, const double *kink, double allowed, counts *c) {
  const int nv = s->model->nv;
  double *own = calloc(2 * (size_t)nv + 1, sizeof *own), scale[2] = {1e-9, 1e-9}, settled;
  for (int i = 0; i < nv * width; ++i) {
    scale[0] = fmax(scale[0], fabs(dq[i]));
    scale[1] = fmax(scale[1], fabs(dv[i]));
  }
  for (int tries = 0; tries < 3 && width > 0; ++tries) {
    const int column = (int)(uniform(0.0, 0.9999) * width);
    ++c->columns;
    if (!(kink[column] == 0.0)) {
      ++c->flagged;
      continue;
    }
    for (int i = 0; i < nv; ++i)
      own[i] = dq[i * width + column], own[nv + i] = dv[i * width + column];
    const double error = step_differences_nearest(s, move, column, own, scale, &settled);
    if (error > allowed && settled > 0.3 * error) {
      ++c->undecided;
      continue;
    }
    c->worst = fmax(c->worst, error);
    if (error > allowed)
      printf("column %d of %d: %.2g, settled %.2g, allowed %.0e\n", column, width, error, settled,
             allowed);
    c->wrong += error > allowed;
  }
  free(own);
}

// Weights' products, formed and not, with those of the Jacobian.
static void compare_products(const limpet_model *model, limpet_gradient *g, counts *c) {
  const int nv = model->nv, widths[GROUPS] = {nv, nv, nv, model->nu};
  const double *dq[GROUPS] = {g->dq.q, g->dq.v, g->dq.force, g->dq.control},
               *dv[GROUPS] = {g->dv.q, g->dv.v, g->dv.force, g->dv.control};
  double *y = calloc(2 * (size_t)nv + 1, sizeof *y);
  random_vector(&seed, y, 2 * nv, 1.0);
  assert_true(limpet_gradient_adjoint(g, y, y + nv));
  const double *own[GROUPS] = {g->adjoint.q, g->adjoint.v, g->adjoint.force, g->adjoint.control};
  for (int k = 0; k < GROUPS; ++k) {
    double largest = 1e-12, error = 0.0;
    for (int j = 0; j < widths[k]; ++j) {
      double sum = 0.0;
      for (int i = 0; i < nv; ++i)
        sum += y[i] * dq[k][i * widths[k] + j] + y[nv + i] * dv[k][i * widths[k] + j];
      largest = fmax(largest, fabs(sum));
      error = fmax(error, fabs(sum - own[k][j]));
    }
    c->product = fmax(c->product, error / largest);
  }
  free(y);
}

// Destroys the model. near: to the floor; turn: in a step; closed: of columns in closed form.
static void check_model(limpet_model *model, bool near, double turn, double closed, counts *c) {
  limpet_data *data = limpet_data_create(model);
  limpet_gradient *g = limpet_gradient_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.contacts = false;
  settings.tolerance = 1e-13, settings.iteration_limit = 300;
  random_vector(&seed, data->v, model->nv, uniform(0.0, turn) / settings.time_step);
  const bool floats = model->joint_kind[0] == LIMPET_JOINT_FREE;
  for (int k = 0; k < 3 && floats; ++k) data->v[k] = uniform(-3.0, near ? 0.0 : 3.0);
  random_vector(&seed, data->control, model->nu, 0.5);
  if (likely(0.5)) random_vector(&seed, data->applied_force, model->nv, 2.0);
  const int steps = near ? (int)uniform(0.0, 60.0) : SETTLE;
  for (int i = 0; i < steps; ++i) limpet_step(model, data, &settings);

  step_differences s;
  step_differences_open(&s, model, data, &settings);
  // the differences start from `data`, which stays where it is
  double *start = calloc((size_t)limpet_data_state_size(model) + 1, sizeof *start);
  limpet_data *moved = limpet_data_create(model);
  limpet_data_state_read(model, data, start);
  limpet_data_state_write(model, moved, start);
  memcpy(moved->control, data->control, (size_t)model->nu * sizeof *start);
  memcpy(moved->applied_force, data->applied_force, (size_t)model->nv * sizeof *start);
  limpet_gradient_step(model, moved, &settings, &wanted, g);
  if (!g->reason) {
    ++c->steps, ++c->states[(int)moved->tree_held[0]];
    for (int i = 0; i < model->nv; ++i) ++*(g->by_differences[i] ? &c->by_differences : &c->closed);
    const double allowed = g->by_differences[0] ? of_differences : closed;
    compare(&s, step_move_q, model->nv, g->dq.q, g->dv.q, g->kink.q, allowed, c);
    compare(&s, step_move_v, model->nv, g->dq.v, g->dv.v, g->kink.v, allowed, c);
    compare(&s, step_move_force, model->nv, g->dq.force, g->dv.force, g->kink.force, allowed, c);
    compare(&s, step_move_control, model->nu, g->dq.control, g->dv.control, g->kink.control,
            allowed, c);
    compare_products(model, g, c);
  }
  step_differences_close(&s);
  free(start);
  limpet_data_destroy(moved);
  limpet_gradient_destroy(g);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static void check_tree(counts *c) {
  bool near;
  limpet_model *model = random_tree(&near);
  check_model(model, near, fastest, tolerance, c);
}

/* Limbs whose dampers take most of what moves them: the first estimate of the middle of the step is
 * not renewed, though it misses their mean velocity by rad/s. The momentum of the first joint is
 * that of the mean: at the estimate columns of poses were off by up to 1e-5. */
static void limbs_that_dampers_hold(void **state) {
  (void)state;
  counts c = {0};
  for (int i = 0; i < 24; ++i) {
    char text[TEXT];
    int at = snprintf(text, TEXT,
                      "<mujoco><option timestep='.001'/><worldbody><body pos='0 0 5'><freejoint/>"
                      "<geom type='box' size='.1 .08 .06' mass='4'/>");
    for (int k = 0; k < 4; ++k)
      at += snprintf(text + at, TEXT - (size_t)at,
                     "<body pos='%g %g -.1'><joint axis='%g %g %g' damping='%g' stiffness='%g'/>"
                     "<geom type='capsule' fromto='0 0 0 0 0 -.2' size='.03' mass='.5'/></body>",
                     uniform(-0.1, 0.1), uniform(-0.1, 0.1), uniform(-1, 1), uniform(-1, 1),
                     uniform(-1, 1), random_log(&seed, 1.0, 20.0), random_log(&seed, 1.0, 50.0));
    snprintf(text + at, TEXT - (size_t)at, "</body></worldbody></mujoco>");
    check_model(mjcf_load(text), false, 0.01, limbs, &c);
  }
  printf("limbs: %d columns, %d flagged, %d undecided, %d wrong, worst %.2g\n", c.columns,
         c.flagged, c.undecided, c.wrong, c.worst);
  assert_int_equal(c.wrong, 0);
  assert_true(c.closed > 3 * c.by_differences);
  assert_true(c.undecided * 10 < c.columns && c.flagged * 2 < c.columns);
}

static void trees_that_fly(void **state) {
  (void)state;
  counts c = {0};
  for (int i = 0; i < TREES; ++i) check_tree(&c);
  printf(
      "%d steps, ends free %d, inside %d, held %d; %d columns, %d flagged, %d undecided, %d "
      "wrong, worst %.2g; products %.2g; velocities in closed form %d, by differences %d\n",
      c.steps, c.states[0], c.states[1], c.states[2], c.columns, c.flagged, c.undecided, c.wrong,
      c.worst, c.product, c.closed, c.by_differences);
  assert_true(c.states[0] > 15 && c.states[1] > 15 && c.states[2] > 8);
  assert_true(c.closed > 3 * c.by_differences);
  assert_true(c.undecided * 20 < c.columns && c.flagged * 4 < c.columns);
  assert_int_equal(c.wrong, 0);
  assert_true(c.product < of_products);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(trees_that_fly),
                                     cmocka_unit_test(limbs_that_dampers_hold)};
  return cmocka_run_group_tests_name("tree_flight", tests, NULL, NULL);
}
