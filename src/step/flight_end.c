/* step/flight_end.c: where a step ends: positions, and the momentum of what floats.
 *
 *   held     impulses from outside:      q1 = q0 (+) dt v1, as the contact problem supposed, but
 *                                        that the centre of mass goes straight: flight_centre.c,
 *                                        of a body alone flight_body.c
 *   inside   impulses within the tree:   its joints move by dt v1, for limits and servos look ahead
 *                                        with v1; its first joint by what gives the tree in the
 *                                        middle of the step the momentum that it has then, in the
 *                                        pose of u, or, where loops hold it, in that of the joints
 *   free     no impulse:                 q1 = q0 (+) dt u, from flight_part.c
 * Trees that float then get the momentum that they must have, of their impulses too, by a twist of
 * the whole tree (flight_balance.c). Those that are not held are before that shifted as a whole to
 * where their centre of mass must be, and their joints slow down where they gain more than 1 % of
 * energy from nowhere. Cost: kinematics of the tree, 60 flops a body. */
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/extremes.h"
#include "math/nonzero.h"
#include "math/vec3.h"
#include "model/integrate.h"
#include "step/flight_ending.h"

enum { FREE_DOFS = 6 };

typedef enum flight_state { FLIGHT_FREE = 0, FLIGHT_INSIDE = 1, FLIGHT_HELD = 2 } flight_state;

// Impulses on the first joint below this share of the largest one are round-off of those inside.
static const double round_off = 1e-12;
// [rad]  error of a mean velocity, times the step, above which it is renewed, and until which it is
static const double missed_turn = 1e-6, renewed_turn = 1e-12;
enum { RENEWAL_LIMIT = 12 };

bool limpet_flight_is_bounded(const limpet_flight *flight, int tree) {
  return flight->branch[tree] & (LIMPET_FLIGHT_SLOWED | LIMPET_FLIGHT_STIFF | LIMPET_FLIGHT_BRAKED);
}

int limpet_flight_parts(const limpet_flight *flight, int tree) {
  const int parts = flight->branch[tree] / LIMPET_FLIGHT_RULES;
  return parts > 1 ? parts : 1;
}

static flight_state state_of(const limpet_ending *e, int tree) {
  const double *impulse = e->solution->contact.impulse + e->model->tree_dof[tree];
  const int n = e->model->tree_dof_count[tree];
  if (!limpet_any_nonzero(impulse, n)) return FLIGHT_FREE;
  double base = 0.0, most = 0.0;
  for (int k = 0; k < n; ++k) {
    most = limpet_max(most, fabs(impulse[k]));
    if (k < FREE_DOFS) base = most;
  }
  if (most == 0.0) return FLIGHT_FREE;
  return e->motion->flight->balance[tree].kept && base <= round_off * most ? FLIGHT_INSIDE
                                                                           : FLIGHT_HELD;
}

// Poses the tree about the origin of its first joint. now: what it carries there.
static void pose_apart(limpet_ending *e, int tree, limpet_tree_momentum *now) {
  limpet_tree_kinematics_apart(e->model, e->end, tree);
  limpet_tree_momentum_look(e->model, e->end, tree, now);
}

/* Looks at a tree that is held where its centre of mass has gone straight: by the difference of its
 * arms, which has no round-off where nothing moves. */
static void lead_straight(limpet_ending *e, int tree, limpet_tree_momentum *now) {
  const limpet_model *model = e->model;
  const limpet_flight *flight = e->motion->flight;
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  const double *x0 = e->data->body_position + 3 * model->tree_body[tree], *v = e->end->v;
  double *position = e->end->q + limpet_tree_positions(model, tree).first, beside[3] = {0.0},
         arm[3];
  for (int d = dofs.first + 3; d < dofs.end; ++d)
    limpet_vec3_addmul(beside, beside, v[d], flight->centre + 3 * d);
  pose_apart(e, tree, now);
  limpet_vec3_sub(arm, flight->balance[tree].start.com, x0);
  limpet_vec3_sub(arm, arm, now->com);
  limpet_vec3_addmul(arm, arm, e->settings->time_step, beside);
  limpet_vec3_add(position, position, arm);
  limpet_vec3_add(now->com, now->com, position);
  limpet_tree_shift(model, e->end, tree);
  limpet_ending_posed(e, tree);
}

