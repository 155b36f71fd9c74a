/* solve/friction_programme.c: see friction_programme.h. */
#include "solve/friction_programme.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "optim/brent.h"
#include "solve/friction_equations.h"

enum { OUTER_LIMIT = 40, INNER_LIMIT = 80 };
static const double growth = 30.0;  // [-]  of t
static const double slowest = 1.2;  // [-]  of that, where round-off hinders it
static const double resolution =
    4e-15;  // [-]  gap over parameters times the energy that impulses move: round-off of f0
static const double accepted =
    1e-7;  // [-]  gap over what f0 can fall by, where round-off ends it before
static const double near = 0.2;       // [-]  Newton decrement at which t grows
static const double nearest = 1e-2;   // [-]  that at the end
static const double farthest = 64.0;  // [-]  of Newton's steps along the ray
static const double negligible =
    1e-26;  // [-]  fall of f0 over the kinetic energy of the free motion

size_t limpet_friction_programme_lay_out(limpet_friction_programme *p, bool literal, int contacts,
                                         int velocities, char *memory) {
  const size_t c = (size_t)contacts, n = (size_t)velocities, forces = literal ? 2 * c + n : n;
  const size_t size = forces + 1 + (literal ? 0 : c), rows = 3 * c + 2 * n + size;
  const size_t square = size * size > c * n ? size * size : c * n;
  size_t used = 0;
  struct {
    double **array;
    size_t count;
  } const arrays[] = {{&p->slack, c},
                      {&p->u, n},
                      {&p->wanted_u, n},
                      {&p->start, 3 * c},
                      {&p->start_u, n},
                      {&p->dx, 3 * c},
                      {&p->du, n},
                      {&p->total, 3 * c},
                      {&p->total_u, n},
                      {&p->left, 3 * c},
                      {&p->ray, 4 * c},
                      {&p->gradient, n},
                      {&p->Z, n * n},
                      {&p->B, literal ? 0 : n * n},
                      {&p->root_B, literal ? 0 : n * n},
                      {&p->unseen, literal ? 0 : n * n},
                      {&p->F, literal ? forces * n : 0},
                      {&p->FG, literal ? forces * n : 0},
                      {&p->bound_row, 3 * c},
                      {&p->cone, 9 * c},
                      {&p->step, 3 * c},
                      {&p->G, n * n},
                      {&p->border, n},
                      {&p->E, literal ? 0 : c * n},
                      {&p->EG, literal ? 0 : c * n},
                      {&p->K, square},
                      {&p->rows, (rows + 1) * size + rows},
                      {&p->right, size + c},
                      {&p->solution, size},
                      {&p->field, n},
                      {&p->before, n}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    double *array = limpet_space_take(memory, &used, arrays[i].count);
    if (memory) *arrays[i].array = array;
  }
  return used;
}

// ---------------------------------------------------------------------------------- objective

static bool rubs(const limpet_friction_programme *p, int i) { return p->mu[p->push[i]] > 0.0; }

double limpet_friction_programme_objective(const limpet_friction_programme *p) {
  double sum = p->literal ? 0.0 : 0.5 * limpet_dot(p->root->n, p->u, p->u);
  for (int i = 0; i < p->push_count; ++i) {
    const int c = p->push[i];
    if (!p->literal) sum += limpet_dot(3, p->left + 3 * c, p->x + 3 * c);
    for (int e = 0; e < 2 && p->literal && rubs(p, i); ++e)
      sum += pow(limpet_friction_speed(p, 3 * c + e), 2.0);
  }
  return sum;
}

// Slope and curvature of f0 along dx.
static void prepare_objective(limpet_friction_programme *p) {
  p->slope = p->literal ? 0.0 : limpet_dot(p->root->n, p->u, p->du);
  p->curvature = p->literal ? 0.0 : limpet_dot(p->root->n, p->du, p->du);
  for (int i = 0; i < p->push_count; ++i) {
    const int c = p->push[i];
    if (!p->literal) p->slope += limpet_dot(3, p->left + 3 * c, p->dx + 3 * c);
    for (int e = 0; e < 2 && p->literal && rubs(p, i); ++e) {
      const double rate = limpet_contact_root_dot(p->root, 3 * c + e, p->du);
      p->slope += 2.0 * rate * limpet_friction_speed(p, 3 * c + e);
      p->curvature += 2.0 * rate * rate;
    }
  }
}

