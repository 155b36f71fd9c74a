/* gradient/soft_forward.c: changes of the end of a step with deformable bodies along a change of
 * its start: see soft_product.h. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "fem/rigid_set.h"
#include "gradient/soft_arms.h"
#include "gradient/soft_stiffening.h"
#include "math/dense.h"

typedef struct forward {
  limpet_soft_product p;
  const limpet_gradient_vector *change;  // NULL: it is given
  const limpet_soft_change *given;
  double rate;  // of limpet_residual_forward
} forward;

static const double *entries(const double *array, int at) { return array ? array + at : NULL; }

static double number_of(const double *array, int d) { return array ? array[d] : 0.0; }

// The change of a number of w or A with dx held.
static void forward_weight(limpet_soft_product *p, int i, int d,
                           const limpet_fem_stiffness_gradient *g) {
  const forward *f = (const forward *)p;
  const limpet_gradient_vector *c = f->change;
  const int first = limpet_soft_first(p, d), count = limpet_soft_count(p, d);
  double sum = limpet_dot(count, g->end, p->law + first);
  if (!c) {
    p->dw[i] = -(sum + f->given->stiffness[i]) / p->soft->scale[i];
    return;
  }
  if (c->vertex_position) sum += limpet_dot(count, g->position, c->vertex_position + first);
  if (c->vertex_velocity) sum += limpet_dot(count, g->velocity, c->vertex_velocity + first);
  if (g->arm) sum += limpet_dot(count, g->arm, p->arm + first);
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
static void forward_bodies(limpet_soft_product *p, const limpet_gradient_vector *c) {
  limpet_soft_arms_move(p, c->q, c->vertex_position, p->arm, p->offset);
  for (int d = 0; d < p->w->model->deformable_count; ++d) {
    limpet_fem_step *step = limpet_soft_body_at(p, d)->step;
    const int first = limpet_soft_first(p, d), count = limpet_soft_count(p, d);
    const limpet_fem_change change = {.position = entries(c->vertex_position, first),
                                      .velocity = entries(c->vertex_velocity, first),
                                      .youngs_modulus = number_of(c->youngs_modulus, d),
                                      .poissons_ratio = number_of(c->poissons_ratio, d),
                                      .density = number_of(c->density, d),
                                      .mass_damping = number_of(c->mass_damping, d),
                                      .stiffness_damping = number_of(c->stiffness_damping, d)};
    double *dR = p->dR + first;
    limpet_fem_tangent_forward(step, p->soft->v + first, &change, dR);
    limpet_soft_arms_carry(p, d, p->arm, p->offset, p->e, p->dR);
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
  limpet_soft_solve_bodies(p, p->u);
}

// Change of the residual of trees and contacts, without w.
static void forward_residual(limpet_soft_product *p, const limpet_gradient_vector *c) {
  const limpet_gradient_workspace *w = p->w;
  const int size = w->residual.size, nv = w->model->nv;
  limpet_soft_add_columns(nv, limpet_soft_by_pose(w), size, c->q, p->r);
  limpet_soft_add_columns(nv, w->columns.v, size, c->v, p->r);
  limpet_soft_add_columns(nv, w->columns.force, size, c->force, p->r);
  limpet_soft_add_columns(w->model->nu, w->columns.control, size, c->control, p->r);
  for (int j = 0; j < nv && c->force && !w->columns.force; ++j)
    p->r[limpet_residual_slot(&w->residual, j)] -= w->settings.time_step * c->force[j];
  for (int i = 0; i < 3 * p->soft->places; ++i) {
    const size_t at = (size_t)i * (size_t)size;
    const int number = 3 * p->soft->vertex[i / 3] + i % 3;
    if (c->vertex_position) limpet_axpy(size, c->vertex_position[number], p->soft->by_x + at, p->r);
    if (c->vertex_velocity) limpet_axpy(size, c->vertex_velocity[number], p->soft->by_v + at, p->r);
  }
  limpet_soft_add_bodies(p, p->r);
}

/* dx and dv: with dx held first, then what the end of the step does to w and A is in the solve
 * (soft_stiffening.h). */
static void forward_solve(forward *f) {
  limpet_soft_product *p = &f->p;
  limpet_gradient_workspace *w = p->w;
  limpet_soft_respond(p, NULL, false, p->u, p->dv);
  limpet_axpy(p->vertices, 1.0, p->e, p->dv);
  limpet_soft_law_change(p, f->change ? f->change->vertex_velocity : NULL);
  limpet_soft_each_weight(p, f->change && limpet_soft_has_numbers(f->change), forward_weight);
  limpet_soft_add_columns(2 * p->soft->unknowns, p->soft->by_w, w->residual.size, p->dw, p->r);
  f->rate = limpet_soft_solve(w, p->r, -1, p->dx);
  limpet_soft_respond(p, p->dx, false, p->u, p->dv);
  limpet_axpy(p->vertices, 1.0, p->e, p->dv);
}

