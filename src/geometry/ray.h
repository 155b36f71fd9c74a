/* geometry/ray.h: rays against shapes, and points inside them. */
#ifndef LIMPET_GEOMETRY_RAY_H
#define LIMPET_GEOMETRY_RAY_H

#include "geometry/shape.h"

/* How far along the unit `direction` from `from` (common frame) the surface of the shape is met
 * first, from outside or from
 * within  [m]; -1: never. A plane is met from above only, and within its size where it has one.
 *   Not for meshes and clouds. */
double limpet_shape_ray(const limpet_shape *shape, const double from[3], const double direction[3]);
/* The same for the triangles of a mesh in a pose, whose surface is met from either side; *face
 * (may be NULL): the triangle, of equally near ones the first. With or without a tree of its faces
 * the result is the same. */
double limpet_mesh_ray(const limpet_mesh *mesh, const double position[3], const double rotation[9],
                       const double from[3], const double direction[3], int *face);

// For mesh->face_tree; NULL: no memory. Cost: some three comparisons a face for each of log2(faces)
// levels, 128 bytes a face.
limpet_item_tree *limpet_mesh_face_tree_create(const limpet_mesh *mesh);

// The same for the balls around the points of a cloud; points without a radius are never met.
// *point (may be NULL): the one whose ball is met.
double limpet_cloud_ray(const limpet_cloud *cloud, const double position[3],
                        const double rotation[9], const double from[3], const double direction[3],
                        int *point);

/* Before which range [m] no ball is met that lies in the one of `radius` [m] about the point at
 * `offset` [m] from the start of the ray, of unit `direction`; INFINITY: none is met. Allows for
 * what rounding may do to rays that graze. */
double limpet_ray_ball_bound(const double offset[3], const double direction[3], double radius);

// Whether the shape (no plane, no mesh, no cloud) holds the point, its surface included.
bool limpet_shape_holds(const limpet_shape *shape, const double point[3]);

#endif
