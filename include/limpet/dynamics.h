/* limpet/dynamics.h: tree kinematics and dynamics without contact. Floor 4.
 *
 * Each function reads the state (and what an earlier one filled, as it says) and fills the arrays
 * of `data` that it names. Velocities of a tree are contiguous; M is block diagonal by tree.
 * References: Featherstone, Rigid Body Dynamics Algorithms (2008); the spatial frame is
 * world-aligned with its origin at data->tree_origin. None of them allocates. */
#ifndef LIMPET_DYNAMICS_H
#define LIMPET_DYNAMICS_H

#include "limpet/data.h"

#ifdef __cplusplus
extern "C" {
#endif

// q, mocap -> poses of bodies, centres of mass, tree origins, inertias in world axes, motion axes
// of the velocities, rows of tendons.
LIMPET_API void limpet_kinematics(const limpet_model *model, limpet_data *data);
// Poses of geoms from those of bodies: colliders only, or all of them (for drawing and reports).
// After limpet_kinematics.
LIMPET_API void limpet_geom_kinematics(const limpet_model *model, limpet_data *data, bool all);
// v -> body_velocity, dof_axis_rate. After limpet_kinematics.
LIMPET_API void limpet_velocity_kinematics(const limpet_model *model, limpet_data *data);
// mass_matrix by the composite-rigid-body algorithm (crba), armature of joints and tendons
// included; of tendons over several trees what lies within each: a step couples these by a row.
// After limpet_kinematics.
LIMPET_API void limpet_mass_matrix(const limpet_model *model, limpet_data *data);
// bias = C(q, v) v - gravity terms by rnea with zero acceleration. After
// limpet_velocity_kinematics.
LIMPET_API void limpet_bias(const limpet_model *model, limpet_data *data);
// tau = M vdot + bias, by rnea; armature included, that of tendons over several trees too. tau,
// vdot (nv). After limpet_velocity_kinematics.
LIMPET_API void limpet_rnea(const limpet_model *model, limpet_data *data, const double *vdot,
                            double *tau);
/* vdot = M^-1 (tau - bias) by the articulated-body algorithm; `diagonal` (nv, may be NULL) is added
 * to the diagonal of M besides the armature. tau, vdot (nv). After limpet_velocity_kinematics.
 * Models with tendon armature are solved through M instead. */
LIMPET_API void limpet_aba(const limpet_model *model, limpet_data *data, const double *tau,
                           const double *diagonal, double *vdot);
// tendon_length, tendon_velocity. After limpet_kinematics.
LIMPET_API void limpet_tendon_kinematics(const limpet_model *model, limpet_data *data);
/* spring_force, damper_force, gravity_compensation_force, fluid_force, passive_force. After
 * limpet_velocity_kinematics, limpet_tendon_kinematics. */
LIMPET_API void limpet_passive_forces(const limpet_model *model, limpet_data *data);
/* actuator_length, actuator_velocity, actuator_force, activation_rate, actuator_joint_force: all of
 * it explicit, at the present state, with control, force, activation and effort ranges; activations
 * with `early` as after a step of the model's length. After limpet_passive_forces. */
LIMPET_API void limpet_actuation(const limpet_model *model, limpet_data *data);
/* All of the above but the poses of geoms, then acceleration = M^-1 (passive + actuator + applied -
 * bias): what the robot does when nothing touches it and no constraint acts. */
LIMPET_API void limpet_forward_dynamics(const limpet_model *model, limpet_data *data);

/* Derivatives of tau = M vdot + bias (limpet_rnea) by pose and velocity, vdot held. by_q, by_v
 * (mass_size): blocks of trees as mass_matrix has them, row-major, entry (i, j) the change of tau_i
 * along velocity j: a pose moves as limpet_integrate_position moves it. by_v may be NULL; vdot
 * NULL: zero, derivatives of bias. Armature of spatial tendons is left out. After
 * limpet_velocity_kinematics. Source: Carpentier and Mansard (2018), in world axes. Cost:
 * O(velocities times depth). */
LIMPET_API void limpet_rnea_derivatives(const limpet_model *model, limpet_data *data,
                                        const double *vdot, double *by_q, double *by_v);
// Derivative of M x by the pose, x (nv) held: by_q (mass_size) as above. After limpet_kinematics.
LIMPET_API void limpet_mass_derivative(const limpet_model *model, limpet_data *data,
                                       const double *x, double *by_q);
/* Derivatives of passive_force by pose and velocity: by_q, by_v (mass_size) as above. Left out are
 * what a tendon does between two trees, the turning of the rows of spatial tendons, and the medium.
 * by_v NULL: not wanted. After limpet_kinematics and limpet_tendon_kinematics. */
LIMPET_API void limpet_passive_derivatives(const limpet_model *model, limpet_data *data,
                                           double *by_q, double *by_v);

// y = M x and x = M^-1 y by the sparsity of the trees, from data->mass_matrix; x and y (nv) may be
// the same array.
LIMPET_API void limpet_mass_mul(const limpet_model *model, const limpet_data *data, const double *x,
                                double *y);
LIMPET_API void limpet_mass_solve(const limpet_model *model, limpet_data *data, const double *y,
                                  double *x);

/* J (6 x nv, row-major): [angular; linear] velocity in W of the point `point` (W, [m]) fixed to
 * `body` = J v. After limpet_kinematics. */
LIMPET_API void limpet_jacobian(const limpet_model *model, const limpet_data *data, int body,
                                const double point[3], double *J);
/* tau += J' [moment about `point`; force], world axes: generalised force of a wrench on a body. tau
 * (nv). */
LIMPET_API void limpet_wrench_to_joints(const limpet_model *model, const limpet_data *data,
                                        int body, const double point[3], const double wrench[6],
                                        double *tau);
/* Row of a transmission: actuator_velocity = sum row[k] v[dof[k]]. Returns how many, at most
 * 2 * nv; dof and row have room for that. */
LIMPET_API int limpet_actuator_row(const limpet_model *model, const limpet_data *data, int actuator,
                                   int *dof, double *row);

/* The least and the greatest length [m, rad] of an actuator's transmission that limits and couplers
 * of its joints allow, by climbing from the reference pose; loops are not heeded. LIMPET_OK,
 * LIMPET_ERROR_INPUT where the length has no end, or LIMPET_ERROR_MEMORY. Allocates. */
LIMPET_API limpet_status limpet_actuator_length_range(const limpet_model *model, int actuator,
                                                      double range[2], limpet_error *error);

// Centre of mass of a body's subtree (body 0: of everything)  [m]  W. After limpet_kinematics.
LIMPET_API void limpet_centre_of_mass(const limpet_model *model, const limpet_data *data, int body,
                                      double com[3]);
// Momentum of a body's subtree about `point`: [angular (N m s); linear (N s)], W. After
// limpet_velocity_kinematics.
LIMPET_API void limpet_momentum(const limpet_model *model, const limpet_data *data, int body,
                                const double point[3], double momentum[6]);
// 1/2 v' M v, armature included, that of tendons over several trees too  [J]. After
// limpet_mass_matrix.
LIMPET_API double limpet_kinetic_energy(const limpet_model *model, const limpet_data *data);
// -sum m g.x_com plus springs of joints and tendons  [J]. After limpet_kinematics and
// limpet_tendon_kinematics.
LIMPET_API double limpet_potential_energy(const limpet_model *model, const limpet_data *data);

#ifdef __cplusplus
}
#endif
#endif
