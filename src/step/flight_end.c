/* step/flight_end.c: where a step ends: positions, and the momentum of what floats.
 *
 *   held     impulses from outside:      q1 = q0 (+) dt v1, as the contact problem supposed
 *   inside   impulses within the tree:   its joints move by dt v1, for limits and servos look ahead
 *                                        with v1; its first joint by u and what the impulses change
 *   free     no impulse:                 q1 = q0 (+) dt u, from flight_motion.c
 * Trees that float then get the momentum that they must have, of their impulses too, by a twist of
 * the whole tree (flight_balance.c). Those that are not held are before that shifted as a whole to
 * where their centre of mass must be, and their joints slow down where they gain more than 1 % of
 * energy from nowhere. Cost: kinematics of the tree, 60 flops a body. */
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/extremes.h"
#include "math/vec3.h"
#include "model/integrate.h"
#include "step/flight.h"

enum { FREE_DOFS = 6 };

typedef enum flight_state { FLIGHT_FREE = 0, FLIGHT_INSIDE = 1, FLIGHT_HELD = 2 } flight_state;

// [-]  of the kinetic energy: what a tree may gain from nowhere in a step
static const double gain_limit = 0.01;
static const double far_turn = 0.3;  // [rad, m]  of a joint in a step
// Impulses on the first joint below this share of the largest one are round-off of those inside.
static const double round_off = 1e-12;

typedef struct ending {
  const limpet_model *model;
  const limpet_data *data;
  const limpet_step_settings *settings;
  const limpet_free_motion *motion;
  const double *impulse;  // (nv)
  limpet_data end;        // the world at the end of the step: its q and v are what is asked for
  double *mean;           // (nv)
  double error;           // worst of the trees
} ending;

static flight_state state_of(const ending *e, int tree) {
  const int first = e->model->tree_dof[tree];
  double base = 0.0, most = 0.0;
  for (int k = 0; k < e->model->tree_dof_count[tree]; ++k) {
    most = limpet_max(most, fabs(e->impulse[first + k]));
    if (k < FREE_DOFS) base = most;
  }
  if (most == 0.0) return FLIGHT_FREE;
  return e->motion->flight->balance[tree].kept && base <= round_off * most ? FLIGHT_INSIDE
                                                                           : FLIGHT_HELD;
}

/* [J]  Energy that came from nowhere, and the kinetic energy:
 *   T1 - T0 - m g . (c1 - c0) - (v0 + v1)/2 . (dt f - (A - M) v1 + impulse) */
static double energy_gained(const ending *e, int tree, const limpet_tree_momentum *now,
                            double *kinetic_energy) {
  const limpet_model *model = e->model;
  const limpet_tree_momentum *start = &e->motion->flight->balance[tree].start;
  const int first = model->tree_dof[tree], n = model->tree_dof_count[tree];
  const double *implicit = e->motion->flight->balance[tree].implicit
                               ? e->motion->flight->implicit + model->tree_mass[tree]
                               : NULL;
  const double dt = e->settings->time_step;
  const double *v0 = e->data->v, *v1 = e->end.v;
  double change = now->energy - start->energy, kinetic = limpet_max(now->energy, start->energy),
         shift[3];
  for (int k = 0; k < n; ++k) {
    const int d = first + k;
    const double mean = 0.5 * (v0[d] + v1[d]), armature = 0.5 * model->dof_armature[d];
    double taken = 0.0;
    if (implicit)
      taken = e->motion->flight->implicit_diagonal ? implicit[k * n + k] * v1[d]
                                                   : limpet_dot(n, implicit + k * n, v1 + first);
    change += armature * (v1[d] * v1[d] - v0[d] * v0[d]);
    change -= mean * (dt * e->motion->flight->force[d] - taken + e->impulse[d]);
    kinetic += armature * limpet_max(v1[d] * v1[d], v0[d] * v0[d]);
  }
  limpet_vec3_sub(shift, now->com, start->com);
  if (!(model->options.disabled & LIMPET_DISABLE_GRAVITY))
    change -= start->mass * limpet_vec3_dot(model->options.gravity, shift);
  *kinetic_energy = kinetic;
  return change;
}

static double energy_error(const ending *e, int tree, const limpet_tree_momentum *now) {
  double kinetic;
  const double change = energy_gained(e, tree, now, &kinetic);
  return kinetic > 0.0 ? fabs(change) / kinetic : 0.0;
}

// [J]  of the motion within a tree: kinetic energy less that of the tree as one rigid body.
static double energy_within(const ending *e, int tree, const limpet_tree_momentum *now) {
  const limpet_model *model = e->model;
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  double factor[9], spin[3], sum = now->energy;
  limpet_mat3_copy(factor, now->inertia);
  limpet_vec3_copy(spin, now->angular);
  if (limpet_cholesky(3, factor, 3)) return 0.0;
  limpet_cholesky_solve(3, factor, 3, spin);
  sum -= 0.5 * limpet_vec3_dot(spin, now->angular);
  sum -= 0.5 * limpet_vec3_dot(now->linear, now->linear) / now->mass;
  for (int d = dofs.first; d < dofs.end; ++d)
    sum += 0.5 * model->dof_armature[d] * e->end.v[d] * e->end.v[d];
  return sum;
}

