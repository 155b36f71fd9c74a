// solve/friction_disc.c: see friction_disc.h.
#include "solve/friction_disc.h"

#include <math.h>

static const double firm_stiction = 1 - 1e-6;  // [-]  share of the cone up to which a start sticks

void limpet_friction_disc_foresee(const limpet_friction_disc *disc, const double p[2],
                                  double point[2], double direction[2], double G[3]) {
  const double eps = disc->eps, bound = disc->bound, reach = disc->delassus * bound;
  const double size = hypot(p[0], p[1]);
  const double x = size > 0.0 ? p[0] / size : 0.0, y = size > 0.0 ? p[1] / size : 0.0;
  double slip, share;
  if (size > reach) {
    slip = size - reach;
    share = slip / sqrt(slip * slip + eps * eps);
  } else {
    share = reach > 0.0 ? fmin(size / reach, firm_stiction) : 0.0;
    slip = eps * share / sqrt(1.0 - share * share);
  }
  const double stiffness = bound / sqrt(slip * slip + eps * eps);
  point[0] = slip * x, point[1] = slip * y;
  direction[0] = share * x, direction[1] = share * y;
  G[0] = stiffness * (1.0 - direction[0] * direction[0]);
  G[1] = -stiffness * direction[0] * direction[1];
  G[2] = stiffness * (1.0 - direction[1] * direction[1]);
}
