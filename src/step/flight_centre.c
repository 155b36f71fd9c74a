/* step/flight_centre.c: a floating tree of several bodies that something outside may touch: its
 * problem belongs to its centre of mass, so that no step depends on where the origin of its first
 * body lies.
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
 * flight_balance.c. Cost: 60 flops a body, 40 a velocity, 12 for each entry of A, which has no
 * zeros then; a factor of A where f_u is not zero. */
#include <string.h>

#include "math/dense.h"
#include "math/dense_table.h"
#include "math/spatial.h"
#include "step/flight.h"

// Mass and first moment about the tree's origin of a body and what hangs on it.
typedef struct subtree {
  double mass, moment[3];
} subtree;

limpet_status limpet_flight_centre_rows(const limpet_model *model, const limpet_data *data,
                                        int tree, limpet_arena *arena, double *N) {
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  const limpet_range bodies = limpet_tree_bodies(model, tree), dofs = limpet_tree_dofs(model, tree);
  subtree *sum = LIMPET_TAKE(arena, subtree, bodies.end - bodies.first);
  if (!sum) return LIMPET_ERROR_MEMORY;
  for (int b = bodies.first; b < bodies.end; ++b) {
    const double *inertia = data->body_inertia + 10 * b;
    sum[b - bodies.first].mass = inertia[0];
    limpet_vec3_copy(sum[b - bodies.first].moment, inertia + 1);
  }
  for (int b = bodies.end - 1; b > bodies.first; --b) {
    subtree *parent = &sum[model->body_parent[b] - bodies.first];
    parent->mass += sum[b - bodies.first].mass;
    limpet_vec3_add(parent->moment, parent->moment, sum[b - bodies.first].moment);
  }
  const double share = 1.0 / sum->mass;
  for (int d = dofs.first; d < dofs.end; ++d) {
    const subtree *own = &sum[model->dof_body[d] - bodies.first];
    const double *S = data->dof_axis + 6 * d;
    double *column = N + 3 * (d - dofs.first);
    limpet_vec3_cross(column, S, own->moment);
    limpet_vec3_addmul(column, column, own->mass, S + 3);
    limpet_vec3_scale(column, share, column);
  }
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

// a_c [m/s^2] of a tree at constant joint velocities.
static limpet_status find_bend(const limpet_model *model, const limpet_data *data, int tree,
                               limpet_arena *arena, double bend[3]) {
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  double *all = LIMPET_TAKE(arena, double, 6 * (bodies.end - bodies.first)), mass = 0.0;
  if (!all) return LIMPET_ERROR_MEMORY;
  limpet_vec3_zero(bend);
  for (int b = bodies.first; b < bodies.end; ++b) {
    double *A = all + 6 * (b - bodies.first), turned[3], v[3];
    if (b == bodies.first) limpet_spatial_zero(A);
    else limpet_spatial_copy(A, all + 6 * (model->body_parent[b] - bodies.first));
    const int first = model->body_joint[b], end = first + model->body_joint_count[b];
    for (int j = first; j < end; ++j) {
      const int dof = model->joint_v[j], nv = limpet_joint_kind_nv(model->joint_kind[j]);
      for (int d = dof; d < dof + nv; ++d)
        limpet_spatial_addmul(A, data->v[d], data->dof_axis_rate + 6 * d);
    }

    // m a = m A_lin + A_ang x h + w x (m v + w x h)
    const double *I = data->body_inertia + 10 * b, *V = data->body_velocity + 6 * b;
    limpet_vec3_cross(v, V, I + 1);
    limpet_vec3_addmul(v, v, I[0], V + 3);
    limpet_vec3_cross(turned, V, v);
    limpet_vec3_add(bend, bend, turned);
    limpet_vec3_cross(turned, A, I + 1);
    limpet_vec3_add(bend, bend, turned);
    limpet_vec3_addmul(bend, bend, I[0], A + 3);
    mass += I[0];
  }
  limpet_vec3_scale(bend, 1.0 / mass, bend);
  return LIMPET_OK;
}

/* The arms of A from those of the middle, N_m (its first rows over m), to those of the start. work:
 * (12 n). */
static void move_arms(int n, double mass, const double *N, double *A, double *work) {
  double *X = work, *Y = work + 6 * n;
  memcpy(Y + 3 * n, A, 3 * (size_t)n * sizeof *Y);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) {
      Y[k * n + i] = N[3 * i + k];
      X[6 * i + k] = -mass * N[3 * i + k];
      X[6 * i + 3 + k] = A[k * n + i] / mass;
    }
  limpet_dense()->sub_mul(n, n, 6, X, 6, 1, Y, n, A, n);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) A[k * n + i] = mass * N[3 * i + k];
    for (int j = 0; j < i; ++j) A[i * n + j] = A[j * n + i];
  }
}