/* Gives a tree that is held the momentum of its impulses where it is. They are A (v' - v*), v' what
 * was solved for: contact forces have the rest that the solver left, and v' = 0 would not be
 * rest. */
static void keep_impulses(limpet_ending *e, int tree) {
  const limpet_flight_balance *balance = &e->motion->flight->balance[tree];
  const int n = e->model->tree_dof_count[tree], first = e->model->tree_dof[tree];
  const double *A = e->motion->A + e->model->tree_mass[tree];
  limpet_tree_momentum now;
  double P[FREE_DOFS], linear[3], angular[3];
  if (!(balance->start.mass > 0.0)) return;
  for (int i = 0; i < FREE_DOFS; ++i)
    P[i] = limpet_dot(n, A + i * n, e->end->v + first) - e->motion->momentum[first + i];
  if (e->motion->flight->centred[tree]) lead_straight(e, tree, &now);
  else limpet_ending_look(e, tree, &now);
  limpet_flight_balance_end(e->data, tree, balance, e->settings->time_step, P, linear, angular);
  limpet_tree_momentum_give(e->model, e->end, tree, linear, angular, &now);
  if (limpet_ending_cancels(e, tree, now.energy)) limpet_ending_account(e, tree, &now);
}

// Poses the tree where its centre of mass must be, and gives it its momentum.
static void settle(limpet_ending *e, int tree, limpet_tree_momentum *now) {
  const limpet_model *model = e->model;
  limpet_data *end = e->end;
  const limpet_flight_balance *balance = &e->motion->flight->balance[tree];
  const double dt = e->settings->time_step;
  pose_apart(e, tree, now);
  double *position = end->q + limpet_tree_positions(model, tree).first, com[3];
  limpet_flight_balance_com(balance, dt, com);
  limpet_vec3_sub(position, com, now->com);
  limpet_tree_shift(model, end, tree);
  limpet_ending_posed(e, tree);
  limpet_vec3_copy(now->com, com);
  double linear[3], angular[3];
  limpet_flight_balance_at(balance, dt, linear, angular);
  limpet_tree_momentum_give(model, end, tree, linear, angular, now);
}

static void note_error(limpet_ending *e, int tree, const limpet_tree_account *account) {
  if (account->kinetic > 0.0)
    e->motion->flight->balance[tree].error = fabs(account->gained) / account->kinetic;
}

static void keep_momentum(limpet_ending *e, int tree) {
  limpet_tree_momentum now;
  if (!(e->motion->flight->balance[tree].start.mass > 0.0)) return;
  settle(e, tree, &now);
  const limpet_tree_account *account = limpet_ending_account(e, tree, &now);
  note_error(e, tree, account);
}

static void end_alone(limpet_ending *e, int tree) {
  limpet_tree_momentum now;
  limpet_flight_body_free(e->data, tree, e->settings->time_step, e->motion, e->end, &now);
  const limpet_tree_account *account = limpet_ending_account(e, tree, &now);
  note_error(e, tree, account);
}

// Positions from the mean velocities of the joints of a tree for a time h [s].
static void move_part(limpet_ending *e, int tree, const double *mean, double h) {
  const limpet_range joints = limpet_tree_joints(e->model, tree);
  limpet_integrate_joints(e->model, joints.first, joints.end, e->end->q, e->data->q, mean, h,
                          e->settings->compatibility.first_order_rotation);
}

/* Mean velocity of the first joint of a tree that floats: what gives it, in the pose of the middle
 * of the step, the momentum that it has then, where its joints move by their v1. Into e->mean. */
