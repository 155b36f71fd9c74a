/* gradient/active_rows.c: see active_rows.h.
 *
 * A row counts as tight where its slack is round-off of |h_i| + |G_i| max(|x|, |v*|): v*, the
 * velocity without contacts, tells the scale where x vanishes. It has a multiplier where that of
 * the interior-point method, times the row's own mobility, is larger than its slack there by orders
 * of magnitude; where a row has neither they are both the root of the last complementarity. */
#include "gradient/active_rows.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "optim/qp_memory.h"

static const double TIGHT = 1e-9;  // [-]  slack over its scale that counts as none
// [-]  multiplier over the largest, each times mobility, that counts as none
static const double TINY = 1e-9;
// [-]  multiplier times mobility over slack: of rows that can have a force 1e9 and more
static const double HOLDS = 1e6;
// [-]  residuals of the middle multipliers that are good enough to be corrected
static const double ROUGH = 1e-3;
// [-]  rate of a slack over what it could be that counts as none: differences have 1e-9
static const double STAYS = 1e-6;

static const double *row_of(const limpet_qp_problem *qp, int i) {
  return qp->G + (size_t)i * (size_t)qp->n;
}

static double free_velocity(const limpet_island_programme *programme, int i) {
  const limpet_contact_problem *problem = programme->problem;
  return i < programme->n
             ? problem->v_free[limpet_problem_global_dof(problem, programme->island, i)]
             : 0.0;
}

static void find_tight(const limpet_island_programme *programme, limpet_active_rows *rows) {
  const limpet_qp_problem *qp = &programme->qp;
  for (int i = 0; i < qp->row_count; ++i) {
    double scale = fabs(qp->h[i]);
    for (int j = 0; j < qp->n; ++j)
      scale += fabs(row_of(qp, i)[j]) *
               fmax(fabs(rows->solution.x[j]), fabs(free_velocity(programme, j)));
    if (fabs(rows->solution.slack[i]) <= TIGHT * scale) rows->tight[rows->tight_count++] = i;
  }
}

// sum g_j^2/Q_jj
static double mobility(const limpet_qp_problem *qp, int i) {
  double sum = 0.0;
  for (int j = 0; j < qp->n; ++j) {
    const double g = row_of(qp, i)[j];
    sum += g * g / qp->Q[(size_t)j * (size_t)qp->n + (size_t)j];
  }
  return sum;
}

/* The programme around the solution, tight rows alone: 1/2 y'Q y + (G'lambda)'y with G y >= 0,
 * solved by y = 0. LIMPET_OK or LIMPET_ERROR_MEMORY. */
static limpet_status homogeneous(const limpet_qp_problem *qp, const limpet_active_rows *rows,
                                 limpet_arena *arena, limpet_qp_problem *tight) {
  const int n = qp->n, count = rows->tight_count;
  double *G = LIMPET_TAKE(arena, double, (size_t)n *(size_t)count),
         *h = LIMPET_TAKE_ZERO(arena, double, count);
  double *c = LIMPET_TAKE_ZERO(arena, double, n);
  if (!G || !h || !c) return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < count; ++k)
    memcpy(G + (size_t)k * (size_t)n, row_of(qp, rows->tight[k]), (size_t)n * sizeof *G);
  for (int i = 0; i < qp->row_count; ++i)
    if (rows->solution.multipliers[i] > 0.0)
      limpet_axpy(n, rows->solution.multipliers[i], row_of(qp, i), c);
  *tight = (limpet_qp_problem){.n = n, .row_count = count, .Q = qp->Q, .c = c, .G = G, .h = h};
  return LIMPET_OK;
}

