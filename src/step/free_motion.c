/* step/free_motion.c: momentum matrix and free velocity.
 *
 *   A    = M + dt D + dt^2 K      D, K: damping and stiffness of joints and of tendons
 *                                 (a a' c, a a' k), at the start where they grow
 *   A v* = M v0 + dt (spring(q0) + gravity compensation + applied + explicit actuators
 *          - bias(q0, v0))
 * Dampers and the drag of a medium act with the velocity at the end of the step, springs with the
 * position there. With explicit springs K is left out. A tendon over several trees has no part in
 * A: it is a row of the step (constraint/tendon_spring.c), and its spring no part of the forces.
 * Source: shared golden contact README, "A step". */
#include "model/tendon_path.h"
#include "step/free_motion.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "constraint/kind.h"
#include "dynamics/activation.h"
#include "dynamics/actuator_law.h"
#include "dynamics/applied.h"
#include "dynamics/joint_spring.h"
#include "dynamics/medium.h"
#include "dynamics/transmission.h"
#include "dynamics/tree.h"
#include "math/dense.h"
#include "math/extremes.h"
#include "math/nonzero.h"
#include "step/gyration.h"

void limpet_free_motion_add_joints(const limpet_model *model, const limpet_data *data,
                                   const limpet_step_settings *settings, limpet_trees trees,
                                   double *A) {
  const double dt = settings->time_step;
  const bool damper = !(model->options.disabled & LIMPET_DISABLE_DAMPER);
  const bool spring = !(model->options.disabled & LIMPET_DISABLE_SPRING) &&
                      !settings->compatibility.explicit_springs;
  // most dampers and springs are the same at any speed and displacement
  const bool dampers_grow = limpet_any_nonzero(model->dof_damping_growth, 2 * model->nv),
             springs_grow =
                 limpet_any_nonzero(model->joint_stiffness_growth, 2 * model->joint_count);
  const bool plain = damper && spring && !dampers_grow && !springs_grow;
  for (int i = 0; i < trees.count; ++i) {
    const int t = limpet_trees_at(trees, i), n = model->tree_dof_count[t];
    const int first = model->tree_dof[t];
    double *entry = A + model->tree_mass[t];
    if (plain) {
      const double *damping = model->dof_damping, *stiffness = model->joint_stiffness;
      const int *joint = model->dof_joint;
      for (int dof = first; dof < first + n; ++dof, entry += n + 1)
        *entry += dt * damping[dof] + dt * dt * stiffness[joint[dof]];
      continue;
    }
    for (int dof = first; dof < first + n; ++dof, entry += n + 1) {
      double rate = model->dof_damping[dof], stiffness;
      if (dampers_grow) rate = limpet_dof_damper_rate(model, data, dof);
      if (springs_grow) stiffness = limpet_joint_implicit_stiffness(model, data, dof);
      else stiffness = model->joint_stiffness[model->dof_joint[dof]];
      *entry += (damper ? dt * rate : 0.0) + (spring ? dt * dt * stiffness : 0.0);
    }
  }
}

static limpet_tendon_spring spring_of(const limpet_model *model, const limpet_data *data,
                                      const limpet_step_settings *settings, int tendon) {
  return limpet_tendon_implicit_spring(model, data, tendon,
                                       settings->compatibility.explicit_springs);
}

/* [N]  What of the force of its spring at the start a tendon over several trees leaves to its row,
 * less that of a damper that drives (c < 0), which has no row. */
static double force_of_row(const limpet_data *data, int tendon,
                           const limpet_tendon_spring *spring) {
  return spring->force + limpet_min(spring->c, 0.0) * data->tendon_velocity[tendon];
}

double limpet_free_motion_tendon_force(const limpet_model *model, const limpet_data *data,
                                       const limpet_step_settings *settings,
                                       const limpet_free_motion *motion, int tendon,
                                       const double *end) {
  const bool sprung = !(model->options.disabled & LIMPET_DISABLE_SPRING);
  const double start = sprung ? limpet_tendon_spring_force(model, data, tendon) : 0.0;
  const limpet_tendon_spring spring = spring_of(model, data, settings, tendon);
  if (!motion->implicit_tendons) return start - spring.c * data->tendon_velocity[tendon];
  if (limpet_tendon_tree(model, tendon) < 0) return start - force_of_row(data, tendon, &spring);
  double speed = 0.0;
  for (int i = model->tendon_dof_begin[tendon]; i < model->tendon_dof_begin[tendon + 1]; ++i)
    speed += data->tendon_row[i] * end[model->tendon_dof[i]];
  return start - (spring.c + settings->time_step * spring.k) * speed;
}

