/* dynamics/transmission.h: what an actuator acts on: its length, and the row that maps velocities to its rate. */
#ifndef LIMPET_DYNAMICS_TRANSMISSION_H
#define LIMPET_DYNAMICS_TRANSMISSION_H

#include "limpet/data.h"

/* Length of the transmission times gear, and its row: rate = sum row[k] v[dof[k]]. Returns how many entries, at most 2 nv. */
int limpet_transmission_row(const limpet_model *model, const limpet_data *data, int actuator, double *length, int *dof,
                            double *row);

#endif
