/* optim/face.h: the equations that hold at the solution of a quadratic programme once it is known
 * which rows are tight and on which face of its cone each s is: for polishing, warm starts of cones
 * and derivatives.
 *
 *   tight row            g_i . x + h_i = 0                           multiplier lambda_i
 *   cone, boundary       phi = s[0] - ||s_|| = 0, s = G_k x + h_k    lambda = mu (1, -u), u = s_ /
 *                        ||s_||
 *   cone, apex           s = 0                                       lambda inside the cone
 *   Q x + c = sum of multipliers times gradients; grad phi = g_0 - G_' u
 * Newton's method on these is an equality-constrained quadratic programme (working_set.h) with the
 * Hessian
 *   H = Q + sum over boundaries of mu / ||s_|| G_' (1 - u u') G_
 * and without cones it is exact after one step. */
#ifndef LIMPET_OPTIM_FACE_H
#define LIMPET_OPTIM_FACE_H

#include <stdbool.h>

#include "optim/qp.h"
#include "optim/qp_memory.h"

/* Reads tight rows and faces off slack and multipliers into the memory: whichever of s and lambda
 * is the greater decides, where lambda counts as |g|^2 lambda, |g|^2 = sum of g_j^2 / Q_jj, which
 * is a slack. */
void limpet_face_identify(const limpet_qp_problem *problem, limpet_qp_memory *memory,
                          const limpet_qp_solution *solution);

/* The factored equations at the solution's x, slack and multipliers, in memory->set. The names of
 * the rows are their indices in G (the first of a cone for a boundary); rows that depend on earlier
 * ones are left out. False: H is not positive definite. */
bool limpet_face_factor(const limpet_qp_problem *problem, limpet_qp_memory *memory,
                        const limpet_qp_solution *solution);

/* Newton's method from the solution. True: the equations hold and the multipliers are in the cones;
 * whether slacks of other rows are too, the residuals say. False: the solution is spent. */
bool limpet_face_solve(const limpet_qp_problem *problem, limpet_qp_memory *memory,
                       limpet_qp_solution *solution);

#endif
