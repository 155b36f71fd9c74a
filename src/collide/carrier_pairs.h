/* collide/carrier_pairs.h: all pairs of colliders of a world of few bodies, by pairs of carriers.
 *
 * A carrier is a body with colliders, or one collider that cannot move. For each pair of carriers
 * it is known up to which sum of their spreads (bounds.h) all their colliders are apart; that is
 * compared in every step, and the colliders are asked where it is exceeded. Nothing is searched
 * for, so no boxes are kept.
 * Memory: 16 bytes for each pair of carriers in either order, 88 for each that has pairs of
 * colliders which pass the filters, 24 for each of those, 108 for each one that came near; 1.4 MB
 * at most. */
#ifndef LIMPET_COLLIDE_CARRIER_PAIRS_H
#define LIMPET_COLLIDE_CARRIER_PAIRS_H

#include "collide/collide.h"
#include "collide/colliders.h"

/* Fills colliders->pairs where the world has few bodies, once they are known; else it stays empty.
 * LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_carrier_pairs_make(limpet_colliders *colliders, const limpet_model *model);
void limpet_carrier_pairs_free(limpet_carrier_pairs *pairs);

/* Pairs of geoms that are near, into collision->pair, by geoms. After limpet_bounds_carriers.
 * LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_carrier_pairs_find(limpet_colliders *colliders, const limpet_model *model,
                                        const limpet_data *data, const limpet_reach *reach,
                                        limpet_arena *arena, limpet_collision *collision);

#endif
