/* step/flight_gain.c: the bound of energy that a step makes from nowhere: flight_account.c.
 *
 * Trees that loops join are looked at together:
 * positive work of near-rigid loops counts, too, where a joint turns fast (what leads back a loop
 * that began open is work), and where it turns so far that no row knows where it leads, all work of
 * impulses.
 * Beyond 1 % of the kinetic energy, or where loops are 0.3 % for each radian that the fastest joint
 * turns in the step and 0.03 % at most, it is taken back: all that the trees do but to move as one
 * rigid body is slowed down alike,
 *   v <- r + s (v - r),   s^2 = (due - T_r)/T_within,   T_within = T - p^2/(2 m) - L . I_c^-1 L/2
 * r: velocity of the rigid body that has their momentum, without the moment of loops whose ends lie
 * apart; zero where the world holds them. That keeps momentum, and velocities that satisfy loops
 * and couplers. Where T_r alone is more than is due the pose is out of reach of their energy: trees
 * that float keep the pose that they had to each other, and move as one. Of trees in contact
 * brake.c takes most of it before, in the solve. Cost: kinematics of trees that are fixed to the
 * world and fast. */
#include <math.h>
#include <string.h>

#include "constraint/kind.h"
#include "math/dense.h"
#include "math/extremes.h"
#include "math/pairs.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "model/integrate.h"
#include "step/flight_ending.h"
#include "step/gyration.h"

enum { FREE_DOFS = 6 };

// [-]  of the kinetic energy: what is less stays, of twice as much all is taken; of trees that
// loops join, whose gains do not swing back, but add up from step to step, also [1/rad]: of
// the way of the fastest joint, so that shorter steps may not gain more
static const double gain_limit = 0.01, loop_gain_limit = 3e-4, loop_gain_by_way = 3e-3;
// [rad]  turn of a joint in a step: what is slower is not looked at, from twice as much on all is
static const double fast_way = 0.04, fast_loop_way = 0.03;
static const double whip_way = 0.1;  // [rad]  likewise: what loops give counts from there on
// [-]  Turns of a tree that something holds count by how far motions of its joints cancel in heavy
// links, sqrt(sum_j v_j A_jj v_j/v' M v), and at most by that
static const double first_cancelling = 3.0, most_cancelling = 10.0;
static const double as_expected = 1e-4;  // [rad]  by which bodies alone may fly elsewhere
// [-]  of the kinetic energy at the end, that is due: below it there is no pose to slow down in
static const double wild_share = 0.01;

// [rad]  Farthest turn of a joint of a tree in the step: where nothing turns no energy is made.
static double farthest(const limpet_ending *e, int tree, const double *v) {
  return e->settings->time_step *
         limpet_flight_fastest(e->model, v, limpet_tree_dofs(e->model, tree));
}

static bool goes_far(const limpet_ending *e, int tree, const double *v, double way) {
  const limpet_range dofs = limpet_tree_dofs(e->model, tree);
  return !limpet_flight_is_slow(v, dofs, way / e->settings->time_step) &&
         farthest(e, tree, v) > way;
}

static bool is_fast(const limpet_ending *e, int tree) {
  const double way =
      (e->model->loop_count > 0 ? fast_loop_way : fast_way) / e->account[tree].cancelling;
  return e->motion->flight->balance[tree].braked || goes_far(e, tree, e->data->v, way) ||
         goes_far(e, tree, e->end->v, way);
}

double limpet_flight_alone_inertia(const limpet_model *model, const limpet_free_motion *motion,
                                   int tree, int i) {
  const int n = model->tree_dof_count[tree], first = model->tree_dof[tree];
  const int joint = model->dof_joint[first + i];
  const bool ball = model->joint_kind[joint] == LIMPET_JOINT_BALL;
  const int begin = ball ? model->joint_v[joint] - first : i, count = ball ? 3 : 1;
  const double *A = motion->A + model->tree_mass[tree], *brake = motion->flight->brake + first;
  double sum = 0.0;
  for (int k = begin; k < begin + count; ++k) sum += A[k * n + k] - brake[k];
  return sum / count;
}

