/* optim/newton.h: Newton's method with exact line search for a smooth strictly convex function.
 *
 *   x_{k+1} = x_k + alpha_k d_k,   H(x_k) d_k = -g(x_k),   alpha_k = argmin f(x_k + alpha d_k)
 *
 * The function is handed in by callbacks, so that the caller can keep structure (blocks, patches)
 * to itself. Converged when the caller's residual is below tolerance * scale, or below what
 * round-off explains and no longer falling; both are the caller's measures. Where neither is so and
 * x does not feel a step any more, the outcome is that of the iteration limit. Line search: root of
 * the increasing function f'(x + alpha d) by Newton steps kept in a bracket. */
#ifndef LIMPET_OPTIM_NEWTON_H
#define LIMPET_OPTIM_NEWTON_H

#include <stdbool.h>

#include "limpet/base.h"

typedef struct limpet_newton_measure {
  double residual;  // norm of the gradient, in units of the caller's choice
  double scale;     // the same norm of the terms that the gradient is the difference of
  double floor;     // the same norm of their round-off: below this a residual means nothing
  // a scale that round-off counts over where `scale` is smaller, since 1e-6 of it does not matter
  // to the caller; 0: there is none
  double least_scale;
  double step;  // size of x in the norm in which steps are compared
} limpet_newton_measure;

/* Whether the residual is met where x does not feel a step any more: within the tolerance or 1e-10,
 * or within the round-off of its terms where they have fewer digits than that asks for, though not
 * beyond 1e-6 of the scale, or of the least one. What is so small that doubles do not hold its
 * square is zero. */
bool limpet_newton_met(const limpet_newton_measure *measure, double tolerance);
// [-]  residual over scale; where it is round-off, over the least scale if that is larger
double limpet_newton_relative(const limpet_newton_measure *measure);

typedef struct limpet_newton_problem {
  int n;
  void *context;
  // f(x), and g(x) into gradient (n); keeps what the other callbacks need at x
  double (*evaluate)(void *context, const double *x, double *gradient);
  void (*measure)(void *context, const double *x, const double *gradient,
                  limpet_newton_measure *measure);
  // direction (n) <- -H^-1 g at the x of the last evaluate; false: H is not positive definite
  bool (*direction)(void *context, const double *gradient, double *direction);
  // prepares the ray x + alpha d; returns the size of d in the norm of measure.step
  double (*ray)(void *context, const double *x, const double *direction);
  /* As evaluate, at x = old x + alpha d on the ray prepared last: what is linear in x may be moved
   * by its change along the ray, which keeps digits that x itself has no room for. */
  double (*advance)(void *context, double alpha, const double *x, double *gradient);
  // f'(alpha) and f''(alpha) on the ray; INFINITY where f is not finite
  void (*along)(void *context, double alpha, double *slope, double *curvature);
} limpet_newton_problem;

typedef struct limpet_newton_settings {
  double tolerance;  // [-]  relative residual
  int iteration_limit;
  double line_search_tolerance;  // [-]  |f'(alpha)| <= tolerance |f'(0)|; 0: exact to round-off
  int line_search_limit;         // evaluations
  double longest_step;           // largest alpha
} limpet_newton_settings;

limpet_newton_settings limpet_newton_settings_default(void);

typedef struct limpet_newton_workspace {
  double *gradient, *direction;  // (n) each
  bool evaluated;  // the callbacks are at the start already, gradient and cost are its: set by the
                   // caller, used once
  double cost;
} limpet_newton_workspace;

typedef enum limpet_newton_outcome {
  LIMPET_NEWTON_SOLVED,  // limpet_newton_met
  LIMPET_NEWTON_ITERATION_LIMIT,
  LIMPET_NEWTON_FAILURE  // NaN, or no descent direction
} limpet_newton_outcome;

typedef struct limpet_newton_info {
  limpet_newton_outcome outcome;
  int iterations;  // steps taken
  int line_search_evaluations;
  int factorizations;
  double cost;      // f at the solution
  double residual;  // relative: residual / scale
} limpet_newton_info;

/* The root of f' on the ray that was prepared last, slope0 = f'(0) < 0, as far as the settings ask.
 * Returns alpha; counts evaluations. */
double limpet_newton_line_search(const limpet_newton_problem *problem,
                                 const limpet_newton_settings *settings, double slope0,
                                 int *evaluations);
// Minimises from x (n), which receives the solution (the best iterate when there is none).
limpet_newton_info limpet_newton_minimize(const limpet_newton_problem *problem,
                                          const limpet_newton_settings *settings,
                                          limpet_newton_workspace *workspace, double *x);

#endif
