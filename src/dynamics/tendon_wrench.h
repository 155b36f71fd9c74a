/* dynamics/tendon_wrench.h: forces along tendons, and what these exert on bodies. */
#ifndef LIMPET_DYNAMICS_TENDON_WRENCH_H
#define LIMPET_DYNAMICS_TENDON_WRENCH_H

#include "limpet/data.h"

/* Adds to wrench (body_count x 6)  [N m about the centre of mass, N]  W  what a spatial tendon
 * exerts on the bodies that it passes, where the force `along` [N] makes it longer: a pull is
 * negative. A fixed tendon acts on joints alone, and adds nothing. */
void limpet_tendon_wrench_add(const limpet_model *model, const limpet_data *data, int tendon,
                              double along, double *wrench);

/* Force along a tendon [N] of its actuators, and of its armature if it lies in one tree, which
 * moves with the generalised acceleration vdot (nv). After limpet_actuation. */
double limpet_tendon_driving_force(const limpet_model *model, const limpet_data *data, int tendon,
                                   const double *vdot);

/* Force along a tendon [N] of its spring and damper at the present state, as far as the model has
 * them on. After limpet_tendon_kinematics. */
double limpet_tendon_passive_force(const limpet_model *model, const limpet_data *data, int tendon);

#endif
