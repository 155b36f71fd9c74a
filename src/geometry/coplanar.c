/* geometry/coplanar.c: see coplanar.h.
 *
 *   f(t) = a(t) . (b(t) x c(t))     a, b, c: from the first point to the others, linear in t
 * is a cubic, whose signs tell which side of the plane of three points the fourth is on. Its four
 * Bernstein coefficients bound it, and most cubics have none of the other sign; those that have
 * one are cut where f' = 0, and roots are found by bisection, so that rounding loses none.
 * Cost: 8 determinants, and where signs differ up to 3 x 52 values of f.
 * Source: Provot, Collision and self-collision handling in cloth model dedicated to design garments
 * (1997). */
#include "geometry/coplanar.h"

#include <math.h>
#include <stdbool.h>

#include "math/extremes.h"
#include "math/vec3.h"

static double determinant(const double a[3], const double b[3], const double c[3]) {
  double n[3];
  limpet_vec3_cross(n, b, c);
  return limpet_vec3_dot(a, n);
}

// Coefficients of f, from the constant one on.
static void cubic_of(const double x[12], const double way[12], double c[4]) {
  double p[3][3], u[3][3];
  for (int k = 0; k < 3; ++k) {
    limpet_vec3_sub(p[k], x + 3 * (k + 1), x);
    limpet_vec3_sub(u[k], way + 3 * (k + 1), way);
  }
  c[0] = determinant(p[0], p[1], p[2]);
  c[1] =
      determinant(u[0], p[1], p[2]) + determinant(p[0], u[1], p[2]) + determinant(p[0], p[1], u[2]);
  c[2] =
      determinant(p[0], u[1], u[2]) + determinant(u[0], p[1], u[2]) + determinant(u[0], u[1], p[2]);
  c[3] = determinant(u[0], u[1], u[2]);
}

static double value(const double c[4], double t) {
  return c[0] + t * (c[1] + t * (c[2] + t * c[3]));
}

static bool keeps_its_sign(const double c[4]) {
  const double b1 = c[0] + c[1] / 3.0, b2 = c[0] + (2.0 * c[1] + c[2]) / 3.0,
               b3 = c[0] + c[1] + c[2] + c[3];
  return limpet_min(limpet_min(c[0], b1), limpet_min(b2, b3)) > 0.0 ||
         limpet_max(limpet_max(c[0], b1), limpet_max(b2, b3)) < 0.0;
}

// Where f' = 0 within (0, 1), ascending. Returns how many.
static int turns_of(const double c[4], double turn[2]) {
  const double a = 3.0 * c[3], half = c[2], under = half * half - a * c[1];
  int count = 0;
  if (!(under >= 0.0)) return 0;
  // the larger root of each sign is free of cancellation
  const double q = -(half + (half < 0.0 ? -sqrt(under) : sqrt(under)));
  const double one = q / a, other = c[1] / q;
  if (limpet_min(one, other) > 0.0 && limpet_min(one, other) < 1.0)
    turn[count++] = limpet_min(one, other);
  if (limpet_max(one, other) > 0.0 && limpet_max(one, other) < 1.0)
    turn[count++] = limpet_max(one, other);
  return count;
}

static double bisect(const double c[4], double low, double high) {
  const bool negative = value(c, low) < 0.0;
  for (int i = 0; i < 52; ++i) {
    const double middle = 0.5 * (low + high);
    if ((value(c, middle) < 0.0) == negative) low = middle;
    else high = middle;
  }
  return 0.5 * (low + high);
}

int limpet_coplanar_times(const double x[12], const double way[12], double t[3]) {
  double c[4], end[4] = {0.0, 1.0};
  cubic_of(x, way, c);
  if (keeps_its_sign(c)) return 0;
  int ends = 1 + turns_of(c, end + 1), count = 0;
  end[ends] = 1.0;
  for (int i = 0; i < ends; ++i)
    if ((value(c, end[i]) < 0.0) != (value(c, end[i + 1]) < 0.0))
      t[count++] = bisect(c, end[i], end[i + 1]);
  return count;
}
