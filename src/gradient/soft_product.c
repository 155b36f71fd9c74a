/* gradient/soft_product.c: products of the Jacobian of a step with deformable bodies: see
 * soft_gradient.h for the equations.
 *
 * Ends: q+ = q + b v0 + a v, a = s dt, b = (1 - s) dt, s the share of v in the step; bodies in free
 * flight are turned (fem/tangent.h). Fixed nodes go where what holds them is: v = (place - q)/dt,
 * so dR there is minus the change of v, dq/dt, and the others' takes H dv.
 * Cost: two solves with H for each body, one for each island; and of near-rigid contacts one solve
 * for each unknown of a vertex, with what follows the strain four products with K besides. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "fem/tangent.h"
#include "gradient/soft_gradient.h"
#include "gradient/workspace.h"
#include "math/dense.h"

enum { ROUNDS = 40 };
static const double settled = 1e-14;  // [-]  change of a round, of the whole

typedef struct product {
  limpet_gradient_workspace *w;
  limpet_soft_gradient *soft;
  int vertices;     // 3 vertex_count
  double *dR, *u;   // (vertices)  change of R, H^-1 of it; backwards l, h
  double *dv;       // (vertices)  change of v, or weights of it
  double *impulse;  // (unknowns)
  double *r, *dx;   // (residual size), (problem nv)
  double *dw;       // (2 unknowns)  change of ln w and -ln A_ii, or weights
  double *last;     // (2 unknowns)  dw of the round before
  double *work;     // (unknowns)
  double *total;    // (residual size)  r with what w makes
  double *z, *g;    // (most nodes x 3), (3 x the same)
  double *q, *v0;   // (vertices)  by the state at the start
  double *end;      // (2 nv)
  bool follows;     // w follows v
} product;

static bool product_take(limpet_gradient_workspace *w, product *p) {
  limpet_arena *arena = &w->arena;
  const limpet_model *model = w->model;
  const int V = 3 * model->vertex_count;
  *p = (product){.w = w, .soft = w->soft, .vertices = V};
  double *all = LIMPET_TAKE_ZERO(arena, double, 9 * (size_t)V);
  p->impulse = LIMPET_TAKE_ZERO(arena, double, p->soft->unknowns);
  p->dw = LIMPET_TAKE_ZERO(arena, double, 2 * p->soft->unknowns);
  p->last = LIMPET_TAKE_ZERO(arena, double, 2 * p->soft->unknowns);
  p->work = LIMPET_TAKE_ZERO(arena, double, p->soft->unknowns);
  p->total = LIMPET_TAKE_ZERO(arena, double, w->residual.size);
  p->r = LIMPET_TAKE_ZERO(arena, double, w->residual.size);
  p->dx = LIMPET_TAKE_ZERO(arena, double, p->soft->solved.problem.nv);
  p->end = LIMPET_TAKE_ZERO(arena, double, 2 * model->nv);
  if (!all || !p->impulse || !p->dw || !p->last || !p->work || !p->total) return false;
  if (!p->r || !p->dx || !p->end) return false;
  p->dR = all, p->u = all + V, p->dv = all + 2 * V, p->q = all + 3 * V, p->v0 = all + 4 * V;
  p->z = all + 5 * V, p->g = all + 6 * V;
  for (int d = 0; d < model->deformable_count; ++d)
    p->follows = p->follows || !p->soft->motion->body[d].step->is_linear;
  return true;
}

static const limpet_soft_body *body_of(const product *p, int d) {
  return &p->soft->motion->body[d];
}

static int first_of(const product *p, int d) { return 3 * p->w->model->deformable_vertex[d]; }

static int count_of(const product *p, int d) {
  return 3 * (p->w->model->deformable_vertex[d + 1] - p->w->model->deformable_vertex[d]);
}

// Whether the end of the step turned the body.
static bool is_turned(const product *p, int d) {
  return p->soft->motion->keeps_spin &&
         limpet_soft_flies(body_of(p, d), &p->soft->solved.problem, &p->soft->solved.solution) &&
         memcmp(p->soft->v + first_of(p, d), p->soft->end + first_of(p, d),
                (size_t)count_of(p, d) * sizeof(double)) != 0;
}

static const double *entries(const double *array, int at) { return array ? array + at : NULL; }

// ---------------------------------------------------------------------------- blocks of bodies

/* impulse <- A (x_C + y_C), x (problem nv) or weights of it by the slots of the residual, y
 * (vertices). */
