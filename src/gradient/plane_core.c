/* gradient/plane_core.c: see plane_core.h.
 *
 * The lowest point of a rim of radius r about the axis a lies at r u from it. It keeps looking down
 * as its body turns by dw, so that it slips along t = a x u by
 *   u = -m/|m|,  m = n - (n . a) a,   r t . (du - dw x u) = -r ((n . a) u/|m| + a) . dw
 * n . t = 0: the distance is that of the material point. Quadrants of the rim of a cap are fixed to
 * the body: geometry/pair_plane.c. */
#include "gradient/plane_core.h"

#include <math.h>

#include "gradient/twist.h"

/* sine of the tilt and of the axis' angle to the plane from which on points are certain to stay
 * those that they are: pair_plane.c switches at 1e-6 and 1e-3. */
static const double least_tilt = 1e-4, standing_cosine = 1e-3;

// The quadrant of the rim that looks down, and by how much it does so more than the next one.
static int lowest_quadrant(const double x[3], const double y[3], const double u[3], double *ahead) {
  const double along[4] = {limpet_vec3_dot(u, x), limpet_vec3_dot(u, y), -limpet_vec3_dot(u, x),
                           -limpet_vec3_dot(u, y)};
  int first = 0;
  for (int k = 1; k < 4; ++k)
    if (along[k] > along[first]) first = k;
  *ahead = along[first] - fmax(along[(first + 1) % 4], along[(first + 3) % 4]);
  return first;
}

static bool on_rim(const limpet_shape *shape, const double on[3], uint64_t feature,
                   const double n[3], double room, limpet_plane_core *core) {
  const double *R = shape->rotation;
  double axis[3], x[3], y[3], u[3], ahead;
  for (int i = 0; i < 3; ++i) x[i] = R[3 * i], y[i] = R[3 * i + 1], axis[i] = R[3 * i + 2];
  const double upright = limpet_vec3_dot(n, axis);
  limpet_vec3_addmul(u, n, -upright, axis);
  const double tilt = limpet_vec3_normalize(u);
  limpet_vec3_neg(u, u);
  limpet_vec3_copy(core->point, on);
  // which cap and which quadrants have points
  if (!(tilt > least_tilt + room) || !(fabs(upright) > room) ||
      !(fabs(fabs(upright) - standing_cosine) > room))
    return false;
  const int nearest = lowest_quadrant(x, y, u, &ahead);
  if (!(ahead * tilt > 2.0 * room)) return false;
  core->rolls = feature % 4 == (uint64_t)nearest;
  limpet_vec3_cross(core->tangent, axis, u);
  for (int i = 0; i < 3; ++i) core->slip[i] = -shape->size[0] * (upright / tilt * u[i] + axis[i]);
  return true;
}

bool limpet_plane_core_make(const limpet_shape *shape, const double on[3], uint64_t feature,
                            const double n[3], double room, limpet_plane_core *core) {
  core->rolls = false;
  switch (shape->kind) {
    case LIMPET_SHAPE_SPHERE:
    case LIMPET_SHAPE_CAPSULE: limpet_vec3_addmul(core->point, on, shape->size[0], n); return true;
    case LIMPET_SHAPE_BOX:
    case LIMPET_SHAPE_MESH: limpet_vec3_copy(core->point, on); return true;
    case LIMPET_SHAPE_CYLINDER: return on_rim(shape, on, feature, n, room, core);
    default: return false;
  }
}

void limpet_plane_core_at(const limpet_plane_core *core, const double P[3], int k,
                          double velocity[3]) {
  limpet_twist_at(P, k, core->point, velocity);
  if (core->rolls && k < 3) limpet_vec3_addmul(velocity, velocity, core->slip[k], core->tangent);
}
