/* optim/interior_point.c: Mehrotra's predictor-corrector method with Nesterov-Todd scaling.
 *
 *   r_d = Q x + c - G' lambda,   r_p = G x + h - s,   mu = s'lambda / (m + p)
 *   l = W lambda = W^-1 s (cone.h; sqrt(s lambda) of a linear row),   Gw = W^-1 G
 *   (Q + Gw'Gw) dx = -r_d + Gw'(t - W^-1 r_p)
 *   dl = W dlambda = t - W^-1 r_p - Gw dx,   W^-1 ds = t - dl
 *   predictor: t = -l;   corrector: l o t = -l o l - (W^-1 ds) o (W dlambda) + sigma mu e,   sigma
 *                        = (1 - alpha_predictor)^3
 *
 * Everything runs in scaled variables: x_j sqrt(Q_jj), rows (cones) to length 1, and all of x
 * divided by the size of the free solution, so that tolerances mean the same for all problems. The
 * start is that of CVXOPT: the solution of least |s|, moved into the cones. Departure: one step
 * length for x, s and lambda, because r_d couples them. Infeasible: lambda grows along a ray; as
 * soon as |G'lambda| is small against h'lambda < 0, lambda is corrected in the metric of W to
 * G'lambda = 0 and taken as the certificate if it holds.
 * Cost of an iteration: (m + sum d) n (n/2 + 7) + n^3/6 multiply-adds; memory 3 (m + sum d) n
 * doubles.
 * References: Mehrotra (1992); Vandenberghe, The CVXOPT linear and quadratic cone program solvers
 * (2010). */
#include "optim/interior_point.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "math/dense_table.h"
#include "optim/active_set.h"
#include "optim/cone.h"
#include "optim/face.h"
#include "optim/interior_system.h"

static const double NEARLY = 1e-9;  // [-]  residuals at which the faces show
static const double STEP = 0.995;   // [-]  of the way to the boundary
// [-]  what faces that do not show yet are looked for at: residuals, each a part of the last
static const double FINEST = 1e-15, FINER = 1e-2;

/* One correction with what Q dx - G'dlambda + r_d is short of zero: close to the end W spreads over
 * many decades, and lambda loses digits to H. */
static void direction_refine(limpet_interior *r) {
  struct limpet_interior_arrays *v = r->v;
  double *rest = v->right;
  limpet_interior_mul_t(r, v->dlambda, rest);
  for (int j = 0; j < r->n; ++j) {
    rest[j] -= v->dual[j];
    for (int k = 0; k < r->n; ++k) rest[j] -= v->Q[(long)j * r->ld + k] * v->dx[k];
  }
  limpet_dense()->cholesky_solve(r->n, v->H, r->ld, rest);
  limpet_interior_mul(r, rest, v->ds);
  for (int j = 0; j < r->n; ++j) v->dx[j] += rest[j];
  for (int i = 0; i < r->total; ++i) {
    v->dlambda[i] -= v->ds[i];
    v->ds[i] = v->target[i] - v->dlambda[i];
  }
}

// dx, dlambda = W dlambda, ds = W^-1 ds from the target t; v->dual: r_d, v->primal: W^-1 r_p.
static void direction(limpet_interior *r) {
  struct limpet_interior_arrays *v = r->v;
  for (int i = 0; i < r->total; ++i) v->Gdx[i] = v->target[i] - v->primal[i];
  limpet_interior_mul_t(r, v->Gdx, v->dx);
  for (int j = 0; j < r->n; ++j) v->dx[j] -= v->dual[j];
  limpet_dense()->cholesky_solve(r->n, v->H, r->ld, v->dx);
  limpet_interior_mul(r, v->dx, v->ds);
  for (int i = 0; i < r->total; ++i) {
    v->dlambda[i] = v->Gdx[i] - v->ds[i];
    v->ds[i] = v->target[i] - v->dlambda[i];
  }
  if (r->refine) direction_refine(r);
}

// The longest step with l + alpha ds and l + alpha dlambda in K.
static double reach(const limpet_interior *r) {
  const struct limpet_interior_arrays *v = r->v;
  double most = INFINITY;
  for (int i = 0; i < r->m; ++i) {
    const double least = v->ds[i] < v->dlambda[i] ? v->ds[i] : v->dlambda[i];
    if (-least * most > v->scaled[i]) most = v->scaled[i] / -least;
  }
  for (int k = 0, i = r->m; k < r->problem->cone_count; i += r->problem->cone_dimension[k], ++k) {
    const int d = r->problem->cone_dimension[k];
    most = fmin(most, limpet_cone_reach(d, v->scaled + i, v->ds + i));
    most = fmin(most, limpet_cone_reach(d, v->scaled + i, v->dlambda + i));
  }
  return most;
}