/* [J]  Energy that the joints of a tree would have if none moved with another, at the velocity that
 * was solved for, without what damps them: brake.h. */
static double energy_apart(const limpet_ending *e, int tree) {
  const limpet_model *model = e->model;
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  const int n = dofs.end - dofs.first, begin = limpet_tree_floats(model, tree) ? FREE_DOFS : 0;
  const double *v = e->solution->contact.v + dofs.first, *A = e->motion->A + model->tree_mass[tree];
  const double *brake = e->motion->flight->brake + dofs.first;
  double twice = 0.0;
  for (int i = begin; i < n; ++i) {
    const bool ball = model->joint_kind[model->dof_joint[dofs.first + i]] == LIMPET_JOINT_BALL;
    const double own =
        ball ? limpet_flight_alone_inertia(model, e->motion, tree, i) : A[i * n + i] - brake[i];
    twice += own * v[i] * v[i];
  }
  return 0.5 * twice;
}

bool limpet_ending_cancels(const limpet_ending *e, int tree, double energy) {
  const double least = fast_loop_way / (most_cancelling * e->settings->time_step);
  const limpet_range dofs = limpet_tree_dofs(e->model, tree);
  if (limpet_flight_is_slow(e->data->v, dofs, least) &&
      limpet_flight_is_slow(e->end->v, dofs, least))
    return is_fast(e, tree);
  const double apart = energy_apart(e, tree);
  double *cancelling = &e->account[tree].cancelling;
  const double share = first_cancelling * sqrt(energy);
  if (apart > share * share) *cancelling = limpet_min(most_cancelling, sqrt(apart) / share);
  return is_fast(e, tree);
}

// ------------------------------------------------------------------------------------ clusters

// Trees that loops join.
typedef struct cluster {
  int first;   // tree; the next one is next[first], the last one has LIMPET_NONE
  bool fixed;  // to the world
  bool loops;
  double mass, com[3], linear[3], angular[3], inertia[9];
  double kinetic, gained, taken;  // [J]  see limpet_tree_account
  double due;                     // [J]  kinetic energy that it may have
  double whole, rigid, within;    // [J]  that it has; as one body that turns so; beside that
  double velocity[3], spin[3];    // of the rigid body, W
  double turn[3];                 // [rad/s]  of it without the moment of loops
  double looped;                  // [J]  work of near-rigid loops
  double farthest;                // [rad]  turn of a joint in the step
  double moment[3];  // [N m s]  of what loops add to its momentum: their ends lie apart
} cluster;

static int root_of(const int *root, int tree) {
  while (root[tree] != tree) tree = root[tree];
  return tree;
}

static void join_loops(const limpet_model *model, int *root, bool *fixed, bool *loops) {
  for (int i = 0; i < model->loop_count; ++i) {
    const int a = model->body_tree[model->loop_body[2 * i]],
              b = model->body_tree[model->loop_body[2 * i + 1]];
    if (a < 0 && b < 0) continue;
    const int one = root_of(root, a < 0 ? b : a), other = root_of(root, b < 0 ? a : b);
    root[other] = one;
    fixed[one] = fixed[one] || fixed[other] || a < 0 || b < 0;
    loops[one] = true;
  }
}

static bool is_loop(const limpet_constraint_row *row) {
  const limpet_constraint_kind *kind = limpet_constraint_kinds()[row->kind];
  return kind == &limpet_constraint_connect || kind == &limpet_constraint_weld ||
         kind == &limpet_constraint_distance;
}

// Moment about the world's origin of an impulse on one velocity of a first joint, at the start.
static void add_moment(const limpet_ending *e, int dof, double impulse, double moment[3]) {
  const limpet_model *model = e->model;
  const int tree = model->dof_tree[dof], place = dof - model->tree_dof[tree];
  const int body = model->tree_body[tree];
  if (!limpet_tree_floats(model, tree) || place >= FREE_DOFS) return;
  double one[3] = {0.0}, turned[3];
  one[place % 3] = impulse;
  if (place < 3) limpet_vec3_cross(turned, e->data->body_position + 3 * body, one);
  else limpet_mat3_mul_vec(turned, e->data->body_rotation + 9 * body, one);
  limpet_vec3_add(moment, moment, turned);
}

