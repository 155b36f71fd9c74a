/* step/gyration.h: the gyroscopic torque of bodies that float alone, over a whole step. */
#ifndef LIMPET_STEP_GYRATION_H
#define LIMPET_STEP_GYRATION_H

#include "limpet/data.h"
#include "limpet/model.h"

/* force (nv) += mean gyroscopic torque during the next dt [s], less that at its start, which is
 * part of data->bias. Reads mass_matrix and v. */
void limpet_gyration_add(const limpet_model *model, const limpet_data *data, double dt,
                         double *force);

#endif
