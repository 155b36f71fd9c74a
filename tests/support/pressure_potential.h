/* tests/support/pressure_potential.h: the potential of two pressure fields and its gradient, as
 * integrals over the volume of the overlap, without any surface. */
#ifndef LIMPET_TEST_PRESSURE_POTENTIAL_H
#define LIMPET_TEST_PRESSURE_POTENTIAL_H

#include "limpet/pressure.h"

typedef struct test_potential {
  double energy;     // [J]  U = int min(p_A, p_B) dV; a rigid body counts as p = infinity
  double force[3];   // [N, W]  on B: -dU/dx_B
  double moment[3];  // [N m, W]  on B about the origin of W: -dU of a turn of B about it
  double error;      // [-]  estimate, relative to the force
} test_potential;

/* Both bodies convex (primitives, boxes, hulls, half spaces), or one of them of tetrahedra.
 * accuracy  [-]  relative, that the quadrature goes for. The gradient is that of the integrand:
 * min(p_A, p_B) vanishes at the edge of the overlap, so that its domain does not count. */
test_potential test_potential_compute(const limpet_pressure_body *a, const limpet_pressure_body *b,
                                      double accuracy);

/* The same of A's tetrahedra and B, which is convex. rigid: A's own pressures do not count, its
 * tetrahedra are a rigid body. force [N]: what the accuracy is a share of. */
test_potential test_potential_of_mesh(const limpet_pressure_body *a, const limpet_pressure_body *b,
                                      bool rigid, double accuracy, double force);

// Whether two convex bodies overlap.
bool test_potential_overlap(const limpet_pressure_body *a, const limpet_pressure_body *b);

#endif
