// tests/support/soft_overlap.h: how far deformable bodies are inside each other.
#ifndef LIMPET_TEST_SOFT_OVERLAP_H
#define LIMPET_TEST_SOFT_OVERLAP_H

#include "mjcf_world.h"

/* Deepest point [m] of the surface of one body within the tetrahedra of the other one, both ways,
 * by samples of triangles: its distance from the other surface. */
double soft_overlap(const mjcf_world *world, int d, int e);

#endif
