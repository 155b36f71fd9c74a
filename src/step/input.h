/* step/input.h: whether the inputs of a step are numbers. */
#ifndef LIMPET_STEP_INPUT_H
#define LIMPET_STEP_INPUT_H

#include "limpet/data.h"

// Fills clamped_controls, bad_input and bad_input_index of info. Outcome: solved or bad input.
limpet_outcome limpet_input_check(const limpet_data *data, limpet_step_info *info);

#endif
