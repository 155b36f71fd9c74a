/* step/flight_part.c: the velocity at the end of a step without contacts, or of a part of it, by a
 * midpoint rule that knows the momentum.
 *
 *   M(q_m) (v1 - v0) = h (f - b(q_m, u)),   q_m = q0 (+) h/2 u,   q1 = q0 (+) h u
 *   u: joints: (v0 + v1)/2;   first joint of what floats: what gives the tree, in the pose q_m, the
 *      momentum of the middle of the step (flight_balance.c)
 * u is not known before v1. Its first estimate carries the change of the last step on,
 * v0 + (v0 - v_-1)/2; where that misses the pose q_m by more than an angle, it is renewed.
 * What is implicit joins M: A = M(q_m) + dt D + dt^2 K (free_motion.h). h is the step dt, or a part
 * of it (flight_motion.c). A tree that was held in the last step is taken as held again: its
 * estimate stays, for it holds impulses that v1 does not have.
 *
 * Source: Hairer, Lubich, Wanner, Geometric Numerical Integration, sections II.1, V.1 (symmetric
 * methods), IV.4 (invariants). Workspace: poses and M of a second world. Cost: kinematics, M, bias
 * and one factor for each tree and estimate. */
#include <math.h>
#include <string.h>

#include "dynamics/tree_kernels.h"
#include "math/dense.h"
#include "math/dense_table.h"
#include "math/extremes.h"
#include "math/pairs.h"
#include "math/spatial.h"
#include "math/vec3.h"
#include "model/integrate.h"
#include "model/workspace.h"
#include "step/flight_part.h"

// [rad]  error of the pose q_m above which u is renewed, and until what is left of it is less
static const double missed_turn = 1e-6, renewed_turn = 1e-12;
/* [-]  A hinge that dampers or springs hold may miss at first this share of what they take from the
 * fastest hinge that they hold. v1 has at most a tenth of a miss (a long turn divides it): they
 * take more. */
static const double held_miss = 0.5;
static const double wild_turn = 0.3;  // [rad]  in h: above it a part is too long
/* [-]  of the kinetic energy: the most that the bias may give a held tree in h; and [rad] the turn
 * of a joint in h from which it is asked. */
static const double wild_gain = 1.0, asked_turn = 0.04;
enum { FREE_DOFS = 6, RENEWAL_LIMIT = 12 };

// q1 = q0 (+) h v for the joints of a tree.
static void move_tree(const limpet_flyer *f, int tree, double *q1, const double *q0,
                      const double *v, double h) {
  const limpet_model *model = f->model;
  const int dof = model->tree_dof[tree], last = dof + model->tree_dof_count[tree] - 1;
  limpet_integrate_joints(model, model->dof_joint[dof], model->dof_joint[last] + 1, q1, q0, v, h,
                          f->settings->compatibility.first_order_rotation);
}

/* Locked inertia I_c of a tree that floats, in the pose q_m, from the first rows of M, whose blocks
 * are those of the tree as one rigid body:
 *   M_bb = [m 1, -m R [c]; m [c] R', I],   I_c = I - M_wp M_pw/m            body axes */
static void lock(limpet_flyer *f, const limpet_flight_part *p) {
  const int n = f->model->tree_dof_count[p->tree];
  const double mass = f->motion->flight->balance[p->tree].start.mass, share = 1.0 / mass;
  const double *turning = f->middle->mass_matrix + f->model->tree_mass[p->tree] + 3 * n;
  double inertia[9];
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k <= i; ++k)
      inertia[3 * i + k] =
          turning[i * n + 3 + k] - share * limpet_vec3_dot(turning + i * n, turning + k * n);
  f->locks = mass > 0.0 && limpet_ldl3_factor(inertia, &f->locked);
}

/* Adds momentum to u, p (W) and l about the body's origin (body axes):
 *   dw = I_c^-1 (l - M_wp p/m),   du = (p - M_pw dw)/m
 * After lock. dw: what the turning of the first joint gets [rad/s]. */
static void add_momentum(limpet_flyer *f, const limpet_flight_part *p, const double linear[3],
                         const double angular[3], double dw[3]) {
  const limpet_model *model = f->model;
  const int n = model->tree_dof_count[p->tree];
  const double *turning = f->middle->mass_matrix + model->tree_mass[p->tree] + 3 * n;
  const double share = 1.0 / f->motion->flight->balance[p->tree].start.mass;
  const double *x = turning, *y = x + n, *z = y + n;
  double *u = f->middle->v + model->tree_dof[p->tree], dv[3];
  limpet_vec3_scale(dv, share, linear);
  dw[0] = angular[0] - limpet_vec3_dot(x, dv);
  dw[1] = angular[1] - limpet_vec3_dot(y, dv);
  dw[2] = angular[2] - limpet_vec3_dot(z, dv);
  limpet_ldl3_solve(&f->locked, dw);
  for (int k = 0; k < 3; ++k) {
    u[k] += dv[k] - share * (dw[0] * x[k] + dw[1] * y[k] + dw[2] * z[k]);
    u[3 + k] += dw[k];
  }
}

