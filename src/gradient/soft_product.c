/* gradient/soft_product.c: see soft_product.h. */
#include "gradient/soft_product.h"

#include <string.h>

#include "fem/rigid_set.h"
#include "math/dense.h"
#include "step/soft_sets.h"

bool limpet_soft_product_take(limpet_gradient_workspace *w, limpet_soft_product *p) {
  limpet_arena *arena = &w->arena;
  const limpet_model *model = w->model;
  const int V = 3 * model->vertex_count;
  *p = (limpet_soft_product){.w = w, .soft = w->soft, .vertices = V};
  double *all = LIMPET_TAKE_ZERO(arena, double, 14 * (size_t)V);
  p->impulse = LIMPET_TAKE_ZERO(arena, double, p->soft->unknowns);
  p->dw = LIMPET_TAKE_ZERO(arena, double, 2 * p->soft->unknowns);
  p->work = LIMPET_TAKE_ZERO(arena, double, p->soft->unknowns);
  p->r = LIMPET_TAKE_ZERO(arena, double, w->residual.size);
  p->dx = LIMPET_TAKE_ZERO(arena, double, p->soft->solved.problem.nv);
  p->end = LIMPET_TAKE_ZERO(arena, double, 2 * model->nv);
  if (!all || !p->impulse || !p->dw || !p->work || !p->r || !p->dx || !p->end) return false;
  p->dR = all, p->u = all + V, p->dv = all + 2 * V, p->q = all + 3 * V, p->v0 = all + 4 * V;
  p->z = all + 5 * V, p->g = all + 6 * V, p->arm = all + 10 * V, p->offset = all + 11 * V;
  p->e = all + 12 * V, p->law = all + 13 * V;
  return true;
}

bool limpet_soft_product_is_current(const limpet_gradient *gradient) {
  const limpet_gradient_workspace *w = gradient->workspace;
  return w->data && w->data->step_count == w->step_count && w->soft && w->wanted.state &&
         w->wanted.inputs && w->wanted.smoothing.kind == LIMPET_SMOOTHING_NONE;
}

const limpet_soft_body *limpet_soft_body_at(const limpet_soft_product *p, int d) {
  return &p->soft->motion->body[d];
}

limpet_soft_point_kind limpet_soft_point_of(const limpet_soft_body *body) {
  if (body->relinearised || body->step->is_linear) return LIMPET_SOFT_AT_END;
  if (limpet_elastic_law_is_linear(body->step->body->info.law)) return LIMPET_SOFT_AT_NONE;
  return body->near_start ? LIMPET_SOFT_AT_START : LIMPET_SOFT_AT_FREE;
}

int limpet_soft_first(const limpet_soft_product *p, int d) {
  return 3 * p->w->model->deformable_vertex[d];
}

int limpet_soft_count(const limpet_soft_product *p, int d) {
  return 3 * (p->w->model->deformable_vertex[d + 1] - p->w->model->deformable_vertex[d]);
}

bool limpet_soft_is_turned(const limpet_soft_product *p, int d) {
  return p->soft->motion->keeps_spin &&
         limpet_soft_flies(limpet_soft_body_at(p, d), &p->soft->solved.problem,
                           &p->soft->solved.solution) &&
         memcmp(p->soft->v + limpet_soft_first(p, d), p->soft->end + limpet_soft_first(p, d),
                (size_t)limpet_soft_count(p, d) * sizeof(double)) != 0;
}

const limpet_block *limpet_soft_block_impulse(const limpet_soft_product *p, int d, const double *x,
                                              bool slots, const double *y, double *impulse) {
  const limpet_soft_body *body = limpet_soft_body_at(p, d);
  if (body->block == LIMPET_NONE) return NULL;
  const limpet_block *block = &p->soft->solved.problem.block[body->block];
  double *sum = p->work;
  limpet_soft_unknowns(body, y + limpet_soft_first(p, d), false, sum);
  for (int i = 0; i < block->size; ++i) {
    const int dof = block->dof + i;
    if (x) sum[i] += x[slots ? limpet_residual_slot(&p->w->residual, dof) : dof];
  }
  memset(impulse, 0, (size_t)block->size * sizeof *impulse);
  block->kind->apply(block, sum, impulse);
  return block;
}