static const limpet_block *block_impulse(const product *p, int d, const double *x, bool slots,
                                         const double *y, double *impulse) {
  const limpet_soft_body *body = body_of(p, d);
  if (body->block == LIMPET_NONE) return NULL;
  const limpet_block *block = &p->soft->solved.problem.block[body->block];
  double *sum = p->work;
  for (int i = 0; i < block->size; ++i) {
    const int dof = block->dof + i;
    sum[i] = y[first_of(p, d) + 3 * body->vertex[i / 3] + i % 3];
    if (x) sum[i] += x[slots ? limpet_residual_slot(&p->w->residual, dof) : dof];
  }
  memset(impulse, 0, (size_t)block->size * sizeof *impulse);
  block->kind->apply(block, sum, impulse);
  return block;
}

// dv <- -u + H^-1 E_C A (x_C + u_C) of all bodies.
static void respond(const product *p, const double *x, bool slots, const double *u, double *dv) {
  for (int d = 0; d < p->w->model->deformable_count; ++d) {
    const int first = first_of(p, d), count = count_of(p, d);
    if (block_impulse(p, d, x, slots, u, p->impulse))
      limpet_fem_step_follow_impulse(body_of(p, d)->step, p->impulse, dv + first);
    else memset(dv + first, 0, (size_t)count * sizeof *dv);
    for (int i = first; i < first + count; ++i) dv[i] -= u[i];
  }
}

// u <- H^-1 u of all bodies.
static void solve_bodies(const product *p, double *u) {
  for (int d = 0; d < p->w->model->deformable_count; ++d)
    limpet_fem_back_solve(body_of(p, d)->step, u + first_of(p, d));
}

// ------------------------------------------------------------------------------ compliances

typedef void use_weight(product *p, int i, int d, const limpet_fem_stiffness_gradient *g);

// z of number k (0 .. 2 size) of a block: see soft_gradient.h.
static void weight_direction(product *p, int d, const limpet_block *block, int k) {
  const limpet_soft_body *body = body_of(p, d);
  const int n = block->size, count = count_of(p, d), i = k % n;
  if (k < n) {
    memset(p->z, 0, (size_t)count * sizeof *p->z);
    p->z[3 * body->vertex[i / 3] + i % 3] = 1.0;
    limpet_fem_back_solve(body->step, p->z);
    return;
  }
  memset(p->work, 0, (size_t)n * sizeof *p->work);
  memset(p->impulse, 0, (size_t)n * sizeof *p->impulse);
  p->work[i] = 1.0;
  block->kind->apply(block, p->work, p->impulse);
  limpet_fem_step_follow_impulse(body->step, p->impulse, p->z);
}

// Where number k (0 .. 2 size) of a block is among those of all.
static int number_of_weight(const product *p, const limpet_block *block, int k) {
  const int from = block->dof - p->w->model->nv;
  return k < block->size ? from + k : p->soft->unknowns + from + k - block->size;
}

// Whether a vector has numbers of the material.
static bool has_numbers(const limpet_gradient_vector *x) {
  return x->youngs_modulus || x->poissons_ratio || x->density || x->mass_damping ||
         x->stiffness_damping;
}

// Calls `use` for every ln w_i and -ln A_ii that matters, with the gradient of z.dH z.
static void each_weight(product *p, bool numbers, use_weight *use) {
  const int size = p->w->residual.size;
  for (int d = 0; d < p->w->model->deformable_count; ++d) {
    const limpet_soft_body *body = body_of(p, d);
    if (body->block == LIMPET_NONE) continue;
    const limpet_block *block = &p->soft->solved.problem.block[body->block];
    const int count = count_of(p, d);
    for (int k = 0; k < 2 * block->size; ++k) {
      const int number = number_of_weight(p, block, k);
      const double *column = p->soft->by_w + (size_t)number * (size_t)size;
      if (limpet_dot(size, column, column) == 0.0) continue;
      weight_direction(p, d, block, k);
      limpet_fem_stiffness_gradient g = {
          .numbers = numbers, .position = p->g, .velocity = p->g + count, .end = p->g + 2 * count};
      limpet_fem_stiffness_adjoint(body->step, p->soft->v + first_of(p, d), p->z, &g);
      use(p, number, d, &g);
    }
  }
}

