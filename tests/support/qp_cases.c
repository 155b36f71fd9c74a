#include "qp_cases.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shared_data.h"

void qp_case_reset(qp_case *c, int n) {
  memset(c, 0, sizeof *c);
  for (int i = 0; i < n; ++i) c->Q[i * n + i] = 1.0;
  c->problem = (limpet_qp_problem){
      .n = n, .cone_dimension = c->cone_dimension, .Q = c->Q, .c = c->c, .G = c->G, .h = c->h};
}

void qp_case_row(qp_case *c, const double *g, double h) {
  assert(c->problem.cone_count == 0 && c->problem.row_count < QP_MOST_ROWS);
  const int i = c->problem.row_count++;
  memcpy(c->G + i * c->problem.n, g, (size_t)c->problem.n * sizeof *g);
  c->h[i] = h;
}

void qp_case_cone(qp_case *c, int dimension, const double *G, const double *h) {
  const int i = limpet_qp_row_total(&c->problem), n = c->problem.n;
  assert(i + dimension <= QP_MOST_ROWS && c->problem.cone_count < QP_MOST_CONES);
  c->cone_dimension[c->problem.cone_count++] = dimension;
  memcpy(c->G + i * n, G, (size_t)(dimension * n) * sizeof *G);
  memcpy(c->h + i, h, (size_t)dimension * sizeof *h);
}

static void read_cones(qp_case *c, const json_t *item) {
  static const char *const row[] = {"normal", "tangent1", "tangent2", "torsion"};
  const int d = (int)json_integer_value(json_object_get(item, "dimension")), n = c->problem.n;
  const json_t *cones = json_object_get(item, "cones");
  for (size_t k = 0; k < json_array_size(cones); ++k) {
    const json_t *cone = json_array_get(cones, k);
    double G[4 * QP_MOST_VARIABLES], h[4] = {json_number_value(json_object_get(cone, "phi"))};
    for (int l = 0; l < d; ++l) json_numbers(json_object_get(cone, row[l]), G + l * n, n);
    qp_case_cone(c, d, G, h);
  }
}

bool qp_case_read(qp_case *c, const json_t *item) {
  const int n = (int)json_array_size(json_object_get(item, "c"));
  assert(n <= QP_MOST_VARIABLES);
  qp_case_reset(c, n);
  json_numbers(json_object_get(item, "Q"), c->Q, n * n);
  json_numbers(json_object_get(item, "c"), c->c, n);
  if (json_object_get(item, "cones")) {
    read_cones(c, item);
  } else {
    c->problem.row_count = json_numbers(json_object_get(item, "h"), c->h, QP_MOST_ROWS);
    json_numbers(json_object_get(item, "G"), c->G, c->problem.row_count * n);
  }
  if (json_is_true(json_object_get(item, "infeasible"))) return false;
  json_numbers(json_object_get(item, "x"), c->x, n);
  json_numbers(json_object_get(item, "multipliers"), c->multipliers, QP_MOST_ROWS);
  return true;
}

void qp_case_random(qp_case *c, unsigned long *seed, int n, int m, int active, int weak) {
  qp_case_reset(c, n);
  double A[QP_MOST_VARIABLES * QP_MOST_VARIABLES];
  for (int i = 0; i < n * n; ++i) A[i] = random_uniform(seed, -1.0, 1.0);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      c->Q[i * n + j] = i == j ? 0.1 : 0.0;
      for (int k = 0; k < n; ++k) c->Q[i * n + j] += A[i * n + k] * A[j * n + k];
    }
  for (int j = 0; j < n; ++j) c->x[j] = random_uniform(seed, -1.0, 1.0);
  for (int i = 0; i < m; ++i) {
    double g[QP_MOST_VARIABLES], value = 0.0;
    for (int j = 0; j < n; ++j) g[j] = random_uniform(seed, -1.0, 1.0), value += g[j] * c->x[j];
    const double slack = i < active + weak ? 0.0 : random_uniform(seed, 0.01, 1.0);
    c->multipliers[i] = i < active ? random_uniform(seed, 0.1, 1.0) : 0.0;
    qp_case_row(c, g, slack - value);
  }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) c->c[j] += c->G[i * n + j] * c->multipliers[i];
    for (int k = 0; k < n; ++k) c->c[j] -= c->Q[j * n + k] * c->x[k];
  }
}

