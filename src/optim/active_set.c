/* optim/active_set.c: the dual active-set method of Goldfarb and Idnani.
 *
 *   p     the row that is violated most, s_p / |g_p| least (by its square), |g|^2 = sum of g_j^2 /
 *         Q_jj
 *   z, r  direction in x and answer of the multipliers u to that of p (working_set.h)
 *   t     least of the full step -s_p / (g_p . z), which makes p tight, and of the dual step min
 *         u_j / r_j over r_j > 0, at which row j leaves; x += t z, u -= t r, u_p += t
 * No step at all (z = 0, r <= 0): lambda_p = 1, lambda_j = -r_j proves that there is no feasible
 * point. At the end x and u are corrected once with the residuals of their equations, and all rows
 * are looked at afresh.
 *
 * Departures: the slack of all rows is kept up by G z; the guess; rows in the span of the set whose
 * violation is round-off stand back instead of proving infeasibility. Ties may cycle in theory; the
 * number of changes is bounded and then the interior-point method takes over.
 * Cost of a change: m n for G z, about 3 n^2 for d, z, the reflection, q^2/2 for r; memory m n + 5
 * n^2 doubles, in L1 for a step.
 * Reference: Goldfarb, Idnani (1983), algorithm 4.1. */
#include "optim/active_set.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// [-]  of |h_i| + |G_i| |x|, x here or without rows: less is round-off of n products
static const double VIOLATED = 1e-14;
// [-]  of |h|' lambda: a proof of infeasibility needs a sum h' lambda clear of that
static const double IMPOSSIBLE = 1e-11;
static const double ANSWER = 1e-13;  // [-]  r_j |g_j| / |g_p|: less is round-off

typedef struct run {
  const limpet_qp_problem *problem;
  limpet_qp_memory *memory;
  limpet_qp_solution *solution;
  limpet_qp_info *info;
  limpet_qp_worst worst;  // of the slack as it stands
} run;

static inline double positive(double x) { return x > 0.0 ? x : 0.0; }

static void rows_setup(run *r) {
  limpet_qp_memory *w = r->memory;
  const limpet_qp_problem *p = r->problem;
  for (int j = 0; j < w->n; ++j) w->weight[j] = 1.0 / w->set.Q[(long)j * w->ld + j];
  w->set.kernels->transpose(w->m, w->n, p->G, w->weight, w->Gt, w->ldm, w->norm, w->scale);
  memcpy(w->h, p->h, (size_t)w->m * sizeof(double));
  for (int i = w->m; i < w->ldm; ++i) w->h[i] = 1.0;
}

// What a row without entries says: nothing, or that there is no feasible point.
static int empty_row(run *r) {
  const limpet_qp_memory *w = r->memory;
  int empty = 0;
  for (int i = 0; i < w->m; ++i) empty += !(w->norm[i] > 0.0);
  for (int i = 0; i < w->m && empty; ++i)
    if (!(w->norm[i] > 0.0) && !(w->h[i] >= 0.0)) return i;
  return -1;
}

static void slack_renew(run *r, bool bounds) {
  limpet_qp_memory *w = r->memory;
  r->worst = w->set.kernels->slack(w->n, w->ldm, w->Gt, w->h, w->x, w->scale, w->s,
                                   bounds ? w->bound : NULL);
}

static void worst_renew(run *r) {
  limpet_qp_memory *w = r->memory;
  r->worst = w->set.kernels->worst(w->ldm, w->scale, w->s);
}

/* What round-off of a slack is a multiple of: |h| + |G| |x|, and what the minimum without rows
 * adds, from which x came: |G| |x0| <= |g| sqrt(sum of Q_jj x0_j^2). */
static double roundoff_size(const limpet_qp_memory *w, int row, double bound) {
  return bound + sqrt(w->norm[row]) * w->free_size;
}

// A row that is violated by round-off is not looked at any more; if x moves away from it after all,
// the residuals say so.
static void stand_back(run *r, int row) {
  r->memory->scale[row] = 0.0;
  worst_renew(r);
}

static void leave(run *r, int k) {
  limpet_qp_memory *w = r->memory;
  assert(k >= 0 && k < w->set.count);
  const int row = w->set.row[k];
  w->scale[row] = 1.0 / w->norm[row];
  limpet_working_set_drop(&w->set, k);
  for (int j = k; j < w->set.count; ++j) w->u[j] = w->u[j + 1];
}

// x and u of the equations of the set.
static void solve_set(run *r) {
  limpet_qp_memory *w = r->memory;
  for (int j = 0; j < w->set.count; ++j) w->e[j] = -w->h[w->set.row[j]];
  limpet_working_set_solve(&w->set, r->problem->c, w->e, w->x, w->u);
}