bool limpet_free_motion_tendons_act(const limpet_model *model, const limpet_data *data,
                                    const limpet_step_settings *settings) {
  for (int i = 0; i < model->tendon_count; ++i) {
    const limpet_tendon_spring spring = spring_of(model, data, settings, i);
    if (limpet_tendon_spring_acts(&spring) && limpet_tendon_tree(model, i) >= 0) return true;
  }
  return false;
}

// A += s a a' of a tendon within one tree.
static void add_tendon(const limpet_model *model, const limpet_data *data, int tendon, int tree,
                       double s, double *A) {
  const int begin = model->tendon_dof_begin[tendon], end = model->tendon_dof_begin[tendon + 1];
  double *block = A + model->tree_mass[tree];
  const int n = model->tree_dof_count[tree], first = model->tree_dof[tree];
  for (int i = begin; i < end; ++i)
    for (int k = begin; k < end; ++k)
      block[(model->tendon_dof[i] - first) * n + model->tendon_dof[k] - first] +=
          s * data->tendon_row[i] * data->tendon_row[k];
}

void limpet_free_motion_add_tendons(const limpet_model *model, const limpet_data *data,
                                    const limpet_step_settings *settings, double *A,
                                    limpet_free_motion *motion) {
  const double dt = settings->time_step;
  motion->implicit_tendons = true;
  for (int i = 0; i < model->tendon_count; ++i) {
    const limpet_tendon_spring spring = spring_of(model, data, settings, i);
    if (!limpet_tendon_spring_acts(&spring)) continue;
    const int tree = limpet_tendon_tree(model, i);
    if (tree >= 0) {
      if (limpet_trees_have(motion->trees, tree))
        add_tendon(model, data, i, tree, dt * spring.c + dt * dt * spring.k, A);
      continue;
    }
    const double force = force_of_row(data, i, &spring);
    for (int k = model->tendon_dof_begin[i]; k < model->tendon_dof_begin[i + 1]; ++k)
      motion->force[model->tendon_dof[k]] -= force * data->tendon_row[k];
  }
}

// Whether an actuator of the solve has a joint's effort limit among its bounds.
static bool servo_on_joint(const limpet_model *model, const limpet_data *data, int joint,
                           double dt) {
  for (int i = 0; i < model->actuator_count; ++i) {
    limpet_servo servo;
    const limpet_transmission kind = model->actuator_transmission[i];
    if ((kind == LIMPET_TRANSMISSION_JOINT || kind == LIMPET_TRANSMISSION_JOINT_IN_PARENT) &&
        model->actuator_target[i] == joint && !model->actuator_disabled[i] &&
        limpet_actuator_servo(model, data, i, dt, &servo))
      return true;
  }
  return false;
}

// Gravity compensation by actuators, then effort limits of joints that no servo of the solve keeps.
static void end_explicit_actuators(const limpet_model *model, const limpet_data *data,
                                   limpet_trees trees, double dt, double *force) {
  if (model->actuator_count == 0 ||
      !(limpet_any_true(model->joint_effort_limited, model->joint_count) ||
        limpet_any_true(model->joint_actuator_gravity_compensation, model->joint_count)))
    return;
  for (int j = 0; j < model->joint_count; ++j) {
    if (!model->joint_effort_limited[j] && !model->joint_actuator_gravity_compensation[j]) continue;
    const int first = model->joint_v[j], n = limpet_joint_kind_nv(model->joint_kind[j]);
    const bool limited = limpet_joint_effort_reached(model, data, j);
    if (!limpet_trees_have(trees, model->dof_tree[first])) continue;
    for (int k = 0; k < n && model->joint_actuator_gravity_compensation[j]; ++k)
      force[first + k] += data->gravity_compensation_force[first + k];
    const double *range = model->joint_effort_range + 2 * j;
    if (limited && !servo_on_joint(model, data, j, dt))
      force[first] = limpet_min(limpet_max(force[first], range[0]), range[1]);
  }
}

// Whether an actuator is part of the solve, of those that no servos are kept of.
static bool serves_now(const limpet_model *model, const limpet_data *data, int actuator,
                       double dt) {
  limpet_servo servo;
  return limpet_actuator_servo(model, data, actuator, dt, &servo);
}

