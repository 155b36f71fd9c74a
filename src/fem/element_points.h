// fem/element_points.h: gradients at one point of one element of a batch, and back to its nodes.
#ifndef LIMPET_FEM_ELEMENT_POINTS_H
#define LIMPET_FEM_ELEMENT_POINTS_H

#include <string.h>

#include "fem/body.h"

// x 3 x 3 of one point: sum over nodes of x_a g_a'.
static inline void limpet_fem_gradient_at(const limpet_fem_body *body, long point, long batch,
                                          int lane, const double *x, double F[9]) {
  const int k = body->element_nodes;
  memset(F, 0, 9 * sizeof *F);
  for (int a = 0; a < k; ++a) {
    const double *xa = x + 3L * body->node[(batch * k + a) * LIMPET_FEM_LANES + lane];
    const double *g = body->gradient + ((point * k + a) * 3) * LIMPET_FEM_LANES + lane;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) F[3 * i + j] += xa[i] * g[j * LIMPET_FEM_LANES];
  }
}

// y_a += P g_a
static inline void limpet_fem_spread_at(const limpet_fem_body *body, long point, long batch,
                                        int lane, const double P[9], double *y) {
  const int k = body->element_nodes;
  for (int a = 0; a < k; ++a) {
    double *ya = y + 3L * body->node[(batch * k + a) * LIMPET_FEM_LANES + lane];
    const double *g = body->gradient + ((point * k + a) * 3) * LIMPET_FEM_LANES + lane;
    for (int i = 0; i < 3; ++i)
      ya[i] += P[3 * i] * g[0] + P[3 * i + 1] * g[LIMPET_FEM_LANES] +
               P[3 * i + 2] * g[2 * LIMPET_FEM_LANES];
  }
}

#endif
