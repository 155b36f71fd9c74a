/* collide/bounds.h: the boxes of the colliders, and how far each has moved.
 *
 *   box    around the shape at its pose, grown by margin, gap and reach of its body: boxes of a
 *          pair meet when it is within the sum of both; single precision, rounded outwards
 *   wide   holds the box for some steps to come: grown by a tenth of its size and four reaches.
 *          Made anew when the box leaves it, or is far smaller
 *   way    a bound on how far any point of the shape has moved, summed over the poses seen:
 *          |dp| + |dR|_F r with r the radius about the geom's origin
 * Cost: some 150 instructions for a collider that may have moved. */
#ifndef LIMPET_COLLIDE_BOUNDS_H
#define LIMPET_COLLIDE_BOUNDS_H

#include "collide/collide.h"
#include "collide/colliders.h"

/* Boxes and ways of all colliders that may have moved; those that left their wide boxes get new
 * ones, are listed in colliders->left, and take their new places in the trees. */
void limpet_bounds_update(limpet_colliders *colliders, const limpet_model *model,
                          const limpet_data *data, const limpet_reach *reach);

#endif