// --------------------------------------------------------------------------------- forwards

typedef struct forward {
  product p;
  const limpet_gradient_vector *change;  // NULL: it is given
  const limpet_soft_change *given;
  double rate;  // of limpet_residual_forward
} forward;

static double number_of(const double *array, int d) { return array ? array[d] : 0.0; }

// The change of a number of w or A; the first round by the start, later ones by v.
static void forward_weight(product *p, int i, int d, const limpet_fem_stiffness_gradient *g) {
  const forward *f = (const forward *)p;
  const limpet_gradient_vector *c = f->change;
  const int first = first_of(p, d), count = count_of(p, d);
  double sum = limpet_dot(count, g->end, p->dv + first);
  if (!c) {
    p->dw[i] = -(sum + f->given->stiffness[i]) / p->soft->scale[i];
    return;
  }
  if (c->vertex_position) sum += limpet_dot(count, g->position, c->vertex_position + first);
  if (c->vertex_velocity) sum += limpet_dot(count, g->velocity, c->vertex_velocity + first);
  sum += g->youngs_modulus * number_of(c->youngs_modulus, d) +
         g->poissons_ratio * number_of(c->poissons_ratio, d) +
         g->density * number_of(c->density, d) + g->mass_damping * number_of(c->mass_damping, d) +
         g->stiffness_damping * number_of(c->stiffness_damping, d);
  p->dw[i] = -sum / p->soft->scale[i];
}

/* Fixed nodes, whose velocities change by z: dR there is -z, and that of others takes H z. Hz:
 * work.
 */
static void prescribe(const limpet_fem_step *step, int count, const double *z, double *Hz,
                      double *dR) {
  limpet_fem_step_multiply(step, z, Hz);
  for (int i = 0; i < count; ++i) dR[i] = step->fixed[i / 3] ? -z[i] : dR[i] + Hz[i];
}

// dR of all bodies, u = H^-1 dR.
static void forward_bodies(product *p, const limpet_gradient_vector *c) {
  for (int d = 0; d < p->w->model->deformable_count; ++d) {
    limpet_fem_step *step = body_of(p, d)->step;
    const int first = first_of(p, d), count = count_of(p, d);
    const limpet_fem_change change = {.position = entries(c->vertex_position, first),
                                      .velocity = entries(c->vertex_velocity, first),
                                      .youngs_modulus = number_of(c->youngs_modulus, d),
                                      .poissons_ratio = number_of(c->poissons_ratio, d),
                                      .density = number_of(c->density, d),
                                      .mass_damping = number_of(c->mass_damping, d),
                                      .stiffness_damping = number_of(c->stiffness_damping, d)};
    double *dR = p->dR + first;
    limpet_fem_tangent_forward(step, p->soft->v + first, &change, dR);
    if (step->input.fixed_count == 0 || !change.position) {
      limpet_fem_clear_fixed(step, dR);
      continue;
    }
    memset(p->z, 0, (size_t)count * sizeof *p->z);
    for (int k = 0; k < step->input.fixed_count; ++k)
      for (int e = 3 * step->input.fixed[k]; e < 3 * step->input.fixed[k] + 3; ++e)
        p->z[e] = -change.position[e] / step->input.dt;
    prescribe(step, count, p->z, p->g, dR);
  }
  memcpy(p->u, p->dR, (size_t)p->vertices * sizeof *p->u);
  solve_bodies(p, p->u);
}

static void add_columns(int count, const double *columns, int size, const double *x, double *r) {
  for (int j = 0; j < count && x && columns; ++j)
    if (x[j] != 0.0) limpet_axpy(size, x[j], columns + (size_t)j * (size_t)size, r);
}

// What bodies do to the residual of trees and contacts: E_C A u_C
static void add_bodies(product *p) {
  const limpet_residual *residual = &p->w->residual;
  for (int d = 0; d < p->w->model->deformable_count; ++d) {
    const limpet_block *block = block_impulse(p, d, NULL, false, p->u, p->impulse);
    for (int i = 0; block && i < block->size; ++i)
      p->r[limpet_residual_slot(residual, block->dof + i)] += p->impulse[i];
  }
}

