/* dynamics/activation.c: activation states of actuators.
 *
 *   act'   u (integrator), (u - act)/tau (filters), muscle.c (muscles); of servos on rotations
 *          the filter's u is moved by whole turns to within half a turn of act
 *   after  act + dt act', or, exactly, act + tau (1 - exp(-dt/tau)) act'; clamped to its range
 * tau [s]: time constant; u: control, clamped to its range.
 * Source: MuJoCo documentation, actuation model. */
#include "dynamics/activation.h"

#include <math.h>

#include "dynamics/muscle.h"
#include "dynamics/transmission.h"
#include "dynamics/tree.h"
#include "model/workspace.h"

// [s]  least time constant of a filter, far below any step: an exact filter without one follows its
// control at once.
static const double least_time_constant = 1e-15;

static double clamped(double value, const double range[2]) {
  return value < range[0] ? range[0] : value > range[1] ? range[1] : value;
}

static double time_constant(const limpet_model *model, int actuator) {
  return fmax(model->actuator_activation_time[actuator], least_time_constant);
}

double limpet_activation_rate(const limpet_model *model, int actuator, double activation,
                              double u) {
  switch (model->actuator_activation[actuator]) {
    case LIMPET_ACTIVATION_INTEGRATOR: return u;
    case LIMPET_ACTIVATION_MUSCLE:
      return limpet_muscle_rate(activation, u, model->actuator_activation_time[actuator],
                                model->actuator_deactivation_time[actuator],
                                model->actuator_activation_smoothing[actuator]);
    default: {
      const double target = limpet_servo_input(model, actuator, u, activation);
      return (target - activation) / time_constant(model, actuator);
    }
  }
}

double limpet_activation_after(const limpet_model *model, int actuator, double activation,
                               double rate, double dt) {
  const double tau = time_constant(model, actuator);
  const bool exact = model->actuator_activation[actuator] == LIMPET_ACTIVATION_FILTER_EXACT;
  const double next = activation + rate * (exact ? tau * -expm1(-dt / tau) : dt);
  return model->actuator_activation_limited[actuator]
             ? clamped(next, model->actuator_activation_range + 2 * actuator)
             : next;
}
