/* tests/support/small_world.h: a small scene with one of everything, described by a program. */
#ifndef LIMPET_TEST_SMALL_WORLD_H
#define LIMPET_TEST_SMALL_WORLD_H

#include "limpet/model.h"

/* A floor; an arm of two revolute joints with limits, dry friction, a tendon, a coupler and three
 * actuators; a box on a box, a sphere, a capsule, a cylinder, an ellipsoid and a mesh that fall on
 * the floor; a keyframe. Goes on after a failure, as a careless user would. */
void small_world_describe(limpet_builder *builder);
// Its model; prints the message and returns NULL on failure.
limpet_model *small_world(void);

#endif
