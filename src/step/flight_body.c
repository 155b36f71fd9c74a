/* step/flight_body.c: a body that flies alone: its inertia does not depend on its pose but for a
 * rotation, and gyration.c knows how it turns.
 *
 * Without impulses, half of what torques do in the step acts at either end of it
 *   R0 I w' = R0 I w0 + h/2 T(R0),   (W', R1) = flight of w' in h,   R1 I W' = R0 I w'
 *   R1 I w1 = R1 I W' + h/2 T(R1)
 *   V1 = V0 + h F/m,   c1 = c0 + h V0 + h^2 F/(2 m),   x1 = c1 - R1 c,   u1 = V1 - W1 x R1 c
 * That is symmetric in time, thus of second order, and smooth in w0 and T where both are zero, for
 * the flight is, and they add. T(R): torques of the free joint and of actuators turn with the
 * body, those of wrenches stay, a force on the origin stays and its arm turns.
 * Impulses of contacts act at the start of the step, and then the body flies:
 *   problem   v* = (V0 + h F/m - W* x R0 c, w0 + h I^-1 T),  A = M(q0)
 *   after it  V1 = V0 + h F/m + dV,  (w1, R1) = flight of w' in h,  R1 I w1 = R0 I w'
 *             c1 = c0 + h (u' + W' x R0 c),  x1 = c1 - R1 c,  u1 = V1 - W1 x R1 c
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
 * u* has the arm R0 c, as all rows have arms of the start: then v* is the same motion wherever the
 * origin of the body lies, and so is where it ends, for its centre of mass goes straight. With R1 c
 * of the end a tippe top of 180 rad/s inverts 3 % late at 1 ms. */
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/quaternion.h"
#include "step/flight.h"
#include "step/gyration.h"

enum { SIZE = 6 };  // velocities

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

// What torques add to w in the step if they turn with the body.
static void spin_of(const limpet_data *data, const limpet_free_motion *motion, int first,
                    double spin[3]) {
  limpet_vec3_sub(spin, motion->v_free + first + 3, data->v + first + 3);
}

/* How the body turns in the step without impulses, with half of the torques' spin: its turn and W'
 * then, at their places in flight->q and flight->end. After v_free. */
static void turn_on(const limpet_model *model, const limpet_data *data, int tree, double dt,
                    const limpet_free_motion *motion) {
  const int first = model->tree_dof[tree], joint = model->dof_joint[first];
  double *w = motion->flight->end + first + 3, spin[3];
  spin_of(data, motion, first, spin);
  limpet_vec3_addmul(w, data->v + first + 3, 0.5, spin);
  const int count = limpet_gyration_parts(data, tree, LIMPET_GYRATION_FREE, dt, w);
  limpet_gyration_turn_body(motion->flight->balance[tree].inertia, dt, count, w,
                            motion->flight->q + model->joint_q[joint] + 3);
}

// Moments of a force that stays, of its arm at R0 and when that has turned to R1.
static void add_moments(const double R0[9], const double R1[9], const double arm[3],
                        const double force[3], double first[3], double last[3]) {
  double moment[3], own[3], turned[3];
  limpet_vec3_cross(moment, arm, force);
  limpet_vec3_add(first, first, moment);
  limpet_mat3_tmul_vec(own, R0, arm);
  limpet_mat3_mul_vec(turned, R1, own);
  limpet_vec3_cross(moment, turned, force);
  limpet_vec3_add(last, last, moment);
}

/* Torque about the centre of mass [N m], W, when the body has turned from R0 to R1. */
static void torque_at(const limpet_model *model, const limpet_data *data,
                      const limpet_flight_balance *balance, int tree, const double R1[9],
                      double torque[3]) {
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  const double *R0 = data->body_rotation + 9 * bodies.first,
               *pull = data->applied_force + model->tree_dof[tree];
  double arm[3], first[3] = {0.0}, last[3] = {0.0}, turning[3], own[3];
  limpet_vec3_sub(arm, data->body_position + 3 * bodies.first, balance->start.com);
  add_moments(R0, R1, arm, pull, first, last);
  for (int b = bodies.first; b < bodies.end; ++b) {
    const double *wrench = data->applied_wrench + 6 * b;
    limpet_vec3_add(first, first, wrench);
    limpet_vec3_add(last, last, wrench);
    if (bodies.end - bodies.first == 1) break;  // its arm is none
    limpet_vec3_sub(arm, data->body_com + 3 * b, balance->start.com);
    add_moments(R0, R1, arm, wrench + 3, first, last);
  }
  limpet_vec3_sub(turning, balance->T, first);
  limpet_mat3_tmul_vec(own, R0, turning);
  limpet_mat3_mul_vec(torque, R1, own);
  limpet_vec3_add(torque, torque, last);
}

