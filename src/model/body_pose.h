/* model/body_pose.h: the pose of a body. */
#ifndef LIMPET_MODEL_BODY_POSE_H
#define LIMPET_MODEL_BODY_POSE_H

#include "limpet/data.h"

/* q, mocap poses and the pose of the parent -> body_position, body_quaternion, body_rotation of
 * body b, and [axis; anchor] or [0; axis] in dof_axis of its velocities, W. Other arrays of `data`
 * need not be there. */
void limpet_body_pose(const limpet_model *model, limpet_data *data, int b);

#endif
