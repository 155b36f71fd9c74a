/* step/flight_body.c: a body that flies alone: its inertia does not depend on its pose but for a
 * rotation, and gyration.c knows how it turns.
 *
 * Without impulses
 *   I (w1 - w0) = h (T + gyroscopic torque),   V1 = V0 + h F/m,   R1 = turn(R I w1 -> L1) R
 * Impulses of contacts act at the start of the step, and then the body flies:
 *   problem   v* = (u*, w0 + h I^-1 T),  A = M(q0)
 *   after it  V1 = V0 + h F/m + dV,  (w1, R1) = flight of w' in h,  R1 I w1 = R0 I w'
 *             u1 = V1 - W1 x R1 c
 *   dV = u' - u* + (W' - W*) x R0 c      what impulses add to V: their sum over m, by A = M(q0)
 * so that impulses change momentum, angular momentum in axes of the world, and energy as they
 * should whatever the body turns in the step. A velocity in the body's own axes at the end of the
 * step means another one in the axes where contacts act, turned by h w.
 *
 * u, V [m/s], W: velocity of the body's origin and of its centre of mass; w [rad/s]: angular
 * velocity, body axes; W = R w; R: rotation; c [m]: centre of mass, I [kg m^2]: inertia about it,
 * both in body axes; F [N], T [N m], L1 [N m s] of flight_balance.c; ' marks what was solved for,
 * * the problem without impulses.
 *
 * u* of a body that was held in the last step is that at the start, V* - W* x R0 c: an arm R0 c
 * that the body turns belongs to W* as R1 c belongs to W1. With that at the end, a tippe top of 180
 * rad/s inverts 3 % late at 1 ms. A body that flew has u* of the end: what meets a surface is the
 * speed at the end of the flight. */
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/quaternion.h"
#include "step/flight.h"
#include "step/gyration.h"

enum { SIZE = 6 };  // velocities

static const double held_outside = 2.0;  // of limpet_data.tree_held

bool limpet_flight_alone(const limpet_model *model, const limpet_flight *flight, int tree) {
  return flight->balance[tree].kept && limpet_gyration_turns(model, tree);
}

// Velocity [m/s] that turning with w gives the centre of mass beside the origin; R: rotation.
static void swing(const double R[9], const double w[3], const double c[3], double velocity[3]) {
  double turning[3];
  limpet_vec3_cross(turning, w, c);
  limpet_mat3_mul_vec(velocity, R, turning);
}

void limpet_flight_body_centre(const limpet_model *model, const limpet_data *data,
                               const limpet_flight_balance *balance, int tree, double c[3]) {
  const int body = model->tree_body[tree];
  double arm[3];
  limpet_vec3_sub(arm, balance->start.com, data->body_position + 3 * body);
  limpet_mat3_tmul_vec(c, data->body_rotation + 9 * body, arm);
}

// V1 without impulses.
static void free_velocity(const limpet_flight_balance *balance, double dt, double velocity[3]) {
  double linear[3], angular[3];
  limpet_flight_balance_at(balance, dt, linear, angular);
  limpet_vec3_scale(velocity, 1.0 / balance->start.mass, linear);
}

// A v1 = M v0 + dt (f - b + torque). False: A is not positive definite.
static bool solve(const limpet_model *model, const limpet_data *data, int tree, double dt,
                  const double torque[3], limpet_free_motion *motion) {
  const int first = model->tree_dof[tree], at = model->tree_mass[tree];
  const double *M = data->mass_matrix + at;
  double factor[SIZE * SIZE], *momentum = motion->momentum + first, *v1 = motion->v_free + first;
  for (int i = 0; i < SIZE; ++i) {
    const double force = motion->flight->force[first + i] - data->bias[first + i];
    momentum[i] = limpet_dot(SIZE, M + i * SIZE, data->v + first) +
                  dt * (force + (i < 3 ? 0.0 : torque[i - 3]));
  }
  memcpy(motion->A + at, M, sizeof factor);
  memcpy(factor, M, sizeof factor);
  memcpy(v1, momentum, SIZE * sizeof *v1);
  if (limpet_cholesky(SIZE, factor, SIZE)) return false;
  limpet_cholesky_solve(SIZE, factor, SIZE, v1);
  return true;
}

// v* and A v* of the problem; spin: what torques add to w in the step.
static void pose_problem(const limpet_model *model, const limpet_data *data, int tree, double dt,
                         const double spin[3], limpet_free_motion *motion) {
  const limpet_flight_balance *balance = &motion->flight->balance[tree];
  const int first = model->tree_dof[tree];
  const double *M = data->mass_matrix + model->tree_mass[tree];
  double *v = motion->v_free + first;
  memcpy(motion->flight->end + first, v, SIZE * sizeof *v);
  limpet_vec3_add(v + 3, data->v + first + 3, spin);
  if (data->tree_held[tree] == held_outside && balance->start.mass > 0.0) {
    double c[3], beside[3];
    limpet_flight_body_centre(model, data, balance, tree, c);
    swing(data->body_rotation + 9 * model->tree_body[tree], v + 3, c, beside);
    free_velocity(balance, dt, v);
    limpet_vec3_sub(v, v, beside);
  }
  for (int i = 0; i < SIZE; ++i) motion->momentum[first + i] = limpet_dot(SIZE, M + i * SIZE, v);
}