// Whether something but weight acts from outside.
static bool is_pushed(const limpet_model *model, const limpet_free_motion *motion, int tree) {
  const double *force = motion->flight->force + model->tree_dof[tree];
  for (int k = 0; k < SIZE; ++k)
    if (force[k] != 0.0) return true;
  return false;
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
  if (!(balance->start.mass > 0.0) || !undo_inertia(balance->inertia, spin)) return false;
  limpet_vec3_addmul(v + 3, data->v + first + 3, dt, spin);
  swing(R0, v + 3, balance->centre, beside);
  free_velocity(balance, dt, v);
  limpet_vec3_sub(v, v, beside);
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

/* Turns a rotation (quaternion) so that R I w points along L [N m s], W: it does but for round-off,
 * which would add up. By no more than the body turns in the step: both are round-off where it
 * rests, and point anywhere. */
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

void limpet_flight_body_turn(const double I[9], double dt, int count, double w[3], double turn[4]) {
  double L[3], own[3], R[9];
  limpet_mat3_mul_vec(L, I, w);
  limpet_gyration_turn(I, dt, count, w, turn);
  aim(I, w, dt, L, turn);

  // the angular momentum, in the axes that the body has then
  limpet_quaternion_to_matrix(R, turn);
  limpet_mat3_tmul_vec(own, R, L);
  if (undo_inertia(I, own)) limpet_vec3_copy(w, own);
}

/* w gets the angular momentum L, W, in the pose R, of the world's velocity: products with R'R in
 * place of 1 would lose a digit of round-off in ten thousand steps. */
static void give_momentum(const double I[9], const double R[9], const double L[3], double w[3]) {
  double W[3], has[3], own[3], missing[3];
  limpet_mat3_mul_vec(W, R, w);
  limpet_mat3_tmul_vec(missing, R, W);
  limpet_mat3_mul_vec(own, I, missing);
  limpet_mat3_mul_vec(has, R, own);
  limpet_vec3_sub(has, L, has);
  limpet_mat3_tmul_vec(missing, R, has);
  if (undo_inertia(I, missing)) limpet_vec3_add(w, w, missing);
}

void limpet_flight_body_free(const limpet_data *data, int tree, double dt,
                             const limpet_free_motion *motion, limpet_data *end,
                             limpet_tree_momentum *now) {
  const limpet_model *model = data->model;
  limpet_flight *flight = motion->flight;
  const limpet_flight_balance *balance = &flight->balance[tree];
  const int first = model->tree_dof[tree];
  const int place = model->joint_q[model->dof_joint[first]];
  const double *I = balance->inertia, *c = balance->centre;
  double *u = end->v + first, *w = u + 3, *position = end->q + place, *rotation = position + 3;
  turn_on(model, data, tree, dt, motion);

  // the pose that the angular momentum of the flight points to
  double R1[9], own[3], spin[3], torque[3], beside[3];
  limpet_quaternion_mul(rotation, data->q + place + 3, flight->q + place + 3);
  limpet_quaternion_normalize(rotation);
  limpet_vec3_copy(w, flight->end + first + 3);
  limpet_flight_balance_at(balance, 0.5 * dt, beside, now->angular);
  limpet_flight_balance_at(balance, dt, now->linear, beside);
  aim(I, w, dt, now->angular, rotation);
  limpet_quaternion_normalize(rotation);
  limpet_quaternion_to_matrix(R1, rotation);

  // the momenta
  if (is_pushed(model, motion, tree)) {
    torque_at(model, data, balance, tree, R1, torque);
    limpet_vec3_addmul(now->angular, now->angular, 0.5 * dt, torque);
    spin_of(data, motion, first, spin);
    limpet_vec3_addmul(w, w, 0.5, spin);
  }
  give_momentum(I, R1, now->angular, w);
  free_velocity(balance, dt, u);
  limpet_mat3_mul_vec(own, I, w);
  now->energy = 0.5 * (balance->start.mass * limpet_vec3_dot(u, u) + limpet_vec3_dot(w, own));

  // from the centre of mass to the origin, by the arm that the positions leave after rounding
  double W[3], arm[3];
  limpet_flight_balance_com(balance, dt, now->com);
  limpet_mat3_mul_vec(arm, R1, c);
  limpet_vec3_sub(position, now->com, arm);
  limpet_vec3_add(arm, arm, position);
  limpet_vec3_sub(arm, arm, position);
  limpet_mat3_mul_vec(W, R1, w);
  limpet_vec3_cross(beside, W, arm);
  limpet_vec3_sub(u, u, beside);
}

// [N m], W  torque about the centre of mass in the pose q (nq)
static void torque_then(const limpet_model *model, const limpet_data *data,
                        const limpet_flight_balance *balance, int tree, const double *q,
                        double R[9], double torque[3]) {
  const int joint = model->dof_joint[model->tree_dof[tree]];
  limpet_quaternion_to_matrix(R, q + model->joint_q[joint] + 3);
  torque_at(model, data, balance, tree, R, torque);
}

double limpet_flight_body_work(const limpet_model *model, const limpet_data *data, int tree,
                               double dt, const limpet_free_motion *motion, const double *v,
                               const double *q) {
  const limpet_flight_balance *balance = &motion->flight->balance[tree];
  const int first = model->tree_dof[tree];
  const limpet_tree_momentum *start = &balance->start;
  double R1[9], torque[3], way[3], W0[3], W1[3];
  if (!is_pushed(model, motion, tree)) return 0.0;
  torque_then(model, data, balance, tree, q, R1, torque);
  limpet_mat3_mul_vec(W0, data->body_rotation + 9 * model->tree_body[tree], data->v + first + 3);
  limpet_mat3_mul_vec(W1, R1, v + first + 3);
  limpet_vec3_addmul(way, start->linear, 0.5 * dt, balance->F);
  return limpet_vec3_dot(motion->flight->force + first, way) * dt / start->mass +
         0.5 * dt * (limpet_vec3_dot(balance->T, W0) + limpet_vec3_dot(torque, W1));
}

void limpet_flight_body_due(const limpet_model *model, const limpet_data *data, int tree, double dt,
                            const limpet_free_motion *motion, const double *q, double angular[3]) {
  const limpet_flight_balance *balance = &motion->flight->balance[tree];
  double R1[9], torque[3];
  limpet_vec3_copy(angular, balance->start.angular);
  if (!is_pushed(model, motion, tree)) return;
  torque_then(model, data, balance, tree, q, R1, torque);
  limpet_vec3_add(torque, torque, balance->T);
  limpet_vec3_addmul(angular, angular, 0.5 * dt, torque);
}

/* What the origin moves besides h u' [m], W, as the centre of mass goes straight and the body turns
 * by `turn`: R0 (h w x c + c - Q c), without the difference of the arms. */
static void curve(const double R0[9], double dt, const double w[3], const double turn[4],
                  const double c[3], double way[3]) {
  double once[3], twice[3], own[3];
  limpet_vec3_cross(once, turn + 1, c);
  limpet_vec3_cross(twice, turn + 1, once);
  limpet_vec3_cross(own, w, c);
  for (int k = 0; k < 3; ++k) own[k] = dt * own[k] - 2.0 * (turn[0] * once[k] + twice[k]);
  limpet_mat3_mul_vec(way, R0, own);
}

void limpet_flight_body_held(const limpet_data *data, int tree, double dt,
                             const limpet_free_motion *motion, limpet_data *end) {
  const limpet_model *model = data->model;
  const limpet_flight_balance *balance = &motion->flight->balance[tree];
  const int first = model->tree_dof[tree], body = model->tree_body[tree];
  const double *R0 = data->body_rotation + 9 * body, *free = motion->v_free + first;
  const int place = model->joint_q[model->dof_joint[first]];
  double *position = end->q + place, *rotation = position + 3;
  double *u = end->v + first, *w = u + 3, c[3], beside[3], change[3], velocity[3], turn[4], R1[9];
  limpet_vec3_addmul(position, data->q + place, dt, u);

  // velocity of the centre of mass
  limpet_flight_body_centre(model, data, balance, tree, c);
  limpet_vec3_sub(change, w, free + 3);
  swing(R0, change, c, beside);
  free_velocity(balance, dt, velocity);
  for (int k = 0; k < 3; ++k) velocity[k] += u[k] - free[k] + beside[k];

  // flight with the angular momentum R0 I w
  const double *I = balance->inertia;
  double own[3], L[3];
  limpet_mat3_mul_vec(own, I, w);
  limpet_mat3_mul_vec(L, R0, own);
  const int count = limpet_gyration_parts(data, tree, LIMPET_GYRATION_HELD, dt, w);
  limpet_vec3_copy(own, w);
  limpet_gyration_turn(I, dt, count, w, turn);
  curve(R0, dt, own, turn, c, beside);
  limpet_vec3_add(position, position, beside);
  limpet_quaternion_mul(rotation, data->q + place + 3, turn);
  limpet_quaternion_normalize(rotation);
  aim(I, w, dt, L, rotation);
  limpet_quaternion_to_matrix(R1, rotation);
  swing(R1, w, c, beside);
  limpet_vec3_sub(u, velocity, beside);
}
