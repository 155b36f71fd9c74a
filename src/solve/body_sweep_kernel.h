/* solve/body_sweep_kernel.h: the kernel of body_sweep.h, written once and compiled by a source file
 * that defines LIMPET_BODY_RELAX, its name. Contraction is on, as in math/dense_kernels.h. Contacts
 * follow each other as the processor allows: what two of them do to different bodies overlaps
 * where a contact takes few instructions. */
#include <math.h>

#include "math/extremes.h"
#include "math/six.h"
#include "solve/body_sweep.h"

LIMPET_SIX_INLINE double normal_impulse(const limpet_body_contact *c, double target) {
  const double a = c->force - c->give * target, b = 1.0 - c->dissipation * target;
  if (!(a > 0.0 && b > 0.0)) return 0.0;
  const double p = c->alpha * b, q = c->beta * a;
  const double half = 0.5 * (1.0 + p + q), square = 0.25 + 0.5 * (p + q) + 0.25 * (p - q) * (p - q);
  return c->dt * a * b / (half + sqrt(square));
}

// The change dx of the impulse x at the speed u; returns its square.
LIMPET_SIX_INLINE double change_of(const limpet_body_contact *c, double friction, const double u[3],
                                   const double x[3], double dx[3]) {
  const double *w = c->w;
  const double n = normal_impulse(c, u[2] - w[2] * x[2]);
  dx[0] = dx[1] = 0.0;
  dx[2] = n - x[2];
  const double w_t = limpet_max(w[0], w[1]), bound = friction * n;
  if (w_t > 0.0) {
    const double p[2] = {u[0] + c->slant[0] * dx[2] - w_t * x[0],
                         u[1] + c->slant[1] * dx[2] - w_t * x[1]};
    const double size = sqrt(p[0] * p[0] + p[1] * p[1]);
    const double share = size > w_t * bound ? bound / size : 1.0 / w_t;
    for (int e = 0; e < 2; ++e) dx[e] = -share * p[e] - x[e];
  }
  return w[0] * dx[0] * dx[0] + w[1] * dx[1] * dx[1] + w[2] * dx[2] * dx[2];
}

// Between S bodies, a constant.
LIMPET_SIX_INLINE double relax_of(const int S, const limpet_body_contact *c, double friction,
                                  double *x, double *v) {
  limpet_six at[2];
  double u[3], dx[3];
#pragma GCC unroll 2
  for (int s = 0; s < S; ++s) at[s] = limpet_six_at(v + c->first[s]);
  limpet_six_speeds(S, c->J, at, u);
  for (int e = 0; e < 3; ++e) u[e] += c->bias[e];
  const double moved = change_of(c, friction, u, x, dx);
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