// t with l o t = -l o l - ds o dlambda + centre e
static void corrector_target(limpet_interior *r, double centre) {
  struct limpet_interior_arrays *v = r->v;
  for (int i = 0; i < r->m; ++i)
    v->target[i] = (centre - v->ds[i] * v->dlambda[i]) / v->scaled[i] - v->scaled[i];
  for (int k = 0, i = r->m; k < r->problem->cone_count; i += r->problem->cone_dimension[k], ++k) {
    const int d = r->problem->cone_dimension[k];
    double product[LIMPET_QP_LARGEST_CONE];
    limpet_cone_product(d, v->ds + i, v->dlambda + i, product);
    for (int l = 0; l < d; ++l) product[l] = -product[l];
    product[0] += centre;
    limpet_cone_divide(d, v->scaled + i, product, v->target + i);
    for (int l = 0; l < d; ++l) v->target[i + l] -= v->scaled[i + l];
  }
}

// r_d and r_p (not yet W^-1 r_p), the relative residual and mu.
static double residuals(limpet_interior *r) {
  struct limpet_interior_arrays *v = r->v;
  const int n = r->n, total = r->total;
  double *force = v->dx, *product = v->right;
  r->kernels->mul_t(n, r->ld, v->Q, r->ld, v->x, product);
  r->kernels->mul_t(total, r->ld, v->G, r->ld, v->lambda, force);
  for (int j = 0; j < n; ++j) v->dual[j] = product[j] + v->c[j] - force[j];
  r->kernels->mul(total, 0, r->ld, v->G, r->ld, v->x, v->Gdx);
  for (int i = 0; i < total; ++i) v->primal[i] = v->Gdx[i] + v->h[i] - v->s[i];

  const double gap = limpet_interior_dot(total, v->s, v->lambda), tiny = 1e-300;
  const double dual =
      limpet_interior_greatest(n, v->dual) /
      fmax(fmax(limpet_interior_greatest(n, product), limpet_interior_greatest(n, v->c)),
           limpet_interior_greatest(n, force) + tiny);
  const double primal = limpet_interior_greatest(total, v->primal) /
                        fmax(fmax(limpet_interior_greatest(total, v->Gdx), r->free_slack),
                             limpet_interior_greatest(total, v->h) + tiny);
  const double energy = fmax(fmax(fabs(limpet_interior_dot(n, v->x, product)), r->free_energy),
                             fmax(fabs(limpet_interior_dot(n, v->x, v->c)),
                                  fabs(limpet_interior_dot(total, v->h, v->lambda)) + tiny));
  r->residual = fmax(fmax(dual, primal), gap / energy);
  return r->degree > 0 ? gap / r->degree : 0.0;
}

// The greatest row of G x for the minimum without rows, in scaled rows and variables.
static void free_slack(limpet_interior *r) {
  struct limpet_interior_arrays *v = r->v;
  for (int j = 0; j < r->n; ++j) v->x[j] = r->memory->free_x[j] / (r->size * v->variable_scale[j]);
  r->kernels->mul(r->total, 0, r->ld, v->G, r->ld, v->x, v->Gdx);
  r->free_slack = limpet_interior_greatest(r->total, v->Gdx);
  r->free_energy = r->memory->free_energy / (r->size * r->size);
}

// Moves u along e until it is inside by its own size, if it is not inside.
static void move_inside(const limpet_interior *r, double *u) {
  double least = INFINITY;
  for (int i = 0; i < r->m; ++i) least = fmin(least, u[i]);
  for (int k = 0, i = r->m; k < r->problem->cone_count; i += r->problem->cone_dimension[k], ++k)
    least = fmin(least, limpet_cone_depth(r->problem->cone_dimension[k], u + i));
  static const double inside = 1e-3;  // [-]  of its size, that u is inside already
  const double margin = inside * fmax(limpet_interior_greatest(r->total, u), 1.0);
  if (least > margin) return;
  const double shift = fmax(1.0, limpet_interior_greatest(r->total, u)) - least;
  for (int i = 0; i < r->m; ++i) u[i] += shift;
  for (int k = 0, i = r->m; k < r->problem->cone_count; i += r->problem->cone_dimension[k], ++k)
    u[i] += shift;
}

