/* step/restrain.h: overlap that would make energy if it were pushed out. */
#ifndef LIMPET_STEP_RESTRAIN_H
#define LIMPET_STEP_RESTRAIN_H

#include "step/prepared.h"

// Fills problem.return_bound of a problem that has its islands. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_step_bound_returns(limpet_step_work *work, const limpet_data *data);

/* After an attempt: whether what starts inside of others, or outside of
 * limits, made energy by coming back, or kept the step from being solved. If so the prepared step
 * has weaker returns, and is to be attempted anew; once for each problem that is posed. */
bool limpet_step_restrain(limpet_step_prepared *prepared, const limpet_step_result *result);

// Which trees have limits that jammed in the step that was solved. jammed (tree_count): 0 or 1.
void limpet_step_keep_jams(const limpet_step_work *work, const limpet_data *data,
                           const limpet_step_solution *solution, double *jammed);

#endif
