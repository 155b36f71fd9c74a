/* tests/support/step_differences.c: see step_differences.h. */
#include "step_differences.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *numbers(int count) { return calloc((size_t)count + 1, sizeof(double)); }

void step_differences_open(step_differences *s, const limpet_model *model, const limpet_data *from,
                           const limpet_step_settings *settings) {
  *s = (step_differences){
      .model = model, .from = from, .settings = settings, .data = limpet_data_create(model)};
  s->state = numbers(limpet_data_state_size(model));
  s->q = numbers(model->nq), s->v = numbers(model->nv);
  s->dq = numbers(model->nv), s->dv = numbers(model->nv);
}

void step_differences_close(step_differences *s) {
  limpet_data_destroy(s->data);
  free(s->state), free(s->q), free(s->v), free(s->dq), free(s->dv);
}

void step_move_q(const limpet_model *model, limpet_data *data, int index, double by) {
  double *unit = numbers(model->nv);
  unit[index] = 1.0;
  limpet_integrate_position(model, data->q, data->q, unit, by, false);
  free(unit);
}

void step_move_v(const limpet_model *model, limpet_data *data, int index, double by) {
  (void)model;
  data->v[index] += by;
}

void step_move_force(const limpet_model *model, limpet_data *data, int index, double by) {
  (void)model;
  data->applied_force[index] += by;
}

void step_move_control(const limpet_model *model, limpet_data *data, int index, double by) {
  (void)model;
  data->control[index] += by;
}

static void step_moved(step_differences *s, step_move *move, int index, double by) {
  const limpet_model *model = s->model;
  limpet_data_state_read(model, s->from, s->state);
  limpet_data_state_write(model, s->data, s->state);
  memcpy(s->data->control, s->from->control, (size_t)model->nu * sizeof(double));
  memcpy(s->data->applied_force, s->from->applied_force, (size_t)model->nv * sizeof(double));
  memcpy(s->data->applied_wrench, s->from->applied_wrench,
         6 * (size_t)model->body_count * sizeof(double));
  move(model, s->data, index, by);
  const limpet_outcome outcome = limpet_step(model, s->data, s->settings);
  if (outcome != LIMPET_OUTCOME_SOLVED && outcome != LIMPET_OUTCOME_PRECISION_LIMIT)
    printf("a step of a difference failed\n");
  if (s->of_model) move(model, s->data, index, -by);
}

void step_differences_between(step_differences *s, step_move *move, int index, double low,
                              double high) {
  const limpet_model *model = s->model;
  step_moved(s, move, index, low);
  memcpy(s->q, s->data->q, (size_t)model->nq * sizeof(double));
  memcpy(s->v, s->data->v, (size_t)model->nv * sizeof(double));
  step_moved(s, move, index, high);
  limpet_difference_position(model, s->dq, s->q, s->data->q);
  for (int i = 0; i < model->nv; ++i) {
    s->dq[i] /= high - low;
    s->dv[i] = (s->data->v[i] - s->v[i]) / (high - low);
  }
}

static double largest(const double *x, int count) {
  double most = 0.0;
  for (int i = 0; i < count; ++i) most = fmax(most, fabs(x[i]));
  return most;
}

// Whether the derivatives of the two sides differ, by more than their round-off.
static bool sides_differ(step_differences *s, step_move *move, int index, double width,
                         double size) {
  const int nv = s->model->nv;
  double *left = numbers(nv), difference = 0.0;
  step_differences_between(s, move, index, -width, 0.0);
  memcpy(left, s->dv, (size_t)nv * sizeof *left);
  step_differences_between(s, move, index, 0.0, width);
  for (int i = 0; i < nv; ++i) difference = fmax(difference, fabs(s->dv[i] - left[i]));
  free(left);
  return difference > 1e-9 * size;
}

