/* geometry/pressure_centre.c: analytic centres.
 *
 * Where a face lies flat on a body the deepest place is not one place: as the face tilts by
 * round-off it runs from rim to rim, and what is built around it runs along. The analytic centre
 *
 *     x = argmin phi,  phi(x) = -sum_k log f_k(x)
 *
 * of a convex region {f_k > 0 for all k}, f_k concave, is one place that moves smoothly with the
 * bodies, by about size^2/depth for each radian. The f_k of p >= q E, d the inner radius:
 *
 *   sphere, ellipsoid   (1 - q)^2 - |x/S|^2
 *   capsule             (R (1 - q))^2 - distance^2 from the axis, and (l + 2 R)^2 - z^2, which does
 *                       not bound it but tells its middle
 *   cylinder            (R - q d)^2 - x^2 - y^2,  l - q d - z,  l - q d + z
 *   box                 h_i - q d - x_i,  h_i - q d + x_i
 *   half space, hull    p_k/E - q of each cell
 *
 * phi is self-concordant (the capsule's nearly so): Newton's method with steps 1/(1 + lambda),
 * where lambda^2 = g' H^-1 g, stays inside and ends quadratically. Source: Y. Nesterov, A.
 * Nemirovskii, Interior-point polynomial algorithms in convex programming, SIAM 1994. Departure:
 * steps that leave the region nevertheless are halved. Cost: 10 to 25 steps, each of all f_k once.
 */
#include "geometry/pressure_centre.h"

#include <math.h>

#include "math/vec3.h"

enum { most_steps = 60, most_halvings = 30 };
static const double full_step = 0.25;  // [-]  lambda, below which steps are not damped
static const double last_step = 1e-7;  // [-]  lambda of the last step

// phi's gradient and Hessian at a place.
typedef struct barrier {
  double gradient[3], hessian[9];  // [1/m], [1/m^2]
} barrier;

// Adds -log f, with the gradient of f and its Hessian, which is diagonal. False: f <= 0.
static bool add_log(barrier *b, double f, const double gradient[3], const double diagonal[3]) {
  if (!(f > 0.0)) return false;
  for (int i = 0; i < 3; ++i) {
    b->gradient[i] -= gradient[i] / f;
    b->hessian[4 * i] -= diagonal[i] / f;
    for (int j = 0; j < 3; ++j) b->hessian[3 * i + j] += gradient[i] * gradient[j] / (f * f);
  }
  return true;
}

static const double none[3] = {0.0, 0.0, 0.0};

// -log (c^2 - |x/S|^2)
static bool add_round(barrier *b, double c, const double x[3], const double scale[3]) {
  double f = c * c, gradient[3], diagonal[3];
  for (int i = 0; i < 3; ++i) {
    const double y = x[i] * scale[i];
    f -= y * y, gradient[i] = -2.0 * y * scale[i], diagonal[i] = -2.0 * scale[i] * scale[i];
  }
  return c > 0.0 && add_log(b, f, gradient, diagonal);
}

// -log (c - x_i) - log (c + x_i)
static bool add_slab(barrier *b, double c, const double x[3], int i) {
  double up[3] = {0.0, 0.0, 0.0}, down[3] = {0.0, 0.0, 0.0};
  up[i] = -1.0, down[i] = 1.0;
  return add_log(b, c - x[i], up, none) && add_log(b, c + x[i], down, none);
}

static bool add_capsule(barrier *b, const limpet_pressure_field *field, double q,
                        const double x[3]) {
  const double R = field->size[0], l = field->size[1];
  const double beyond = x[2] - fmax(-l, fmin(l, x[2]));
  const double from[3] = {x[0], x[1], beyond}, scale[3] = {1.0, 1.0, beyond != 0.0 ? 1.0 : 0.0};
  return add_round(b, R * (1.0 - q), from, scale) &&
         add_slab(b, l + R * (1.0 + fmax(1.0, 1.0 - q)), x, 2);
}