void qp_run_create(qp_run *run) {
  memset(run, 0, sizeof *run);
  const limpet_qp_size size = {QP_MOST_VARIABLES, QP_MOST_ROWS, QP_MOST_ROWS, QP_MOST_CONES};
  run->memory = aligned_alloc(64, (limpet_qp_workspace_size(size) + 63) / 64 * 64);
  limpet_qp_workspace_init(&run->workspace, size, run->memory);
  run->solution = (limpet_qp_solution){run->x, run->multipliers, run->slack};
}

void qp_run_destroy(qp_run *run) { free(run->memory); }

void qp_run_solve(qp_run *run, const qp_case *c, limpet_qp_method method, bool warm) {
  limpet_qp_settings settings = limpet_qp_settings_default();
  settings.method = method;
  settings.warm_start = warm;
  run->info = limpet_qp_solve(&c->problem, &settings, &run->workspace, &run->solution);
}

static long double outside(int d, const long double *u) {
  long double square = 0.0L;
  for (int i = 1; i < d; ++i) square += u[i] * u[i];
  return sqrtl(square) - u[0];
}

// How far lambda is outside K, over max |lambda|.
static long double multipliers_outside(const qp_case *c, const double *multipliers) {
  const int total = limpet_qp_row_total(&c->problem);
  long double worst = 0.0L, most = 0.0L;
  for (int i = 0; i < total; ++i) most = fmaxl(most, fabsl((long double)multipliers[i]));
  for (int i = 0; i < c->problem.row_count; ++i) worst = fmaxl(worst, -(long double)multipliers[i]);
  for (int k = 0, i = c->problem.row_count; k < c->problem.cone_count;
       i += c->cone_dimension[k], ++k) {
    long double u[LIMPET_QP_LARGEST_CONE];
    for (int l = 0; l < c->cone_dimension[k]; ++l) u[l] = multipliers[i + l];
    worst = fmaxl(worst, outside(c->cone_dimension[k], u));
  }
  return most > 0.0L ? worst / most : worst;
}

// x = -Q^-1 c, the minimum without rows; Q positive definite, so elimination needs no pivoting.
static void free_minimum(const qp_case *c, long double *x) {
  const int n = c->problem.n;
  static long double A[QP_MOST_VARIABLES][QP_MOST_VARIABLES];
  for (int i = 0; i < n; ++i) {
    x[i] = -(long double)c->c[i];
    for (int j = 0; j < n; ++j) A[i][j] = c->Q[i * n + j];
  }
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) {
      const long double share = A[i][k] / A[k][k];
      for (int j = k; j < n; ++j) A[i][j] -= share * A[k][j];
      x[i] -= share * x[k];
    }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) x[i] -= A[i][j] * x[j];
    x[i] /= A[i][i];
  }
}

