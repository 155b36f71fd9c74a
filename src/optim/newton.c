/* optim/newton.c: Newton's method with exact line search.
 *
 * The line search solves f'(alpha) = 0 on [0, longest_step]. f is convex, so f' increases and every evaluation halves the doubt:
 * alpha = 1 is tried first (Newton's own answer, nearly always right close to the solution); otherwise Newton steps on f' from the last
 * evaluation, replaced by bisection when they leave the bracket or shrink it too slowly.
 * Source: Castro et al., Irrotational Contact Fields, section VIII; safeguarding as in Numerical Recipes, section 9.4. */
#include "optim/newton.h"

#include <math.h>
#include <string.h>

limpet_newton_settings limpet_newton_settings_default(void) {
  return (limpet_newton_settings){
      .tolerance = 1e-6, .iteration_limit = 100, .line_search_tolerance = 0.3, .line_search_limit = 60, .longest_step = 1.5};
}

// The root of f' on the ray; slope0 = f'(0) < 0. Returns alpha; counts evaluations.
static double line_search(const limpet_newton_problem *problem, const limpet_newton_settings *settings, double slope0,
                          int *evaluations) {
  double low = 0.0, high = settings->longest_step;
  double alpha = 1.0, slope, curvature;
  const double goal = settings->line_search_tolerance * -slope0;
  double last_width = high - low;

  for (int i = 0; i < settings->line_search_limit; ++i) {
    problem->along(problem->context, alpha, &slope, &curvature);
    ++*evaluations;
    if (fabs(slope) <= goal) return alpha;
    if (slope < 0.0) low = alpha;
    else high = alpha;
    if (low >= settings->longest_step) return low;

    // Newton on f'; past the end of the ray: the end, outside the bracket or too slow: bisection
    double next = curvature > 0.0 ? alpha - slope / curvature : high;
    const double width = high - low;
    if (slope < 0.0 && next >= settings->longest_step && high >= settings->longest_step) next = settings->longest_step;
    else if (!(next > low && next < high) || (i > 2 && width > 0.5 * last_width)) next = 0.5 * (low + high);
    last_width = width;
    if (width <= 1e-14 * high || next == alpha) return alpha;
    alpha = next;
  }
  return alpha;
}

// The iterate with the smallest residual so far, where round-off lets residuals wander.
typedef struct best_iterate {
  double residual;
  int stalled;  // steps since it was found
} best_iterate;

enum { STALL_LIMIT = 4 };

/* Whether to stop at x: within tolerance, or below what round-off explains and not getting better; then x becomes the best iterate. */
static bool converged(const limpet_newton_problem *problem, const limpet_newton_settings *settings,
                      const limpet_newton_measure *measure, limpet_newton_workspace *workspace, best_iterate *best, double *x) {
  const size_t size = (size_t)problem->n * sizeof *x;
  if (measure->residual <= settings->tolerance * measure->scale) return true;
  if (measure->residual > measure->floor) return false;
  if (measure->residual < best->residual) {
    best->residual = measure->residual;
    best->stalled = 0;
    memcpy(workspace->best, x, size);
    return false;
  }
  if (++best->stalled < STALL_LIMIT) return false;
  memcpy(x, workspace->best, size);
  problem->evaluate(problem->context, x, workspace->gradient);
  return true;
}

static double relative(const limpet_newton_measure *measure) {
  return measure->scale > 0.0 ? measure->residual / measure->scale : 0.0;
}

limpet_newton_info limpet_newton_minimize(const limpet_newton_problem *problem, const limpet_newton_settings *settings,
                                          limpet_newton_workspace *workspace, double *x) {
  limpet_newton_info info = {.outcome = LIMPET_NEWTON_ITERATION_LIMIT};
  best_iterate best = {.residual = INFINITY};
  double *g = workspace->gradient, *d = workspace->direction;
  const int n = problem->n;

  info.cost = problem->evaluate(problem->context, x, g);
  for (;;) {
    // converged?
    limpet_newton_measure measure;
    problem->measure(problem->context, x, g, &measure);
    info.residual = relative(&measure);
    if (!isfinite(measure.residual) || !isfinite(info.cost)) {
      info.outcome = LIMPET_NEWTON_FAILURE;
      return info;
    }
    if (converged(problem, settings, &measure, workspace, &best, x)) {
      info.outcome = LIMPET_NEWTON_SOLVED;
      return info;
    }
    if (info.iterations == settings->iteration_limit) return info;

    // direction
    ++info.factorizations;
    if (problem->direction(problem->context, g, d)) {
      info.outcome = LIMPET_NEWTON_FAILURE;
      return info;
    }
    double slope0 = 0.0;
    for (int i = 0; i < n; ++i) slope0 += g[i] * d[i];
    if (!(slope0 < 0.0)) {  // the gradient is round-off: nothing below can be gained
      info.outcome = slope0 == 0.0 || measure.residual <= 1e-10 * measure.scale ? LIMPET_NEWTON_SOLVED : LIMPET_NEWTON_FAILURE;
      return info;
    }

    // length
    const double size = problem->ray(problem->context, x, d);
    const double alpha = line_search(problem, settings, slope0, &info.line_search_evaluations);
    for (int i = 0; i < n; ++i) x[i] += alpha * d[i];
    ++info.iterations;
    info.cost = problem->evaluate(problem->context, x, g);

    // a full step that x does not feel: as close as doubles come
    if (alpha > 0.5 && size <= 1e-15 * measure.step) {
      problem->measure(problem->context, x, g, &measure);
      info.residual = relative(&measure);
      info.outcome = LIMPET_NEWTON_SOLVED;
      return info;
    }
  }
}