// The rows with a positive multiplier, as far as they are independent and their multipliers stay
// positive.
static void guess_set(run *r) {
  limpet_qp_memory *w = r->memory;
  const double *lambda = r->solution->multipliers;
  for (int i = 0; i < w->m; ++i) {
    if (!(lambda[i] > 0.0) || w->scale[i] == 0.0) continue;
    double total;
    const double *g = r->problem->G + (long)i * w->n;
    const double curvature = limpet_working_set_direction(&w->set, g, &total);
    if (limpet_working_set_depends(&w->set, curvature, total)) continue;
    limpet_working_set_add(&w->set, i, g, curvature);
    w->scale[i] = 0.0;
  }
  for (;;) {
    solve_set(r);
    int least = -1;
    for (int j = 0; j < w->set.count; ++j)
      if (w->u[j] < 0.0 && (least < 0 || w->u[j] < w->u[least])) least = j;
    if (least < 0) return;
    leave(r, least);
    ++r->info->changes;
  }
}

// Writes the certificate where its sum h' lambda is clear of round-off; returns whether it is.
static bool prove_infeasible(run *r, int p) {
  limpet_qp_memory *w = r->memory;
  const limpet_working_set *set = &w->set;
  double sum = w->h[p], size = fabs(w->h[p]), greatest = 1.0;
  for (int j = 0; j < set->count; ++j) {
    const double lambda = fmax(-set->coefficient[j], 0.0);
    sum += lambda * w->h[set->row[j]];
    size += lambda * fabs(w->h[set->row[j]]);
    greatest = fmax(greatest, lambda);
  }
  if (!(sum < -IMPOSSIBLE * size)) return false;
  memset(r->solution->multipliers, 0, (size_t)w->m * sizeof(double));
  for (int j = 0; j < set->count; ++j)
    r->solution->multipliers[set->row[j]] = fmax(-set->coefficient[j], 0.0) / greatest;
  r->solution->multipliers[p] = 1.0 / greatest;
  return true;
}

// The multiplier that reaches zero first, and after which step; -1: none does.
static int dual_limit(const run *r, int p, double *step) {
  const limpet_qp_memory *w = r->memory;
  int leaving = -1;
  *step = INFINITY;
  for (int j = 0; j < w->set.count; ++j) {
    const double answer = w->set.coefficient[j];
    if (!(answer > 0.0) || answer * answer * w->norm[w->set.row[j]] <= ANSWER * ANSWER * w->norm[p])
      continue;
    if (w->u[j] < *step * answer) *step = w->u[j] / answer, leaving = j;
  }
  return leaving;
}

// Takes the violated row p in, or says why it cannot: there is no feasible point, or numbers are
// not finite.
static limpet_qp_outcome enter(run *r, int p) {
  limpet_qp_memory *w = r->memory;
  limpet_working_set *set = &w->set;
  const double *g = r->problem->G + (long)p * w->n;
  double u = 0.0;
  for (;; ++r->info->changes) {
    double total, dual;
    const double curvature = limpet_working_set_direction(set, g, &total);
    limpet_working_set_coefficients(set);
    const int leaving = dual_limit(r, p, &dual);
    const bool depends = limpet_working_set_depends(set, curvature, total);
    if (depends && leaving < 0) {
      if (prove_infeasible(r, p)) return LIMPET_QP_INFEASIBLE;
      stand_back(r, p);
      return LIMPET_QP_SOLVED;
    }

    const double primal = depends ? INFINITY : -w->s[p] / curvature,
                 t = dual < primal ? dual : primal;
    if (!isfinite(t)) return LIMPET_QP_FAILURE;
    for (int j = 0; j < set->count; ++j) w->u[j] = positive(w->u[j] - t * set->coefficient[j]);
    u += t;
    const bool full = primal <= dual;
    if (full) w->scale[p] = 0.0;
    if (!depends) {
      for (int j = 0; j < w->n; ++j) w->x[j] += t * set->z[j];
      r->worst = set->kernels->advance(w->n, w->ldm, w->Gt, t, set->z, w->scale, w->s);
    }
    if (full) {
      w->u[set->count] = u;
      limpet_working_set_add(set, p, g, curvature);
      ++r->info->changes;
      return LIMPET_QP_SOLVED;
    }
    leave(r, leaving);
  }
}

// One correction with the residuals of the equations of the set, then the slack of all rows afresh.
static void correct(run *r) {
  limpet_qp_memory *w = r->memory;
  limpet_working_set *set = &w->set;
  limpet_working_set_product(set, w->x, w->dx);
  memcpy(w->b, r->problem->c, (size_t)w->n * sizeof(double));
  for (int j = w->n; j < w->ld; ++j) w->b[j] = 0.0;
  set->kernels->rest(w->ld, set->count, w->dx, set->A, w->u, w->b);
  set->kernels->mul(set->count, 0, w->ld, set->A, w->ld, w->x, w->e);
  for (int j = 0; j < set->count; ++j) w->e[j] = -(w->e[j] + w->h[set->row[j]]);
  limpet_working_set_solve(set, w->b, w->e, w->dx, w->du);
  for (int j = 0; j < w->n; ++j) w->x[j] += w->dx[j];
  for (int j = 0; j < set->count; ++j) w->u[j] = positive(w->u[j] + w->du[j]);
  slack_renew(r, true);
}

