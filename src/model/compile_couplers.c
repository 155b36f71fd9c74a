/* model/compile_couplers.c: couplers between joints or tendons. */
#include "model/compile.h"

static bool one_coordinate(limpet_joint_kind kind) { return limpet_joint_kind_nv(kind) == 1; }

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