// What one row of a loop does to a cluster; entries are numbered within the island of the row.
static void look_at_row(const limpet_ending *e, const limpet_island *island, int index,
                        cluster *c) {
  const limpet_contact_problem *problem = &e->solution->problem;
  const limpet_constraint_row *row = &problem->row[index];
  double work = 0.0;
  for (int k = row->entry; k < row->entry + row->entry_count; ++k) {
    const int dof = limpet_problem_global_dof(problem, island, problem->entry_dof[k]);
    const double impulse = e->solution->contact.row_gamma[index] * problem->entry_value[k];
    // impulses on a body alone act before it flies
    const bool alone = limpet_flight_alone(e->motion->flight, e->model->dof_tree[dof]);
    work += 0.5 * impulse *
            (alone ? e->motion->v_free[dof] + e->solution->contact.v[dof]
                   : e->data->v[dof] + e->end->v[dof]);
    add_moment(e, dof, impulse, c->moment);
  }
  if (!e->model->loop_has_impedance[row->target]) c->looped += work;
}

// What the loops of a cluster do to it.
static void look_at_loops(const limpet_ending *e, const int *root, cluster *c) {
  const limpet_contact_problem *problem = &e->solution->problem;
  const int own = root_of(root, c->first);
  for (int i = 0; i < problem->island_count; ++i) {
    const limpet_island *island = &problem->island[i];
    for (int k = island->row; k < island->row + island->row_count; ++k) {
      const limpet_constraint_row *row = &problem->row[k];
      if (!is_loop(row) || row->entry_count == 0) continue;
      const int dof = limpet_problem_global_dof(problem, island, problem->entry_dof[row->entry]);
      if (root_of(root, e->model->dof_tree[dof]) == own) look_at_row(e, island, k, c);
    }
  }
}

// Of a tree about a point.
static void add_inertia(const limpet_tree_momentum *of, const double about[3], double inertia[9]) {
  double r[3];
  limpet_vec3_sub(r, of->com, about);
  const double square = limpet_vec3_dot(r, r);
  for (int i = 0; i < 9; ++i)
    inertia[i] += of->inertia[i] + of->mass * ((i % 4 == 0 ? square : 0.0) - r[i / 3] * r[i % 3]);
}

// Adds up what the trees carry.
static void add_up(const limpet_ending *e, const int *next, cluster *c) {
  for (int t = c->first; t != LIMPET_NONE; t = next[t]) {
    const limpet_tree_account *a = &e->account[t];
    c->mass += a->now.mass;
    limpet_vec3_addmul(c->com, c->com, a->now.mass, a->now.com);
    limpet_vec3_add(c->linear, c->linear, a->now.linear);
    c->whole += a->now.energy + limpet_ending_armature(e, t, e->end);
  }
  c->within = c->whole;
  if (c->fixed || !(c->mass > 0.0)) return;
  limpet_vec3_scale(c->com, 1.0 / c->mass, c->com);
  for (int t = c->first; t != LIMPET_NONE; t = next[t]) {
    const limpet_tree_momentum *now = &e->account[t].now;
    double r[3], moment[3];
    limpet_vec3_sub(r, now->com, c->com);
    limpet_vec3_cross(moment, r, now->linear);
    limpet_vec3_add(c->angular, c->angular, now->angular);
    limpet_vec3_add(c->angular, c->angular, moment);
    add_inertia(now, c->com, c->inertia);
  }
  limpet_vec3_scale(c->velocity, 1.0 / c->mass, c->linear);
  const double moving = 0.5 * limpet_vec3_dot(c->linear, c->velocity);
  double own[3];
  limpet_vec3_sub(own, c->angular, c->moment);
  if (!limpet_cholesky(3, c->inertia, 3)) {
    limpet_vec3_copy(c->spin, c->angular);
    limpet_cholesky_solve(3, c->inertia, 3, c->spin);
    limpet_vec3_copy(c->turn, own);
    limpet_cholesky_solve(3, c->inertia, 3, c->turn);
  }
  c->within -= moving + 0.5 * limpet_vec3_dot(c->spin, c->angular);
  c->rigid = moving + 0.5 * limpet_vec3_dot(c->turn, own);
}

