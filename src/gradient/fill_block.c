/* gradient/fill_block.c: derivatives of compliant contact by state and inputs, all columns of an
 * island at once.
 *
 *   X = -H^-1 [dr ...],  columns that leave the island alone are left out
 *   where forces change their own momentum alone their columns are h H^-1, and those of controls
 *   and stiffness sums of these. Those of the state are solved for: stiff contacts push in them,
 *   and cancel in a product with H^-1
 *   what that is at the end of the step: fill_ends.c
 * Cost: n^2 multiply-adds a column of an island of n velocities. */
#include <math.h>
#include <string.h>

#include "gradient/workspace.h"
#include "math/dense_table.h"
#include "math/nonzero.h"
#include "solve/island.h"

// Columns that an island sees.
typedef struct block_column {
  limpet_gradient_group group;
  int column;
} block_column;

// Columns of one group side by side, in X and in the result.
typedef struct block_run {
  limpet_gradient_group group;
  int column, at, count;
  double *dv;  // of the group
  int width;
} block_run;

// Inputs side by side that push velocities side by side: dr = push there.
typedef struct input_run {
  int column, slot, count;
  double *push;  // (count)
} input_run;

enum { ASIDE = 8 };  // zeros that are passed over together

typedef struct block {
  limpet_gradient_workspace *w;
  limpet_gradient *gradient;
  int room;
  bool units;            // forces of the island, or tree, change their own momentum alone
  block_column *column;  // (room)
  int run_count;
  block_run *run;    // (room)
  double *X;         // (size + 1 x room)
  double *inverse;   // (largest size, squared)  -H^-1
  double *dx, *own;  // (largest size)
  input_run *input;  // (largest n x nu)
  double *push;      // (largest n x nu)
  int *row;          // (largest size)  of the velocities of the island, or tree, in dv
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

// Whether forces on a tree change nothing but their own momentum: -h at their own place.
static bool has_units(const limpet_gradient_workspace *w, const limpet_block *tree) {
  const limpet_columns *c = &w->columns;
  if (!w->wanted.inputs) return false;
  if (!c->force) return true;
  if (c->flight && c->flight[tree->owner].made) return false;
  for (int d = tree->dof; d < tree->dof + tree->size; ++d)
    if (c->by_differences[d]) return false;
  return true;
}

static bool island_has_units(const limpet_gradient_workspace *w, int island) {
  const limpet_contact_problem *problem = &w->residual.solved->problem;
  for (int i = 0; i < problem->island[island].block_count; ++i)
    if (!has_units(w, limpet_island_block(problem, &problem->island[island], i))) return false;
  return true;
}

static bool vanishes(const double *x, int count) { return !limpet_any_nonzero(x, count); }

// ------------------------------------------------------------------------------------- islands

// The last group whose columns are solved for: later ones are sums of those of H^-1.
static limpet_gradient_group last_solved(const block *b) {
  return b->units ? LIMPET_GRADIENT_V : LIMPET_GRADIENT_STIFFNESS;
}

// X (size x count), columns of a run <- the changes of parameters, entries from `first` on.
static void transpose_run(block *b, const block_run *run, int first, int size, int count) {
  const double *from = change_of(b->w, run->group, run->column) + first;
  limpet_dense()->transpose(run->count, size, from, b->w->residual.size, b->X + run->at, count);
}

static block_run run_from(const block *b, limpet_gradient_group group, int column, int at) {
  return (block_run){.group = group,
                     .column = column,
                     .at = at,
                     .dv = *limpet_gradient_array(&b->gradient->dv, group),
                     .width = limpet_gradient_width(b->w, group)};
}

// Columns to solve for that have entries from `first` to first + size, and their runs. Returns the
// count.
static int find_columns(block *b, int first, int size) {
  limpet_gradient_workspace *w = b->w;
  int count = 0;
  b->run_count = 0;
  for (limpet_gradient_group group = 0; group <= last_solved(b); ++group) {
    const int width = limpet_gradient_is_wanted(w, group) ? limpet_gradient_width(w, group) : 0;
    const double *change = width > 0 ? change_of(w, group, 0) + first : NULL;
    block_run *run = NULL;
    for (int k = 0; k < width; ++k, change += w->residual.size) {
      if (vanishes(change, size)) {
        run = NULL;
        continue;
      }
      if (!run) *(run = &b->run[b->run_count++]) = run_from(b, group, k, count);
      ++run->count;
      b->column[count++] = (block_column){group, k};
    }
  }
  return count;
}

// Their entries, into X (size x count).
static int gather(block *b, int first, int size) {
  const int count = find_columns(b, first, size);
  for (int r = 0; r < b->run_count; ++r) transpose_run(b, &b->run[r], first, size, count);
  return count;
}

// Row `local` of X into row `dof` of dv.
static void put_row(const block *b, int count, int local, int dof) {
  const double *x = b->X + (size_t)local * (size_t)count;
  for (int r = 0; r < b->run_count; ++r) {
    const block_run *run = &b->run[r];
    double *row = run->dv + (size_t)dof * (size_t)run->width;
    memcpy(row + run->column, x + run->at, (size_t)run->count * sizeof *row);
  }
}

// Rates at which weak rows and contacts of an island leave their switches with dx and own changes.
static void add_rate(const block *b, const limpet_smooth_island *smooth,
                     limpet_gradient_group group, int column) {
  double *kink = *limpet_gradient_array(&b->gradient->kink, group) + column;
  for (int i = 0; i < smooth->weak_count; ++i)
    *kink = fmax(*kink, fabs(b->own[i] + limpet_smooth_island_switch_rate(smooth, i, b->dx)));
}

static void add_rates(const block *b, const limpet_smooth_island *smooth, int count) {
  const size_t n = (size_t)count;
  for (int c = 0; c < count; ++c) {
    for (int i = 0; i < smooth->n; ++i) b->dx[i] = b->X[(size_t)i * n + (size_t)c];
    for (int i = 0; i < smooth->weak_count; ++i)
      b->own[i] = b->X[(size_t)(smooth->n + i) * n + (size_t)c];
    add_rate(b, smooth, b->column[c].group, b->column[c].column);
  }
}

// --------------------------------------------------------------------------- from the inverse

// What the inputs of a group push in an island of n velocities. Returns the count of runs.
static int find_inputs(const block *b, limpet_gradient_group group, int first, int n) {
  const int width = limpet_gradient_width(b->w, group);
  int count = 0;
  double *push = b->push;
  for (int k = 0; k < width; ++k) {
    const double *change = change_of(b->w, group, k) + first;
    for (int i = 0; i < n; ++i) {
      while (i + ASIDE <= n && !limpet_any_nonzero(change + i, ASIDE)) i += ASIDE;
      if (i == n || change[i] == 0.0) continue;
      input_run *last = count > 0 ? &b->input[count - 1] : NULL;
      if (last && last->column + last->count == k && last->slot + last->count == i) ++last->count;
      else b->input[count++] = (input_run){k, i, 1, push};
      *push++ = change[i];
    }
  }
  return count;
}

// dv = -h (-H^-1) by forces on the velocities of one tree, whose slots begin at `slot`.
static void put_forces(const block *b, int n, const limpet_block *tree, int slot) {
  const int nv = b->w->model->nv;
  const double h = -b->w->settings.time_step;
  for (int i = 0; i < n; ++i) {
    const double *from = b->inverse + i * n + slot;
    double *to = b->gradient->dv.force + b->row[i] * nv + tree->dof;
    for (int k = 0; k < tree->size; ++k) to[k] = h * from[k];
  }
}

// row += push -H^-1 of one run
static void add_run(const input_run *run, const double *restrict inverse, double *restrict row) {
  for (int k = 0; k < run->count; ++k)
    row[run->column + k] += run->push[k] * inverse[run->slot + k];
}

// All rows of a run in which few stand side by side.
static void add_column(const block *b, const input_run *run, int n, int width, double *dv) {
  for (int k = 0; k < run->count; ++k) {
    const double *from = b->inverse + run->slot + k, push = run->push[k];
    double *to = dv + run->column + k;
    for (int i = 0; i < n; ++i, from += n) to[b->row[i] * width] += push * *from;
  }
}

enum { FEW = 3 };

static void put_inputs(const block *b, int first, int n) {
  for (limpet_gradient_group group = LIMPET_GRADIENT_CONTROL; group <= LIMPET_GRADIENT_STIFFNESS;
       ++group) {
    if (!limpet_gradient_is_wanted(b->w, group)) continue;
    const int width = limpet_gradient_width(b->w, group), count = find_inputs(b, group, first, n);
    double *dv = *limpet_gradient_array(&b->gradient->dv, group);
    for (int k = 0; k < count; ++k) {
      const input_run *run = &b->input[k];
      if (run->count <= FEW) add_column(b, run, n, width, dv);
      else
        for (int i = 0; i < n; ++i) add_run(run, b->inverse + i * n, dv + b->row[i] * width);
    }
  }
}

// Rates of weak rows and contacts by inputs.
static void add_input_rates(const block *b, int island) {
  const limpet_gradient_workspace *w = b->w;
  const limpet_smooth_island *smooth = &w->residual.smooth[island];
  const int at = w->residual.at[island], weak = smooth->weak_count;
  for (limpet_gradient_group group = LIMPET_GRADIENT_FORCE; group <= LIMPET_GRADIENT_STIFFNESS;
       ++group) {
    const int width = limpet_gradient_is_wanted(w, group) ? limpet_gradient_width(w, group) : 0;
    const double *dv = *limpet_gradient_array(&b->gradient->dv, group);
    for (int k = 0; k < width; ++k) {
      memset(b->own, 0, (size_t)weak * sizeof *b->own);
      if (group != LIMPET_GRADIENT_FORCE) {
        const double *change = change_of(w, group, k) + at;
        if (vanishes(change, smooth->n + weak)) continue;
        memcpy(b->own, change + smooth->n, (size_t)weak * sizeof *b->own);
      }
      for (int i = 0; i < smooth->n; ++i) b->dx[i] = dv[b->row[i] * width + k];
      add_rate(b, smooth, group, k);
    }
  }
}

// Inputs of an island whose forces change their own momentum alone.
static void put_inverse(block *b, int island) {
  const limpet_residual *residual = &b->w->residual;
  const limpet_contact_problem *problem = &residual->solved->problem;
  const limpet_smooth_island *smooth = &residual->smooth[island];
  const limpet_island *one = &problem->island[island];
  limpet_smooth_island_inverse(smooth, b->inverse);
  for (int i = 0; i < one->block_count; ++i) {
    const limpet_block *tree = limpet_island_block(problem, one, i);
    put_forces(b, smooth->n, tree, tree->offset);
  }
  put_inputs(b, residual->at[island], smooth->n);
  if (smooth->weak_count > 0) add_input_rates(b, island);
}

// ------------------------------------------------------------------------------------- all

static void fill_island(block *b, int island) {
  const limpet_residual *residual = &b->w->residual;
  const limpet_contact_problem *problem = &residual->solved->problem;
  const limpet_smooth_island *smooth = &residual->smooth[island];
  const int first = residual->at[island];
  b->units = island_has_units(b->w, island);
  for (int i = 0; i < smooth->n; ++i)
    b->row[i] = limpet_problem_global_dof(problem, &problem->island[island], i);
  if (b->units) put_inverse(b, island);
  const int count = gather(b, first, smooth->n + smooth->weak_count);
  if (count == 0) return;
  limpet_smooth_island_solve_many(smooth, count, b->X);
  for (int i = 0; i < smooth->n; ++i) put_row(b, count, i, b->row[i]);
  if (smooth->weak_count > 0) add_rates(b, smooth, count);
}

// -H^-1 of a tree alone.
static void invert_tree(const block *b, const limpet_block *tree, const double *factor) {
  const int n = tree->size;
  for (int k = 0; k < n; ++k) {
    memset(b->dx, 0, (size_t)n * sizeof *b->dx);
    b->dx[k] = -1.0;
    tree->kind->solve(tree, factor, b->dx);
    for (int i = 0; i < n; ++i) b->inverse[i * n + k] = b->dx[i];
  }
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
    b->units = has_units(b->w, one);
    for (int i = 0; i < one->size; ++i) b->row[i] = one->dof + i;
    const int count = gather(b, first + one->dof, one->size);
    for (int c = 0; c < count; ++c) {
      for (int i = 0; i < one->size; ++i) b->dx[i] = b->X[(size_t)(i * count + c)];
      one->kind->solve(one, factor, b->dx);
      for (int i = 0; i < one->size; ++i) b->X[(size_t)(i * count + c)] = -b->dx[i];
    }
    for (int i = 0; i < one->size; ++i) put_row(b, count, i, b->row[i]);
    if (b->units) {
      invert_tree(b, one, factor);
      put_forces(b, one->size, one, 0);
      put_inputs(b, first + one->dof, one->size);
    }
    factor += one->kind->factor_size(one);
  }
}

