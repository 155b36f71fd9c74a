/* collide/soft_gap.c: see soft_gap.h.
 *
 * With A, B the hulls (what moves straight is in the hull of its ends), v a point of B - A:
 *   w    of B - A the point that is lowest along v       gap along v   v . w/|v|
 * Where that is not enough, v becomes the point of the segment from v to w that is nearest to the
 * origin. |v| bounds the gap from above, v . w/|v| from below, so few rounds tell on which side of
 * a bound it is. Cost: a product for each vertex and round.
 * Source: Gilbert, An iterative procedure for computing the minimum of a quadratic form on a convex
 * set, SIAM J. Control 4 (1966). */
#include "collide/soft_gap.h"

#include <math.h>

#include "math/extremes.h"
#include "math/vec3.h"

bool limpet_gap_lowest(const limpet_gap_hull *hull, const double n[3], double point[3]) {
  if (!hull->surface) {
    double down[3];
    limpet_vec3_neg(down, n);
    limpet_shape_support(point, &hull->shape, down);
    return true;
  }
  const double *at = NULL;
  double least = INFINITY;
  for (int i = 0; i < hull->surface->vertex_count; ++i) {
    const int v = 3 * hull->surface->vertex[i];
    const double now = limpet_vec3_dot(n, hull->x + v);
    if (now < least) least = now, at = hull->x + v;
    const double then = hull->end ? limpet_vec3_dot(n, hull->end + v) : INFINITY;
    if (then < least) least = then, at = hull->end + v;
  }
  if (at) limpet_vec3_copy(point, at);
  return at;
}

// v to the point of the segment from v to w that is nearest to the origin; false: it is v.
static bool approach(double v[3], const double w[3]) {
  double way[3];
  limpet_vec3_sub(way, w, v);
  const double down = -limpet_vec3_dot(v, way), square = limpet_vec3_dot(way, way);
  if (!(down > 0.0 && square > 0.0)) return false;
  limpet_vec3_addmul(v, v, limpet_min(down / square, 1.0), way);
  return true;
}

double limpet_hull_gap(const limpet_gap_hull *a, const limpet_gap_hull *b, double v[3],
                       double enough, int rounds, double n[3]) {
  double most = -INFINITY;
  limpet_vec3_zero(n);
  for (int round = 0; round < rounds; ++round) {
    double back[3], along[3], on_a[3], w[3];
    const double size = limpet_vec3_norm(v);
    if (!(size > limpet_max(enough, 0.0))) break;
    limpet_vec3_scale(along, 1.0 / size, v);
    limpet_vec3_neg(back, along);
    if (!limpet_gap_lowest(a, back, on_a) || !limpet_gap_lowest(b, along, w)) break;
    limpet_vec3_sub(w, w, on_a);
    const double gap = limpet_vec3_dot(along, w);
    if (gap > most) {
      most = gap;
      limpet_vec3_copy(n, along);
    }
    if (most > enough || !approach(v, w)) break;
  }
  return most;
}

static void mean_of(const limpet_soft_surface *surface, const double *x, double mean[3]) {
  limpet_vec3_zero(mean);
  for (int i = 0; i < surface->vertex_count; ++i)
    limpet_vec3_addmul(mean, mean, 1.0 / surface->vertex_count, x + 3 * surface->vertex[i]);
}

double limpet_soft_gap(const limpet_soft_surface *a, const limpet_soft_surface *b, const double *x,
                       const double *end, double enough, int rounds, double n[3]) {
  const limpet_gap_hull of_a = {.surface = a, .x = x, .end = end},
                        of_b = {.surface = b, .x = x, .end = end};
  double v[3], mean[3];
  mean_of(a, x, mean), mean_of(b, x, v);
  limpet_vec3_sub(v, v, mean);
  return limpet_hull_gap(&of_a, &of_b, v, enough, rounds, n);
}