double qp_optimality(const qp_case *c, const double *x, const double *multipliers) {
  const int n = c->problem.n, total = limpet_qp_row_total(&c->problem);
  static long double s[QP_MOST_ROWS], bound[QP_MOST_ROWS];
  for (int j = 0; j < n; ++j)
    if (!isfinite(x[j])) return INFINITY;
  for (int i = 0; i < total; ++i)
    if (!isfinite(multipliers[i])) return INFINITY;
  static long double x_free[QP_MOST_VARIABLES];
  free_minimum(c, x_free);
  long double free_size = 0.0L;
  for (int j = 0; j < n; ++j) free_size += c->Q[j * n + j] * x_free[j] * x_free[j];
  free_size = sqrtl(free_size);
  long double force[QP_MOST_VARIABLES] = {0}, terms[QP_MOST_VARIABLES] = {0};
  long double gap = 0.0L, offset = 0.0L, worst = multipliers_outside(c, multipliers);
  for (int i = 0; i < total; ++i) {
    long double norm = 0.0L;
    s[i] = c->h[i], bound[i] = fabsl((long double)c->h[i]);
    for (int j = 0; j < n; ++j) {
      s[i] += (long double)c->G[i * n + j] * x[j];
      bound[i] += fabsl((long double)c->G[i * n + j] * x[j]);
      norm += (long double)c->G[i * n + j] * c->G[i * n + j] / c->Q[j * n + j];
      force[j] += (long double)c->G[i * n + j] * multipliers[i];
      terms[j] += fabsl((long double)c->G[i * n + j] * multipliers[i]);
    }
    bound[i] += sqrtl(norm) * free_size;  // |G| |x0| at most
    gap += s[i] * multipliers[i], offset += (long double)c->h[i] * multipliers[i];
    if (i < c->problem.row_count && s[i] < 0.0L) worst = fmaxl(worst, -s[i] / bound[i]);
  }
  for (int k = 0, i = c->problem.row_count; k < c->problem.cone_count;
       i += c->cone_dimension[k], ++k)
    if (outside(c->cone_dimension[k], s + i) > 0.0L) {
      long double most = 0.0L;
      for (int l = 0; l < c->cone_dimension[k]; ++l) most = fmaxl(most, bound[i + l]);
      worst = fmaxl(worst, outside(c->cone_dimension[k], s + i) / most);
    }
  long double residual = 0.0L, scale = 0.0L, quadratic = 0.0L, linear = 0.0L;
  for (int i = 0; i < n; ++i) {
    long double product = 0.0L;
    for (int j = 0; j < n; ++j) {
      product += (long double)c->Q[i * n + j] * x[j];
      terms[i] += fabsl((long double)c->Q[i * n + j] * x[j]);
    }
    residual = fmaxl(residual, fabsl(product + c->c[i] - force[i]));
    scale = fmaxl(scale, terms[i] + fabsl((long double)c->c[i]));
    quadratic += product * x[i], linear += (long double)c->c[i] * x[i];
  }
  long double free_energy = 0.0L;
  for (int j = 0; j < n; ++j) free_energy += (long double)c->c[j] * x_free[j];
  const long double energy =
      fmaxl(fmaxl(fabsl(quadratic), fabsl(free_energy)), fmaxl(fabsl(linear), fabsl(offset)));
  if (scale > 0.0L) worst = fmaxl(worst, residual / scale);
  if (energy > 0.0L) worst = fmaxl(worst, fabsl(gap) / energy);
  return isfinite((double)worst) ? (double)worst : INFINITY;
}

double qp_certificate(const qp_case *c, const double *multipliers) {
  const int n = c->problem.n, total = limpet_qp_row_total(&c->problem);
  long double worst = 0.0L, most = 0.0L, offset = 0.0L;
  for (int i = 0; i < total; ++i) offset += (long double)c->h[i] * multipliers[i];
  for (int j = 0; j < n; ++j) {
    long double force = 0.0L, size = 0.0L;
    for (int i = 0; i < total; ++i) {
      force += (long double)c->G[i * n + j] * multipliers[i];
      size += fabsl((long double)c->G[i * n + j] * multipliers[i]);
    }
    worst = fmaxl(worst, fabsl(force) / sqrtl(c->Q[j * n + j]));
    most = fmaxl(most, size / sqrtl(c->Q[j * n + j]));
  }
  if (most > 0.0L) worst /= most;
  return offset < 0.0L ? (double)fmaxl(worst, multipliers_outside(c, multipliers)) : INFINITY;
}

double qp_difference(int n, const double *a, const double *b) {
  double worst = 0.0, most = 0.0;
  for (int i = 0; i < n; ++i) {
    if (!isfinite(a[i])) return INFINITY;
    worst = fmax(worst, fabs(a[i] - b[i]));
    most = fmax(most, fabs(b[i]));
  }
  return most > 0.0 ? worst / most : worst;
}
