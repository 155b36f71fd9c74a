/* fem/tetrahedron.h: size and quality of one tetrahedron. */
#ifndef LIMPET_FEM_TETRAHEDRON_H
#define LIMPET_FEM_TETRAHEDRON_H

#include "math/vec3.h"

typedef struct limpet_tetrahedron_shape {
  double volume;   // [m^3]  positive: v1 - v0, v2 - v0, v3 - v0 are right-handed
  double longest;  // [m]  edge
  double quality;  // [-]  12 (3 |V|)^(2/3)/(sum of squared edges)
} limpet_tetrahedron_shape;

// vertices (any x 3) [m], v (4)
static inline limpet_tetrahedron_shape limpet_tetrahedron_shape_of(const double *vertices,
                                                                   const int *v) {
  double edge[3][3], cross[3], squares = 0.0, longest = 0.0;
  for (int k = 0; k < 3; ++k)
    limpet_vec3_sub(edge[k], vertices + 3L * v[k + 1], vertices + 3L * v[0]);
  limpet_vec3_cross(cross, edge[0], edge[1]);
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < a; ++b) {
      const double length = limpet_vec3_distance(vertices + 3L * v[a], vertices + 3L * v[b]);
      squares += length * length;
      longest = fmax(longest, length);
    }
  limpet_tetrahedron_shape shape = {.volume = limpet_vec3_dot(cross, edge[2]) / 6.0,
                                    .longest = longest};
  const double size = cbrt(3.0 * fabs(shape.volume));
  shape.quality = squares > 0.0 ? 12.0 * size * size / squares : 0.0;
  return shape;
}

#endif
