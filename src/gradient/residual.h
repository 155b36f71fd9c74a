/* gradient/residual.h: the equations that a step solved, as functions of its parameters with the
 * solution held.
 *
 *   islands   r = Q x + c - G'lambda (n),   s = G x + h (rows)        x, lambda of the step
 *             r = A (v - v*) - J'gamma(v) (n), switch speeds (weak)   of compliant contact:
 *                                                                     smooth_island.h
 *   free      r = A v - A v*                                          trees that nothing touches
 * All in one vector, island after island, then the nv velocities of free trees (0 for others). nv
 * is that of the problem: vertices of deformable bodies in contact follow the joints. With d of it
 * along a parameter the implicit function theorem gives the change of v: qp_derivative.h takes d r
 * as a change of c, d s as one of h. */
#ifndef LIMPET_GRADIENT_RESIDUAL_H
#define LIMPET_GRADIENT_RESIDUAL_H

#include "gradient/active_rows.h"
#include "gradient/smooth_island.h"
#include "limpet/gradient.h"
#include "step/prepared.h"

typedef struct limpet_residual {
  const limpet_model *model;
  const limpet_solved_step *solved;  // of the step
  int *at;  // (islands + 1)  first entry of each island; the last: free blocks
  int size;
  double *v;                     // (nv)  solution
  double kink_speed;             // [m/s, rad/s]  of the settings
  limpet_active_rows *rows;      // (islands)  NULL: contact is compliant
  limpet_smooth_island *smooth;  // (islands)  NULL: contact is rigid
  bool approximate;              // an island's v solves its equations only roughly
  double *factor;                // of the free blocks, one after the other
  double *local;                 // (largest n)  workspace
} limpet_residual;

typedef enum limpet_residual_outcome {
  LIMPET_RESIDUAL_DONE,
  LIMPET_RESIDUAL_OUT_OF_MEMORY,
  LIMPET_RESIDUAL_SINGULAR,  // equations of the active rows cannot be factored
  LIMPET_RESIDUAL_OTHER      // another problem: other rows or islands than the step's
} limpet_residual_outcome;

// Factors the equations of the step; `v` (nv): its solution; kink_speed: of the settings. The
// counts of kinks are added to `gradient`.
limpet_residual_outcome limpet_residual_begin(limpet_residual *residual, const limpet_model *model,
                                              const limpet_solved_step *solved, const double *v,
                                              double kink_speed, limpet_arena *arena,
                                              limpet_gradient *gradient);

// The residual (size) of another problem with the rows, contacts and islands of the step,
// partitioned.
limpet_residual_outcome limpet_residual_evaluate(const limpet_residual *residual,
                                                 const limpet_contact_problem *problem,
                                                 limpet_arena *arena, double *values);

// Entry of r that belongs to a velocity.
int limpet_residual_slot(const limpet_residual *residual, int dof);

/* Change of v (nv) for a change (size) of the residual; `island` >= 0: it is zero outside this one.
 * Returns the fastest rate at which a tight row leaves zero: 0 where none does, and then the
 * derivative is the same on both sides; INFINITY where a cone stands at a kink. */
double limpet_residual_forward(const limpet_residual *residual, const double *change, int island,
                               double *dv);

// The vector (size) whose product with a change of the residual is `weight` (nv) times the change
// of v.
void limpet_residual_adjoint(const limpet_residual *residual, const double *weight, double *dual);

#endif
