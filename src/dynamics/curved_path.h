/* dynamics/curved_path.h: how two bodies that move together come apart because their coordinates
 * are integrated differently. */
#ifndef LIMPET_DYNAMICS_CURVED_PATH_H
#define LIMPET_DYNAMICS_CURVED_PATH_H

#include "limpet/data.h"

/* Point [m], W, of a unit from which its points turn: its centre of mass where its tree is centred,
 * else its origin. centred (tree_count): trees whose centre of mass goes straight in the step;
 * NULL: there are none. After limpet_kinematics. */
void limpet_curved_path_pivot(const limpet_model *model, const limpet_data *data,
                              const bool *centred, int unit, double pivot[3]);

/* bias [angular rad/s; linear m/s, W] of the velocity of unit B relative to unit A at `point` over
 * a step of dt: half of dt times the difference of the accelerations that the points have at
 * constant joint velocities. bend (tree_count x 3) [m/s^2]: that of the centre of mass of centred
 * trees of several bodies; with `centred`. After limpet_velocity_kinematics. */
void limpet_curved_path_bias(const limpet_model *model, const limpet_data *data,
                             const bool *centred, const double *bend, int unit_a, int unit_b,
                             const double point[3], double dt, double bias[6]);

/* bias [rad/s, m/s] likewise for the turn of B relative to A and for Q - P, where P is fixed to A
 * and Q to B. */
void limpet_curved_path_of_points(const limpet_model *model, const limpet_data *data,
                                  const bool *centred, const double *bend, int unit_a,
                                  const double P[3], int unit_b, const double Q[3], double dt,
                                  double bias[6]);

/* The share of one body in that: half of dt times its accelerations. */
void limpet_curved_path_share(const limpet_model *model, const limpet_data *data,
                              const bool *centred, const double *bend, int unit,
                              const double point[3], double dt, double share[6]);

#endif
