/* geometry/pair_convex.c: the pairs that go by convex distance and clipped features
 * (convex_contact.c). */
#include "geometry/face.h"
#include "geometry/pair_list.h"

#define CONVEX_PAIR(a, b, text)                                                         \
  {                                                                                     \
    LIMPET_SHAPE_##a, LIMPET_SHAPE_##b, limpet_convex_contact, NULL, text,              \
        "Gilbert, Johnson, Keerthi 1988; van den Bergen 2001; Sutherland, Hodgman 1974" \
  }
#define POINT "GJK and EPA, 1 point"
#define CENTRE "GJK and EPA of the centre, 1 point"
#define AXIS_POINT "GJK and EPA of the segment, 1 point"
#define AXIS_POINTS "GJK and EPA of the segment, up to 2 points"
#define CAPS "GJK and EPA, caps clipped as octagons, sides as segments, up to 8 points"
#define FACES "GJK and EPA, faces clipped, up to 8 points"

const limpet_shape_pair limpet_pair_sphere_mesh = CONVEX_PAIR(SPHERE, MESH, CENTRE);
const limpet_shape_pair limpet_pair_capsule_ellipsoid = CONVEX_PAIR(CAPSULE, ELLIPSOID, AXIS_POINT);
const limpet_shape_pair limpet_pair_capsule_cylinder = CONVEX_PAIR(CAPSULE, CYLINDER, AXIS_POINTS);
const limpet_shape_pair limpet_pair_capsule_mesh = CONVEX_PAIR(CAPSULE, MESH, AXIS_POINTS);
const limpet_shape_pair limpet_pair_ellipsoid_ellipsoid = CONVEX_PAIR(ELLIPSOID, ELLIPSOID, POINT);
const limpet_shape_pair limpet_pair_ellipsoid_cylinder = CONVEX_PAIR(ELLIPSOID, CYLINDER, POINT);
const limpet_shape_pair limpet_pair_ellipsoid_box = CONVEX_PAIR(ELLIPSOID, BOX, POINT);
const limpet_shape_pair limpet_pair_ellipsoid_mesh = CONVEX_PAIR(ELLIPSOID, MESH, POINT);
const limpet_shape_pair limpet_pair_cylinder_cylinder = CONVEX_PAIR(CYLINDER, CYLINDER, CAPS);
const limpet_shape_pair limpet_pair_cylinder_box = CONVEX_PAIR(CYLINDER, BOX, CAPS);
const limpet_shape_pair limpet_pair_cylinder_mesh = CONVEX_PAIR(CYLINDER, MESH, CAPS);
const limpet_shape_pair limpet_pair_box_mesh = CONVEX_PAIR(BOX, MESH, FACES);
const limpet_shape_pair limpet_pair_mesh_mesh = CONVEX_PAIR(MESH, MESH, FACES);
