/* step/detection.h: stages 3 and 4 of a step: the contact points that may act within it. */
#ifndef LIMPET_STEP_DETECTION_H
#define LIMPET_STEP_DETECTION_H

#include "collide/collide.h"
#include "limpet/step.h"
#include "model/trees.h"
#include "step/free_motion.h"
#include "step/stage_clock.h"

// What a step looks for contacts with.
typedef struct limpet_detection {
  const limpet_model *model;
  limpet_data *data;  // with the poses
  const limpet_step_settings *settings;
  limpet_trees trees;
  const limpet_free_motion *motion;
  limpet_arena *arena;
  limpet_stage_clock *clock;
  // (tree_count)  trees that motion->v_thrown takes farther than they were looked ahead: others are
  // looked for as far as before
  const bool *farther;
} limpet_detection;

/* Pairs and contact points at the poses in data, as far as bodies of `trees` may move in the step
 * by their velocity now, by free motion or as thrown. reach: how far that is, from `arena`; with
 * `farther`, before that how far it was. Pairs
 * of which neither geom moves are not among them. known: what was found at these poses with another
 * reach, NULL: nothing. Outcome: solved or out of memory. */
limpet_outcome limpet_step_detect(const limpet_detection *detection, const limpet_collision *known,
                                  limpet_reach *reach, limpet_collision *collision);

/* Pairs in `collision` that the twists `twist` (body_count x 6) of bodies of `trees` bring together
 * from farther off than they were looked at are asked again, as far as `reach` of their bodies lets
 * them come. Outcome: solved or out of memory. */
limpet_outcome limpet_step_detect_thrown(const limpet_detection *detection,
                                         const limpet_reach *reach, const double *twist,
                                         limpet_collision *collision);

/* Whether a step with these settings looks for what its contacts lack where it ends:
 * look_again.c. */
bool limpet_step_looks_again(const limpet_step_settings *settings);

#endif