/* Gives u the momentum that the tree has in the middle of the step, P, and L about the centre of
 * mass:
 *   M_b u = [P; R' L + M_wp P/m]                                       M_b: first six rows of M
 * Returns by how much its turning missed that [rad/s]. */
static double give_momentum(limpet_flyer *f, const limpet_flight_part *p) {
  if (!f->locks) return 0.0;
  const limpet_model *model = f->model;
  const limpet_flight_balance *balance = &f->motion->flight->balance[p->tree];
  const int n = model->tree_dof_count[p->tree];
  const double *M = f->middle->mass_matrix + model->tree_mass[p->tree], *turning = M + 3 * n;
  const double *R = f->middle->body_rotation + 9 * model->tree_body[p->tree];
  double has[FREE_DOFS], P[3], L[3], l[3], dw[3];
  limpet_dense()->tmul_vec(n, FREE_DOFS, M, n, f->middle->v + model->tree_dof[p->tree], has);
  limpet_flight_balance_at(balance, p->middle, P, L);
  limpet_mat3_tmul_vec(l, R, L);
  const double share = 1.0 / balance->start.mass;
  for (int i = 0; i < 3; ++i) l[i] += share * limpet_vec3_dot(turning + i * n, P) - has[3 + i];
  limpet_vec3_sub(P, P, has);
  add_momentum(f, p, P, l, dw);
  return limpet_vec3_norm(dw);
}

// Keeps M_b u where the joints of u changed by `change` (n - 6).
static void keep_momentum(limpet_flyer *f, const limpet_flight_part *p, const double *change) {
  if (!f->locks) return;
  const limpet_model *model = f->model;
  const int n = model->tree_dof_count[p->tree];
  const double *M = f->middle->mass_matrix + model->tree_mass[p->tree];
  double missing[FREE_DOFS], dw[3];
  limpet_dense()->tmul_vec(n - FREE_DOFS, FREE_DOFS, M + FREE_DOFS * n, n, change, missing);
  for (int i = 0; i < FREE_DOFS; ++i) missing[i] = -missing[i];
  add_momentum(f, p, missing, missing + 3, dw);
}

/* M and bias in the pose that the estimate u in f->middle->v leads to. Returns by how much the
 * turning of the first joint missed its momentum [rad/s]. */
static double look_at_middle(limpet_flyer *f, const limpet_flight_part *p) {
  const limpet_model *model = f->model;
  limpet_data *middle = f->middle;
  if (p->stays) {
    limpet_tree_mass_matrix(model, f->start, p->tree);
    limpet_tree_bias(model, f->start, p->tree);
    if (p->floats) lock(f, p);
    return 0.0;
  }
  move_tree(f, p->tree, middle->q, f->q, middle->v, 0.5 * p->h * p->share);
  if (f->motion->flight->places) {
    limpet_tree_kinematics(model, middle, p->tree);
    limpet_tree_tendon_rows(model, middle, p->tree);
  } else {
    limpet_tree_kinematics_apart(model, middle, p->tree);
  }
  limpet_tree_mass_matrix(model, middle, p->tree);
  if (p->floats) lock(f, p);
  const double missed = p->floats ? give_momentum(f, p) : 0.0;
  if (!f->motion->flight->places) {
    limpet_tree_moving_bias(model, middle, p->tree);
    return missed;
  }
  limpet_tree_velocities(model, middle, p->tree);
  limpet_tree_bias(model, middle, p->tree);
  return missed;
}

// v1 of a tree from A v1 and A.
static bool solve_tree(limpet_flyer *f, int tree) {
  const limpet_free_motion *motion = f->motion;
  const int n = f->model->tree_dof_count[tree], first = f->model->tree_dof[tree];
  double *v1 = motion->v_free + first;
  limpet_pairs_copy(n, v1, motion->momentum + first);
  return limpet_positive_solve(n, motion->A + f->model->tree_mass[tree], n,
                               motion->flight->balance[tree].factor, v1);
}

static void matrix_copy(int n, double *A, const double *M) {
  if (n > 1) limpet_tree_kernels_here()->numbers_copy(A, M, n * n);
  else if (n == 1) A[0] = M[0];
}

void limpet_flight_add_implicit(const limpet_flyer *f, int tree, double share, const double *M,
                                double *A) {
  const int n = f->model->tree_dof_count[tree];
  if (!f->motion->flight->balance[tree].implicit) {
    matrix_copy(n, A, M);
    return;
  }
  const double *implicit = f->motion->flight->implicit + f->model->tree_mass[tree];
  if (f->motion->flight->implicit_diagonal) {
    matrix_copy(n, A, M);
    for (int i = 0; i < n * n; i += n + 1) A[i] += share * implicit[i];
    return;
  }
  for (int i = 0; i < n * n; ++i) A[i] = M[i] + share * implicit[i];
}

