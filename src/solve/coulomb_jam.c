/* solve/coulomb_jam.c: one contact whose friction acts on its own normal velocity so much that it
 * may jam (Painleve): its impulse for given velocities without it.
 *
 *   p = n(v_n(p)),   v_n(p) = f_n + W_nn p + W_nt g(p)
 *   g(p) = argmin 1/2 g' W_tt g + (f_t + W_tn p)' g   in the disc |g| <= mu p
 * p [N s]: normal impulse; g (2) [N s]: friction with stiction as rigid; W [1/kg] (3 x 3), f (3)
 * [m/s]: velocities that impulses make, and without any. phi(p) = p - n(v_n(p)) is continuous and
 * phi(0) <= 0. As the disc has 0 in it, g' v_t <= 0, so
 *   p v_n >= gamma' (W gamma + f) >= -|f| |gamma|,   v_n >= -|f| (1 + mu^2)^1/2
 * and n is bounded: phi is positive beyond some p. So a contact alone always has a solution
 * between; where mu |W_nt| > W_nn it may have three: open, jammed, and one between that is not
 * stable. The one that is taken is the first on the way from the present impulse that p <-
 * n(v_n(p)) goes: phi changes its sign there from - to +. Relaxing friction and normal impulse one
 * after the other (coulomb_sweep.c) runs around it. Cost: 10 to 60 values of phi, each a root of a
 * secular equation. */
#include <math.h>

#include "law/normal_law.h"
#include "math/extremes.h"
#include "solve/coulomb.h"

// [-]  first step from the present impulse, over it; growth of steps; width of the last bracket
static const double first_step = 1e-3, growth = 4.0, narrow = 1e-15;
static const double met = 1e-14;  // [-]  phi over p, at which p is the solution
enum { WIDENINGS = 200, HALVINGS = 80, ROOT_STEPS = 40 };

// W_tt by its axes: [x; y] and [-y; x] with the eigenvalues w.
typedef struct friction_axes {
  double x, y, w[2];
} friction_axes;

static friction_axes axes_of(const double W[9]) {
  const double half = 0.5 * (W[0] - W[4]), root = sqrt(half * half + W[1] * W[1]);
  friction_axes a = {.x = 1.0, .y = 0.0};
  if (half >= 0.0 && root > 0.0) {
    a.x = sqrt(0.5 * (1.0 + half / root));
    a.y = 0.5 * W[1] / (root * a.x);
  } else if (root > 0.0) {
    a.y = copysign(sqrt(0.5 * (1.0 - half / root)), W[1]);
    a.x = 0.5 * W[1] / (root * a.y);
  }
  a.w[0] = 0.5 * (W[0] + W[4]) + root;
  a.w[1] = limpet_max(0.5 * (W[0] + W[4]) - root, 0.0);
  return a;
}

// Friction (2) in the disc of the radius, that makes 1/2 g'Wg + c'g least.
static void friction_in_disc(const friction_axes *axes, const double c[2], double radius,
                             double g[2]) {
  const double x = axes->x, y = axes->y, *w = axes->w;
  const double a[2] = {x * c[0] + y * c[1], x * c[1] - y * c[0]};

  // (w + lambda) h = -a, |h| = radius, by Newton's method on 1/|h|, which is concave
  double lambda = 0.0, h[2] = {0.0, 0.0};
  for (int k = 0; k < ROOT_STEPS; ++k) {
    double square = 0.0, slope = 0.0;
    for (int e = 0; e < 2; ++e) {
      const double share = 1.0 / limpet_max(w[e] + lambda, 1e-30 * w[0]);
      h[e] = a[e] == 0.0 ? 0.0 : -a[e] * share;
      square += h[e] * h[e];
      slope += h[e] * h[e] * share;
    }
    const double size = sqrt(square);
    if (size <= radius * (1.0 + 1e-15)) break;
    const double step = square / slope * (size / radius - 1.0);
    if (!(step > 1e-16 * lambda)) break;
    lambda += step;
  }
  g[0] = x * h[0] - y * h[1], g[1] = y * h[0] + x * h[1];
}

typedef struct jam {
  const limpet_contact_constants *constants;
  friction_axes axes;
  const double *W, *f;
  double *gamma;  // (3)  of the last p
} jam;

static double phi(const jam *j, double p) {
  const double *W = j->W, *f = j->f;
  const double c[2] = {f[0] + W[2] * p, f[1] + W[5] * p};
  double slope;
  friction_in_disc(&j->axes, c, j->constants->friction * p, j->gamma);
  j->gamma[2] = p;
  const double v = f[2] + W[6] * j->gamma[0] + W[7] * j->gamma[1] + W[8] * p;
  return p - limpet_normal_impulse(j->constants, v, &slope);
}

/* A bracket of the first change of sign on the way from `present`: phi <= 0 at `low`, > 0 at
 * `high`. False: p = 0 is the solution, or there is none in doubles. */
static bool find_bracket(const jam *j, double present, double *low, double *high) {
  const double *f = j->f;
  const double speed = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
  const double value = phi(j, present), most = limpet_max(present, speed / j->W[8]);
  double step = limpet_max(limpet_min(first_step * most, 2.0 * fabs(value)), narrow * most);
  *low = *high = present;
  const bool falls = value > 0.0;
  for (int k = 0; k < WIDENINGS; ++k, step *= growth) {
    if (falls) {
      *low = limpet_max(0.0, *high - step);
      if (phi(j, *low) <= 0.0) return *low > 0.0 || phi(j, 0.0) < 0.0;
      *high = *low;
    } else {
      *high = *low + step;
      if (phi(j, *high) > 0.0) return true;
      *low = *high;
    }
  }
  return false;
}

void limpet_coulomb_jam(const limpet_contact_constants *constants, const double W[9],
                        const double f[3], double present, double gamma[3]) {
  const jam j = {constants, axes_of(W), W, f, gamma};
  double low, high;
  if (present > 0.0 && fabs(phi(&j, present)) <= met * present) return;
  if (!(present > 0.0) && !(phi(&j, 0.0) < 0.0)) return;
  if (!find_bracket(&j, limpet_max(present, 0.0), &low, &high)) {
    phi(&j, 0.0);
    return;
  }

  // regula falsi with halved ends (Illinois), and bisection where that is slow
  double at_low = phi(&j, low), at_high = phi(&j, high);
  for (int k = 0; k < HALVINGS && high - low > narrow * high; ++k) {
    const double width = high - low;
    double p = low - at_low * width / (at_high - at_low);
    if (!(p > low && p < high) || k % 3 == 2) p = 0.5 * (low + high);
    const double value = phi(&j, p);
    if (fabs(value) <= met * p) return;
    if (value < 0.0) {
      low = p, at_low = value;
      at_high *= 0.5;
    } else {
      high = p, at_high = value;
      at_low *= 0.5;
    }
  }
  phi(&j, low);
}
