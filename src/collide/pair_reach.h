/* collide/pair_reach.h: how far two geoms can approach each other within a step.
 *
 * The reach of a pair is the sum of what both bodies get, whatever their directions. Bodies that
 * fall together, or links that one joint moves, approach by far less. With the twists of both,
 *   way = max over motions |v_B(p) - v_A(p)| + |w_B - w_A| (r + d)
 *   p   origin of the smaller geom, r its radius, d the reach: points of contact lie within r + d
 * is the speed of any point of contact at the start of the step, in free motion and as thrown. What
 * is farther apart than `least` + `ahead` times that takes no part in the step (constants.c). */
#ifndef LIMPET_COLLIDE_PAIR_REACH_H
#define LIMPET_COLLIDE_PAIR_REACH_H

#include "collide/collide.h"

/* Lessens the reach of a pair, which is that of both bodies, to what both approach. Pairs that are
 * fast (fast_pairs.h) keep it. */
void limpet_pair_reach_lessen(const limpet_model *model, const limpet_data *data,
                              const limpet_reach *reach, limpet_collision_pair *pair);

/* Sets the reach of a pair of surfaces to how far both approach, more or less than that of both
 * bodies: its points are laid out by the reach, and bodies that move together have the same. */
void limpet_pair_reach_of_surface(const limpet_model *model, const limpet_data *data,
                                  const limpet_reach *reach, limpet_collision_pair *pair);

#endif
