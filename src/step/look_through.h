// step/look_through.h: deformable bodies that pass through each other within a step.
#ifndef LIMPET_STEP_LOOK_THROUGH_H
#define LIMPET_STEP_LOOK_THROUGH_H

#include "step/prepared.h"
#include "step/stage_clock.h"

/* After an attempt: whether deformable bodies passed through each other or themselves on the way to
 * where it ends. If so, the prepared step has a new problem with contacts against that and is to be
 * attempted anew; `result` is used up. After ROUNDS of a step what still passes is left, and told:
 * the crossing numbers of work->info, which the commit reads. prepared->outcome: solved or out of
 * memory. */
bool limpet_step_look_through(limpet_step_prepared *prepared, const limpet_step_result *result,
                              limpet_stage_clock *clock);

#endif