// The terms of {p >= q E} of a field; false: x is not in it.
static bool add_field(barrier *b, const limpet_pressure_field *field, double q, const double x[3]) {
  const double *size = field->size, grown = q * field->depth;
  switch (field->kind) {
    case LIMPET_SHAPE_SPHERE: {
      const double scale = 1.0 / size[0];
      return add_round(b, 1.0 - q, x, (const double[3]){scale, scale, scale});
    }
    case LIMPET_SHAPE_ELLIPSOID:
      return add_round(b, 1.0 - q, x,
                       (const double[3]){1.0 / size[0], 1.0 / size[1], 1.0 / size[2]});
    case LIMPET_SHAPE_CAPSULE: return add_capsule(b, field, q, x);
    case LIMPET_SHAPE_CYLINDER:
      return add_round(b, size[0] - grown, x, (const double[3]){1.0, 1.0, 0.0}) &&
             add_slab(b, size[1] - grown, x, 2);
    case LIMPET_SHAPE_BOX:
      for (int i = 0; i < 3; ++i)
        if (!add_slab(b, size[i] - grown, x, i)) return false;
      return true;
    default: break;
  }
  for (int k = 0; k < field->cell_count; ++k) {
    const limpet_pressure_cell *cell = &field->cell[k];
    const double p = limpet_vec3_dot(cell->gradient, x) + cell->offset - q * field->modulus;
    if (!add_log(b, p, cell->gradient, none)) return false;
  }
  return field->cell_count > 0;
}

/* Newton's step -H^-1 g of n unknowns by Cholesky's factors in place; returns lambda, or NAN where
 * H is not positive. */
static double newton(double *H, const double *g, int n, double *step) {
  double y[3], square = 0.0;
  for (int j = 0; j < n; ++j) {
    double d = H[n * j + j];
    for (int k = 0; k < j; ++k) d -= H[n * j + k] * H[n * j + k];
    if (!(d > 0.0)) return NAN;
    d = H[n * j + j] = sqrt(d);
    for (int i = j + 1; i < n; ++i) {
      for (int k = 0; k < j; ++k) H[n * i + j] -= H[n * i + k] * H[n * j + k];
      H[n * i + j] /= d;
    }
    y[j] = -g[j];
    for (int k = 0; k < j; ++k) y[j] -= H[n * j + k] * y[k];
    y[j] /= d, square += y[j] * y[j];
  }
  for (int j = n - 1; j >= 0; --j) {
    step[j] = y[j];
    for (int i = j + 1; i < n; ++i) step[j] -= H[n * i + j] * step[i];
    step[j] /= H[n * j + j];
  }
  return sqrt(square);
}

// --------------------------------------------------------------------------- two bodies

typedef struct two_bodies {
  const limpet_pressure_field *s, *t;
  const limpet_pressure_frame *frame;
  double level_s, level_t;  // [-]  of the moduli
} two_bodies;

static bool look(const two_bodies *w, const double x[3], barrier *b) {
  barrier of_t = {0};
  double y[3], from[3], g[3], turned[9], back[9];
  *b = (barrier){0};
  limpet_vec3_sub(from, x, w->frame->offset);
  limpet_mat3_tmul_vec(y, w->frame->rotation, from);
  if (!add_field(b, w->s, w->level_s, x) || !add_field(&of_t, w->t, w->level_t, y)) return false;
  limpet_mat3_mul_vec(g, w->frame->rotation, of_t.gradient);
  limpet_vec3_add(b->gradient, b->gradient, g);
  // R H R'
  limpet_mat3_mul(turned, w->frame->rotation, of_t.hessian);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      back[3 * i + j] = limpet_vec3_dot(turned + 3 * i, w->frame->rotation + 3 * j);
  for (int i = 0; i < 9; ++i) b->hessian[i] += back[i];
  return true;
}

static double level_of(const limpet_pressure_field *field, double level) {
  return field->rigid ? 0.0 : level / field->modulus;
}

