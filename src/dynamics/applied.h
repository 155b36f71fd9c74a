/* dynamics/applied.h: what a user applies from outside, as a generalised force. */
#ifndef LIMPET_DYNAMICS_APPLIED_H
#define LIMPET_DYNAMICS_APPLIED_H

#include "limpet/dynamics.h"
#include "model/trees.h"

// force (nv)  [N, N m]  of the trees += applied_force and the generalised force of applied_wrench.
//             After limpet_kinematics.
void limpet_applied_forces_add(const limpet_model *model, const limpet_data *data,
                               limpet_trees trees, double *force);

#endif
