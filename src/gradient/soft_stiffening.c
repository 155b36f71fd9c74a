/* gradient/soft_stiffening.c: see soft_stiffening.h. */
#include "gradient/soft_stiffening.h"

#include <math.h>
#include <string.h>

#include "gradient/soft_product.h"
#include "math/dense.h"

enum { ROUNDS = 40 };
// [-]  change of a round, of the whole: rounds end, and a column counts as kinked where none does
static const double settled = 1e-14, unsettled = 1e-9;

// The row of a number: z of it is not needed any more.
static void take_row(limpet_soft_product *p, int i, int d, const limpet_fem_stiffness_gradient *g) {
  limpet_soft_stiffening *s = p->soft->stiffening;
  const limpet_soft_body *body = limpet_soft_body_at(p, d);
  const int first = limpet_soft_first(p, d), unknowns = p->soft->unknowns;
  if (body->step->is_linear || limpet_soft_point_of(body) != LIMPET_SOFT_AT_END) return;
  memcpy(p->dv + first, g->end, (size_t)limpet_soft_count(p, d) * sizeof *p->dv);
  limpet_fem_back_solve(body->step, p->dv + first);
  const limpet_block *block = limpet_soft_block_impulse(p, d, NULL, false, p->dv, p->impulse);
  double *row = s->by_x + (size_t)s->count * (size_t)unknowns + block->dof - p->w->model->nv;
  for (int k = 0; k < block->size; ++k) row[k] = -p->impulse[k] / p->soft->scale[i];
  s->number[s->count++] = i;
}

// Numbers that contacts or rows see, of bodies whose laws are not linear in a step.
static int most_numbers(const limpet_gradient_workspace *w) {
  const limpet_soft_gradient *soft = w->soft;
  const size_t size = (size_t)w->residual.size;
  bool follows = false;
  int count = 0;
  for (int d = 0; d < w->model->deformable_count; ++d)
    follows = follows || (!soft->motion->body[d].step->is_linear &&
                          limpet_soft_point_of(&soft->motion->body[d]) == LIMPET_SOFT_AT_END);
  for (int i = 0; i < 2 * soft->unknowns && follows; ++i) {
    const double *column = soft->by_w + (size_t)i * size;
    count += limpet_dot((int)size, column, column) != 0.0;
  }
  return count;
}

limpet_status limpet_soft_stiffening_make(limpet_gradient_workspace *w) {
  limpet_arena *arena = &w->arena;
  const int most = most_numbers(w), unknowns = w->soft->unknowns;
  limpet_soft_stiffening *s = LIMPET_TAKE_ZERO(arena, limpet_soft_stiffening, 1);
  if (!s) return LIMPET_ERROR_MEMORY;
  w->soft->stiffening = s;
  if (most == 0) return LIMPET_OK;
  s->number = LIMPET_TAKE(arena, int, most);
  s->by_x = LIMPET_TAKE_ZERO(arena, double, (size_t)most *(size_t)unknowns);
  s->total = LIMPET_TAKE(arena, double, w->residual.size);
  s->weights = LIMPET_TAKE(arena, double, w->soft->solved.problem.nv);
  s->dw = LIMPET_TAKE(arena, double, 2 * most);
  if (!s->number || !s->by_x || !s->total || !s->weights || !s->dw) return LIMPET_ERROR_MEMORY;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  limpet_soft_product p;
  const bool taken = limpet_soft_product_take(w, &p);
  if (taken) limpet_soft_each_weight(&p, false, take_row);
  limpet_arena_release(arena, mark);
  return taken ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

// [-]  Change of the numbers of a round from those of the last one, which they replace.
static double change_of(int count, const double *dw, double *last) {
  double change = 0.0, whole = 0.0;
  for (int k = 0; k < count; ++k) {
    change = fmax(change, fabs(dw[k] - last[k])), whole = fmax(whole, fabs(dw[k]));
    last[k] = dw[k];
  }
  return change > 0.0 ? change / whole : 0.0;
}

static const limpet_soft_stiffening *stiffening_of(const limpet_gradient_workspace *w) {
  return w->soft && w->soft->stiffening && w->soft->stiffening->count > 0 ? w->soft->stiffening
                                                                          : NULL;
}

double limpet_soft_solve(limpet_gradient_workspace *w, const double *change, int island,
                         double *dv) {
  const limpet_residual *residual = &w->residual;
  const limpet_soft_stiffening *s = stiffening_of(w);
  double rate = limpet_residual_forward(residual, change, island, dv);
  if (!s) return rate;
  const int unknowns = w->soft->unknowns, size = residual->size;
  double *dw = s->dw, *last = s->dw + s->count, moved = 0.0;
  memset(last, 0, (size_t)s->count * sizeof *last);
  for (int round = 0; round < ROUNDS; ++round) {
    for (int k = 0; k < s->count; ++k)
      dw[k] = limpet_dot(unknowns, s->by_x + (size_t)k * (size_t)unknowns, dv + w->model->nv);
    moved = change_of(s->count, dw, last);
    if (moved <= settled) return rate;
    memcpy(s->total, change, (size_t)size * sizeof *s->total);
    for (int k = 0; k < s->count; ++k)
      limpet_axpy(size, dw[k], w->soft->by_w + (size_t)s->number[k] * (size_t)size, s->total);
    rate = limpet_residual_forward(residual, s->total, -1, dv);
  }
  return moved <= unsettled ? rate : INFINITY;
}

bool limpet_soft_solve_adjoint(limpet_gradient_workspace *w, const double *weight, double *dual) {
  const limpet_residual *residual = &w->residual;
  const limpet_soft_stiffening *s = stiffening_of(w);
  limpet_residual_adjoint(residual, weight, dual);
  if (!s) return true;
  const int unknowns = w->soft->unknowns, size = residual->size;
  double *dw = s->dw, *last = s->dw + s->count, moved = 0.0;
  memset(last, 0, (size_t)s->count * sizeof *last);
  for (int round = 0; round < ROUNDS; ++round) {
    for (int k = 0; k < s->count; ++k)
      dw[k] = limpet_dot(size, w->soft->by_w + (size_t)s->number[k] * (size_t)size, dual);
    moved = change_of(s->count, dw, last);
    if (moved <= settled) return true;
    memcpy(s->weights, weight, (size_t)residual->solved->problem.nv * sizeof *s->weights);
    for (int k = 0; k < s->count; ++k)
      limpet_axpy(unknowns, dw[k], s->by_x + (size_t)k * (size_t)unknowns,
                  s->weights + w->model->nv);
    limpet_residual_adjoint(residual, s->weights, dual);
  }
  return moved <= unsettled;
}
