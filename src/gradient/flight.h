/* gradient/flight.h: derivatives of the end of a step in which trees fly (step/flight_end.c). */
#ifndef LIMPET_GRADIENT_FLIGHT_H
#define LIMPET_GRADIENT_FLIGHT_H

#include "gradient/parameters.h"
#include "gradient/workspace.h"

/* Which trees of the step, which `data` has taken over, moved by the rules of flight: `end` of the
 * workspace, and `flies` where one of them has no closed form. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_gradient_endings(limpet_gradient_workspace *workspace,
                                      const limpet_data *data);

/* Derivatives of positions, shift (nv), and of velocities, along a column. velocity (nv): in, of
 * the velocity that was solved for; out, of that at the end of the step. The world of the workspace
 * is at the start of the step, and is again on return. *switches: a tree followed other rules
 * within the difference (limpet_flight.branch). */
limpet_status limpet_flight_column(limpet_gradient_workspace *w, limpet_gradient_group group,
                                   int column, double *velocity, double *shift, bool *switches);

/* The same along a parameter of the model: `one`'s worlds are at the start of the step; settings
 * (LIMPET_STENCIL) of each. *switches as in limpet_flight_column. */
limpet_status limpet_flight_parameter(limpet_gradient_workspace *w, const limpet_varied *one,
                                      const limpet_step_settings *settings, double *velocity,
                                      double *shift, bool *switches);

#endif
