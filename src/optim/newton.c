/* optim/newton.c: Newton's method with exact line search.
 *
 * The line search solves f'(alpha) = 0 on [0, longest_step]. f is convex, so f' increases and every
 * evaluation halves the doubt: alpha = 1 is tried first (Newton's own answer, nearly always right
 * close to the solution); otherwise Newton steps on f' from the last evaluation, replaced by
 * bisection when they leave the bracket or shrink it too slowly.
 * Source: Castro et al., Irrotational Contact Fields, section VIII; safeguarding as in Numerical
 * Recipes, section 9.4. */
#include "optim/newton.h"

#include <assert.h>
#include <math.h>

static const double narrow = 1e-14;  // [-]  bracket of the line search over its upper end
static const double unfelt = 1e-15;  // [-]  step over x, in the norm of the ray: x does not change
static const double rounded = 1e-6;  // [-]  of the scale, to which round-off explains a residual
static const double tiny = 1e-140;   // a norm whose square doubles hardly hold
// [-]  residual over scale up to which a slope that does not fall is round-off
static const double sloped = 1e-10;

// The scale that a residual counts over: where it is round-off, at least the least one.
static double scale_of(const limpet_newton_measure *m) {
  return m->residual <= m->floor ? fmax(m->scale, m->least_scale) : m->scale;
}

bool limpet_newton_met(const limpet_newton_measure *m, double tolerance) {
  assert(m);
  return m->residual <= fmax(tolerance, sloped) * m->scale ||
         m->residual <= fmin(m->floor, rounded * scale_of(m)) ||
         (m->residual <= tiny && m->scale <= tiny);
}

double limpet_newton_relative(const limpet_newton_measure *m) {
  assert(m);
  if (m->residual <= tiny && m->scale <= tiny) return 0.0;
  const double scale = scale_of(m);
  return scale > 0.0 ? m->residual / scale : 1.0;
}

limpet_newton_settings limpet_newton_settings_default(void) {
  return (limpet_newton_settings){.tolerance = 1e-6,
                                  .iteration_limit = 100,
                                  .line_search_tolerance = 0.3,
                                  .line_search_limit = 60,
                                  .longest_step = 1.5};
}

double limpet_newton_line_search(const limpet_newton_problem *problem,
                                 const limpet_newton_settings *settings, double slope0,
                                 int *evaluations) {
  double low = 0.0, high = settings->longest_step;
  double alpha = 1.0, slope = 0.0, curvature;
  const double goal = settings->line_search_tolerance * -slope0;
  double last_width = high - low;

  for (int i = 0; i < settings->line_search_limit; ++i) {
    problem->along(problem->context, alpha, &slope, &curvature);
    ++*evaluations;
    if (fabs(slope) <= goal) return alpha;
    if (slope < 0.0) low = alpha;
    else high = alpha;
    if (low >= settings->longest_step) return low;

    // Newton on f'; past the end of the ray: the end; outside the bracket, too slow, or f infinite:
    // bisection
    double next = curvature > 0.0 ? alpha - slope / curvature : high;
    const double width = high - low;
    if (slope < 0.0 && next >= settings->longest_step && high >= settings->longest_step)
      next = settings->longest_step;
    else if (!(next > low && next < high) || (i > 2 && width > 0.5 * last_width))
      next = 0.5 * (low + high);
    last_width = width;
    if (width <= narrow * high || next == alpha) return isfinite(slope) ? alpha : low;
    alpha = next;
  }
  return isfinite(slope) ? alpha : low;
}

// Whether f is finite at alpha on the ray.
static bool admits(const limpet_newton_problem *problem, double alpha) {
  double slope, curvature;
  problem->along(problem->context, alpha, &slope, &curvature);
  return isfinite(slope);
}

limpet_newton_info limpet_newton_minimize(const limpet_newton_problem *problem,
                                          const limpet_newton_settings *settings,
                                          limpet_newton_workspace *workspace, double *x) {
  assert(problem);
  limpet_newton_info info = {.outcome = LIMPET_NEWTON_ITERATION_LIMIT};
  double *g = workspace->gradient, *d = workspace->direction;
  const int n = problem->n;

  info.cost = workspace->evaluated ? workspace->cost : problem->evaluate(problem->context, x, g);
  workspace->evaluated = false;
  double best = INFINITY;
  for (int stalled = 0;;) {
    // converged? where round-off rules, as soon as two steps gained little on the best so far
    limpet_newton_measure measure;
    problem->measure(problem->context, x, g, &measure);
    info.residual = limpet_newton_relative(&measure);
    if (!isfinite(measure.residual) || !isfinite(info.cost)) {
      info.outcome = LIMPET_NEWTON_FAILURE;
      return info;
    }
    if (measure.residual <= 0.5 * best) stalled = 0;
    else if (measure.residual <= measure.floor) ++stalled;
    best = fmin(best, measure.residual);
    const bool met = limpet_newton_met(&measure, settings->tolerance);
    if (measure.residual <= settings->tolerance * measure.scale || stalled == 2) {
      if (met) info.outcome = LIMPET_NEWTON_SOLVED;
      return info;
    }
    if (info.iterations == settings->iteration_limit) return info;

    // direction
    ++info.factorizations;
    if (!problem->direction(problem->context, g, d)) {
      info.outcome = LIMPET_NEWTON_FAILURE;
      return info;
    }
    double slope0 = 0.0;
    for (int i = 0; i < n; ++i) slope0 += g[i] * d[i];
    if (!(slope0 < 0.0)) {  // the gradient is round-off: nothing below can be gained
      const bool still = slope0 == 0.0 || measure.residual <= sloped * measure.scale;
      if (met) info.outcome = LIMPET_NEWTON_SOLVED;
      else if (!still) info.outcome = LIMPET_NEWTON_FAILURE;
      return info;
    }

    // length
    const double size = problem->ray(problem->context, x, d);
    const double alpha =
        measure.residual <= measure.floor && admits(problem, 1.0)
            ? 1.0  // below the floor slopes are round-off
            : limpet_newton_line_search(problem, settings, slope0, &info.line_search_evaluations);
    for (int i = 0; i < n; ++i) x[i] += alpha * d[i];
    ++info.iterations;
    info.cost = problem->advance(problem->context, alpha, x, g);

    // a full step that x does not feel: as close as doubles come
    if (alpha > 0.5 && size <= unfelt * measure.step) {
      problem->measure(problem->context, x, g, &measure);
      info.residual = limpet_newton_relative(&measure);
      if (limpet_newton_met(&measure, settings->tolerance)) info.outcome = LIMPET_NEWTON_SOLVED;
      return info;
    }
  }
}
