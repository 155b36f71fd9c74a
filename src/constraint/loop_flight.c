/* constraint/loop_flight.c: what rows of loops miss of bodies alone, which impulses move at the
 * start of the step and which then fly by themselves: they nutate, each as its own inertia bids.
 *
 *   points     d_X = (Q - 1)(x - c),
 *              bias = (d_B - d_A)/dt - (spin_B x (x - c_B) - spin_A x (x - c_A))
 *   rotations  Q_B Q_A' = exp([theta]),   bias = theta/dt - (spin_B - spin_A)
 * Q: turn of the step, spin [rad/s]: angular velocity that impulses leave at its start, both as
 * expected (dynamics/flown.h); c [m]: centre of mass, which goes straight; x [m]: where the row
 * acts. What is no body alone moves by its curved path to second order (dynamics/curved_path.h):
 * d = dt^2/2 a, theta = dt spin + dt^2/2 alpha. v_hat = -g/(2 dt) - bias is to the end of the step,
 * whatever the bodies turn in it, where they do as expected. With near-rigid rows that is SHAKE:
 * impulses along the Jacobian of the start of the step, such that the loop is closed at its end. It
 * keeps momentum, is symplectic, and of second order; velocities at the end leave the loop by as
 * much as they entered it. Source: own derivation; Hairer, Lubich, Wanner, Geometric Numerical
 * Integration, VII.1.4. */
#include <string.h>

#include "constraint/loop.h"
#include "dynamics/curved_path.h"
#include "math/quaternion.h"
#include "math/vec3.h"

// How a side moves in the step besides its velocity at the start.
typedef struct side_flight {
  double curve[3];          // [m/s]  mean velocity of the point, less that at the start
  double turn[4], spin[3];  // of the step; [rad/s] at its start
} side_flight;

static const limpet_flown *flown_of(const limpet_model *model,
                                    const limpet_assembly_settings *settings, int body) {
  const int tree = model->body_tree[body];
  return tree >= 0 && settings->flown && settings->flown[tree].known ? &settings->flown[tree]
                                                                     : NULL;
}

bool limpet_loop_flies(const limpet_model *model, const limpet_assembly_settings *settings,
                       int index) {
  const int *body = model->loop_body + 2 * index;
  return flown_of(model, settings, body[0]) || flown_of(model, settings, body[1]);
}

static void fly(const limpet_flown *flown, const double point[3], double dt, side_flight *side) {
  double arm[3], turned[3], speed[3];
  limpet_vec3_sub(arm, point, flown->centre);
  limpet_quaternion_rotate(turned, flown->turn, arm);
  limpet_vec3_cross(speed, flown->spin, arm);
  for (int k = 0; k < 3; ++k) side->curve[k] = (turned[k] - arm[k]) / dt - speed[k];
  limpet_quaternion_copy(side->turn, flown->turn);
  limpet_vec3_copy(side->spin, flown->spin);
}

// By the curved path of its joints.
static void follow(const limpet_row_builder *builder, int body, const double point[3],
                   side_flight *side) {
  const limpet_model *model = builder->model;
  const limpet_assembly_settings *settings = builder->settings;
  double share[6], turn[3];
  limpet_curved_path_share(model, builder->data, settings->centred, settings->bend,
                           model->body_weld[body], point, settings->dt, share);
  limpet_vec3_copy(side->curve, share + 3);
  limpet_vec3_zero(side->spin);
  if (model->body_last_dof[body] >= 0)
    limpet_vec3_copy(side->spin, builder->data->body_velocity + 6 * body);
  for (int k = 0; k < 3; ++k) turn[k] = settings->dt * (side->spin[k] + share[k]);
  limpet_quaternion_exp(side->turn, turn);
}

// Where the rows act: connect, distance at the ends, weld between them.
static void place(const limpet_model *model, int index, const limpet_loop *loop, double at[2][3]) {
  const double share = model->loop_kind[index] == LIMPET_LOOP_WELD ? 0.5 : 0.0;
  for (int k = 0; k < 3; ++k) {
    at[0][k] = loop->P[k] + share * (loop->Q[k] - loop->P[k]);
    at[1][k] = loop->Q[k] + share * (loop->P[k] - loop->Q[k]);
  }
}

void limpet_loop_fly(const limpet_row_builder *builder, int index, limpet_loop *loop) {
  const limpet_model *model = builder->model;
  const int *body = model->loop_body + 2 * index;
  const double dt = builder->settings->dt;
  side_flight side[2];
  double at[2][3], back[4], relative[4], theta[3];
  place(model, index, loop, at);
  for (int s = 0; s < 2; ++s) {
    const limpet_flown *flown = flown_of(model, builder->settings, body[s]);
    if (flown) fly(flown, at[s], dt, &side[s]);
    else follow(builder, body[s], at[s], &side[s]);
  }
  limpet_quaternion_conjugate(back, side[0].turn);
  limpet_quaternion_mul(relative, side[1].turn, back);
  limpet_quaternion_log(theta, relative);
  for (int k = 0; k < 3; ++k) {
    loop->bias[k] = theta[k] / dt - (side[1].spin[k] - side[0].spin[k]);
    loop->bias[3 + k] = side[1].curve[k] - side[0].curve[k];
  }
}