// min 1/2 x'Qx + c'x + 1/2 |s|^2, lambda = -s
static bool start(limpet_interior *r) {
  struct limpet_interior_arrays *v = r->v;
  limpet_interior_scaling_one(r);
  limpet_interior_panel(r);
  if (!limpet_interior_factor(r, 1.0)) return false;
  r->kernels->mul_t(r->total, r->ld, v->G, r->ld, v->h, v->x);
  for (int j = 0; j < r->n; ++j) v->x[j] = -v->x[j] - v->c[j];
  limpet_dense()->cholesky_solve(r->n, v->H, r->ld, v->x);
  r->kernels->mul(r->total, 0, r->ld, v->G, r->ld, v->x, v->s);
  for (int i = 0; i < r->total; ++i) v->s[i] += v->h[i], v->lambda[i] = -v->s[i];
  move_inside(r, v->s);
  move_inside(r, v->lambda);
  return true;
}

// One predictor and corrector from the residuals; returns the step, 0 where the numbers give out.
static double advance(limpet_interior *r, double mu) {
  struct limpet_interior_arrays *v = r->v;
  limpet_interior_scaling(r);
  limpet_interior_scale(r, true, v->primal, v->primal);
  limpet_interior_panel(r);
  if (!limpet_interior_factor(r, 1.0)) return 0.0;
  for (int i = 0; i < r->total; ++i) v->target[i] = -v->scaled[i];
  direction(r);
  const double left = 1.0 - fmin(1.0, reach(r));
  corrector_target(r, left * left * left * mu);
  direction(r);
  const double alpha = fmin(1.0, STEP * reach(r));
  if (!(alpha > 1e-12) || !isfinite(limpet_interior_dot(r->n, v->dx, v->dx))) return 0.0;
  limpet_interior_scale(r, false, v->ds, v->ds);
  limpet_interior_scale(r, true, v->dlambda, v->dlambda);
  for (int j = 0; j < r->n; ++j) v->x[j] += alpha * v->dx[j];
  for (int i = 0; i < r->total; ++i)
    v->s[i] += alpha * v->ds[i], v->lambda[i] += alpha * v->dlambda[i];
  return alpha;
}

// Down to the relative residual `target`, or as far as it goes.
static limpet_qp_outcome iterate(limpet_interior *r, double target, int limit, int *iterations) {
  for (;;) {
    const double mu = residuals(r);
    if (!isfinite(r->residual)) return LIMPET_QP_FAILURE;
    if (r->residual <= target) return LIMPET_QP_SOLVED;
    if (limpet_interior_infeasible(r)) return LIMPET_QP_INFEASIBLE;
    if (*iterations >= limit) return LIMPET_QP_ITERATION_LIMIT;
    if (advance(r, mu) == 0.0) return LIMPET_QP_ITERATION_LIMIT;
    ++*iterations;
  }
}

static void slack_form(limpet_interior *r, limpet_qp_solution *solution) {
  for (int i = 0; i < r->total; ++i) {
    double s = r->problem->h[i];
    for (int j = 0; j < r->n; ++j) s += r->problem->G[(long)i * r->n + j] * solution->x[j];
    solution->slack[i] = s;
  }
}

static void write_solution(limpet_interior *r, const double *lambda, limpet_qp_solution *solution) {
  const struct limpet_interior_arrays *v = r->v;
  for (int j = 0; j < r->n; ++j) solution->x[j] = r->size * v->variable_scale[j] * v->x[j];
  for (int i = 0; i < r->total; ++i)
    solution->multipliers[i] = r->size * v->row_scale[i] * lambda[i];
  slack_form(r, solution);
}

static void write_certificate(limpet_interior *r, limpet_qp_solution *solution) {
  write_solution(r, r->v->target, solution);
  const double most = limpet_interior_greatest(r->total, solution->multipliers);
  for (int i = 0; i < r->total; ++i) solution->multipliers[i] /= most;
}

/* The solution of the faces that the iterate shows, if it is one to the tolerance: residuals that
 * the iterate itself has not got. Otherwise the iterate. Without cones by the active-set method
 * from the rows whose multiplier is greater than their slack: of tight rows that depend on each
 * other it picks some with multipliers that stay positive. */
static bool polish(limpet_interior *r, limpet_qp_workspace *workspace,
                   const limpet_qp_settings *settings, limpet_qp_solution *solution,
                   limpet_qp_info *info) {
  write_solution(r, r->v->lambda, solution);
  if (r->problem->cone_count > 0) {
    for (int i = 0; i < r->total; ++i)
      solution->slack[i] = r->size / r->v->row_scale[i] * r->v->s[i];
    limpet_face_identify(r->problem, r->memory, solution);
    info->polished = limpet_face_solve(r->problem, r->memory, solution);
    info->active_count = r->memory->set.count;
  } else {
    limpet_qp_info finish = *info;
    for (int i = 0; i < r->m; ++i)
      if (r->v->lambda[i] < r->v->s[i]) solution->multipliers[i] = 0.0;
    limpet_active_set_solve(r->problem, r->memory, true, solution, &finish);
    info->polished = finish.outcome == LIMPET_QP_SOLVED;
    info->changes = finish.changes, info->active_count = finish.active_count;
  }
  if (info->polished) {
    limpet_qp_residuals(r->problem, solution, workspace, info);
    info->polished = limpet_qp_within(info, settings->tolerance);
  }
  if (!info->polished) write_solution(r, r->v->lambda, solution);
  return info->polished;
}

