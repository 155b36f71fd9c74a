/* dynamics/passive.c: springs and dampers of joints and tendons, gravity compensation, the medium.
 *
 *   spring                -k (q - q_spring), k growing with it (joint_spring.h), rotations by the
 *                         rotation vector from q_spring to q in child axes; tendons only outside
 *                         their range of rest lengths
 *   damper                -d v, d growing with v
 *   gravity compensation  the force -share m g at the centre of mass. Where a joint counts it as
 *                         actuation it is not in passive_force, but in the actuator forces
 *                         (actuation.c) */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "dynamics/joint_spring.h"
#include "dynamics/medium.h"
#include "dynamics/tree.h"
#include "math/quaternion.h"
#include "model/workspace.h"

static void rotation_displacement(double displacement[3], const double *q, const double *rest) {
  double unit[4], back[4], difference[4];
  limpet_quaternion_copy(unit, q);
  limpet_quaternion_normalize(unit);
  limpet_quaternion_conjugate(back, rest);
  limpet_quaternion_mul(difference, back, unit);
  limpet_quaternion_log(displacement, difference);
}

int limpet_joint_displacement(double displacement[6], const limpet_model *model,
                              const limpet_data *data, int joint) {
  assert(joint >= 0 && joint < model->joint_count);
  const double *q = data->q + model->joint_q[joint],
               *rest = model->q_spring + model->joint_q[joint];
  switch (model->joint_kind[joint]) {
    case LIMPET_JOINT_FREE:
      limpet_vec3_sub(displacement, q, rest);
      rotation_displacement(displacement + 3, q + 3, rest + 3);
      return 6;
    case LIMPET_JOINT_BALL: rotation_displacement(displacement, q, rest); return 3;
    case LIMPET_JOINT_PRISMATIC:
    case LIMPET_JOINT_REVOLUTE:
    case LIMPET_JOINT_SCREW: break;
  }
  displacement[0] = q[0] - rest[0];
  return 1;
}

double limpet_tendon_displacement(const limpet_model *model, const limpet_data *data, int tendon) {
  assert(tendon >= 0 && tendon < model->tendon_count);
  const double length = data->tendon_length[tendon],
               *rest = model->tendon_spring_range + 2 * tendon;
  return length > rest[1] ? length - rest[1] : length < rest[0] ? length - rest[0] : 0.0;
}

double limpet_tendon_spring_force(const limpet_model *model, const limpet_data *data, int tendon) {
  const double x = limpet_tendon_displacement(model, data, tendon);
  return -x * limpet_spring_rate(model->tendon_stiffness[tendon],
                                 model->tendon_stiffness_growth + 2 * tendon, x);
}

// What the rate of a joint's spring takes: the displacement, or the norm of its three numbers.
static double stretch_of(const double *displacement, int count) {
  return count == 1 ? displacement[0] : limpet_vec3_norm(displacement);
}

static void joint_springs(const limpet_model *model, limpet_data *data, limpet_range joints) {
  for (int j = joints.first; j < joints.end; ++j) {
    if (!limpet_joint_is_sprung(model, j)) continue;
    const limpet_joint_kind kind = model->joint_kind[j];
    const double stiffness = model->joint_stiffness[j],
                 *growth = model->joint_stiffness_growth + 2 * j;
    double x[6], *force = data->spring_force + model->joint_v[j];
    if (kind != LIMPET_JOINT_FREE && kind != LIMPET_JOINT_BALL) {
      const int at = model->joint_q[j];
      x[0] = data->q[at] - model->q_spring[at];
      force[0] = -limpet_spring_rate(stiffness, growth, x[0]) * x[0];
      continue;
    }
    const int count = limpet_joint_displacement(x, model, data, j), part = count == 1 ? 1 : 3;
    for (int first = 0; first < count; first += part) {
      const double rate = limpet_spring_rate(stiffness, growth, stretch_of(x + first, part));
      for (int i = first; i < first + part; ++i) force[i] = -rate * x[i];
    }
  }
}

static double implicit_stiffness(double k, const double growth[2], double x) {
  if (!limpet_spring_grows(growth)) return k;
  return fmax(0.0, fmax(limpet_spring_rate(k, growth, x), limpet_spring_slope(k, growth, x)));
}

double limpet_joint_growing_stiffness(const limpet_model *model, const limpet_data *data, int dof) {
  assert(dof >= 0 && dof < model->nv);
  const int j = model->dof_joint[dof];
  double x[6] = {0};
  const int count = limpet_joint_displacement(x, model, data, j), part = count == 1 ? 1 : 3;
  const int first = dof - model->joint_v[j] < part ? 0 : part;
  return implicit_stiffness(model->joint_stiffness[j], model->joint_stiffness_growth + 2 * j,
                            stretch_of(x + first, part));
}

static double tendon_stiffness(const limpet_model *model, const limpet_data *data, int tendon) {
  const double x = limpet_tendon_displacement(model, data, tendon),
               *rest = model->tendon_spring_range + 2 * tendon;
  if (x == 0.0 && rest[0] < rest[1]) return 0.0;
  return implicit_stiffness(model->tendon_stiffness[tendon],
                            model->tendon_stiffness_growth + 2 * tendon, x);
}

