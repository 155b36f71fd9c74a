/* solve/body_sweep_kernel.h: the kernel of body_sweep.h, written once and compiled by a source file
 * that defines LIMPET_BODY_RELAX, its name. Contraction is on, as in math/dense_kernels.h. Contacts
 * follow each other as the processor allows: what two of them do to different bodies overlaps
 * where a contact takes few instructions. */
#include "math/six.h"
#include "solve/body_sweep.h"
#include "solve/sweep_law_kernel.h"

// Between S bodies, a constant.
LIMPET_SIX_INLINE double relax_of(const int S, const limpet_body_contact *c, double friction,
                                  double *x, double *v) {
  limpet_six at[2];
  double u[3], dx[3];
#pragma GCC unroll 2
  for (int s = 0; s < S; ++s) at[s] = limpet_six_at(v + c->first[s]);
  limpet_six_speeds(S, c->J, at, u);
  for (int e = 0; e < 3; ++e) u[e] += c->law.bias[e];
  const double moved = change_of(&c->law, friction, u, x, dx);
  if (moved == 0.0) return 0.0;
  for (int e = 0; e < 3; ++e) x[e] += dx[e];
#pragma GCC unroll 2
  for (int s = 0; s < S; ++s)
    limpet_six_store(v + c->first[s], limpet_six_push(at[s], c->Y[s], dx));
  return moved;
}

double LIMPET_BODY_RELAX(const limpet_body_contact *contact, double friction, double *x,
                         double *v) {
  return contact->sides == 2 ? relax_of(2, contact, friction, x, v)
                             : relax_of(1, contact, friction, x, v);
}
