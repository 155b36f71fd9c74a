/* geometry/distance_grid.c: trilinear interpolation between sampled signed distances.
 *
 *   phi~(x) = sum over the eight corners of the cell of w_i phi(x_i),   w_i >= 0, sum w_i = 1, sum
 *                                                                       w_i x_i = x
 *   |phi~ - phi| <= sum w_i |x_i - x| <= sqrt(sum w_i |x_i - x|^2) <= sqrt(3)/2 h      because phi
 *     is Lipschitz
 *   |phi~ - phi| <= h^2/8 sum |d^2 phi/dx_k^2| = h^2/8 (k1 + k2)                        where it is
 *     smooth and convex,
 * with the spacing h and the curvatures k1, k2 of the level surface. The gradient is that of phi~,
 * made unit: it errs by about h times the larger curvature, and jumps at the faces of the cells.
 * Memory: 8 bytes a sample. Cost: about 30 ns in a grid of 65 MB; making it, one exact distance a
 * sample. */
#include "geometry/distance_grid.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "geometry/point_distance.h"
#include "geometry/surface.h"
#include "math/vec3.h"

static const double most_samples = 2e8;
// of the interpolant: flatter than this it has no direction
static const double least_slope = 1e-3;

bool limpet_distance_grid_at(double *distance, double gradient[3], const limpet_distance_grid *grid,
                             const double c[3]) {
  assert(distance && grid);
  int cell[3];
  double t[3];
  for (int k = 0; k < 3; ++k) {
    const double at = (c[k] - grid->low[k]) / grid->spacing;
    if (!(at >= 0.0) || !(at <= grid->count[k] - 1)) return false;
    cell[k] = (int)at < grid->count[k] - 2 ? (int)at : grid->count[k] - 2;
    t[k] = at - cell[k];
  }
  const size_t row = (size_t)grid->count[2], slice = row * (size_t)grid->count[1];
  const double *s =
      grid->sample + slice * (size_t)cell[0] + row * (size_t)cell[1] + (size_t)cell[2];

  // along z, then y, then x
  const double z00 = s[0] + t[2] * (s[1] - s[0]), z01 = s[row] + t[2] * (s[row + 1] - s[row]);
  const double *far = s + slice;
  const double z10 = far[0] + t[2] * (far[1] - far[0]),
               z11 = far[row] + t[2] * (far[row + 1] - far[row]);
  const double y0 = z00 + t[1] * (z01 - z00), y1 = z10 + t[1] * (z11 - z10);
  *distance = y0 + t[0] * (y1 - y0);
  const double d0 = (1.0 - t[1]) * (s[1] - s[0]) + t[1] * (s[row + 1] - s[row]);
  const double d1 = (1.0 - t[1]) * (far[1] - far[0]) + t[1] * (far[row + 1] - far[row]);
  gradient[0] = y1 - y0;
  gradient[1] = (1.0 - t[0]) * (z01 - z00) + t[0] * (z11 - z10);
  gradient[2] = (1.0 - t[0]) * d0 + t[0] * d1;
  const double norm = limpet_vec3_norm(gradient);
  if (!(norm > least_slope * grid->spacing)) return false;
  limpet_vec3_scale(gradient, 1.0 / norm, gradient);
  return true;
}

static void box_of(double low[3], double high[3], const limpet_shape *shape) {
  if (shape->surface) {
    limpet_vec3_copy(low, shape->surface->node[0].low);
    limpet_vec3_copy(high, shape->surface->node[0].high);
    return;
  }
  for (int k = 0; k < 3; ++k) low[k] = INFINITY, high[k] = -INFINITY;
  for (int i = 0; i < shape->hull->vertex_count; ++i)
    for (int k = 0; k < 3; ++k) {
      low[k] = fmin(low[k], shape->hull->vertices[3 * i + k]);
      high[k] = fmax(high[k], shape->hull->vertices[3 * i + k]);
    }
}

limpet_distance_grid *limpet_distance_grid_create(const limpet_shape *shape, double spacing,
                                                  double margin, limpet_error *error) {
  assert(shape->kind == LIMPET_SHAPE_MESH && (shape->surface || shape->hull));
  double low[3], high[3], total = 1.0;
  if (!(spacing > 0.0) || !(margin >= 0.0) || isinf(margin)) {
    limpet_error_fill(error, LIMPET_ERROR_INPUT,
                      "a grid of distances with spacing %g m and margin %g m; give a positive "
                      "spacing and a margin of 0 or more",
                      spacing, margin);
    return NULL;
  }
  box_of(low, high, shape);
  for (int k = 0; k < 3; ++k)
    total *= fmax(1.0, ceil((high[k] - low[k] + 2.0 * margin) / spacing)) + 1.0;
  if (!(total <= most_samples)) {
    limpet_error_fill(
        error, LIMPET_ERROR_INPUT,
        "a grid of distances with spacing %g m has %.3g samples, more than %g; widen it", spacing,
        total, most_samples);
    return NULL;
  }
  limpet_distance_grid *grid = calloc(1, sizeof *grid);
  double *sample = malloc((size_t)total * sizeof *sample);
  if (!grid || !sample) {
    free(grid), free(sample);
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a grid of %.3g distances", total);
    return NULL;
  }
  *grid = (limpet_distance_grid){
      .spacing = spacing, .error = 0.5 * sqrt(3.0) * spacing, .sample = sample};
  for (int k = 0; k < 3; ++k) {
    grid->count[k] = (int)fmax(1.0, ceil((high[k] - low[k] + 2.0 * margin) / spacing)) + 1;
    grid->low[k] =
        0.5 * (low[k] + high[k]) - 0.5 * spacing * (grid->count[k] - 1);  // the box in the middle
  }
  limpet_shape exact = *shape;
  exact.grid = NULL;
  for (int i = 0; i < grid->count[0]; ++i)
    for (int j = 0; j < grid->count[1]; ++j)
      for (int k = 0; k < grid->count[2]; ++k) {
        const double c[3] = {grid->low[0] + i * spacing, grid->low[1] + j * spacing,
                             grid->low[2] + k * spacing};
        double gradient[3];
        *sample++ = limpet_point_distance[LIMPET_SHAPE_MESH](gradient, &exact, c);
      }
  return grid;
}

double limpet_distance_grid_error(const limpet_distance_grid *grid) {
  assert(grid);
  return grid->error;
}

void limpet_distance_grid_destroy(limpet_distance_grid *grid) {
  if (!grid) return;
  free(grid->sample);
  free(grid);
}