// Takes rows in until none is violated. Returns false when there is no feasible point or the
// changes run out.
static bool rows_satisfy(run *r, int limit) {
  limpet_qp_memory *w = r->memory;
  while (r->worst.value < 0.0) {
    const int p = r->worst.row;
    const double *g = r->problem->G + (long)p * w->n;
    double bound = fabs(w->h[p]);
    for (int j = 0; j < w->n; ++j) bound += fabs(g[j] * w->x[j]);
    if (w->s[p] >= -VIOLATED * roundoff_size(w, p, bound)) {
      stand_back(r, p);
      continue;
    }
    r->info->outcome = enter(r, p);
    if (r->info->outcome != LIMPET_QP_SOLVED) return false;
    if (r->info->changes > limit) {
      r->info->outcome = LIMPET_QP_ITERATION_LIMIT;
      return false;
    }
  }
  return true;
}

// The residuals of the info, as limpet_qp_residuals but from what is at hand.
static void residuals(run *r) {
  limpet_qp_memory *w = r->memory;
  limpet_working_set *set = &w->set;
  double gap = 0.0, offset = 0.0, outside = 0.0, sum = 0.0;
  for (int j = 0; j < set->count; ++j) {
    gap += w->u[j] * w->s[set->row[j]];
    offset += w->u[j] * w->h[set->row[j]];
  }
  for (int i = 0; i < w->m; ++i) {
    sum += w->s[i];
    if (!(w->s[i] < -outside * w->bound[i]) || !(w->norm[i] > 0.0)) continue;
    const double ratio = -w->s[i] / roundoff_size(w, i, w->bound[i]);
    outside = ratio > outside ? ratio : outside;
  }
  r->info->infeasibility = isfinite(sum) ? outside : INFINITY;
  limpet_working_set_product(set, w->x, w->b);
  set->kernels->mul_t(set->count, w->ld, set->A, w->ld, w->u, w->dx);
  limpet_qp_residuals_combine(r->problem, w->x, w->b, w->dx, gap, offset, w->free_energy, r->info);
}

static void write_solution(run *r) {
  limpet_qp_memory *w = r->memory;
  limpet_qp_solution *solution = r->solution;
  if (r->info->outcome == LIMPET_QP_SOLVED) residuals(r);
  else slack_renew(r, true);
  memcpy(solution->x, w->x, (size_t)w->n * sizeof(double));
  memcpy(solution->slack, w->s, (size_t)w->m * sizeof(double));
  if (r->info->outcome == LIMPET_QP_INFEASIBLE) return;  // the certificate is there already
  memset(solution->multipliers, 0, (size_t)w->m * sizeof(double));
  for (int j = 0; j < w->set.count; ++j) solution->multipliers[w->set.row[j]] = w->u[j];
}

void limpet_active_set_solve(const limpet_qp_problem *problem, limpet_qp_memory *memory, bool guess,
                             limpet_qp_solution *solution, limpet_qp_info *info) {
  run r = {.problem = problem, .memory = memory, .solution = solution, .info = info};
  info->method = LIMPET_QP_METHOD_ACTIVE_SET;
  info->outcome = LIMPET_QP_FAILURE;
  if (problem->cone_count > 0) return;
  if (!memory->fresh && !limpet_working_set_reset(&memory->set, problem->Q, problem->n)) return;
  memory->fresh = false;
  rows_setup(&r);

  if (guess) guess_set(&r);
  else memcpy(memory->x, memory->free_x, (size_t)memory->ld * sizeof(double));
  slack_renew(&r, false);
  const int empty = empty_row(&r), limit = info->changes + 10 * (memory->n + memory->m);
  info->outcome = LIMPET_QP_SOLVED;
  if (empty >= 0) {
    info->outcome = LIMPET_QP_INFEASIBLE;
    memset(solution->multipliers, 0, (size_t)memory->m * sizeof(double));
    solution->multipliers[empty] = 1.0;
  } else {
    // corrected slack may show a row that was on the other side of round-off: twice at most
    for (int round = 0; round < 3; ++round) {
      const int before = info->changes;
      if (!rows_satisfy(&r, limit) || (round > 0 && info->changes == before)) break;
      correct(&r);
      if (!(r.worst.value < 0.0)) break;
    }
  }
  info->active_count = memory->set.count;
  write_solution(&r);
}
