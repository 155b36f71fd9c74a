/* step/flight_body.c: where a body that flies alone points at the end of a step.
 *
 *   R1 = turn(R I w -> L1) R
 * R: its rotation as gyration.c turned it; w [rad/s]: its angular velocity, I [kg m^2]: its inertia
 * about the centre of mass, both in body axes; L1 [N m s], W: the angular momentum that
 * flight_balance.c asks for. Where |I w| = |L1|, as without torque, w and with it the energy can
 * then stay. */
#include <math.h>

#include "math/quaternion.h"
#include "step/flight.h"

void limpet_flight_body_aim(const limpet_model *model, int tree, double dt,
                            const limpet_flight_balance *balance, const double *v, double *q) {
  const int first = model->tree_dof[tree];
  const double *I = model->body_inertia + 9 * model->tree_body[tree];
  double *rotation = q + model->joint_q[model->dof_joint[first]] + 3;
  double R[9], own[3], a[3], linear[3], wanted[3], turn[4], turned[4];
  limpet_quaternion_to_matrix(R, rotation);
  limpet_mat3_mul_vec(own, I, v + first + 3);
  limpet_mat3_mul_vec(a, R, own);
  limpet_flight_balance_at(balance, dt, linear, wanted);
  turn[0] = limpet_vec3_norm(a) * limpet_vec3_norm(wanted) + limpet_vec3_dot(a, wanted);
  if (!(turn[0] > 0.0)) return;  // at rest
  limpet_vec3_cross(turn + 1, a, wanted);
  limpet_quaternion_normalize(turn);
  limpet_quaternion_mul(turned, turn, rotation);
  limpet_quaternion_normalize(turned);
  limpet_quaternion_copy(rotation, turned);
}
