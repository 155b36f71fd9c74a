/* collide/soft_common.c: see soft_common.h.
 *
 * With A, B the vertices on their ways (what moves straight is in the hull of its ends), v a point
 * of B - A, from the difference of the means on:
 *   w    of B - A the point that is lowest along v       gap along v   v . w/|v|
 * Where the gap is not enough, v becomes the point of the segment from v to w that is nearest to
 * the origin. Boxes of things that stand askew beside each other meet; a few such rounds tell.
 * Source: Gilbert, An iterative procedure for computing the minimum of a quadratic form on a convex
 * set, SIAM J. Control 4 (1966). Cost: a product for each vertex and round. */
#include "collide/soft_common.h"

#include <math.h>

#include "collide/soft_boxes.h"
#include "math/extremes.h"
#include "math/vec3.h"

enum { ROUNDS = 8 };
static const double slack = 1e-12;  // [-]  of coordinates: round-off of a gap

static void mean_of(const limpet_soft_surface *surface, const double *x, double mean[3]) {
  limpet_vec3_zero(mean);
  for (int i = 0; i < surface->vertex_count; ++i)
    limpet_vec3_addmul(mean, mean, 1.0 / surface->vertex_count, x + 3 * surface->vertex[i]);
}

// The vertex that is lowest along n, at x or end.
static const double *lowest_along(const limpet_soft_surface *surface, const double *x,
                                  const double *end, const double n[3]) {
  const double *at = NULL;
  double least = INFINITY;
  for (int i = 0; i < surface->vertex_count; ++i) {
    const int v = 3 * surface->vertex[i];
    const double now = limpet_vec3_dot(n, x + v);
    if (now < least) least = now, at = x + v;
    const double then = end ? limpet_vec3_dot(n, end + v) : INFINITY;
    if (then < least) least = then, at = end + v;
  }
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

double limpet_soft_gap(const limpet_soft_surface *a, const limpet_soft_surface *b, const double *x,
                       const double *end, double enough, double n[3]) {
  double v[3], of_a[3], most = -INFINITY;
  mean_of(a, x, of_a), mean_of(b, x, v);
  limpet_vec3_sub(v, v, of_a);
  limpet_vec3_zero(n);
  for (int round = 0; round < ROUNDS; ++round) {
    double back[3], along[3], w[3];
    const double size = limpet_vec3_norm(v);
    if (!(size > 0.0)) break;
    limpet_vec3_scale(along, 1.0 / size, v);
    limpet_vec3_neg(back, along);
    const double *on_a = lowest_along(a, x, end, back), *on_b = lowest_along(b, x, end, along);
    if (!on_a || !on_b) break;
    limpet_vec3_sub(w, on_b, on_a);
    const double gap = limpet_vec3_dot(along, w);
    if (gap > most) {
      most = gap;
      limpet_vec3_copy(n, along);
    }
    if (most > enough || !approach(v, w)) break;
  }
  return most;
}

// Extent of a surface along n, on its ways.
static void extent_along(const limpet_soft_surface *surface, const double *x, const double *end,
                         const double n[3], double *least, double *most) {
  double back[3];
  limpet_vec3_neg(back, n);
  const double *low = lowest_along(surface, x, end, n), *high = lowest_along(surface, x, end, back);
  *least = low ? limpet_vec3_dot(n, low) : INFINITY;
  *most = high ? limpet_vec3_dot(n, high) : -INFINITY;
}

bool limpet_soft_common_find(const limpet_soft_surface *a, const limpet_soft_surface *b,
                             const double *x, const double *end, limpet_soft_common *common) {
  if (a->vertex_count == 0 || b->vertex_count == 0) return false;
  const limpet_soft_box of_a = limpet_soft_box_of(a->vertex_count, a->vertex, x, end),
                        of_b = limpet_soft_box_of(b->vertex_count, b->vertex, x, end);
  double large = 0.0;
  for (int k = 0; k < 3; ++k) {
    common->low[k] = limpet_max(of_a.low[k], of_b.low[k]);
    common->high[k] = limpet_min(of_a.high[k], of_b.high[k]);
    if (common->low[k] > common->high[k]) return false;
    large = limpet_max(large, limpet_max(fabs(of_a.low[k]), fabs(of_a.high[k])));
    large = limpet_max(large, limpet_max(fabs(of_b.low[k]), fabs(of_b.high[k])));
  }
  const double round_off = slack * large;
  if (limpet_soft_gap(a, b, x, end, round_off, common->n) > round_off) return false;
  double least_a, most_a, least_b, most_b;
  extent_along(a, x, end, common->n, &least_a, &most_a);
  extent_along(b, x, end, common->n, &least_b, &most_b);
  common->least = limpet_max(least_a, least_b) - round_off;
  common->most = limpet_min(most_a, most_b) + round_off;
  return true;
}

unsigned char limpet_soft_common_sides(const limpet_soft_common *common, const double x[3],
                                       const double end[3]) {
  unsigned sides = 0;
  for (int k = 0; k < 3; ++k) {
    if (limpet_max(x[k], end[k]) < common->low[k]) sides |= 1u << k;
    if (limpet_min(x[k], end[k]) > common->high[k]) sides |= 8u << k;
  }
  const double now = limpet_vec3_dot(common->n, x), then = limpet_vec3_dot(common->n, end);
  if (limpet_max(now, then) < common->least) sides |= 64u;
  if (limpet_min(now, then) > common->most) sides |= 128u;
  return (unsigned char)sides;
}
