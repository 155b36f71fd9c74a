/* dynamics/muscle.h: the curves of a muscle: its active pull by length and velocity, its passive
 * pull by length, and how its activation follows the control. */
#ifndef LIMPET_DYNAMICS_MUSCLE_H
#define LIMPET_DYNAMICS_MUSCLE_H

#include "limpet/model.h"

// A curve at a point: its value and its derivatives.
typedef struct limpet_actuator_curve {
  double value;        // [N, N m]
  double by_length;    // [N/m, N m/rad]
  double by_velocity;  // [N s/m, N m s/rad]
} limpet_actuator_curve;

/* Force for an activation of 1, and that without activation; length [m, rad] and velocity [m/s,
 * rad/s] of the transmission, its range of lengths (2). Both pull: they are 0 or negative. */
limpet_actuator_curve limpet_muscle_gain(const limpet_muscle *muscle, const double length_range[2],
                                         double length, double velocity);
limpet_actuator_curve limpet_muscle_bias(const limpet_muscle *muscle, const double length_range[2],
                                         double length);

/* Rate of an activation [1/s] under the control u; times [s] of growing tense and slack; `width` of
 * the controls that go from one to the other. */
double limpet_muscle_rate(double activation, double u, double tense, double slack, double width);

#endif
