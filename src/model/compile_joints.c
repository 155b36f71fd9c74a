/* model/compile_joints.c: joints, their velocities (degrees of freedom) and the reference and rest
 * coordinates. */
#include <float.h>
#include <math.h>

#include "math/quaternion.h"
#include "model/compile.h"

static limpet_status check_free(const limpet_compiler *compiler, int handle) {
  const limpet_joint_description *joint = limpet_builder_joints(compiler->builder) + handle;
  const int b = compiler->body.index[joint->body];
  if (joint->kind != LIMPET_JOINT_FREE) return LIMPET_OK;
  if (compiler->model->body_parent[b] != 0)
    return limpet_compile_error(
        compiler, LIMPET_OBJECT_JOINT, handle,
        " is free, but %s is no child of the world; move the body to the world or use other joints",
        limpet_compile_label(compiler, LIMPET_OBJECT_BODY, joint->body).text);
  if (compiler->model->body_joint_count[b] > 1)
    return limpet_compile_error(
        compiler, LIMPET_OBJECT_JOINT, handle,
        " is free, but %s has other joints too; a free joint must be the only one",
        limpet_compile_label(compiler, LIMPET_OBJECT_BODY, joint->body).text);
  return LIMPET_OK;
}

// Stiffness, damping and the like must not be negative: they would feed energy in.
static limpet_status check_not_negative(const limpet_compiler *compiler, int handle,
                                        const char *what, double value) {
  if (value >= 0.0) return LIMPET_OK;
  return limpet_compile_error(compiler, LIMPET_OBJECT_JOINT, handle,
                              ": its %s is %g; give 0 or more", what, value);
}

static limpet_status check_joint(const limpet_compiler *compiler, int handle) {
  const limpet_joint_description *joint = limpet_builder_joints(compiler->builder) + handle;
  const int list = LIMPET_OBJECT_JOINT;
  limpet_status status = check_free(compiler, handle);
  if (!status) status = check_not_negative(compiler, handle, "stiffness", joint->stiffness);
  if (!status) status = check_not_negative(compiler, handle, "damping", joint->damping);
  if (!status) status = check_not_negative(compiler, handle, "armature", joint->armature);
  if (!status) status = check_not_negative(compiler, handle, "dry friction", joint->dry_friction);
  if (!status && joint->limited)
    status = limpet_compile_range(compiler, list, handle, "its range", joint->range);
  if (!status && joint->effort_limited)
    status = limpet_compile_range(compiler, list, handle, "its effort range", joint->effort_range);
  if (!status && joint->limited && joint->kind == LIMPET_JOINT_BALL && joint->range[0] != 0.0)
    status = limpet_compile_error(
        compiler, list, handle, " is a ball with the range %g .. %g; give 0 and the largest angle",
        joint->range[0], joint->range[1]);
  if (!status && joint->limited && joint->kind == LIMPET_JOINT_FREE)
    status = limpet_compile_error(compiler, list, handle,
                                  " is free and has a range; free joints have no limits");
  return status;
}

static limpet_status fill_axis(limpet_compiler *compiler, int j) {
  limpet_model *model = compiler->model;
  const int handle = compiler->joint.handle[j];
  const limpet_joint_description *joint = limpet_builder_joints(compiler->builder) + handle;
  double *axis = model->joint_axis + 3 * j;
  limpet_vec3_copy(axis, joint->axis);
  const bool needed = limpet_joint_kind_nv(joint->kind) == 1;
  const double length = limpet_vec3_normalize(axis);
  if (needed && !(length > 1e-15 && length <= DBL_MAX))
    return limpet_compile_error(compiler, LIMPET_OBJECT_JOINT, handle,
                                ": its axis is %s; give a direction, for example 0 0 1",
                                length > 1.0 ? "too large for a length" : "zero");
  if (joint->kind == LIMPET_JOINT_SCREW) model->joint_advance[j] = joint->pitch / (2.0 * LIMPET_PI);
  if (joint->kind != LIMPET_JOINT_FREE)
    limpet_vec3_copy(model->joint_position + 3 * j, joint->position);
  return LIMPET_OK;
}

