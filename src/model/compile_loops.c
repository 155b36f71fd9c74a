/* model/compile_loops.c: loops: frames on two bodies, one of which may follow from the other in the
 * reference pose. */
#include <math.h>

#include "math/quaternion.h"
#include "math/vec3.h"
#include "model/compile.h"

static limpet_status check_loop(const limpet_compiler *compiler, int l) {
  const limpet_loop_description *loop = limpet_builder_loops(compiler->builder) + l;
  const int list = LIMPET_OBJECT_LOOP;
  if (loop->body_a == loop->body_b)
    return limpet_compile_error(
        compiler, list, l, " holds %s to itself; name two different bodies",
        limpet_compile_label(compiler, LIMPET_OBJECT_BODY, loop->body_a).text);
  if (loop->kind == LIMPET_LOOP_DISTANCE && !isnan(loop->length) &&
      !(loop->length > 0.0 && isfinite(loop->length)))
    return limpet_compile_error(
        compiler, list, l,
        ": its length is %g m; give a positive one, NAN for that of the reference pose, or use a "
        "connect, which holds two points together",
        loop->length);
  if (loop->kind == LIMPET_LOOP_DISTANCE && loop->from_reference != LIMPET_LOOP_FRAME_GIVEN)
    return limpet_compile_error(
        compiler, list, l, ": a distance needs both of its points; give position_a and position_b");
  if (!(loop->stiffness > 0.0))
    return limpet_compile_error(
        compiler, list, l,
        ": its stiffness is %g N/m; give a positive one, or infinity for near-rigid",
        loop->stiffness);
  if (loop->damping < 0.0)
    return limpet_compile_error(compiler, list, l, ": its damping is %g N s/m; give zero or more",
                                loop->damping);
  if (loop->torque_scale < 0.0)
    return limpet_compile_error(compiler, list, l, ": its torque scale is %g; give zero or more",
                                loop->torque_scale);
  return LIMPET_OK;
}

static void frame_world(const limpet_compiler *compiler, int l, int side, double position[3],
                        double quaternion[4]) {
  const limpet_model *model = compiler->model;
  const int body = model->loop_body[2 * l + side];
  const double *base = compiler->body_world_quaternion + 4 * body;
  limpet_quaternion_rotate(position, base, model->loop_position + 6 * l + 3 * side);
  limpet_vec3_add(position, position, compiler->body_world_position + 3 * body);
  limpet_quaternion_mul(quaternion, base, model->loop_quaternion + 8 * l + 4 * side);
}

// The frame on one side lies where that on the other side lies.
static void follow(const limpet_compiler *compiler, int l, int side) {
  limpet_model *model = compiler->model;
  const int body = model->loop_body[2 * l + side];
  double position[3], quaternion[4], inverse[4];
  frame_world(compiler, l, 1 - side, position, quaternion);
  limpet_vec3_sub(position, position, compiler->body_world_position + 3 * body);
  limpet_quaternion_conjugate(inverse, compiler->body_world_quaternion + 4 * body);
  limpet_quaternion_rotate(model->loop_position + 6 * l + 3 * side, inverse, position);
  limpet_quaternion_mul(model->loop_quaternion + 8 * l + 4 * side, inverse, quaternion);
}

static limpet_status fill_frames(const limpet_compiler *compiler, int l) {
  const limpet_loop_description *loop = limpet_builder_loops(compiler->builder) + l;
  limpet_model *model = compiler->model;
  const double *position[2] = {loop->position_a, loop->position_b},
               *quaternion[2] = {loop->quaternion_a, loop->quaternion_b};
  const int body[2] = {loop->body_a, loop->body_b};
  for (int side = 0; side < 2; ++side) {
    model->loop_body[2 * l + side] = compiler->body.index[body[side]];
    limpet_vec3_copy(model->loop_position + 6 * l + 3 * side, position[side]);
    const limpet_status status =
        limpet_compile_quaternion(compiler, LIMPET_OBJECT_LOOP, l, "quaternion", quaternion[side],
                                  model->loop_quaternion + 8 * l + 4 * side);
    if (status) return status;
  }
  if (loop->from_reference == LIMPET_LOOP_FRAME_A) follow(compiler, l, 0);
  if (loop->from_reference == LIMPET_LOOP_FRAME_B) follow(compiler, l, 1);
  return LIMPET_OK;
}

static limpet_status fill_length(const limpet_compiler *compiler, int l) {
  const limpet_loop_description *loop = limpet_builder_loops(compiler->builder) + l;
  double P[3], Q[3], quaternion[4];
  compiler->model->loop_length[l] = loop->kind == LIMPET_LOOP_DISTANCE ? loop->length : 0.0;
  if (loop->kind != LIMPET_LOOP_DISTANCE || !isnan(loop->length)) return LIMPET_OK;
  frame_world(compiler, l, 0, P, quaternion);
  frame_world(compiler, l, 1, Q, quaternion);
  compiler->model->loop_length[l] = limpet_vec3_distance(P, Q);
  if (compiler->model->loop_length[l] > 0.0) return LIMPET_OK;
  return limpet_compile_error(
      compiler, LIMPET_OBJECT_LOOP, l,
      ": its points coincide in the reference pose; give a length, or use a connect, which holds "
      "two points together");
}

limpet_status limpet_compile_loops(limpet_compiler *compiler) {
  limpet_model *model = compiler->model;
  for (int l = 0; l < model->loop_count; ++l) {
    const limpet_loop_description *loop = limpet_builder_loops(compiler->builder) + l;
    limpet_status status = check_loop(compiler, l);
    if (!status) status = fill_frames(compiler, l);
    if (!status) status = fill_length(compiler, l);
    if (status) return status;
    model->loop_kind[l] = loop->kind;
    model->loop_active[l] = loop->active;
    model->loop_has_impedance[l] = loop->has_impedance;
    model->loop_impedance[l] = loop->impedance;
    model->loop_stiffness[l] = loop->stiffness;
    model->loop_damping[l] = loop->damping;
    model->loop_torque_scale[l] = loop->torque_scale;
  }
  return LIMPET_OK;
}
