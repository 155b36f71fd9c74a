/* step/look_again.h: contacts that the problem of a step did not have, seen where the step ends. */
#ifndef LIMPET_STEP_LOOK_AGAIN_H
#define LIMPET_STEP_LOOK_AGAIN_H

#include "step/prepared.h"

// Attempts of a step after the first, at most.
enum { LIMPET_LOOK_AGAIN_LIMIT = 2 };

/* After an attempt: whether geoms would overlap at the end of the step where none of their contacts
 * expects it. If so, the prepared step has a new problem with contacts against that, which starts
 * from the forces of the attempt and is to be attempted anew; `result` cannot be committed any
 * more. prepared->outcome: solved or out of memory. */
bool limpet_step_look_again(limpet_step_prepared *prepared, const limpet_step_result *result);

#endif