bool limpet_flight_part_solve(limpet_flyer *f, const limpet_flight_part *p) {
  const limpet_model *model = f->model;
  limpet_free_motion *motion = f->motion;
  const int n = model->tree_dof_count[p->tree], first = model->tree_dof[p->tree];
  const int at = model->tree_mass[p->tree];
  // a mirror's M and bias are those of the world that it was made from
  const double *M = f->start->mass_matrix + at, *bias = f->start->bias + first;
  const double *force = motion->flight->force + first, share = p->h / f->settings->time_step;
  double *A = motion->A + at, *momentum = motion->momentum + first;
  limpet_dense()->tmul_vec(n, n, M, n, f->v + first, momentum);
  limpet_pairs_add_difference(n, momentum, p->h, force, bias);
  limpet_flight_add_implicit(f, p->tree, share, M, A);
  return solve_tree(f, p->tree);
}

// The joints' u is now v0 + share (v1 - v0)/2; returns by how much the old one missed it [rad/s].
static double renew(limpet_flyer *f, const limpet_flight_part *p) {
  const limpet_model *model = f->model;
  const int begin = model->tree_dof[p->tree], end = begin + model->tree_dof_count[p->tree];
  const int first = begin + (p->floats ? FREE_DOFS : 0);
  const double *v0 = f->v, *v1 = f->motion->v_free;
  double *u = f->middle->v, *change = f->change, missed = 0.0;
  const double half = 0.5 * p->share;
  for (int d = first; d < end;) {
    const int turning = limpet_flight_turning(model, d), next = d + (turning > 1 ? turning : 1);
    for (int k = d; k < next; ++k) {
      const double mean = v0[k] + half * (v1[k] - v0[k]);
      change[k] = mean - u[k];
      u[k] = mean;
    }
    if (turning == 1) missed = limpet_max(missed, fabs(change[d]));
    else if (turning > 1) missed = limpet_max(missed, limpet_vec3_norm(change + d));
    d = next;
  }
  return missed;
}

// [-]  What dampers and springs of the solve take in the step from a joint that moves alone.
static double held_share(const limpet_flyer *f, int dof) {
  const limpet_model *model = f->model;
  const int tree = model->dof_tree[dof], n = model->tree_dof_count[tree];
  const int at = model->tree_mass[tree] + (dof - model->tree_dof[tree]) * (n + 1);
  return f->motion->flight->implicit[at] / f->motion->A[at];
}

// [rad/s]  The fastest hinge of a tree that dampers or springs hold.
static double fastest_held(const limpet_flyer *f, int tree) {
  const limpet_range dofs = limpet_tree_dofs(f->model, tree);
  double most = 0.0;
  for (int d = dofs.first; d < dofs.end; ++d)
    if (limpet_flight_turning(f->model, d) == 1 && held_share(f, d) > 0.0)
      most = limpet_max(most, fabs(f->middle->v[d]));
  return most;
}

/* Whether of the joints of a tree only hinges missed the first estimate, and by less than a part of
 * what dampers and springs take. */
static bool miss_is_held(const limpet_flyer *f, const limpet_flight_part *p) {
  const limpet_data *data = f->start;
  if (!f->motion->flight->balance[p->tree].implicit) return false;
  const limpet_range dofs = limpet_tree_dofs(f->model, p->tree);
  const double fastest = fastest_held(f, p->tree);
  for (int d = dofs.first + (p->floats ? FREE_DOFS : 0), count; d < dofs.end; d += count) {
    const int turning = limpet_flight_turning(f->model, d);
    count = turning > 1 ? turning : 1;
    double change[3];
    for (int k = 0; k < count; ++k)
      change[k] = f->middle->v[d + k] - data->v[d + k] - 0.5 * data->warm_start[d + k];
    const double missed = count > 1 ? limpet_vec3_norm(change) : fabs(change[0]);
    if (turning == 0 || p->h * missed <= missed_turn) continue;
    if (count > 1 || missed > held_miss * held_share(f, d) * fastest) return false;
  }
  return true;
}

// Whether v1 of a tree is known: renewals that stray may end beyond all numbers.
static bool is_finite(const limpet_flyer *f, int tree) {
  const limpet_range dofs = limpet_tree_dofs(f->model, tree);
  return limpet_pairs_finite(dofs.end - dofs.first, f->motion->v_free + dofs.first);
}

