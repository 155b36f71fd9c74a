/* gradient/fill_ends.c: derivatives of the end of a step from those of the velocities that were
 * solved for, a group of columns at a time.
 *
 *   dq = T dv for whole rows (integration.h); bodies alone (body_end.h), trees that were held
 *   (tree_end.h) and trees in flight (tree_free_end.h) each by their own matrices. */
#include <math.h>
#include <string.h>

#include "gradient/workspace.h"
#include "math/dense.h"
#include "math/dense_table.h"

enum { END_ROWS = 12 };   // of end_free
enum { LESS_ROWS = 15 };  // of tree_less

typedef struct filling {
  const limpet_gradient_workspace *w;
  limpet_gradient *gradient;
} filling;

// row (width) += M_i . from (6 x width)
static void add_rows(int width, int count, const double *M, const double *from, double *row) {
  for (int k = 0; k < count; ++k)
    if (M[k] != 0.0) limpet_axpy(width, M[k], from + (size_t)k * (size_t)width, row);
}

// Bodies alone: from the velocity that was solved for to the end of the step.
static void end_body(const filling *f, const limpet_body_end *end, limpet_gradient_group group,
                     double *solved) {
  const int width = limpet_gradient_width(f->w, group);
  const size_t n = (size_t)width;
  double *dv = *limpet_gradient_array(&f->gradient->dv, group) + (size_t)end->first * n,
         *dq = *limpet_gradient_array(&f->gradient->dq, group) + (size_t)end->first * n;
  memcpy(solved, dv, 6 * n * sizeof *solved);
  memset(dv, 0, 6 * n * sizeof *dv);
  memset(dq, 0, 6 * n * sizeof *dq);
  for (int i = 0; i < 6; ++i) {
    add_rows(width, 6, end->v_by_s + 6 * i, solved, dv + (size_t)i * n);
    add_rows(width, 6, end->q_by_s + 6 * i, solved, dq + (size_t)i * n);
    if (group > LIMPET_GRADIENT_V) continue;
    const bool pose = group == LIMPET_GRADIENT_Q;
    for (int j = 0; j < 6; ++j) {
      dv[(size_t)i * n + (size_t)(end->first + j)] += (pose ? end->v_by_q : end->v_by_v)[6 * i + j];
      dq[(size_t)i * n + (size_t)(end->first + j)] += (pose ? end->q_by_q : end->q_by_v)[6 * i + j];
    }
  }
}

// Matrices of the end of a tree with the other sign, as products take away.
typedef struct tree_less {
  double *v_by_s, *v_by_f, *x_by_s;  // (6 x n), (6 x n), (3 x n)
} tree_less;

static void negate(int count, const double *from, double *to) {
  for (int i = 0; i < count && from; ++i) to[i] = -from[i];
}

// less (LESS_ROWS x n)
static tree_less tree_less_of(const limpet_tree_end *end, double *less) {
  const tree_less to = {less, less + 6 * end->n, less + 12 * end->n};
  negate(6 * end->n, end->v_by_s, to.v_by_s);
  negate(6 * end->n, end->v_by_f, to.v_by_f);
  negate(3 * end->n, end->x_by_s, to.x_by_s);
  return to;
}

// What a centred tree adds to its place; solved (n x width): of what was solved for.
static void place_tree(const filling *f, const limpet_tree_end *end, const tree_less *less,
                       limpet_gradient_group group, const double *solved) {
  const int width = limpet_gradient_width(f->w, group);
  const size_t n = (size_t)width;
  if (!end->x_by_s) return;
  double *dq = *limpet_gradient_array(&f->gradient->dq, group) + (size_t)end->first * n;
  limpet_dense()->sub_mul(3, width, end->n, less->x_by_s, end->n, 1, solved, width, dq, width);
  for (int i = 0; i < 3 && group == LIMPET_GRADIENT_Q; ++i)
    for (int j = 0; j < end->n; ++j)
      dq[(size_t)i * n + (size_t)(end->first + j)] += end->x_by_q[i * end->n + j];
}

// Velocities of trees that were held: from what was solved for to the end of the step.
static void end_tree(const filling *f, const limpet_tree_end *end, const tree_less *less,
                     limpet_gradient_group group, double *solved) {
  const int width = limpet_gradient_width(f->w, group);
  const size_t n = (size_t)width, size = (size_t)end->n * n;
  double *dv = *limpet_gradient_array(&f->gradient->dv, group) + (size_t)end->first * n;
  const double *by_state = group == LIMPET_GRADIENT_Q       ? end->v_by_q
                           : group == LIMPET_GRADIENT_V     ? end->v_by_v
                           : group == LIMPET_GRADIENT_FORCE ? end->v_by_f
                                                            : NULL;
  memcpy(solved, dv, size * sizeof *solved);
  place_tree(f, end, less, group, solved);
  memset(dv, 0, 6 * n * sizeof *dv);
  limpet_dense()->sub_mul(6, width, end->n, less->v_by_s, end->n, 1, solved, width, dv, width);
  if (group == LIMPET_GRADIENT_CONTROL && end->v_by_f)
    limpet_dense()->sub_mul_t(6, width, end->n, less->v_by_f, end->n,
                              f->w->columns.control_force + end->first, f->w->model->nv, dv, width);
  for (int i = 0; i < 6 && by_state; ++i)
    limpet_axpy(end->n, 1.0, by_state + i * end->n, dv + (size_t)i * n + end->first);
}

