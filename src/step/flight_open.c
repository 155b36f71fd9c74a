/* step/flight_open.c: what a step of flight takes before trees move: its arrays, how much of flight
 * each tree has, what is implicit, A - M = dt D + dt^2 K (free_motion.h), and the worlds in which
 * trees are looked at elsewhere. */
#include <string.h>

#include "dynamics/medium.h"
#include "math/nonzero.h"
#include "math/vec3.h"
#include "model/workspace.h"
#include "step/flight.h"

static const double fast_turn = 0.003;  // [rad]  of a joint in a step: a plain tree may gain energy

static limpet_status take_flight(const limpet_model *model, const limpet_data *data, double dt,
                                 limpet_arena *arena, limpet_free_motion *motion) {
  limpet_flight *flight = motion->flight = LIMPET_TAKE(arena, limpet_flight, 1);
  if (!flight) return LIMPET_ERROR_MEMORY;
  const int nq = model->nq, nv = model->nv, trees = model->tree_count;
  double *numbers = LIMPET_TAKE(arena, double, 2 * nq + 6 * nv + 3 * trees);
  // rules, and below them two marks of each tree
  int *rules = LIMPET_TAKE(arena, int, 2 * trees);
  bool *none = (bool *)(rules + trees);
  flight->balance = LIMPET_TAKE(arena, limpet_flight_balance, trees);
  flight->branch = rules;
  if (!numbers || !rules || !flight->balance) return LIMPET_ERROR_MEMORY;
  flight->q = numbers, flight->posed_q = numbers + nq, numbers += 2 * nq;
  flight->mean = numbers, flight->end = numbers + nv, flight->centre = numbers + 2 * nv;
  flight->bend = numbers + 5 * nv;
  flight->brake = flight->bend + 3 * trees;
  memset(flight->brake, 0, (size_t)nv * sizeof *flight->brake);
  flight->posed = none, flight->centred = none + trees;
  bool any_fixed = false;
  for (int t = 0; t < trees; ++t) {
    flight->balance[t].share = 1.0;
    flight->balance[t].braked = false;
    flight->balance[t].excess = flight->balance[t].turned = 0.0;
    any_fixed = any_fixed || !limpet_tree_floats(model, t);
    limpet_vec3_zero(flight->bend + 3 * t);
    flight->branch[t] = 0;
    flight->posed[t] = flight->centred[t] = false;
  }
  flight->force = motion->force;
  flight->has_spare = flight->has_middle = false;
  if (any_fixed && limpet_flight_find_shares(model, data, dt, arena, flight->balance) != LIMPET_OK)
    return LIMPET_ERROR_MEMORY;
  for (int t = 0; t < trees; ++t)
    flight->balance[t].looks =
        flight->balance[t].share > 0.0 ||
        !limpet_flight_is_slow(data->v, limpet_tree_dofs(model, t), fast_turn / dt);
  return LIMPET_OK;
}

// Whether something may be implicit in these velocities and joints.
static bool has_implicit(const limpet_model *model, limpet_range dofs, limpet_range joints) {
  if (model->tendon_count > 0 || limpet_medium_acts(model)) return true;
  const int n = dofs.end - dofs.first, count = joints.end - joints.first;
  return limpet_any_nonzero(model->dof_damping + dofs.first, n) ||
         limpet_any_nonzero(model->dof_damping_growth + 2 * dofs.first, 2 * n) ||
         limpet_any_nonzero(model->joint_stiffness + joints.first, count) ||
         limpet_any_nonzero(model->joint_stiffness_growth + 2 * joints.first, 2 * count);
}

// Diagonals alone where nothing acts on several joints.
static void clear_implicit(const limpet_model *model, limpet_flight *flight) {
  if (!flight->implicit_diagonal) {
    memset(flight->implicit, 0, (size_t)model->mass_size * sizeof *flight->implicit);
    return;
  }
  for (int t = 0; t < model->tree_count; ++t) {
    const int n = model->tree_dof_count[t];
    double *block = flight->implicit + model->tree_mass[t];
    for (int i = 0; i < n * n; i += n + 1) block[i] = 0.0;
  }
}

