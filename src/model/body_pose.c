/* model/body_pose.c: the pose of one body, for whatever the compiler assumes of every machine. */
#include "model/body_pose.h"

#include "model/body_pose_code.h"

void limpet_body_pose(const limpet_model *model, limpet_data *data, int b) {
  half_turns turns = half_turns_until(model->body_joint[b] + model->body_joint_count[b]);
  body_pose(&turns, model, data, b, NULL, false);
}
