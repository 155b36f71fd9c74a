/* collide/fast_pairs.h: contacts of geoms that move farther in a step than they are large.
 *
 * A contact that takes part before it touches is a half space: phi0 + dt v_n >= 0 along the normal
 * n of the present pose. For what is far away and fast that is the wrong one: the nearest point of
 * a wall is not where a bullet hits it, and the nearest corner is in the way of what flies past.
 * Such contacts are replaced by those of the pose in which the two touch on their straight paths,
 * or come nearest: n and the points are of that pose, phi0 = n . (p_B - p_A) with the points moved
 * back.
 *   no hit      a pair that stays `slack` apart all the way has no contact: it would only be in the
 *               way of models whose sliding contacts glide on a gap (Similar, SAP)
 *   one hit     what a body would hit first turns its path: the rest of the step it moves along
 *               that surface, and what lies on this second leg is what stops it there
 * Paths are translations with the velocities at the start; turning is not followed. Convex shapes
 * on straight paths have a convex distance d(t), d' = n . v: Newton's method from the left comes to
 * the touch and never passes it, bisection of d' finds the nearest pose. Cost: 3 to 20 distances
 * for a fast pair, none for others.
 * Source: own; Mirtich, Impulse-based dynamic simulation of rigid body systems (1996), on
 * conservative advancement. */
#ifndef LIMPET_COLLIDE_FAST_PAIRS_H
#define LIMPET_COLLIDE_FAST_PAIRS_H

#include "collide/collide.h"

/* Whether some pair with a contact may be fast within `time` [s]: the broad phase looks ahead by
 * twice what the bodies move. It spares nearly all steps the rest. */
bool limpet_may_be_fast(const limpet_model *model, const limpet_data *data, double time,
                        const limpet_collision *collision);

/* Where limpet_may_be_fast says so, after limpet_narrow_phase and limpet_velocity_kinematics.
 * `time` [s]: the step. `slack` [m]: by how much velocities that change within the step may move
 * paths. `single` as there. */
limpet_status limpet_fast_pairs(const limpet_model *model, const limpet_data *data, double time,
                                double slack, bool single, limpet_arena *arena,
                                limpet_collision *collision);

/* The swept contacts of `step` searched anew at the present poses and velocities: `again` has them
 * alone. The points are smooth in both where `course`, acts_on and feature stay the same. */
limpet_status limpet_fast_pairs_again(const limpet_model *model, const limpet_data *data,
                                      double time, bool single, const limpet_collision *step,
                                      limpet_arena *arena, limpet_collision *again);

#endif