static void find_mean(limpet_ending *e, int tree) {
  const limpet_model *model = e->model;
  limpet_flight_balance *balance = &e->motion->flight->balance[tree];
  const double dt = e->settings->time_step;
  double *v = e->end->v + model->tree_dof[tree], *mean = e->mean + model->tree_dof[tree];
  double v1[FREE_DOFS], linear[3], angular[3], last = 0.0;
  double allowed =
      limpet_flight_allowed(e->data, tree, LIMPET_FLIGHT_ENDING, missed_turn, renewed_turn);
  memcpy(v1, v, sizeof v1);
  memcpy(v, mean, sizeof v1);
  limpet_flight_balance_at(balance, 0.5 * dt, linear, angular);
  for (int k = 0; k < RENEWAL_LIMIT; ++k) {
    limpet_tree_momentum now;
    move_part(e, tree, e->mean, 0.5 * dt);
    limpet_tree_kinematics(model, e->end, tree);
    limpet_tree_momentum_look(model, e->end, tree, &now);
    limpet_tree_momentum_give(model, e->end, tree, linear, angular, &now);
    double missed = 0.0;
    for (int i = 3; i < FREE_DOFS; ++i) missed = limpet_max(missed, fabs(v[i] - mean[i]));
    memcpy(mean, v, sizeof v1);
    balance->turns = k + 1;
    limpet_flight_renewed(e->data, tree, LIMPET_FLIGHT_ENDING, k > 0);
    if (dt * limpet_flight_left(missed, last) <= allowed) break;
    allowed = renewed_turn;
    last = missed;
  }
  memcpy(e->motion->flight->end + model->tree_dof[tree], mean, sizeof v1);
  memcpy(v, v1, sizeof v1);
}

/* Mean velocity of the first joint of a tree that floats, which impulses within the tree move: what
 * gives it the momentum of the middle of the step in the pose that u led to, where its joints move
 * by their v1. Into e->mean. */
static void follow_joints(limpet_ending *e, int tree) {
  const int first = e->model->tree_dof[tree], n = e->model->tree_dof_count[tree];
  const double *M = e->data->mass_matrix + e->model->tree_mass[tree];
  const double *u = e->motion->flight->mean + first;
  double factor[FREE_DOFS * FREE_DOFS], missing[FREE_DOFS] = {0.0};
  for (int i = 0; i < FREE_DOFS; ++i) {
    for (int k = FREE_DOFS; k < n; ++k) missing[i] += M[i * n + k] * (u[k] - e->mean[first + k]);
    for (int k = 0; k < FREE_DOFS; ++k) factor[FREE_DOFS * i + k] = M[i * n + k];
  }
  if (limpet_cholesky(FREE_DOFS, factor, FREE_DOFS)) memset(missing, 0, sizeof missing);
  else limpet_cholesky_solve(FREE_DOFS, factor, FREE_DOFS, missing);
  for (int i = 0; i < FREE_DOFS; ++i)
    e->motion->flight->end[first + i] = e->mean[first + i] = u[i] + missing[i];
  e->motion->flight->balance[tree].follows = true;
}

static void move_inside(limpet_ending *e, int tree) {
  const int first = e->model->tree_dof[tree], end = first + e->model->tree_dof_count[tree];
  const double *v1 = e->end->v, *u = e->motion->flight->mean, *v_free = e->motion->v_free;
  for (int d = first; d < end; ++d)
    e->mean[d] = d < first + FREE_DOFS ? u[d] + v1[d] - v_free[d] : v1[d];
  const bool has_mass = e->motion->flight->balance[tree].start.mass > 0.0;
  if (has_mass && limpet_flight_closes_loop(e->model, tree)) find_mean(e, tree);
  else if (has_mass) follow_joints(e, tree);
  limpet_ending_move(e, tree, e->mean);
}

static void move_free(limpet_ending *e, int tree) {
  const limpet_range q = limpet_tree_positions(e->model, tree);
  memcpy(e->end->q + q.first, e->motion->flight->q + q.first,
         (size_t)(q.end - q.first) * sizeof *e->end->q);
}

// [J]  Kinetic energy that the problem sees in what was solved for.
static double solved_energy(const limpet_ending *e, int tree) {
  const int n = e->model->tree_dof_count[tree];
  const double *A = e->motion->A + e->model->tree_mass[tree],
               *v = e->solution->contact.v + e->model->tree_dof[tree];
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += 0.5 * v[i] * limpet_dot(n, A + i * n, v);
  return sum;
}

// Trees that the world holds by a joint.
static void look_at_fast(limpet_ending *e, int tree) {
  limpet_tree_momentum now;
  if (!e->motion->flight->balance[tree].looks) return;
  if (!limpet_ending_cancels(e, tree, solved_energy(e, tree))) return;
  limpet_ending_look(e, tree, &now);
  limpet_ending_account(e, tree, &now);
}

