/* optim/qp.c: settings, memory, residuals and choice of method for quadratic programmes. See
 * qp.h. */
#include "optim/qp.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "optim/active_set.h"
#include "optim/interior_point.h"
#include "optim/qp_memory.h"

limpet_qp_settings limpet_qp_settings_default(void) {
  return (limpet_qp_settings){.method = LIMPET_QP_METHOD_AUTOMATIC,
                              .tolerance = 1e-12,
                              .iteration_limit = 100,
                              .polish = true,
                              .warm_start = false};
}

const char *limpet_qp_outcome_name(limpet_qp_outcome outcome) {
  static const char *const name[] = {"solved", "iteration limit", "infeasible", "failure"};
  return name[outcome];
}

int limpet_qp_row_total(const limpet_qp_problem *problem) {
  int total = problem->row_count;
  for (int k = 0; k < problem->cone_count; ++k) total += problem->cone_dimension[k];
  return total;
}

static double *take(char **memory, size_t *size, size_t count) {
  double *array = *memory ? (double *)(void *)(*memory + *size) : NULL;
  *size += (count * sizeof(double) + 63) / 64 * 64;
  return array;
}

size_t limpet_qp_memory_layout(limpet_qp_memory *w, limpet_qp_size size, char *block) {
  const int n = size.n, m = size.row_count, total = m + size.cone_row_count;
  *w = (limpet_qp_memory){.n = n, .ld = limpet_qp_pad(n, LIMPET_QP_LANES), .m = m, .total = total};
  w->ldm = limpet_qp_pad(m, LIMPET_QP_ROW_LANES);
  const size_t ld = (size_t)w->ld + LIMPET_QP_LANES, ldm = (size_t)w->ldm, all = (size_t)total,
               square = (size_t)n * ld;
  size_t bytes = limpet_working_set_layout(&w->set, n, block);
  double **const row[] = {&w->h, &w->s, &w->bound, &w->norm, &w->scale};
  double **const column[] = {&w->weight, &w->x, &w->u, &w->e, &w->b, &w->dx, &w->du, &w->free_x};
  for (size_t i = 0; i < sizeof row / sizeof *row; ++i) *row[i] = take(&block, &bytes, ldm);
  for (size_t i = 0; i < sizeof column / sizeof *column; ++i) *column[i] = take(&block, &bytes, ld);
  w->Gt = take(&block, &bytes, (size_t)n * ldm);

  struct limpet_interior_arrays *v = &w->interior;
  double **const of_variables[] = {&v->variable_scale, &v->c, &v->x, &v->dx, &v->dual, &v->right};
  double **const of_rows[] = {&v->row_scale, &v->h,       &v->s,      &v->lambda,
                              &v->ds,        &v->dlambda, &v->scaled, &v->target,
                              &v->primal,    &v->Gdx,     &v->scaling};
  for (size_t i = 0; i < sizeof of_variables / sizeof *of_variables; ++i)
    *of_variables[i] = take(&block, &bytes, ld);
  for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; ++i)
    *of_rows[i] = take(&block, &bytes, all);
  v->eta = take(&block, &bytes, (size_t)size.cone_count);
  w->face = (limpet_face *)(void *)take(&block, &bytes, (size_t)size.cone_count);
  w->tight = (bool *)(void *)take(&block, &bytes, (size_t)m);
  v->Q = take(&block, &bytes, square);
  v->H = take(&block, &bytes, square);
  v->G = take(&block, &bytes, all * ld);
  v->panel = take(&block, &bytes, 2 * all * ld);
  return bytes;
}

static size_t memory_bytes(void) { return (sizeof(limpet_qp_memory) + 63) / 64 * 64; }

size_t limpet_qp_workspace_size(limpet_qp_size size) {
  limpet_qp_memory memory;
  return memory_bytes() + limpet_qp_memory_layout(&memory, size, NULL);
}

void limpet_qp_workspace_init(limpet_qp_workspace *workspace, limpet_qp_size size, void *memory) {
  workspace->size = size;
  workspace->memory = memory;
  limpet_qp_memory_layout(workspace->memory, size, (char *)memory + memory_bytes());
}

limpet_qp_memory *limpet_qp_memory_for(const limpet_qp_problem *problem,
                                       limpet_qp_workspace *workspace) {
  limpet_qp_memory *memory = workspace->memory;
  const limpet_qp_size size = {.n = problem->n,
                               .row_count = problem->row_count,
                               .cone_row_count = limpet_qp_row_total(problem) - problem->row_count,
                               .cone_count = problem->cone_count};
  assert(size.n <= workspace->size.n && size.row_count <= workspace->size.row_count);
  assert(size.cone_row_count <= workspace->size.cone_row_count &&
         size.cone_count <= workspace->size.cone_count);
  if (memory->n != size.n || memory->m != size.row_count ||
      memory->total != size.row_count + size.cone_row_count)
    limpet_qp_memory_layout(memory, size, (char *)workspace->memory + memory_bytes());
  return memory;
}

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

// The certificate must hold to the tolerance, with h' lambda clear of round-off.
static bool proven(const limpet_qp_info *info, double tolerance) {
  return info->stationarity <= tolerance && info->complementarity < 0.0;
}

// The minimum without rows. Returns 1 if Q is not positive definite.
static int solve_free(const limpet_qp_problem *problem, limpet_qp_memory *memory) {
  if (limpet_working_set_reset(&memory->set, problem->Q, problem->n)) return 1;
  limpet_working_set_solve(&memory->set, problem->c, memory->e, memory->free_x, memory->u);
  memory->fresh = true;
  double square = 0.0;
  for (int j = 0; j < problem->n; ++j)
    square += problem->Q[(long)j * problem->n + j] * memory->free_x[j] * memory->free_x[j];
  memory->free_size = sqrt(square);
  memory->free_energy = fabs(limpet_dot(problem->n, problem->c, memory->free_x));
  return 0;
}

limpet_qp_info limpet_qp_solve(const limpet_qp_problem *problem, const limpet_qp_settings *settings,
                               limpet_qp_workspace *workspace, limpet_qp_solution *solution) {
  limpet_qp_info info = {.outcome = LIMPET_QP_FAILURE};
  limpet_qp_memory *memory = limpet_qp_memory_for(problem, workspace);
  if (solve_free(problem, memory)) return info;
  if (settings->method != LIMPET_QP_METHOD_INTERIOR_POINT) {
    limpet_active_set_solve(problem, memory, settings->warm_start, solution, &info);
    if (info.outcome == LIMPET_QP_FAILURE &&
        (problem->cone_count == 0 || settings->method == LIMPET_QP_METHOD_ACTIVE_SET))
      return info;
    if (info.outcome == LIMPET_QP_SOLVED && limpet_qp_within(&info, settings->tolerance))
      return info;
    if (info.outcome != LIMPET_QP_FAILURE) limpet_qp_residuals(problem, solution, workspace, &info);
    if (info.outcome == LIMPET_QP_SOLVED && limpet_qp_within(&info, settings->tolerance))
      return info;
    if (info.outcome == LIMPET_QP_INFEASIBLE && proven(&info, settings->tolerance)) return info;
    if (settings->method == LIMPET_QP_METHOD_ACTIVE_SET) {
      info.outcome = LIMPET_QP_ITERATION_LIMIT;
      return info;
    }
  }
  limpet_interior_point_solve(problem, settings, workspace, solution, &info);
  return info;
}
