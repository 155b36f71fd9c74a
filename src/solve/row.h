/* solve/row.h: one scalar row of the problem as a function of its speed u = a v.
 *
 *   y          = (v_hat - u)/R                   impulse of the row's spring
 *   gamma      = clamp(y, lower, upper)          [N s, N m s]
 *   cost       = R (gamma y - gamma^2/2)         [J]  1/2 R gamma^2 within the bounds, then linear
 *   -dgamma/du = 1/R within the bounds, else 0   [kg, kg m^2] */
#ifndef LIMPET_SOLVE_ROW_H
#define LIMPET_SOLVE_ROW_H

#include <string.h>

#include "contact/problem.h"

// u = a x; x in the order of the island. Nearly all rows of a robot have one entry.
static inline double limpet_row_speed(const limpet_contact_problem *problem,
                                      const limpet_constraint_row *row, const double *x) {
  const int *dof = problem->entry_dof + row->entry;
  const double *value = problem->entry_value + row->entry;
  double u = 0.0;
  if (row->entry_count == 1) return u + value[0] * x[dof[0]];
  for (int e = 0; e < row->entry_count; ++e) u += value[e] * x[dof[e]];
  return u;
}

// impulse += a' gamma
static inline void limpet_row_push(const limpet_contact_problem *problem,
                                   const limpet_constraint_row *row, double gamma,
                                   double *impulse) {
  const int *dof = problem->entry_dof + row->entry;
  const double *value = problem->entry_value + row->entry;
  if (row->entry_count == 1) {
    impulse[dof[0]] += value[0] * gamma;
    return;
  }
  for (int e = 0; e < row->entry_count; ++e) impulse[dof[e]] += value[e] * gamma;
}

/* Whether a row and the two after it name the same velocities, several, in the same order, as those
 * of a connect do. `count`: rows from it on. */
static inline bool limpet_row_is_triple(const limpet_contact_problem *problem,
                                        const limpet_constraint_row *row, int count) {
  if (count < 3 || row->entry_count < 2 || row[1].entry_count != row->entry_count ||
      row[2].entry_count != row->entry_count)
    return false;
  const int *a = problem->entry_dof + row->entry, *b = problem->entry_dof + row[1].entry,
            *c = problem->entry_dof + row[2].entry;
  for (int e = 0; e < row->entry_count; ++e)
    if (a[e] != b[e] || a[e] != c[e]) return false;
  return true;
}

// Speeds of such rows; sums as row by row.
static inline void limpet_row_triple_speed(const limpet_contact_problem *problem,
                                           const limpet_constraint_row *row, const double *x,
                                           double u[3]) {
  const int *dof = problem->entry_dof + row->entry, count = row->entry_count;
  const double *a = problem->entry_value + row->entry, *b = problem->entry_value + row[1].entry,
               *c = problem->entry_value + row[2].entry;
  double s = 0.0, t = 0.0, w = 0.0;
  for (int e = 0; e < count; ++e) {
    const double v = x[dof[e]];
    s += a[e] * v, t += b[e] * v, w += c[e] * v;
  }
  u[0] = s, u[1] = t, u[2] = w;
}

// Pushes of such rows.
static inline void limpet_row_triple_push(const limpet_contact_problem *problem,
                                          const limpet_constraint_row *row, const double gamma[3],
                                          double *impulse) {
  const int *dof = problem->entry_dof + row->entry, count = row->entry_count;
  const double *a = problem->entry_value + row->entry, *b = problem->entry_value + row[1].entry,
               *c = problem->entry_value + row[2].entry;
  const double s = gamma[0], t = gamma[1], w = gamma[2];
  for (int e = 0; e < count; ++e) {
    double *to = impulse + dof[e];
    *to = ((*to + a[e] * s) + b[e] * t) + c[e] * w;
  }
}

// y
static inline double limpet_row_wanted(const limpet_constraint_row *row, double u) {
  return (row->v_hat - u) * row->R_inverse;
}

// gamma, from y.
static inline double limpet_row_clamp(const limpet_constraint_row *row, double y) {
  return y < row->lower ? row->lower : y > row->upper ? row->upper : y;
}

static inline double limpet_row_impulse(const limpet_constraint_row *row, double u) {
  return limpet_row_clamp(row, limpet_row_wanted(row, u));
}

// The cost, from y and gamma.
static inline double limpet_row_cost(const limpet_constraint_row *row, double y, double gamma) {
  return (gamma * y - 0.5 * gamma * gamma) / row->R_inverse;
}

// -dgamma/du, from y.
static inline double limpet_row_curvature(const limpet_constraint_row *row, double y) {
  return y < row->lower || y > row->upper ? 0.0 : row->R_inverse;
}

#endif
