/* constraint/effort.c: see effort.h.
 *
 *   F(v) = sum_i gear_i f_i(gear_i v),   f_i = clamp(a_i - s_i u, lower_i, upper_i),
 *   s_i = dt kp + kd >= 0,   v the velocity of the joint at the end of the step
 * F falls as v grows. It is within the limit between the velocities v_U <= v_L where it is upper
 * and lower, and each f_i stays at f_i(gear_i v_U) below and at f_i(gear_i v_L) above: the sum of
 * the servos is then clamp(F, lower, upper), and each force is a share of it.
 * v_U, v_L: F is linear between the velocities at which a servo comes to an end of its range.
 * What the servos cannot reach within their ranges, beside other forces, is the first one's. */
#include "constraint/effort.h"

#include <math.h>

#include "math/extremes.h"

static double slope_of(const limpet_effort *e, int i) {
  return e->dt * e->servo[i].kp + e->servo[i].kd;
}

// Force of a servo; v may be infinite.
static double force_at(const limpet_effort *e, int i, double v) {
  const limpet_servo *servo = &e->servo[i];
  const double force = servo->error + servo->offset - slope_of(e, i) * e->gear[i] * v;
  return limpet_min(limpet_max(force, servo->lower), servo->upper);
}

static double sum_at(const limpet_effort *e, double v) {
  double sum = 0.0;
  for (int i = 0; i < e->count; ++i) sum += e->gear[i] * force_at(e, i, v);
  return sum;
}

// Where servo i comes to the lower (0) or upper (1) end of its range; may be infinite.
static double end_of(const limpet_effort *e, int i, int upper) {
  const limpet_servo *servo = &e->servo[i];
  const double bound = upper ? servo->upper : servo->lower;
  return (servo->error + servo->offset - bound) / (slope_of(e, i) * e->gear[i]);
}

// -dF/dv where no end of a range is on the side of v that `side` (-1, 1) names.
static double outer_slope(const limpet_effort *e, double side) {
  double sum = 0.0;
  for (int i = 0; i < e->count; ++i) {
    const bool falls = side * e->gear[i] > 0.0;
    if (isinf(falls ? e->servo[i].lower : e->servo[i].upper))
      sum += e->gear[i] * e->gear[i] * slope_of(e, i);
  }
  return sum;
}

// Where F is `target`; infinite where it does not come there.
static double velocity_at(const limpet_effort *e, double target) {
  double left = -INFINITY, right = INFINITY;
  for (int k = 0; k < 2 * e->count; ++k) {
    const double v = end_of(e, k / 2, k % 2);
    if (isinf(v)) continue;
    if (sum_at(e, v) >= target) left = limpet_max(left, v);
    else right = limpet_min(right, v);
  }
  if (isinf(left) && isinf(right)) left = 0.0;  // F is linear
  if (!isinf(left) && !isinf(right)) {
    const double at_left = sum_at(e, left), at_right = sum_at(e, right);
    return left + (right - left) * ((at_left - target) / (at_left - at_right));
  }
  const double from = isinf(left) ? right : left;
  const double side = isinf(left) ? -1.0 : 1.0, slope = outer_slope(e, side);
  return slope > 0.0 ? from + (sum_at(e, from) - target) / slope : side * INFINITY;
}

/* The force of one servo where the sum is the lower (side -1) or upper (1) limit; where no motion
 * brings it within that limit, the first one does. */
static double share_of(const limpet_effort *e, int self, double limit, double side) {
  const double v = velocity_at(e, limit), force = force_at(e, self, v);
  if (!isinf(v) || isinf(limit) || self > 0) return force;
  const double beyond = side * (sum_at(e, v) - limit);
  return beyond > 0.0 ? force - side * beyond / e->gear[0] : force;
}

void limpet_effort_share(const limpet_effort *effort, int self, double lower, double upper,
                         limpet_servo *servo) {
  const double a = share_of(effort, self, lower, -1.0), b = share_of(effort, self, upper, 1.0);
  servo->lower = limpet_min(a, b), servo->upper = limpet_max(a, b);
  if (effort->gear[self] * (b - a) >= 0.0) return;
  // beyond its own range: the one end that leads back
  servo->lower = servo->upper = sum_at(effort, -INFINITY) < lower ? a : b;
}
