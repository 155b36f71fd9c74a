/* step/anchors.h: what contacts carry from step to step: forces, stretch of bristles, rebounds;
 * found again by geoms and feature. The shear of a contact surface takes two anchors, which come
 * first: it has room whatever its number of points is. */
#ifndef LIMPET_STEP_ANCHORS_H
#define LIMPET_STEP_ANCHORS_H

#include "contact/problem.h"
#include "contact/record.h"

// Places in an anchor: what it is found by (geoms and feature), force, stretch, rebound.
enum {
  LIMPET_ANCHOR_KEY = 4,
  LIMPET_ANCHOR_FORCE = LIMPET_ANCHOR_KEY,
  LIMPET_ANCHOR_REBOUND = LIMPET_ANCHOR_FORCE + 6
};
#define LIMPET_ANCHOR_SHEAR 0x1p32  // from which the first half of a feature is that of a shear

// For the next step; what is NULL is kept as zero.
typedef struct limpet_anchors_next {
  const double *carried;      // (contact_count x 3) [N]  W
  const double *stretch;      // (contact_count x 3) [m]  W
  const double *rebound;      // (contact_count) [m/s]; with stretch
  const double *taken;        // (contact_count) [J]; with stretch
  const limpet_shear *shear;  // (pairs of the records)  of those that keep one; with stretch
  const bool *keeps_shear;    // (pairs of the records)
} limpet_anchors_next;

/* Before the solve: problem->carried, and stretch and rebound where the model has bristles, from
 * data->anchor. Zero for contacts that are new, but for their stretch, the mean of their pair's,
 * and for forces of a pair all of whose contacts are new. For a partitioned problem. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_anchors_load(const limpet_data *data, const limpet_contact_records *records,
                                  limpet_arena *arena, limpet_contact_problem *problem);
/* Forces of a pair whose contacts are all new: where corners of two faces coincide, round-off says
 * in each step anew whose they are. The pair presses on, so its deepest contacts have the forces
 * that nobody found; they are where a solve starts from, no more. place (contact_count) of the
 * contacts in the anchors, `used` of which there are. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_anchors_hand_on(const double *anchors, int used,
                                     const limpet_contact_records *records, const int *place,
                                     limpet_arena *arena, limpet_contact_problem *problem);
// Anchors of data->anchor that are in use: the first ones.
int limpet_anchors_used(const limpet_data *data);
// [N]  root of the sum of squares of the forces that contacts of a geom carried in the last step.
double limpet_anchors_force(const limpet_data *data, int geom);
// [J]  that contacts may give back, which part in the next step.
double limpet_anchors_energy(const limpet_data *data);
/* place (contact_count): of the anchor of data->anchor that each contact has; LIMPET_NONE: none.
 * The same look-up. Memory from the arena, given back. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_anchors_find(const limpet_data *data, const limpet_contact_records *records,
                                  const limpet_contact_problem *problem, limpet_arena *arena,
                                  int *place);
/* After it, with poses of the start of the step: contacts keep what they are to carry, in their
 * order, as many as there is room for; the rest start the next step from zero. */
void limpet_anchors_store(limpet_data *data, const limpet_contact_records *records,
                          const limpet_contact_problem *problem, const limpet_anchors_next *next);

#endif
