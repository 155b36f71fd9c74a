/* collide/cull.h: cheap bounds on the distance of two colliders, before the narrow phase is
 * asked. */
#ifndef LIMPET_COLLIDE_CULL_H
#define LIMPET_COLLIDE_CULL_H

#include "collide/colliders.h"

/* False only if the colliders a and b are certainly farther apart than `reach` (>= 0)  [m]. True:
 * *inside, by how much it is so: while they and the reach change by less, they are near. */
bool limpet_colliders_near(const limpet_colliders *colliders, const limpet_model *model,
                           const limpet_data *data, int a, int b, double reach, double *inside);

/* How far apart two colliders certainly are by their bounding spheres, or over a plane by the box
 * [m]. The more they move the less it becomes, by their ways (bounds.h) at most. */
double limpet_colliders_clearance(const limpet_colliders *colliders, const limpet_model *model,
                                  const limpet_data *data, int a, int b);

/* Whether the oriented boxes of two colliders that are no planes are farther apart than `reach`;
 * then the axis (unit, from A to B, axes of geom A) along which they are. */
bool limpet_colliders_boxes_apart(const limpet_colliders *colliders, const limpet_model *model,
                                  const limpet_data *data, int a, int b, double reach,
                                  double axis[3]);

#endif
