/* model/compile_keyframes.c: keyframes; what a keyframe leaves out is the reference pose and
 * zero. */
#include <math.h>
#include <string.h>

#include "math/quaternion.h"
#include "model/compile.h"

/* Copies `count` numbers if they are given; fails where their count is not the model's or one is
 * not finite. */
static limpet_status take(limpet_compiler *compiler, int key, const char *what, const double *given,
                          int given_count, int count, double *target) {
  if (!given) return LIMPET_OK;
  if (given_count != count)
    return limpet_compile_error(compiler, LIMPET_OBJECT_KEYFRAME, key,
                                ": %s has %d numbers, the model has %d; give one for each", what,
                                given_count, count);
  for (int i = 0; i < count; ++i)
    if (!isfinite(given[i]))
      return limpet_compile_error(compiler, LIMPET_OBJECT_KEYFRAME, key,
                                  ": %s contains %g at place %d; give finite numbers", what,
                                  given[i], i);
  memcpy(target, given, (size_t)count * sizeof(double));
  return LIMPET_OK;
}

// Quaternions of free and ball joints are normalised.
static limpet_status normalize(limpet_compiler *compiler, int key, double *q) {
  const limpet_model *model = compiler->model;
  for (int j = 0; j < model->joint_count; ++j) {
    const int offset = model->joint_kind[j] == LIMPET_JOINT_FREE ? 3 : 0;
    if (model->joint_kind[j] != LIMPET_JOINT_FREE && model->joint_kind[j] != LIMPET_JOINT_BALL)
      continue;
    double *quaternion = q + model->joint_q[j] + offset;
    const limpet_status status =
        limpet_compile_quaternion(compiler, LIMPET_OBJECT_KEYFRAME, key,
                                  "qpos contains a quaternion that", quaternion, quaternion);
    if (status) return status;
  }
  return LIMPET_OK;
}

static limpet_status fill_keyframe(limpet_compiler *compiler, int k) {
  limpet_model *model = compiler->model;
  const limpet_keyframe_description *key = limpet_builder_keyframes(compiler->builder) + k;
  const int mocap = model->mocap_count;
  double *q = model->keyframe_q + (size_t)k * (size_t)model->nq;
  double *position = model->keyframe_mocap_position + 3 * k * mocap,
         *quaternion = model->keyframe_mocap_quaternion + 4 * k * mocap;

  // what is left out: the pose of the file
  model->keyframe_time[k] = key->time;
  memcpy(q, model->q_reference, (size_t)model->nq * sizeof(double));
  for (int m = 0; m < mocap; ++m) {
    limpet_vec3_copy(position + 3 * m, model->body_position + 3 * model->mocap_body[m]);
    limpet_quaternion_copy(quaternion + 4 * m, model->body_quaternion + 4 * model->mocap_body[m]);
  }

  limpet_status status = take(compiler, k, "qpos", key->q, key->q_count, model->nq, q);
  if (!status)
    status = take(compiler, k, "qvel", key->v, key->v_count, model->nv,
                  model->keyframe_v + k * model->nv);
  if (!status)
    status = take(compiler, k, "ctrl", key->control, key->control_count, model->nu,
                  model->keyframe_control + k * model->nu);
  if (!status)
    status = take(compiler, k, "act", key->activation, key->activation_count, model->na,
                  model->keyframe_activation + k * model->na);
  if (!status)
    status =
        take(compiler, k, "mpos", key->mocap_position, 3 * key->mocap_count, 3 * mocap, position);
  if (!status)
    status = take(compiler, k, "mquat", key->mocap_quaternion, 4 * key->mocap_count, 4 * mocap,
                  quaternion);
  for (int m = 0; m < mocap && !status; ++m)
    status = limpet_compile_quaternion(compiler, LIMPET_OBJECT_KEYFRAME, k, "mquat",
                                       quaternion + 4 * m, quaternion + 4 * m);
  return status ? status : normalize(compiler, k, q);
}

limpet_status limpet_compile_keyframes(limpet_compiler *compiler) {
  for (int k = 0; k < compiler->model->keyframe_count; ++k) {
    const limpet_status status = fill_keyframe(compiler, k);
    if (status) return status;
  }
  return LIMPET_OK;
}