void limpet_flight_motion_bias(const limpet_flyer *f, int tree, const limpet_data *poses,
                               double *c) {
  const limpet_model *model = f->model;
  const limpet_range dofs = limpet_tree_dofs(model, tree), bodies = limpet_tree_bodies(model, tree);
  memcpy(c, f->start->bias + dofs.first, (size_t)(dofs.end - dofs.first) * sizeof *c);
  for (int b = bodies.first; b < bodies.end && !(model->options.disabled & LIMPET_DISABLE_GRAVITY);
       ++b) {
    double F[6], lever[3];
    limpet_vec3_scale(F + 3, model->body_mass[b], model->options.gravity);
    limpet_vec3_sub(lever, poses->body_com + 3 * b, poses->tree_origin + 3 * tree);
    limpet_vec3_cross(F, lever, F + 3);
    for (int d = model->body_last_dof[b]; d >= 0; d = model->dof_parent[d])
      c[d - dofs.first] += limpet_spatial_dot(poses->dof_axis + 6 * d, F);
  }
}

/* Whether the bias of a tree, which moves energy between its links, made more than there was: u is
 * then far from the mean of v0 and v1. What renews u sees that otherwise. Exactly, as
 *   v1' M v1 - v0' M v0 = h (v0 + v1) . (f - b)                       of b what motion makes, c */
static bool makes_energy(const limpet_flyer *f, const limpet_flight_part *p) {
  const limpet_range dofs = limpet_tree_dofs(f->model, p->tree);
  const int n = dofs.end - dofs.first;
  const double *v0 = f->v + dofs.first, *v1 = f->motion->v_free + dofs.first;
  if (limpet_flight_is_slow(f->middle->v, dofs, asked_turn / p->h) &&
      limpet_flight_is_slow(f->motion->v_free, dofs, asked_turn / p->h))
    return false;
  // of the mirror, as in solve_part
  const double *M = f->start->mass_matrix + f->model->tree_mass[p->tree];
  double *c = f->change, twice = 0.0, given = 0.0;  // [J]  v0' M v0, -h (v0 + v1) . c
  limpet_flight_motion_bias(f, p->tree, f->middle, c);
  for (int i = 0; i < n; ++i) {
    twice += v0[i] * limpet_dot(n, M + i * n, v0);
    given -= p->h * (v0[i] + v1[i]) * c[i];
  }
  return given > wild_gain * twice;
}

bool limpet_flight_part_fly(limpet_flyer *f, const limpet_flight_part *p) {
  const limpet_model *model = f->model;
  limpet_flight *flight = f->motion->flight;
  const int begin = model->tree_dof[p->tree], end = begin + model->tree_dof_count[p->tree];
  // where plain steps become flight, a renewal here and none beside it would be a jump
  const bool whole = p->h == f->settings->time_step && p->share == 1.0;
  double allowed = p->share < 1.0 ? renewed_turn : missed_turn, *u = f->middle->v;
  if (whole)
    allowed =
        limpet_flight_allowed(f->start, p->tree, LIMPET_FLIGHT_MOTION, missed_turn, renewed_turn);
  double last = 0.0;
  for (int k = 0;; ++k) {
    const double missed = look_at_middle(f, p);
    if (!limpet_flight_part_solve(f, p) || !is_finite(f, p->tree)) return false;
    const double most = limpet_max(missed, renew(f, p));
    const bool met = p->h * limpet_flight_left(most, last) <= allowed ||
                     (p->renews && whole && allowed == missed_turn && p->h * missed <= allowed &&
                      miss_is_held(f, p));
    if (p->renews && k == RENEWAL_LIMIT && !(p->h * most <= missed_turn)) f->astray = true;
    flight->balance[p->tree].renewals = met || !p->renews ? k : -1;
    if (whole) limpet_flight_renewed(f->start, p->tree, LIMPET_FLIGHT_MOTION, k > 0);
    if (p->floats) keep_momentum(f, p, f->change + begin + FREE_DOFS);
    if (!p->renews || met || k == RENEWAL_LIMIT) break;
    allowed = renewed_turn;
    last = most;
  }
  const limpet_range dofs = {begin, end};
  if (!p->renews && !p->stays && p->share == 1.0 && makes_energy(f, p)) f->astray = true;
  if (p->renews && !limpet_flight_is_slow(u, dofs, wild_turn / p->h) &&
      !(p->h * limpet_flight_fastest(model, u, dofs) <= wild_turn))
    f->astray = true;
  // positions of the plain scheme move by v1, those of flight by the mean
  for (int d = begin; d < end && p->share < 1.0; ++d)
    u[d] = f->motion->v_free[d] - 0.5 * p->share * (f->motion->v_free[d] - f->v[d]);
  if (u != flight->mean) limpet_pairs_copy(end - begin, flight->mean + begin, u + begin);
  move_tree(f, p->tree, flight->q, f->q, u, p->h);
  return true;
}
