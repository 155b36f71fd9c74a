/* step/pose_part.h: the problem of a step anew where an attempt lacked contacts in a few islands:
 * those are posed, and all others stay as they were solved. */
#ifndef LIMPET_STEP_POSE_PART_H
#define LIMPET_STEP_POSE_PART_H

#include "step/prepared.h"
#include "step/stage_clock.h"

/* Poses the problem from the collision of the work, which has more contacts than `posed`, that of
 * the attempt. twist (body_count x 6): of bodies at the velocities of the attempt. The work then
 * says what stays of it. False: nothing is posed, for it would spare little, or islands are not
 * solved for themselves. prepared->outcome as limpet_step_pose_again gives it. */
bool limpet_step_pose_part(limpet_step_prepared *prepared, const limpet_step_result *result,
                           const limpet_collision *posed, const double *twist,
                           limpet_stage_clock *clock);

#endif