static void fill_parameters(limpet_compiler *compiler, int j) {
  limpet_model *model = compiler->model;
  const limpet_joint_description *joint =
      limpet_builder_joints(compiler->builder) + compiler->joint.handle[j];
  model->joint_kind[j] = joint->kind;
  model->joint_body[j] = compiler->body.index[joint->body];
  model->joint_limited[j] = joint->limited;
  model->joint_range[2 * j] = joint->limited ? joint->range[0] : -INFINITY;
  model->joint_range[2 * j + 1] = joint->limited ? joint->range[1] : INFINITY;
  model->joint_limit_margin[j] = joint->limit_margin;
  model->joint_has_limit_impedance[j] = joint->has_limit_impedance;
  model->joint_limit_impedance[j] = joint->limit_impedance;
  model->joint_stiffness[j] = joint->stiffness;
  for (int k = 0; k < 2; ++k) model->joint_stiffness_growth[2 * j + k] = joint->stiffness_growth[k];
  model->joint_effort_limited[j] = joint->effort_limited;
  model->joint_effort_range[2 * j] = joint->effort_limited ? joint->effort_range[0] : -INFINITY;
  model->joint_effort_range[2 * j + 1] = joint->effort_limited ? joint->effort_range[1] : INFINITY;
  model->joint_actuator_gravity_compensation[j] = joint->actuator_gravity_compensation;
  if (joint->spring_damper[0] > 0.0 && joint->spring_damper[1] > 0.0)
    for (int k = 0; k < 2; ++k) compiler->spring_damper[j][k] = joint->spring_damper[k];
}

static void fill_velocities(limpet_compiler *compiler, int j) {
  limpet_model *model = compiler->model;
  const limpet_joint_description *joint =
      limpet_builder_joints(compiler->builder) + compiler->joint.handle[j];
  const int body = model->joint_body[j], nv = limpet_joint_kind_nv(joint->kind);

  // the velocity before the first one of this body is the last one of what carries it
  const bool first = j == model->body_joint[body];
  const int before = first ? model->body_last_dof[model->body_parent[body]] : model->joint_v[j] - 1;
  for (int k = 0; k < nv; ++k) {
    const int dof = model->joint_v[j] + k;
    model->dof_joint[dof] = j;
    model->dof_body[dof] = body;
    model->dof_tree[dof] = model->body_tree[body];
    model->dof_parent[dof] = k == 0 ? before : dof - 1;
    model->dof_damping[dof] = joint->damping;
    for (int i = 0; i < 2; ++i) model->dof_damping_growth[2 * dof + i] = joint->damping_growth[i];
    model->dof_armature[dof] = joint->armature;
    model->dof_dry_friction[dof] = joint->dry_friction;
    model->dof_dry_friction_kind[dof] = joint->dry_friction_kind;
    model->dof_dry_friction_impedance[dof] = joint->dry_friction_impedance;
  }
}

static void fill_coordinates(limpet_compiler *compiler, int j) {
  limpet_model *model = compiler->model;
  const limpet_joint_description *joint =
      limpet_builder_joints(compiler->builder) + compiler->joint.handle[j];
  const int body = model->joint_body[j];
  double *reference = model->q_reference + model->joint_q[j],
         *spring = model->q_spring + model->joint_q[j];
  switch (joint->kind) {
    case LIMPET_JOINT_FREE:
      limpet_vec3_copy(reference, model->body_position + 3 * body);
      limpet_quaternion_copy(reference + 3, model->body_quaternion + 4 * body);
      for (int k = 0; k < 7; ++k) spring[k] = reference[k];
      break;
    case LIMPET_JOINT_BALL:
      limpet_quaternion_identity(reference);
      limpet_quaternion_identity(spring);
      break;
    case LIMPET_JOINT_PRISMATIC:
    case LIMPET_JOINT_REVOLUTE:
    case LIMPET_JOINT_SCREW:
      reference[0] = joint->reference;
      spring[0] = joint->spring_reference;
      break;
  }
}

limpet_status limpet_compile_joints(limpet_compiler *compiler) {
  limpet_model *model = compiler->model;
  int q = 0, v = 0;
  for (int j = 0; j < model->joint_count; ++j) {
    limpet_status status = check_joint(compiler, compiler->joint.handle[j]);
    if (!status) status = fill_axis(compiler, j);
    if (status) return status;
    model->joint_q[j] = q;
    model->joint_v[j] = v;
    fill_parameters(compiler, j);
    fill_velocities(compiler, j);
    fill_coordinates(compiler, j);
    q += limpet_joint_kind_nq(model->joint_kind[j]);
    v += limpet_joint_kind_nv(model->joint_kind[j]);
  }
  return LIMPET_OK;
}
