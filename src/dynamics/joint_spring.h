/* dynamics/joint_spring.h: how far joints and tendons are from the rest of their springs. */
#ifndef LIMPET_DYNAMICS_JOINT_SPRING_H
#define LIMPET_DYNAMICS_JOINT_SPRING_H

#include "limpet/data.h"

/* Displacement of joint j from q_spring in velocity coordinates (rotations: rotation vector in
 * child axes); returns how many numbers. The spring force is -stiffness times it. */
int limpet_joint_displacement(double displacement[6], const limpet_model *model,
                              const limpet_data *data, int joint);
// Length beyond the rest range of the tendon's spring, negative when shorter; 0 inside. After
// limpet_tendon_kinematics.
double limpet_tendon_displacement(const limpet_model *model, const limpet_data *data, int tendon);

#endif
