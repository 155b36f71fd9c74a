/* law/impedance.c: MuJoCo's reference acceleration in SI units: see impedance.h. */
#include "law/impedance.h"

#include <math.h>
#include <stdbool.h>

#include "math/extremes.h"

static const double smallest = 1e-4, largest = 0.9999;  // [-]  impedances lie between

static double clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

// d(r): two power arcs that meet at the midpoint. *slope (NULL: not wanted): by |r|.
static inline double impedance_of(const double p[5], double r, double *slope) {
  const double d0 = clamp(p[0], smallest, largest), d1 = clamp(p[1], smallest, largest);
  const double width = limpet_max(p[2], 0.0);
  if (slope) *slope = 0.0;
  if (d0 == d1 || width <= 1e-15) return 0.5 * (d0 + d1);
  if (r == 0.0) return d0;
  const double x = fabs(r) / width;
  if (x >= 1.0) return d1;
  if (x <= 0.0) return d0;
  const double middle = clamp(p[3], smallest, largest), power = limpet_max(p[4], 1.0);
  double y = x, y_by_x = 1.0;
  if (power > 1.0) {
    const bool first = x <= middle;
    const double left = first ? x : 1.0 - x;
    const double end = first ? middle : 1.0 - middle;
    // the default power, of nearly all contacts, takes no logarithms
    const double arc = power == 2.0 ? left * left / end : pow(left, power) / pow(end, power - 1.0);
    y = first ? arc : 1.0 - arc;
    y_by_x = power * arc / left;
  }
  if (slope) *slope = y_by_x * (d1 - d0) / width;
  return d0 + y * (d1 - d0);
}

static inline bool is_standard(const limpet_impedance *impedance) {
  return impedance->reference[0] > 0.0 && impedance->reference[1] > 0.0;
}

static inline double time_constant(const limpet_impedance *impedance, double dt) {
  return limpet_max(impedance->reference[0], 2.0 * dt);
}

// [1/s]
static inline double damping_of(const limpet_impedance *impedance, double dt) {
  const double d_max = clamp(impedance->impedance[1], smallest, largest);
  return is_standard(impedance) ? 2.0 / (d_max * time_constant(impedance, dt))
                                : limpet_max(-impedance->reference[1], 0.0) / d_max;
}

// 1/R [kg]  at the impedance d.
static inline double mass_of(double d, double weight) {
  return d / ((1.0 - d) * limpet_max(weight, 1e-15));
}

limpet_impedance_values limpet_impedance_at(const limpet_impedance *impedance, double r,
                                            double dt) {
  const double *s = impedance->reference;
  const double d_max = clamp(impedance->impedance[1], smallest, largest);
  limpet_impedance_values values = {.impedance = impedance_of(impedance->impedance, r, NULL),
                                    .damping = damping_of(impedance, dt)};
  if (is_standard(impedance)) {
    const double tau = time_constant(impedance, dt);
    values.stiffness = values.impedance / (d_max * d_max * tau * tau * s[1] * s[1]);
  } else {
    values.stiffness = values.impedance * limpet_max(-s[0], 0.0) / (d_max * d_max);
  }
  return values;
}

void limpet_impedance_stiffness(const limpet_impedance *impedance, double r, double dt,
                                double weight, double *K, double *C) {
  const limpet_impedance_values values = limpet_impedance_at(impedance, r, dt);
  const double mass = mass_of(values.impedance, weight);
  *K = values.stiffness * mass;
  *C = values.damping * mass;
}

double limpet_impedance_damping_at_rest(const limpet_impedance *impedance, double dt,
                                        double weight) {
  return damping_of(impedance, dt) * mass_of(impedance_of(impedance->impedance, 0.0, NULL), weight);
}

limpet_impedance_slopes limpet_impedance_stiffness_slopes(const limpet_impedance *impedance,
                                                          double r, double dt, double weight) {
  limpet_impedance_slopes slopes;
  double by_r;
  limpet_impedance_stiffness(impedance, r, dt, weight, &slopes.K, &slopes.C);
  // K ~ d^2/(1 - d), C ~ d/(1 - d)
  const double d = impedance_of(impedance->impedance, r, &by_r), rest = d * (1.0 - d);
  slopes.K_by_r = slopes.K * (2.0 - d) / rest * by_r;
  slopes.C_by_r = slopes.C / rest * by_r;
  return slopes;
}
