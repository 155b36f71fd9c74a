/* solve/body_sweep.h: one contact between bodies that float alone meets its law: the inner loop of
 * sweeps over heaps (coulomb_sweep.c), for Hunt-Crossley's law. Compiled for several instruction
 * sets, like the dense kernels, and chosen with them. */
#ifndef LIMPET_SOLVE_BODY_SWEEP_H
#define LIMPET_SOLVE_BODY_SWEEP_H

#include "solve/sweep_law.h"

// What does not change from sweep to sweep.
typedef struct limpet_body_contact {
  int sides;           // 1: the other body is fixed; 2; 0: of another kind
  int first[2];        // of each body in the island's vector
  const double *J[2];  // (3 x 6)
  const double *Y[2];  // (3 x 6)  M^-1 J'
  limpet_sweep_law law;
} limpet_body_contact;

/* x (3) [N s] <- the impulse with which the contact meets its law, stiction as rigid, and v with
 * it. Returns the square of the change [kg m^2/s^2]. */
typedef double limpet_body_relax(const limpet_body_contact *contact, double friction, double *x,
                                 double *v);

limpet_body_relax limpet_body_relax_baseline;
limpet_body_relax limpet_body_relax_avx2;  // x86-64 only
// The one for this machine.
limpet_body_relax *limpet_body_relax_here(void);

#endif
