/* gradient/residual.c: residuals of the step's equations, and their solution for changes of v: see
 * residual.h.
 *
 * Cost of an evaluation: one dense programme for each island, n (n + rows) multiply-adds; of a
 * solution: n^2. */
#include "gradient/residual.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "solve/island.h"

static bool is_free(const limpet_block *block) { return block->island < 0; }

static limpet_status take(limpet_residual *s, limpet_arena *arena) {
  const limpet_contact_problem *problem = &s->solved->problem;
  const int islands = problem->island_count;
  s->at = LIMPET_TAKE(arena, int, islands + 1);
  if (s->solved->solution.programme) s->rows = LIMPET_TAKE(arena, limpet_active_rows, islands);
  else s->smooth = LIMPET_TAKE(arena, limpet_smooth_island, islands);
  size_t factors = 0;
  for (int b = 0; b < problem->block_count; ++b)
    if (is_free(&problem->block[b]))
      factors += problem->block[b].kind->factor_size(&problem->block[b]);
  s->factor = LIMPET_TAKE(arena, double, factors);
  s->v = LIMPET_TAKE(arena, double, problem->nv);
  if (!s->at || !(s->rows || s->smooth) || !s->factor || !s->v) return LIMPET_ERROR_MEMORY;
  int largest = 0;
  for (int i = 0; i < islands; ++i) {
    const int n = s->rows ? s->solved->solution.programme[i].qp.n : problem->island[i].size;
    if (n > largest) largest = n;
  }
  s->local = LIMPET_TAKE_ZERO(arena, double, largest);
  return s->local ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

// Where the entries of each island are, once its equations are there.
static void place_entries(limpet_residual *s) {
  const limpet_contact_problem *problem = &s->solved->problem;
  int at = 0;
  for (int i = 0; i < problem->island_count; ++i) {
    const limpet_qp_problem *qp = s->rows ? &s->solved->solution.programme[i].qp : NULL;
    s->at[i] = at;
    at += qp ? qp->n + limpet_qp_row_total(qp) : s->smooth[i].n + s->smooth[i].weak_count;
  }
  s->at[problem->island_count] = at;
  s->size = at + problem->nv;
}

// Factors the equations of one island.
static limpet_residual_outcome begin_island(limpet_residual *s, int island, limpet_arena *arena,
                                            limpet_gradient *gradient) {
  const limpet_contact_problem *problem = &s->solved->problem;
  if (s->smooth) {
    const limpet_outcome failure = limpet_smooth_island_begin(
        &s->smooth[island], problem, &s->solved->solution, island, s->kink_speed, arena);
    gradient->weak_count += s->smooth[island].weak_count;
    if (failure == LIMPET_OUTCOME_OUT_OF_MEMORY) return LIMPET_RESIDUAL_OUT_OF_MEMORY;
    s->approximate = s->approximate || s->smooth[island].approximate;
    return failure == LIMPET_OUTCOME_SOLVED ? LIMPET_RESIDUAL_DONE : LIMPET_RESIDUAL_SINGULAR;
  }
  limpet_active_rows *rows = &s->rows[island];
  const limpet_active_outcome outcome =
      limpet_active_rows_find(&s->solved->solution.programme[island], arena, rows);
  if (outcome == LIMPET_ACTIVE_OUT_OF_MEMORY) return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  if (outcome == LIMPET_ACTIVE_SINGULAR) return LIMPET_RESIDUAL_SINGULAR;
  s->approximate = s->approximate || !s->solved->solution.programme[island].on_faces;
  gradient->weak_count += rows->weak_count;
  gradient->dependent_count += rows->dependent_count;
  return LIMPET_RESIDUAL_DONE;
}

limpet_residual_outcome limpet_residual_begin(limpet_residual *s, const limpet_model *model,
                                              const limpet_solved_step *solved, const double *v,
                                              double kink_speed, limpet_arena *arena,
                                              limpet_gradient *gradient) {
  const limpet_contact_problem *problem = &solved->problem;
  *s = (limpet_residual){.model = model, .solved = solved, .kink_speed = kink_speed};
  if (take(s, arena)) return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  memcpy(s->v, v, (size_t)problem->nv * sizeof *v);
  for (int i = 0; i < problem->island_count; ++i) {
    const limpet_residual_outcome outcome = begin_island(s, i, arena, gradient);
    if (outcome != LIMPET_RESIDUAL_DONE) return outcome;
  }
  place_entries(s);
  double *factor = s->factor;
  for (int b = 0; b < problem->block_count; ++b) {
    const limpet_block *block = &problem->block[b];
    if (!is_free(block)) continue;
    if (!block->kind->factor(block, factor)) return LIMPET_RESIDUAL_SINGULAR;
    factor += block->kind->factor_size(block);
  }
  return LIMPET_RESIDUAL_DONE;
}

// r = Q x + c - G'lambda, s = G x + h, with x and lambda of the step.
static void evaluate_programme(const limpet_active_rows *step, const limpet_island_programme *other,
                               double *r) {
  const int n = other->qp.n, rows = limpet_qp_row_total(&other->qp);
  const double *x = step->solution.x, *lambda = step->solution.multipliers;
  double *s = r + n;
  for (int i = 0; i < n; ++i)
    r[i] = other->c[i] + limpet_dot(n, other->Q + (size_t)i * (size_t)n, x);
  for (int i = 0; i < rows; ++i) {
    const double *row = other->G + (size_t)i * (size_t)n;
    s[i] = other->h[i] + limpet_dot(n, row, x);
    if (lambda[i] != 0.0) limpet_axpy(n, -lambda[i], row, r);
  }
}

static bool same_shape(const limpet_island_programme *a, const limpet_island_programme *b) {
  if (a->n != b->n || a->qp.n != b->qp.n || a->qp.row_count != b->qp.row_count ||
      a->qp.cone_count != b->qp.cone_count)
    return false;
  return limpet_qp_row_total(&a->qp) == limpet_qp_row_total(&b->qp);
}

static limpet_residual_outcome evaluate_island(const limpet_residual *s,
                                               const limpet_contact_problem *problem, int island,
                                               limpet_arena *arena, double *values) {
  if (s->smooth) {
    const limpet_outcome failure =
        limpet_smooth_island_evaluate(&s->smooth[island], problem, island, arena, values);
    return failure == LIMPET_OUTCOME_SOLVED ? LIMPET_RESIDUAL_DONE : LIMPET_RESIDUAL_OUT_OF_MEMORY;
  }
  limpet_island_programme programme;
  if (limpet_island_programme_create(&programme, problem, island, arena) != LIMPET_OK)
    return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  if (!same_shape(&s->solved->solution.programme[island], &programme)) return LIMPET_RESIDUAL_OTHER;
  evaluate_programme(&s->rows[island], &programme, values);
  return LIMPET_RESIDUAL_DONE;
}

limpet_residual_outcome limpet_residual_evaluate(const limpet_residual *s,
                                                 const limpet_contact_problem *problem,
                                                 limpet_arena *arena, double *values) {
  const limpet_contact_problem *base = &s->solved->problem;
  if (problem->island_count != base->island_count || problem->contact_count != base->contact_count)
    return LIMPET_RESIDUAL_OTHER;
  for (int i = 0; i < base->island_count; ++i) {
    const limpet_arena_mark mark = limpet_arena_mark_now(arena);
    const limpet_residual_outcome outcome =
        evaluate_island(s, problem, i, arena, values + s->at[i]);
    limpet_arena_release(arena, mark);
    if (outcome != LIMPET_RESIDUAL_DONE) return outcome;
  }

  double *r = values + s->at[base->island_count];
  memset(r, 0, (size_t)base->nv * sizeof *r);
  for (int b = 0; b < base->block_count; ++b) {
    const limpet_block *block = &problem->block[b];
    if (!is_free(&base->block[b])) continue;
    block->kind->apply(block, s->v + block->dof, r + block->dof);
    for (int i = block->dof; i < block->dof + block->size; ++i) r[i] -= problem->momentum[i];
  }
  return LIMPET_RESIDUAL_DONE;
}

int limpet_residual_slot(const limpet_residual *s, int dof) {
  const limpet_contact_problem *problem = &s->solved->problem;
  const limpet_block *block = &problem->block[problem->dof_block[dof]];
  if (is_free(block)) return s->at[problem->island_count] + dof;
  return s->at[block->island] + block->offset + dof - block->dof;
}

static bool vanishes(const double *x, int count) {
  for (int i = 0; i < count; ++i)
    if (x[i] != 0.0) return false;
  return true;
}

// x = -A^-1 x for the velocities of free blocks.
static void solve_free(const limpet_residual *s, double *x) {
  const limpet_contact_problem *problem = &s->solved->problem;
  const double *factor = s->factor;
  for (int b = 0; b < problem->block_count; ++b) {
    const limpet_block *block = &problem->block[b];
    if (!is_free(block)) continue;
    double *y = x + block->dof;
    block->kind->solve(block, factor, y);
    for (int i = 0; i < block->size; ++i) y[i] = -y[i];
    factor += block->kind->factor_size(block);
  }
}

static void copy_free(const limpet_residual *s, const double *from, double *to) {
  const limpet_contact_problem *problem = &s->solved->problem;
  for (int b = 0; b < problem->block_count; ++b) {
    const limpet_block *block = &problem->block[b];
    if (is_free(block))
      memcpy(to + block->dof, from + block->dof, (size_t)block->size * sizeof *to);
  }
}

// Change of x into s->local; returns the rate of the rows.
static double forward_island(const limpet_residual *s, int island, const double *r) {
  if (s->smooth) {
    const limpet_smooth_island *smooth = &s->smooth[island];
    limpet_smooth_island_solve(smooth, r, s->local);
    double rate = 0.0;
    for (int i = 0; i < smooth->weak_count; ++i)
      rate = fmax(rate,
                  fabs(r[smooth->n + i] + limpet_smooth_island_switch_rate(smooth, i, s->local)));
    return rate;
  }
  const double *ds = r + s->solved->solution.programme[island].qp.n;
  const limpet_qp_change one = {.c = r, .h = ds};
  limpet_qp_derivative_along(&s->rows[island].derivative, &one, s->local, NULL);
  return limpet_active_rows_rate(&s->rows[island], r, ds, s->local);
}

double limpet_residual_forward(const limpet_residual *s, const double *change, int island,
                               double *dv) {
  const limpet_contact_problem *problem = &s->solved->problem;
  memset(dv, 0, (size_t)problem->nv * sizeof *dv);
  double rate = 0.0;
  const int first = island < 0 ? 0 : island, end = island < 0 ? problem->island_count : island + 1;
  for (int i = first; i < end; ++i) {
    if (vanishes(change + s->at[i], s->at[i + 1] - s->at[i])) continue;
    rate = fmax(rate, forward_island(s, i, change + s->at[i]));
    limpet_island_scatter(problem, &problem->island[i], s->local, dv);
  }
  if (island >= 0) return rate;
  copy_free(s, change + s->at[problem->island_count], dv);
  solve_free(s, dv);
  return rate;
}

void limpet_residual_adjoint(const limpet_residual *s, const double *weight, double *dual) {
  const limpet_contact_problem *problem = &s->solved->problem;
  memset(dual, 0, (size_t)s->size * sizeof *dual);
  for (int i = 0; i < problem->island_count; ++i) {
    double *to = dual + s->at[i];
    if (s->smooth) {
      limpet_island_gather(problem, &problem->island[i], weight, to);
      limpet_smooth_island_adjoint(&s->smooth[i], to, to);
      continue;
    }
    const int n = s->solved->solution.programme[i].qp.n;
    memset(s->local, 0, (size_t)n * sizeof(double));
    limpet_island_gather(problem, &problem->island[i], weight, s->local);
    const limpet_qp_gradient one = {.c = to, .h = to + n};
    limpet_qp_derivative_adjoint(&s->rows[i].derivative, s->local, &one);
  }
  double *free_dual = dual + s->at[problem->island_count];
  copy_free(s, weight, free_dual);
  solve_free(s, free_dual);
}
