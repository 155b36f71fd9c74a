/* model/compile_tendons.c: fixed tendons, and couplers between joints or tendons. */
#include <math.h>

#include "model/compile.h"

static bool one_coordinate(limpet_joint_kind kind) { return limpet_joint_kind_nv(kind) == 1; }

static limpet_status check_tendon(const limpet_compiler *compiler, int t) {
  const limpet_tendon_description *tendon = limpet_builder_tendons(compiler->builder) + t;
  const limpet_joint_description *joints = limpet_builder_joints(compiler->builder);
  const int list = LIMPET_OBJECT_TENDON;
  for (int k = 0; k < tendon->term_count; ++k) {
    const int joint = tendon->terms[k].joint;
    if (!isfinite(tendon->terms[k].coefficient))
      return limpet_compile_error(compiler, list, t,
                                  ": coefficient %d is not finite; give a number", k);
    if (!one_coordinate(joints[joint].kind))
      return limpet_compile_error(
          compiler, list, t, " names the %s %s; a fixed tendon needs joints with one coordinate",
          limpet_joint_kind_word(joints[joint].kind),
          limpet_compile_label(compiler, LIMPET_OBJECT_JOINT, joint).text);
  }
  if (tendon->stiffness < 0.0 || tendon->damping < 0.0 || tendon->armature < 0.0 ||
      tendon->dry_friction < 0.0)
    return limpet_compile_error(
        compiler, list, t,
        ": stiffness %g, damping %g, armature %g, dry friction %g; give 0 or more",
        tendon->stiffness, tendon->damping, tendon->armature, tendon->dry_friction);
  if (!(tendon->limit_stiffness > 0.0) || tendon->limit_damping < 0.0)
    return limpet_compile_error(compiler, list, t,
                                ": its limits have the stiffness %g N/m and the damping %g N s/m; "
                                "give a positive stiffness "
                                "(infinity: near-rigid) and 0 or more damping",
                                tendon->limit_stiffness, tendon->limit_damping);
  limpet_status status = tendon->limited
                             ? limpet_compile_range(compiler, list, t, "its range", tendon->range)
                             : LIMPET_OK;
  if (!status && tendon->effort_limited)
    status = limpet_compile_range(compiler, list, t, "its effort range", tendon->effort_range);
  if (!status)
    status = limpet_compile_range(compiler, list, t, "its spring length", tendon->spring_range);
  return status;
}

static void fill_tendon(limpet_compiler *compiler, int t) {
  limpet_model *model = compiler->model;
  const limpet_tendon_description *tendon = limpet_builder_tendons(compiler->builder) + t;
  model->tendon_limited[t] = tendon->limited;
  model->tendon_range[2 * t] = tendon->limited ? tendon->range[0] : -INFINITY;
  model->tendon_range[2 * t + 1] = tendon->limited ? tendon->range[1] : INFINITY;
  model->tendon_limit_margin[t] = tendon->limit_margin;
  model->tendon_limit_stiffness[t] = tendon->limit_stiffness;
  model->tendon_limit_damping[t] = tendon->limit_damping;
  model->tendon_has_limit_impedance[t] = tendon->has_limit_impedance;
  model->tendon_limit_impedance[t] = tendon->limit_impedance;
  model->tendon_stiffness[t] = tendon->stiffness;
  model->tendon_damping[t] = tendon->damping;
  model->tendon_armature[t] = tendon->armature;
  model->tendon_dry_friction[t] = tendon->dry_friction;
  model->tendon_dry_friction_impedance[t] = tendon->dry_friction_impedance;
  model->tendon_effort_limited[t] = tendon->effort_limited;
  model->tendon_effort_range[2 * t] = tendon->effort_limited ? tendon->effort_range[0] : -INFINITY;
  model->tendon_effort_range[2 * t + 1] =
      tendon->effort_limited ? tendon->effort_range[1] : INFINITY;

  // terms, and the length at which the springs of the joints rest
  int term = model->tendon_begin[t];
  double length = 0.0;
  for (int k = 0; k < tendon->term_count; ++k, ++term) {
    const int joint = compiler->joint.index[tendon->terms[k].joint];
    model->tendon_joint[term] = joint;
    model->tendon_coefficient[term] = tendon->terms[k].coefficient;
    length += tendon->terms[k].coefficient * model->q_spring[model->joint_q[joint]];
  }
  model->tendon_begin[t + 1] = term;
  const bool unknown = tendon->spring_range[0] == -1.0 && tendon->spring_range[1] == -1.0;
  for (int k = 0; k < 2; ++k)
    model->tendon_spring_range[2 * t + k] = unknown ? length : tendon->spring_range[k];
}

limpet_status limpet_compile_tendons(limpet_compiler *compiler) {
  for (int t = 0; t < compiler->model->tendon_count; ++t) {
    const limpet_status status = check_tendon(compiler, t);
    if (status) return status;
    fill_tendon(compiler, t);
  }
  return LIMPET_OK;
}

// --------------------------------------------------------------------------------- couplers

static limpet_status check_coupler(const limpet_compiler *compiler, int c) {
  const limpet_coupler_description *coupler = limpet_builder_couplers(compiler->builder) + c;
  const limpet_joint_description *joints = limpet_builder_joints(compiler->builder);
  if (coupler->x == coupler->y)
    return limpet_compile_error(compiler, LIMPET_OBJECT_COUPLER, c,
                                " couples a coordinate with itself; name two different ones");
  const int side[2] = {coupler->y, coupler->x};
  for (int k = 0; k < 2 && !coupler->tendon; ++k)
    if (side[k] != LIMPET_NONE && !one_coordinate(joints[side[k]].kind))
      return limpet_compile_error(
          compiler, LIMPET_OBJECT_COUPLER, c,
          " names the %s %s; couplers need joints with one coordinate",
          limpet_joint_kind_word(joints[side[k]].kind),
          limpet_compile_label(compiler, LIMPET_OBJECT_JOINT, side[k]).text);
  return LIMPET_OK;
}

limpet_status limpet_compile_couplers(limpet_compiler *compiler) {
  limpet_model *model = compiler->model;
  for (int c = 0; c < model->coupler_count; ++c) {
    const limpet_status status = check_coupler(compiler, c);
    if (status) return status;
    const limpet_coupler_description *coupler = limpet_builder_couplers(compiler->builder) + c;
    const bool alone = coupler->x == LIMPET_NONE;
    model->coupler_tendon[c] = coupler->tendon;
    model->coupler_active[c] = coupler->active;
    model->coupler_has_impedance[c] = coupler->has_impedance;
    model->coupler_impedance[c] = coupler->impedance;
    model->coupler_y[c] = coupler->tendon ? coupler->y : compiler->joint.index[coupler->y];
    model->coupler_x[c] = alone || coupler->tendon ? coupler->x : compiler->joint.index[coupler->x];
    for (int k = 0; k < 5; ++k) model->coupler_coefficient[5 * c + k] = coupler->coefficient[k];
  }
  return LIMPET_OK;
}
