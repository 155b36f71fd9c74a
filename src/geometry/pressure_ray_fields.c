/* geometry/pressure_ray_fields.c: both fields along a ray from the core of one of them. */
#include <math.h>

#include "geometry/pressure_rays.h"
#include "math/vec3.h"

enum { root_steps = 80 };
static const double root_tolerance = 4e-15;  // [-]  of t

double limpet_pressure_rays_other(const limpet_pressure_rays *c, const double x[3], double g[3],
                                  int *piece) {
  const limpet_pressure_field *field = c->t->field;
  double y[3], z[3], h[3];
  limpet_vec3_sub(z, x, c->frame.offset);
  limpet_mat3_tmul_vec(y, c->frame.rotation, z);
  double p;
  if (field->kind != LIMPET_SHAPE_COUNT) {
    p = limpet_pressure_closed_form(field, y, g ? h : NULL, piece);
  } else {
    *piece = limpet_pressure_locate(field, y, *piece);
    if (*piece < 0) {
      if (g) limpet_vec3_zero(g);
      return -INFINITY;
    }
    const limpet_pressure_cell *cell = &field->cell[*piece];
    p = limpet_vec3_dot(cell->gradient, y) + cell->offset;
    if (g) limpet_vec3_copy(h, cell->gradient);
  }
  if (g) limpet_mat3_mul_vec(g, c->frame.rotation, h);
  return p;
}

/* p_S is concave: from anywhere on the slope Newton's method comes down to its root from outside.
 */
double limpet_pressure_rays_leave(const limpet_pressure_rays *c, const double w[3], double level,
                                  double start) {
  const limpet_pressure_field *field = c->s->field;
  const double far = 2.0 * c->radius;
  double t = start > 0.0 ? start : far, x[3], g[3];
  int piece;
  for (int k = 0; k < root_steps; ++k) {
    limpet_vec3_addmul(x, c->origin, t, w);
    const double p = limpet_pressure_closed_form(field, x, g, &piece) - level,
                 rate = limpet_vec3_dot(g, w), next = t - p / rate;
    if (!(rate < 0.0) && t < far) {
      t = far;
      continue;
    }
    if (!(rate < 0.0) || fabs(next - t) <= root_tolerance * t) return t;
    t = fmin(next, far);
  }
  return t;
}
