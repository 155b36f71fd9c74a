/* optim/interior_system.c: scaling of the problem, Nesterov-Todd scaling of its rows, and the
 * matrix Q + G' W^-2 G.
 *
 * A cone's rows have one scale, or it would be another cone. W^-1 G is formed row by row and
 * multiplied out, because the terms of G' W^-2 G written by cone cancel close to its boundary. */
#include "optim/interior_system.h"

#include <string.h>

#include "math/dense_table.h"
#include "optim/cone.h"

typedef void cone_function(int d, const double *w, double eta, const double *u, double *v);

void limpet_interior_scale(const limpet_interior *r, bool inverse, const double *u, double *v) {
  const struct limpet_interior_arrays *a = r->v;
  for (int i = 0; i < r->m; ++i) v[i] = inverse ? u[i] / a->scaling[i] : u[i] * a->scaling[i];
  cone_function *f = inverse ? limpet_cone_unscale : limpet_cone_scale;
  for (int k = 0, i = r->m; k < r->problem->cone_count; i += r->problem->cone_dimension[k], ++k)
    f(r->problem->cone_dimension[k], a->scaling + i, a->eta[k], u + i, v + i);
}

static double row_length(const limpet_interior *r, int i) {
  double square = 0.0;
  for (int j = 0; j < r->n; ++j) {
    const double g = r->problem->G[(long)i * r->n + j] * r->v->variable_scale[j];
    square += g * g;
  }
  return sqrt(square);
}

bool limpet_interior_setup(limpet_interior *r) {
  struct limpet_interior_arrays *v = r->v;
  const limpet_qp_problem *p = r->problem;
  const int n = r->n, ld = r->ld;
  for (int j = 0; j < n; ++j) {
    if (!(p->Q[(long)j * n + j] > 0.0)) return false;
    v->variable_scale[j] = 1.0 / sqrt(p->Q[(long)j * n + j]);
  }
  for (int i = 0; i < r->m; ++i) v->row_scale[i] = row_length(r, i);
  for (int k = 0, i = r->m; k < p->cone_count; i += p->cone_dimension[k], ++k) {
    double most = 0.0;
    for (int l = 0; l < p->cone_dimension[k]; ++l) most = fmax(most, row_length(r, i + l));
    for (int l = 0; l < p->cone_dimension[k]; ++l) v->row_scale[i + l] = most;
  }
  r->size = 0.0;
  for (int j = 0; j < n; ++j) r->size = fmax(r->size, fabs(p->c[j] * v->variable_scale[j]));
  double offset = 0.0;
  for (int i = 0; i < r->total; ++i) {
    v->row_scale[i] = v->row_scale[i] > 0.0 ? 1.0 / v->row_scale[i] : 1.0;
    offset = fmax(offset, fabs(p->h[i] * v->row_scale[i]));
  }
  if (!(r->size > 0.0)) r->size = offset > 0.0 ? offset : 1.0;

  memset(v->Q, 0, (size_t)n * (size_t)ld * sizeof(double));
  memset(v->G, 0, (size_t)r->total * (size_t)ld * sizeof(double));
  for (int j = ld; j-- > n;) v->x[j] = v->dx[j] = v->c[j] = 0.0;
  for (int i = 0; i < n; ++i) {
    v->c[i] = p->c[i] * v->variable_scale[i] / r->size;
    for (int j = 0; j < n; ++j)
      v->Q[(long)i * ld + j] = p->Q[(long)i * n + j] * v->variable_scale[i] * v->variable_scale[j];
  }
  for (int i = 0; i < r->total; ++i) {
    v->h[i] = p->h[i] * v->row_scale[i] / r->size;
    for (int j = 0; j < n; ++j)
      v->G[(long)i * ld + j] = p->G[(long)i * n + j] * v->row_scale[i] * v->variable_scale[j];
  }
  // Q alone must be positive definite, not only with the rows
  memcpy(v->H, v->Q, (size_t)n * (size_t)ld * sizeof(double));
  return limpet_dense()->cholesky(n, v->H, ld, NULL) == 0;
}

