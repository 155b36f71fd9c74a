/* gradient/flight_loops.h: rows of loops, whose work the end of a step takes back
 * (step/flight_gain.c), where differences of that end moved the world. */
#ifndef LIMPET_GRADIENT_FLIGHT_LOOPS_H
#define LIMPET_GRADIENT_FLIGHT_LOOPS_H

#include "gradient/workspace.h"

// Whether the end of the step took something back, of which the work of loops may be a part.
bool limpet_flight_loops_count(const limpet_gradient_workspace *workspace);

/* slope (rows) += weight times what the impulses of loops are in `world`, with the velocities v +
 * by dv, beyond those in the step. v: that was solved for; dv (nv). Memory from the arena, given
 * back. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_flight_loops_add(limpet_gradient_workspace *workspace, limpet_data *world,
                                      const limpet_step_settings *settings, const double *dv,
                                      double by, double weight, double *slope);

/* The problem of the solution becomes that of `world`, with the contacts and rows of the step, and
 * the impulses of its rows change by `by` slope. motion: of the world, whose velocity kinematics
 * are done. Memory from the arena stays. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_flight_loops_move(limpet_gradient_workspace *workspace, limpet_data *world,
                                       const limpet_step_settings *settings,
                                       const limpet_free_motion *motion, const double *slope,
                                       double by, limpet_step_solution *solution);

#endif