// Multipliers from the middle, if the method finds them; else those of the step stay. LIMPET_OK or
// LIMPET_ERROR_MEMORY.
static limpet_status spread_multipliers(limpet_island_programme *programme, limpet_arena *arena,
                                        limpet_active_rows *rows) {
  const int count = rows->tight_count;
  limpet_qp_solution middle = {LIMPET_TAKE(arena, double, programme->qp.n),
                               LIMPET_TAKE(arena, double, count),
                               LIMPET_TAKE(arena, double, count)};
  limpet_qp_problem tight;
  if (!middle.x || !middle.multipliers || !middle.slack ||
      homogeneous(&programme->qp, rows, arena, &tight))
    return LIMPET_ERROR_MEMORY;
  limpet_qp_settings settings = limpet_qp_settings_default();
  settings.method = LIMPET_QP_METHOD_INTERIOR_POINT;
  settings.polish = false;
  const limpet_qp_info info = limpet_qp_solve(&tight, &settings, &programme->workspace, &middle);
  if (!limpet_qp_within(&info, ROUGH)) return LIMPET_OK;

  double most = 0.0;
  for (int k = 0; k < count; ++k) most = fmax(most, mobility(&tight, k) * middle.multipliers[k]);
  for (int k = 0; k < count; ++k) {
    double *multiplier = &rows->solution.multipliers[rows->tight[k]];
    const double move = mobility(&tight, k) * middle.multipliers[k];
    const bool holds =
        mobility(&tight, k) * *multiplier > TINY * most || move > HOLDS * middle.slack[k];
    *multiplier = holds ? middle.multipliers[k] : 0.0;
  }
  return LIMPET_OK;
}

static bool in_set(const limpet_working_set *set, int row) {
  for (int k = 0; k < set->count; ++k)
    if (set->row[k] == row) return true;
  return false;
}

// Tight rows outside the working set: in its span or not.
static void count_rows(limpet_active_rows *rows) {
  const limpet_qp_problem *qp = rows->derivative.problem;
  limpet_working_set *set = &rows->derivative.workspace->memory->set;
  for (int k = 0; k < rows->tight_count; ++k) {
    const int i = rows->tight[k];
    double total;
    if (in_set(set, i)) continue;
    const double curvature = limpet_working_set_direction(set, row_of(qp, i), &total);
    if (!(total > 0.0)) continue;
    if (limpet_working_set_depends(set, curvature, total)) ++rows->dependent_count;
    else ++rows->weak_count;
  }
}

/* Corrects the multipliers of the working set until they balance the forces of the step: G'lambda
 * as its own multipliers have it. False where one of them would become negative. `change` (n), `dx`
 * (n), `dlambda` (rows). */
static bool balance(const limpet_island_programme *programme, limpet_active_rows *rows,
                    double *change, double *dx, double *dlambda) {
  const limpet_qp_problem *qp = &programme->qp;
  memset(change, 0, (size_t)qp->n * sizeof *change);
  for (int k = 0; k < qp->row_count; ++k) {
    const double lacking = programme->solution.multipliers[k] - rows->solution.multipliers[k];
    if (lacking != 0.0) limpet_axpy(qp->n, lacking, row_of(qp, k), change);
  }
  const limpet_qp_change force = {.c = change};
  limpet_qp_derivative_along(&rows->derivative, &force, dx, dlambda);
  bool positive = true;
  for (int i = 0; i < qp->row_count; ++i) {
    rows->solution.multipliers[i] += dlambda[i];
    positive = positive && rows->solution.multipliers[i] >= 0.0;
  }
  return positive;
}

// Spread multipliers and the derivative with them, or with those of the step where that fails.
static limpet_active_outcome begin_spread(limpet_island_programme *programme, limpet_arena *arena,
                                          limpet_active_rows *rows) {
  const limpet_qp_problem *qp = &programme->qp;
  double *change = LIMPET_TAKE(arena, double, qp->n), *dx = LIMPET_TAKE(arena, double, qp->n),
         *dlambda = LIMPET_TAKE(arena, double, qp->row_count);
  if (!change || !dx || !dlambda || spread_multipliers(programme, arena, rows))
    return LIMPET_ACTIVE_OUT_OF_MEMORY;
  if (!limpet_qp_derivative_begin(&rows->derivative, qp, &rows->solution, &programme->workspace))
    return LIMPET_ACTIVE_SINGULAR;
  if (balance(programme, rows, change, dx, dlambda)) return LIMPET_ACTIVE_DONE;
  memcpy(rows->solution.multipliers, programme->solution.multipliers,
         (size_t)qp->row_count * sizeof(double));
  if (!limpet_qp_derivative_begin(&rows->derivative, qp, &rows->solution, &programme->workspace))
    return LIMPET_ACTIVE_SINGULAR;
  return LIMPET_ACTIVE_DONE;
}