bool limpet_flight_body_fly(const limpet_model *model, limpet_data *data, int tree, double dt,
                            limpet_free_motion *motion) {
  double torque[3], w[3], spin[3];
  limpet_tree_mass_matrix(model, data, tree);
  limpet_tree_bias(model, data, tree);
  limpet_gyration_of_body(model, data, tree, dt, torque, w, NULL);
  if (!solve(model, data, tree, dt, torque, motion)) return false;
  limpet_vec3_sub(spin, motion->v_free + model->tree_dof[tree] + 3, w);
  pose_problem(model, data, tree, dt, spin, motion);
  return true;
}

/* Turns a rotation (quaternion) so that R I w points along L [N m s], W, by no more than the body
 * turns in the step: both are round-off where it rests, and point anywhere. */
static void aim(const double I[9], const double w[3], double dt, const double L[3],
                double rotation[4]) {
  double own[3], a[3], turn[4], turned[4];
  limpet_mat3_mul_vec(own, I, w);
  limpet_quaternion_rotate(a, rotation, own);
  const double product = limpet_vec3_norm(a) * limpet_vec3_norm(L);
  turn[0] = product + limpet_vec3_dot(a, L);
  limpet_vec3_cross(turn + 1, a, L);
  if (!(turn[0] > product) || limpet_vec3_norm(turn + 1) > dt * limpet_vec3_norm(w) * product)
    return;
  limpet_quaternion_normalize(turn);
  limpet_quaternion_mul(turned, turn, rotation);
  limpet_quaternion_normalize(turned);
  limpet_quaternion_copy(rotation, turned);
}

void limpet_flight_body_spin(const double I[9], double dt, const double spin[3], double w[3],
                             double turn[4]) {
  double start[3], L[3], own[3], R[9], factor[9];
  limpet_vec3_add(start, w, spin);
  limpet_mat3_mul_vec(L, I, start);
  limpet_gyration_turn(I, dt, w, turn);
  limpet_vec3_add(w, w, spin);
  limpet_quaternion_integrate(turn, spin, 0.5 * dt);
  limpet_quaternion_normalize(turn);
  aim(I, w, dt, L, turn);

  // the angular momentum, in the axes that the body has then
  limpet_quaternion_to_matrix(R, turn);
  limpet_mat3_tmul_vec(own, R, L);
  limpet_mat3_copy(factor, I);
  if (limpet_cholesky(3, factor, 3)) return;
  limpet_cholesky_solve(3, factor, 3, own);
  limpet_vec3_copy(w, own);
}

void limpet_flight_body_aim(const limpet_model *model, int tree, double dt,
                            const limpet_flight_balance *balance, const double *v, double *q) {
  const int first = model->tree_dof[tree];
  double linear[3], angular[3];
  limpet_flight_balance_at(balance, dt, linear, angular);
  aim(model->body_inertia + 9 * model->tree_body[tree], v + first + 3, dt, angular,
      q + model->joint_q[model->dof_joint[first]] + 3);
}

void limpet_flight_body_free(const limpet_model *model, const limpet_data *data, int tree,
                             double dt, const limpet_flight *flight, double *v, double *q) {
  const int first = model->tree_dof[tree], joint = model->dof_joint[first];
  const double *q0 = data->q + model->joint_q[joint], *v1 = flight->end + first;
  double torque[3], w[3], turn[4], spin[3], *to = q + model->joint_q[joint];
  memcpy(v + first, v1, SIZE * sizeof *v);

  // the pose, before flight_end.c puts the centre of mass where it must be; what torques add to the
  // turn is half of what they add to w
  limpet_gyration_of_body(model, data, tree, dt, torque, w, turn);
  for (int k = 0; k < 3; ++k) to[k] = q0[k] + 0.5 * dt * (data->v[first + k] + v1[k]);
  limpet_vec3_sub(spin, v1 + 3, w);
  limpet_quaternion_integrate(turn, spin, 0.5 * dt);
  limpet_quaternion_mul(to + 3, q0 + 3, turn);
  limpet_quaternion_normalize(to + 3);
}

void limpet_flight_body_held(const limpet_model *model, const limpet_data *data, int tree,
                             double dt, const limpet_free_motion *motion, double *v, double *q) {
  const limpet_flight_balance *balance = &motion->flight->balance[tree];
  const int first = model->tree_dof[tree], body = model->tree_body[tree];
  const double *R0 = data->body_rotation + 9 * body, *free = motion->v_free + first;
  double *position = q + model->joint_q[model->dof_joint[first]], *rotation = position + 3;
  double *u = v + first, *w = u + 3, c[3], beside[3], change[3], velocity[3], turn[4], R1[9];
  limpet_vec3_addmul(position, data->q + (position - q), dt, u);

  // velocity of the centre of mass
  limpet_flight_body_centre(model, data, balance, tree, c);
  limpet_vec3_sub(change, w, free + 3);
  swing(R0, change, c, beside);
  free_velocity(balance, dt, velocity);
  for (int k = 0; k < 3; ++k) velocity[k] += u[k] - free[k] + beside[k];

  // flight with the angular momentum R0 I w
  const double *I = model->body_inertia + 9 * body;
  double own[3], L[3];
  limpet_mat3_mul_vec(own, I, w);
  limpet_mat3_mul_vec(L, R0, own);
  limpet_gyration_turn(I, dt, w, turn);
  limpet_quaternion_mul(rotation, data->q + (rotation - q), turn);
  limpet_quaternion_normalize(rotation);
  aim(I, w, dt, L, rotation);
  limpet_quaternion_to_matrix(R1, rotation);
  swing(R1, w, c, beside);
  limpet_vec3_sub(u, velocity, beside);
}
