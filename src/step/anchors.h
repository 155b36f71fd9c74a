/* step/anchors.h: forces that contacts carry from step to step: found again by geoms and
 * feature. */
#ifndef LIMPET_STEP_ANCHORS_H
#define LIMPET_STEP_ANCHORS_H

#include "contact/problem.h"
#include "contact/record.h"

/* Before the solve: problem->carried from data->anchor, zero for contacts that are new. For a
 * partitioned problem. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_anchors_load(const limpet_data *data, const limpet_contact_records *records,
                                  limpet_arena *arena, limpet_contact_problem *problem);
/* After it: contacts keep what they are to carry, in their order, as many as there is room for; the
 * rest start the next step from zero. carried (contact_count x 3): of the solution. */
void limpet_anchors_store(limpet_data *data, const limpet_contact_records *records,
                          const limpet_contact_problem *problem, const double *carried);

#endif
