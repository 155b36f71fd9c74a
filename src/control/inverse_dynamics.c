/* control/inverse_dynamics.c: forces that give chosen joints wanted accelerations.
 *
 * With C the chosen velocities, S those that swing freely, the rest with zero acceleration:
 *   M_SS a_S = passive_S + applied_S - bias_S - M_SC a_C      (nothing else acts on them)
 *   tau_C = rnea(q, v, a)_C - passive_C + friction(v_wanted)   passive: springs, dampers, gravity
 *                                                              compensation
 * so that the robot, free of contact, accelerates with a_C. S is empty for an arm whose joints are
 * all chosen. Friction: that of the step's constraint, f clamped to [-F, F]: C v (soft, MuJoCo's),
 * or F v/v_0 with v_0 = 1 mrad/s (Coulomb).
 * Reference: Spong, Partial feedback linearization of underactuated mechanical systems (1994).
 * Cost: rnea, and with S the mass matrix and |S|^3/6. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "control/joints.h"
#include "law/impedance.h"
#include "limpet/control.h"
#include "limpet/dynamics.h"
#include "math/dense.h"

struct limpet_inverse_dynamics {
  const limpet_model *model;
  limpet_data *data;  // a world of its own
  int n, swing_count;
  int *q, *v;  // (n)  first coordinate, first velocity
  int *swing;  // (swing_count)  velocities that nothing drives, in the trees of the chosen ones
  double *vdot, *y;   // (nv)
  double *M, *force;  // (swing_count^2), (swing_count)
};

static bool driven(const limpet_model *model, int joint) {
  for (int i = 0; i < model->actuator_count; ++i) {
    const limpet_transmission kind = model->actuator_transmission[i];
    const int target = model->actuator_target[i];
    if (kind == LIMPET_TRANSMISSION_SITE || kind == LIMPET_TRANSMISSION_SLIDER_CRANK) return true;
    if ((kind == LIMPET_TRANSMISSION_JOINT || kind == LIMPET_TRANSMISSION_JOINT_IN_PARENT) &&
        target == joint)
      return true;
    if (kind != LIMPET_TRANSMISSION_TENDON) continue;
    for (int k = model->tendon_dof_begin[target]; k < model->tendon_dof_begin[target + 1]; ++k)
      if (model->dof_joint[model->tendon_dof[k]] == joint) return true;
  }
  return false;
}

// Whether a coupler or loop of the model may hold the joint; which one it is does not matter.
static bool held(const limpet_model *model, int joint) {
  const int tree = model->dof_tree[model->joint_v[joint]];
  for (int i = 0; i < model->loop_count; ++i)
    for (int side = 0; side < 2; ++side)
      if (model->body_tree[model->loop_body[2 * i + side]] == tree) return true;
  for (int i = 0; i < model->coupler_count; ++i)
    if (model->coupler_tendon[i] || model->coupler_y[i] == joint || model->coupler_x[i] == joint)
      return true;
  return false;
}

// Marks which velocities swing freely; `chosen` (nv).
static void swing_find(limpet_inverse_dynamics *dynamics, const bool *chosen) {
  const limpet_model *model = dynamics->model;
  for (int d = 0; d < model->nv; ++d) {
    const int joint = model->dof_joint[d];
    bool same_tree = false;
    for (int i = 0; i < dynamics->n; ++i)
      same_tree |= model->dof_tree[dynamics->v[i]] == model->dof_tree[d];
    const bool free_joint = model->joint_kind[joint] == LIMPET_JOINT_FREE;
    if (!same_tree || chosen[d] || free_joint || driven(model, joint) || held(model, joint))
      continue;
    dynamics->swing[dynamics->swing_count++] = d;
  }
}

static bool arrays_create(limpet_inverse_dynamics *dynamics, int n) {
  const size_t nv = (size_t)dynamics->model->nv;
  dynamics->q = calloc((size_t)n, sizeof *dynamics->q),
  dynamics->v = calloc((size_t)n, sizeof *dynamics->v);
  dynamics->swing = calloc(nv + 1, sizeof *dynamics->swing);
  dynamics->vdot = calloc(nv + 1, sizeof(double)), dynamics->y = calloc(nv + 1, sizeof(double));
  dynamics->data = limpet_data_create(dynamics->model);
  return dynamics->q && dynamics->v && dynamics->swing && dynamics->vdot && dynamics->y &&
         dynamics->data;
}

limpet_inverse_dynamics *limpet_inverse_dynamics_create(const limpet_model *model, int joint_count,
                                                        const int *joint, limpet_error *error) {
  assert(model && joint_count >= 0 && (joint_count == 0 || joint));
  if (limpet_joints_check(model, joint_count, joint, error) != LIMPET_OK) return NULL;
  limpet_inverse_dynamics *dynamics = calloc(1, sizeof *dynamics);
  bool *chosen = calloc((size_t)model->nv + 1, sizeof *chosen);
  bool made = dynamics && chosen;
  if (made) {
    dynamics->model = model, dynamics->n = joint_count;
    made = arrays_create(dynamics, joint_count);
  }
  for (int i = 0; made && i < joint_count; ++i) {
    dynamics->q[i] = model->joint_q[joint[i]], dynamics->v[i] = model->joint_v[joint[i]];
    chosen[dynamics->v[i]] = true;
  }
  if (made) {
    swing_find(dynamics, chosen);
    const size_t s = (size_t)dynamics->swing_count;
    dynamics->M = calloc(s * s + 1, sizeof(double)),
    dynamics->force = calloc(s + 1, sizeof(double));
    made = dynamics->M && dynamics->force;
  }
  free(chosen);
  if (made) return dynamics;
  limpet_inverse_dynamics_destroy(dynamics);
  limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for inverse dynamics");
  return NULL;
}

void limpet_inverse_dynamics_destroy(limpet_inverse_dynamics *dynamics) {
  if (!dynamics) return;
  limpet_data_destroy(dynamics->data);
  free(dynamics->q), free(dynamics->v), free(dynamics->swing);
  free(dynamics->vdot), free(dynamics->y), free(dynamics->M), free(dynamics->force);
  free(dynamics);
}

// Entry of the mass matrix; 0 across trees.
static double mass_entry(const limpet_model *model, const limpet_data *data, int i, int j) {
  const int tree = model->dof_tree[i], n = model->tree_dof_count[tree],
            first = model->tree_dof[tree];
  return model->dof_tree[j] == tree
             ? data->mass_matrix[model->tree_mass[tree] + (i - first) * n + j - first]
             : 0.0;
}

// Accelerations of what swings freely, into vdot, which holds those of the chosen joints.
static void swing_accelerations(limpet_inverse_dynamics *dynamics, const limpet_data *given) {
  const limpet_model *model = dynamics->model;
  limpet_data *data = dynamics->data;
  const int s = dynamics->swing_count;
  limpet_mass_matrix(model, data);
  limpet_bias(model, data);
  limpet_mass_mul(model, data, dynamics->vdot, dynamics->y);
  for (int i = 0; i < s; ++i) {
    const int d = dynamics->swing[i];
    dynamics->force[i] =
        data->passive_force[d] + given->applied_force[d] - data->bias[d] - dynamics->y[d];
    for (int j = 0; j <= i; ++j)
      dynamics->M[i * s + j] = mass_entry(model, data, d, dynamics->swing[j]);
  }
  if (limpet_cholesky(s, dynamics->M, s)) return;  // then they are taken as not accelerating
  limpet_cholesky_solve(s, dynamics->M, s, dynamics->force);
  for (int i = 0; i < s; ++i) dynamics->vdot[dynamics->swing[i]] = dynamics->force[i];
}

// Force that overcomes the dry friction of a velocity that moves with v.
static double friction_force(const limpet_model *model, int dof, double v) {
  const double bound = model->dof_dry_friction[dof], slow = 1e-3;  // [m/s, rad/s]
  if (!(bound > 0.0) || (model->options.disabled & LIMPET_DISABLE_DRY_FRICTION)) return 0.0;
  double stiffness, slope = bound / slow;
  if (model->dof_dry_friction_kind[dof] == LIMPET_DRY_FRICTION_SOFT)
    limpet_impedance_stiffness(&model->dof_dry_friction_impedance[dof], 0.0,
                               model->options.time_step, model->dof_inverse_weight[dof], &stiffness,
                               &slope);
  return fmin(fmax(slope * v, -bound), bound);
}

void limpet_inverse_dynamics_forces(limpet_inverse_dynamics *dynamics, const limpet_data *data,
                                    const double *q, const double *v, const double *a,
                                    const double *friction_velocity, double *tau) {
  assert(dynamics && data && data->model == dynamics->model && a && tau);
  const limpet_model *model = dynamics->model;
  limpet_data *scratch = dynamics->data;
  limpet_scratch_follow(model, scratch, data);
  memset(dynamics->vdot, 0, (size_t)model->nv * sizeof *dynamics->vdot);
  for (int i = 0; i < dynamics->n; ++i) {
    if (q) scratch->q[dynamics->q[i]] = q[i];
    if (v) scratch->v[dynamics->v[i]] = v[i];
    dynamics->vdot[dynamics->v[i]] = a[i];
  }
  limpet_kinematics(model, scratch);
  limpet_velocity_kinematics(model, scratch);
  limpet_tendon_kinematics(model, scratch);
  limpet_passive_forces(model, scratch);
  if (dynamics->swing_count > 0) swing_accelerations(dynamics, data);
  limpet_rnea(model, scratch, dynamics->vdot, dynamics->y);
  for (int i = 0; i < dynamics->n; ++i) {
    const int d = dynamics->v[i];
    tau[i] = dynamics->y[d] - scratch->passive_force[d];
    if (model->joint_actuator_gravity_compensation[model->dof_joint[d]])
      tau[i] -= scratch->gravity_compensation_force[d];
    if (friction_velocity) tau[i] += friction_force(model, d, friction_velocity[i]);
  }
}
