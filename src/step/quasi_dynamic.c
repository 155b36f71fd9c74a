/* step/quasi_dynamic.c: the scheme `quasi-dynamic`: every step starts from rest and moves as far as
 * forces and contacts let it.
 *
 *   dq = argmin 1/2 dq' blkdiag(h K, M_u/h) dq - h (K dq_command + tau_a, tau_u)' dq
 *        subject to contacts                                                                 (13)
 * With v = dq/h these are the stages of scheme.h with
 *   A    = blkdiag(h^2 K, M_u)     K [N/m, N m/rad]: stiffness of the position servos, springs of
 *                                  joints included
 *   A v* = h (K dq_command + tau_a, tau_u)
 * Actuated joints are those with a position servo of their own. Their inertia and damping do not
 * count, and the servo's force limit bounds its command K dq_command, the force that it holds with.
 * All other velocities are unactuated, with their part M_u of the mass matrix; tendons with servos
 * add h^2 kp a a'. Gravity, springs, applied forces and motors act on both. The velocities of data
 * after a step are dq/h of that step; the next step does not start from them.
 * Reference: Tracy, Manchester, quasi-dynamic point clouds with torsional friction, sections II,
 * III. */
#include <math.h>
#include <string.h>

#include "constraint/kind.h"
#include "dynamics/joint_spring.h"
#include "dynamics/tree.h"
#include "model/tendon_path.h"
#include "step/scheme.h"

static bool joint_servo(const limpet_model *model, int actuator) {
  const limpet_transmission kind = model->actuator_transmission[actuator];
  if (kind != LIMPET_TRANSMISSION_JOINT && kind != LIMPET_TRANSMISSION_JOINT_IN_PARENT)
    return false;
  const limpet_joint_kind joint = model->joint_kind[model->actuator_target[actuator]];
  return limpet_joint_kind_nv(joint) == 1;
}

static bool tendon_servo(const limpet_model *model, int actuator) {
  return model->actuator_transmission[actuator] == LIMPET_TRANSMISSION_TENDON &&
         limpet_tendon_tree(model, model->actuator_target[actuator]) >= 0;
}

// Which servos are part of A, with what force and slope. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status include_servos(const limpet_model *model, const limpet_data *data, double h,
                                    limpet_arena *arena, limpet_free_motion *motion) {
  motion->servo_included = LIMPET_TAKE_ZERO(arena, bool, model->actuator_count);
  motion->servo_force = LIMPET_TAKE_ZERO(arena, double, model->actuator_count);
  motion->servo_slope = LIMPET_TAKE_ZERO(arena, double, model->actuator_count);
  if (!motion->servo_included || !motion->servo_force || !motion->servo_slope)
    return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < model->actuator_count; ++i) {
    limpet_servo servo;
    if (!limpet_actuator_acts(model, i, motion->trees)) continue;
    if (!joint_servo(model, i) && !tendon_servo(model, i)) continue;
    if (!limpet_actuator_servo(model, data, i, h, &servo) || !(servo.kp > 0.0)) continue;
    motion->servo_included[i] = true;
    motion->servo_force[i] = fmin(fmax(servo.error + servo.offset, servo.lower), servo.upper);
    motion->servo_slope[i] = h * servo.kp;
  }
  return LIMPET_OK;
}

// A of the actuated joint: no inertia, no coupling to others, its spring.
static void clear_joint(const limpet_model *model, const limpet_data *data,
                        const limpet_step_settings *settings, int dof, double *A) {
  const int tree = model->dof_tree[dof], n = model->tree_dof_count[tree],
            at = dof - model->tree_dof[tree];
  double *block = A + model->tree_mass[tree];
  for (int k = 0; k < n; ++k) block[at * n + k] = block[k * n + at] = 0.0;
  if (model->options.disabled & LIMPET_DISABLE_SPRING) return;
  block[at * n + at] =
      settings->time_step * settings->time_step * limpet_joint_implicit_stiffness(model, data, dof);
}

// A += h slope a a', momentum += h f a of one servo; dof, a: its transmission.
static void add_servo(const limpet_model *model, const limpet_free_motion *motion, int actuator,
                      double h, int count, const int *dof, const double *a) {
  const int tree = model->dof_tree[dof[0]], n = model->tree_dof_count[tree],
            first = model->tree_dof[tree];
  double *block = motion->A + model->tree_mass[tree];
  for (int i = 0; i < count; ++i) {
    motion->momentum[dof[i]] += h * motion->servo_force[actuator] * a[i];
    for (int j = 0; j < count; ++j)
      block[(dof[i] - first) * n + dof[j] - first] +=
          h * motion->servo_slope[actuator] * a[i] * a[j];
  }
}

static limpet_outcome quasi_dynamic_motion(const limpet_model *model, limpet_data *data,
                                           const limpet_step_settings *settings, limpet_trees trees,
                                           limpet_arena *arena, limpet_free_motion *motion) {
  const double h = settings->time_step;
  if (limpet_free_motion_begin(model, data, trees, h, arena, motion) ||
      include_servos(model, data, h, arena, motion))
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  double *force = motion->force;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  int *dof = LIMPET_TAKE(arena, int, 2 * model->nv);
  double *row = LIMPET_TAKE(arena, double, 2 * model->nv);
  if (!dof || !row) return LIMPET_OUTCOME_OUT_OF_MEMORY;

  // what is not actuated
  limpet_free_motion_copy_masses(model, data, motion);
  limpet_free_motion_add_joints(model, data, settings, trees, motion->A);
  for (int i = 0; i < model->actuator_count; ++i)
    if (motion->servo_included[i] && joint_servo(model, i))
      clear_joint(model, data, settings, model->joint_v[model->actuator_target[i]], motion->A);
  limpet_free_motion_add_tendons(model, data, settings, motion->A, motion);
  for (int i = 0; i < model->nv; ++i) motion->momentum[i] = h * force[i];
  limpet_free_motion_rest(model, data, motion);

  // servos
  for (int i = 0; i < model->actuator_count; ++i) {
    if (!motion->servo_included[i]) continue;
    const int count = limpet_actuator_row(model, data, i, dof, row);
    if (count > 0) add_servo(model, motion, i, h, count, dof, row);
  }
  limpet_arena_release(arena, mark);
  return limpet_free_motion_finish(model, arena, motion);
}

static const limpet_parameter parameters[] = {
    LIMPET_SETTING("time_step", NAN, "length of a step; command line, then file, then this"),
    LIMPET_SETTING(
        "speculative_distance", NAN,
        "geoms closer than this, or closing within the step, take part before they touch"),
};

const limpet_scheme limpet_scheme_quasi_dynamic = {
    .descriptor =
        {.name = "quasi-dynamic",
         .text = "No memory of velocity: in each step joints with position servos are impedances, "
                 "everything else moves from rest "
                 "by its inertia, and the displacement minimises a quadratic under contacts. For "
                 "slow manipulation, at steps of "
                 "10 ms and more; falling bodies do not speed up. Meant for the contact model "
                 "anitescu; others work too.",
         .reference =
             "Tracy, Manchester, quasi-dynamic point clouds with torsional friction, equation (13)",
         .parameter_count = sizeof parameters / sizeof parameters[0],
         .parameters = parameters},
    .contact_model = "anitescu",
    .free_motion = quasi_dynamic_motion,
    .from_rest = true,
};
