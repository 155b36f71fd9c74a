// solve/friction_disc.c: see friction_disc.h.
#include "solve/friction_disc.h"

#include <math.h>

#include "math/extremes.h"

static const double firm_stiction = 1 - 1e-6;  // [-]  share of the cone up to which a start sticks

void limpet_friction_disc_foresee(const limpet_friction_disc *disc, const double p[2],
                                  double point[2], double direction[2], double G[3]) {
  const double eps = disc->eps, bound = disc->bound, reach = disc->delassus * bound;
  const double size = sqrt(p[0] * p[0] + p[1] * p[1]), inverse = size > 0.0 ? 1.0 / size : 0.0;
  const double x = p[0] * inverse, y = p[1] * inverse;
  double slip, share, root;  // root of slip^2 + eps^2
  if (size > reach) {
    slip = size - reach;
    root = sqrt(slip * slip + eps * eps);
    share = slip / root;
  } else {
    share = reach > 0.0 ? limpet_min(size / reach, firm_stiction) : 0.0;
    root = eps / sqrt(1.0 - share * share);
    slip = share * root;
  }
  const double stiffness = bound / root;
  point[0] = slip * x, point[1] = slip * y;
  direction[0] = share * x, direction[1] = share * y;
  G[0] = stiffness * (1.0 - direction[0] * direction[0]);
  G[1] = -stiffness * direction[0] * direction[1];
  G[2] = stiffness * (1.0 - direction[1] * direction[1]);
}
