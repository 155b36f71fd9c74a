/* gradient/core_change.h: how the contact of two balls, of a ball and a capsule, or of two capsules
 * moves when B moves as a rigid body and A stays: in closed form. */
#ifndef LIMPET_GRADIENT_CORE_CHANGE_H
#define LIMPET_GRADIENT_CORE_CHANGE_H

#include "gradient/box_change.h"

/* change[k] of a contact point of the two shapes under the six twists of B about P, as in
 * pair_change.h. near [m]: false where a nearest point is nearer than this to where a capsule's
 * cylinder ends, for there its curvature jumps; false also for other shapes, for capsules that are
 * nearly parallel and for points that are not the nearest ones. */
bool limpet_core_point_rates(const limpet_shape *a, const limpet_shape *b,
                             const limpet_contact_point *point, const double P[3], double near,
                             limpet_box_point_change change[6]);

#endif
