/* collide/bounds.h: the boxes of the colliders, and how far each has moved.
 *
 *   box    around the shape at its pose, grown by margin, gap and reach of its body: boxes of a
 *          pair meet when it is within the sum of both; single precision, rounded outwards
 *   wide   holds the box for some steps to come: grown by a tenth of its size and four reaches.
 *          Made anew when the box leaves it, or is far smaller
 *   moved  |dp| of the middle p of a carrier's colliders, summed over the poses seen; in worlds of
 *          few bodies, where only motion of pairs counts, |dp - m| with the mean m of all dp
 *   turned 2 |dQ| of its quaternion Q, likewise; 2 |dQ| = 4 sin(angle/4) >= 2 sin(angle/2), so a
 *          point at the distance r from p moves by moved + turned r at most
 *   spread that of the corners of its box, and its reach: by no more a side of the box moves
 * A carrier has the spread of its farthest box. A box is made where its spread may have taken it
 * out of the wide one, or where it is asked for. Cost: some 60 instructions for a body, 15 for a
 * collider, 150 for a box. */
#ifndef LIMPET_COLLIDE_BOUNDS_H
#define LIMPET_COLLIDE_BOUNDS_H

#include "collide/collide.h"
#include "collide/colliders.h"

// Makes the box of collider c as it is now.
void limpet_bounds_box_make(limpet_colliders *colliders, const limpet_model *model,
                            const limpet_data *data, const limpet_reach *reach, int c);

// The box of collider c as it is now, made where it is not.
static inline const limpet_box *limpet_bounds_box(limpet_colliders *colliders,
                                                  const limpet_model *model,
                                                  const limpet_data *data,
                                                  const limpet_reach *reach, int c) {
  const long boxed = colliders->boxed[c];
  if (limpet_collider_is_carried(colliders, c) ? boxed != colliders->step : boxed <= 0)
    limpet_bounds_box_make(colliders, model, data, reach, c);
  return &colliders->box[c];
}

// Spreads of carriers, in worlds of few bodies: carrier_pairs.h.
void limpet_bounds_carriers(limpet_colliders *colliders, const limpet_model *model,
                            const limpet_data *data, const limpet_reach *reach);

/* Spreads and wide boxes of all colliders that may have moved; those that left their wide boxes get
 * new ones, are listed in colliders->left, and take their new places in the trees. */
void limpet_bounds_update(limpet_colliders *colliders, const limpet_model *model,
                          const limpet_data *data, const limpet_reach *reach);

#endif
