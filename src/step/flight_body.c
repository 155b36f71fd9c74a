/* step/flight_body.c: a body that flies alone: its inertia does not depend on its pose but for a
 * rotation, and gyration.c knows how it turns.
 *
 * Without impulses
 *   I (w1 - w0) = h (T + gyroscopic torque),   V1 = V0 + h F/m,   R1 = turn(R I w1 -> L1) R
 *   c1 = c0 + h V0 + h^2 F/(2 m),   x1 = c1 - R1 c,   u1 = V1 - W1 x R1 c
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

// x <- I^-1 x. False: I is not positive definite, and x stays.
static bool undo_inertia(const double I[9], double x[3]) {
  double factor[9];
  limpet_mat3_copy(factor, I);
  if (limpet_cholesky(3, factor, 3)) return false;
  limpet_cholesky_solve(3, factor, 3, x);
  return true;
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

/* How the body turns in the step without impulses and torques: its turn and its angular velocity
 * then, at their places in flight->q and flight->end. */
static void turn_on(const limpet_model *model, const limpet_data *data, int tree, double dt,
                    limpet_flight *flight) {
  const int first = model->tree_dof[tree], joint = model->dof_joint[first];
  double *w = flight->end + first + 3;
  limpet_vec3_copy(w, data->v + first + 3);
  limpet_gyration_turn_body(model->body_inertia + 9 * model->tree_body[tree], dt, w,
                            flight->q + model->joint_q[joint] + 3);
}

// u* of a body that flew: that at the end of its flight.
static void end_velocity(const limpet_model *model, const limpet_data *data, int tree, double dt,
                         const limpet_free_motion *motion, double velocity[3]) {
  const limpet_flight_balance *balance = &motion->flight->balance[tree];
  const int first = model->tree_dof[tree], body = model->tree_body[tree];
  const double *c = model->body_com + 3 * body, *v0 = data->v + first;
  double change[3], turning[3], way[3], beside[3];
  for (int k = 0; k < 3; ++k) change[k] = v0[3 + k] - motion->flight->end[first + 3 + k];
  limpet_vec3_cross(way, change, c);
  limpet_vec3_cross(turning, v0 + 3, c);
  limpet_vec3_cross(beside, v0 + 3, turning);
  limpet_vec3_addmul(way, way, -dt, beside);
  limpet_mat3_mul_vec(beside, data->body_rotation + 9 * body, way);
  for (int k = 0; k < 3; ++k)
    velocity[k] = v0[k] + dt * balance->F[k] / balance->start.mass + beside[k];
}

// v* and A v* of the problem. False: the body has no inertia.
static bool pose_problem(const limpet_model *model, const limpet_data *data, int tree, double dt,
                         limpet_free_motion *motion) {
  const limpet_flight_balance *balance = &motion->flight->balance[tree];
  const int first = model->tree_dof[tree], body = model->tree_body[tree];
  const double *M = data->mass_matrix + model->tree_mass[tree],
               *R0 = data->body_rotation + 9 * body;
  double spin[3], beside[3], *v = motion->v_free + first, *p = motion->momentum + first;
  limpet_mat3_tmul_vec(spin, R0, balance->T);
  if (!(balance->start.mass > 0.0) || !undo_inertia(model->body_inertia + 9 * body, spin))
    return false;
  limpet_vec3_addmul(v + 3, data->v + first + 3, dt, spin);
  if (data->tree_held[tree] == held_outside) {
    swing(R0, v + 3, model->body_com + 3 * body, beside);
    free_velocity(balance, dt, v);
    limpet_vec3_sub(v, v, beside);
  } else {
    turn_on(model, data, tree, dt, motion->flight);
    end_velocity(model, data, tree, dt, motion, v);
  }
  for (int i = 0; i < SIZE; ++i, M += SIZE) {
    p[i] = 0.0;
    for (int k = 0; k < SIZE; ++k) p[i] += M[k] * v[k];
  }
  return true;
}

bool limpet_flight_body_fly(const limpet_model *model, limpet_data *data, int tree, double dt,
                            limpet_free_motion *motion) {
  const int at = model->tree_mass[tree];
  limpet_tree_mass_matrix(model, data, tree);
  limpet_tree_bias(model, data, tree);
  memcpy(motion->A + at, data->mass_matrix + at, SIZE * SIZE * sizeof *motion->A);
  return pose_problem(model, data, tree, dt, motion);
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
  double start[3], L[3], own[3], R[9];
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
  if (undo_inertia(I, own)) limpet_vec3_copy(w, own);
}

void limpet_flight_body_free(const limpet_model *model, const limpet_data *data, int tree,
                             double dt, const limpet_free_motion *motion, double *v, double *q,
                             limpet_tree_momentum *now) {
  limpet_flight *flight = motion->flight;
  const limpet_flight_balance *balance = &flight->balance[tree];
  const int first = model->tree_dof[tree], body = model->tree_body[tree];
  const int place = model->joint_q[model->dof_joint[first]];
  const double *I = model->body_inertia + 9 * body, *c = model->body_com + 3 * body;
  double *u = v + first, *w = u + 3, *position = q + place, *rotation = position + 3;
  if (data->tree_held[tree] == held_outside) turn_on(model, data, tree, dt, flight);

  // what torques add to the turn is half of what they add to w
  double spin[3], turn[4], R1[9], own[3], missing[3], beside[3];
  limpet_vec3_sub(spin, motion->v_free + first + 3, data->v + first + 3);
  limpet_quaternion_copy(turn, flight->q + place + 3);
  limpet_quaternion_integrate(turn, spin, 0.5 * dt);
  limpet_quaternion_mul(rotation, data->q + place + 3, turn);
  limpet_quaternion_normalize(rotation);
  limpet_vec3_add(w, flight->end + first + 3, spin);

  /* The momenta, in the pose that the angular one points to, of the world's velocities: products
   * with R1' R1 in place of 1 would lose a digit of round-off in ten thousand steps. */
  double W[3], arm[3];
  limpet_flight_balance_at(balance, dt, now->linear, now->angular);
  aim(I, w, dt, now->angular, rotation);
  limpet_quaternion_normalize(rotation);
  limpet_quaternion_to_matrix(R1, rotation);
  limpet_mat3_mul_vec(W, R1, w);
  limpet_mat3_tmul_vec(missing, R1, W);
  limpet_mat3_mul_vec(own, I, missing);
  limpet_mat3_mul_vec(beside, R1, own);
  limpet_vec3_sub(beside, now->angular, beside);
  limpet_mat3_tmul_vec(missing, R1, beside);
  if (undo_inertia(I, missing)) limpet_vec3_add(w, w, missing);
  free_velocity(balance, dt, u);
  limpet_mat3_mul_vec(own, I, w);
  now->energy = 0.5 * (balance->start.mass * limpet_vec3_dot(u, u) + limpet_vec3_dot(w, own));

  // from the centre of mass to the origin, by the arm that the positions leave after rounding
  limpet_flight_balance_com(balance, dt, now->com);
  limpet_mat3_mul_vec(arm, R1, c);
  limpet_vec3_sub(position, now->com, arm);
  limpet_vec3_add(arm, arm, position);
  limpet_vec3_sub(arm, arm, position);
  limpet_mat3_mul_vec(W, R1, w);
  limpet_vec3_cross(beside, W, arm);
  limpet_vec3_sub(u, u, beside);
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