// What the tree carries at the end of the step, of the velocities that were solved for.
static void look_at_end(ending *e, int tree, limpet_tree_momentum *now) {
  limpet_tree_kinematics(e->model, &e->end, tree);
  limpet_tree_body_velocities(e->model, &e->end, tree);
  limpet_tree_momentum_compute(e->model, &e->end, tree, now);
}

/* Gives a tree that is held the momentum of its impulses where it is. They are A (v' - v*), v' what
 * was solved for: contact forces have the rest that the solver left, and v' = 0 would not be
 * rest. */
static void keep_impulses(ending *e, int tree) {
  const limpet_flight_balance *balance = &e->motion->flight->balance[tree];
  const int n = e->model->tree_dof_count[tree], first = e->model->tree_dof[tree];
  const double *A = e->motion->A + e->model->tree_mass[tree];
  limpet_tree_momentum now;
  double P[FREE_DOFS], linear[3], angular[3];
  if (!(balance->start.mass > 0.0)) return;
  for (int i = 0; i < FREE_DOFS; ++i)
    P[i] = limpet_dot(n, A + i * n, e->end.v + first) - e->motion->momentum[first + i];
  look_at_end(e, tree, &now);
  limpet_flight_balance_end(e->model, e->data, tree, balance, e->settings->time_step, P, linear,
                            angular);
  limpet_tree_momentum_give(e->model, &e->end, tree, linear, angular, &now);
}

// Positions from the mean velocities of the joints of a tree.
static void move_tree(ending *e, int tree, const double *mean) {
  const limpet_model *model = e->model;
  const int first = model->tree_dof[tree], last = first + model->tree_dof_count[tree] - 1;
  limpet_integrate_joints(model, model->dof_joint[first], model->dof_joint[last] + 1, e->end.q,
                          e->data->q, mean, e->settings->time_step,
                          e->settings->compatibility.first_order_rotation);
}

// Shifts the tree to where its centre of mass must be, and gives it its momentum.
static void settle(ending *e, int tree, limpet_tree_momentum *now) {
  const limpet_model *model = e->model;
  limpet_data *end = &e->end;
  const limpet_flight_balance *balance = &e->motion->flight->balance[tree];
  const double dt = e->settings->time_step;
  look_at_end(e, tree, now);
  double *position = end->q + model->joint_q[model->dof_joint[model->tree_dof[tree]]];
  double *origin = end->body_position + 3 * model->tree_body[tree];
  double com[3];
  limpet_flight_balance_com(balance, dt, com);
  for (int k = 0; k < 3; ++k) {
    const double shift = com[k] - now->com[k];
    position[k] += shift;
    origin[k] += shift;
  }
  limpet_vec3_copy(now->com, com);
  double linear[3], angular[3];
  limpet_flight_balance_at(balance, dt, linear, angular);
  limpet_tree_momentum_give(model, end, tree, linear, angular, now);
}

/* Slows the joints of a tree down by what it gained from nowhere: all alike, which keeps its loops'
 * and couplers' velocities, and then gives it its momentum again. Where there is less within it
 * than that, its pose is out of reach of its energy: it flies on as one rigid body, in the pose
 * that its joints had at the start. */
static void slow_down(ending *e, int tree, double gained, limpet_tree_momentum *now) {
  const limpet_model *model = e->model;
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  const double within = energy_within(e, tree, now);
  e->motion->flight->branch[tree] |= within > gained ? LIMPET_FLIGHT_SLOWED : LIMPET_FLIGHT_STIFF;
  if (!(within > gained)) {
    for (int d = dofs.first; d < dofs.end; ++d)
      e->mean[d] = d < dofs.first + FREE_DOFS ? e->end.v[d] : (e->end.v[d] = 0.0);
    move_tree(e, tree, e->mean);
    settle(e, tree, now);
    return;
  }
  const double share = sqrt(1.0 - gained / within);
  double linear[3], angular[3], com[3];
  limpet_vec3_copy(com, now->com);
  limpet_vec3_copy(linear, now->linear);
  limpet_vec3_copy(angular, now->angular);
  for (int d = dofs.first + FREE_DOFS; d < dofs.end; ++d) e->end.v[d] *= share;
  limpet_tree_body_velocities(model, &e->end, tree);
  limpet_tree_momentum_compute(model, &e->end, tree, now);
  limpet_vec3_copy(now->com, com);  // the shift of the tree is known to its first body alone
  limpet_tree_momentum_give(model, &e->end, tree, linear, angular, now);
}

