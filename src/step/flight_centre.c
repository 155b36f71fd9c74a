/* step/flight_centre.c: a floating tree of several bodies that something outside may touch, or that
 * loops or tendons join to others: its problem belongs to its centre of mass, so that no step
 * depends on where the origin of its first body lies.
 *
 * With V = N v the velocity of the centre of mass M falls apart, M = m N'N + K, and K does not act
 * on the velocity of the origin. The problem takes K and bias of the middle of the step (_m,
 * flight_motion.c), and the centre of mass of its start (_0), whose arms the rows have:
 *   A0  = A - m N_m' N_m + m N_0' N_0
 *   A0 v* = (1 - N_m' [1 0]) A v*_m + N_0' (p0 + h F)
 * so that the linear momentum of v* is p0 + h F, and its other velocities are those of v*_m. Of a
 * tree that was held a force f_u on the first joint has the arm of the start, too,
 *   ... + h (N_m - N_0)' f_u
 * for then A0 v* changes by h f. The centre of mass goes straight (flight_end.c), and points of the
 * tree on curves about it: dynamics/curved_path.h.
 *
 * N (3 x n, by columns): linear velocity of the centre of mass by v; m [kg]; F, p0 of
 * flight_balance.c. Cost: 60 flops a body, 40 a velocity, 12 for each entry of half of A, which has
 * no zeros then; a factor of A where f_u is not zero. */
#include <string.h>

#include "dynamics/tree_kernels.h"
#include "math/dense.h"
#include "math/dense_table.h"
#include "math/vec3.h"
#include "model/tendon_path.h"
#include "step/flight.h"

