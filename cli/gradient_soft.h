// cli/gradient_soft.h: what `limpet gradient` says of deformable bodies: products along directions.
#ifndef LIMPET_CLI_GRADIENT_SOFT_H
#define LIMPET_CLI_GRADIENT_SOFT_H

#include "limpet/gradient_deformable.h"

// Of the velocities of joints and vertices after the step.
typedef struct limpet_gradient_soft {
  int directions;                      // that were compared; 0: there is no deformable body
  double by_position;                  // [-]  farthest from differences, over the largest entry
  double by_velocity;                  // [-]
  double transposed;                   // [-]  y.Jx from x.J'y, over the sum of their parts
  double forward_time, backward_time;  // [s]  of a product, the least
} limpet_gradient_soft;

struct limpet_gradient_report;

// Fills report->soft after the step that the report is about. False: no memory.
bool limpet_gradient_soft_fill(struct limpet_gradient_report *report);

#endif
