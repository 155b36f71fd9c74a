/* tests/support/soft_products.h: derivatives of whole steps with deformable bodies: products
 * forwards against differences of steps along random directions, backwards against forwards. */
#ifndef LIMPET_TEST_SOFT_PRODUCTS_H
#define LIMPET_TEST_SOFT_PRODUCTS_H

#include "limpet/gradient_deformable.h"
#include "mjcf_world.h"

// A vector with its arrays in one block.
typedef struct soft_vector {
  limpet_gradient_vector at;
  double *block;  // (count)  for free
  int count;
} soft_vector;

// Zeros; and a direction of the state: lengths, velocities and forces that matter in a step.
soft_vector soft_vector_make(const limpet_model *model);
soft_vector soft_direction_make(const limpet_model *model, unsigned long *seed);
/* The end of a step of `data` from the state of `from` moved by s of x: q (nq), rest (nv + 2 V)
 * velocity, vertices and their velocities, V = 3 vertex_count. Whether it was solved. */
bool soft_end_of(const mjcf_world *w, limpet_data *data, const limpet_data *from,
                 const soft_vector *x, double s, double *q, double *rest);
// x.y; *size += the sum of the sizes of its terms.
double soft_dot(int count, const double *x, const double *y, double *size);
/* One direction and one weight at the present state of the world, which is stepped. Products have
 * to agree with differences to `tolerance` of their largest entry, unless the step is at a kink;
 * backwards with forwards to round-off. False: at a kink, or no difference could be made. */
bool soft_products_check(mjcf_world *w, const char *what, double tolerance, unsigned long *seed);

#endif
