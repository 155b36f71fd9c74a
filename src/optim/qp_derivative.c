/* optim/qp_derivative.c: derivatives of the solution of a quadratic programme. Equations in
 * qp_derivative.h.
 *
 * With s = G x + h, u = s_ / ||s_|| of a boundary and ds = dG x + dh, the change of its gradient
 * times mu adds
 *   b += mu / ||s_|| G_' (1 - u u') ds_,   e = -(ds[0] - u'ds_)
 * to H dx + b = A'du, A dx = e. Adjoint: H w + gx = A'v, A w = 0 give gx'dx = w'b + v'e, in which
 * ds of row i has the coefficient
 *   q_i = -v_i (tight, apex);   q = (-v, v u + mu / ||s_|| (1 - u u') G_ w) (boundary);   0 (free)
 * and so h gets q, row i of G gets q_i x' - lambda_i w'. */
#include "optim/qp_derivative.h"

#include <math.h>
#include <string.h>

#include "optim/cone.h"
#include "optim/face.h"

// [-]  slack / (|h_i| + |G_i| |x|), multiplier / slack: less counts as none
static const double TIGHT = 1e-9;

static double row_dot(const limpet_qp_problem *p, int i, const double *x) {
  double s = 0.0;
  for (int j = 0; j < p->n; ++j) s += p->G[(long)i * p->n + j] * x[j];
  return s;
}

// Where the row named `row` stands in the set; -1: it is not in it.
static int place(const limpet_working_set *set, int row) {
  for (int k = 0; k < set->count; ++k)
    if (set->row[k] == row) return k;
  return -1;
}

// Tight rows without a multiplier, and those in the span of others.
static void rows_count(limpet_qp_derivative *a) {
  const limpet_qp_problem *p = a->problem;
  limpet_qp_memory *w = a->workspace->memory;
  for (int i = 0; i < p->row_count; ++i) {
    double bound = fabs(p->h[i]), total;
    for (int j = 0; j < p->n; ++j) bound += fabs(p->G[(long)i * p->n + j] * a->solution->x[j]);
    if (fabs(a->solution->slack[i]) > TIGHT * bound) continue;
    const double curvature = limpet_working_set_direction(&w->set, p->G + (long)i * p->n, &total);
    if (!(total > 0.0)) continue;
    if (place(&w->set, i) >= 0)
      a->weak_count += total * a->solution->multipliers[i] <= TIGHT * bound;
    else if (limpet_working_set_depends(&w->set, curvature, total)) ++a->dependent_count;
    else ++a->weak_count;
  }
}

// Cones at which s or lambda lies where two faces meet.
static void cones_count(limpet_qp_derivative *a) {
  const limpet_qp_problem *p = a->problem;
  const limpet_qp_memory *w = a->workspace->memory;
  double most = 0.0;
  for (int i = p->row_count; i < w->total; ++i)
    most = fmax(most, fabs(a->solution->multipliers[i]));
  for (int k = 0, i = p->row_count; k < p->cone_count; i += p->cone_dimension[k], ++k) {
    const int d = p->cone_dimension[k];
    const double *s = a->solution->slack + i, *lambda = a->solution->multipliers + i;
    double bound = fabs(p->h[i]);
    for (int j = 0; j < p->n; ++j) bound += fabs(p->G[(long)i * p->n + j] * a->solution->x[j]);
    if (w->face[k] == LIMPET_FACE_FREE) a->weak_count += limpet_cone_depth(d, s) <= TIGHT * bound;
    if (w->face[k] == LIMPET_FACE_BOUNDARY)
      a->weak_count += lambda[0] <= TIGHT * most || s[0] <= TIGHT * bound;
    if (w->face[k] == LIMPET_FACE_APEX)
      a->weak_count += limpet_cone_depth(d, lambda) <= TIGHT * lambda[0];
  }
}

bool limpet_qp_derivative_begin(limpet_qp_derivative *derivative, const limpet_qp_problem *problem,
                                const limpet_qp_solution *solution,
                                limpet_qp_workspace *workspace) {
  *derivative =
      (limpet_qp_derivative){.problem = problem, .solution = solution, .workspace = workspace};
  limpet_qp_memory *memory = limpet_qp_memory_for(problem, workspace);
  limpet_face_identify(problem, memory, solution);
  if (!limpet_face_factor(problem, memory, solution)) return false;
  rows_count(derivative);
  cones_count(derivative);
  return true;
}

// t_ = curvature (1 - u u') v_ for a boundary with rows from i on, u_ too; curvature = mu / ||s_||
static void boundary_project(const limpet_qp_solution *solution, int d, int i, const double *v,
                             double *u, double *t) {
  double square = 0.0, along = 0.0;
  for (int l = 1; l < d; ++l) square += solution->slack[i + l] * solution->slack[i + l];
  const double length = sqrt(square), curvature = solution->multipliers[i] / length;
  for (int l = 1; l < d; ++l) u[l] = solution->slack[i + l] / length, along += u[l] * v[l];
  for (int l = 1; l < d; ++l) t[l] = curvature * (v[l] - along * u[l]);
}

static double change_of_slack(const limpet_qp_derivative *a, const limpet_qp_change *change,
                              int i) {
  const int n = a->problem->n;
  double ds = change->h ? change->h[i] : 0.0;
  for (int j = 0; change->G && j < n; ++j) ds += change->G[(long)i * n + j] * a->solution->x[j];
  return ds;
}