bool limpet_pressure_centre(const limpet_pressure_field *s, const limpet_pressure_field *t,
                            const limpet_pressure_frame *frame, double level, double x[3]) {
  const two_bodies w = {s, t, frame, level_of(s, level), level_of(t, level)};
  barrier b, next;
  if (!look(&w, x, &b)) return false;
  for (int k = 0; k < most_steps; ++k) {
    double step[3], to[3];
    const double lambda = newton(b.hessian, b.gradient, 3, step);
    if (!(lambda < INFINITY)) return true;
    double share = lambda < full_step ? 1.0 : 1.0 / (1.0 + lambda);
    bool inside = false;
    for (int i = 0; i < most_halvings && !inside; ++i, share *= 0.5) {
      limpet_vec3_addmul(to, x, share, step);
      inside = look(&w, to, &next);
    }
    if (!inside) return true;
    limpet_vec3_copy(x, to);
    b = next;
    if (lambda < last_step) return true;
  }
  return true;
}

// --------------------------------------------------------------------------- in a plane

typedef struct in_plane {
  const limpet_pressure_field *field;
  const double *origin, *t1, *t2;
  const double (*corner)[2];
  int count;
  double level;  // [-]  of the modulus
} in_plane;

// The term of one edge: its distance from the place, on the left.
static bool add_edge(const in_plane *w, int k, const double uv[2], double g[2], double H[4]) {
  const double *a = w->corner[k], *c = w->corner[(k + 1) % w->count];
  const double along[2] = {c[0] - a[0], c[1] - a[1]};
  const double f = along[0] * (uv[1] - a[1]) - along[1] * (uv[0] - a[0]);
  if (along[0] == 0.0 && along[1] == 0.0) return true;
  if (!(f > 0.0)) return false;
  const double slope[2] = {-along[1] / f, along[0] / f};
  for (int i = 0; i < 2; ++i) {
    g[i] -= slope[i];
    for (int j = 0; j < 2; ++j) H[2 * i + j] += slope[i] * slope[j];
  }
  return true;
}

static bool look_in_plane(const in_plane *w, const double uv[2], double g[2], double H[4]) {
  barrier b = {0};
  double x[3], h[2][3];
  const double *t[2] = {w->t1, w->t2};
  limpet_vec3_addmul(x, w->origin, uv[0], w->t1);
  limpet_vec3_addmul(x, x, uv[1], w->t2);
  if (!add_field(&b, w->field, w->level, x)) return false;
  for (int i = 0; i < 2; ++i) {
    g[i] = limpet_vec3_dot(b.gradient, t[i]);
    limpet_mat3_mul_vec(h[i], b.hessian, t[i]);
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) H[2 * i + j] = limpet_vec3_dot(h[i], t[j]);
  for (int k = 0; k < w->count; ++k)
    if (!add_edge(w, k, uv, g, H)) return false;
  return true;
}

bool limpet_pressure_centre_in_plane(const limpet_pressure_field *field, const double origin[3],
                                     const double t1[3], const double t2[3],
                                     const double (*corner)[2], int count, double level,
                                     double uv[2]) {
  const in_plane w = {field, origin, t1, t2, corner, count, level_of(field, level)};
  double g[2], H[4];
  if (!look_in_plane(&w, uv, g, H)) return false;
  for (int k = 0; k < most_steps; ++k) {
    double step[2], to[2];
    const double lambda = newton(H, g, 2, step);
    if (!(lambda < INFINITY)) return true;
    double share = lambda < full_step ? 1.0 : 1.0 / (1.0 + lambda);
    bool inside = false;
    for (int i = 0; i < most_halvings && !inside; ++i, share *= 0.5) {
      for (int e = 0; e < 2; ++e) to[e] = uv[e] + share * step[e];
      inside = look_in_plane(&w, to, g, H);
    }
    if (!inside) return true;
    uv[0] = to[0], uv[1] = to[1];
    if (lambda < last_step) return true;
  }
  return true;
}
