/* geometry/pair_list.h: the descriptors of the shape pairs, which pair_table.c puts into one
 * table. */
#ifndef LIMPET_GEOMETRY_PAIR_LIST_H
#define LIMPET_GEOMETRY_PAIR_LIST_H

#include "geometry/pair.h"

extern const limpet_shape_pair limpet_pair_plane_sphere, limpet_pair_plane_capsule,
    limpet_pair_plane_ellipsoid, limpet_pair_plane_cylinder, limpet_pair_plane_box,
    limpet_pair_plane_mesh;
extern const limpet_shape_pair limpet_pair_sphere_sphere, limpet_pair_sphere_capsule,
    limpet_pair_sphere_ellipsoid, limpet_pair_sphere_cylinder, limpet_pair_sphere_box,
    limpet_pair_sphere_mesh;
extern const limpet_shape_pair limpet_pair_capsule_capsule, limpet_pair_capsule_ellipsoid,
    limpet_pair_capsule_cylinder, limpet_pair_capsule_box, limpet_pair_capsule_mesh;
extern const limpet_shape_pair limpet_pair_ellipsoid_ellipsoid, limpet_pair_ellipsoid_cylinder,
    limpet_pair_ellipsoid_box, limpet_pair_ellipsoid_mesh;
extern const limpet_shape_pair limpet_pair_cylinder_cylinder, limpet_pair_cylinder_box,
    limpet_pair_cylinder_mesh;
extern const limpet_shape_pair limpet_pair_box_box, limpet_pair_box_mesh, limpet_pair_mesh_mesh;
// Of a shape with heights and a convex one, in either order; others give no points.
limpet_pair_function limpet_heights_contact;
extern const limpet_shape_pair limpet_pair_plane_cloud, limpet_pair_sphere_cloud,
    limpet_pair_capsule_cloud, limpet_pair_ellipsoid_cloud, limpet_pair_cylinder_cloud,
    limpet_pair_box_cloud, limpet_pair_mesh_cloud;

#endif
