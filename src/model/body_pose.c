/* model/body_pose.c: the pose of one body, for whatever the compiler assumes of every machine. */
#include "model/body_pose.h"

#include "model/body_pose_code.h"

void limpet_body_pose(const limpet_model *model, limpet_data *data, int b) {
  body_pose(model, data, b, NULL);
}
