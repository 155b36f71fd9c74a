/* step/close_loops.h: loops whose bodies did not fly as their rows expected. */
#ifndef LIMPET_STEP_CLOSE_LOOPS_H
#define LIMPET_STEP_CLOSE_LOOPS_H

#include "step/prepared.h"
#include "step/stage_clock.h"

/* After an attempt: whether bodies alone that loops hold turned otherwise than the rows of the
 * loops expected. Then the problem is posed anew, with what the attempt found. */
bool limpet_step_close_loops(limpet_step_prepared *prepared, const limpet_step_result *result,
                             limpet_stage_clock *clock);

#endif
