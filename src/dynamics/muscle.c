/* dynamics/muscle.c: Hill's muscle as MJCF has it: no elastic tendon, no pennation.
 *
 *   force   F = -F0 (FL(L) FV(V) act + FP(L))
 *   L       r_0 + (l - l_0)/L0,   V = l'/(L0 v_max),   L0 = (l_1 - l_0)/(r_1 - r_0)
 *   FL      0 at L_min and L_max, 1 at 1; four parabolas that meet at (L_min + 1)/2, 1, (1 +
 *           L_max)/2
 *   FV      (1 + V)^2 of shortening, -1 <= V <= 0; f_v - (y - V)^2/y of lengthening up to
 *           y = f_v - 1, then f_v
 *   FP      0 up to 1; f_p x^2/2 with x = (L - 1)/(b - 1) up to b = (1 + L_max)/2; then the tangent
 *   act'    (u - act)/tau;   tau = tau_tense (0.5 + 1.5 act) where u > act, else
 *           tau_slack/(0.5 + 1.5 act); within `width` of u = act a quintic step from one to the
 * other l, l' [m, rad] length and velocity of the transmission; l_0, l_1 its range; r_0, r_1 the
 * range in units of L0; F0 [N] peak force; u, act within 0 and 1. Source: MuJoCo documentation,
 * Muscles (Millard et al. 2013 for the time constants); the parabolas were found by evaluating
 * mju_muscleGain and mju_muscleBias of MuJoCo 4.0.1. */
#include "dynamics/muscle.h"

#include <math.h>

static const double least = 1e-15;  // of what divides

// Length in units of L0, and L0 [m, rad].
static double scaled_length(const limpet_muscle *muscle, const double range[2], double length,
                            double *unit) {
  *unit = fmax((range[1] - range[0]) / fmax(muscle->range[1] - muscle->range[0], least), least);
  return muscle->range[0] + (length - range[0]) / *unit;
}

// FL and its slope.
static double active(const limpet_muscle *muscle, double L, double *slope) {
  const double low = muscle->shortest, high = muscle->longest;
  const double a = 0.5 * (low + 1.0), b = 0.5 * (1.0 + high);
  *slope = 0.0;
  if (L < low || L > high) return 0.0;
  if (L <= a) {
    const double x = (L - low) / fmax(a - low, least);
    *slope = x / fmax(a - low, least);
    return 0.5 * x * x;
  }
  if (L <= 1.0) {
    const double x = (1.0 - L) / fmax(1.0 - a, least);
    *slope = x / fmax(1.0 - a, least);
    return 1.0 - 0.5 * x * x;
  }
  if (L <= b) {
    const double x = (L - 1.0) / fmax(b - 1.0, least);
    *slope = -x / fmax(b - 1.0, least);
    return 1.0 - 0.5 * x * x;
  }
  const double x = (high - L) / fmax(high - b, least);
  *slope = -x / fmax(high - b, least);
  return 0.5 * x * x;
}

// FV and its slope.
static double by_speed(const limpet_muscle *muscle, double V, double *slope) {
  const double y = muscle->lengthening_force - 1.0;
  *slope = 0.0;
  if (V <= -1.0) return 0.0;
  if (V <= 0.0) {
    *slope = 2.0 * (V + 1.0);
    return (V + 1.0) * (V + 1.0);
  }
  if (V > y) return muscle->lengthening_force;
  *slope = 2.0 * (y - V) / fmax(y, least);
  return muscle->lengthening_force - (y - V) * (y - V) / fmax(y, least);
}

limpet_actuator_curve limpet_muscle_gain(const limpet_muscle *muscle, const double length_range[2],
                                         double length, double velocity) {
  double unit, length_slope, speed_slope;
  const double L = scaled_length(muscle, length_range, length, &unit);
  const double fastest = fmax(unit * muscle->fastest, least);
  const double FL = active(muscle, L, &length_slope),
               FV = by_speed(muscle, velocity / fastest, &speed_slope);
  const double F0 = muscle->force;
  return (limpet_actuator_curve){.value = -F0 * FL * FV,
                                 .by_length = -F0 * length_slope / unit * FV,
                                 .by_velocity = -F0 * FL * speed_slope / fastest};
}

limpet_actuator_curve limpet_muscle_bias(const limpet_muscle *muscle, const double length_range[2],
                                         double length) {
  double unit;
  const double L = scaled_length(muscle, length_range, length, &unit);
  const double b = 0.5 * (1.0 + muscle->longest), width = fmax(b - 1.0, least);
  const double F = muscle->force * muscle->passive_force;
  if (L <= 1.0) return (limpet_actuator_curve){0};
  if (L > b)
    return (limpet_actuator_curve){.value = -F * (0.5 + (L - b) / width),
                                   .by_length = -F / (width * unit)};
  const double x = (L - 1.0) / width;
  return (limpet_actuator_curve){.value = -0.5 * F * x * x, .by_length = -F * x / (width * unit)};
}

static double quintic_step(double x) {
  if (x <= 0.0) return 0.0;
  return x >= 1.0 ? 1.0 : x * x * x * (10.0 + x * (6.0 * x - 15.0));
}

double limpet_muscle_rate(double activation, double u, double tense, double slack, double width) {
  const double act = fmin(fmax(activation, 0.0), 1.0), more = fmin(fmax(u, 0.0), 1.0) - activation;
  const double rising = tense * (0.5 + 1.5 * act), falling = slack / (0.5 + 1.5 * act);
  const double share = width < least ? (more > 0.0 ? 1.0 : 0.0) : quintic_step(more / width + 0.5);
  return more / fmax(falling + (rising - falling) * share, least);
}
