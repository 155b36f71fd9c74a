/* step/flight_motion.c: the velocity at the end of a step without contacts, by a midpoint rule that
 * knows the momentum.
 *
 *   M(q_m) (v1 - v0) = h (f - b(q_m, u)),   q_m = q0 (+) h/2 u,   q1 = q0 (+) h u
 *   u: joints: (v0 + v1)/2;   first joint of what floats: what gives the tree, in the pose q_m, the
 *      momentum of the middle of the step (flight_balance.c)
 * u is not known before v1. Its first estimate carries the change of the last step on,
 * v0 + (v0 - v_-1)/2; where that misses the pose q_m by more than an angle, it is renewed.
 * What is implicit joins M: A = M(q_m) + dt D + dt^2 K (free_motion.h). h is the step dt, or a part
 * of it where joints turn far in a step. A tree that was held in the last step is taken as held
 * again: its estimate stays, for it holds impulses that v1 does not have.
 *
 * Source: Hairer, Lubich, Wanner, Geometric Numerical Integration, sections II.1, V.1 (symmetric
 * methods), IV.4 (invariants). Workspace: poses and M of a second world. Cost: kinematics, M, bias
 * and one factor for each tree and estimate. */
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/dense_table.h"
#include "math/extremes.h"
#include "math/ldl3.h"
#include "math/pairs.h"
#include "math/spatial.h"
#include "math/vec3.h"
#include "model/integrate.h"
#include "model/workspace.h"
#include "step/flight.h"

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
static const double bounded_gain = 0.01;  // [-]  likewise, where no part is short enough
enum { FREE_DOFS = 6, RENEWAL_LIMIT = 12, DIVISION_LIMIT = 64, WHIP_LIMIT = 1024 };

typedef struct flyer {
  const limpet_model *model;
  const limpet_step_settings *settings;
  limpet_free_motion *motion;
  limpet_data *start;   // the world at q0, v0
  limpet_data *middle;  // the world at q_m, u
  const double *q, *v;  // (nq), (nv)  at the start of the part of the step
  double *own;          // (nq + nv)  where q and v of parts are that begin later than the step
  double *change;       // (nv)  of u, where it was renewed last
  limpet_ldl3 locked;   // of I_c of a tree that floats, in the pose q_m: lock
  bool locks;           // whether it has one
  bool astray;          // a part of the tree's step was too long for what happened in it
} flyer;

// A part of the step of one tree.
typedef struct part {
  int tree;
  double h, middle;  // [s]  its length; from the start of the step to where M and bias are taken
  bool floats;       // u has the momentum of the balance
  bool renews;       // u is renewed where it missed
  bool stays;        // q_m is q0, and u too slow for a bias
  double share;      // of flight: flight_share.c
} part;

// q1 = q0 (+) h v for the joints of a tree.
static void move_tree(const flyer *f, int tree, double *q1, const double *q0, const double *v,
                      double h) {
  const limpet_model *model = f->model;
  const int dof = model->tree_dof[tree], last = dof + model->tree_dof_count[tree] - 1;
  limpet_integrate_joints(model, model->dof_joint[dof], model->dof_joint[last] + 1, q1, q0, v, h,
                          f->settings->compatibility.first_order_rotation);
}

/* Locked inertia I_c of a tree that floats, in the pose q_m, from the first rows of M, whose blocks
 * are those of the tree as one rigid body:
 *   M_bb = [m 1, -m R [c]; m [c] R', I],   I_c = I - M_wp M_pw/m            body axes */
