/* gradient/soft_parameters.h: derivatives of deformable bodies by numbers of the model.
 *
 * R and H of the bodies, like the residual of trees and contacts, are made with the models around
 * the value of a number, with the solution held:
 *   dR = sum weight R(v; theta_k)/E,   z.dH z likewise      soft_gradient.h has what follows
 * Ends: q+ = q + b v0 + a v: along the time step b and a change; bodies in free flight are turned
 * anew in each model. */
#ifndef LIMPET_GRADIENT_SOFT_PARAMETERS_H
#define LIMPET_GRADIENT_SOFT_PARAMETERS_H

#include "gradient/parameters.h"
#include "gradient/workspace.h"

typedef struct limpet_soft_variation {
  const limpet_varied *one;
  const limpet_step_settings *settings;  // (LIMPET_STENCIL)  of each model
  limpet_soft_motion *motion[LIMPET_STENCIL];
  double *dR, *prescribed, *stiffness, *arm, *offset;  // of limpet_soft_change
} limpet_soft_variation;

/* The change of the bodies along a number. `one`'s worlds are at the start of the step, with
 * kinematics done. Memory from the arena of the workspace. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_soft_vary(limpet_gradient_workspace *w, const limpet_varied *one,
                               const limpet_step_settings *settings,
                               limpet_soft_variation *variation);
/* dv (vertices x 3): in, of the velocities that were solved for; out, of those at the end; dq
 * (vertices x 3): of positions there. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_soft_vary_end(limpet_gradient_workspace *w,
                                   const limpet_soft_variation *variation, double *dv, double *dq);

#endif