// Velocity of the first joint of a tree that moves with the rigid body, which turns with w.
static void rigid_velocity(const limpet_ending *e, int tree, const cluster *c, const double w[3],
                           double r[FREE_DOFS]) {
  const int body = e->model->tree_body[tree];
  double arm[3];
  limpet_vec3_sub(arm, e->end->body_position + 3 * body, c->com);
  limpet_vec3_cross(r, w, arm);
  limpet_vec3_add(r, r, c->velocity);
  limpet_mat3_tmul_vec(r + 3, e->end->body_rotation + 9 * body, w);
}

// v <- r' + s (v - r) of a tree; r' without the moment of loops.
static void slow_tree(limpet_ending *e, int tree, const cluster *c, double s) {
  const limpet_model *model = e->model;
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  double from[FREE_DOFS] = {0.0}, to[FREE_DOFS] = {0.0};
  if (limpet_tree_floats(model, tree) && !c->fixed) {
    rigid_velocity(e, tree, c, c->spin, from);
    rigid_velocity(e, tree, c, c->turn, to);
  }
  for (int d = dofs.first; d < dofs.end; ++d) {
    const int k = d - dofs.first;
    e->end->v[d] = k < FREE_DOFS ? to[k] + s * (e->end->v[d] - from[k]) : s * e->end->v[d];
  }
  e->motion->flight->branch[tree] |= LIMPET_FLIGHT_SLOWED;
}

// What the rounding of slow_tree took from a single tree that floats.
static void give_back(limpet_ending *e, int tree) {
  const limpet_tree_momentum *had = &e->account[tree].now;
  limpet_tree_momentum now;
  limpet_tree_momentum_look(e->model, e->end, tree, &now);
  limpet_tree_momentum_give(e->model, e->end, tree, had->linear, had->angular, &now);
}

// Inertia about the centre of mass of the trees where the step began, and that centre.
static void look_back(const limpet_ending *e, const int *next, const cluster *c, double com[3],
                      double inertia[9]) {
  limpet_vec3_set(com, 0.0, 0.0, 0.0);
  memset(inertia, 0, 9 * sizeof *inertia);
  for (int pass = 0; pass < 2; ++pass) {
    for (int t = c->first; t != LIMPET_NONE; t = next[t]) {
      limpet_tree_momentum start;
      limpet_tree_momentum_compute(e->model, e->data, t, &start);
      if (pass == 0) limpet_vec3_addmul(com, com, start.mass / c->mass, start.com);
      else add_inertia(&start, com, inertia);
    }
  }
}

// The first joint of a tree follows a rotation about the centre of mass, which moves from c0 to
// c1; w: angular velocity at the end, W.
static void carry_tree(limpet_ending *e, int tree, const cluster *c, const double c0[3],
                       const double turn[4], const double w[3]) {
  const limpet_model *model = e->model;
  const int body = model->tree_body[tree], first = model->tree_dof[tree];
  const int place = model->joint_q[model->dof_joint[first]];
  double *q = e->end->q + place, *v = e->end->v + first, arm[3], turned[3], R[9];
  limpet_vec3_sub(arm, e->data->body_position + 3 * body, c0);
  limpet_quaternion_rotate(turned, turn, arm);
  for (int k = 0; k < 3; ++k) q[k] += c->com[k] + turned[k] - e->data->body_position[3 * body + k];
  limpet_quaternion_mul(q + 3, turn, e->data->q + place + 3);
  limpet_quaternion_normalize(q + 3);
  limpet_quaternion_to_matrix(R, q + 3);
  limpet_vec3_cross(v, w, turned);
  limpet_vec3_add(v, v, c->velocity);
  limpet_mat3_tmul_vec(v + 3, R, w);
}

/* The trees fly on as one rigid body in the pose that they had to each other at the start, with
 * their momentum, to where their centre of mass is, by the closed form of a body alone: their
 * energy is what their momentum had in the pose at the start. */
