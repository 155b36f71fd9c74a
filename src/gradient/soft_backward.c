/* gradient/soft_backward.c: gradients by the start of a step with deformable bodies of a gradient
 * by its end: see soft_product.h. */
#include <assert.h>
#include <string.h>

#include "fem/rigid_set.h"
#include "gradient/soft_arms.h"
#include "gradient/soft_stiffening.h"
#include "math/dense.h"

static void copy_out(const double *from, size_t count, double *to) {
  if (to && count > 0) memcpy(to, from, count * sizeof *to);
}

typedef struct backward {
  limpet_soft_product p;
  const limpet_gradient_vector *by;
  double *weight;  // (vertices)  of dv, without w
  double *y;       // (problem nv)  weights of dx
  double *dual;    // (residual size)
  double *sum;     // (vertices)  what w adds to the weight of dv
  double *free;    // (vertices)  and to that of free motions
  double *start;   // (vertices)  and to that of velocities at the start, where sets admit them
  double *all;     // (vertices)  of e
  bool settled;    // the solve
} backward;

// Weights of what is solved for from those of the end.
static void backward_end(backward *b, const limpet_gradient_vector *weight) {
  limpet_soft_product *p = &b->p;
  const int nv = p->w->model->nv;
  copy_out(weight->q, weight->q ? (size_t)nv : 0, p->end);
  copy_out(weight->v, weight->v ? (size_t)nv : 0, p->end + nv);
  for (int j = 0; j < nv; ++j)
    b->y[j] = limpet_dot(2 * nv, p->soft->end_by_v + (size_t)j * 2 * (size_t)nv, p->end);
  for (int d = 0; d < p->w->model->deformable_count; ++d) {
    limpet_fem_step *step = limpet_soft_body_at(p, d)->step;
    const int first = limpet_soft_first(p, d), count = limpet_soft_count(p, d);
    const double a = limpet_fem_share(step) * step->input.dt, late = step->input.dt - a;
    for (int i = first; i < first + count; ++i) {
      const double by_q = weight->vertex_position ? weight->vertex_position[i] : 0.0;
      p->q[i] = by_q, p->v0[i] = late * by_q;
      b->weight[i] = a * by_q + (weight->vertex_velocity ? weight->vertex_velocity[i] : 0.0);
    }
    if (limpet_soft_is_turned(p, d))
      limpet_fem_spin_adjoint(step, p->soft->v + first, p->soft->end + first, b->weight + first,
                              p->q + first, p->v0 + first, p->g);
  }
}

static void add_to(double *array, int d, double value) {
  if (array) array[d] += value;
}

// What the weight of a number of w or A gives.
static void backward_weight(limpet_soft_product *p, int i, int d,
                            const limpet_fem_stiffness_gradient *g) {
  backward *b = (backward *)p;
  const int first = limpet_soft_first(p, d), count = limpet_soft_count(p, d);
  const double y = -p->dw[i] / p->soft->scale[i];
  switch (limpet_soft_point_of(limpet_soft_body_at(p, d))) {
    case LIMPET_SOFT_AT_END: limpet_axpy(count, y, g->end, b->sum + first); break;
    case LIMPET_SOFT_AT_FREE: limpet_axpy(count, y, g->end, b->free + first); break;
    case LIMPET_SOFT_AT_NONE: break;
    case LIMPET_SOFT_AT_START: limpet_axpy(count, y, g->end, b->start + first); break;
  }
  if (g->arm) limpet_axpy(count, y, g->arm, p->arm + first);
  limpet_axpy(count, y, g->position, p->q + first);
  limpet_axpy(count, y, g->velocity, p->v0 + first);
  add_to(b->by->youngs_modulus, d, y * g->youngs_modulus);
  add_to(b->by->poissons_ratio, d, y * g->poissons_ratio);
  add_to(b->by->density, d, y * g->density);
  add_to(b->by->mass_damping, d, y * g->mass_damping);
  add_to(b->by->stiffness_damping, d, y * g->stiffness_damping);
}