// b (n) and e (count) of a change.
static void right_hand_side(limpet_qp_derivative *a, const limpet_qp_change *change) {
  const limpet_qp_problem *p = a->problem;
  limpet_qp_memory *w = a->workspace->memory;
  const int n = p->n;
  for (int j = 0; j < n; ++j) {
    w->b[j] = change->c ? change->c[j] : 0.0;
    for (int k = 0; change->Q && k < n; ++k)
      w->b[j] += change->Q[(long)j * n + k] * a->solution->x[k];
    for (int i = 0; change->G && i < w->total; ++i)
      w->b[j] -= change->G[(long)i * n + j] * a->solution->multipliers[i];
  }
  for (int k = 0; k < w->set.count; ++k) w->e[k] = -change_of_slack(a, change, w->set.row[k]);
  for (int k = 0, i = p->row_count; k < p->cone_count; i += p->cone_dimension[k], ++k) {
    double ds[LIMPET_QP_LARGEST_CONE], u[LIMPET_QP_LARGEST_CONE], t[LIMPET_QP_LARGEST_CONE];
    const int d = p->cone_dimension[k], at = place(&w->set, i);
    if (w->face[k] != LIMPET_FACE_BOUNDARY) continue;
    for (int l = 0; l < d; ++l) ds[l] = change_of_slack(a, change, i + l);
    boundary_project(a->solution, d, i, ds, u, t);
    for (int l = 1; l < d; ++l) {
      for (int j = 0; j < n; ++j) w->b[j] += p->G[(long)(i + l) * n + j] * t[l];
      if (at >= 0) w->e[at] += u[l] * ds[l];
    }
  }
}

void limpet_qp_derivative_along(limpet_qp_derivative *a, const limpet_qp_change *change, double *dx,
                                double *dlambda) {
  const limpet_qp_problem *p = a->problem;
  limpet_qp_memory *w = a->workspace->memory;
  right_hand_side(a, change);
  limpet_working_set_solve(&w->set, w->b, w->e, w->dx, w->du);
  memcpy(dx, w->dx, (size_t)p->n * sizeof(double));
  if (!dlambda) return;
  memset(dlambda, 0, (size_t)w->total * sizeof(double));
  for (int k = 0; k < w->set.count; ++k) dlambda[w->set.row[k]] = w->du[k];
  for (int k = 0, i = p->row_count; k < p->cone_count; i += p->cone_dimension[k], ++k) {
    double ds[LIMPET_QP_LARGEST_CONE], u[LIMPET_QP_LARGEST_CONE], t[LIMPET_QP_LARGEST_CONE];
    const int d = p->cone_dimension[k];
    if (w->face[k] != LIMPET_FACE_BOUNDARY) continue;
    for (int l = 0; l < d; ++l)
      ds[l] = change_of_slack(a, change, i + l) + row_dot(p, i + l, w->dx);
    boundary_project(a->solution, d, i, ds, u, t);
    for (int l = 1; l < d; ++l) dlambda[i + l] = -dlambda[i] * u[l] - t[l];
  }
}

// q (total) from v: the coefficients of the changes of slack.
static void slack_coefficients(limpet_qp_derivative *a, const double *v, const double *w_x,
                               double *q) {
  const limpet_qp_problem *p = a->problem;
  const limpet_qp_memory *w = a->workspace->memory;
  memset(q, 0, (size_t)w->total * sizeof(double));
  for (int k = 0; k < w->set.count; ++k) q[w->set.row[k]] = -v[k];
  for (int k = 0, i = p->row_count; k < p->cone_count; i += p->cone_dimension[k], ++k) {
    double moved[LIMPET_QP_LARGEST_CONE], u[LIMPET_QP_LARGEST_CONE], t[LIMPET_QP_LARGEST_CONE];
    const int d = p->cone_dimension[k];
    if (w->face[k] != LIMPET_FACE_BOUNDARY) continue;
    for (int l = 0; l < d; ++l) moved[l] = row_dot(p, i + l, w_x);
    boundary_project(a->solution, d, i, moved, u, t);
    for (int l = 1; l < d; ++l) q[i + l] = -q[i] * u[l] + t[l];
  }
}

void limpet_qp_derivative_adjoint(limpet_qp_derivative *a, const double *gx,
                                  const limpet_qp_gradient *gradient) {
  const limpet_qp_problem *p = a->problem;
  limpet_qp_memory *w = a->workspace->memory;
  const int n = p->n;
  const double *x = a->solution->x, *lambda = a->solution->multipliers;
  double *q = w->interior.target;
  memset(w->e, 0, (size_t)w->set.count * sizeof(double));
  limpet_working_set_solve(&w->set, gx, w->e, w->dx, w->du);
  slack_coefficients(a, w->du, w->dx, q);
  if (gradient->c) memcpy(gradient->c, w->dx, (size_t)n * sizeof(double));
  if (gradient->h) memcpy(gradient->h, q, (size_t)w->total * sizeof(double));
  for (int i = 0; gradient->Q && i < n; ++i)
    for (int j = 0; j < n; ++j)
      gradient->Q[(long)i * n + j] = 0.5 * (w->dx[i] * x[j] + x[i] * w->dx[j]);
  for (int i = 0; gradient->G && i < w->total; ++i)
    for (int j = 0; j < n; ++j) gradient->G[(long)i * n + j] = q[i] * x[j] - lambda[i] * w->dx[j];
}

void limpet_qp_derivative_matrix(const limpet_qp_derivative *derivative, double *dx_dc) {
  const limpet_working_set *set = &derivative->workspace->memory->set;
  const int n = set->n;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double *a = set->J + (long)i * set->ld, *b = set->J + (long)j * set->ld;
      double sum = 0.0;
      for (int k = set->count; k < n; ++k) sum += a[k] * b[k];
      dx_dc[(long)i * n + j] = -sum;
    }
}
