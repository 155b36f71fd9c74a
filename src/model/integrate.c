/* model/integrate.c: positions on the manifold of the joints: q0 (+) dt v, and its inverse.
 *
 *   exponential:  p1 = p0 + dt v_lin,  Q1 = Q0 * exp(dt w)        w: angular velocity in axes of
 *                 the child  [rad/s]
 *   first order:  Q1 = normalised(Q0 + dt/2 Q0 * (0, w))          as Drake's dt/2 (0, w_world) *
 *                 Q0: w_world = Q0 w Q0^-1
 *   difference:   w = log(conj(Q0) * Q1), the shorter way round
 * The exponential map is exact for constant w; first order turns by 2 atan(dt |w|/2). Cost: O(nq),
 * no workspace. */
#include <assert.h>

#include "model/integrate.h"

#include "math/quaternion.h"

static void rotate(double Q[4], const double Q0[4], const double w[3], double dt,
                   bool first_order) {
  limpet_quaternion_copy(Q, Q0);
  if (!first_order) {
    limpet_quaternion_integrate(Q, w, dt);
    return;
  }
  const double turn[4] = {1.0, 0.5 * dt * w[0], 0.5 * dt * w[1], 0.5 * dt * w[2]};
  double r[4];
  limpet_quaternion_mul(r, Q, turn);
  limpet_quaternion_normalize(r);
  limpet_quaternion_copy(Q, r);
}

void limpet_integrate_position(const limpet_model *model, double *q, const double *q0,
                               const double *v, double dt, bool first_order) {
  assert(model && (model->nq == 0 || (q && q0 && v)));
  limpet_integrate_joints(model, 0, model->joint_count, q, q0, v, dt, first_order);
}

void limpet_integrate_joints(const limpet_model *model, int first, int end, double *q,
                             const double *q0, const double *v, double dt, bool first_order) {
  for (int j = first; j < end; ++j) {
    double *to = q + model->joint_q[j];
    const double *from = q0 + model->joint_q[j], *rate = v + model->joint_v[j];
    switch (model->joint_kind[j]) {
      case LIMPET_JOINT_FREE:
        limpet_vec3_addmul(to, from, dt, rate);
        rotate(to + 3, from + 3, rate + 3, dt, first_order);
        break;
      case LIMPET_JOINT_BALL: rotate(to, from, rate, dt, first_order); break;
      case LIMPET_JOINT_PRISMATIC:
      case LIMPET_JOINT_REVOLUTE:
      case LIMPET_JOINT_SCREW: to[0] = from[0] + dt * rate[0]; break;
    }
  }
}

static void turn_between(double w[3], const double Q0[4], const double Q1[4]) {
  double inverse[4], turn[4];
  limpet_quaternion_conjugate(inverse, Q0);
  limpet_quaternion_mul(turn, inverse, Q1);
  limpet_quaternion_log(w, turn);
}

void limpet_difference_position(const limpet_model *model, double *v, const double *q0,
                                const double *q1) {
  assert(model && (model->nq == 0 || (v && q0 && q1)));
  for (int j = 0; j < model->joint_count; ++j) {
    const double *from = q0 + model->joint_q[j], *to = q1 + model->joint_q[j];
    double *rate = v + model->joint_v[j];
    switch (model->joint_kind[j]) {
      case LIMPET_JOINT_FREE:
        limpet_vec3_sub(rate, to, from);
        turn_between(rate + 3, from + 3, to + 3);
        break;
      case LIMPET_JOINT_BALL: turn_between(rate, from, to); break;
      case LIMPET_JOINT_PRISMATIC:
      case LIMPET_JOINT_REVOLUTE:
      case LIMPET_JOINT_SCREW: rate[0] = to[0] - from[0]; break;
    }
  }
}
