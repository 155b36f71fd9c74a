/* optim/cone.c: second-order cones: product, division, Nesterov-Todd scaling, length of a step.
 * Symbols in cone.h.
 *
 * u'Ju is taken as (u[0] - ||u_||)(u[0] + ||u_||), which keeps its digits close to the boundary. */
#include "optim/cone.h"

#include <math.h>

static double length(int d, const double *u) {
  double square = 0.0;
  for (int i = 1; i < d; ++i) square += u[i] * u[i];
  return sqrt(square);
}

double limpet_cone_depth(int d, const double *u) { return u[0] - length(d, u); }

static double norm(int d, const double *u) {  // sqrt(u'Ju)
  const double l = length(d, u);
  return sqrt((u[0] - l) * (u[0] + l));
}

void limpet_cone_scaling(int d, const double *s, const double *lambda, double *w, double *eta) {
  const double a = norm(d, s), b = norm(d, lambda);
  *eta = sqrt(a / b);
  if (d == 1) {
    w[0] = 1.0;
    return;
  }
  double cosine = 0.0;
  for (int i = 0; i < d; ++i) cosine += s[i] / a * (lambda[i] / b);
  const double half = 0.5 / sqrt(0.5 * (1.0 + cosine));
  double square = 0.0;
  for (int i = 1; i < d; ++i) {
    w[i] = half * (s[i] / a - lambda[i] / b);
    square += w[i] * w[i];
  }
  w[0] = sqrt(1.0 + square);
}

static void apply(int d, const double *w, double sign, double factor, const double *u, double *v) {
  double along = 0.0;
  for (int i = 1; i < d; ++i) along += w[i] * u[i];
  const double first = u[0], share = sign * first + along / (1.0 + w[0]);
  v[0] = factor * (w[0] * first + sign * along);
  for (int i = 1; i < d; ++i) v[i] = factor * (u[i] + share * w[i]);
}

void limpet_cone_scale(int d, const double *w, double eta, const double *u, double *v) {
  apply(d, w, 1.0, eta, u, v);
}

void limpet_cone_unscale(int d, const double *w, double eta, const double *u, double *v) {
  apply(d, w, -1.0, 1.0 / eta, u, v);
}

void limpet_cone_product(int d, const double *u, const double *v, double *p) {
  double inner = u[0] * v[0];
  for (int i = 1; i < d; ++i) {
    inner += u[i] * v[i];
    p[i] = u[0] * v[i] + v[0] * u[i];
  }
  p[0] = inner;
}

void limpet_cone_divide(int d, const double *u, const double *p, double *q) {
  if (d == 1) {
    q[0] = p[0] / u[0];
    return;
  }
  const double l = length(d, u);
  double inner = u[0] * p[0];
  for (int i = 1; i < d; ++i) inner -= u[i] * p[i];
  const double first = inner / ((u[0] - l) * (u[0] + l));
  for (int i = 1; i < d; ++i) q[i] = (p[i] - first * u[i]) / u[0];
  q[0] = first;
}

void limpet_cone_inverse(int d, const double *u, double *q) {
  const double l = length(d, u), square = d > 1 ? (u[0] - l) * (u[0] + l) : u[0] * u[0];
  q[0] = u[0] / square;
  for (int i = 1; i < d; ++i) q[i] = -u[i] / square;
}

double limpet_cone_reach(int d, const double *u, const double *v) {
  if (d == 1) return v[0] < 0.0 ? -u[0] / v[0] : INFINITY;
  // a t^2 + 2 b t + c = (u + t v)'J(u + t v), c > 0: the smaller positive root
  const double lu = length(d, u), lv = length(d, v);
  const double a = (v[0] - lv) * (v[0] + lv), c = (u[0] - lu) * (u[0] + lu);
  double b = u[0] * v[0];
  for (int i = 1; i < d; ++i) b -= u[i] * v[i];
  if (v[0] >= lv || (a > 0.0 && b >= 0.0)) return INFINITY;
  // b^2 >= a c, as u is inside; equal where the ray meets the apex
  const double root = sqrt(fmax(0.0, b * b - a * c));
  if (b < 0.0) return c / (root - b);
  return a < 0.0 ? -(b + root) / a : INFINITY;
}
