/* geometry/signed_distance.c: signed distances of points, in blocks that stay in the first cache.
 *
 * A block of points is turned into one array for each coordinate, because the kernels want it so;
 * kinds without a kernel and gradients go point by point (point_distance.c). */
#include <assert.h>
#include <math.h>

#include "geometry/distance_table.h"
#include "geometry/point_distance.h"
#include "math/vec3.h"

enum { BLOCK = 64 };

// Chosen when the library is loaded: stepping never asks again.
static const limpet_distance_table *table = &limpet_distance_baseline;

#if defined(__x86_64__)
__attribute__((constructor)) static void table_choose(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) table = &limpet_distance_avx2;
}
#endif

const limpet_distance_table *limpet_distance(void) { return table; }

limpet_distance_view limpet_distance_view_create(const limpet_shape *shape, const double *position,
                                                 const double *rotation) {
  limpet_distance_view view = {.shape = shape};
  double offset[3];
  if (rotation) {
    limpet_mat3_tmul(view.rotation, shape->rotation, rotation);
    limpet_vec3_sub(offset, position, shape->position);
  } else {
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) view.rotation[3 * i + k] = shape->rotation[3 * k + i];
    limpet_vec3_neg(offset, shape->position);
  }
  limpet_mat3_tmul_vec(view.offset, shape->rotation, offset);
  return view;
}

void limpet_distance_block(double *restrict phi, const limpet_distance_view *view,
                           const double *restrict x, const double *restrict y,
                           const double *restrict z, int count) {
  limpet_distance_kernel *kernel = table->kernel[view->shape->kind];
  if (kernel) {
    kernel(phi, view, x, y, z, count);
    return;
  }
  for (int i = 0; i < count; ++i) {
    const double point[3] = {x[i], y[i], z[i]};
    double local[3], gradient[3];
    limpet_mat3_mul_vec(local, view->rotation, point);
    limpet_vec3_add(local, local, view->offset);
    phi[i] = limpet_point_distance[view->shape->kind](gradient, view->shape, local);
  }
}

// Distances and gradients point by point.
static void with_gradient(const limpet_shape *shape, const double *points, int count,
                          double *distance, double *gradient) {
  for (int i = 0; i < count; ++i) {
    double offset[3], local[3], g[3];
    limpet_vec3_sub(offset, points + 3 * i, shape->position);
    limpet_mat3_tmul_vec(local, shape->rotation, offset);
    distance[i] = limpet_point_distance[shape->kind](g, shape, local);
    limpet_mat3_mul_vec(gradient + 3 * i, shape->rotation, g);
  }
}

void limpet_signed_distance(const limpet_shape *shape, const double *points, int count,
                            double *distance, double *gradient) {
  assert(shape && count >= 0 && (count == 0 || (points && distance)));
  assert(limpet_point_distance[shape->kind] != NULL);
  if (gradient) {
    with_gradient(shape, points, count, distance, gradient);
    return;
  }
  const limpet_distance_view view = limpet_distance_view_create(shape, NULL, NULL);
  double x[BLOCK], y[BLOCK], z[BLOCK], phi[BLOCK];
  for (int begin = 0; begin < count; begin += BLOCK) {
    const int size = count - begin < BLOCK ? count - begin : BLOCK;
    const int padded =
        (size + LIMPET_DISTANCE_LANES - 1) / LIMPET_DISTANCE_LANES * LIMPET_DISTANCE_LANES;
    for (int i = 0; i < padded; ++i) {
      const double *point = points + 3 * (begin + (i < size ? i : size - 1));
      x[i] = point[0], y[i] = point[1], z[i] = point[2];
    }
    limpet_distance_block(phi, &view, x, y, z, padded);
    for (int i = 0; i < size; ++i) distance[begin + i] = phi[i];
  }
}
