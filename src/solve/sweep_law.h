/* solve/sweep_law.h: what kernels of sweeps know of a contact besides how velocities move it:
 * Hunt-Crossley's law and what the contact's impulses do to its own velocity. */
#ifndef LIMPET_SOLVE_SWEEP_LAW_H
#define LIMPET_SOLVE_SWEEP_LAW_H

#include "contact/problem.h"

typedef struct limpet_sweep_law {
  double bias[3];   // [m/s]  u besides J v
  double w[3];      // [1/kg]  W_ee
  double slant[2];  // [1/kg]  W_tn
  // of the quadratic of the normal impulse: coulomb_start.c
  double dt;           // [s]
  double force;        // [N]  f_e0
  double give;         // [N s/m]  dt k
  double dissipation;  // [s/m]  d
  double alpha, beta;  // [1/N/s]  dt^2 k w_n, [1/N] dt d w_n
} limpet_sweep_law;

// bias (3), w (3), slant (2) as in the struct.
limpet_sweep_law limpet_sweep_law_of(const limpet_contact_constants *constants, const double *bias,
                                     const double *w, const double *slant);

#endif