static void lock(flyer *f, const part *p) {
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
static void add_momentum(flyer *f, const part *p, const double linear[3], const double angular[3],
                         double dw[3]) {
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
static double give_momentum(flyer *f, const part *p) {
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
static void keep_momentum(flyer *f, const part *p, const double *change) {
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
static double look_at_middle(flyer *f, const part *p) {
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
static bool solve_tree(flyer *f, int tree) {
  const limpet_free_motion *motion = f->motion;
  const int n = f->model->tree_dof_count[tree], first = f->model->tree_dof[tree];
  double *v1 = motion->v_free + first;
  limpet_pairs_copy(n, v1, motion->momentum + first);
  return limpet_positive_solve(n, motion->A + f->model->tree_mass[tree], n,
                               motion->flight->balance[tree].factor, v1);
}

// A of a tree: M and a share of what is implicit.
static void add_implicit(const flyer *f, int tree, double share, const double *M, double *A) {
  const int n = f->model->tree_dof_count[tree];
  if (!f->motion->flight->balance[tree].implicit) {
    memcpy(A, M, (size_t)(n * n) * sizeof *A);
    return;
  }
  const double *implicit = f->motion->flight->implicit + f->model->tree_mass[tree];
  if (f->motion->flight->implicit_diagonal) {
    memcpy(A, M, (size_t)(n * n) * sizeof *A);
    for (int i = 0; i < n * n; i += n + 1) A[i] += share * implicit[i];
    return;
  }
  for (int i = 0; i < n * n; ++i) A[i] = M[i] + share * implicit[i];
}

// A v1 = M v0 + h (f - b) of a tree, and v1. False: A is not positive definite.
static bool solve_part(flyer *f, const part *p) {
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
  add_implicit(f, p->tree, share, M, A);
  return solve_tree(f, p->tree);
}

// The joints' u is now v0 + share (v1 - v0)/2; returns by how much the old one missed it [rad/s].
static double renew(flyer *f, const part *p) {
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
static double held_share(const flyer *f, int dof) {
  const limpet_model *model = f->model;
  const int tree = model->dof_tree[dof], n = model->tree_dof_count[tree];
  const int at = model->tree_mass[tree] + (dof - model->tree_dof[tree]) * (n + 1);
  return f->motion->flight->implicit[at] / f->motion->A[at];
}

// [rad/s]  The fastest hinge of a tree that dampers or springs hold.
static double fastest_held(const flyer *f, int tree) {
  const limpet_range dofs = limpet_tree_dofs(f->model, tree);
  double most = 0.0;
  for (int d = dofs.first; d < dofs.end; ++d)
    if (limpet_flight_turning(f->model, d) == 1 && held_share(f, d) > 0.0)
      most = limpet_max(most, fabs(f->middle->v[d]));
  return most;
}

/* Whether of the joints of a tree only hinges missed the first estimate, and by less than a part of
 * what dampers and springs take. */
static bool miss_is_held(const flyer *f, const part *p) {
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
static bool is_finite(const flyer *f, int tree) {
  const limpet_range dofs = limpet_tree_dofs(f->model, tree);
  return limpet_pairs_finite(dofs.end - dofs.first, f->motion->v_free + dofs.first);
}

/* c (n): the bias of a tree but for its weight, by the poses that `bias` is of. What weight gives
 * is no error. */
static void bias_of_motion(const flyer *f, int tree, const limpet_data *poses, double *c) {
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
static bool makes_energy(const flyer *f, const part *p) {
  const limpet_range dofs = limpet_tree_dofs(f->model, p->tree);
  const int n = dofs.end - dofs.first;
  const double *v0 = f->v + dofs.first, *v1 = f->motion->v_free + dofs.first;
  if (limpet_flight_is_slow(f->middle->v, dofs, asked_turn / p->h) &&
      limpet_flight_is_slow(f->motion->v_free, dofs, asked_turn / p->h))
    return false;
  // of the mirror, as in solve_part
  const double *M = f->start->mass_matrix + f->model->tree_mass[p->tree];
  double *c = f->change, twice = 0.0, given = 0.0;  // [J]  v0' M v0, -h (v0 + v1) . c
  bias_of_motion(f, p->tree, f->middle, c);
  for (int i = 0; i < n; ++i) {
    twice += v0[i] * limpet_dot(n, M + i * n, v0);
    given -= p->h * (v0[i] + v1[i]) * c[i];
  }
  return given > wild_gain * twice;
}

/* One part of the step, from the estimate of u in the middle world: v1 in motion->v_free, u in
 * flight->mean, q1 in flight->q. False: v1 is not known. */
static bool fly_part(flyer *f, const part *p) {
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
    if (!solve_part(f, p) || !is_finite(f, p->tree)) return false;
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

// The step in `count` parts: each starts where the last one ended, with its change of v carried on.
static bool fly_parts(flyer *f, int tree, int count, bool floats) {
  const limpet_model *model = f->model;
  limpet_free_motion *motion = f->motion;
  const int first = model->tree_dof[tree], n = model->tree_dof_count[tree];
  const int at = model->tree_mass[tree], q = model->joint_q[model->dof_joint[first]];
  const int next = first + n;
  const int q_end = next < model->nv ? model->joint_q[model->dof_joint[next]] : model->nq;
  part p = {.tree = tree,
            .h = f->settings->time_step / count,
            .floats = floats,
            .renews = true,
            .share = 1.0};
  for (int k = 0; k < count; ++k) {
    p.middle = p.h * (k + 0.5);
    if (!fly_part(f, &p)) return false;
    if (k + 1 == count) break;
    double *q1 = f->own, *v = f->own + model->nq;
    memcpy(q1 + q, motion->flight->q + q, (size_t)(q_end - q) * sizeof *q1);
    for (int d = first; d < next; ++d) {
      const double v1 = motion->v_free[d];
      f->middle->v[d] = v1 + 0.5 * (v1 - f->v[d]);
      v[d] = v1;
    }
    f->q = q1, f->v = v;
  }

  // one problem for the whole step, with M of the last part
  double *A = motion->A + at;
  add_implicit(f, tree, 1.0, f->middle->mass_matrix + at, A);
  for (int i = 0; i < n; ++i)
    motion->momentum[first + i] = limpet_dot(n, A + i * n, motion->v_free + first);
  return true;
}

// Whether a tree that was held moves too little in h, at the velocity u of the middle world, to
// tell q_m from q0.
static bool is_still(const flyer *f, int tree, double h) {
  const int first = f->model->tree_dof[tree], end = first + f->model->tree_dof_count[tree];
  if (f->start->tree_held[tree] < LIMPET_FLIGHT_HELD_OUTSIDE) return false;
  for (int d = first; d < end; ++d)
    if (!(h * fabs(f->middle->v[d]) < LIMPET_FLIGHT_STILL_WAY)) return false;
  return true;
}

// At the start of the step.
static void go_back(flyer *f) { f->q = f->start->q, f->v = f->start->v; }

// The plain scheme: M and bias at the start of the step.
static bool fly_plain(flyer *f, int tree) {
  limpet_tree_mass_matrix(f->model, f->start, tree);
  limpet_tree_bias(f->model, f->start, tree);
  go_back(f);
  return solve_part(f, &(part){.tree = tree, .h = f->settings->time_step});
}

/* What turns too far in a step for parts to follow: the plain scheme, with no more of the bias c of
 * its motion than gives `bounded_gain` of the kinetic energy that there was,
 *   v1 = v_f - s w,  A w = h c:   -s h c . v_f + s^2 h c . w/2 <= gain v0' M v0/2
 * so that a step makes no motion from nowhere, which contacts would have to stop. */
static bool fly_bounded(flyer *f, int tree) {
  const limpet_range dofs = limpet_tree_dofs(f->model, tree);
  const int n = dofs.end - dofs.first;
  limpet_flight_balance *balance = &f->motion->flight->balance[tree];
  const double *v0 = f->start->v + dofs.first, h = f->settings->time_step;
  const double *M = f->start->mass_matrix + f->model->tree_mass[tree];
  double *v1 = f->motion->v_free + dofs.first, *w = f->change, *c = f->own, kinetic = 0.0;
  balance->share = 0.0;
  balance->bounded = true;
  if (!fly_plain(f, tree)) return false;
  bias_of_motion(f, tree, f->start, c);
  for (int i = 0; i < n; ++i) {
    w[i] = h * c[i];
    kinetic += 0.5 * v0[i] * limpet_dot(n, M + i * n, v0);
  }
  limpet_positive_again(n, balance->factor, w);
  const double own = h * limpet_dot(n, c, w), all = h * limpet_dot(n, c, v1) + own;
  if (0.5 * own - all <= bounded_gain * kinetic) return true;
  const double s = (all + sqrt(all * all + 2.0 * own * bounded_gain * kinetic)) / own;
  for (int i = 0; i < n; ++i) {
    v1[i] += (1.0 - s) * w[i];
    f->motion->momentum[dofs.first + i] += (1.0 - s) * h * c[i];
  }
  return true;
}

bool limpet_flight_closes_loop(const limpet_model *model, int tree) {
  for (int i = 0; i < 2 * model->loop_count; ++i)
    if (model->body_tree[model->loop_body[i]] == tree) return true;
  return false;
}

static bool loop_holds(const flyer *f, int tree) {
  return f->start->tree_held[tree] > 0.0 && limpet_flight_closes_loop(f->model, tree);
}

/* In how many parts a tree takes the step. One, where a loop held it: parts know no impulses, and
 * would lead light links of the loop far from where it leaves them. */
static int division(const flyer *f, int tree) {
  const limpet_model *model = f->model;
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  const double *v = f->start->v, dt = f->settings->time_step;
  const limpet_workspace *workspace = f->start->workspace;
  double parts = workspace->keeps_parts ? workspace->turn_parts[2 * tree] : 1.0;
  if (!limpet_flight_is_slow(v, dofs, LIMPET_FLIGHT_LARGEST_TURN / dt))
    parts = limpet_max(
        parts, ceil(dt * limpet_flight_fastest(model, v, dofs) / LIMPET_FLIGHT_LARGEST_TURN));
  if (!(parts > 1.0) || f->motion->flight->balance[tree].share < 1.0 || loop_holds(f, tree))
    return 1;
  return parts < DIVISION_LIMIT ? (int)parts : DIVISION_LIMIT;
}

static bool fly_divided(flyer *f, int tree, int count) {
  const limpet_data *data = f->start;
  const double dt = f->settings->time_step, held = data->tree_held[tree];
  const limpet_range dofs = limpet_tree_dofs(f->model, tree);
  const double share = count > 1 ? 1.0 : f->motion->flight->balance[tree].share;
  limpet_pairs_addmul(dofs.end - dofs.first, f->middle->v + dofs.first, data->v + dofs.first,
                      0.5 * share / count, data->warm_start + dofs.first);
  const bool floats = f->motion->flight->balance[tree].kept && held < LIMPET_FLIGHT_HELD_OUTSIDE,
             stays = count == 1 && is_still(f, tree, dt);
  f->motion->flight->balance[tree].stays = stays;
  if (count > 1) return fly_parts(f, tree, count, floats);
  return fly_part(f, &(part){.tree = tree,
                             .h = dt,
                             .middle = 0.5 * dt,
                             .floats = floats,
                             .renews = held == 0.0,
                             .stays = stays,
                             .share = share});
}

static bool fly(flyer *f, int tree) {
  const limpet_model *model = f->model;
  limpet_data *data = f->start;
  const double dt = f->settings->time_step;
  if (limpet_flight_alone(f->motion->flight, tree))
    return limpet_flight_body_fly(model, data, tree, dt, f->motion);
  // a light link that whips may double its speed in no time: shorter parts follow it
  for (int count = division(f, tree);; count *= 4) {
    f->astray = false;
    go_back(f);
    const bool flew = fly_divided(f, tree, count);
    f->motion->flight->branch[tree] = count * LIMPET_FLIGHT_RULES;
    if (!data->workspace->keeps_parts && !data->workspace->holds_rules)
      data->workspace->turn_parts[2 * tree] = count;
    if (flew && !f->astray) return true;
    if (loop_holds(f, tree)) return flew;
    if (count > WHIP_LIMIT / 4 || (count == 1 && data->tree_held[tree] > 0.0))
      return fly_bounded(f, tree);
  }
}

static limpet_status take_flyer(flyer *f, limpet_arena *arena) {
  const limpet_model *model = f->model;
  f->change = LIMPET_TAKE(arena, double, 2 * model->nv + model->nq);
  f->own = f->change + model->nv;
  return f->change ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

limpet_outcome limpet_flight_motion(const limpet_model *model, limpet_data *data,
                                    const limpet_step_settings *settings, limpet_trees trees,
                                    limpet_arena *arena, limpet_free_motion *motion) {
  if (limpet_free_motion_forces(model, data, trees, settings->time_step, NULL, arena, motion) ||
      limpet_flight_open(data, settings, arena, motion))
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  flyer f;
  f.model = model, f.settings = settings, f.motion = motion;
  f.start = data, f.middle = &motion->flight->other;
  if (take_flyer(&f, arena)) return LIMPET_OUTCOME_OUT_OF_MEMORY;

  for (int i = 0; i < trees.count; ++i) {
    const int t = limpet_trees_at(trees, i);
    limpet_flight_balance *balance = &motion->flight->balance[t];
    limpet_flight_begin_rules(data, t);
    limpet_flight_balance_make(model, data, t, motion->force, balance);
    balance->error = 0.0;
    balance->bounded = false;
    const bool alone = limpet_flight_alone(motion->flight, t);
    motion->flight->centred[t] = alone && balance->start.mass > 0.0;
    const size_t room = limpet_positive_work(model->tree_dof_count[t]);
    balance->factor = alone ? NULL : LIMPET_TAKE(arena, double, room);
    if (!alone && !balance->factor) return LIMPET_OUTCOME_OUT_OF_MEMORY;
    if (balance->share == 0.0 && !fly_plain(&f, t)) limpet_free_motion_fail(model, t, motion);
  }
  if (limpet_flight_take_worlds(data, arena, motion)) return LIMPET_OUTCOME_OUT_OF_MEMORY;
  for (int i = 0; i < trees.count; ++i) {
    const int t = limpet_trees_at(trees, i);
    if (motion->flight->balance[t].share > 0.0 && !fly(&f, t))
      limpet_free_motion_fail(model, t, motion);
  }
  data->workspace->marks |= LIMPET_MARK_MASS;
  return LIMPET_OUTCOME_SOLVED;
}
