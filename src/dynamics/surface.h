/* dynamics/surface.h: surfaces that move by themselves: belts and tracks. */
#ifndef LIMPET_DYNAMICS_SURFACE_H
#define LIMPET_DYNAMICS_SURFACE_H

#include "limpet/data.h"

// Whether the material of the geom has a surface velocity, or turns.
bool limpet_surface_moves(const limpet_model *model, int geom);

/* Spatial velocity V = [angular [rad/s], of the point at W's origin [m/s]] of the geom's surface
 * relative to its body, W: the material's, times the sum of what the actuators on the geom say,
 * times 1 where there is none. Needs geom poses. */
void limpet_surface_velocity(const limpet_model *model, const limpet_data *data, int geom,
                             double V[6]);

#endif