// Columns of a group that change what the step of a tree starts from.
static limpet_end_group own_of(limpet_gradient_group group) {
  switch (group) {
    case LIMPET_GRADIENT_Q: return LIMPET_END_BY_Q;
    case LIMPET_GRADIENT_V: return LIMPET_END_BY_V;
    case LIMPET_GRADIENT_FORCE: return LIMPET_END_BY_FORCE;
    default: return LIMPET_END_BY_NONE;
  }
}

// Trees that nothing from outside holds. work: END_ROWS rows of the group and the tree's.
static void end_free(const filling *f, const limpet_tree_free_end *end, limpet_gradient_group group,
                     double *work) {
  const int width = limpet_gradient_width(f->w, group), nv = f->w->model->nv;
  const size_t at = (size_t)end->first * (size_t)width;
  double *dv = *limpet_gradient_array(&f->gradient->dv, group) + at,
         *dq = *limpet_gradient_array(&f->gradient->dq, group) + at, *F = NULL;
  if (group == LIMPET_GRADIENT_CONTROL) {
    F = work + 12 * width;
    limpet_dense()->transpose(width, end->n, f->w->columns.control_force + end->first, nv, F,
                              width);
  }
  const limpet_end_columns columns = {
      .width = width, .own = own_of(group), .at = end->first, .F = F};
  limpet_tree_free_end_rows(end, &columns, dv, dq, work);
}

// Servos that the scheme does not have in its matrix.
static void mark_stiffness(const filling *f) {
  const limpet_gradient_workspace *w = f->w;
  const int nu = w->model->nu;
  const bool none = w->columns.servo_count == 0;
  for (int k = 0; k < w->model->nv * nu && none; ++k)
    f->gradient->dv.stiffness[k] = f->gradient->dq.stiffness[k] = NAN;
  for (int k = 0; k < nu && none; ++k) f->gradient->kink.stiffness[k] = NAN;
  for (int k = 0; k < nu && !none; ++k) {
    if (w->columns.in_stiffness[k]) continue;
    f->gradient->kink.stiffness[k] = NAN;
    for (int i = 0; i < w->model->nv; ++i)
      f->gradient->dv.stiffness[i * nu + k] = f->gradient->dq.stiffness[i * nu + k] = NAN;
  }
}

limpet_status limpet_gradient_fill_ends(limpet_gradient_workspace *w, limpet_gradient *gradient) {
  const filling f = {w, gradient};
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  const size_t width = (size_t)(w->model->nv > w->model->nu ? w->model->nv : w->model->nu);
  double *work = LIMPET_TAKE(&w->arena, double, ((size_t)w->model->nv + END_ROWS) * width);
  double *less = LIMPET_TAKE(&w->arena, double, LESS_ROWS * w->model->nv);
  if (!work || !less) return LIMPET_ERROR_MEMORY;
  for (limpet_gradient_group group = 0; group <= LIMPET_GRADIENT_STIFFNESS; ++group)
    if (limpet_gradient_is_wanted(w, group))
      limpet_integration_rows(&w->integration, limpet_gradient_width(w, group),
                              *limpet_gradient_array(&gradient->dv, group),
                              *limpet_gradient_array(&gradient->dq, group));
  for (int k = 0; k < w->end_count; ++k)
    for (limpet_gradient_group group = 0; group <= LIMPET_GRADIENT_STIFFNESS; ++group)
      if (limpet_gradient_is_wanted(w, group)) end_body(&f, &w->end[k], group, work);
  for (int k = 0; k < w->tree_end_count; ++k) {
    const tree_less signs = tree_less_of(&w->tree_end[k], less);
    for (limpet_gradient_group group = 0; group <= LIMPET_GRADIENT_STIFFNESS; ++group)
      if (limpet_gradient_is_wanted(w, group)) end_tree(&f, &w->tree_end[k], &signs, group, work);
  }
  for (int k = 0; k < w->free_end_count; ++k)
    for (limpet_gradient_group group = 0; group <= LIMPET_GRADIENT_STIFFNESS; ++group)
      if (limpet_gradient_is_wanted(w, group)) end_free(&f, &w->free_end[k], group, work);
  if (gradient->kink.stiffness) mark_stiffness(&f);
  limpet_arena_release(&w->arena, mark);
  return LIMPET_OK;
}
