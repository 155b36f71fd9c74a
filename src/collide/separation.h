/* collide/separation.h: pairs of costly shapes that are apart, with an axis along which they were
 * seen to be.
 *
 * Links of a robot stay close to each other for thousands of steps and never touch. While the
 * shapes stay apart along the axis of an earlier step, two support points show it, and nothing
 * needs to be iterated. The table only saves time: a pair is skipped only where it is farther apart
 * than `reach` by more than the narrow phase may err, so contacts do not depend on what the table
 * holds.
 *
 *   entry empty or of another pair -> narrow phase; no contact: the pair takes the entry, axis
 *     unknown
 *   entry of the pair              -> limpet_separation_holds: skip, or the entry is emptied and
 *                                  the narrow phase asked */
#ifndef LIMPET_COLLIDE_SEPARATION_H
#define LIMPET_COLLIDE_SEPARATION_H

#include "collide/colliders.h"
#include "geometry/shape.h"

// The entry where the pair is kept, or would be; NULL for pairs whose contacts are computed in
// closed form.
limpet_separation *limpet_separation_of(limpet_colliders *colliders, const limpet_model *model,
                                        int geom_a, int geom_b);

/* Whether the pair of the entry is certainly farther apart than `reach` [m]: along its axis, or
 * along a new one from GJK, which is kept. If not, the entry is emptied. */
bool limpet_separation_holds(limpet_separation *separation, const limpet_shape *a,
                             const limpet_shape *b, double reach);

#endif