// A v* of the problem; A: still of the middle. Returns whether v* has to be solved for.
static bool move_momentum(const limpet_flight *flight, limpet_flight_balance *balance, double dt,
                          int first, int n, bool was_held, const double *A, double *momentum) {
  static const double none[3] = {0.0};
  const double *f = was_held ? flight->force + first : none, *N = flight->centre + 3 * first;
  double p[3], L[3], had[3];
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

limpet_status limpet_flight_centre(const limpet_model *model, const limpet_data *data, int tree,
                                   double dt, limpet_arena *arena, limpet_free_motion *motion) {
  limpet_flight *flight = motion->flight;
  limpet_flight_balance *balance = &flight->balance[tree];
  const int n = model->tree_dof_count[tree], first = model->tree_dof[tree];
  if (flight->centred[tree] || !balance->kept || !(balance->start.mass > 0.0)) return LIMPET_OK;
  double *N = flight->centre + 3 * first, *v = motion->v_free + first,
         *momentum = motion->momentum + first, *A = motion->A + model->tree_mass[tree];
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  double *factor = LIMPET_TAKE(arena, double, limpet_positive_work(n)),
         *work = LIMPET_TAKE(arena, double, 12 * n);
  if (!factor || !work || limpet_flight_centre_rows(model, data, tree, arena, N) ||
      find_bend(model, data, tree, arena, flight->bend + 3 * tree))
    return LIMPET_ERROR_MEMORY;
  const bool pushed =
      move_momentum(flight, balance, dt, first, n,
                    !(data->tree_held[tree] < LIMPET_FLIGHT_HELD_OUTSIDE), A, momentum);
  if (!balance->stays) move_arms(n, balance->start.mass, N, A, work);
  if (pushed) {
    memcpy(v, momentum, (size_t)n * sizeof *v);
    if (!limpet_positive_solve(n, A, n, factor, v)) limpet_free_motion_fail(model, tree, motion);
  } else {
    double L[3];
    limpet_flight_balance_at(balance, dt, v, L);
    limpet_vec3_scale(v, 1.0 / balance->start.mass, v);
    for (int i = 3; i < n; ++i) limpet_vec3_addmul(v, v, -v[i], N + 3 * i);
  }
  flight->centred[tree] = true;
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

// The tree of a geom of a pair; -1: the world's, or of no geom.
static int tree_of(const limpet_model *model, int geom) {
  return geom >= 0 && geom < model->geom_count ? model->body_tree[model->geom_body[geom]] : -1;
}

limpet_status limpet_flight_centre_touched(const limpet_model *model, const limpet_data *data,
                                           double dt, const limpet_collision *collision,
                                           limpet_arena *arena, limpet_free_motion *motion) {
  if (!motion->flight) return LIMPET_OK;
  const limpet_trees trees = motion->trees;
  for (int i = 0; i < collision->contact_count; ++i) {
    const limpet_collision_pair *pair = &collision->pair[collision->contact[i].pair];
    const int a = tree_of(model, pair->geom_a), b = tree_of(model, pair->geom_b);
    for (int side = 0; side < 2; ++side) {  // curved paths of its own contacts are about its centre
      const int tree = side ? b : a;
      if (tree >= 0 && !motion->flight->centred[tree] && limpet_trees_have(trees, tree) &&
          limpet_flight_centre(model, data, tree, dt, arena, motion))
        return LIMPET_ERROR_MEMORY;
    }
  }
  for (int i = 0; i < model->loop_count; ++i) {
    const int a = model->body_tree[model->loop_body[2 * i]],
              b = model->body_tree[model->loop_body[2 * i + 1]];
    if (a == b) continue;
    for (int side = 0; side < 2; ++side) {
      const int tree = side ? b : a;
      if (tree >= 0 && limpet_trees_have(trees, tree) &&
          limpet_flight_centre(model, data, tree, dt, arena, motion))
        return LIMPET_ERROR_MEMORY;
    }
  }
  return LIMPET_OK;
}

limpet_status limpet_flight_centre_like(const limpet_model *model, const limpet_data *data,
                                        double dt, const limpet_free_motion *like,
                                        limpet_arena *arena, limpet_free_motion *motion) {
  for (int t = 0; motion->flight && t < model->tree_count; ++t)
    if (like->flight->centred[t] && limpet_flight_centre(model, data, t, dt, arena, motion))
      return LIMPET_ERROR_MEMORY;
  return LIMPET_OK;
}
