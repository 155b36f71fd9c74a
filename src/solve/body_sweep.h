/* solve/body_sweep.h: contacts between bodies that float alone: the inner loops of sweeps over
 * heaps (coulomb_sweep.c), for Hunt-Crossley's law. Compiled for several instruction sets, like the
 * dense kernels, and chosen with them. */
#ifndef LIMPET_SOLVE_BODY_SWEEP_H
#define LIMPET_SOLVE_BODY_SWEEP_H

#include <stdbool.h>

#include "solve/sweep_law.h"

// What does not change from sweep to sweep, but for friction.
typedef struct limpet_body_contact {
  int sides;           // 1: the other body is fixed; 2; 0: of another kind
  int first[2];        // of each body in the island's vector
  const double *J[2];  // (3 x 6)
  const double *Y[2];  // (3 x 6)  M^-1 J'
  bool has_law;        // of `relax` and `sweep`; the contact meets another one elsewhere
  double friction;     // [-]
  limpet_sweep_law law;
} limpet_body_contact;

typedef struct limpet_body_sweep_kernels {
  /* x (3) [N s] <- the impulse with which the contact meets its law, stiction as rigid, and v with
   * it. Returns the square of the change [kg m^2/s^2]. */
  double (*relax)(const limpet_body_contact *contact, double *x, double *v);
  /* The same of contacts `order` (count) one after the other, with the impulses x of all contacts;
   * change (all contacts): the squares of those that were asked. Returns their sum. */
  double (*sweep)(int count, const int *order, const limpet_body_contact *contact, double *x,
                  double *v, double *change);
  // v += Y x of all contacts (count) with a side.
  void (*push)(int count, const limpet_body_contact *contact, const double *x, double *v);
  /* Y (3 x 6) <- (L L')^-1 J' for L (6 x 6), reciprocals of its diagonal and J (3 x 6), row by row;
   * W (3 x 3) += J Y'. */
  void (*answer)(const double *L, const double *inverse, const double *J, double *Y, double W[9]);
} limpet_body_sweep_kernels;

extern const limpet_body_sweep_kernels limpet_body_sweep_baseline;
extern const limpet_body_sweep_kernels limpet_body_sweep_avx2;  // x86-64 only
// Those for this machine.
const limpet_body_sweep_kernels *limpet_body_sweep_here(void);

#endif
