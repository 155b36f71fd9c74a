// gradient/ending.h: what derivatives of the ends of trees are taken from, and what they give.
#ifndef LIMPET_GRADIENT_ENDING_H
#define LIMPET_GRADIENT_ENDING_H

#include "gradient/columns.h"
#include "gradient/integration.h"

typedef struct limpet_ending {
  const limpet_residual *residual;
  const limpet_columns *columns;          // NULL: products from the left, which have none
  const limpet_integration *integration;  // of the step
  bool first_order;                       // rotations of the step
  limpet_data *start;                     // the world at its start, poses and velocities of it
  const limpet_data *end;                 // the world after it
} limpet_ending;

/* Weights of results (nv) that go back through an end of the step; NULL: zero, or not wanted. What
 * the start, forces and the change of the last step get is added. */
typedef struct limpet_end_weights {
  const double *of_q, *of_v;               // of q1, v1
  double *by_q, *by_v, *by_f, *by_change;  // of q0, v0, f and the change
} limpet_end_weights;

#endif