// Poses and velocities of the trees at the end.
static void forward_end(const limpet_soft_product *p, const limpet_gradient_vector *c) {
  const int nv = p->w->model->nv, width = 2 * nv;
  const double *row = p->soft->end_by_input, *inputs[] = {c->q, c->v, c->force, c->control};
  limpet_soft_add_columns(nv, p->soft->end_by_v, width, p->dx, p->end);
  for (int k = 0; k < 4; ++k) {
    const int count = k < 3 ? nv : p->w->model->nu;
    limpet_soft_add_columns(count, row, width, inputs[k], p->end);
    row += (size_t)count * (size_t)width;
  }
}

static void copy_out(const double *from, size_t count, double *to) {
  if (to && count > 0) memcpy(to, from, count * sizeof *to);
}

// Vertices at the end: turned where they are, and moved.
static void forward_vertices(const limpet_soft_product *p, const limpet_gradient_vector *c,
                             const limpet_gradient_vector *moved) {
  for (int d = 0; d < p->w->model->deformable_count; ++d) {
    limpet_fem_step *step = limpet_soft_body_at(p, d)->step;
    const int first = limpet_soft_first(p, d), count = limpet_soft_count(p, d);
    const double *dq = entries(c->vertex_position, first),
                 *dv0 = entries(c->vertex_velocity, first);
    double *dv = p->dv + first;
    if (limpet_soft_is_turned(p, d))
      limpet_fem_spin_forward(step, p->soft->v + first, p->soft->end + first, dq, dv0, dv);
    copy_out(dv, (size_t)count, moved->vertex_velocity ? moved->vertex_velocity + first : NULL);
    const double a = limpet_fem_share(step) * step->input.dt, b = step->input.dt - a;
    for (int i = 0; i < count && moved->vertex_position; ++i)
      moved->vertex_position[first + i] = a * dv[i] + (dq ? dq[i] : 0.0) + (dv0 ? b * dv0[i] : 0.0);
  }
}

double limpet_soft_gradient_along(limpet_gradient_workspace *w, const limpet_soft_change *change,
                                  double *dx, double *dv) {
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  forward f = {.given = change};
  limpet_soft_product *p = &f.p;
  if (!limpet_soft_product_take(w, p)) {
    limpet_arena_release(&w->arena, mark);
    return NAN;
  }
  memcpy(p->dR, change->dR, (size_t)p->vertices * sizeof *p->dR);
  for (int d = 0; d < w->model->deformable_count; ++d) {
    const int first = limpet_soft_first(p, d), count = limpet_soft_count(p, d);
    limpet_soft_arms_carry(p, d, change->arm, change->offset, p->e, p->dR);
    prescribe(limpet_soft_body_at(p, d)->step, count, change->prescribed + first, p->g,
              p->dR + first);
  }
  memcpy(p->u, p->dR, (size_t)p->vertices * sizeof *p->u);
  limpet_soft_solve_bodies(p, p->u);
  memcpy(p->r, change->r, (size_t)w->residual.size * sizeof *p->r);
  limpet_soft_add_bodies(p, p->r);
  forward_solve(&f);
  copy_out(p->dx, (size_t)w->soft->solved.problem.nv, dx);
  copy_out(p->dv, (size_t)p->vertices, dv);
  limpet_arena_release(&w->arena, mark);
  return f.rate;
}

bool limpet_soft_gradient_is_turned(const limpet_gradient_workspace *w, int deformable) {
  const limpet_soft_product p = {.w = (limpet_gradient_workspace *)w, .soft = w->soft};
  return limpet_soft_is_turned(&p, deformable);
}

limpet_status limpet_soft_gradient_stiffness(limpet_gradient_workspace *w,
                                             const limpet_soft_motion *const *motion, int count,
                                             const double *share, const double *arm,
                                             double *stiffness) {
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  const int size = w->residual.size;
  limpet_soft_product p;
  const bool taken = limpet_soft_product_take(w, &p);
  for (int d = 0; taken && d < w->model->deformable_count; ++d) {
    const limpet_soft_body *body = limpet_soft_body_at(&p, d);
    if (body->block == LIMPET_NONE) continue;
    const limpet_block *block = &p.soft->solved.problem.block[body->block];
    for (int i = 0; i < 2 * block->size; ++i) {
      const int number = limpet_soft_weight_number(&p, block, i);
      const double *column = p.soft->by_w + (size_t)number * (size_t)size;
      if (limpet_dot(size, column, column) == 0.0) continue;
      limpet_soft_weight_direction(&p, d, block, i);
      for (int k = 0; k < count; ++k) {
        limpet_fem_step_multiply(motion[k]->body[d].step, p.z, p.g);
        stiffness[number] += share[k] * limpet_dot(limpet_soft_count(&p, d), p.z, p.g);
      }
      if (!body->step->rigid) continue;
      limpet_fem_rigid_stiffness(body->step, p.z, p.g);
      stiffness[number] +=
          limpet_dot(limpet_soft_count(&p, d), p.g, arm + limpet_soft_first(&p, d));
    }
  }
  limpet_arena_release(&w->arena, mark);
  return taken ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

bool limpet_gradient_forward(limpet_gradient *gradient, const limpet_gradient_vector *change,
                             const limpet_gradient_vector *moved) {
  assert(gradient && change && moved);
  limpet_gradient_workspace *w = gradient->workspace;
  if (!limpet_soft_product_is_current(gradient)) return false;
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  forward f = {.change = change};
  const bool done = limpet_soft_product_take(w, &f.p);
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