// Change of the residual of trees and contacts, without w.
static void forward_residual(product *p, const limpet_gradient_vector *c) {
  const limpet_gradient_workspace *w = p->w;
  const int size = w->residual.size, nv = w->model->nv;
  add_columns(nv, w->columns.q, size, c->q, p->r);
  add_columns(nv, w->columns.v, size, c->v, p->r);
  add_columns(nv, w->columns.force, size, c->force, p->r);
  add_columns(w->model->nu, w->columns.control, size, c->control, p->r);
  for (int j = 0; j < nv && c->force && !w->columns.force; ++j)
    p->r[limpet_residual_slot(&w->residual, j)] -= w->settings.time_step * c->force[j];
  for (int i = 0; i < p->soft->unknowns; ++i) {
    const size_t at = (size_t)i * (size_t)size;
    const int number = 3 * p->soft->vertex[i / 3] + i % 3;
    if (c->vertex_position) limpet_axpy(size, c->vertex_position[number], p->soft->by_x + at, p->r);
    if (c->vertex_velocity) limpet_axpy(size, c->vertex_velocity[number], p->soft->by_v + at, p->r);
  }
  add_bodies(p);
}

// dx and dv, with what w makes of them: repeated where w follows v.
static void forward_solve(forward *f) {
  product *p = &f->p;
  limpet_gradient_workspace *w = p->w;
  const size_t size = (size_t)w->residual.size;
  double *total = p->total, *last = p->last;
  for (int round = 0; round < ROUNDS; ++round) {
    each_weight(p, f->change && has_numbers(f->change), forward_weight);
    double change = 0.0, whole = 0.0;
    for (int i = 0; i < 2 * p->soft->unknowns; ++i) {
      change = fmax(change, fabs(p->dw[i] - last[i])), whole = fmax(whole, fabs(p->dw[i]));
      last[i] = p->dw[i];
    }
    if (round > 0 && change <= settled * whole) return;
    memcpy(total, p->r, size * sizeof *total);
    add_columns(2 * p->soft->unknowns, p->soft->by_w, (int)size, p->dw, total);
    f->rate = limpet_residual_forward(&w->residual, total, -1, p->dx);
    respond(p, p->dx, false, p->u, p->dv);
    if (!p->follows) return;
  }
}

// Poses and velocities of the trees at the end.
static void forward_end(const product *p, const limpet_gradient_vector *c) {
  const int nv = p->w->model->nv, width = 2 * nv;
  const double *row = p->soft->end_by_input, *inputs[] = {c->q, c->v, c->force, c->control};
  add_columns(nv, p->soft->end_by_v, width, p->dx, p->end);
  for (int k = 0; k < 4; ++k) {
    const int count = k < 3 ? nv : p->w->model->nu;
    add_columns(count, row, width, inputs[k], p->end);
    row += (size_t)count * (size_t)width;
  }
}

static void copy_out(const double *from, size_t count, double *to) {
  if (to && count > 0) memcpy(to, from, count * sizeof *to);
}

// Vertices at the end: turned where they are, and moved.
static void forward_vertices(const product *p, const limpet_gradient_vector *c,
                             const limpet_gradient_vector *moved) {
  for (int d = 0; d < p->w->model->deformable_count; ++d) {
    limpet_fem_step *step = body_of(p, d)->step;
    const int first = first_of(p, d), count = count_of(p, d);
    const double *dq = entries(c->vertex_position, first),
                 *dv0 = entries(c->vertex_velocity, first);
    double *dv = p->dv + first;
    if (is_turned(p, d))
      limpet_fem_spin_forward(step, p->soft->v + first, p->soft->end + first, dq, dv0, dv);
    copy_out(dv, (size_t)count, moved->vertex_velocity ? moved->vertex_velocity + first : NULL);
    const double a = limpet_fem_share(step) * step->input.dt, b = step->input.dt - a;
    for (int i = 0; i < count && moved->vertex_position; ++i)
      moved->vertex_position[first + i] = a * dv[i] + (dq ? dq[i] : 0.0) + (dv0 ? b * dv0[i] : 0.0);
  }
}

// ---------------------------------------------------------------------------- given changes

