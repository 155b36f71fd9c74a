/* collide/near.h: whether the colliders of a candidate may be within reach, by their boxes and
 * spheres. The answer depends on the poses alone. */
#ifndef LIMPET_COLLIDE_NEAR_H
#define LIMPET_COLLIDE_NEAR_H

#include "collide/collide.h"
#include "collide/colliders.h"

/* Asks a candidate. spread [m]: the sum of both spreads, or of their carriers'. Near: until is -1,
 * and *inside [m] by how much it is near by everything; else until which sum of spreads it stays
 * apart. */
bool limpet_candidate_ask(limpet_colliders *colliders, const limpet_model *model,
                          const limpet_data *data, const limpet_reach *reach, double spread,
                          limpet_candidate *candidate, double *inside);

// [m]  below which contact of two geoms acts; pair: the explicit pair, or -1.
double limpet_pair_margin(const limpet_model *model, int geom_a, int geom_b, int pair);

// A candidate that is near, into a pair for the narrow phase, of which every field is set.
void limpet_candidate_pair(const limpet_model *model, const limpet_reach *reach,
                           const limpet_candidate *candidate, limpet_collision_pair *pair);

#endif
