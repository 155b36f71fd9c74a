/* geometry/shape_fit.c: primitives fitted to a mesh, by the rules of MJCF (documentation of
 * geom/mesh and compiler/fitaabb; the factors were found by experiment with MuJoCo 4.0.1 and are
 * checked against golden values).
 *
 * b: half lengths of the equivalent inertia box, or of the bounding box, whose centre then is the
 * primitive's. The axis of a capsule or a cylinder is z, along which a mesh in its inertial frame
 * is longest.
 *             inertia box                            bounding box
 *   sphere    r = mean of b                          r = largest b
 *   capsule   r = (b1 + b2)/2, h = b3 - r/2          r = max(b1, b2), h = b3 - r
 *   cylinder  r = (b1 + b2)/2, h = b3                r = max(b1, b2), h = b3
 *   box, ellipsoid: b */
#include <assert.h>
#include <math.h>

#include "geometry/mesh_geometry.h"
#include "math/quaternion.h"

void limpet_shape_fit(double size[3], double position[3], double quaternion[4],
                      limpet_shape_kind kind, const limpet_mesh *mesh, bool aabb) {
  const double *b = aabb ? mesh->aabb + 3 : mesh->box;
  const double radius = aabb ? fmax(b[0], b[1]) : 0.5 * (b[0] + b[1]);
  limpet_vec3_zero(position);
  if (aabb) limpet_vec3_copy(position, mesh->aabb);
  limpet_quaternion_identity(quaternion);
  limpet_vec3_zero(size);
  switch (kind) {
    case LIMPET_SHAPE_SPHERE:
      size[0] = aabb ? fmax(radius, b[2]) : (b[0] + b[1] + b[2]) / 3.0;
      break;
    case LIMPET_SHAPE_CAPSULE:
      size[0] = radius, size[1] = fmax(0.0, b[2] - (aabb ? radius : 0.5 * radius));
      break;
    case LIMPET_SHAPE_CYLINDER: size[0] = radius, size[1] = b[2]; break;
    case LIMPET_SHAPE_BOX:
    case LIMPET_SHAPE_ELLIPSOID: limpet_vec3_copy(size, b); break;
    case LIMPET_SHAPE_PLANE:
    case LIMPET_SHAPE_MESH:
    case LIMPET_SHAPE_CLOUD:
    case LIMPET_SHAPE_SOFT:
    case LIMPET_SHAPE_COUNT: assert(0); break;
  }
}