static void end_held(limpet_ending *e, int tree) {
  const limpet_flight_balance *balance = &e->motion->flight->balance[tree];
  if (e->motion->flight->centred[tree] && limpet_flight_alone(e->motion->flight, tree)) {
    limpet_flight_body_held(e->data, tree, e->settings->time_step, e->motion, e->end);
    return;
  }
  limpet_ending_move(e, tree, e->end->v);
  if (balance->kept) keep_impulses(e, tree);
  else look_at_fast(e, tree);
}

static void end_tree(limpet_ending *e, int tree, double *held) {
  int *branch = &e->motion->flight->branch[tree];
  *branch -= *branch % LIMPET_FLIGHT_RULES;  // of an attempt before
  if (e->motion->flight->balance[tree].braked) *branch |= LIMPET_FLIGHT_BRAKED;
  const flight_state state = state_of(e, tree);
  *held = e->motion->flight->balance[tree].held = (double)state;
  e->motion->flight->balance[tree].turns = 0;
  e->motion->flight->balance[tree].error = 0.0;
  e->motion->flight->balance[tree].excess = 0.0;
  e->motion->flight->balance[tree].follows = false;
  const bool alone = limpet_flight_alone(e->motion->flight, tree);
  switch (state) {
    case FLIGHT_FREE:
      if (alone) {
        end_alone(e, tree);
        return;
      }
      if (e->motion->flight->balance[tree].share == 0.0) limpet_ending_move(e, tree, e->end->v);
      else move_free(e, tree);
      break;
    case FLIGHT_INSIDE: move_inside(e, tree); break;
    case FLIGHT_HELD: end_held(e, tree); return;
  }
  if (e->motion->flight->balance[tree].kept) keep_momentum(e, tree);
  else look_at_fast(e, tree);
}

static void keep_middle(limpet_flight *flight) {
  if (!flight->has_spare || flight->has_middle) return;
  flight->middle = flight->other;
  flight->other = flight->spare;
  flight->has_middle = true;
}

// A tree that no attempt has moved since the one that is kept ends as it did there.
static void end_as_kept(const limpet_ending *e, int tree, limpet_step_solution *solution) {
  const limpet_step_solution *kept = solution->kept;
  const limpet_range dofs = limpet_tree_dofs(e->model, tree),
                     positions = limpet_tree_positions(e->model, tree);
  memcpy(solution->v + dofs.first, kept->v + dofs.first,
         (size_t)(dofs.end - dofs.first) * sizeof *solution->v);
  memcpy(solution->q + positions.first, kept->q + positions.first,
         (size_t)(positions.end - positions.first) * sizeof *solution->q);
  solution->held[tree] = kept->held[tree];
}

limpet_status limpet_flight_end(const limpet_data *data, const limpet_step_settings *settings,
                                limpet_arena *arena, const limpet_free_motion *motion,
                                limpet_step_solution *solution, limpet_step_info *info) {
  const limpet_model *model = data->model;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  keep_middle(motion->flight);
  limpet_ending e = {.model = model,
                     .data = data,
                     .settings = settings,
                     .motion = motion,
                     .solution = solution,
                     .end = &motion->flight->other,
                     .mean = LIMPET_TAKE(arena, double, model->nv),
                     .account = LIMPET_TAKE(arena, limpet_tree_account, model->tree_count)};
  if (!e.mean || !e.account) return LIMPET_ERROR_MEMORY;
  e.end->q = solution->q, e.end->v = solution->v;
  for (int t = 0; t < model->tree_count; ++t) {
    e.account[t].moves = e.account[t].known = false;
    e.account[t].cancelling = 1.0;
  }
  for (int i = 0; i < motion->trees.count; ++i) {
    const int t = limpet_trees_at(motion->trees, i);
    if (solution->kept && !solution->moved[t]) {
      end_as_kept(&e, t, solution);
      continue;
    }
    e.account[t].moves = !solution->contact.held[t];
    if (e.account[t].moves) end_tree(&e, t, &solution->held[t]);
  }
  if (limpet_ending_bound(&e, arena) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
  info->flight_error = 0.0;
  for (int i = 0; i < motion->trees.count; ++i)
    info->flight_error = limpet_max(
        info->flight_error, motion->flight->balance[limpet_trees_at(motion->trees, i)].error);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}