void limpet_friction_programme_begin(limpet_friction_programme *p) {
  const limpet_contact_root *root = p->root;
  const size_t n = (size_t)root->n, unknowns = 3 * (size_t)root->space->contacts;
  memcpy(p->u, root->u, n * sizeof *p->u);
  memcpy(p->wanted_u, root->u, n * sizeof *p->u);
  for (int i = 0; i < (int)unknowns; ++i) {
    if (p->x[i] != 0.0) limpet_contact_root_axpy(root, i, p->x[i], p->u);
    if (i % 3 == 2 && p->w[i / 3] != 0.0)
      limpet_contact_root_axpy(root, i, p->w[i / 3], p->wanted_u);
  }
  if (!p->literal) limpet_friction_equations_frame(p);
  memcpy(p->start_u, p->u, n * sizeof *p->u);
  memcpy(p->start, p->x, unknowns * sizeof *p->x);
  memset(p->dx, 0, unknowns * sizeof *p->dx);
  p->careful = false;
  limpet_friction_equations_null_space(p);
  limpet_friction_equations_begin(p);
  limpet_friction_equations_bound(p);
}

// ---------------------------------------------------------------------------------- direction

// The rates of all slacks along dx, over the slacks.
static void fill_ray(limpet_friction_programme *p) {
  p->bound_first = limpet_friction_bound_rate(p), p->bound_second = 0.0;
  for (int i = 0; i < p->push_count; ++i) {
    const int c = p->push[i];
    if (p->literal) p->bound_second += p->dx[3 * c + 2] * p->dx[3 * c + 2];
    limpet_friction_barrier_ray(limpet_friction_barrier_of(p, c), p->x + 3 * c, p->dx + 3 * c,
                                &p->ray[2 * i], &p->ray[2 * i + 1]);
  }
  for (int k = 0; k < p->open_count; ++k) {
    double *ray = p->ray + 2 * (p->push_count + k);
    ray[0] = limpet_dot(p->root->n, p->E + k * p->root->n, p->du) / p->slack[k], ray[1] = 0.0;
  }
}

// Squared Newton decrement: the curvature of h along dx; *slope: its slope, which is minus that but
// for round-off.
static double squared_decrement(const limpet_friction_programme *p, double *slope) {
  const double rate = p->bound_first / p->bound;
  double curvature = p->t * p->curvature + rate * rate + 2.0 * p->bound_second / p->bound;
  *slope = p->t * p->slope + rate;
  for (int i = 0; i < p->push_count + p->open_count; ++i) {
    *slope -= p->ray[2 * i];
    curvature += p->ray[2 * i] * p->ray[2 * i] - 2.0 * p->ray[2 * i + 1];
  }
  return curvature;
}

int limpet_friction_programme_direction(limpet_friction_programme *p, double *squared) {
  limpet_friction_equations_cones(p, p->literal ? 2.0 / p->bound : 0.0);
  for (int attempt = 0; attempt < 2; ++attempt) {
    const int size = limpet_friction_equations_factor(p, true);
    if (size > 0 && limpet_friction_equations_solve(p, size, true) == 0) {
      double slope;
      prepare_objective(p);
      fill_ray(p);
      *squared = squared_decrement(p, &slope);
      if (fabs(*squared + slope) <= 0.1 * *squared + 0.01 * near * near) return 0;
      if (p->careful && slope < 0.0) {  // it leads downwards at least
        *squared = fmax(*squared, -slope);
        return 0;
      }
    }
    if (p->careful) break;
    p->careful = true;
  }
  return 1;
}

// -------------------------------------------------------------------------------- line search

// h along dx, over h at x.
static double along(void *context, double alpha) {
  const limpet_friction_programme *p = context;
  const double bound = -alpha * (p->bound_first + alpha * p->bound_second) / p->bound;
  if (!(bound > -1.0)) return INFINITY;
  double sum = p->t * alpha * (p->slope + 0.5 * alpha * p->curvature) - log1p(bound);
  for (int i = 0; i < p->push_count + p->open_count; ++i) {
    const double change = alpha * (p->ray[2 * i] + alpha * p->ray[2 * i + 1]);
    if (!(change > -1.0)) return INFINITY;
    sum -= log1p(change);
  }
  return sum;
}

// The first alpha > 0 at which 1 + b alpha + c alpha^2 vanishes; INFINITY if it does not.
static double first_root(double b, double c) {
  const double discriminant = 0.25 * b * b - c;
  if (discriminant < 0.0) return INFINITY;
  const double s = -0.5 * b + (b <= 0.0 ? sqrt(discriminant) : -sqrt(discriminant));
  const double one = c != 0.0 ? s / c : INFINITY, two = s != 0.0 ? 1.0 / s : INFINITY;
  const double low = fmin(one, two), high = fmax(one, two);
  return low > 0.0 ? low : high > 0.0 ? high : INFINITY;
}

// How far dx leads until a constraint is met.
static double reach_of(const limpet_friction_programme *p) {
  double most = first_root(-p->bound_first / p->bound, -p->bound_second / p->bound);
  for (int i = 0; i < p->push_count + p->open_count; ++i)
    most = fmin(most, first_root(p->ray[2 * i], p->ray[2 * i + 1]));
  return most;
}