bool step_differences_agree(step_differences *s, const char *what, step_move *move, int count,
                            const double *dq, const double *dv, const double *kink, double width,
                            double tolerance) {
  const int nv = s->model->nv;
  const double size[2] = {fmax(largest(dq, nv * count), 1e-6), fmax(largest(dv, nv * count), 1e-6)};
  double worst = 0.0;
  char text[200] = "";
  for (int j = 0; j < count; ++j) {
    ++s->columns;
    if (kink[j] != 0.0) {
      ++s->kinks;
      s->false_kinks += kink[j] > 1e-6 && !sides_differ(s, move, j, width, size[1]);
      continue;
    }
    step_differences_between(s, move, j, -width, width);
    for (int i = 0; i < 2 * nv; ++i) {
      const double value = (i < nv ? dq : dv)[(i % nv) * count + j],
                   other = i < nv ? s->dq[i] : s->dv[i - nv];
      const double error = fabs(value - other) / size[i / nv];
      if (error <= worst) continue;
      worst = error;
      snprintf(text, sizeof text, "d%c[%d] by %d is %.12g, by differences %.12g",
               i < nv ? 'q' : 'v', i % nv, j, value, other);
    }
  }
  if (worst > tolerance) printf("%s: %s: error %g\n", what, text, worst);
  else printf("  %s: worst %.2g of %.3g\n", what, worst, size[1]);
  return worst <= tolerance;
}

// Largest difference of two columns (dq, dv: 2 nv), each part over its scale.
static double distance(const double *a, const double *b, int nv, const double scale[2]) {
  double worst = 0.0;
  for (int i = 0; i < 2 * nv; ++i) worst = fmax(worst, fabs(a[i] - b[i]) / scale[i / nv]);
  return worst;
}

// Differences of fourth order, of widths w and 2 w, into `to` (dq, dv: 2 nv).
static void fourth_order(step_differences *s, step_move *move, int index, double width,
                         double *to) {
  const int nv = s->model->nv;
  step_differences_between(s, move, index, -width, width);
  for (int i = 0; i < nv; ++i) to[i] = 4.0 * s->dq[i], to[nv + i] = 4.0 * s->dv[i];
  step_differences_between(s, move, index, -2.0 * width, 2.0 * width);
  for (int i = 0; i < nv; ++i) {
    to[i] = (to[i] - s->dq[i]) / 3.0;
    to[nv + i] = (to[nv + i] - s->dv[i]) / 3.0;
  }
}

double step_differences_nearest(step_differences *s, step_move *move, int index, const double *own,
                                const double scale[2], double *settled) {
  enum { WIDTHS = 14, LAST = 3 };
  // wide ones see none of what changes on a small scale: they agree with each other, far away
  static const double first = 1e-3, ratio = 0.31, enough = 1e-9, far = 3.0;
  const int nv = s->model->nv;
  double *all = numbers(2 * LAST * nv), best = INFINITY, width = first, before = INFINITY;
  double apart_at[WIDTHS], off_at[WIDTHS];
  int count = 0;
  for (; count < WIDTHS && best > enough; ++count, width *= ratio) {
    double *now = all + 2 * nv * (count % LAST), *last = all + 2 * nv * ((count + LAST - 1) % LAST);
    fourth_order(s, move, index, width, now);
    off_at[count] = distance(now, own, nv, scale);
    best = fmin(best, off_at[count]);
    // three in a row: round-off of two may agree by chance
    const double apart = count > 0 ? distance(now, last, nv, scale) : INFINITY;
    apart_at[count] = fmax(apart, before);
    before = apart;
  }
  *settled = INFINITY;
  for (int k = 0; k < count; ++k)
    if (off_at[k] <= far * best) *settled = fmin(*settled, apart_at[k]);
  free(all);
  return best;
}

// [m/s, rad/s]  by how much the velocity after a step differs from its tangent.
static double off_tangent(step_differences *s, step_move *move, int index, const double *own,
                          double by) {
  double most = 0.0;
  step_differences_between(s, move, index, fmin(0.0, by), fmax(0.0, by));
  for (int i = 0; i < s->model->nv; ++i) most = fmax(most, fabs(by * (s->dv[i] - own[i])));
  return most;
}

bool step_differences_jump(step_differences *s, step_move *move, int index, const double *own) {
  static const double first = 1e-4, last = 1e-9, felt = 1e-5;  // [m/s, rad/s]  beyond round-off
  for (int side = -1; side <= 1; side += 2) {
    double before = off_tangent(s, move, index, own, side * first);
    for (double width = 0.1 * first; width > last; width *= 0.1) {
      const double now = off_tangent(s, move, index, own, side * width);
      if (now > felt && now > 0.3 * before) return true;
      before = now;
    }
  }
  return false;
}
