/* dynamics/joint_spring.h: springs and dampers of joints and tendons: how far they are from rest,
 * and what they give.
 *
 *   spring  -rate(k, c, x) x,  rate = k + c0 x + c1 x^2;  rotations and free joints: x a vector,
 *           of which rate takes the norm
 *   damper  -rate(d, c, |v|) v
 * Source: MJCF reference, joint/stiffness and joint/damping. */
#ifndef LIMPET_DYNAMICS_JOINT_SPRING_H
#define LIMPET_DYNAMICS_JOINT_SPRING_H

#include <math.h>

#include "limpet/data.h"

static inline double limpet_spring_rate(double k, const double growth[2], double x) {
  return k + x * (growth[0] + x * growth[1]);
}
// Derivative of rate(x) x by x.
static inline double limpet_spring_slope(double k, const double growth[2], double x) {
  return k + x * (2.0 * growth[0] + 3.0 * x * growth[1]);
}
// Integral of rate(x) x from 0.
static inline double limpet_spring_energy(double k, const double growth[2], double x) {
  return x * x * (0.5 * k + x * (growth[0] / 3.0 + 0.25 * x * growth[1]));
}
static inline bool limpet_spring_grows(const double growth[2]) {
  return growth[0] != 0.0 || growth[1] != 0.0;
}

static inline bool limpet_joint_is_sprung(const limpet_model *model, int joint) {
  return model->joint_stiffness[joint] != 0.0 ||
         limpet_spring_grows(model->joint_stiffness_growth + 2 * joint);
}

/* Stiffness that is taken implicitly: where it grows, the larger one of rate and slope at the
 * present displacement, and at least 0; so a step stays stable. */
double limpet_joint_growing_stiffness(const limpet_model *model, const limpet_data *data, int dof);
static inline double limpet_joint_implicit_stiffness(const limpet_model *model,
                                                     const limpet_data *data, int dof) {
  const int joint = model->dof_joint[dof];
  return limpet_spring_grows(model->joint_stiffness_growth + 2 * joint)
             ? limpet_joint_growing_stiffness(model, data, dof)
             : model->joint_stiffness[joint];
}
// rate(d, c, |v|) of a velocity, of a tendon.
static inline double limpet_dof_damper_rate(const limpet_model *model, const limpet_data *data,
                                            int dof) {
  return limpet_spring_rate(model->dof_damping[dof], model->dof_damping_growth + 2 * dof,
                            fabs(data->v[dof]));
}
double limpet_tendon_damper_rate(const limpet_model *model, const limpet_data *data, int tendon);

/* Displacement of joint j from q_spring in velocity coordinates (rotations: rotation vector in
 * child axes); returns how many numbers. */
int limpet_joint_displacement(double displacement[6], const limpet_model *model,
                              const limpet_data *data, int joint);
// Length beyond the rest range of the tendon's spring, negative when shorter; 0 inside. After
// limpet_tendon_kinematics.
double limpet_tendon_displacement(const limpet_model *model, const limpet_data *data, int tendon);
// Force [N] of the tendon's spring that makes it longer.
double limpet_tendon_spring_force(const limpet_model *model, const limpet_data *data, int tendon);

/* What of a tendon's spring and damper a step takes implicitly: force - (c + dt k) a v. With
 * explicit springs and where k is 0 the spring is no part of it. */
typedef struct limpet_tendon_spring {
  double force;  // [N]  of the spring at the start
  double c, k;   // [N s/m], [N/m]
} limpet_tendon_spring;
// After limpet_tendon_kinematics.
limpet_tendon_spring limpet_tendon_implicit_spring(const limpet_model *model,
                                                   const limpet_data *data, int tendon,
                                                   bool explicit_springs);
static inline bool limpet_tendon_spring_acts(const limpet_tendon_spring *spring) {
  return spring->c != 0.0 || spring->k != 0.0;
}

#endif