/* [J]  Work that impulses do on a tree with a loop whose joints turn far in the step: the loop does
 * not know where they lead, and its work is energy from nowhere, too. */
static double blind_work(const ending *e, int tree) {
  const limpet_range dofs = limpet_tree_dofs(e->model, tree);
  double work = 0.0, most = 0.0;
  if (!limpet_flight_closes_loop(e->model, tree)) return 0.0;
  for (int d = dofs.first; d < dofs.end; ++d) {
    work += 0.5 * (e->data->v[d] + e->end.v[d]) * e->impulse[d];
    if (d >= dofs.first + FREE_DOFS) most = limpet_max(most, fabs(e->end.v[d]));
  }
  if (!(e->settings->time_step * most > far_turn && work > 0.0)) return 0.0;
  e->motion->flight->branch[tree] |= LIMPET_FLIGHT_BLIND;
  return work;
}

static void keep_momentum(ending *e, int tree) {
  limpet_tree_momentum now;
  if (!(e->motion->flight->balance[tree].start.mass > 0.0)) return;
  settle(e, tree, &now);
  double kinetic;
  double gained = energy_gained(e, tree, &now, &kinetic);
  if (kinetic > 0.0) e->error = limpet_max(e->error, fabs(gained) / kinetic);
  gained += blind_work(e, tree);
  if (gained > gain_limit * kinetic) slow_down(e, tree, gained, &now);
}

static void end_alone(ending *e, int tree) {
  limpet_tree_momentum now;
  limpet_flight_body_free(e->model, e->data, tree, e->settings->time_step, e->motion, e->end.v,
                          e->end.q, &now);
  e->error = limpet_max(e->error, energy_error(e, tree, &now));
}

static void move_inside(ending *e, int tree) {
  const int first = e->model->tree_dof[tree], end = first + e->model->tree_dof_count[tree];
  const double *v1 = e->end.v, *u = e->motion->flight->mean, *v_free = e->motion->v_free;
  for (int d = first; d < end; ++d)
    e->mean[d] = d < first + FREE_DOFS ? u[d] + v1[d] - v_free[d] : v1[d];
  move_tree(e, tree, e->mean);
}

static void move_free(ending *e, int tree) {
  const limpet_model *model = e->model;
  const int first = model->tree_dof[tree], next = first + model->tree_dof_count[tree];
  const int q = model->joint_q[model->dof_joint[first]];
  const int q_end = next < model->nv ? model->joint_q[model->dof_joint[next]] : model->nq;
  memcpy(e->end.q + q, e->motion->flight->q + q, (size_t)(q_end - q) * sizeof *e->end.q);
}

static void end_held(ending *e, int tree, bool alone) {
  const limpet_flight_balance *balance = &e->motion->flight->balance[tree];
  if (alone && balance->start.mass > 0.0) {
    limpet_flight_body_held(e->model, e->data, tree, e->settings->time_step, e->motion, e->end.v,
                            e->end.q);
    return;
  }
  move_tree(e, tree, e->end.v);
  if (balance->kept) keep_impulses(e, tree);
}

static void end_tree(ending *e, int tree, double *held) {
  int *branch = &e->motion->flight->branch[tree];
  *branch -= *branch % LIMPET_FLIGHT_RULES;  // of an attempt before
  const flight_state state = state_of(e, tree);
  *held = (double)state;
  const bool alone = limpet_flight_alone(e->model, e->motion->flight, tree);
  switch (state) {
    case FLIGHT_FREE:
      if (alone) {
        end_alone(e, tree);
        return;
      }
      if (e->motion->flight->balance[tree].share == 0.0) move_tree(e, tree, e->end.v);
      else move_free(e, tree);
      break;
    case FLIGHT_INSIDE: move_inside(e, tree); break;
    case FLIGHT_HELD: end_held(e, tree, alone); return;
  }
  if (e->motion->flight->balance[tree].kept) keep_momentum(e, tree);
}

limpet_status limpet_flight_end(const limpet_data *data, const limpet_step_settings *settings,
                                limpet_arena *arena, const limpet_free_motion *motion,
                                limpet_step_solution *solution, limpet_step_info *info) {
  const limpet_model *model = data->model;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  ending e = {.model = model,
              .data = data,
              .settings = settings,
              .motion = motion,
              .impulse = solution->contact.impulse,
              .end = motion->flight->other,
              .mean = LIMPET_TAKE(arena, double, model->nv)};
  if (!e.mean) return LIMPET_ERROR_MEMORY;
  e.end.q = solution->q, e.end.v = solution->v;
  for (int i = 0; i < motion->trees.count; ++i) {
    const int t = limpet_trees_at(motion->trees, i);
    if (!solution->contact.held[t]) end_tree(&e, t, &solution->held[t]);
  }
  info->flight_error = e.error;
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}