/* The same of the iterate, and while that is not on its faces of ones nearer to the end: where a
 * multiplier and its slack are both small, the first ones do not tell which of them vanishes. */
static bool polish_further(limpet_interior *r, limpet_qp_workspace *workspace,
                           const limpet_qp_settings *settings, limpet_qp_solution *solution,
                           limpet_qp_info *info) {
  if (polish(r, workspace, settings, solution, info)) return true;
  struct limpet_interior_arrays *v = r->v;
  memcpy(v->kept_x, v->x, (size_t)r->n * sizeof *v->x);
  memcpy(v->kept_lambda, v->lambda, (size_t)r->total * sizeof *v->lambda);
  for (double target = FINER * settings->tolerance; target > FINEST; target *= FINER) {
    if (iterate(r, target, settings->iteration_limit, &info->iterations) != LIMPET_QP_SOLVED) break;
    if (polish(r, workspace, settings, solution, info)) return true;
  }
  // as far as it goes may be farther from the end again
  memcpy(v->x, v->kept_x, (size_t)r->n * sizeof *v->x);
  memcpy(v->lambda, v->kept_lambda, (size_t)r->total * sizeof *v->lambda);
  return false;
}

// The faces of the multipliers given, before any iteration.
static bool warm_start(limpet_interior *r, limpet_qp_workspace *workspace,
                       const limpet_qp_settings *settings, limpet_qp_solution *solution,
                       limpet_qp_info *info) {
  slack_form(r, solution);
  limpet_face_identify(r->problem, r->memory, solution);
  if (!limpet_face_solve(r->problem, r->memory, solution)) return false;
  info->outcome = LIMPET_QP_SOLVED;
  info->polished = true;
  info->active_count = r->memory->set.count;
  limpet_qp_residuals(r->problem, solution, workspace, info);
  return limpet_qp_within(info, settings->tolerance);
}

void limpet_interior_point_solve(const limpet_qp_problem *problem,
                                 const limpet_qp_settings *settings, limpet_qp_workspace *workspace,
                                 limpet_qp_solution *solution, limpet_qp_info *info) {
  assert(problem);
  limpet_qp_memory *w = workspace->memory;
  limpet_interior r = {
      .problem = problem, .memory = w, .v = &w->interior, .kernels = limpet_qp_kernels()};
  r.n = problem->n, r.ld = w->ld, r.m = problem->row_count, r.total = w->total,
  r.degree = r.m + problem->cone_count;
  info->method = LIMPET_QP_METHOD_INTERIOR_POINT;
  if (settings->warm_start && problem->cone_count > 0 &&
      warm_start(&r, workspace, settings, solution, info))
    return;
  info->outcome = LIMPET_QP_FAILURE;
  info->polished = false;
  if (!limpet_interior_setup(&r)) return;
  free_slack(&r);
  if (!start(&r)) return;

  // as far as the faces show; if they were not the right ones, all the way
  info->outcome = iterate(&r, settings->polish ? NEARLY : settings->tolerance,
                          settings->iteration_limit, &info->iterations);
  if (settings->polish && info->outcome == LIMPET_QP_SOLVED) {
    if (polish(&r, workspace, settings, solution, info)) return;
    r.refine = true;
    info->outcome = iterate(&r, settings->tolerance, settings->iteration_limit, &info->iterations);
  }
  if (info->outcome == LIMPET_QP_FAILURE) return;
  if (info->outcome == LIMPET_QP_INFEASIBLE) {
    write_certificate(&r, solution);
    limpet_qp_residuals(problem, solution, workspace, info);
    return;
  }
  if (settings->polish && polish_further(&r, workspace, settings, solution, info)) {
    info->outcome = LIMPET_QP_SOLVED;
    return;
  }
  write_solution(&r, r.v->lambda, solution);
  limpet_qp_residuals(problem, solution, workspace, info);
  info->outcome =
      limpet_qp_within(info, settings->tolerance) ? LIMPET_QP_SOLVED : LIMPET_QP_ITERATION_LIMIT;
}
