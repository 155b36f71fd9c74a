/* gradient/touch_change.h: how the nearest points of two convex shapes move when B moves as a rigid
 * body and A stays, from the curvature of both surfaces there: in closed form. */
#ifndef LIMPET_GRADIENT_TOUCH_CHANGE_H
#define LIMPET_GRADIENT_TOUCH_CHANGE_H

#include "gradient/box_change.h"

/* change[k] of a contact point of the two shapes under the six twists of B about P, as in
 * pair_change.h. reach [m, rad]: of the twists; false where one of them would take a nearest point
 * to another feature (a face's end, another curvature). False, too, where the points are not the
 * nearest ones, where they have no one place (a face on a face, parallel edges), where cores are so
 * deep in each other that another side may be as near, and for shapes without a form
 * (surface_form.h). */
bool limpet_touch_point_rates(const limpet_shape *a, const limpet_shape *b,
                              const limpet_contact_point *point, const double P[3], double reach,
                              limpet_box_point_change change[6]);

#endif
