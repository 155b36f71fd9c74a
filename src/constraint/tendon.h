/* constraint/tendon.h: what rows of tendons exert on bodies. */
#ifndef LIMPET_CONSTRAINT_TENDON_H
#define LIMPET_CONSTRAINT_TENDON_H

#include "limpet/data.h"

/* Adds what limits, dry friction, couplers, and shared armature and springs of spatial tendons
 * exert on bodies, mean over the last step, to wrench (body_count x 6)  [N m about the centre of
 * mass, N]  W. From the constraint arrays of data, with the poses of the start of the step. */
void limpet_tendon_row_wrenches_add(const limpet_model *model, const limpet_data *data,
                                    double *wrench);

#endif