/* Generalised force of the actuators that stay outside the solve. LIMPET_OK or LIMPET_ERROR_MEMORY.
 */
static limpet_status add_explicit_actuators(const limpet_model *model, const limpet_data *data,
                                            limpet_trees trees, double dt, limpet_arena *arena,
                                            const limpet_free_motion *motion, double *force) {
  if (model->options.disabled & LIMPET_DISABLE_ACTUATION) return LIMPET_OK;
  int *dof = LIMPET_TAKE(arena, int, 2 * model->nv);
  double *row = LIMPET_TAKE(arena, double, 2 * model->nv);
  if (!dof || !row) return LIMPET_ERROR_MEMORY;
  if (motion->servo) limpet_actuator_servos(model, data, dt, motion->servo, motion->serves);
  for (int i = 0; i < model->actuator_count; ++i) {
    if (motion->servo && motion->serves[i]) continue;
    if (model->actuator_disabled[i] || (trees.tree && !limpet_actuator_acts(model, i, trees)))
      continue;
    if (!motion->servo && serves_now(model, data, i, dt)) continue;
    if (limpet_actuator_on_coordinate(model, i)) {
      force[model->joint_v[model->actuator_target[i]]] +=
          model->actuator_gear[6 * i] * data->actuator_force[i];
      continue;
    }
    const int count = limpet_actuator_row(model, data, i, dof, row);
    for (int k = 0; k < count; ++k) force[dof[k]] += row[k] * data->actuator_force[i];
  }
  end_explicit_actuators(model, data, trees, dt, force);
  return LIMPET_OK;
}

limpet_status limpet_free_motion_begin(const limpet_model *model, limpet_data *data,
                                       limpet_trees trees, double dt, limpet_arena *arena,
                                       limpet_free_motion *motion) {
  limpet_trees_mass_matrix(model, data, trees);
  limpet_trees_bias(model, data, trees);
  return limpet_free_motion_forces(model, data, trees, dt, data->bias, arena, motion);
}

limpet_status limpet_free_motion_forces(const limpet_model *model, limpet_data *data,
                                        limpet_trees trees, double dt, const double *bias,
                                        limpet_arena *arena, limpet_free_motion *motion) {
  const size_t nv = (size_t)model->nv, size = (size_t)model->mass_size;
  limpet_tendon_kinematics(model, data);
  limpet_trees_passive_forces(model, data, trees);
  limpet_trees_actuation(model, data, trees, dt);
  *motion = (limpet_free_motion){.trees = trees,
                                 .A = LIMPET_TAKE(arena, double, size),
                                 .momentum = LIMPET_TAKE(arena, double, nv),
                                 .v_free = LIMPET_TAKE(arena, double, nv),
                                 .explicit_force = LIMPET_TAKE_ZERO(arena, double, nv),
                                 .force = LIMPET_TAKE(arena, double, nv)};
  double *f = motion->force;
  if (!motion->A || !motion->momentum || !motion->v_free || !motion->explicit_force || !f)
    return LIMPET_ERROR_MEMORY;
  if (!trees.tree && !(model->options.disabled & LIMPET_DISABLE_ACTUATION)) {
    motion->serves = LIMPET_TAKE(arena, bool, model->actuator_count);
    motion->servo = LIMPET_TAKE(arena, limpet_servo, model->actuator_count);
    if (!motion->serves || !motion->servo) return LIMPET_ERROR_MEMORY;
  }
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  if (add_explicit_actuators(model, data, trees, dt, arena, motion, motion->explicit_force))
    return LIMPET_ERROR_MEMORY;
  limpet_arena_release(arena, mark);
  for (int i = 0; i < model->nv; ++i)
    f[i] = data->passive_force[i] - data->damper_force[i] - (bias ? bias[i] : 0.0) +
           motion->explicit_force[i];
  limpet_applied_forces_add(model, data, trees, f);
  limpet_free_motion_rest(model, data, motion);
  return LIMPET_OK;
}

void limpet_free_motion_rest(const limpet_model *model, const limpet_data *data,
                             limpet_free_motion *motion) {
  for (int t = 0; motion->trees.tree && t < model->tree_count; ++t) {
    if (limpet_trees_have(motion->trees, t)) continue;
    const limpet_range dofs = limpet_tree_dofs(model, t);
    for (int d = dofs.first; d < dofs.end; ++d) {
      motion->v_free[d] = data->v[d];
      motion->momentum[d] = 0.0;
    }
  }
}

