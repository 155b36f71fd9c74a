/* geometry/depth_faces.c: see depth_faces.h.
 *
 * Along the outward normal n of a face of A, n.x = d, the depth is d - min over B of n.x, which is
 * no less than d - n.c + r for the centre c of B and the radius r of a ball about it within B: most
 * faces of a hull cost that alone. Cost: 8 instructions for a face, 100 for one that may be the
 * least. No workspace. */
#include "geometry/depth_faces.h"

#include "math/vec3.h"

double limpet_depth_along(const limpet_minkowski *pair, const double normal[3]) {
  limpet_minkowski_point point = limpet_minkowski_point_none();
  limpet_minkowski_support(&point, pair, normal);
  return limpet_vec3_dot(point.w, normal);
}

static bool take_if_less(const limpet_minkowski *pair, const double axis[3], double sign, bool of_b,
                         limpet_face_depth *least) {
  double n[3];
  limpet_vec3_scale(n, sign, axis);
  const double depth = limpet_depth_along(pair, n);
  if (!(depth < least->depth)) return false;
  least->depth = depth, least->of_b = of_b;
  limpet_vec3_copy(least->normal, n);
  return true;
}

// Caps of a cylinder, faces of a box.
static bool at_axes(limpet_face_depth *least, const limpet_minkowski *pair, bool of_b,
                    limpet_shape_kind kind) {
  const double *R = pair->rotation;
  bool any = false;
  for (int k = kind == LIMPET_SHAPE_BOX ? 0 : 2; k < 3; ++k) {
    const double own[3] = {k == 0, k == 1, k == 2}, other[3] = {R[k], R[3 + k], R[6 + k]};
    for (int sign = 1; sign >= -1; sign -= 2)
      any |= take_if_less(pair, of_b ? other : own, sign, of_b, least);
  }
  return any;
}

// Radius of a ball about a core's origin that lies in it.
static double inner_radius(const limpet_shape *shape) {
  return shape->kind == LIMPET_SHAPE_CYLINDER
             ? (shape->size[0] < shape->size[1] ? shape->size[0] : shape->size[1])
             : 0.0;
}

static bool at_hull(limpet_face_depth *least, const limpet_minkowski *pair, bool of_b) {
  const limpet_hull *hull = of_b ? pair->b->hull : pair->a->hull;
  const limpet_shape *other = of_b ? pair->a : pair->b;
  double centre[3];  // of the other core, in the axes of the hull
  if (of_b) {
    limpet_mat3_tmul_vec(centre, pair->rotation, pair->offset);
    limpet_vec3_neg(centre, centre);
  } else {
    limpet_vec3_copy(centre, pair->offset);
  }
  if (other->kind == LIMPET_SHAPE_MESH) return false;
  const double radius = inner_radius(other);
  bool any = false;
  for (int f = 0; f < hull->face_count; ++f) {
    const double *plane = hull->face_plane + 4 * f;
    if (!(plane[3] - limpet_vec3_dot(plane, centre) + radius < least->depth)) continue;
    double n[3];
    if (of_b) limpet_mat3_mul_vec(n, pair->rotation, plane);
    else limpet_vec3_copy(n, plane);
    any |= take_if_less(pair, n, of_b ? -1.0 : 1.0, of_b, least);
  }
  return any;
}

bool limpet_depth_at_faces(limpet_face_depth *face, const limpet_minkowski *pair) {
  bool any = false;
  for (int side = 0; side < 2; ++side) {
    const limpet_shape_kind kind = side == 0 ? pair->a->kind : pair->b->kind;
    if (kind == LIMPET_SHAPE_CYLINDER || kind == LIMPET_SHAPE_BOX)
      any |= at_axes(face, pair, side == 1, kind);
    else if (kind == LIMPET_SHAPE_MESH) any |= at_hull(face, pair, side == 1);
  }
  return any;
}

// Whether a point of a core's axes lies in it, of a cylinder, a box or a hull.
static bool core_holds(const limpet_shape *shape, const double x[3], double slack) {
  const double *s = shape->size;
  if (shape->kind == LIMPET_SHAPE_CYLINDER)
    return sqrt(x[0] * x[0] + x[1] * x[1]) <= s[0] + slack && fabs(x[2]) <= s[1] + slack;
  if (shape->kind == LIMPET_SHAPE_BOX)
    return fabs(x[0]) <= s[0] + slack && fabs(x[1]) <= s[1] + slack && fabs(x[2]) <= s[2] + slack;
  for (int f = 0; f < shape->hull->face_count; ++f) {
    const double *plane = shape->hull->face_plane + 4 * f;
    if (limpet_vec3_dot(plane, x) > plane[3] + slack) return false;
  }
  return true;
}

bool limpet_depth_face_witness(double a[3], double b[3], const limpet_minkowski *pair,
                               const limpet_face_depth *face, double slack) {
  double x[3], offset[3];
  limpet_minkowski_point point = limpet_minkowski_point_none();
  limpet_minkowski_support(&point, pair, face->normal);
  if (face->of_b) {
    limpet_vec3_copy(a, point.a);
    limpet_vec3_addmul(b, a, -face->depth, face->normal);
    limpet_vec3_sub(offset, b, pair->offset);
    limpet_mat3_tmul_vec(x, pair->rotation, offset);
    return core_holds(pair->b, x, slack);
  }
  limpet_vec3_copy(b, point.b);
  limpet_vec3_addmul(a, b, face->depth, face->normal);
  return core_holds(pair->a, a, slack);
}