static limpet_active_outcome begin(limpet_island_programme *programme, limpet_arena *arena,
                                   limpet_active_rows *rows) {
  int held = 0;
  for (int k = 0; k < rows->tight_count; ++k)
    held += rows->solution.multipliers[rows->tight[k]] > 0.0;
  if (programme->qp.cone_count == 0 && rows->tight_count > held)
    return begin_spread(programme, arena, rows);
  return limpet_qp_derivative_begin(&rows->derivative, &programme->qp, &rows->solution,
                                    &programme->workspace)
             ? LIMPET_ACTIVE_DONE
             : LIMPET_ACTIVE_SINGULAR;
}

limpet_active_outcome limpet_active_rows_find(limpet_island_programme *programme,
                                              limpet_arena *arena, limpet_active_rows *rows) {
  const limpet_qp_problem *qp = &programme->qp;
  const int total = limpet_qp_row_total(qp);
  *rows = (limpet_active_rows){.solution = programme->solution,
                               .tight = LIMPET_TAKE(arena, int, qp->row_count)};
  rows->solution.multipliers = LIMPET_TAKE(arena, double, total);
  if (!rows->tight || !rows->solution.multipliers) return LIMPET_ACTIVE_OUT_OF_MEMORY;
  memcpy(rows->solution.multipliers, programme->solution.multipliers,
         (size_t)total * sizeof(double));
  find_tight(programme, rows);
  const limpet_active_outcome outcome = begin(programme, arena, rows);
  if (outcome != LIMPET_ACTIVE_DONE) return outcome;
  if (qp->cone_count == 0) count_rows(rows);
  else
    rows->weak_count = rows->derivative.weak_count,
    rows->dependent_count = rows->derivative.dependent_count;
  return LIMPET_ACTIVE_DONE;
}

/* How fast x could move, in the norm of Q: by the forces alone, or for the rows alone. Rates of
 * rows are measured by it, as a body may be held altogether, and round-off is then all that
 * moves. */
static double speed_of(const limpet_active_rows *rows, const double *dr, const double *ds) {
  const limpet_qp_problem *qp = rows->derivative.problem;
  double square = 0.0, most = 0.0;
  for (int j = 0; j < qp->n; ++j)
    square += dr[j] * dr[j] / qp->Q[(size_t)j * (size_t)qp->n + (size_t)j];
  for (int k = 0; k < rows->tight_count; ++k)
    most = fmax(most, fabs(ds[rows->tight[k]]) / sqrt(mobility(qp, rows->tight[k])));
  return sqrt(square) + most;
}

double limpet_active_rows_rate(const limpet_active_rows *rows, const double *dr, const double *ds,
                               const double *dx) {
  const limpet_qp_problem *qp = rows->derivative.problem;
  if (qp->cone_count > 0 && rows->weak_count > 0) return INFINITY;
  const double speed = speed_of(rows, dr, ds);
  double most = 0.0;
  for (int k = 0; k < rows->tight_count; ++k) {
    const double *row = row_of(qp, rows->tight[k]);
    double rate = ds[rows->tight[k]];
    for (int j = 0; j < qp->n; ++j) rate += row[j] * dx[j];
    if (fabs(rate) > STAYS * sqrt(mobility(qp, rows->tight[k])) * speed)
      most = fmax(most, fabs(rate));
  }
  return most;
}