void limpet_soft_law_change(const limpet_soft_product *p, const double *start) {
  for (int d = 0; d < p->w->model->deformable_count; ++d) {
    const limpet_soft_body *body = limpet_soft_body_at(p, d);
    const int first = limpet_soft_first(p, d), count = limpet_soft_count(p, d);
    double *law = p->law + first;
    switch (limpet_soft_point_of(body)) {
      case LIMPET_SOFT_AT_END: memcpy(law, p->dv + first, (size_t)count * sizeof *law); break;
      case LIMPET_SOFT_AT_FREE:
        for (int i = 0; i < count; ++i) law[i] = p->e[first + i] - p->u[first + i];
        break;
      case LIMPET_SOFT_AT_START:
        for (int i = 0; i < count; ++i) law[i] = start ? start[first + i] : 0.0;
        limpet_fem_rigid_admit_forward(body->step, p->arm + first, p->offset + first, law, p->g);
        break;
      case LIMPET_SOFT_AT_NONE: memset(law, 0, (size_t)count * sizeof *law); break;
    }
  }
}

void limpet_soft_respond(const limpet_soft_product *p, const double *x, bool slots, const double *u,
                         double *dv) {
  for (int d = 0; d < p->w->model->deformable_count; ++d) {
    const int first = limpet_soft_first(p, d), count = limpet_soft_count(p, d);
    if (limpet_soft_block_impulse(p, d, x, slots, u, p->impulse))
      limpet_fem_step_follow_impulse(limpet_soft_body_at(p, d)->step, p->impulse, dv + first);
    else memset(dv + first, 0, (size_t)count * sizeof *dv);
    for (int i = first; i < first + count; ++i) dv[i] -= u[i];
  }
}

void limpet_soft_solve_bodies(const limpet_soft_product *p, double *u) {
  for (int d = 0; d < p->w->model->deformable_count; ++d)
    limpet_fem_back_solve(limpet_soft_body_at(p, d)->step, u + limpet_soft_first(p, d));
}

void limpet_soft_add_bodies(const limpet_soft_product *p, double *r) {
  const limpet_residual *residual = &p->w->residual;
  for (int d = 0; d < p->w->model->deformable_count; ++d) {
    const limpet_block *block = limpet_soft_block_impulse(p, d, NULL, false, p->u, p->impulse);
    for (int i = 0; block && i < block->size; ++i)
      r[limpet_residual_slot(residual, block->dof + i)] += p->impulse[i];
  }
}

void limpet_soft_weight_direction(limpet_soft_product *p, int d, const limpet_block *block, int k) {
  const limpet_soft_body *body = limpet_soft_body_at(p, d);
  const int n = block->size, i = k % n;
  if (k < n) {
    memset(p->work, 0, (size_t)n * sizeof *p->work);
    p->work[i] = 1.0;
    limpet_fem_step_follow_impulse(body->step, p->work, p->z);
    return;
  }
  memset(p->work, 0, (size_t)n * sizeof *p->work);
  memset(p->impulse, 0, (size_t)n * sizeof *p->impulse);
  p->work[i] = 1.0;
  block->kind->apply(block, p->work, p->impulse);
  limpet_fem_step_follow_impulse(body->step, p->impulse, p->z);
}

int limpet_soft_weight_number(const limpet_soft_product *p, const limpet_block *block, int k) {
  const int from = block->dof - p->w->model->nv;
  return k < block->size ? from + k : p->soft->unknowns + from + k - block->size;
}

bool limpet_soft_has_numbers(const limpet_gradient_vector *x) {
  return x->youngs_modulus || x->poissons_ratio || x->density || x->mass_damping ||
         x->stiffness_damping;
}

void limpet_soft_each_weight(limpet_soft_product *p, bool numbers, limpet_soft_weight_use *use) {
  const int size = p->w->residual.size;
  for (int d = 0; d < p->w->model->deformable_count; ++d) {
    const limpet_soft_body *body = limpet_soft_body_at(p, d);
    if (body->block == LIMPET_NONE) continue;
    const limpet_block *block = &p->soft->solved.problem.block[body->block];
    const int count = limpet_soft_count(p, d);
    for (int k = 0; k < 2 * block->size; ++k) {
      const int number = limpet_soft_weight_number(p, block, k);
      const double *column = p->soft->by_w + (size_t)number * (size_t)size;
      if (limpet_dot(size, column, column) == 0.0) continue;
      limpet_soft_weight_direction(p, d, block, k);
      limpet_fem_stiffness_gradient g = {.numbers = numbers,
                                         .position = p->g,
                                         .velocity = p->g + count,
                                         .end = p->g + 2 * count,
                                         .arm = body->step->rigid ? p->g + 3 * count : NULL};
      limpet_fem_stiffness_adjoint(body->step, p->soft->v + limpet_soft_first(p, d), p->z, &g);
      use(p, number, d, &g);
    }
  }
}

void limpet_soft_add_columns(int count, const double *columns, int size, const double *x,
                             double *r) {
  for (int j = 0; j < count && x && columns; ++j)
    if (x[j] != 0.0) limpet_axpy(size, x[j], columns + (size_t)j * (size_t)size, r);
}
