// gradient/row_change.c: see row_change.h. Cost: nine calls of the law of a row, three of that of
// an actuator.
#include "gradient/row_change.h"

#include <math.h>

#include "math/vec3.h"
#include "step/assembly.h"

static const double share = 1e-4;         // [-]  of s and w, that differences span
static const double usual_error = 1e-7;   // [m, rad]  of s, where it is not nearer to zero
static const double near_zero = 0.2;      // [-]  of s, that differences stay on its side of zero
static const double least_error = 1e-12;  // [m, rad]
static const double least_jump = 1e-7;    // [-]  of a slope, that makes a kink
static const double near_soft = 1e-2;     // [-]  of where a servo is softened
static const double servo_error = 1.0;    // [N, N m]  of s of actuators, whose law is linear in it

limpet_status limpet_row_probe_make(const limpet_probe *probe, limpet_arena *arena,
                                    limpet_row_probe *rows) {
  const limpet_model *model = probe->model;
  const limpet_free_motion *motion = &probe->residual->solved->motion;
  *rows = (limpet_row_probe){
      .probe = probe,
      .settings = limpet_step_assembly_settings(probe->settings, INFINITY, motion),
      .inverse = LIMPET_TAKE(arena, double, model->nv),
      .problem = {.entry_dof = LIMPET_TAKE(arena, int, 2 * model->nv),
                  .entry_value = LIMPET_TAKE(arena, double, 2 * model->nv)}};
  if (!rows->inverse || !rows->problem.entry_dof || !rows->problem.entry_value)
    return LIMPET_ERROR_MEMORY;
  rows->builder = (limpet_row_builder){.model = model, .data = probe->data};
  for (int t = 0; t < model->tree_count; ++t)
    for (int k = 0; k < model->tree_dof_count[t]; ++k)
      rows->inverse[model->tree_dof[t] + k] =
          1.0 / motion->A[model->tree_mass[t] + k * (model->tree_dof_count[t] + 1)];
  return LIMPET_OK;
}

// v_hat and 1/R at an error moved by `by` and a weight of `weight` times its own.
static bool law_at(limpet_row_probe *rows, const limpet_constraint_row *row, double by,
                   double weight, double values[2], double *rate) {
  limpet_contact_problem *p = &rows->problem;
  rows->row =
      (limpet_constraint_row){.kind = row->kind, .target = row->target, .hardness = row->hardness};
  p->row = &rows->row;
  p->row_count = 0;
  p->entry_count = row->entry_count;
  for (int e = 0; e < row->entry_count; ++e) rows->inverse[p->entry_dof[e]] *= weight;
  rows->builder.settings = &rows->settings;
  rows->builder.problem = p;
  rows->builder.inverse_diagonal = rows->inverse;
  const bool known = limpet_constraint_kinds()[row->kind]->law(&rows->builder, row, by, rate);
  for (int e = 0; e < row->entry_count; ++e) rows->inverse[p->entry_dof[e]] /= weight;
  values[0] = rows->row.v_hat, values[1] = rows->row.R_inverse;
  return known;
}

// Half the width of differences along an error g: laws change where it is zero.
static double width_at(double g) {
  const double size = fabs(g);
  return fmax(fmax(share * size, fmin(usual_error, near_zero * size)), least_error);
}

/* Whether the slope jumps within differences: J(E) = [f(+E) - 2 f(0) + f(-E)]/E, and 2 J(E) - J(2
 * E) is zero to third order where f is smooth. f: at -2, 2, -1, 1 widths; f0: between. */
static bool jumps(const double f[4], double f0, double slope, double reach, double width) {
  const double near = (f[2] - 2.0 * f0 + f[3]) / width, far = (f[0] - 2.0 * f0 + f[1]) / width;
  return fabs(2.0 * near - 0.5 * far) > least_jump * (fabs(slope) + fabs(f0) / reach);
}

/* Slopes of both values along the error, or along the weight; the outer ones tell whether they
 * change at all. `reach`: the scale of what is moved. Returns whether one of them jumps. */
static bool slopes_along(limpet_row_probe *rows, const limpet_constraint_row *row, bool weight,
                         double width, double reach, const double values[2], double slopes[2]) {
  static const double places[4] = {-2.0, 2.0, -1.0, 1.0}, shares[4] = {1.0, -1.0, -8.0, 8.0};
  double f[2][4], rate;
  slopes[0] = slopes[1] = 0.0;
  for (int k = 0; k < 4; ++k) {
    double moved[2];
    const double by = places[k] * width;
    law_at(rows, row, weight ? 0.0 : by, weight ? 1.0 + by : 1.0, moved, &rate);
    for (int i = 0; i < 2; ++i) f[i][k] = moved[i];
    if (k == 1 && f[0][0] == f[0][1] && f[1][0] == f[1][1] && f[0][0] == values[0] &&
        f[1][0] == values[1])
      return false;
  }
  bool kinked = false;
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 4; ++k) slopes[i] += shares[k] * f[i][k] / (12.0 * width);
    kinked = kinked || jumps(f[i], values[i], slopes[i], reach, width);
  }
  return kinked;
}

/* The same of an actuator, whose law is linear in its error; only softening sees the weight, and
 * the more of it the sooner. values: at the row itself. Returns whether it begins there. */
static bool servo_slopes(limpet_row_probe *rows, const limpet_constraint_row *row,
                         const double values[2], double by_s[2], double by_w[2]) {
  double moved[2], rate;
  law_at(rows, row, servo_error, 1.0, moved, &rate);
  for (int i = 0; i < 2; ++i) by_s[i] = (moved[i] - values[i]) / servo_error;
  law_at(rows, row, 0.0, 1.0 + 2.0 * share, moved, &rate);
  if (moved[0] == values[0] && moved[1] == values[1]) return false;
  return slopes_along(rows, row, true, share, 1.0, values, by_w);
}

