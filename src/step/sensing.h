/* step/sensing.h: sensors at the start of a step, with the accelerations and forces of the step. */
#ifndef LIMPET_STEP_SENSING_H
#define LIMPET_STEP_SENSING_H

#include "base/arena.h"
#include "step/prepared.h"

/* Fills data->sensor, if the model has sensors. When contact and constraint results are in data,
 * and q, v, time are still those of the start: `v` (nv)  [m/s, rad/s] is the velocity at the end;
 * tie_force (tie_count x 3) of limpet_vertex_forces.
 * LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_step_sense(const limpet_model *model, limpet_data *data, const double *v,
                                const double *tie_force, const limpet_step_work *work);

#endif
