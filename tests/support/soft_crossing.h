// tests/support/soft_crossing.h: how far surfaces of deformable bodies cross each other, themselves
// and rigid boxes.
#ifndef LIMPET_TEST_SOFT_CROSSING_H
#define LIMPET_TEST_SOFT_CROSSING_H

#include "mjcf_world.h"

/* The deepest way [m] of an edge of a deformable body through a face of the same or another one:
 * the least way that parts them. 0: nothing crosses. */
double soft_crossing(const mjcf_world *world);
/* How deep [m] edges of deformable bodies are within box geoms, or edges of boxes, `inset` [m]
 * within them, through faces of deformable bodies; what is less than `inset` counts as 0. */
double soft_crossing_of_boxes(const mjcf_world *world, double inset);
// How deep [m] axes of capsules are through faces of deformable bodies.
double soft_crossing_of_axes(const mjcf_world *world);
// The longest edge of the surface of a deformable body at rest [m].
double soft_longest_edge(const mjcf_world *world, int deformable);

#endif
