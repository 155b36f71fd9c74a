/* solve/row.h: one scalar row of the problem as a function of its speed u = a v.
 *
 *   y          = (v_hat - u)/R                   impulse of the row's spring
 *   gamma      = clamp(y, lower, upper)          [N s, N m s]
 *   cost       = R (gamma y - gamma^2/2)         [J]  1/2 R gamma^2 within the bounds, then linear
 *   -dgamma/du = 1/R within the bounds, else 0   [kg, kg m^2] */
#ifndef LIMPET_SOLVE_ROW_H
#define LIMPET_SOLVE_ROW_H

#include "contact/problem.h"

// u = a x; x in the order of the island.
static inline double limpet_row_speed(const limpet_contact_problem *problem,
                                      const limpet_constraint_row *row, const double *x) {
  double u = 0.0;
  for (int e = row->entry; e < row->entry + row->entry_count; ++e)
    u += problem->entry_value[e] * x[problem->entry_dof[e]];
  return u;
}

// impulse += a' gamma
static inline void limpet_row_push(const limpet_contact_problem *problem,
                                   const limpet_constraint_row *row, double gamma,
                                   double *impulse) {
  for (int e = row->entry; e < row->entry + row->entry_count; ++e)
    impulse[problem->entry_dof[e]] += problem->entry_value[e] * gamma;
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

static inline double limpet_row_cost(const limpet_constraint_row *row, double u) {
  const double y = limpet_row_wanted(row, u), gamma = limpet_row_clamp(row, y);
  return (gamma * y - 0.5 * gamma * gamma) / row->R_inverse;
}

// -dgamma/du, from y.
static inline double limpet_row_curvature(const limpet_constraint_row *row, double y) {
  return y < row->lower || y > row->upper ? 0.0 : row->R_inverse;
}

#endif
