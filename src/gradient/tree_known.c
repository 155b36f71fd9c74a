/* gradient/tree_known.c: of which trees the dynamics have derivatives in closed form. */
#include <math.h>

#include "constraint/kind.h"
#include "dynamics/joint_spring.h"
#include "dynamics/medium.h"
#include "dynamics/tree.h"
#include "gradient/tree_centre.h"
#include "gradient/tree_change.h"
#include "math/dense.h"
#include "math/vec3.h"
#include "model/tendon_path.h"
#include "step/flight.h"
#include "step/gyration.h"

static const double near_parts = 1e-3;  // [-]  nearer to two parts differences tell what happens
static const double no_arm = 1e-12;     // [m]  of the centre of mass: round-off

static bool turns_far(const limpet_model *model, const double *v, double dt, limpet_range dofs) {
  return dt * limpet_flight_fastest(model, v, dofs) >
         (1.0 - near_parts) * LIMPET_FLIGHT_LARGEST_TURN;
}

/* v* of a body alone is v0 and what does not depend on the state, where its arm is none and no
 * wrench acts, or where nothing acts but weight: then of one that is held, for the end of others
 * has no closed form either. */
static bool body_is_known(const limpet_probe *probe, int tree) {
  const limpet_flight *flight = probe->residual->solved->motion.flight;
  const double *force = flight->force + probe->model->tree_dof[tree];
  const double *wrench = probe->data->applied_wrench + 6 * probe->model->tree_body[tree];
  double c[3];
  limpet_flight_body_centre(probe->model, probe->data, &flight->balance[tree], tree, c);
  if (limpet_vec3_norm(c) <= no_arm) return limpet_is_zero(6, wrench);
  return flight->balance[tree].held == LIMPET_FLIGHT_HELD_OUTSIDE && limpet_is_zero(6, force);
}

static bool tree_is_known(const limpet_probe *probe, int tree) {
  const limpet_model *model = probe->model;
  const limpet_data *data = probe->data;
  const limpet_flight *flight = probe->residual->solved->motion.flight;
  const limpet_range dofs = limpet_tree_dofs(model, tree), bodies = limpet_tree_bodies(model, tree),
                     joints = limpet_tree_joints(model, tree);
  if (!limpet_is_zero(6 * (bodies.end - bodies.first), data->applied_wrench + 6 * bodies.first))
    return false;
  for (int j = joints.first; j < joints.end; ++j)
    if (model->joint_actuator_gravity_compensation[j] ||
        limpet_spring_grows(model->joint_stiffness_growth + 2 * j))
      return false;
  for (int d = dofs.first; d < dofs.end; ++d)
    if (limpet_spring_grows(model->dof_damping_growth + 2 * d)) return false;
  if (!flight)
    return probe->settings->compatibility.explicit_gyration ||
           !limpet_tree_is_free_body(model, tree);
  if (flight->balance[tree].share == 0.0) return !flight->balance[tree].bounded;
  if (!limpet_tree_centre_known(probe, tree)) return false;
  if (limpet_flight_alone(flight, tree)) return body_is_known(probe, tree);
  if (data->tree_held[tree] < LIMPET_FLIGHT_HELD_OUTSIDE && !limpet_tree_flies(probe, tree))
    return false;
  return !turns_far(model, data->v, probe->settings->time_step, dofs);
}

// A tendon or an actuator that is not a constant sum of joints, or an actuator that reads the state
// outside the solve: nothing is known of its trees.
static void forget_dofs(const int *dof, int count, const limpet_model *model,
                        limpet_tree_change *trees) {
  for (int k = 0; k < count; ++k) trees[model->dof_tree[dof[k]]].known = false;
}

static bool spans_trees(const limpet_model *model, int tendon) {
  const int begin = model->tendon_dof_begin[tendon], end = model->tendon_dof_begin[tendon + 1];
  for (int i = begin; i < end; ++i)
    if (model->dof_tree[model->tendon_dof[i]] != model->dof_tree[model->tendon_dof[begin]])
      return true;
  return false;
}

static void forget_tendons(const limpet_model *model, limpet_tree_change *trees) {
  for (int t = 0; t < model->tendon_count; ++t)
    if (limpet_tendon_is_spatial(model, t) || spans_trees(model, t) ||
        limpet_spring_grows(model->tendon_stiffness_growth + 2 * t) ||
        limpet_spring_grows(model->tendon_damping_growth + 2 * t))
      forget_dofs(model->tendon_dof + model->tendon_dof_begin[t],
                  model->tendon_dof_begin[t + 1] - model->tendon_dof_begin[t], model, trees);
}

// Whether the row of an actuator does not turn with the state.
static bool has_steady_row(const limpet_model *model, int actuator) {
  switch (model->actuator_transmission[actuator]) {
    case LIMPET_TRANSMISSION_TENDON: return true;
    case LIMPET_TRANSMISSION_JOINT:
    case LIMPET_TRANSMISSION_JOINT_IN_PARENT: {
      const limpet_joint_kind kind = model->joint_kind[model->actuator_target[actuator]];
      return kind == LIMPET_JOINT_REVOLUTE || kind == LIMPET_JOINT_PRISMATIC;
    }
    default: return false;
  }
}

static bool reads_state(const limpet_model *model, int actuator) {
  const double *gain = model->actuator_gain + 3 * actuator,
               *bias = model->actuator_bias + 3 * actuator;
  return gain[1] != 0.0 || gain[2] != 0.0 || bias[1] != 0.0 || bias[2] != 0.0;
}

// Its slopes change with the state.
static bool is_curved(const limpet_model *model, int actuator) {
  return model->actuator_gain_law[actuator] == LIMPET_ACTUATOR_MOTOR ||
         model->actuator_gain_law[actuator] == LIMPET_ACTUATOR_MUSCLE ||
         model->actuator_bias_law[actuator] == LIMPET_ACTUATOR_MUSCLE;
}

static limpet_status forget_actuators(const limpet_probe *probe, limpet_arena *arena,
                                      limpet_tree_change *trees) {
  const limpet_model *model = probe->model;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  int *dof = LIMPET_TAKE(arena, int, 2 * model->nv);
  double *row = LIMPET_TAKE(arena, double, 2 * model->nv);
  if (!dof || !row) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < model->actuator_count; ++i) {
    limpet_servo servo;
    if (model->actuator_disabled[i]) continue;
    const bool solved = limpet_probe_servo(probe, i, &servo);
    const bool known = solved ? !servo.partly : !reads_state(model, i);
    if (has_steady_row(model, i) && !is_curved(model, i) && known) continue;
    forget_dofs(dof, limpet_actuator_row(model, probe->data, i, dof, row), model, trees);
  }
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

limpet_status limpet_tree_change_known(const limpet_probe *probe, limpet_arena *arena,
                                       limpet_tree_change *trees) {
  const limpet_model *model = probe->model;
  const limpet_solved_step *solved = probe->residual->solved;
  const bool none = limpet_medium_acts(model) || solved->motion.trees.tree || solved->problem.pull;
  for (int t = 0; t < model->tree_count; ++t)
    trees[t] = (limpet_tree_change){.first = model->tree_dof[t],
                                    .n = model->tree_dof_count[t],
                                    .known = !none && tree_is_known(probe, t),
                                    .flies = limpet_tree_flies(probe, t)};
  forget_tendons(model, trees);
  return forget_actuators(probe, arena, trees);
}
