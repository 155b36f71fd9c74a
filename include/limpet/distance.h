/* limpet/distance.h: signed distance of points from shapes, with gradients. Floor 2.
 *
 * phi(x) is the distance of x from the surface of the shape, negative inside. Its gradient g is the
 * outward unit vector along which it grows, so x - phi g is the nearest point of the surface. Where
 * that is not unique (centre of a sphere, mid planes of a box, outside of a dent of a mesh), g
 * belongs to one of the nearest points, chosen by position alone: an element of the generalised
 * gradient of phi. phi is Lipschitz with constant 1 everywhere. */
#ifndef LIMPET_DISTANCE_H
#define LIMPET_DISTANCE_H

#include "limpet/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limpet_surface limpet_surface;  // a closed triangle mesh with its search tree
typedef struct limpet_distance_grid limpet_distance_grid;  // distances of a mesh, sampled

// A shape in a pose. All pointers are borrowed. Sizes as limpet_shape_kind says.
typedef struct limpet_shape {
  limpet_shape_kind kind;
  const double *size;       // (3)  [m]
  const double *position;   // (3)  [m]  of the shape's origin in the common frame (any frame)
  const double *rotation;   // (9)  row-major, shape axes to those of the common frame
  const limpet_hull *hull;  // LIMPET_SHAPE_MESH: the convex hull of the mesh
  // LIMPET_SHAPE_MESH: distances are from this closed surface, not from the hull; or NULL
  const limpet_surface *surface;
  // LIMPET_SHAPE_MESH: distances are interpolated within this grid; or NULL
  const limpet_distance_grid *grid;
  const limpet_cloud *cloud;  // LIMPET_SHAPE_CLOUD
  // LIMPET_SHAPE_MESH: contact is with this, not with the hull; distances of points are not; or
  // NULL
  const limpet_height_field *heights;
} limpet_shape;

/* phi and gradients of `count` points of the common frame. Not for shapes of points.
 *
 * points (count x 3)  [m];  distance (count)  [m];  gradient (count x 3)  [-], or NULL where it is
 *   not wanted.
 * Exact to round-off: closed forms for plane, sphere, capsule, cylinder and box (several points at
 * a time), Newton's method for the ellipsoid, all faces for a hull, a tree of boxes for a surface.
 * Point by point the same bits whatever `count` is. */
LIMPET_API void limpet_signed_distance(const limpet_shape *shape, const double *points, int count,
                                       double *distance, double *gradient);

/* Surface of triangles, counter-clockwise seen from outside, for exact distances. Vertices with
 * equal coordinates count as one; triangles that have lost a side by that are dropped. NULL and an
 * error naming the number of edges where the surface is open, or where its faces look inwards. It
 * may touch itself; where it crosses itself, phi is that of the nearest face.
 * vertices (vertex_count x 3)  [m], faces (face_count x 3) are copied. */
LIMPET_API limpet_surface *limpet_surface_create(const double *vertices, int vertex_count,
                                                 const int *faces, int face_count,
                                                 limpet_error *error);
LIMPET_API void limpet_surface_destroy(limpet_surface *surface);

/* Distances of a mesh (its surface, or else its hull), sampled every `spacing` [m] in its box grown
 * by `margin` [m]. A shape with this grid interpolates between the samples, and is exact outside of
 * the grid. The error is at most limpet_distance_grid_error = sqrt(3)/2 spacing [m] anywhere, and
 * spacing^2/8 times the sum of the curvatures [1/m] of the level surface where that is smooth;
 * gradients are unit and err by about spacing times the larger curvature. NULL and an error where
 * the grid would have more than 2e8 samples of 8 bytes. */
LIMPET_API limpet_distance_grid *limpet_distance_grid_create(const limpet_shape *shape,
                                                             double spacing, double margin,
                                                             limpet_error *error);
LIMPET_API double limpet_distance_grid_error(const limpet_distance_grid *grid);
LIMPET_API void limpet_distance_grid_destroy(limpet_distance_grid *grid);

// --------------------------------------------------------------------------- point clouds

/* Cloud of `count` points, ready for queries; points (count x 3)  [m before scale] are copied,
 *   scale (3)  [-], NULL: 1.
 * NULL and an error where there is no point, or one that is not finite, whose number the error
 * names. Points in the same place are fine. */
LIMPET_API limpet_cloud *limpet_cloud_create(const double *points, int count, const double scale[3],
                                             double point_radius, limpet_error *error);
LIMPET_API void limpet_cloud_destroy(limpet_cloud *cloud);

enum { LIMPET_CLOUD_NEAREST = 256 };  // most points that can be asked for

typedef struct limpet_cloud_request {
  int count;     // how many points, 1 to LIMPET_CLOUD_NEAREST
  double reach;  // [m]  only points within this distance; INFINITY: all
  bool all;      // computes all distances, without the tree: the same points, for comparison
} limpet_cloud_request;

/* The points of a cloud that are nearest to a shape by signed distance: nearest first, and among
 * equals the lower number first. The cloud stands at `position` [m], `rotation` (9, row-major) in
 * the common frame of `shape`, which is not a cloud.
 * point (request->count): their numbers; distance (request->count)  [m]: phi - point_radius.
 *   Returns how many were found.
 * Nothing is allocated or kept; limpet_signed_distance gives the gradients. */
LIMPET_API int limpet_cloud_nearest(const limpet_cloud *cloud, const double position[3],
                                    const double rotation[9], const limpet_shape *shape,
                                    const limpet_cloud_request *request, int *point,
                                    double *distance);

#ifdef __cplusplus
}
#endif
#endif