// Whether no column of a group of state or forces meets a kink.
static bool is_smooth(const limpet_gradient_workspace *w, limpet_gradient_group group) {
  const bool *const flags[] = {w->columns.kinked_q, w->columns.kinked_v, w->columns.kinked_force};
  if (group > LIMPET_GRADIENT_FORCE || w->approximate || w->carries) return false;
  return !memchr(flags[group], true, (size_t)w->model->nv * sizeof **flags);
}

static void mark_kinks(const block *b) {
  limpet_gradient_workspace *w = b->w;
  for (limpet_gradient_group group = 0; group <= LIMPET_GRADIENT_STIFFNESS; ++group) {
    const int width = limpet_gradient_is_wanted(w, group) ? limpet_gradient_width(w, group) : 0;
    if (width == 0 || is_smooth(w, group)) continue;
    double *kink = *limpet_gradient_array(&b->gradient->kink, group);
    for (int k = 0; k < width; ++k)
      if (limpet_gradient_kinked(w, group, k)) kink[k] = INFINITY;
  }
}

static limpet_status take(block *b) {
  limpet_gradient_workspace *w = b->w;
  const int island_count = w->residual.solved->problem.island_count;
  int largest = w->model->nv;
  for (int i = 0; i < island_count; ++i) {
    const int size = w->residual.at[i + 1] - w->residual.at[i];
    if (size > largest) largest = size;
  }
  b->room = 3 * w->model->nv + 2 * w->model->nu;
  b->column = LIMPET_TAKE(&w->arena, block_column, b->room);
  b->X = LIMPET_TAKE(&w->arena, double, (size_t)largest *(size_t)b->room);
  b->inverse = LIMPET_TAKE(&w->arena, double, (size_t)largest *(size_t)largest);
  b->run = LIMPET_TAKE(&w->arena, block_run, b->room);
  b->dx = LIMPET_TAKE(&w->arena, double, largest);
  b->own = LIMPET_TAKE(&w->arena, double, largest);
  b->row = LIMPET_TAKE(&w->arena, int, largest);
  b->input = LIMPET_TAKE(&w->arena, input_run, largest * w->model->nu);
  b->push = LIMPET_TAKE(&w->arena, double, (size_t)largest *(size_t)w->model->nu);
  const bool all =
      b->column && b->run && b->X && b->inverse && b->dx && b->own && b->row && b->input && b->push;
  return all ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

limpet_status limpet_gradient_fill_blocks(limpet_gradient_workspace *w, limpet_gradient *gradient) {
  block b = {.w = w, .gradient = gradient};
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  if (take(&b)) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < w->residual.solved->problem.island_count; ++i) fill_island(&b, i);
  fill_free(&b);
  mark_kinks(&b);
  limpet_arena_release(&w->arena, mark);
  return limpet_gradient_fill_ends(w, gradient);
}