static void fly_as_one(limpet_ending *e, const int *next, const cluster *c) {
  const limpet_model *model = e->model;
  double com[3], inertia[9], factor[9], turn[4], own[3], w[3], L[3];
  for (int t = c->first; t != LIMPET_NONE; t = next[t]) {
    const limpet_range dofs = limpet_tree_dofs(model, t);
    for (int d = dofs.first; d < dofs.end; ++d) e->mean[d] = e->end->v[d] = 0.0;
    limpet_ending_move(e, t, e->mean);
    e->motion->flight->branch[t] |= LIMPET_FLIGHT_STIFF;
  }
  if (!(c->mass > 0.0)) return;
  look_back(e, next, c, com, inertia);
  memcpy(factor, inertia, sizeof factor);
  if (limpet_cholesky(3, factor, 3)) return;
  limpet_vec3_sub(L, c->angular, c->moment);
  limpet_vec3_copy(own, L);
  limpet_cholesky_solve(3, factor, 3, own);

  // axes of the body: those of the world at the start
  const double dt = e->settings->time_step;
  limpet_flight_body_turn(inertia, dt, limpet_gyration_count(dt, own), own, turn);
  limpet_quaternion_rotate(w, turn, own);

  // trees that came apart have an angular momentum from nowhere, too
  const double turning = 0.5 * limpet_vec3_dot(L, w),
               rest = c->due - 0.5 * limpet_vec3_dot(c->linear, c->velocity);
  if (next[c->first] != LIMPET_NONE && turning > rest)
    limpet_vec3_scale(w, sqrt(limpet_max(0.0, rest) / turning), w);
  for (int t = c->first; t != LIMPET_NONE; t = next[t]) carry_tree(e, t, c, com, turn, w);
}

static void slow_down(limpet_ending *e, const int *next, cluster *c) {
  add_up(e, next, c);
  const bool single = !c->fixed && next[c->first] == LIMPET_NONE;
  const bool poses = c->due > c->rigid && wild_share * c->whole < c->due;
  if (poses || c->fixed) {
    const double s = sqrt(limpet_max(0.0, limpet_min(1.0, (c->due - c->rigid) / c->within)));
    for (int t = c->first; t != LIMPET_NONE; t = next[t]) slow_tree(e, t, c, s);
  } else {
    fly_as_one(e, next, c);
    limpet_tree_momentum now;
    if (single) limpet_ending_look(e, c->first, &now);
  }
  if (single) give_back(e, c->first);
}

// Opens the accounts of trees that a loop joins, where one of them is fast.
static bool open_accounts(limpet_ending *e, const int *next, const cluster *c) {
  bool fast = false;
  for (int t = c->first; t != LIMPET_NONE; t = next[t]) fast = fast || is_fast(e, t);
  for (int t = c->first; t != LIMPET_NONE && fast; t = next[t]) {
    if (!e->account[t].known || limpet_flight_alone(e->motion->flight, t)) {
      limpet_tree_momentum now;
      limpet_ending_look(e, t, &now);
      limpet_ending_account(e, t, &now);
    }
  }
  return fast;
}

// From 0 at x = 1 to 1 at x = 2, with two continuous derivatives.
static double rise_of(double x) {
  const double y = limpet_max(0.0, limpet_min(1.0, x - 1.0));
  return y * y * y * (10.0 - 15.0 * y + 6.0 * y * y);
}

static void note_excess(const limpet_ending *e, const int *next, const cluster *c, double gained) {
  double apart = 0.0;
  for (int t = c->first; t != LIMPET_NONE; t = next[t]) apart += energy_apart(e, t);
  for (int t = c->first; t != LIMPET_NONE && apart > 0.0; t = next[t])
    e->motion->flight->balance[t].excess = gained / apart;
}

/* Whether loops join bodies alone that flew as the rows of the loops expected: their impulses close
 * the loops at the end of the step, which is symplectic, and gains nothing that adds up. */
static bool flies_as_expected(const limpet_ending *e, const int *next, const cluster *c) {
  const limpet_flown *flown = e->motion->flight->flown;
  for (int t = c->first; t != LIMPET_NONE; t = next[t]) {
    if (!flown[t].known || e->solution->held[t] != LIMPET_FLIGHT_HELD_OUTSIDE) return false;
    if (!(limpet_flight_missed(e->data, t, e->settings->time_step, &flown[t],
                               e->solution->contact.v) < as_expected))
      return false;
  }
  return true;
}

