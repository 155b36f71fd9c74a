/* fem/thin_step.h: shells, ropes and gas within a step (thin_step.c), and derivatives of their part
 * of the equations (thin_tangent.c), which tangent.c calls. Each does nothing where the body has
 * none. */
#ifndef LIMPET_FEM_THIN_STEP_H
#define LIMPET_FEM_THIN_STEP_H

#include "fem/step.h"
#include "fem/thin_change.h"
#include "fem/tangent.h"

typedef struct limpet_fem_thin_step {
  double *K;       // (block_count x 9)  [N/m]
  double *C;       // (block_count x 9)  [N s/m]; NULL: no dampers
  double *D;       // (block_count x 9)  [N/m]  K of the start, where forces follow
  double *f0;      // (node_count x 3)  [N]
  double *dx, *y;  // (node_count x 3)  scratch
  double *zero;    // (node_count x 3)
  double *was;     // (node_count x 3)  [m]  where forces were taken last, where they follow
  limpet_fem_gas_step gas;
  double edge;   // [m]  the shortest one at rest
  bool follows;  // forces are those of the end of the step
} limpet_fem_thin_step;

// The shortest edge at rest [m].
double limpet_fem_thin_shortest(const limpet_fem_body *body);
// f += forces at the positions that v leads to, and damping at v: where they follow
void limpet_fem_thin_force_there(limpet_fem_step *step, const double *v, double *f);

// dR (node_count x 3) += their share of limpet_fem_tangent_forward; `position` of the workspace is
// written.
void limpet_fem_thin_forward(limpet_fem_step *step, const double *v,
                             const limpet_fem_change *change, double *dR);
// Adds their share of limpet_fem_tangent_adjoint, likewise.
void limpet_fem_thin_adjoint(limpet_fem_step *step, const double *v, const double *l,
                             limpet_fem_gradient *gradient);
// y += scale K x, of the gas included; without damping
void limpet_fem_thin_multiply(const limpet_fem_step *step, double scale, const double *x,
                              double *y);
// Adds their share of limpet_fem_stiffness_adjoint.
void limpet_fem_thin_stiffness(limpet_fem_step *step, const double *v, const double *z,
                               limpet_fem_stiffness_gradient *gradient);

#endif
