/* solve/body_sweep_kernel.h: the kernels of body_sweep.h, written once and compiled by a source
 * file that defines LIMPET_BODY_SWEEP, the name of their table. Contraction is on, as in
 * math/dense_kernels.h. Contacts follow each other as the processor allows: what two of them do to
 * different bodies overlaps where a contact takes few instructions. */
#include "math/six.h"
#include "solve/body_sweep.h"
#include "solve/sweep_law_kernel.h"

// Between S bodies, a constant.
LIMPET_SIX_INLINE double relax_of(const int S, const limpet_body_contact *c, double *x, double *v) {
  limpet_six at[2];
  double u[3], dx[3];
#pragma GCC unroll 2
  for (int s = 0; s < S; ++s) at[s] = limpet_six_at(v + c->first[s]);
  limpet_six_speeds(S, c->J, at, u);
  for (int e = 0; e < 3; ++e) u[e] += c->law.bias[e];
  const double moved = change_of(&c->law, c->friction, u, x, dx);
  if (moved == 0.0) return 0.0;
  for (int e = 0; e < 3; ++e) x[e] += dx[e];
#pragma GCC unroll 2
  for (int s = 0; s < S; ++s)
    limpet_six_store(v + c->first[s], limpet_six_push(at[s], c->Y[s], dx));
  return moved;
}

static double relax(const limpet_body_contact *contact, double *x, double *v) {
  return contact->sides == 2 ? relax_of(2, contact, x, v) : relax_of(1, contact, x, v);
}

static double sweep(int count, const int *order, const limpet_body_contact *contact, double *x,
                    double *v, double *change) {
  double moved = 0.0;
  for (const int *end = order + count; order < end; ++order)
    moved += change[*order] = relax(&contact[*order], x + 3 * *order, v);
  return moved;
}

static void push(int count, const limpet_body_contact *contact, const double *x, double *v) {
  for (const limpet_body_contact *end = contact + count; contact < end; ++contact, x += 3) {
    if (x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0) continue;
    for (int s = 0; s < contact->sides; ++s) {
      double *at = v + contact->first[s];
      limpet_six_store(at, limpet_six_push(limpet_six_at(at), contact->Y[s], x));
    }
  }
}

// Three columns at once, in lanes of which the last one is zero.
static void answer(const double *L, const double *inverse, const double *J, double *Y,
                   double W[9]) {
  lanes x[6];
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    lanes sum = {J[i], J[6 + i], J[12 + i], 0.0};
#pragma GCC unroll 6
    for (int j = 0; j < i; ++j) sum -= L[6 * i + j] * x[j];
    x[i] = sum * inverse[i];
  }
#pragma GCC unroll 6
  for (int i = 5; i >= 0; --i) {
    lanes sum = x[i];
#pragma GCC unroll 6
    for (int j = 5; j > i; --j) sum -= L[6 * j + i] * x[j];
    x[i] = sum * inverse[i];
  }
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i)
    for (int e = 0; e < 3; ++e) Y[6 * e + i] = x[i][e];
#pragma GCC unroll 3
  for (int e = 0; e < 3; ++e) {
    lanes sum = J[6 * e] * x[0];
#pragma GCC unroll 5
    for (int i = 1; i < 6; ++i) sum += J[6 * e + i] * x[i];
    for (int f = 0; f < 3; ++f) W[3 * e + f] += sum[f];
  }
}

const limpet_body_sweep_kernels LIMPET_BODY_SWEEP = {
    .relax = relax, .sweep = sweep, .push = push, .answer = answer};
