// step/pose_again.h: the problem of a step anew, with contacts that its last attempt lacked.
#ifndef LIMPET_STEP_POSE_AGAIN_H
#define LIMPET_STEP_POSE_AGAIN_H

#include "step/prepared.h"
#include "step/stage_clock.h"

/* Poses the problem from the collision of the work, which has more contacts than that of the
 * attempt; it starts from what the attempt found. prepared->outcome: solved or out of memory; if it
 * is that before, nothing is posed. */
void limpet_step_pose_again(limpet_step_prepared *prepared, const limpet_step_result *result,
                            limpet_stage_clock *clock);
/* Contacts of the work's problem that an attempt with these records had start from the forces that
 * it found, `carried` (contacts of its problem x 3). known (contacts of the problem), false: which
 * these are. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_step_carry_found(limpet_step_work *work, const limpet_contact_records *records,
                                      const double *carried, bool *known);
// The world where an attempt ends, of which trees are posed when one of their geoms is asked for.
typedef struct limpet_step_end {
  const limpet_step_work *work;
  limpet_data world;  // a mirror of the data, in the step memory
  bool *posed;        // (tree_count)
} limpet_step_end;

// q (nq): of the attempt. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_step_end_open(const limpet_step_work *work, const limpet_data *data, double *q,
                                   limpet_step_end *end);
// The pose of a geom into end->world.
void limpet_step_end_pose(limpet_step_end *end, int geom);
/* Poses of trees and colliders where an attempt ends, with its q (nq): a mirror of `data` in the
 * step memory. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_step_end_world(const limpet_step_work *work, const limpet_data *data,
                                    double *q, limpet_data *end);
/* Twists (body_count x 6) of bodies at the velocities v (nv), W, about the origin of their tree.
 * NULL: no memory. */
double *limpet_step_twists_of(const limpet_model *model, const limpet_data *data, const double *v,
                              limpet_arena *arena);

#endif
