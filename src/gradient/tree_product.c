/* gradient/tree_product.c: see tree_product.h. */
#include "gradient/tree_product.h"

#include <string.h>

#include "dynamics/tree.h"
#include "gradient/tree_place.h"
#include "gradient/tree_weights.h"
#include "math/dense.h"
#include "math/vec3.h"

enum { FREE_DOFS = 6 };

struct limpet_tree_product {
  limpet_tree_place place;
  limpet_data **at;             // (tree_count)  where each tree is
  limpet_tree_centres *centre;  // (tree_count)
};

limpet_tree_product *limpet_tree_product_make(const limpet_probe *probe, limpet_arena *arena,
                                              limpet_tree_change *trees) {
  const int count = probe->model->tree_count;
  limpet_tree_product *f = LIMPET_TAKE(arena, limpet_tree_product, 1);
  if (!f || limpet_tree_place_begin(&f->place, probe, trees, arena)) return NULL;
  f->at = LIMPET_TAKE(arena, limpet_data *, count);
  f->centre = LIMPET_TAKE(arena, limpet_tree_centres, count);
  if (!f->centre || !f->at) return NULL;
  for (int t = 0; t < count; ++t) {
    f->at[t] = limpet_tree_place_at(&f->place, &trees[t], t);
    if (limpet_tree_centres_make(probe, f->at[t], t, arena, &f->centre[t])) return NULL;
    if (f->centre[t].are) limpet_tree_place_base(&f->place, &f->centre[t].middle, t);
  }
  return f;
}

// Products x (n) with the pose where M was taken become those with q0; those with v0 into by_v.
static void chain_product(const limpet_tree_product *f, const limpet_tree_change *t, int tree,
                          double *x, double *by_u, double *by_v, double *by_change) {
  memset(by_v, 0, (size_t)t->n * sizeof *by_v);
  if (!t->by_middle) return;
  limpet_integration_chain(&f->place.way, tree, 1, x, by_v);
  limpet_tree_place_slope(&f->place, t, limpet_tree_share(f->place.probe, tree), 1, by_v, by_u,
                          by_change ? by_change + t->first : NULL);
}