// dual, for the weights as they are, and weights of w and A.
static void backward_solve(backward *b) {
  limpet_soft_product *p = &b->p;
  limpet_gradient_workspace *w = p->w;
  const int size = w->residual.size;
  memcpy(p->u, b->weight, (size_t)p->vertices * sizeof *p->u);
  limpet_soft_solve_bodies(p, p->u);
  for (int d = 0; d < w->model->deformable_count; ++d) {
    const limpet_block *block = limpet_soft_block_impulse(p, d, NULL, false, p->u, p->impulse);
    if (block) copy_out(p->impulse, (size_t)block->size, b->y + block->dof);
  }
  b->settled = limpet_soft_solve_adjoint(w, b->y, b->dual);
  for (int i = 0; i < 2 * p->soft->unknowns; ++i)
    p->dw[i] = limpet_dot(size, p->soft->by_w + (size_t)i * (size_t)size, b->dual);
}

// l in p->dR, with what w and A add to the weight of dv.
static void backward_respond(backward *b) {
  limpet_soft_product *p = &b->p;
  for (int i = 0; i < p->vertices; ++i) {
    p->u[i] = b->weight[i] + b->sum[i];
    b->all[i] = p->u[i] + b->free[i];
  }
  limpet_soft_solve_bodies(p, p->u);
  limpet_soft_respond(p, b->dual, true, p->u, p->dR);
  limpet_soft_solve_bodies(p, b->free);
  limpet_axpy(p->vertices, -1.0, b->free, p->dR);
}

// By vertices and numbers of the bodies: l.dR.
static void backward_bodies(backward *b) {
  limpet_soft_product *p = &b->p;
  for (int d = 0; d < p->w->model->deformable_count; ++d) {
    limpet_fem_step *step = limpet_soft_body_at(p, d)->step;
    const int first = limpet_soft_first(p, d), count = limpet_soft_count(p, d);
    double *l = p->dR + first, *Hl = p->z;
    limpet_fem_gradient g = {.position = p->g, .velocity = p->g + count};
    for (int k = 0; k < step->input.fixed_count; ++k)
      for (int e = 3 * step->input.fixed[k]; e < 3 * step->input.fixed[k] + 3; ++e)
        p->q[first + e] += l[e] / step->input.dt;
    limpet_fem_clear_fixed(step, l);
    limpet_fem_step_multiply(step, l, Hl);
    limpet_soft_arms_carry_adjoint(p, d, b->all, l, Hl, p->arm, p->offset);
    limpet_fem_rigid_admit_adjoint(step, b->start + first, p->arm + first, p->offset + first, p->g);
    limpet_axpy(count, 1.0, b->start + first, p->v0 + first);
    for (int k = 0; k < step->input.fixed_count; ++k)
      for (int e = 3 * step->input.fixed[k]; e < 3 * step->input.fixed[k] + 3; ++e)
        p->q[first + e] -= Hl[e] / step->input.dt;
    limpet_fem_tangent_adjoint(step, p->soft->v + first, l, &g);
    limpet_axpy(count, 1.0, g.position, p->q + first);
    limpet_axpy(count, 1.0, g.velocity, p->v0 + first);
    add_to(b->by->youngs_modulus, d, g.youngs_modulus);
    add_to(b->by->poissons_ratio, d, g.poissons_ratio);
    add_to(b->by->density, d, g.density);
    add_to(b->by->mass_damping, d, g.mass_damping);
    add_to(b->by->stiffness_damping, d, g.stiffness_damping);
  }
  limpet_soft_arms_pull(p, p->arm, p->offset, b->by->q, p->q);
}

static void products(int count, const double *columns, int size, const double *dual, double *to) {
  for (int j = 0; j < count && to; ++j)
    to[j] += columns ? limpet_dot(size, columns + (size_t)j * (size_t)size, dual) : 0.0;
}

static void clear(double *array, int count) {
  if (array && count > 0) memset(array, 0, (size_t)count * sizeof *array);
}

