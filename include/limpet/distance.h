/* limpet/distance.h: signed distance of points from shapes, with gradients. Floor 2.
 *
 * phi(x) is the distance of x from the surface of the shape, negative inside. Its gradient g is the outward unit vector along
 * which it grows, so x - phi g is the nearest point of the surface. Where that is not unique (centre of a sphere, mid planes
 * of a box, outside of a dent of a mesh), g belongs to one of the nearest points, chosen by position alone: an element of the
 * generalised gradient of phi. phi is Lipschitz with constant 1 everywhere. */
#ifndef LIMPET_DISTANCE_H
#define LIMPET_DISTANCE_H

#include "limpet/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limpet_surface limpet_surface;  // a closed triangle mesh with its search tree

// A shape in a pose. All pointers are borrowed. Sizes as limpet_shape_kind says.
typedef struct limpet_shape {
  limpet_shape_kind kind;
  const double *size;             // (3)  [m]
  const double *position;         // (3)  [m]  of the shape's origin in a common frame: the world's, or any other
  const double *rotation;         // (9)  row-major, shape axes to those of the common frame
  const limpet_hull *hull;        // LIMPET_SHAPE_MESH: the convex hull of the mesh
  const limpet_surface *surface;  // LIMPET_SHAPE_MESH: distances are from this closed surface instead of the hull; or NULL
} limpet_shape;

/* phi and gradients of `count` points of the common frame. Not for shapes of points.
 *
 * points (count x 3)  [m];  distance (count)  [m];  gradient (count x 3)  [-], or NULL where it is not wanted.
 * Exact to round-off: closed forms for plane, sphere, capsule, cylinder and box (several points at a time), Newton's method for
 * the ellipsoid, all faces for a hull, a tree of boxes for a surface. Point by point the same bits whatever `count` is. */
LIMPET_API void limpet_signed_distance(const limpet_shape *shape, const double *points, int count, double *distance,
                                       double *gradient);

/* Surface of triangles, counter-clockwise seen from outside, for exact distances. Vertices with equal coordinates count as one;
 * triangles that have lost a side by that are dropped. NULL and an error naming the number of edges where the surface is open,
 * or where its faces look inwards. It may touch itself; where it crosses itself, phi is that of the nearest face.
 * vertices (vertex_count x 3)  [m], faces (face_count x 3) are copied. */
LIMPET_API limpet_surface *limpet_surface_create(const double *vertices, int vertex_count, const int *faces, int face_count,
                                                 limpet_error *error);
LIMPET_API void limpet_surface_destroy(limpet_surface *surface);

#ifdef __cplusplus
}
#endif
#endif