// The rows [-W^-1 G, W^-1 G] of a cone, as limpet_cone_unscale for each column of G (d x ld) at a
// time; share: (ld) spent.
static void cone_panel(int d, int ld, const double *w, double factor, const double *G,
                       double *share, double *panel) {
  for (int j = 0; j < ld; ++j) share[j] = 0.0;
  for (int l = 1; l < d; ++l)
    for (int j = 0; j < ld; ++j) share[j] += w[l] * G[(long)l * ld + j];
  for (int j = 0; j < ld; ++j) {
    panel[ld + j] = factor * (w[0] * G[j] - share[j]), panel[j] = -panel[ld + j];
    share[j] = share[j] / (1.0 + w[0]) - G[j];
  }
  for (int l = 1; l < d; ++l) {
    double *row = panel + 2L * l * ld;
    for (int j = 0; j < ld; ++j)
      row[ld + j] = factor * (G[(long)l * ld + j] + w[l] * share[j]), row[j] = -row[ld + j];
  }
}

void limpet_interior_panel(limpet_interior *r) {
  struct limpet_interior_arrays *v = r->v;
  const int ld = r->ld;
  for (int i = 0; i < r->m; ++i) {
    double *row = v->panel + 2L * i * ld;
    const double *g = v->G + (long)i * ld, factor = 1.0 / v->scaling[i];
    for (int j = 0; j < ld; ++j) row[ld + j] = factor * g[j], row[j] = -row[ld + j];
  }
  for (int k = 0, i = r->m; k < r->problem->cone_count; i += r->problem->cone_dimension[k], ++k) {
    const int d = r->problem->cone_dimension[k];
    cone_panel(d, ld, v->scaling + i, 1.0 / v->eta[k], v->G + (long)i * ld, v->right,
               v->panel + 2L * i * ld);
  }
}

bool limpet_interior_factor(limpet_interior *r, double factor) {
  struct limpet_interior_arrays *v = r->v;
  const int n = r->n, ld = r->ld;
  for (long i = 0; i < (long)n * ld; ++i) v->H[i] = factor * v->Q[i];
  const limpet_panel_update gram = {
      .m = n, .n = n, .a = 0, .b = ld, .target = 0, .ldc = ld, .lower = 1};
  if (r->total > 0) limpet_dense()->panel_update(1, &gram, r->total, v->panel, 2 * ld, v->H);
  return limpet_dense()->cholesky(n, v->H, ld, NULL) == 0;
}

void limpet_interior_mul_t(const limpet_interior *r, const double *u, double *y) {
  r->kernels->mul_t(r->total, r->ld, r->v->panel + r->ld, 2 * r->ld, u, y);
}
void limpet_interior_mul(const limpet_interior *r, const double *y, double *u) {
  r->kernels->mul(r->total, 0, r->ld, r->v->panel + r->ld, 2 * r->ld, y, u);
}

void limpet_interior_scaling(limpet_interior *r) {
  struct limpet_interior_arrays *v = r->v;
  for (int i = 0; i < r->m; ++i) v->scaling[i] = sqrt(v->s[i] / v->lambda[i]);
  for (int k = 0, i = r->m; k < r->problem->cone_count; i += r->problem->cone_dimension[k], ++k)
    limpet_cone_scaling(r->problem->cone_dimension[k], v->s + i, v->lambda + i, v->scaling + i,
                        &v->eta[k]);
  limpet_interior_scale(r, false, v->lambda, v->scaled);
}

void limpet_interior_scaling_one(limpet_interior *r) {
  struct limpet_interior_arrays *v = r->v;
  for (int i = 0; i < r->m; ++i) v->scaling[i] = 1.0;
  for (int k = 0, i = r->m; k < r->problem->cone_count; i += r->problem->cone_dimension[k], ++k) {
    memset(v->scaling + i, 0, (size_t)r->problem->cone_dimension[k] * sizeof(double));
    v->scaling[i] = v->eta[k] = 1.0;
  }
}
