/* collide/soft_common.c: see soft_common.h. Boxes of things that stand askew beside each other
 * meet; a few rounds of soft_gap.c tell whether a plane parts them. Cost: a product for each vertex
 * and round. */
#include "collide/soft_common.h"

#include <math.h>

#include "collide/soft_boxes.h"
#include "collide/soft_gap.h"
#include "math/extremes.h"
#include "math/vec3.h"

enum { ROUNDS = 8 };
static const double slack = 1e-12;  // [-]  of coordinates: round-off of a gap

// Extent of a surface along n, on its ways.
static void extent_along(const limpet_soft_surface *surface, const double *x, const double *end,
                         const double n[3], double *least, double *most) {
  const limpet_gap_hull hull = {.surface = surface, .x = x, .end = end};
  double back[3], low[3], high[3];
  limpet_vec3_neg(back, n);
  *least = limpet_gap_lowest(&hull, n, low) ? limpet_vec3_dot(n, low) : INFINITY;
  *most = limpet_gap_lowest(&hull, back, high) ? limpet_vec3_dot(n, high) : -INFINITY;
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
  if (limpet_soft_gap(a, b, x, end, round_off, ROUNDS, common->n) > round_off) return false;
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