double limpet_tendon_damper_rate(const limpet_model *model, const limpet_data *data, int tendon) {
  assert(tendon >= 0 && tendon < model->tendon_count);
  return limpet_spring_rate(model->tendon_damping[tendon],
                            model->tendon_damping_growth + 2 * tendon,
                            fabs(data->tendon_velocity[tendon]));
}

limpet_tendon_spring limpet_tendon_implicit_spring(const limpet_model *model,
                                                   const limpet_data *data, int tendon,
                                                   bool explicit_springs) {
  limpet_tendon_spring spring = {0};
  if (!(model->options.disabled & LIMPET_DISABLE_DAMPER))
    spring.c = limpet_tendon_damper_rate(model, data, tendon);
  if (!explicit_springs && !(model->options.disabled & LIMPET_DISABLE_SPRING))
    spring.k = tendon_stiffness(model, data, tendon);
  if (spring.k != 0.0) spring.force = limpet_tendon_spring_force(model, data, tendon);
  return spring;
}

static void tendon_force(double *force, const limpet_model *model, const limpet_data *data,
                         limpet_trees trees, int tendon, double tension) {
  if (tension == 0.0) return;
  for (int i = model->tendon_dof_begin[tendon]; i < model->tendon_dof_begin[tendon + 1]; ++i) {
    const int dof = model->tendon_dof[i];
    if (limpet_trees_have(trees, model->dof_tree[dof])) force[dof] += data->tendon_row[i] * tension;
  }
}

// Whether a body of these is compensated.
static bool gravity_compensation(const limpet_model *model, limpet_data *data,
                                 limpet_range bodies) {
  bool any = false;
  for (int b = bodies.first; b < bodies.end; ++b) {
    if (model->body_gravity_compensation[b] == 0.0 || model->body_last_dof[b] < 0) continue;
    const double scale = -model->body_gravity_compensation[b] * model->body_mass[b];
    double wrench[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    limpet_vec3_scale(wrench + 3, scale, model->options.gravity);
    limpet_wrench_to_joints(model, data, b, data->body_com + 3 * b, wrench,
                            data->gravity_compensation_force);
    any = true;
  }
  return any;
}

// Springs and dampers of the joints of trees, and what compensates gravity; the rest is zero.
// Whether a body is compensated.
static bool forces_of_joints(const limpet_model *model, limpet_data *data,
                             const limpet_tree_run *run) {
  const limpet_range dofs = run->dofs;
  const size_t bytes = (size_t)(dofs.end - dofs.first) * sizeof(double);
  const unsigned disabled = model->options.disabled;
  memset(data->spring_force + dofs.first, 0, bytes);
  memset(data->damper_force + dofs.first, 0, bytes);
  memset(data->gravity_compensation_force + dofs.first, 0, bytes);
  if (!(disabled & LIMPET_DISABLE_SPRING)) joint_springs(model, data, run->joints);
  if (!(disabled & LIMPET_DISABLE_DAMPER))
    for (int d = dofs.first; d < dofs.end; ++d)
      data->damper_force[d] = -limpet_dof_damper_rate(model, data, d) * data->v[d];
  return limpet_compensation_acts(model) && gravity_compensation(model, data, run->bodies);
}

static void forces_of_tendons(const limpet_model *model, limpet_data *data, limpet_trees trees) {
  const bool spring = !(model->options.disabled & LIMPET_DISABLE_SPRING),
             damper = !(model->options.disabled & LIMPET_DISABLE_DAMPER);
  for (int t = 0; t < model->tendon_count; ++t) {
    if (!limpet_tendon_moves(model, t, trees)) continue;
    if (spring)
      tendon_force(data->spring_force, model, data, trees, t,
                   limpet_tendon_spring_force(model, data, t));
    if (damper)
      tendon_force(data->damper_force, model, data, trees, t,
                   -limpet_tendon_damper_rate(model, data, t) * data->tendon_velocity[t]);
  }
}

void limpet_trees_passive_forces(const limpet_model *model, limpet_data *data, limpet_trees trees) {
  assert(limpet_data_ready(model, data,
                           LIMPET_MARK_POSES | LIMPET_MARK_VELOCITIES | LIMPET_MARK_TENDONS));
  bool compensated = false;
  const int runs = limpet_trees_run_count(trees);
  for (int i = 0; i < runs; ++i) {
    const limpet_tree_run run = limpet_trees_run(model, trees, i);
    compensated |= forces_of_joints(model, data, &run);
  }
  forces_of_tendons(model, data, trees);
  limpet_medium_forces(model, data, trees);
  for (int i = 0; i < runs; ++i) {
    const limpet_range dofs = limpet_trees_run(model, trees, i).dofs;
    for (int d = dofs.first; d < dofs.end; ++d)
      data->passive_force[d] = data->spring_force[d] + data->damper_force[d] + data->fluid_force[d];
    for (int d = dofs.first; d < dofs.end && compensated; ++d) {
      if (!model->joint_actuator_gravity_compensation[model->dof_joint[d]])
        data->passive_force[d] += data->gravity_compensation_force[d];
    }
  }
  data->workspace->marks |= LIMPET_MARK_PASSIVE;
}

void limpet_passive_forces(const limpet_model *model, limpet_data *data) {
  assert(limpet_data_ready(model, data,
                           LIMPET_MARK_POSES | LIMPET_MARK_VELOCITIES | LIMPET_MARK_TENDONS));
  limpet_trees_passive_forces(model, data, limpet_trees_all(model));
}