// The minimiser of h along dx: Brent's method in an interval that doubles while h falls to its end.
static double search(limpet_friction_programme *p, double *value) {
  const double reach = fmin(reach_of(p), farthest);
  double most = fmin(reach, 2.0), half = along(p, 0.5 * most);
  while (most < reach) {
    const double there = along(p, most);
    if (!(there < half)) break;
    half = there, most = fmin(2.0 * most, reach);
  }
  return limpet_brent(along, p, 0.0, most, 1e-4 * most, value, &p->evaluations);
}

bool limpet_friction_programme_inside(const limpet_friction_programme *p) {
  bool inside = p->bound > 0.0;
  for (int i = 0; i < p->push_count; ++i)
    inside &= limpet_friction_barrier_slack(limpet_friction_barrier_of(p, p->push[i]),
                                            p->x + 3 * p->push[i]) > 0.0;
  for (int k = 0; k < p->open_count; ++k) inside &= p->slack[k] > 0.0;
  return inside;
}

// Whether x + alpha dx is inside, as far as cones go, and on the same nappes.
static bool admissible(const limpet_friction_programme *p, double alpha) {
  bool inside = true;
  for (int i = 0; i < p->push_count; ++i) {
    const double *x = p->x + 3 * p->push[i], *dx = p->dx + 3 * p->push[i];
    const double there[3] = {x[0] + alpha * dx[0], x[1] + alpha * dx[1], x[2] + alpha * dx[2]};
    inside &= limpet_friction_barrier_slack(limpet_friction_barrier_of(p, p->push[i]), there) > 0.0;
    inside &= !rubs(p, i) || x[2] * there[2] > 0.0;
  }
  return inside;
}

// x, u and the slacks move by alpha along the ray.
static void advance(limpet_friction_programme *p, double alpha) {
  p->bound -= alpha * (p->bound_first + alpha * p->bound_second);
  for (int k = 0; k < p->open_count; ++k)
    p->slack[k] *= 1.0 + alpha * p->ray[2 * (p->push_count + k)];
  for (int i = 0; i < p->push_count; ++i)
    limpet_axpy(3, alpha, p->dx + 3 * p->push[i], p->x + 3 * p->push[i]);
  limpet_axpy(p->root->n, alpha, p->du, p->u);
}

// A whole step, where that is admissible. Returns whether it is.
static bool step_whole(limpet_friction_programme *p) {
  fill_ray(p);
  const bool inside = reach_of(p) > 1.0 && admissible(p, 1.0);
  if (inside) advance(p, 1.0);
  return inside;
}

// ---------------------------------------------------------------------------------- the method

/* Minimises h for the present t until the Newton decrement is `enough`; returns the decrement,
 * INFINITY where it did not come to an end. */
static double centre(limpet_friction_programme *p, double enough) {
  for (int i = 0; i < INNER_LIMIT; ++i) {
    double squared, value;
    if (limpet_friction_programme_direction(p, &squared)) return INFINITY;
    const double decrement = sqrt(squared);
    if (decrement < enough) {
      limpet_friction_equations_restore(p);
      step_whole(p);
      return decrement;
    }
    ++p->iterations;
    const double alpha = search(p, &value);
    if (!(value < 0.0) || !admissible(p, alpha))
      return decrement < near ? decrement : INFINITY;  // round-off decides
    advance(p, alpha);
  }
  return INFINITY;
}

/* The most that f0 can fall by: the part of kinetic energy that keeps the normal velocities, and
 * what surfaces that move can do as far as the bound allows; literal: all of it. */
static double most_fall(limpet_friction_programme *p) {
  if (p->literal) return p->d > 0 ? limpet_friction_programme_objective(p) : 0.0;
  const int n = p->root->n;
  double fastest = 0.0, sum = p->bound, energy = 0.0;
  for (int k = 0; k < p->d; ++k) energy += 0.5 * pow(limpet_dot(n, p->Z + k * n, p->u), 2.0);
  for (int i = 0; i < p->push_count; ++i) {
    const int c = p->push[i];
    fastest = fmax(fastest, p->mu[c] * hypot(p->left[3 * c], p->left[3 * c + 1]));
    sum += p->x[3 * c + 2];
  }
  return energy + 2.0 * fastest * sum;
}

