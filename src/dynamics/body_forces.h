/* dynamics/body_forces.h: accelerations of bodies, and the forces between a body and its parent. */
#ifndef LIMPET_DYNAMICS_BODY_FORCES_H
#define LIMPET_DYNAMICS_BODY_FORCES_H

#include "limpet/data.h"

/* acceleration (body_count x 6)  [rad/s^2, m/s^2]: spatial accelerations about the tree's origin
 *   for the generalised acceleration vdot (nv), less gravity: a body at rest accelerates upwards.
 *   Bodies that cannot move have minus gravity.
 * After limpet_velocity_kinematics. */
void limpet_body_accelerations(const limpet_model *model, const limpet_data *data,
                               const double *vdot, double *acceleration);

/* Velocity [m/s] and acceleration less gravity [m/s^2] of the point of `body` that is at `point`
 * (W). acceleration (body_count x 6) of limpet_body_accelerations. */
void limpet_point_velocity(const limpet_model *model, const limpet_data *data, int body,
                           const double point[3], double v[3]);
void limpet_point_acceleration(const limpet_model *model, const limpet_data *data,
                               const double *acceleration, int body, const double point[3],
                               double a[3]);

/* Adds sign times `force` [N] at `point` [m], both W, to wrench (body_count x 6): on `body`, the
 * moment about its centre of mass. */
void limpet_body_force_add(const limpet_data *data, int body, const double point[3], double sign,
                           const double force[3], double *wrench);

/* wrench (body_count x 6): in: what acts on each body from outside, joints and gravity apart:
 * [moment about its centre of mass (N m); force (N)], W. Out: what the parent exerts on each body,
 * about the body's centre of mass. The world: on what is fixed to it, about its origin. */
void limpet_joint_wrenches(const limpet_model *model, const limpet_data *data,
                           const double *acceleration, double *wrench);

#endif