static void bound(limpet_ending *e, const int *root, const int *next, cluster *c) {
  if (c->loops && (flies_as_expected(e, next, c) || !open_accounts(e, next, c))) return;
  if (!c->loops && limpet_flight_alone(e->motion->flight, c->first)) return;
  double far = 0.0;
  for (int t = c->first; t != LIMPET_NONE; t = next[t]) {
    const limpet_tree_account *a = &e->account[t];
    if (!a->known) return;
    c->kinetic += a->kinetic, c->gained += a->gained, c->taken += a->taken, c->due += a->due;
    limpet_flight_balance *balance = &e->motion->flight->balance[t];
    far = limpet_max(far, farthest(e, t, e->end->v));
    if (balance->braked) c->farthest = limpet_max(c->farthest, balance->turned);
    else balance->turned = farthest(e, t, e->end->v);
    const double turn = limpet_max(farthest(e, t, e->data->v), farthest(e, t, e->end->v));
    c->farthest = limpet_max(c->farthest, a->cancelling * turn);
  }
  if (c->loops) look_at_loops(e, root, c);
  const double whipped = rise_of(c->farthest / whip_way);
  const double counted =
      far > LIMPET_FLIGHT_FAR_TURN ? c->taken : whipped * limpet_max(0.0, c->looped);
  for (int t = c->first; t != LIMPET_NONE && c->loops && far > LIMPET_FLIGHT_FAR_TURN; t = next[t])
    e->motion->flight->branch[t] |= LIMPET_FLIGHT_BLIND;
  if (c->loops) c->gained += counted;
  c->due += c->loops ? c->taken - counted : c->taken;
  const double limit =
      c->loops ? limpet_min(loop_gain_limit, loop_gain_by_way * c->farthest) : gain_limit;
  const double taken_back = rise_of(c->gained / (limit * c->kinetic)) *
                            rise_of(c->farthest / (c->loops ? fast_loop_way : fast_way));
  if (!(taken_back > 0.0)) return;
  c->due += (1.0 - taken_back) * c->gained;
  note_excess(e, next, c, taken_back * c->gained);
  slow_down(e, next, c);
}

// Whether there may be anything to take back.
static bool any_fast(const limpet_ending *e) {
  const limpet_model *model = e->model;
  for (int t = 0; t < model->tree_count; ++t) {
    const limpet_tree_account *account = &e->account[t];
    if (!account->moves) continue;
    if (model->loop_count == 0 && (!account->known || limpet_flight_alone(e->motion->flight, t) ||
                                   !(account->gained > gain_limit * account->kinetic)))
      continue;
    if (is_fast(e, t)) return true;
  }
  return false;
}

limpet_status limpet_ending_bound(limpet_ending *e, limpet_arena *arena) {
  const limpet_model *model = e->model;
  if (!any_fast(e)) return LIMPET_OK;
  const int count = model->tree_count;
  int *root = LIMPET_TAKE(arena, int, 3 * count), *next = root + count, *head = next + count;
  bool *fixed = LIMPET_TAKE(arena, bool, 2 * count), *loops = fixed + count;
  if (!root || !fixed) return LIMPET_ERROR_MEMORY;
  for (int t = 0; t < count; ++t) {
    root[t] = t, head[t] = LIMPET_NONE, loops[t] = false;
    fixed[t] = !limpet_tree_floats(model, t) || !e->account[t].moves;
  }
  join_loops(model, root, fixed, loops);
  for (int t = count - 1; t >= 0; --t) {
    if (!e->account[t].moves) continue;
    const int one = root_of(root, t);
    next[t] = head[one], head[one] = t;
  }
  for (int t = 0; t < count; ++t) {
    if (head[t] == LIMPET_NONE) continue;
    cluster c = {.first = head[t], .fixed = fixed[t], .loops = loops[t]};
    bound(e, root, next, &c);
  }
  return LIMPET_OK;
}
