/* geometry/pair_table.c: which function finds the contact points of which two shapes. */
#include <assert.h>

#include "geometry/pair_list.h"
#include "math/vec3.h"

// Rows and columns: plane, sphere, capsule, ellipsoid, cylinder, box, mesh, cloud. The lower half
// mirrors the upper.
const limpet_shape_pair *const limpet_shape_pair_table[LIMPET_SHAPE_COUNT][LIMPET_SHAPE_COUNT] = {
    {NULL, &limpet_pair_plane_sphere, &limpet_pair_plane_capsule, &limpet_pair_plane_ellipsoid,
     &limpet_pair_plane_cylinder, &limpet_pair_plane_box, &limpet_pair_plane_mesh,
     &limpet_pair_plane_cloud},
    {&limpet_pair_plane_sphere, &limpet_pair_sphere_sphere, &limpet_pair_sphere_capsule,
     &limpet_pair_sphere_ellipsoid, &limpet_pair_sphere_cylinder, &limpet_pair_sphere_box,
     &limpet_pair_sphere_mesh, &limpet_pair_sphere_cloud},
    {&limpet_pair_plane_capsule, &limpet_pair_sphere_capsule, &limpet_pair_capsule_capsule,
     &limpet_pair_capsule_ellipsoid, &limpet_pair_capsule_cylinder, &limpet_pair_capsule_box,
     &limpet_pair_capsule_mesh, &limpet_pair_capsule_cloud},
    {&limpet_pair_plane_ellipsoid, &limpet_pair_sphere_ellipsoid, &limpet_pair_capsule_ellipsoid,
     &limpet_pair_ellipsoid_ellipsoid, &limpet_pair_ellipsoid_cylinder, &limpet_pair_ellipsoid_box,
     &limpet_pair_ellipsoid_mesh, &limpet_pair_ellipsoid_cloud},
    {&limpet_pair_plane_cylinder, &limpet_pair_sphere_cylinder, &limpet_pair_capsule_cylinder,
     &limpet_pair_ellipsoid_cylinder, &limpet_pair_cylinder_cylinder, &limpet_pair_cylinder_box,
     &limpet_pair_cylinder_mesh, &limpet_pair_cylinder_cloud},
    {&limpet_pair_plane_box, &limpet_pair_sphere_box, &limpet_pair_capsule_box,
     &limpet_pair_ellipsoid_box, &limpet_pair_cylinder_box, &limpet_pair_box_box,
     &limpet_pair_box_mesh, &limpet_pair_box_cloud},
    {&limpet_pair_plane_mesh, &limpet_pair_sphere_mesh, &limpet_pair_capsule_mesh,
     &limpet_pair_ellipsoid_mesh, &limpet_pair_cylinder_mesh, &limpet_pair_box_mesh,
     &limpet_pair_mesh_mesh, &limpet_pair_mesh_cloud},
    {&limpet_pair_plane_cloud, &limpet_pair_sphere_cloud, &limpet_pair_capsule_cloud,
     &limpet_pair_ellipsoid_cloud, &limpet_pair_cylinder_cloud, &limpet_pair_box_cloud,
     &limpet_pair_mesh_cloud, NULL},
};

// Keeps the deepest point, of equals the one with the lowest feature.
static void keep_deepest(limpet_manifold *manifold) {
  if (manifold->count < 2) return;
  const limpet_contact_point *best = &manifold->point[0];
  for (int i = 1; i < manifold->count; ++i) {
    const limpet_contact_point *p = &manifold->point[i];
    if (p->distance < best->distance ||
        (p->distance == best->distance && p->feature < best->feature))
      best = p;
  }
  manifold->point[0] = *best;
  manifold->count = 1;
}

void limpet_shape_contacts(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                           double margin, bool single) {
  assert(manifold && a && b);
  const limpet_shape_pair *pair = limpet_shape_pair_table[a->kind][b->kind];
  manifold->count = 0;
  if (pair == NULL) return;
  if (a->heights || b->heights) {
    limpet_heights_contact(manifold, a, b, margin);
    if (single) keep_deepest(manifold);
    return;
  }
  const bool swapped = a->kind > b->kind;
  const limpet_shape *first = swapped ? b : a, *second = swapped ? a : b;
  if (single && pair->single != NULL) {
    pair->single(manifold, first, second, margin);
  } else {
    pair->manifold(manifold, first, second, margin);
    if (single) keep_deepest(manifold);
  }
  if (swapped) limpet_manifold_swap(manifold);
}

void limpet_shape_contact(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                          double margin, bool single) {
  limpet_manifold_create(manifold, NULL);
  limpet_shape_contacts(manifold, a, b, margin, single);
}
