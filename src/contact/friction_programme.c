/* contact/friction_programme.c: see friction_programme.h. */
#include "contact/friction_programme.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "optim/brent.h"

enum { OUTER_LIMIT = 40, INNER_LIMIT = 60 };
static const double growth = 30.0;     // [-]  of t
static const double accuracy = 1e-10;  // [-]  gap over what f0 can fall by, at the end
static const double accepted = 1e-7;   // [-]  of the same, where slacks at the level of round-off end it before
static const double decrement = 1e-6;  // [-]  half the squared Newton decrement at which h counts as minimal

size_t limpet_friction_programme_lay_out(limpet_friction_programme *p, int most, char *memory) {
  const size_t m = (size_t)most;
  double *at = (double *)(void *)memory;
  if (at) {
    double **const vectors[] = {&p->x, &p->dx, &p->Qx, &p->Qdx, &p->gradient, &p->dy, &p->trial};
    for (int i = 0; i < 7; ++i, at += m) *vectors[i] = at;
    p->H = at, p->T = at + m * m, p->reduced = at + 2 * m * m;
  }
  return (7 * m + 3 * m * m) * sizeof(double);
}

// ------------------------------------------------------------------------------------------------------------ constraints

static double cone_slack(const limpet_friction_programme *p, int i, const double *x) {
  const double *n = x + p->at[i], mu = p->mu[i];
  if (!p->literal && !(n[0] > 0.0)) return -1.0;
  return mu > 0.0 ? mu * mu * n[0] * n[0] - n[1] * n[1] - n[2] * n[2] : 1.0;
}

static double bound_slack(const limpet_friction_programme *p, const double *x) {
  double sum = 0.0;
  for (int i = 0; i < p->contacts; ++i) sum += p->literal ? x[p->at[i]] * x[p->at[i]] : x[p->at[i]];
  return p->bound - sum;
}

static double open_slack(const limpet_friction_programme *p, int k, const double *x) {
  return p->e[k] + limpet_dot(p->m, p->E + k * p->m, x);
}

// Sum of -log of all slacks; INFINITY where one is not positive.
static double barrier_sum(const limpet_friction_programme *p, const double *x) {
  double slack = bound_slack(p, x), sum = 0.0;
  if (!(slack > 0.0)) return INFINITY;
  sum -= log(slack / p->bound);
  for (int i = 0; i < p->contacts; ++i) {
    if (!((slack = cone_slack(p, i, x)) > 0.0)) return INFINITY;
    sum -= log(slack);
    if (!p->literal && !(p->mu[i] > 0.0)) sum -= log(x[p->at[i]]);
  }
  for (int k = 0; k < p->opens; ++k) {
    if (!((slack = open_slack(p, k, x)) > 0.0)) return INFINITY;
    sum -= log(slack);
  }
  return sum;
}

static int constraint_count(const limpet_friction_programme *p) { return 1 + p->contacts + p->opens; }

// ------------------------------------------------------------------------------------------------------------ derivatives

// H += factor g g' of a dense row g.
static void add_outer(int m, double *H, double factor, const double *g) {
  for (int i = 0; i < m; ++i)
    if (g[i] != 0.0) limpet_axpy(m, factor * g[i], g, H + i * m);
}

static void add_cone(const limpet_friction_programme *p, int i, const double *x, double *gradient, double *H) {
  const int at = p->at[i], m = p->m;
  const double mu2 = p->mu[i] * p->mu[i], *v = x + at;
  if (!(mu2 > 0.0)) {
    if (p->literal) return;
    gradient[at] -= 1.0 / v[0];
    H[at * m + at] += 1.0 / (v[0] * v[0]);
    return;
  }
  const double q = cone_slack(p, i, x), g[3] = {2.0 * mu2 * v[0] / q, -2.0 * v[1] / q, -2.0 * v[2] / q};
  const double second[3] = {2.0 * mu2 / q, -2.0 / q, -2.0 / q};
  for (int a = 0; a < 3; ++a) {
    gradient[at + a] -= g[a];
    for (int b = 0; b < 3; ++b) H[(at + a) * m + at + b] += g[a] * g[b] - (a == b ? second[a] : 0.0);
  }
}

static void add_bound(const limpet_friction_programme *p, const double *x, double *gradient, double *H) {
  const double slack = bound_slack(p, x);
  for (int i = 0; i < p->contacts; ++i) {
    const int a = p->at[i];
    const double g = (p->literal ? 2.0 * x[a] : 1.0) / slack;
    gradient[a] += g;
    if (p->literal) H[a * p->m + a] += 2.0 / slack;
    for (int k = 0; k < p->contacts; ++k) H[a * p->m + p->at[k]] += g * (p->literal ? 2.0 * x[p->at[k]] : 1.0) / slack;
  }
}

