/* control/joints.c: checks of a choice of joints; a second world that follows the first. */
#include "control/joints.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

const char *limpet_joint_label(char *text, size_t size, const limpet_model *model, int joint) {
  const char *name = limpet_model_name(model, LIMPET_OBJECT_JOINT, joint);
  if (name) snprintf(text, size, "'%s'", name);
  else snprintf(text, size, "number %d", joint);
  return text;
}

limpet_status limpet_joints_check(const limpet_model *model, int count, const int *joint,
                                  limpet_error *error) {
  char label[160];
  if (count < 1)
    return limpet_error_fill(error, LIMPET_ERROR_INPUT, "no joints are chosen; give at least one");
  for (int i = 0; i < count; ++i) {
    if (joint[i] < 0 || joint[i] >= model->joint_count)
      return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "there is no joint number %d; the model has %d", joint[i],
                               model->joint_count);
    const limpet_joint_kind kind = model->joint_kind[joint[i]];
    limpet_joint_label(label, sizeof label, model, joint[i]);
    if (limpet_joint_kind_nv(kind) != 1)
      return limpet_error_fill(
          error, LIMPET_ERROR_INPUT,
          "joint %s is a %s joint; only prismatic and revolute joints can be controlled", label,
          limpet_joint_kind_word(kind));
    for (int k = 0; k < i; ++k)
      if (joint[k] == joint[i])
        return limpet_error_fill(error, LIMPET_ERROR_INPUT, "joint %s is named twice", label);
  }
  return LIMPET_OK;
}

void limpet_scratch_follow(const limpet_model *model, limpet_data *scratch,
                           const limpet_data *data) {
  const size_t mocap = (size_t)model->mocap_count * sizeof(double);
  scratch->time = data->time;
  memcpy(scratch->q, data->q, (size_t)model->nq * sizeof(double));
  memcpy(scratch->v, data->v, (size_t)model->nv * sizeof(double));
  memcpy(scratch->mocap_position, data->mocap_position, 3 * mocap);
  memcpy(scratch->mocap_quaternion, data->mocap_quaternion, 4 * mocap);
}