limpet_status limpet_flight_centre_rows(const limpet_model *model, const limpet_data *data,
                                        int tree, limpet_arena *arena, double *N) {
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  double *work = LIMPET_TAKE(arena, double, 4 * model->tree_body_count[tree]);
  if (!work) return LIMPET_ERROR_MEMORY;
  limpet_tree_kernels_here()->arms(N, work, model, data, tree);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

// A floating tree and its part of the problem.
typedef struct floating_tree {
  limpet_flight_balance *balance;
  int n;                     // velocities
  const double *force;       // (n)  limpet_flight.force
  double *N;                 // (n x 3)
  double *A, *momentum, *v;  // (n x n), (n), (n)  A, A v*, v*
} floating_tree;

/* The arms of A from those of the middle, N_m (its first rows over m), to those of the start. work:
 * (12 n). */
static void move_arms(const floating_tree *tree, double *work) {
  // A - A0 = P' Q, beyond the first three velocities
  const int n = tree->n, rest = n - 3;
  const double mass = tree->balance->start.mass, *N = tree->N;
  double *P = work, *Q = work + 6 * rest, *A = tree->A;
  for (int i = 0; i < rest; ++i)
    for (int k = 0; k < 3; ++k) {
      const double arm = N[3 * (i + 3) + k];
      P[k * rest + i] = arm, Q[k * rest + i] = -mass * arm;
    }
  for (int k = 0; k < 3; ++k) {
    double *middle = P + (3 + k) * rest, *over = Q + (3 + k) * rest, *row = A + k * n;
    const double *start = Q + k * rest;
    memcpy(middle, row + 3, (size_t)rest * sizeof *middle);
    for (int i = 0; i < rest; ++i) over[i] = middle[i] / mass;
    for (int i = 0; i < 3; ++i) row[i] = mass * N[3 * i + k];
    for (int i = 0; i < rest; ++i) row[3 + i] = -start[i];
  }
  for (int i = 0; i < rest; ++i)
    for (int k = 0; k < 3; ++k) A[(3 + i) * n + k] = A[k * n + 3 + i];
  limpet_dense()->symmetric_update(rest, P, Q, rest, A + 3 * n + 3, n);
}

// A v* of the problem; A: still of the middle. Returns whether v* has to be solved for.
static bool move_momentum(const floating_tree *tree, double dt, bool was_held) {
  static const double none[3] = {0.0};
  limpet_flight_balance *balance = tree->balance;
  const int n = tree->n;
  const double *f = was_held ? tree->force : none, *N = tree->N, *A = tree->A;
  double *momentum = tree->momentum, p[3], L[3], had[3];
  limpet_flight_balance_at(balance, dt, p, L);
  limpet_vec3_copy(had, momentum);
  limpet_vec3_addmul(had, had, -dt, f);
  limpet_vec3_addmul(p, p, -dt, f);
  limpet_vec3_scale(balance->middle, 1.0 / balance->start.mass, had);
  for (int i = 0; i < n; ++i) {
    momentum[i] += limpet_vec3_dot(N + 3 * i, p);
    for (int k = 0; k < 3; ++k) momentum[i] -= A[k * n + i] * balance->middle[k];
  }
  return f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0;
}

// v* of the problem where its joints and turns are those of the middle.
static void lead_straight(const floating_tree *tree, double dt) {
  double L[3], *v = tree->v;
  limpet_flight_balance_at(tree->balance, dt, v, L);
  limpet_vec3_scale(v, 1.0 / tree->balance->start.mass, v);
  for (int i = 3; i < tree->n; ++i) limpet_vec3_addmul(v, v, -v[i], tree->N + 3 * i);
}

// Of one tree, where it keeps its momentum and is not centred yet.
static limpet_status centre_tree(const limpet_model *model, const limpet_data *data, int tree,
                                 double dt, limpet_arena *arena, limpet_free_motion *motion) {
  limpet_flight *flight = motion->flight;
  limpet_flight_balance *balance = &flight->balance[tree];
  const int n = model->tree_dof_count[tree], first = model->tree_dof[tree];
  if (flight->centred[tree] || !balance->kept || !(balance->start.mass > 0.0)) return LIMPET_OK;
  const floating_tree floating = {.balance = balance,
                                  .n = n,
                                  .force = flight->force + first,
                                  .N = flight->centre + 3 * first,
                                  .A = motion->A + model->tree_mass[tree],
                                  .momentum = motion->momentum + first,
                                  .v = motion->v_free + first};
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  double *factor = LIMPET_TAKE(arena, double, limpet_positive_work(n)),
         *work = LIMPET_TAKE(arena, double, 12 * n);
  double *bodies = LIMPET_TAKE(arena, double, 6 * model->tree_body_count[tree]);
  if (!factor || !work || !bodies) return LIMPET_ERROR_MEMORY;
  const limpet_tree_kernels *kernels = limpet_tree_kernels_here();
  kernels->arms(floating.N, bodies, model, data, tree);
  kernels->bend(flight->bend + 3 * tree, bodies, model, data, tree);
  const bool was_held = !(data->tree_held[tree] < LIMPET_FLIGHT_HELD_OUTSIDE);
  const bool pushed = move_momentum(&floating, dt, was_held);
  if (!balance->stays) move_arms(&floating, work);
  if (pushed) {
    memcpy(floating.v, floating.momentum, (size_t)n * sizeof *floating.v);
    if (!limpet_positive_solve(n, floating.A, n, factor, floating.v))
      limpet_free_motion_fail(model, tree, motion);
  } else {
    lead_straight(&floating, dt);
  }
  flight->centred[tree] = true;
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

// Whether some tree keeps its momentum and is not centred yet.
static bool may_centre(const limpet_free_motion *motion) {
  for (int i = 0; i < motion->trees.count; ++i) {
    const int t = limpet_trees_at(motion->trees, i);
    if (motion->flight->balance[t].kept && !motion->flight->centred[t]) return true;
  }
  return false;
}

// The tree of a geom of a pair; -1: the world's, or of no geom.
static int tree_of(const limpet_model *model, int geom) {
  return geom >= 0 && geom < model->geom_count ? model->body_tree[model->geom_body[geom]] : -1;
}

// A tree that is asked for, likewise; LIMPET_NONE: the world.
static limpet_status centre_if_asked(const limpet_model *model, const limpet_data *data, int tree,
                                     double dt, limpet_arena *arena, limpet_free_motion *motion) {
  if (tree < 0 || motion->flight->centred[tree] || !limpet_trees_have(motion->trees, tree))
    return LIMPET_OK;
  return centre_tree(model, data, tree, dt, arena, motion);
}

// Trees that a tendon joins with others.
static limpet_status centre_on_tendons(const limpet_model *model, const limpet_data *data,
                                       double dt, limpet_arena *arena, limpet_free_motion *motion) {
  for (int i = 0; i < model->tendon_count; ++i) {
    if (limpet_tendon_tree(model, i) >= 0) continue;
    for (int k = model->tendon_dof_begin[i]; k < model->tendon_dof_begin[i + 1]; ++k)
      if (centre_if_asked(model, data, model->dof_tree[model->tendon_dof[k]], dt, arena, motion))
        return LIMPET_ERROR_MEMORY;
  }
  return LIMPET_OK;
}

limpet_status limpet_flight_centre_touched(const limpet_model *model, const limpet_data *data,
                                           double dt, const limpet_collision *collision,
                                           limpet_arena *arena, limpet_free_motion *motion) {
  if (!motion->flight ||
      (collision->contact_count == 0 && model->loop_count == 0 && model->tendon_count == 0) ||
      !may_centre(motion))
    return LIMPET_OK;
  for (int i = 0; i < collision->contact_count; ++i) {
    if (i > 0 && collision->contact[i].pair == collision->contact[i - 1].pair) continue;
    const limpet_collision_pair *pair = &collision->pair[collision->contact[i].pair];
    const int a = tree_of(model, pair->geom_a), b = tree_of(model, pair->geom_b);
    for (int side = 0; side < 2; ++side) {  // curved paths of its own contacts are about its centre
      if (centre_if_asked(model, data, side ? b : a, dt, arena, motion)) return LIMPET_ERROR_MEMORY;
    }
  }
  for (int i = 0; i < model->loop_count; ++i) {
    const int a = model->body_tree[model->loop_body[2 * i]],
              b = model->body_tree[model->loop_body[2 * i + 1]];
    if (a == b) continue;
    for (int side = 0; side < 2; ++side) {
      if (centre_if_asked(model, data, side ? b : a, dt, arena, motion)) return LIMPET_ERROR_MEMORY;
    }
  }
  return centre_on_tendons(model, data, dt, arena, motion);
}

limpet_status limpet_flight_centre_like(const limpet_model *model, const limpet_data *data,
                                        double dt, const limpet_free_motion *like,
                                        limpet_arena *arena, limpet_free_motion *motion) {
  for (int t = 0; motion->flight && t < model->tree_count; ++t)
    if (like->flight->centred[t] && centre_tree(model, data, t, dt, arena, motion))
      return LIMPET_ERROR_MEMORY;
  return LIMPET_OK;
}
