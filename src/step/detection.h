/* step/detection.h: stages 3 and 4 of a step: the contact points that may act within it. */
#ifndef LIMPET_STEP_DETECTION_H
#define LIMPET_STEP_DETECTION_H

#include "collide/collide.h"
#include "limpet/step.h"
#include "model/trees.h"
#include "step/free_motion.h"
#include "step/stage_clock.h"

/* Pairs and contact points at the poses in data, as far as bodies of `trees` may move in the step
 * by their velocity now, by free motion or as thrown. reach: how far that is, from `arena`. Pairs
 * of which neither geom moves are not among them. known: what was found at these poses with another
 * reach, NULL: nothing. Outcome: solved or out of memory. */
limpet_outcome limpet_step_detect(const limpet_model *model, limpet_data *data,
                                  const limpet_step_settings *settings, limpet_trees trees,
                                  const limpet_free_motion *motion, const limpet_collision *known,
                                  limpet_arena *arena, limpet_stage_clock *clock,
                                  limpet_reach *reach, limpet_collision *collision);

#endif
