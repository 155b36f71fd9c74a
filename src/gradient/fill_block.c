/* gradient/fill_block.c: derivatives of compliant contact by state and inputs, all columns of an
 * island at once.
 *
 *   X = -H^-1 [dr ...],  columns that leave the island alone are left out
 *   dq = T dv for whole rows: integration.h
 * Cost: n^2 multiply-adds a column of an island of n velocities. */
#include <math.h>
#include <string.h>

#include "gradient/workspace.h"
#include "math/dense.h"

// Columns that an island sees.
typedef struct block_column {
  limpet_gradient_group group;
  int column;
} block_column;

typedef struct block {
  limpet_gradient_workspace *w;
  limpet_gradient *gradient;
  int room;
  block_column *column;  // (room)
  double *X;             // (size + 1 x room)
  double *dx;            // (largest n)
} block;

static const double *change_of(const limpet_gradient_workspace *w, limpet_gradient_group group,
                               int column) {
  const limpet_columns *c = &w->columns;
  const size_t at = (size_t)column * (size_t)w->residual.size;
  switch (group) {
    case LIMPET_GRADIENT_Q: return c->q + at;
    case LIMPET_GRADIENT_V: return c->v + at;
    case LIMPET_GRADIENT_FORCE: return c->force + at;
    case LIMPET_GRADIENT_CONTROL: return c->control + at;
    default: return c->stiffness + at;
  }
}

static bool wanted(const limpet_gradient_workspace *w, limpet_gradient_group group) {
  if (group == LIMPET_GRADIENT_Q) return w->columns.q != NULL;
  if (group == LIMPET_GRADIENT_V) return w->columns.v != NULL;
  return w->wanted.inputs;
}

// Forces that change nothing but their own momentum: no column is kept.
static bool is_unit(const limpet_gradient_workspace *w, limpet_gradient_group group) {
  return group == LIMPET_GRADIENT_FORCE && !w->columns.force;
}

static bool vanishes(const double *x, int count) {
  for (int i = 0; i < count; ++i)
    if (x[i] != 0.0) return false;
  return true;
}

// ------------------------------------------------------------------------------------- islands

static bool touches(const limpet_gradient_workspace *w, limpet_gradient_group group, int column,
                    int first, int size) {
  if (!is_unit(w, group)) return !vanishes(change_of(w, group, column) + first, size);
  const int slot = limpet_residual_slot(&w->residual, column);
  return slot >= first && slot < first + size;
}

// Entries `first` to first + size of all columns that have some, into X (size x count). Returns the
// count.
static int gather(block *b, int first, int size) {
  limpet_gradient_workspace *w = b->w;
  int count = 0;
  for (limpet_gradient_group group = 0; group <= LIMPET_GRADIENT_STIFFNESS; ++group) {
    const int width = wanted(w, group) ? limpet_gradient_width(w, group) : 0;
    for (int k = 0; k < width; ++k)
      if (touches(w, group, k, first, size)) b->column[count++] = (block_column){group, k};
  }
  for (int c = 0; c < count; ++c) {
    double *to = b->X + c;
    if (is_unit(w, b->column[c].group)) {
      for (int i = 0; i < size; ++i) to[(size_t)i * (size_t)count] = 0.0;
      const int slot = limpet_residual_slot(&w->residual, b->column[c].column) - first;
      to[(size_t)slot * (size_t)count] = -w->settings.time_step;
      continue;
    }
    const double *from = change_of(w, b->column[c].group, b->column[c].column) + first;
    for (int i = 0; i < size; ++i) to[(size_t)i * (size_t)count] = from[i];
  }
  return count;
}

// Row `local` of X into row `dof` of dv.
static void put_row(const block *b, int count, int local, int dof) {
  const double *x = b->X + (size_t)local * (size_t)count;
  for (int c = 0; c < count;) {
    const limpet_gradient_group group = b->column[c].group;
    double *row = *limpet_gradient_array(&b->gradient->dv, group) +
                  (size_t)dof * (size_t)limpet_gradient_width(b->w, group);
    for (; c < count && b->column[c].group == group; ++c) row[b->column[c].column] = x[c];
  }
}

// Rates at which weak rows and contacts of an island leave their switches.
static void add_rates(const block *b, int island, int count) {
  const limpet_residual *residual = &b->w->residual;
  const limpet_smooth_island *smooth = &residual->smooth[island];
  for (int c = 0; c < count; ++c) {
    const limpet_gradient_group group = b->column[c].group;
    double *kink = *limpet_gradient_array(&b->gradient->kink, group) + b->column[c].column;
    for (int i = 0; i < smooth->n; ++i) b->dx[i] = b->X[(size_t)i * (size_t)count + (size_t)c];
    for (int i = 0; i < smooth->weak_count; ++i) {
      const double own = b->X[(size_t)(smooth->n + i) * (size_t)count + (size_t)c];
      *kink = fmax(*kink, fabs(own + limpet_smooth_island_switch_rate(smooth, i, b->dx)));
    }
  }
}

static void fill_island(block *b, int island) {
  const limpet_residual *residual = &b->w->residual;
  const limpet_contact_problem *problem = &residual->solved->problem;
  const limpet_smooth_island *smooth = &residual->smooth[island];
  const int first = residual->at[island];
  const int count = gather(b, first, smooth->n + smooth->weak_count);
  if (count == 0) return;
  limpet_smooth_island_solve_many(smooth, count, b->X);
  for (int i = 0; i < smooth->n; ++i)
    put_row(b, count, i, limpet_problem_global_dof(problem, &problem->island[island], i));
  if (smooth->weak_count > 0) add_rates(b, island, count);
}