double limpet_soft_gradient_along(limpet_gradient_workspace *w, const limpet_soft_change *change,
                                  double *dx, double *dv) {
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  forward f = {.given = change};
  product *p = &f.p;
  if (!product_take(w, p)) {
    limpet_arena_release(&w->arena, mark);
    return NAN;
  }
  memcpy(p->dR, change->dR, (size_t)p->vertices * sizeof *p->dR);
  for (int d = 0; d < w->model->deformable_count; ++d) {
    const int first = first_of(p, d), count = count_of(p, d);
    prescribe(body_of(p, d)->step, count, change->prescribed + first, p->g, p->dR + first);
  }
  memcpy(p->u, p->dR, (size_t)p->vertices * sizeof *p->u);
  solve_bodies(p, p->u);
  memcpy(p->r, change->r, (size_t)w->residual.size * sizeof *p->r);
  add_bodies(p);
  forward_solve(&f);
  copy_out(p->dx, (size_t)w->soft->solved.problem.nv, dx);
  copy_out(p->dv, (size_t)p->vertices, dv);
  limpet_arena_release(&w->arena, mark);
  return f.rate;
}

bool limpet_soft_gradient_is_turned(const limpet_gradient_workspace *w, int deformable) {
  const product p = {.w = (limpet_gradient_workspace *)w, .soft = w->soft};
  return is_turned(&p, deformable);
}

