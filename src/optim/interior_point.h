/* optim/interior_point.h: the primal-dual interior-point method of Mehrotra for quadratic
 * programmes with linear rows and second-order cones.
 *
 * Method of limpet_qp_solve; see qp.h for the problem, its shapes and the structs. It needs no
 * feasible start and takes 8 to 15 iterations nearly always, whatever the number of rows. Within
 * ITERATION_LIMIT and without a certificate of infeasibility the iterate is then polished: the
 * faces of the solution are read off it (face.h) and their equations solved, which brings the
 * residuals from 1e-9 to round-off and, without cones, is the active-set method started from the
 * identified rows. */
#ifndef LIMPET_OPTIM_INTERIOR_POINT_H
#define LIMPET_OPTIM_INTERIOR_POINT_H

#include "optim/qp.h"
#include "optim/qp_memory.h"

/* Fills all of the solution and of the info, the residuals too; `changes` and the rest that the
 * info says already stay. With cones and settings->warm_start the faces of the multipliers in the
 * solution are tried before the first iteration. */
void limpet_interior_point_solve(const limpet_qp_problem *problem,
                                 const limpet_qp_settings *settings, limpet_qp_workspace *workspace,
                                 limpet_qp_solution *solution, limpet_qp_info *info);

#endif
