/* contact/restitution.c: see restitution.h. */
#include "contact/restitution.h"

#include <math.h>

double limpet_restitution_impact(double dt, double distance, double speed, double speed_free,
                                 bool plain) {
  if (!(speed < 0.0) || !(distance + dt * speed_free < 0.0)) return 0.0;
  const double g = (speed - speed_free) / dt, lost = plain ? g * dt * -speed : 0.0;
  const double squared = speed * speed + 2.0 * g * fmax(distance, 0.0) + lost;
  const double slowest = 2.0 * fmax(g, 0.0) * dt;  // what a body at rest gains in two steps
  return squared > slowest * slowest ? sqrt(squared) : 0.0;
}

void limpet_restitution_impact_slopes(double dt, double distance, double speed, double speed_free,
                                      bool plain, double slopes[3]) {
  const double v_i = limpet_restitution_impact(dt, distance, speed, speed_free, plain),
               gap = fmax(distance, 0.0), g = (speed - speed_free) / dt;
  const double by_speed = speed + gap / dt + (plain ? 0.5 * speed_free - speed : 0.0),
               by_free = -gap / dt + (plain ? 0.5 * speed : 0.0);
  slopes[0] = distance > 0.0 && v_i > 0.0 ? g / v_i : 0.0;
  slopes[1] = v_i > 0.0 ? by_speed / v_i : 0.0;
  slopes[2] = v_i > 0.0 ? by_free / v_i : 0.0;
}

double limpet_restitution_speed(double rebound, double speed, double speed_free, bool plain) {
  const double share = (plain ? 0.5 : 1.0) * fmax(speed - speed_free, 0.0);  // c g h
  return sqrt(share * share + rebound * rebound) - share;
}
