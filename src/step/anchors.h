/* step/anchors.h: tangential springs of contacts from step to step: found again by geoms and feature. */
#ifndef LIMPET_STEP_ANCHORS_H
#define LIMPET_STEP_ANCHORS_H

#include "collide/collide.h"
#include "contact/problem.h"

/* Before the solve: problem->stretch from data->anchor, zero for contacts that are new. For a partitioned problem. 0, or 1
 * without memory. */
int limpet_anchors_load(const limpet_data *data, const limpet_collision *collision, limpet_arena *arena,
                        limpet_contact_problem *problem);
/* After it: contacts with a normal impulse keep their springs, in the order of collision, as many as there is room for; the
 * rest have friction without a spring. */
void limpet_anchors_store(limpet_data *data, const limpet_collision *collision, const limpet_contact_problem *problem);

#endif
