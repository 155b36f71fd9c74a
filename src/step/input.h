/* step/input.h: whether the inputs and the state of a step are numbers to reckon with. */
#ifndef LIMPET_STEP_INPUT_H
#define LIMPET_STEP_INPUT_H

#include "limpet/data.h"
#include "model/trees.h"
#include "step/free_motion.h"

// Fills clamped_controls, bad_input and bad_input_index of info. Outcome: solved or bad input.
limpet_outcome limpet_input_check(const limpet_data *data, limpet_step_info *info);

/* Whether q and v can be reckoned with: every number is finite, the squares of q are, and every
 * quaternion has a direction. */
bool limpet_input_state_is_usable(const limpet_model *model, const limpet_data *data);
/* Trees whose state cannot get poses that are no numbers. Returns whether there are any. After the
 * kinematics. */
bool limpet_input_lose_poses(const limpet_model *model, limpet_data *data, limpet_trees trees);
// These trees fail, whatever their free motion made of their coordinates, so that they are held.
void limpet_input_fail_trees(const limpet_model *model, const limpet_data *data,
                             limpet_free_motion *motion);

#endif
