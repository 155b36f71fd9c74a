/* gradient/row_change.h: how the impulse of a scalar row changes with the speed that it is along,
 * with its entries held.
 *
 *   gamma = (v_hat - u)/R,   v_hat and R of the row's error s and its weight w = sum a_i^2/A_ii
 * from the kind's own law, differentiated on its own scale. */
#ifndef LIMPET_GRADIENT_ROW_CHANGE_H
#define LIMPET_GRADIENT_ROW_CHANGE_H

#include "constraint/kind.h"
#include "gradient/probe.h"

// Of one row; of v_hat and of 1/R.
typedef struct limpet_row_slopes {
  double rate;  // ds per unit along the row
  double v_hat_by_s, R_inverse_by_s;
  double v_hat_by_w, R_inverse_by_w;
  bool kinked_s, kinked_w;  // the law has a kink within the differences
} limpet_row_slopes;

// Builders of rows around those of the step.
typedef struct limpet_row_probe {
  const limpet_probe *probe;
  limpet_row_builder builder;
  limpet_assembly_settings settings;
  limpet_contact_problem problem;  // one row
  limpet_constraint_row row;
  double *inverse;  // (nv)  1/A_kk
} limpet_row_probe;

// LIMPET_OK or LIMPET_ERROR_MEMORY. Memory from the arena stays.
limpet_status limpet_row_probe_make(const limpet_probe *probe, limpet_arena *arena,
                                    limpet_row_probe *rows);
/* Whether the limits of a row move with the state. Servos that share an effort limit are at it
 * together, with a sum that stays; where one is about to come there, the place moves. */
bool limpet_row_limits_move(const limpet_row_probe *rows, const limpet_constraint_row *row);
// Whether a row has a closed form.
bool limpet_row_is_known(limpet_row_probe *rows, const limpet_contact_problem *step,
                         const limpet_island *island, int row);
// Row `row` of the step's problem, in `island`. False: not known in closed form.
bool limpet_row_slopes_of(limpet_row_probe *rows, const limpet_contact_problem *step,
                          const limpet_island *island, int row, limpet_row_slopes *slopes);

#endif