void limpet_free_motion_fail(const limpet_model *model, int tree, limpet_free_motion *motion) {
  assert(model && motion && tree >= 0 && tree < model->tree_count);
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  const int n = dofs.end - dofs.first;
  double *A = motion->A + model->tree_mass[tree];
  for (int d = dofs.first; d < dofs.end; ++d) motion->v_free[d] = motion->momentum[d] = NAN;
  for (int i = 0; i < n * n; ++i) A[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
}

limpet_outcome limpet_free_motion_finish(const limpet_model *model, limpet_arena *arena,
                                         limpet_free_motion *motion) {
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  double *work = LIMPET_TAKE(arena, double, limpet_positive_work(limpet_trees_widest(model)));
  if (!work) return LIMPET_OUTCOME_OUT_OF_MEMORY;
  for (int i = 0; i < motion->trees.count; ++i) {
    const int t = limpet_trees_at(motion->trees, i), n = model->tree_dof_count[t];
    double *v = motion->v_free + model->tree_dof[t];
    memcpy(v, motion->momentum + model->tree_dof[t], (size_t)n * sizeof *v);
    if (!limpet_positive_solve(n, motion->A + model->tree_mass[t], n, work, v))
      limpet_free_motion_fail(model, t, motion);
  }
  limpet_arena_release(arena, mark);
  return LIMPET_OUTCOME_SOLVED;
}

void limpet_free_motion_copy_masses(const limpet_model *model, const limpet_data *data,
                                    limpet_free_motion *motion) {
  for (int i = 0; i < motion->trees.count; ++i) {
    const int t = limpet_trees_at(motion->trees, i), n = model->tree_dof_count[t];
    memcpy(motion->A + model->tree_mass[t], data->mass_matrix + model->tree_mass[t],
           (size_t)n * (size_t)n * sizeof *motion->A);
  }
}

limpet_outcome limpet_free_motion_compute(const limpet_model *model, limpet_data *data,
                                          const limpet_step_settings *settings, limpet_trees trees,
                                          limpet_arena *arena, limpet_free_motion *motion) {
  const double dt = settings->time_step;
  if (limpet_free_motion_begin(model, data, trees, dt, arena, motion))
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  double *force = motion->force;

  // A, and A v* = M v0 + dt force
  if (!settings->compatibility.explicit_gyration)
    limpet_gyration_add(model, data, trees, dt, force);
  limpet_free_motion_copy_masses(model, data, motion);
  limpet_free_motion_add_joints(model, data, settings, trees, motion->A);
  limpet_free_motion_add_tendons(model, data, settings, motion->A, motion);
  limpet_medium_implicit_add(model, data, trees, dt, motion->A, force);
  limpet_trees_mass_mul(model, data, trees, data->v, motion->momentum);
  for (int i = 0; i < trees.count; ++i) {
    const limpet_range dofs = limpet_tree_dofs(model, limpet_trees_at(trees, i));
    for (int d = dofs.first; d < dofs.end; ++d) motion->momentum[d] += dt * force[d];
  }
  return limpet_free_motion_finish(model, arena, motion);
}

limpet_outcome limpet_free_motion_explicit(const limpet_model *model, limpet_data *data,
                                           const limpet_step_settings *settings, bool at_once,
                                           limpet_trees trees, limpet_arena *arena,
                                           limpet_free_motion *motion) {
  const double dt = settings->time_step;
  if (limpet_free_motion_begin(model, data, trees, dt, arena, motion))
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  double *force = motion->force;
  limpet_free_motion_copy_masses(model, data, motion);
  for (int i = 0; i < model->nv; ++i) motion->momentum[i] = dt * (force[i] + data->damper_force[i]);
  const limpet_outcome outcome = limpet_free_motion_finish(model, arena, motion);
  if (outcome != LIMPET_OUTCOME_SOLVED) return outcome;

  // v* is now what forces change
  motion->after = LIMPET_TAKE(arena, double, model->nv);
  if (!motion->after) return LIMPET_OUTCOME_OUT_OF_MEMORY;
  memcpy(motion->after, motion->v_free, (size_t)model->nv * sizeof *motion->after);
  for (int i = 0; i < model->nv; ++i)
    motion->v_free[i] = data->v[i] + (at_once ? 1.0 : 0.0) * motion->after[i];  // NaN stays
  limpet_free_motion_rest(model, data, motion);
  if (at_once) motion->after = NULL;
  motion->moves_before = at_once;
  return LIMPET_OUTCOME_SOLVED;
}
