/* control/joints.h: a choice of joints with one coordinate, as IK, inverse dynamics and controllers
 * take it. */
#ifndef LIMPET_CONTROL_JOINTS_H
#define LIMPET_CONTROL_JOINTS_H

#include "limpet/data.h"

// Whether each joint has one coordinate and none is named twice; fills the error otherwise.
limpet_status limpet_joints_check(const limpet_model *model, int count, const int *joint,
                                  limpet_error *error);
// Name of a joint in words: "'elbow'", or "number 3"; `text` holds at least `size` characters.
const char *limpet_joint_label(char *text, size_t size, const limpet_model *model, int joint);
// Copies what decides poses and velocities: q, v, mocap poses, time.
void limpet_scratch_follow(const limpet_model *model, limpet_data *scratch,
                           const limpet_data *data);

#endif