limpet_status limpet_soft_gradient_stiffness(limpet_gradient_workspace *w,
                                             const limpet_soft_motion *const *motion, int count,
                                             const double *share, double *stiffness) {
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  const int size = w->residual.size;
  product p;
  const bool taken = product_take(w, &p);
  for (int d = 0; taken && d < w->model->deformable_count; ++d) {
    const limpet_soft_body *body = body_of(&p, d);
    if (body->block == LIMPET_NONE) continue;
    const limpet_block *block = &p.soft->solved.problem.block[body->block];
    for (int i = 0; i < 2 * block->size; ++i) {
      const int number = number_of_weight(&p, block, i);
      const double *column = p.soft->by_w + (size_t)number * (size_t)size;
      if (limpet_dot(size, column, column) == 0.0) continue;
      weight_direction(&p, d, block, i);
      for (int k = 0; k < count; ++k) {
        limpet_fem_step_multiply(motion[k]->body[d].step, p.z, p.g);
        stiffness[number] += share[k] * limpet_dot(count_of(&p, d), p.z, p.g);
      }
    }
  }
  limpet_arena_release(&w->arena, mark);
  return taken ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

// -------------------------------------------------------------------------------- backwards

typedef struct backward {
  product p;
  const limpet_gradient_vector *by;
  double *weight;  // (vertices)  of dv, without w
  double *y;       // (problem nv)  weights of dx
  double *dual;    // (residual size)
  double *sum;     // (vertices)  what w adds to the weight of dv
  bool last;       // the round in which gradients are written
} backward;

// Weights of what is solved for from those of the end.
static void backward_end(backward *b, const limpet_gradient_vector *weight) {
  product *p = &b->p;
  const int nv = p->w->model->nv;
  copy_out(weight->q, weight->q ? (size_t)nv : 0, p->end);
  copy_out(weight->v, weight->v ? (size_t)nv : 0, p->end + nv);
  for (int j = 0; j < nv; ++j)
    b->y[j] = limpet_dot(2 * nv, p->soft->end_by_v + (size_t)j * 2 * (size_t)nv, p->end);
  for (int d = 0; d < p->w->model->deformable_count; ++d) {
    limpet_fem_step *step = body_of(p, d)->step;
    const int first = first_of(p, d), count = count_of(p, d);
    const double a = limpet_fem_share(step) * step->input.dt, late = step->input.dt - a;
    for (int i = first; i < first + count; ++i) {
      const double by_q = weight->vertex_position ? weight->vertex_position[i] : 0.0;
      p->q[i] = by_q, p->v0[i] = late * by_q;
      b->weight[i] = a * by_q + (weight->vertex_velocity ? weight->vertex_velocity[i] : 0.0);
    }
    if (is_turned(p, d))
      limpet_fem_spin_adjoint(step, p->soft->v + first, p->soft->end + first, b->weight + first,
                              p->q + first, p->v0 + first, p->g);
  }
}

static void add_to(double *array, int d, double value) {
  if (array) array[d] += value;
}

// What the weight of a number of w or A gives.
static void backward_weight(product *p, int i, int d, const limpet_fem_stiffness_gradient *g) {
  backward *b = (backward *)p;
  const int first = first_of(p, d), count = count_of(p, d);
  const double y = -p->dw[i] / p->soft->scale[i];
  limpet_axpy(count, y, g->end, b->sum + first);
  if (!b->last) return;
  limpet_axpy(count, y, g->position, p->q + first);
  limpet_axpy(count, y, g->velocity, p->v0 + first);
  add_to(b->by->youngs_modulus, d, y * g->youngs_modulus);
  add_to(b->by->poissons_ratio, d, y * g->poissons_ratio);
  add_to(b->by->density, d, y * g->density);
  add_to(b->by->mass_damping, d, y * g->mass_damping);
  add_to(b->by->stiffness_damping, d, y * g->stiffness_damping);
}

// dual, and l in p->dR, for the weights as they are, those of w included.
static void backward_solve(backward *b) {
  product *p = &b->p;
  limpet_gradient_workspace *w = p->w;
  const int size = w->residual.size;
  for (int i = 0; i < p->vertices; ++i) p->u[i] = b->weight[i] + b->sum[i];
  solve_bodies(p, p->u);
  for (int d = 0; d < w->model->deformable_count; ++d) {
    const limpet_block *block = block_impulse(p, d, NULL, false, p->u, p->impulse);
    if (block) copy_out(p->impulse, (size_t)block->size, b->y + block->dof);
  }
  limpet_residual_adjoint(&w->residual, b->y, b->dual);
  respond(p, b->dual, true, p->u, p->dR);
  for (int i = 0; i < 2 * p->soft->unknowns; ++i)
    p->dw[i] = limpet_dot(size, p->soft->by_w + (size_t)i * (size_t)size, b->dual);
}

// Rounds until what w adds stands.
static void backward_rounds(backward *b) {
  product *p = &b->p;
  double *last = p->dv;
  for (int round = 0; round < ROUNDS; ++round) {
    backward_solve(b);
    if (!p->follows) return;
    memcpy(last, b->sum, (size_t)p->vertices * sizeof *last);
    memset(b->sum, 0, (size_t)p->vertices * sizeof *last);
    each_weight(p, false, backward_weight);
    double change = 0.0, whole = 0.0;
    for (int i = 0; i < p->vertices; ++i) {
      change = fmax(change, fabs(b->sum[i] - last[i]));
      whole = fmax(whole, fabs(b->sum[i]));
    }
    if (change <= settled * whole) return;
  }
}

// By vertices and numbers of the bodies: l.dR.
static void backward_bodies(backward *b) {
  product *p = &b->p;
  for (int d = 0; d < p->w->model->deformable_count; ++d) {
    limpet_fem_step *step = body_of(p, d)->step;
    const int first = first_of(p, d), count = count_of(p, d);
    double *l = p->dR + first, *Hl = p->z;
    limpet_fem_gradient g = {.position = p->g, .velocity = p->g + count};
    for (int k = 0; k < step->input.fixed_count; ++k)
      for (int e = 3 * step->input.fixed[k]; e < 3 * step->input.fixed[k] + 3; ++e)
        p->q[first + e] += l[e] / step->input.dt;
    limpet_fem_clear_fixed(step, l);
    limpet_fem_step_multiply(step, l, Hl);
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
  product *p = &b->p;
  const limpet_gradient_workspace *w = p->w;
  const limpet_gradient_vector *by = b->by;
  const int size = w->residual.size, nv = w->model->nv, width = 2 * nv;
  products(nv, w->columns.q, size, b->dual, by->q);
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
  for (int i = 0; i < p->soft->unknowns; ++i) {
    const size_t at = (size_t)i * (size_t)size;
    const int number = 3 * p->soft->vertex[i / 3] + i % 3;
    p->q[number] += limpet_dot(size, p->soft->by_x + at, b->dual);
    p->v0[number] += limpet_dot(size, p->soft->by_v + at, b->dual);
  }
}

// ------------------------------------------------------------------------------------- kinks

// [-]  what a jump of the slope does to velocities, over 1/dt, which positions do
static const double jump_share = 1e-6;

typedef struct jumps {
  product p;
  double width;  // [m]
  double *jump;  // (vertex_count) [1/s]  of velocities
} jumps;

// What a number of w or A adds: the fastest velocity that it makes, times the jump of its slope.
static void add_jumps(product *p, int i, int d, const limpet_fem_stiffness_gradient *g) {
  const jumps *j = (const jumps *)p;
  const size_t size = (size_t)p->w->residual.size;
  double fastest = 0.0;
  (void)g;
  limpet_residual_forward(&p->w->residual, p->soft->by_w + (size_t)i * size, -1, p->dx);
  for (int k = 0; k < p->soft->solved.problem.nv; ++k) fastest = fmax(fastest, fabs(p->dx[k]));
  limpet_fem_stiffness_jumps(body_of(p, d)->step, p->z, fastest / p->soft->scale[i], j->width,
                             j->jump + p->w->model->deformable_vertex[d]);
}

// Whether a tension begins anywhere.
static bool tension_begins(const product *p, double width) {
  for (int d = 0; d < p->w->model->deformable_count; ++d)
    if (body_of(p, d)->block != LIMPET_NONE &&
        limpet_fem_tangent_kinks(body_of(p, d)->step, p->soft->v + first_of(p, d), width, -1.0) > 0)
      return true;
  return false;
}

int limpet_soft_gradient_weight_kinks(limpet_gradient_workspace *w) {
  assert(w && w->soft);
  const int count = w->model->vertex_count;
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  jumps j = {.width = LIMPET_TENSION_WIDTH * w->wanted.difference,
             .jump = LIMPET_TAKE_ZERO(&w->arena, double, count)};
  int kinks = 0;
  if (!j.jump || !product_take(w, &j.p)) kinks = -1;
  else if (tension_begins(&j.p, j.width)) each_weight(&j.p, false, add_jumps);
  for (int i = 0; i < count && kinks >= 0; ++i)
    kinks += j.jump[i] * w->settings.time_step > jump_share ? 3 : 0;
  limpet_arena_release(&w->arena, mark);
  return kinks;
}

// ------------------------------------------------------------------------------------ public

// Whether there are derivatives of the last step of the data.
static bool is_current(const limpet_gradient *gradient) {
  const limpet_gradient_workspace *w = gradient->workspace;
  return w->data && w->data->step_count == w->step_count && w->soft && w->wanted.state &&
         w->wanted.inputs && w->wanted.smoothing.kind == LIMPET_SMOOTHING_NONE;
}

bool limpet_gradient_forward(limpet_gradient *gradient, const limpet_gradient_vector *change,
                             const limpet_gradient_vector *moved) {
  assert(gradient && change && moved);
  limpet_gradient_workspace *w = gradient->workspace;
  if (!is_current(gradient)) return false;
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  forward f = {.change = change};
  const bool done = product_take(w, &f.p);
  if (done) {
    const size_t nv = (size_t)w->model->nv;
    forward_bodies(&f.p, change);
    forward_residual(&f.p, change);
    forward_solve(&f);
    forward_end(&f.p, change);
    copy_out(f.p.end, nv, moved->q);
    copy_out(f.p.end + nv, nv, moved->v);
    forward_vertices(&f.p, change, moved);
  }
  limpet_arena_release(&w->arena, mark);
  return done;
}

static bool backward_take(limpet_gradient_workspace *w, backward *b) {
  const size_t V = 3 * (size_t)w->model->vertex_count;
  if (!product_take(w, &b->p)) return false;
  b->weight = LIMPET_TAKE_ZERO(&w->arena, double, V);
  b->sum = LIMPET_TAKE_ZERO(&w->arena, double, V);
  b->y = LIMPET_TAKE_ZERO(&w->arena, double, w->soft->solved.problem.nv);
  b->dual = LIMPET_TAKE_ZERO(&w->arena, double, w->residual.size);
  return b->weight && b->sum && b->y && b->dual;
}

bool limpet_gradient_backward(limpet_gradient *gradient, const limpet_gradient_vector *weight,
                              const limpet_gradient_vector *by) {
  assert(gradient && weight && by);
  limpet_gradient_workspace *w = gradient->workspace;
  if (!is_current(gradient)) return false;
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  backward b = {.by = by};
  const bool done = backward_take(w, &b);
  if (done) {
    backward_end(&b, weight);
    clear_all(w->model, by);
    backward_rounds(&b);
    b.last = true;
    memset(b.sum, 0, (size_t)b.p.vertices * sizeof *b.sum);
    each_weight(&b.p, has_numbers(by), backward_weight);
    backward_bodies(&b);
    backward_residual(&b);
    copy_out(b.p.q, (size_t)b.p.vertices, by->vertex_position);
    copy_out(b.p.v0, (size_t)b.p.vertices, by->vertex_velocity);
  }
  limpet_arena_release(&w->arena, mark);
  return done;
}
