/* collide/pressure.h: contact surfaces of geoms with pressure fields, as contact points. */
#ifndef LIMPET_COLLIDE_PRESSURE_H
#define LIMPET_COLLIDE_PRESSURE_H

#include "collide/collide.h"
#include "limpet/pressure.h"

// Whether the two geoms touch by a contact surface: both have fields, and one is compliant.
bool limpet_pressure_meets(const limpet_model *model, int geom_a, int geom_b);

// The world's contact surface, for one query at a time. NULL: no memory.
limpet_pressure_surface *limpet_pressure_surface_of(limpet_data *data);
/* The contact surface of a pair within `reach` [m]: its points, valid until the next call for this
 * world. NULL: no memory. */
const limpet_pressure_surface *limpet_pressure_of_pair(const limpet_model *model, limpet_data *data,
                                                       const limpet_collision_pair *pair,
                                                       double reach, limpet_surface_kind kind);

/* Appends the points of a surface that can act to the contacts, which have room for them
 * all; `pair`: their pair's number. */
void limpet_pressure_append(const limpet_pressure_surface *surface, int pair,
                            limpet_collision *collision);

#endif
