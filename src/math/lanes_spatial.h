/* math/lanes_spatial.h: spatial vectors and inertias (spatial.h) in four lanes, for files that are
 * compiled for each instruction set. */
#ifndef LIMPET_MATH_LANES_SPATIAL_H
#define LIMPET_MATH_LANES_SPATIAL_H

#include "math/lanes3.h"

// A motion or a force in lanes.
typedef struct six {
  lanes angular, linear;
} six;

INLINE six six_at(const double *x) { return (six){lanes_at(x), three_after(x + 3)}; }
INLINE six six_zero(void) { return (six){all(0.0), all(0.0)}; }
INLINE six six_addmul(six a, double s, six b) {
  return (six){a.angular + all(s) * b.angular, a.linear + all(s) * b.linear};
}
// u x m and u x* f: spatial.h.
INLINE six cross_motion(six u, six m) {
  return (six){cross(u.angular, m.angular),
               cross(u.angular, m.linear) + cross(u.linear, m.angular)};
}
INLINE six cross_force(six u, six f) {
  return (six){cross(u.angular, f.angular) + cross(u.linear, f.linear), cross(u.angular, f.linear)};
}

// Ten numbers of an inertia: spatial.h.
typedef struct inertia {
  lanes column[3], h, mass;
} inertia;

INLINE inertia inertia_at(const double *I) {
  const lanes x = lanes_at(I + 4), y = lanes_at(I + 6);
  return (inertia){
      {__builtin_shufflevector(x, y, 0, 3, 6, 7), __builtin_shufflevector(x, y, 3, 1, 7, 7),
       __builtin_shufflevector(y, y, 2, 3, 0, 0)},
      lanes_at(I + 1),
      all(I[0])};
}
INLINE six inertia_times(const inertia *I, six m) {
  const lanes w = m.angular, v = m.linear, h = I->h;
  return (six){I->column[0] * lane(w, 0) + I->column[1] * lane(w, 1) + I->column[2] * lane(w, 2) +
                   yzx(h) * zxy(v) - zxy(h) * yzx(v),
               I->mass * v + yzx(w) * zxy(h) - zxy(w) * yzx(h)};
}

#endif