static void clear_all(const limpet_model *model, const limpet_gradient_vector *by) {
  clear(by->q, model->nv), clear(by->v, model->nv);
  clear(by->force, model->nv), clear(by->control, model->nu);
  clear(by->youngs_modulus, model->deformable_count);
  clear(by->poissons_ratio, model->deformable_count);
  clear(by->density, model->deformable_count);
  clear(by->mass_damping, model->deformable_count);
  clear(by->stiffness_damping, model->deformable_count);
}

// By state and inputs of the trees, and by vertices in contact: dual.dr.
static void backward_residual(backward *b) {
  limpet_soft_product *p = &b->p;
  const limpet_gradient_workspace *w = p->w;
  const limpet_gradient_vector *by = b->by;
  const int size = w->residual.size, nv = w->model->nv, width = 2 * nv;
  products(nv, limpet_soft_by_pose(w), size, b->dual, by->q);
  products(nv, w->columns.v, size, b->dual, by->v);
  products(nv, w->columns.force, size, b->dual, by->force);
  products(w->model->nu, w->columns.control, size, b->dual, by->control);
  for (int j = 0; j < nv && by->force && !w->columns.force; ++j)
    by->force[j] -= w->settings.time_step * b->dual[limpet_residual_slot(&w->residual, j)];
  const double *row = p->soft->end_by_input;
  double *const inputs[] = {by->q, by->v, by->force, by->control};
  for (int k = 0; k < 4; ++k) {
    const int count = k < 3 ? nv : w->model->nu;
    products(count, row, width, p->end, inputs[k]);
    row += (size_t)count * (size_t)width;
  }
  for (int i = 0; i < 3 * p->soft->places; ++i) {
    const size_t at = (size_t)i * (size_t)size;
    const int number = 3 * p->soft->vertex[i / 3] + i % 3;
    p->q[number] += limpet_dot(size, p->soft->by_x + at, b->dual);
    p->v0[number] += limpet_dot(size, p->soft->by_v + at, b->dual);
  }
}

static bool backward_take(limpet_gradient_workspace *w, backward *b) {
  const size_t V = 3 * (size_t)w->model->vertex_count;
  if (!limpet_soft_product_take(w, &b->p)) return false;
  b->weight = LIMPET_TAKE_ZERO(&w->arena, double, V);
  b->sum = LIMPET_TAKE_ZERO(&w->arena, double, V);
  b->free = LIMPET_TAKE_ZERO(&w->arena, double, V);
  b->start = LIMPET_TAKE_ZERO(&w->arena, double, V);
  b->all = LIMPET_TAKE_ZERO(&w->arena, double, V);
  b->y = LIMPET_TAKE_ZERO(&w->arena, double, w->soft->solved.problem.nv);
  b->dual = LIMPET_TAKE_ZERO(&w->arena, double, w->residual.size);
  return b->weight && b->sum && b->free && b->start && b->all && b->y && b->dual;
}

bool limpet_gradient_backward(limpet_gradient *gradient, const limpet_gradient_vector *weight,
                              const limpet_gradient_vector *by) {
  assert(gradient && weight && by);
  limpet_gradient_workspace *w = gradient->workspace;
  if (!limpet_soft_product_is_current(gradient)) return false;
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  backward b = {.by = by};
  const bool done = backward_take(w, &b);
  if (done) {
    backward_end(&b, weight);
    clear_all(w->model, by);
    backward_solve(&b);
    limpet_soft_each_weight(&b.p, limpet_soft_has_numbers(by), backward_weight);
    backward_respond(&b);
    backward_bodies(&b);
    backward_residual(&b);
    if (!b.settled) gradient->approximate = w->approximate = true;
    copy_out(b.p.q, (size_t)b.p.vertices, by->vertex_position);
    copy_out(b.p.v0, (size_t)b.p.vertices, by->vertex_velocity);
  }
  limpet_arena_release(&w->arena, mark);
  return done;
}
