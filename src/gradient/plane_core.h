/* gradient/plane_core.h: how the point of a shape that touches a half space moves with its body. */
#ifndef LIMPET_GRADIENT_PLANE_CORE_H
#define LIMPET_GRADIENT_PLANE_CORE_H

#include "geometry/shape.h"

// A point that is fixed to its body: centre of a ball, corner; or the lowest of a cylinder's rim.
typedef struct limpet_plane_core {
  double point[3];    // [m]  W
  bool rolls;         // along the rim, as the cylinder tilts
  double slip[3];     // [m]  by a unit of rotation about each axis of the world, along
  double tangent[3];  // unit, W
} limpet_plane_core;

/* n: away from the half space, which the shape touches in the point `on`. room [rad]: how far it
 * may turn before another point takes its place. False: a shape without such points, or another one
 * is nearer than that. */
bool limpet_plane_core_make(const limpet_shape *shape, const double on[3], uint64_t feature,
                            const double n[3], double room, limpet_plane_core *core);
// Velocity of the point under twist k about P: twist.h.
void limpet_plane_core_at(const limpet_plane_core *core, const double P[3], int k,
                          double velocity[3]);

#endif
