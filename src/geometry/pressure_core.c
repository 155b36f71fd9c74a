/* geometry/pressure_core.c: cores of convex fields, where the pressure is the modulus: a point, the
 * axis of a capsule, a disc or a segment of a cylinder, a box within a box; and whether a surface
 * may fold back because a core lies in the other body. Cost: a few projections. */
#include <math.h>

#include "geometry/pressure_contact.h"
#include "math/vec3.h"

enum { most_turns = 12 };
static const double enough = 1e-3;  // [-]  of the depth of S: a step that is the last one

void limpet_pressure_core_point(const limpet_pressure_field *field, const double x[3],
                                double o[3]) {
  const double *size = field->size;
  limpet_vec3_zero(o);
  if (field->kind == LIMPET_SHAPE_CAPSULE) o[2] = fmax(-size[1], fmin(size[1], x[2]));
  if (field->kind == LIMPET_SHAPE_BOX)
    for (int i = 0; i < 3; ++i) {
      const double l = size[i] - field->depth;
      o[i] = fmax(-l, fmin(l, x[i]));
    }
  if (field->kind == LIMPET_SHAPE_CYLINDER) {
    const double l = size[1] - field->depth, wide = size[0] - field->depth,
                 r = sqrt(x[0] * x[0] + x[1] * x[1]);
    o[2] = fmax(-l, fmin(l, x[2]));
    if (r > 0.0)
      for (int i = 0; i < 2; ++i) o[i] = x[i] * fmin(wide, r) / r;
  }
  if (field->kind == LIMPET_SHAPE_MESH) limpet_vec3_copy(o, field->centre);
}

/* From a point of one body's core to the nearest one of the other's and back: the place x of T's
 * core that is nearest to S's core, or nearly, and that of S's core o. In the frame of S. */
static void nearest_of_cores(const limpet_pressure_field *s, const limpet_pressure_field *t,
                             const limpet_pressure_frame *frame, double x[3], double o[3]) {
  double last[3] = {0.0, 0.0, 0.0}, y[3], z[3];
  for (int k = 0; k < most_turns; ++k) {
    limpet_vec3_sub(z, last, frame->offset);
    limpet_mat3_tmul_vec(y, frame->rotation, z);
    limpet_pressure_core_point(t, y, z);
    limpet_mat3_mul_vec(x, frame->rotation, z);
    limpet_vec3_add(x, x, frame->offset);
    limpet_pressure_core_point(s, x, o);
    if (limpet_vec3_distance(o, last) <= enough * s->depth) return;
    limpet_vec3_copy(last, o);
  }
}

bool limpet_pressure_may_fold(const limpet_pressure_field *s, const limpet_pressure_field *t,
                              const limpet_pressure_frame *frame) {
  double x[3], o[3], y[3], z[3];
  int piece;
  if (s->rigid || t->kind == LIMPET_SHAPE_COUNT || t->kind == LIMPET_SHAPE_PLANE) return false;
  nearest_of_cores(s, t, frame, x, o);
  if (limpet_pressure_closed_form(s, x, NULL, &piece) > 0.0) return true;
  limpet_vec3_sub(z, o, frame->offset);
  limpet_mat3_tmul_vec(y, frame->rotation, z);
  return limpet_pressure_closed_form(t, y, NULL, &piece) > s->modulus;
}
