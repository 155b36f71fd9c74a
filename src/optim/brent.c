/* optim/brent.c: see brent.h. x: best point, w: second best, v: the one before; e: the step before
 * last. */
#include "optim/brent.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

typedef struct best {
  double x, w, v, fx, fw, fv;
} best;

// A new point u takes its place among the best.
static void rank_point(best *p, double u, double fu) {
  if (fu <= p->fx) {
    *p = (best){u, p->x, p->w, fu, p->fx, p->fw};
  } else if (fu <= p->fw || p->w == p->x) {
    *p = (best){p->x, u, p->w, p->fx, fu, p->fw};
  } else if (fu <= p->fv || p->v == p->x || p->v == p->w) {
    p->v = u, p->fv = fu;
  }
}

// The step to the vertex of the parabola through the three; false where it is no good.
static bool parabola(const best *p, double a, double b, double before, double *step) {
  const double r = (p->x - p->w) * (p->fx - p->fv);
  double q = (p->x - p->v) * (p->fx - p->fw), s = (p->x - p->v) * q - (p->x - p->w) * r;
  q = 2.0 * (q - r);
  if (q > 0.0) s = -s;
  q = fabs(q);
  if (!(fabs(s) < fabs(0.5 * q * before)) || !(s > q * (a - p->x)) || !(s < q * (b - p->x)))
    return false;
  *step = s / q;
  return true;
}

double limpet_brent(double (*f)(void *context, double x), void *context, double low, double high,
                    double tolerance, double *value, int *evaluations) {
  assert(f && low <= high);
  const double golden = 0.3819660112501051;
  enum { STEPS = 60 };
  double a = low, b = high, step = 0.0, before = 0.0;
  const double first = a + golden * (b - a), f_first = f(context, first);
  best p = {first, first, first, f_first, f_first, f_first};
  ++*evaluations;
  for (int i = 0; i < STEPS; ++i) {
    const double middle = 0.5 * (a + b), least = tolerance + 1e-12 * fabs(p.x);
    if (fabs(p.x - middle) <= 2.0 * least - 0.5 * (b - a)) break;
    double fitted;
    if (fabs(before) > least && parabola(&p, a, b, before, &fitted)) {
      before = step, step = fitted;
      if (p.x + step - a < 2.0 * least || b - p.x - step < 2.0 * least)
        step = p.x < middle ? least : -least;
    } else {
      before = p.x < middle ? b - p.x : a - p.x;
      step = golden * before;
    }
    const double u = p.x + (fabs(step) >= least ? step
                            : step > 0.0        ? least
                                                : -least),
                 fu = f(context, u);
    ++*evaluations;
    if (fu <= p.fx) *(u < p.x ? &b : &a) = p.x;
    else *(u < p.x ? &a : &b) = u;
    rank_point(&p, u, fu);
  }
  *value = p.fx;
  return p.x;
}