// Trees that nothing touches.
static void fill_free(block *b) {
  const limpet_residual *residual = &b->w->residual;
  const limpet_contact_problem *problem = &residual->solved->problem;
  const int first = residual->at[problem->island_count];
  const double *factor = residual->factor;
  for (int k = 0; k < problem->block_count; ++k) {
    const limpet_block *one = &problem->block[k];
    if (one->island >= 0) continue;
    const int count = gather(b, first + one->dof, one->size);
    for (int c = 0; c < count; ++c) {
      for (int i = 0; i < one->size; ++i) b->dx[i] = b->X[(size_t)(i * count + c)];
      one->kind->solve(one, factor, b->dx);
      for (int i = 0; i < one->size; ++i) b->X[(size_t)(i * count + c)] = -b->dx[i];
    }
    for (int i = 0; i < one->size; ++i) put_row(b, count, i, one->dof + i);
    factor += one->kind->factor_size(one);
  }
}

// ------------------------------------------------------------------------------------- positions

// row (width) += M_i . from (6 x width)
static void add_rows(int width, const double M[6], const double *from, double *row) {
  for (int k = 0; k < 6; ++k)
    if (M[k] != 0.0) limpet_axpy(width, M[k], from + (size_t)k * (size_t)width, row);
}

// Bodies alone: from the velocity that was solved for to the end of the step.
static void end_body(const block *b, const limpet_body_end *end, limpet_gradient_group group,
                     double *solved) {
  const int width = limpet_gradient_width(b->w, group);
  const size_t n = (size_t)width;
  double *dv = *limpet_gradient_array(&b->gradient->dv, group) + (size_t)end->first * n,
         *dq = *limpet_gradient_array(&b->gradient->dq, group) + (size_t)end->first * n;
  memcpy(solved, dv, 6 * n * sizeof *solved);
  memset(dv, 0, 6 * n * sizeof *dv);
  memset(dq, 0, 6 * n * sizeof *dq);
  for (int i = 0; i < 6; ++i) {
    add_rows(width, end->v_by_s + 6 * i, solved, dv + (size_t)i * n);
    add_rows(width, end->q_by_s + 6 * i, solved, dq + (size_t)i * n);
    if (group > LIMPET_GRADIENT_V) continue;
    const bool pose = group == LIMPET_GRADIENT_Q;
    for (int j = 0; j < 6; ++j) {
      dv[(size_t)i * n + (size_t)(end->first + j)] += (pose ? end->v_by_q : end->v_by_v)[6 * i + j];
      dq[(size_t)i * n + (size_t)(end->first + j)] += (pose ? end->q_by_q : end->q_by_v)[6 * i + j];
    }
  }
}

static void mark_kinks(const block *b) {
  limpet_gradient_workspace *w = b->w;
  const limpet_columns *columns = &w->columns;
  for (limpet_gradient_group group = 0; group <= LIMPET_GRADIENT_STIFFNESS; ++group) {
    const int width = wanted(w, group) ? limpet_gradient_width(w, group) : 0;
    double *kink = width > 0 ? *limpet_gradient_array(&b->gradient->kink, group) : NULL;
    for (int k = 0; k < width; ++k) {
      const bool state = group <= LIMPET_GRADIENT_V;
      if (w->approximate || (state && w->carries)) kink[k] = INFINITY;
      if (group == LIMPET_GRADIENT_Q && columns->kinked_q[k]) kink[k] = INFINITY;
      if (group == LIMPET_GRADIENT_V && columns->kinked_v[k]) kink[k] = INFINITY;
    }
  }
}

// Servos that the scheme does not have in its matrix.
static void mark_stiffness(const block *b) {
  const limpet_gradient_workspace *w = b->w;
  const int nu = w->model->nu;
  for (int k = 0; k < nu && w->wanted.inputs; ++k) {
    if (w->columns.in_stiffness[k]) continue;
    b->gradient->kink.stiffness[k] = NAN;
    for (int i = 0; i < w->model->nv; ++i)
      b->gradient->dv.stiffness[i * nu + k] = b->gradient->dq.stiffness[i * nu + k] = NAN;
  }
}

static limpet_status take(block *b) {
  limpet_gradient_workspace *w = b->w;
  const int island_count = w->residual.solved->problem.island_count;
  int largest = w->model->nv > 6 ? w->model->nv : 6;
  for (int i = 0; i < island_count; ++i) {
    const int size = w->residual.at[i + 1] - w->residual.at[i];
    if (size > largest) largest = size;
  }
  b->room = 3 * w->model->nv + 2 * w->model->nu;
  b->column = LIMPET_TAKE(&w->arena, block_column, b->room);
  b->X = LIMPET_TAKE(&w->arena, double, (size_t)largest *(size_t)b->room);
  b->dx = LIMPET_TAKE(&w->arena, double, largest);
  return b->column && b->X && b->dx ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

limpet_status limpet_gradient_fill_blocks(limpet_gradient_workspace *w, limpet_gradient *gradient) {
  block b = {.w = w, .gradient = gradient};
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  if (take(&b)) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < w->residual.solved->problem.island_count; ++i) fill_island(&b, i);
  fill_free(&b);
  for (limpet_gradient_group group = 0; group <= LIMPET_GRADIENT_STIFFNESS; ++group)
    if (wanted(w, group))
      limpet_integration_rows(&w->integration, limpet_gradient_width(w, group),
                              *limpet_gradient_array(&gradient->dv, group),
                              *limpet_gradient_array(&gradient->dq, group));
  for (int k = 0; k < w->end_count; ++k)
    for (limpet_gradient_group group = 0; group <= LIMPET_GRADIENT_STIFFNESS; ++group)
      if (wanted(w, group)) end_body(&b, &w->end[k], group, b.X);
  mark_kinks(&b);
  mark_stiffness(&b);
  limpet_arena_release(&w->arena, mark);
  return LIMPET_OK;
}
