/* step/brake.h: trees in contact that the end of a step would slow down after its solve. */
#ifndef LIMPET_STEP_BRAKE_H
#define LIMPET_STEP_BRAKE_H

#include "step/prepared.h"

/* After an attempt: whether joints of trees in contact turned so that the tree gained energy. Then
 * they are damped, and the problem is posed anew. */
bool limpet_step_brake(limpet_step_prepared *prepared, const limpet_step_result *result,
                       limpet_stage_clock *clock);

#endif