// Cones at the start with their steps towards the least f0 alone, and the weight that makes them a
// metric only.
static int prepare_free(limpet_friction_programme *p) {
  static const double weight = 1e-10;
  const int n = p->root->n;
  double squares = 0.0, trace = 0.0;
  for (int i = 0; i < p->push_count; ++i) squares += pow(p->x[3 * p->push[i] + 2], 2.0);
  p->t = 0.0;
  limpet_friction_equations_cones(p, p->literal ? 1.0 / squares : 0.0);
  for (int i = 0; i < n; ++i) trace += p->G[i * n + i];
  if (!(trace > 0.0) || p->d == 0) return 0;
  p->t = 1.0 / (weight * trace);
  limpet_friction_equations_cones(p, p->literal ? 1.0 / squares : 0.0);
  for (int i = 0; i < p->push_count; ++i) {
    double root[9], step[3];
    limpet_friction_barrier_inverse(limpet_friction_barrier_of(p, p->push[i]),
                                    p->x + 3 * p->push[i], p->bound_curvature, root, step);
    for (int e = 0; e < 3; ++e) p->step[3 * i + e] -= step[e];
  }
  return limpet_friction_equations_factor(p, false);
}

/* The least f0 without cones, nearest to the start in the metric of their barriers, so that each
 * contact takes what it can carry, by proximal steps. Fills fall and gap. True where it satisfies
 * every constraint: it is the solution then. */
static bool free_minimum(limpet_friction_programme *p) {
  enum { ROUNDS = 10 };
  static const double small = 1e-13;
  const int n = p->root->n, unknowns = 3 * p->root->space->contacts, size = prepare_free(p);
  double sum = 0.0, gain = INFINITY;
  if (size == 0) return false;
  memset(p->total, 0, (size_t)unknowns * sizeof *p->total);
  memset(p->total_u, 0, (size_t)n * sizeof *p->total_u);
  for (int round = 0; round < ROUNDS && gain > small * sum; ++round) {
    limpet_friction_equations_solve(p, size, false);
    prepare_objective(p);
    gain = -p->slope - 0.5 * p->curvature, sum += gain;
    limpet_axpy(unknowns, 1.0, p->dx, p->total);
    limpet_axpy(n, 1.0, p->du, p->total_u);
    limpet_axpy(n, 1.0, p->du, p->u);
  }
  memcpy(p->u, p->start_u, (size_t)n * sizeof *p->u);
  memcpy(p->dx, p->total, (size_t)unknowns * sizeof *p->dx);
  memcpy(p->du, p->total_u, (size_t)n * sizeof *p->du);
  if (!(gain <= small * sum)) return false;
  p->fall = fmin(p->fall, sum);
  p->gap = fmax(gain, 0.0);
  return step_whole(p);
}

// What round-off of f0 is measured by: kinetic energy that the normal impulses move; literal:
// squares of tangential speeds.
static double energy_of(const limpet_friction_programme *p) {
  const int n = p->root->n;
  double energy = 0.0, tangents = 0.0;
  for (int i = 0; i < p->push_count; ++i) {
    const double *row = p->root->W + 3 * p->push[i] * n, x = p->x[3 * p->push[i] + 2];
    energy += x * x * limpet_dot(n, row + 2 * n, row + 2 * n);
    if (rubs(p, i)) tangents += limpet_dot(2 * n, row, row);
  }
  return p->literal ? tangents * energy : energy;
}

static void follow_barrier(limpet_friction_programme *p) {
  double parameters = 1.0 + p->open_count, faster = growth;
  for (int i = 0; i < p->push_count; ++i)
    parameters += limpet_friction_barrier_parameter(limpet_friction_barrier_of(p, p->push[i]));
  const double round_off = resolution * parameters * energy_of(p),
               goal = fmax(p->accuracy * p->fall, round_off);
  p->gap = p->fall;
  if (p->fall <= 10.0 * round_off) return;  // the start is as good as can be told
  p->gap = INFINITY;
  p->t = parameters / p->fall;
  for (int i = 0; i < OUTER_LIMIT && !(p->gap <= goal); ++i) {
    p->careful = false;
    const double decrement = centre(p, parameters / p->t <= 0.5 * goal ? nearest : near);
    if (decrement <= near) {
      p->gap = (parameters + sqrt(parameters) * decrement / (1.0 - decrement)) / p->t;
    } else {  // a shorter way from what was reached
      p->t /= faster, faster = sqrt(faster);
      if (isinf(p->gap) || faster < slowest) break;
    }
    p->t *= faster;
  }
  p->converged = p->gap <= fmax(accepted * p->fall, 10.0 * goal);
}

void limpet_friction_programme_solve(limpet_friction_programme *p) {
  p->iterations = p->evaluations = p->factorizations = 0;
  limpet_friction_programme_begin(p);
  const double least = negligible * 0.5 * limpet_dot(p->root->n, p->root->u, p->root->u);
  p->converged = true;
  p->gap = p->fall = most_fall(p);
  if (!(p->fall > least) || free_minimum(p) || !(p->fall > least)) return;
  if (limpet_friction_programme_inside(p)) follow_barrier(p);
  else p->converged = false, p->gap = p->fall;
}