// N_0' z of a tree that is centred; dual (n).
static limpet_status whole_product(const limpet_tree_product *f, int tree, const double *dual,
                                   const limpet_tree_factors *x, limpet_arena *arena) {
  const limpet_probe *probe = f->place.probe;
  const limpet_tree_centre *start = &f->centre[tree].start;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  const double m = limpet_tree_mass(f->place.probe, tree);
  double *y = LIMPET_TAKE(arena, double, 9 * start->n), z[3], seen[3];
  if (!y) return LIMPET_ERROR_MEMORY;
  limpet_tree_centre_momentum(start, probe, tree, z);
  limpet_tree_centre_velocity(start, 0, dual, seen);
  for (int a = 0; a < start->n; ++a) {
    const int d = start->first + a;
    limpet_vec3_scale(y + 3 * a, dual[a], z);
    limpet_vec3_addmul(y + 3 * a, y + 3 * a, m * (probe->residual->v[d] - probe->data->v[d]), seen);
    x->by_v[d] -= m * limpet_vec3_dot(seen, start->N + 3 * a);
  }
  limpet_tree_centre_product(start, 1.0, y, y + 3 * start->n, x->by_q + start->first);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

// r of a tree of several bodies.
static limpet_status balance_product(limpet_tree_product *f, const limpet_tree_change *t, int tree,
                                     const limpet_tree_factors *x, limpet_arena *arena) {
  const limpet_probe *probe = f->place.probe;
  const double h = probe->settings->time_step;
  double *dual = x->work, *by_q = dual + t->n, *by_v = by_q + t->n, *xM = by_v + t->n;
  memcpy(dual, x->dual + t->first, (size_t)t->n * sizeof *dual);
  limpet_axpy(t->n, 1.0, x->first + t->first, dual);
  const limpet_tree_centres *c = &f->centre[tree];
  if (c->are) {
    if (whole_product(f, tree, dual, x, arena)) return LIMPET_ERROR_MEMORY;
    double beside[3];
    limpet_tree_centre_velocity(&c->middle, 3, dual, beside);
    for (int k = 0; k < 3; ++k) dual[k] = -beside[k];
  }
  limpet_tree_rnea_product(probe->model, f->at[tree], tree, f->place.vdot, dual, by_q, by_v, xM);
  for (int i = 0; i < t->n; ++i) by_q[i] *= h, by_v[i] *= h;
  chain_product(f, t, tree, by_q, by_v, dual, x->by_change);
  limpet_axpy(t->n, 1.0, by_q, x->by_q + t->first);
  for (int i = 0; i < t->n; ++i) x->by_v[t->first + i] += dual[i] + by_v[i] - xM[i];
  return LIMPET_OK;
}

// r of a body alone.
static limpet_status body_product(limpet_tree_product *f, const limpet_tree_change *t, int tree,
                                  const limpet_tree_factors *x, limpet_arena *arena) {
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  limpet_tree_change own = *t;
  own.q = LIMPET_TAKE(arena, double, 2 * t->n * t->n);
  if (!own.q) return LIMPET_ERROR_MEMORY;
  own.v = own.q + t->n * t->n;
  limpet_tree_place_alone(&f->place, &own, tree);
  for (int i = 0; i < t->n; ++i) {
    const double dual = x->dual[t->first + i];
    limpet_axpy(t->n, dual, own.q + i * t->n, x->by_q + t->first);
    limpet_axpy(t->n, dual, own.v + i * t->n, x->by_v + t->first);
  }
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

// What the weights of joints with several velocities have, of the blocks of A: -Z X Z (rows of 6).
static void block_product(const limpet_model *model, const limpet_tree_change *t, const double *A,
                          const double *steady, double *blocks) {
  for (int k = 0, count; k < t->n; k += count) {
    double Z[36], XZ[36] = {0.0};
    count = limpet_joint_kind_nv(model->joint_kind[model->dof_joint[t->first + k]]);
    if (count == 1) continue;
    limpet_tree_invert_block(A + k * (t->n + 1), t->n, count, Z);
    for (int a = 0; a < count; ++a)
      for (int b = 0; b < count; ++b)
        for (int c = 0; c < count; ++c)
          XZ[count * a + b] += steady[6 * (k + a) + c] * Z[count * c + b];
    for (int a = 0; a < count; ++a)
      for (int b = 0; b < count; ++b) {
        double *to = &blocks[6 * (k + a) + b];
        *to = 0.0;
        for (int c = 0; c < count; ++c) *to -= Z[count * a + c] * XZ[count * c + b];
      }
  }
}

static bool is_single(const limpet_model *model, int dof) {
  return limpet_joint_kind_nv(model->joint_kind[model->dof_joint[dof]]) == 1;
}

/* What `mass` N'N has in the diagonal of A, share (n), and in the blocks of joints with several
 * velocities, blocks (n x 6; NULL: none): by_q (n) +=. */
static limpet_status centre_weights(const limpet_model *model, const limpet_tree_centre *c,
                                    double mass, const double *share, const double *blocks,
                                    limpet_arena *arena, double *by_q) {
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  double *y = LIMPET_TAKE(arena, double, 9 * c->n);
  if (!y) return LIMPET_ERROR_MEMORY;
  for (int a = 0; a < c->n; ++a) {
    const int joint = model->dof_joint[c->first + a], own = model->joint_v[joint] - c->first;
    const int count = limpet_joint_kind_nv(model->joint_kind[joint]);
    limpet_vec3_scale(y + 3 * a, share[a], c->N + 3 * a);
    for (int l = 0; l < count && blocks && count > 1; ++l)
      limpet_vec3_addmul(y + 3 * a, y + 3 * a, blocks[6 * a + l], c->N + 3 * (own + l));
  }
  limpet_tree_centre_product(c, 2.0 * mass, y, y + 3 * c->n, by_q);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

// Weights of rows and of Delassus estimates.
static limpet_status weight_product(limpet_tree_product *f, const limpet_tree_change *t, int tree,
                                    const limpet_tree_factors *x, limpet_arena *arena) {
  const limpet_probe *probe = f->place.probe;
  const limpet_model *model = probe->model;
  const double *own = x->own + t->first, *steady = x->steady + 6 * t->first;
  if (limpet_is_zero(t->n, own) && limpet_is_zero(6 * t->n, steady)) return LIMPET_OK;
  const double *R = probe->data->body_rotation + 9 * model->dof_body[t->first];
  const double *A = probe->residual->solved->motion.A + model->tree_mass[tree];
  const bool floats = limpet_tree_has_world_axes(probe, t),
             whole = probe->residual->solved->problem.model->whole_joints;
  double *share = x->work, *by_q = share + t->n, *by_v = by_q + t->n, turning[3] = {0.0},
         *blocks = whole ? by_v + t->n : NULL, by_turn[3];
  for (int k = 0; k < t->n; ++k) {
    const bool apart = whole ? !is_single(model, t->first + k) : floats && k >= 3 && k < FREE_DOFS;
    const double both = apart ? own[k] : own[k] + steady[6 * k];
    share[k] = -both / (A[k * (t->n + 1)] * A[k * (t->n + 1)]);
  }
  if (whole) block_product(model, t, A, steady, blocks);
  if (floats) {
    double diagonal[3];
    limpet_tree_steady_diagonal(R, A, t->n, diagonal);
    for (int i = 0; i < 3; ++i) turning[i] = -steady[6 * (3 + i)] / (diagonal[i] * diagonal[i]);
  }
  limpet_tree_mass_diagonal_product(model, f->at[tree], tree, share, blocks, R, turning, by_q,
                                    by_turn);
  const limpet_tree_centres *c = &f->centre[tree];
  const double mass = c->are ? limpet_tree_mass(probe, tree) : 0.0;
  if (c->are && (centre_weights(model, &c->middle, -mass, share, blocks, arena, by_q) ||
                 limpet_tree_centre_steady(&c->middle, -mass, R, turning, arena, by_q, by_turn)))
    return LIMPET_ERROR_MEMORY;
  chain_product(f, t, tree, by_q, NULL, by_v, x->by_change);
  if (c->are && (centre_weights(model, &c->start, mass, share, blocks, arena, by_q) ||
                 limpet_tree_centre_steady(&c->start, mass, R, turning, arena, by_q, by_turn)))
    return LIMPET_ERROR_MEMORY;
  limpet_axpy(t->n, 1.0, by_q, x->by_q + t->first);
  limpet_axpy(t->n, 1.0, by_v, x->by_v + t->first);
  for (int i = 0; i < 3 && floats; ++i) x->by_q[t->first + 3 + i] += by_turn[i];
  return LIMPET_OK;
}

limpet_status limpet_tree_product_add(limpet_tree_product *f, const limpet_tree_change *trees,
                                      const limpet_tree_factors *x, limpet_arena *arena) {
  const limpet_probe *probe = f->place.probe;
  const limpet_model *model = probe->model;
  const double h = probe->settings->time_step;
  limpet_passive_product(model, probe->data, x->dual, x->work);
  for (int t = 0; t < model->tree_count; ++t)
    if (!limpet_tree_alone(probe, t))
      limpet_axpy(trees[t].n, -h, x->work + trees[t].first, x->by_q + trees[t].first);
  for (int t = 0; t < model->tree_count; ++t) {
    if (limpet_tree_alone(probe, t) ? body_product(f, &trees[t], t, x, arena)
                                    : balance_product(f, &trees[t], t, x, arena))
      return LIMPET_ERROR_MEMORY;
    if (weight_product(f, &trees[t], t, x, arena)) return LIMPET_ERROR_MEMORY;
  }
  return LIMPET_OK;
}