double limpet_friction_programme_barrier(const limpet_friction_programme *p, const double *x, double *gradient, double *H) {
  const double sum = barrier_sum(p, x);
  if (isinf(sum)) return INFINITY;
  double f0 = 0.0;
  for (int i = 0; i < p->m; ++i) f0 += x[i] * (0.5 * limpet_dot(p->m, p->Q + i * p->m, x) + p->c[i]);
  if (!gradient || !H) return p->t * f0 + sum;
  for (int i = 0; i < p->m; ++i) {
    gradient[i] = p->t * (limpet_dot(p->m, p->Q + i * p->m, x) + p->c[i]);
    for (int k = 0; k < p->m; ++k) H[i * p->m + k] = p->t * p->Q[i * p->m + k];
  }
  for (int i = 0; i < p->contacts; ++i) add_cone(p, i, x, gradient, H);
  add_bound(p, x, gradient, H);
  for (int k = 0; k < p->opens; ++k) {
    const double slack = open_slack(p, k, x);
    limpet_axpy(p->m, -1.0 / slack, p->E + k * p->m, gradient);
    add_outer(p->m, H, 1.0 / (slack * slack), p->E + k * p->m);
  }
  return p->t * f0 + sum;
}

// ------------------------------------------------------------------------------------------------------------ line search

static double along(void *context, double alpha) {
  limpet_friction_programme *p = context;
  for (int i = 0; i < p->m; ++i) p->trial[i] = p->x[i] + alpha * p->dx[i];
  return p->t * alpha * (p->slope + 0.5 * alpha * p->curvature) + barrier_sum(p, p->trial);
}

// The first alpha > 0 at which a + 2 b alpha + c alpha^2 vanishes, a > 0; INFINITY if it does not.
static double first_root(double a, double b, double c) {
  const double discriminant = b * b - a * c;
  if (discriminant < 0.0) return INFINITY;
  const double s = -b + (b <= 0.0 ? sqrt(discriminant) : -sqrt(discriminant));
  const double one = c != 0.0 ? s / c : INFINITY, two = s != 0.0 ? a / s : INFINITY;
  const double low = fmin(one, two), high = fmax(one, two);
  return low > 0.0 ? low : high > 0.0 ? high : INFINITY;
}

// How far dx leads until a constraint is met.
static double reach(const limpet_friction_programme *p) {
  double most = INFINITY, a = bound_slack(p, p->x), b = 0.0, c = 0.0;
  for (int i = 0; i < p->contacts; ++i) {
    const double *x = p->x + p->at[i], *dx = p->dx + p->at[i], mu2 = p->mu[i] * p->mu[i];
    b -= p->literal ? x[0] * dx[0] : 0.5 * dx[0];
    c -= p->literal ? dx[0] * dx[0] : 0.0;
    if (mu2 > 0.0)
      most = fmin(most, first_root(cone_slack(p, i, p->x), mu2 * x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2],
                                   mu2 * dx[0] * dx[0] - dx[1] * dx[1] - dx[2] * dx[2]));
    else if (!p->literal && dx[0] < 0.0) most = fmin(most, -x[0] / dx[0]);
  }
  most = fmin(most, c != 0.0 ? first_root(a, b, c) : b < 0.0 ? -0.5 * a / b : INFINITY);
  for (int k = 0; k < p->opens; ++k) {
    const double rate = limpet_dot(p->m, p->E + k * p->m, p->dx);
    if (rate < 0.0) most = fmin(most, -open_slack(p, k, p->x) / rate);
  }
  return most;
}

// -------------------------------------------------------------------------------------------------------------- the method

// dx and the squared Newton decrement; 1 where the Hessian cannot be factored.
static int newton_direction(limpet_friction_programme *p, double *squared) {
  const int m = p->m, d = p->d;
  limpet_friction_programme_barrier(p, p->x, p->gradient, p->H);
  double trace = 0.0;
  for (int j = 0; j < d; ++j) {
    for (int i = 0; i < m; ++i) p->T[j * m + i] = limpet_dot(m, p->H + i * m, p->N + j * m);
    for (int k = 0; k <= j; ++k) p->reduced[j * d + k] = limpet_dot(m, p->N + k * m, p->T + j * m);
    trace += p->reduced[j * d + j];
    p->dy[j] = -limpet_dot(m, p->N + j * m, p->gradient);
  }
  for (int j = 0; j < d; ++j) p->reduced[j * d + j] += 1e-16 * trace;
  if (limpet_cholesky(d, p->reduced, d)) return 1;
  memcpy(p->trial, p->dy, (size_t)d * sizeof *p->dy);
  limpet_cholesky_solve(d, p->reduced, d, p->dy);
  *squared = limpet_dot(d, p->trial, p->dy);
  memset(p->dx, 0, (size_t)m * sizeof *p->dx);
  for (int j = 0; j < d; ++j) limpet_axpy(m, p->dy[j], p->N + j * m, p->dx);
  return !isfinite(*squared);
}

