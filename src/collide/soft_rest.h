/* collide/soft_rest.h: how far parts of the surface of a deformable body are from each other at
 * rest. Neighbours meet no nearer than LIMPET_SOFT_SHALLOW of that. */
#ifndef LIMPET_COLLIDE_SOFT_REST_H
#define LIMPET_COLLIDE_SOFT_REST_H

#include "limpet/model.h"

#define LIMPET_SOFT_SHALLOW 0.1  // [-]  of the distance at rest

/* Weights b of the point of a triangle that is nearest to `at`, by the regions of its plane
 * (Ericson, Real-Time Collision Detection, 5.1.5). */
void limpet_soft_nearest_point(const double *const x[3], const double at[3], double b[3]);
// Distance [m] of a vertex from a triangle.
double limpet_soft_rest_of_face(const limpet_model *model, const int *face, int vertex);
// Distance [m] of two edges, of their ends or where they cross.
double limpet_soft_rest_of_edges(const limpet_model *model, const int a[2], const int b[2]);

#endif