static limpet_status find_implicit(const limpet_data *data, const limpet_step_settings *settings,
                                   limpet_arena *arena, limpet_free_motion *motion) {
  const limpet_model *model = data->model;
  limpet_flight *flight = motion->flight;
  const limpet_trees trees = motion->trees;
  // mostly nothing is, in all of the model
  const bool any =
      has_implicit(model, (limpet_range){0, model->nv}, (limpet_range){0, model->joint_count});
  for (int i = 0; i < trees.count; ++i) {
    const int t = limpet_trees_at(trees, i);
    flight->balance[t].implicit =
        any && has_implicit(model, limpet_tree_dofs(model, t), limpet_tree_joints(model, t));
  }
  flight->implicit = NULL;
  if (!any) return LIMPET_OK;
  flight->implicit_diagonal =
      !limpet_free_motion_tendons_act(model, data, settings) && !limpet_medium_acts(model);
  flight->implicit = LIMPET_TAKE(arena, double, model->mass_size);
  if (!flight->implicit) return LIMPET_ERROR_MEMORY;
  clear_implicit(model, flight);
  limpet_free_motion_add_joints(model, data, settings, trees, flight->implicit);
  limpet_free_motion_add_tendons(model, data, settings, flight->implicit, motion);
  limpet_medium_implicit_add(model, data, trees, settings->time_step, flight->implicit,
                             flight->force);
  return LIMPET_OK;
}

limpet_status limpet_flight_open(const limpet_data *data, const limpet_step_settings *settings,
                                 limpet_arena *arena, limpet_free_motion *motion) {
  const limpet_status status = take_flight(data->model, data, settings->time_step, arena, motion);
  return status == LIMPET_OK ? find_implicit(data, settings, arena, motion) : status;
}

// Whether a tree is looked at in other poses. At its end one that a loop joins is, too.
static bool looks_elsewhere(const limpet_model *model, const limpet_flight *flight, int tree) {
  return flight->balance[tree].looks &&
         (model->loop_count > 0 || !limpet_flight_alone(flight, tree));
}

static limpet_status take_worlds(const limpet_data *data, limpet_arena *arena,
                                 const limpet_free_motion *motion) {
  limpet_flight *flight = motion->flight;
  const limpet_model *model = data->model;
  // trees that are not asked for stay where they are; derivatives, loops and tendons look at all
  const bool copies = flight->places || motion->trees.tree || model->loop_count > 0;
  if (!copies) return limpet_mirror_make_bare(model, data, arena, &flight->other);
  if (limpet_mirror_make(model, data, arena, &flight->other)) return LIMPET_ERROR_MEMORY;
  return flight->has_spare ? limpet_mirror_make(model, data, arena, &flight->spare) : LIMPET_OK;
}

limpet_status limpet_flight_take_worlds(const limpet_data *data, limpet_arena *arena,
                                        const limpet_free_motion *motion) {
  limpet_flight *flight = motion->flight;
  // plain trees that are slow look at no other world, and write to none; nor do bodies alone
  // without loops
  bool others = false;
  for (int i = 0; i < motion->trees.count && !others; ++i)
    others = looks_elsewhere(data->model, flight, limpet_trees_at(motion->trees, i));
  flight->has_spare = others && data->workspace->derivatives_follow;
  flight->places = flight->has_spare || limpet_tendons_swing(data->model);
  if (!others) {
    flight->other = *data;
    return LIMPET_OK;
  }
  if (take_worlds(data, arena, motion) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
  // derivatives give the middle world other velocities
  if (!flight->has_spare) flight->other.v = flight->mean;
  return LIMPET_OK;
}
