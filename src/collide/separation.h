/* collide/separation.h: pairs that are apart, and how it is known without asking the narrow phase.
 *
 * Links of a robot stay close to each other for thousands of steps and never touch. What is
 * remembered of such a pair (candidates.h) is looked at in this order, cheapest first:
 *   1 the gap that was certain, less what both have moved since: no look at the shapes at all
 *   2 the axis along which they were apart: two support points, and a new gap
 *   3 the axes of their oriented boxes
 *   4 GJK, for shapes where the narrow phase iterates; it ends as soon as an axis separates
 * A pair is skipped only where it is farther apart than `reach` by more than the narrow phase may
 * err, so contacts do not depend on what is remembered. */
#ifndef LIMPET_COLLIDE_SEPARATION_H
#define LIMPET_COLLIDE_SEPARATION_H

#include "collide/colliders.h"
#include "geometry/shape.h"

// A pair of the narrow phase: geoms as shapes.
typedef struct limpet_pair_view {
  int a, b;  // colliders
  limpet_shape shape_a, shape_b;
  double reach;  // [m]  up to which contact points are wanted
} limpet_pair_view;

/* Whether something is remembered of pairs of such shapes: not where contacts in closed form cost
 * no more than the question, nor of clouds, whose own tree culls. */
bool limpet_separation_pays(limpet_shape_kind a, limpet_shape_kind b);

// Whether it is so by 1 alone. Of the shapes of the pair only the positions are read.
bool limpet_separation_certain(const limpet_pair_memory *memory, const limpet_colliders *colliders,
                               const limpet_pair_view *pair);

/* Whether the pair is certainly farther apart than its reach. What was found out is kept in
 * `memory`. */
bool limpet_separation_holds(limpet_pair_memory *memory, const limpet_colliders *colliders,
                             const limpet_model *model, const limpet_data *data,
                             const limpet_pair_view *pair);

#endif
