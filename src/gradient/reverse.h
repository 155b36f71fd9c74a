/* gradient/reverse.h: products of weights with the Jacobian of a step, J'y, by passes that run
 * backwards: no column and no matrix is formed but the factor of the equations.
 *
 *   y of (q1, v1) -> integration and end of flight -> x = -H'^-1 y -> rows, patches, trees -> y of
 *   (q0, v0), forces, controls, gains of servos
 * Cost: linear in the number of velocities and of contacts, beside the factor (n^3/3) and one
 * solution (n^2). */
#ifndef LIMPET_GRADIENT_REVERSE_H
#define LIMPET_GRADIENT_REVERSE_H

#include "gradient/body_end.h"
#include "gradient/contact_sweep.h"
#include "gradient/integration.h"
#include "gradient/probe.h"
#include "gradient/tree_end.h"

typedef struct limpet_reverse limpet_reverse;

// What products are wanted for, and how; width, control_share: of limpet_state_columns.
typedef struct limpet_reverse_settings {
  bool state, inputs;
  double width, control_share;
} limpet_reverse_settings;

/* What the passes read. *reverse NULL: a part of the step has no form without columns: trees that
 * need differences, loops, trees in free flight. Memory from the arena stays. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_reverse_make(limpet_probe *probe, const limpet_ending *ending,
                                  const limpet_reverse_settings *settings, limpet_arena *arena,
                                  limpet_reverse **reverse);
// How many trees pass through an end of flight.
int limpet_reverse_end_count(const limpet_reverse *reverse);
// The contacts that the passes read; NULL: no state is wanted.
const limpet_contact_sweep *limpet_reverse_contacts(const limpet_reverse *reverse);
// Weights and products of what steps leave to each other: carried.h.
typedef struct limpet_reverse_carried {
  const double *solved;  // (nv)  weights of the velocity that was solved for
  const double *patch;   // limpet_contact_sweep_add, `own`
  double *change;        // (nv)  += by the change of velocity in the last step
} limpet_reverse_carried;
/* weight_q, weight_v (nv; NULL: zero) of the results; carried: besides; NULL: nothing is. to:
 * arrays of state and inputs that are not NULL are filled. dual (residual size): receives what
 * contacts are multiplied by. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_reverse_product(limpet_reverse *reverse, const double *weight_q,
                                     const double *weight_v, const limpet_reverse_carried *carried,
                                     double *dual, limpet_gradient_arrays *to);

#endif