// Entries of a row of the step, by velocities of the whole problem. Returns its weight.
static double take_entries(limpet_row_probe *rows, const limpet_contact_problem *step,
                           const limpet_island *island, const limpet_constraint_row *row) {
  double w = 0.0;
  for (int e = 0; e < row->entry_count; ++e) {
    const int dof = limpet_problem_global_dof(step, island, step->entry_dof[row->entry + e]);
    const double a = step->entry_value[row->entry + e];
    rows->problem.entry_dof[e] = dof;
    rows->problem.entry_value[e] = a;
    w += a * a * rows->inverse[dof];
  }
  return w;
}

/* An actuator, not near where its gains begin to be softened: v_hat = s/(dt kp + kd) + o, 1/R = dt
 * (dt kp + kd), or softened 1/(c w), with o = f dt c w, c over the hardness of the row. False: it
 * is not one. */
static bool servo_is_plain(const limpet_row_probe *rows, const limpet_constraint_row *row, double w,
                           limpet_row_slopes *slopes) {
  const double dt = rows->settings.dt, beta = rows->settings.constraint_ratio;
  const double hardness = fmax(row->hardness, 1.0);
  limpet_servo servo;
  if (limpet_constraint_kinds()[row->kind] != &limpet_constraint_actuator ||
      !limpet_probe_servo(rows->probe, row->target, &servo))
    return false;
  const double gain = dt * servo.kp + servo.kd,
               c = beta * beta / (4.0 * LIMPET_PI * LIMPET_PI) / hardness;
  const double stiffness = dt * gain * c * w;
  if (!(fabs(stiffness - 1.0) > near_soft) || (servo.shares && stiffness > 1.0)) return false;
  slopes->rate = -servo.kp;
  slopes->v_hat_by_s = 1.0 / gain;
  if (stiffness < 1.0) return true;
  slopes->v_hat_by_w = servo.offset * dt * c;
  slopes->R_inverse_by_w = -1.0 / (c * w * w);
  return true;
}

// Any other row whose kind knows its slopes.
static bool kind_slopes(limpet_row_probe *rows, const limpet_constraint_row *row, double w,
                        limpet_law_slopes *known) {
  const limpet_constraint_kind *kind = limpet_constraint_kinds()[row->kind];
  rows->builder.settings = &rows->settings;
  return kind->slopes && kind->slopes(&rows->builder, row, w, known);
}

static limpet_row_slopes slopes_from(const limpet_law_slopes *law, double rate) {
  return (limpet_row_slopes){.rate = rate,
                             .v_hat_by_s = law->v_hat_by_s,
                             .R_inverse_by_s = law->R_inverse_by_s,
                             .v_hat_by_w = law->v_hat_by_w,
                             .R_inverse_by_w = law->R_inverse_by_w};
}

bool limpet_row_is_known(limpet_row_probe *rows, const limpet_contact_problem *step,
                         const limpet_island *island, int row) {
  const limpet_constraint_row *own = &step->row[row];
  limpet_law_slopes law;
  double values[2], rate;
  if (!limpet_constraint_kinds()[own->kind]->law) return false;
  const double w = take_entries(rows, step, island, own);
  if (kind_slopes(rows, own, w, &law) && law.known) return true;
  return law_at(rows, own, 0.0, 1.0, values, &rate);
}

bool limpet_row_slopes_of(limpet_row_probe *rows, const limpet_contact_problem *step,
                          const limpet_island *island, int row, limpet_row_slopes *slopes) {
  const limpet_constraint_row *own = &step->row[row];
  double values[2], by_s[2] = {0.0, 0.0}, by_w[2] = {0.0, 0.0}, rate;
  limpet_law_slopes law;
  *slopes = (limpet_row_slopes){0};
  if (!limpet_constraint_kinds()[own->kind]->law) return false;
  const double w = take_entries(rows, step, island, own);
  if (servo_is_plain(rows, own, w, slopes)) return true;
  const bool closed = kind_slopes(rows, own, w, &law);
  if (closed && law.known) {
    *slopes = slopes_from(&law, law.rate);
    return true;
  }
  if (!law_at(rows, own, 0.0, 1.0, values, &rate)) return false;
  if (closed) {
    *slopes = slopes_from(&law, rate);
    return true;
  }
  slopes->rate = rate;
  if (limpet_constraint_kinds()[own->kind] == &limpet_constraint_actuator) {
    slopes->kinked_w = servo_slopes(rows, own, values, by_s, by_w);
  } else {
    const double width = width_at(own->error), reach = fmax(fabs(own->error), width);
    if (rate != 0.0) slopes->kinked_s = slopes_along(rows, own, false, width, reach, values, by_s);
    slopes->kinked_w = slopes_along(rows, own, true, share, 1.0, values, by_w);
  }
  slopes->v_hat_by_s = by_s[0], slopes->R_inverse_by_s = by_s[1];
  slopes->v_hat_by_w = by_w[0] / w, slopes->R_inverse_by_w = by_w[1] / w;
  return true;
}

bool limpet_row_limits_move(const limpet_row_probe *rows, const limpet_constraint_row *row) {
  limpet_servo servo;
  return limpet_constraint_kinds()[row->kind] == &limpet_constraint_actuator &&
         limpet_probe_servo(rows->probe, row->target, &servo) && servo.shares;
}