// Slope and curvature of f0 along dx.
static void prepare_ray(limpet_friction_programme *p) {
  p->slope = p->curvature = 0.0;
  for (int i = 0; i < p->m; ++i) {
    p->slope += p->dx[i] * (limpet_dot(p->m, p->Q + i * p->m, p->x) + p->c[i]);
    p->curvature += p->dx[i] * limpet_dot(p->m, p->Q + i * p->m, p->dx);
  }
}

// Minimises h for the present t; `fall`: of f0, at most. Returns false where it did not come to an end.
static bool centre(limpet_friction_programme *p, double fall) {
  for (int i = 0; i < INNER_LIMIT; ++i) {
    double squared, value;
    if (newton_direction(p, &squared)) return false;
    if (0.5 * squared < decrement) return true;
    ++p->iterations;
    prepare_ray(p);
    const double start = along(p, 0.0), most = fmin(reach(p), 2.0);
    const double alpha = limpet_brent(along, p, 0.0, most, 1e-4 * most, &value, &p->evaluations);
    if (!(value < start)) return 0.5 * squared < 1e-4 + 1e-13 * p->t * fall;  // round-off of t f0 decides
    limpet_axpy(p->m, alpha, p->dx, p->x);
  }
  return false;
}

/* The least f0 of all y, by a factor with a heavier diagonal and refinement: directions that change nothing stay as they are.
 * `fall`: by how much it is less than at w. True where it satisfies every constraint: it is the solution then. */
static bool free_minimum(limpet_friction_programme *p, double *fall) {
  enum { REFINEMENTS = 3 };
  const int m = p->m, d = p->d;
  double trace = 0.0, scale = 0.0;
  memcpy(p->x, p->w, (size_t)m * sizeof *p->x);
  for (int j = 0; j < d; ++j) {
    for (int i = 0; i < m; ++i) p->T[j * m + i] = limpet_dot(m, p->Q + i * m, p->N + j * m);
    for (int k = 0; k <= j; ++k) p->reduced[j * d + k] = limpet_dot(m, p->N + k * m, p->T + j * m);
    trace += p->reduced[j * d + j];
  }
  for (int j = 0; j < d; ++j) p->reduced[j * d + j] += 1e-10 * trace;
  *fall = 0.0;
  if (!(trace > 0.0) || limpet_cholesky(d, p->reduced, d)) return false;
  for (int i = 0; i < m; ++i) {
    scale += fabs(p->w[i] * p->c[i]);
    for (int k = 0; k < m; ++k) scale += fabs(p->w[i] * p->Q[i * m + k] * p->w[k]);
  }
  for (int round = 0; round < REFINEMENTS; ++round) {
    for (int i = 0; i < m; ++i) p->Qx[i] = limpet_dot(m, p->Q + i * m, p->x) + p->c[i];
    for (int j = 0; j < d; ++j) p->trial[j] = p->dy[j] = -limpet_dot(m, p->N + j * m, p->Qx);
    limpet_cholesky_solve(d, p->reduced, d, p->dy);
    const double gain = 0.5 * limpet_dot(d, p->trial, p->dy);
    if (!(gain > 1e-24 * scale)) break;  // round-off
    *fall += gain;
    for (int j = 0; j < d; ++j) limpet_axpy(m, p->dy[j], p->N + j * m, p->x);
  }
  return isfinite(barrier_sum(p, p->x));
}

void limpet_friction_programme_solve(limpet_friction_programme *p) {
  double fall = 0.0;
  p->iterations = p->evaluations = 0;
  p->gap = 0.0, p->converged = true;
  const bool is_free = p->d > 0 && free_minimum(p, &fall);
  if (is_free && !p->literal) return;
  memcpy(p->x, p->w, (size_t)p->m * sizeof *p->x);
  if (p->d == 0 || !(fall > 0.0)) return;
  if (isinf(barrier_sum(p, p->x))) {
    p->converged = false;
    return;
  }
  const double count = constraint_count(p);
  p->gap = INFINITY;
  p->t = count / fall;
  for (int i = 0; i < OUTER_LIMIT && !(p->gap <= accuracy * fall); ++i, p->t *= growth) {
    if (!centre(p, fall)) break;  // slacks at the level of round-off: what was reached counts
    p->gap = count / p->t;
  }
  p->converged = p->gap <= accepted * fall;
}
