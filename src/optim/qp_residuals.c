/* optim/qp_residuals.c: how far a point is from the solution of a quadratic programme, relative to
 * the terms that cancel. See qp.h. */
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "optim/qp_memory.h"

static inline double larger(double a, double b) { return a > b ? a : b; }

/* How far s is outside the cone of dimension d with rows from i on, relative to |h| + |G| |x| of
 * its rows, x the solution and the minimum without rows, of which |G| |x0| <= |g| free_size. */
static double violation(const limpet_qp_problem *problem, int d, int i, const double *x,
                        const double *s, double free_size) {
  const int n = problem->n;
  double square = 0.0, size = 0.0;
  for (int l = i + 1; l < i + d; ++l) square += s[l] * s[l];
  const double outside = sqrt(square) - s[i];
  if (outside <= 0.0) return 0.0;
  for (int l = i; l < i + d; ++l) {
    double bound = fabs(problem->h[l]), norm = 0.0;
    for (int j = 0; j < n; ++j) {
      const double g = problem->G[(long)l * n + j];
      bound += fabs(g * x[j]);
      norm += g * g / problem->Q[(long)j * n + j];
    }
    size = fmax(size, bound + sqrt(norm) * free_size);
  }
  return outside / size;
}

void limpet_qp_residuals(const limpet_qp_problem *problem, const limpet_qp_solution *solution,
                         limpet_qp_workspace *workspace, limpet_qp_info *info) {
  limpet_qp_memory *w = workspace->memory;
  const int n = problem->n, total = limpet_qp_row_total(problem);
  const double *x = solution->x, *lambda = solution->multipliers, *s = solution->slack;
  const bool certificate = info->outcome == LIMPET_QP_INFEASIBLE;
  double *force = w->dx, *size = w->du, *curve = w->b;
  memset(force, 0, (size_t)n * sizeof(double));
  memset(size, 0, (size_t)n * sizeof(double));

  // rows: G' lambda, products with s and h, and for the certificate the sums of magnitudes
  double gap = 0.0, offset = 0.0, offset_size = 0.0;
  info->infeasibility = 0.0;
  for (int i = 0; i < total; ++i) {
    if (lambda[i] != 0.0) {
      const double *g = problem->G + (long)i * n;
      limpet_axpy(n, lambda[i], g, force);
      gap += s[i] * lambda[i];
      offset += problem->h[i] * lambda[i];
      offset_size += fabs(problem->h[i] * lambda[i]);
      for (int j = 0; j < n; ++j) size[j] += fabs(lambda[i] * g[j]);
    }
    if (i < problem->row_count && !(s[i] >= 0.0) && !certificate)
      info->infeasibility = fmax(info->infeasibility, violation(problem, 1, i, x, s, w->free_size));
    if (!isfinite(s[i])) info->infeasibility = INFINITY;
  }
  if (certificate) {
    double worst = 0.0, most = 0.0;
    for (int j = 0; j < n; ++j) {
      const double unit = 1.0 / sqrt(problem->Q[(long)j * n + j]);
      worst = fmax(worst, fabs(force[j]) * unit);
      most = fmax(most, size[j] * unit);
    }
    info->stationarity = most > 0.0 ? worst / most : worst;
    info->complementarity = offset / offset_size;
    return;
  }
  for (int k = 0, i = problem->row_count; k < problem->cone_count;
       i += problem->cone_dimension[k], ++k)
    info->infeasibility = fmax(
        info->infeasibility, violation(problem, problem->cone_dimension[k], i, x, s, w->free_size));

  double most = 0.0;
  for (int j = 0; j < n; ++j) {
    curve[j] = limpet_dot(n, problem->Q + (long)j * n, x);
    size[j] += fabs(problem->c[j]);
    for (int k = 0; k < n; ++k) size[j] += fabs(problem->Q[(long)j * n + k] * x[k]);
    most = fmax(most, size[j]);
  }
  const double terms =
      limpet_qp_residuals_combine(problem, x, curve, force, gap, offset, w->free_energy, info);
  if (most > terms) info->stationarity *= terms / most;
}

double limpet_qp_residuals_combine(const limpet_qp_problem *problem, const double *x,
                                   const double *curve, const double *force, double gap,
                                   double offset, double free_energy, limpet_qp_info *info) {
  double quadratic = 0.0, linear = 0.0, worst = 0.0, scale = 0.0, sum = 0.0;
  for (int j = 0; j < problem->n; ++j) {
    const double c = problem->c[j], rest = curve[j] + c - force[j];
    quadratic += x[j] * curve[j];
    linear += x[j] * c;
    sum += rest;
    worst = larger(worst, fabs(rest));
    scale = larger(scale, larger(fabs(curve[j]), larger(fabs(c), fabs(force[j]))));
  }
  const double energy =
      larger(fabs(quadratic), larger(free_energy, larger(fabs(linear), fabs(offset))));
  if (!isfinite(sum)) worst = INFINITY;
  info->stationarity = scale > 0.0 ? worst / scale : worst;
  info->complementarity = energy > 0.0 ? fabs(gap) / energy : fabs(gap);
  return scale;
}

bool limpet_qp_within(const limpet_qp_info *info, double tolerance) {
  return info->stationarity <= tolerance && info->infeasibility <= tolerance &&
         info->complementarity <= tolerance;
}
