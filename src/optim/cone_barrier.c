/* optim/cone_barrier.c: see cone_barrier.h. */
#include "optim/cone_barrier.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "optim/brent.h"
#include "optim/cone_equations.h"

enum { OUTER_LIMIT = 40, INNER_LIMIT = 80 };
static const double growth = 30.0;  // [-]  of t
static const double slowest = 1.2;  // [-]  of that, where round-off hinders it
// [-]  gap over parameters times the energy that impulses move: round-off of f0
static const double resolution = 4e-15;
// [-]  gap over what f0 can fall by, where round-off ends it before
static const double accepted = 1e-7;
static const double near = 0.2;       // [-]  Newton decrement at which t grows
static const double nearest = 1e-2;   // [-]  that at the end
static const double farthest = 64.0;  // [-]  of Newton's steps along the ray
// [-]  of slope and squared decrement, which are one number but for round-off; and of near squared
static const double disagreement = 0.1, least_disagreement = 0.01;
static const double negligible = 1e-26;  // [-]  fall of f0 over 1/2 |u^|^2

size_t limpet_cone_barrier_lay_out(limpet_cone_barrier_workspace *p, bool squares, int blocks,
                                   int columns, char *memory) {
  const size_t c = (size_t)blocks, n = (size_t)columns, forces = squares ? 2 * c + n : n;
  const size_t size = forces + 1 + (squares ? 0 : c), rows = 3 * c + 2 * n + size;
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
                      {&p->B, squares ? 0 : n * n},
                      {&p->root_B, squares ? 0 : n * n},
                      {&p->unseen, squares ? 0 : n * n},
                      {&p->F, squares ? forces * n : 0},
                      {&p->FG, squares ? forces * n : 0},
                      {&p->bound_row, 3 * c},
                      {&p->cone, 9 * c},
                      {&p->step, 3 * c},
                      {&p->G, n * n},
                      {&p->border, n},
                      {&p->E, squares ? 0 : c * n},
                      {&p->EG, squares ? 0 : c * n},
                      {&p->K, square},
                      {&p->rows, (rows + 1) * size + rows},
                      {&p->right, size + c},
                      {&p->solution, size},
                      {&p->field, n},
                      {&p->before, n}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    if (memory) *arrays[i].array = (double *)(void *)(memory + used);
    used += arrays[i].count * sizeof(double);
  }
  if (memory) p->open = (int *)(void *)(memory + used);
  return used + (c + 1) / 2 * 2 * sizeof(int);  // a multiple of 8
}

// ---------------------------------------------------------------------------------- objective

static bool rubs(const limpet_cone_barrier_workspace *p, int i) {
  return p->problem->mu[p->problem->push[i]] > 0.0;
}

// f0 of u and x.
static double objective_of(const limpet_cone_barrier_workspace *p) {
  double sum = p->problem->squares ? 0.0 : 0.5 * limpet_dot(p->problem->rows.n, p->u, p->u);
  for (int i = 0; i < p->problem->push_count; ++i) {
    const int c = p->problem->push[i];
    if (!p->problem->squares) sum += limpet_dot(3, p->left + 3 * c, p->x + 3 * c);
    for (int e = 0; e < 2 && p->problem->squares && rubs(p, i); ++e)
      sum += pow(limpet_cone_speed(p, 3 * c + e), 2.0);
  }
  return sum;
}

// Slope and curvature of f0 along dx.
static void prepare_objective(limpet_cone_barrier_workspace *p) {
  p->slope = p->problem->squares ? 0.0 : limpet_dot(p->problem->rows.n, p->u, p->du);
  p->curvature = p->problem->squares ? 0.0 : limpet_dot(p->problem->rows.n, p->du, p->du);
  for (int i = 0; i < p->problem->push_count; ++i) {
    const int c = p->problem->push[i];
    if (!p->problem->squares) p->slope += limpet_dot(3, p->left + 3 * c, p->dx + 3 * c);
    for (int e = 0; e < 2 && p->problem->squares && rubs(p, i); ++e) {
      const double rate = limpet_block_rows_dot(&p->problem->rows, 3 * c + e, p->du);
      p->slope += 2.0 * rate * limpet_cone_speed(p, 3 * c + e);
      p->curvature += 2.0 * rate * rate;
    }
  }
}

void limpet_cone_barrier_begin(const limpet_cone_barrier_problem *problem,
                               const limpet_cone_barrier_settings *settings,
                               limpet_cone_barrier_workspace *p,
                               limpet_cone_barrier_solution *solution,
                               limpet_cone_barrier_info *info) {
  const limpet_block_rows *rows = &problem->rows;
  const size_t n = (size_t)rows->n, unknowns = 3 * (size_t)rows->blocks;
  p->problem = problem, p->settings = settings, p->info = info, p->x = solution->x;
  *info = (limpet_cone_barrier_info){0};
  p->bound = problem->bound, p->open_count = problem->open_count;
  for (int k = 0; k < p->open_count; ++k)
    p->open[k] = problem->open[k], p->slack[k] = problem->slack[k];
  memcpy(p->u, problem->u, n * sizeof *p->u);
  memcpy(p->wanted_u, problem->u, n * sizeof *p->u);
  for (int i = 0; i < (int)unknowns; ++i) {
    if (p->x[i] != 0.0) limpet_block_rows_axpy(rows, i, p->x[i], p->u);
    if (i % 3 == 2 && problem->w[i / 3] != 0.0)
      limpet_block_rows_axpy(rows, i, problem->w[i / 3], p->wanted_u);
  }
  if (!p->problem->squares) limpet_cone_equations_frame(p);
  memcpy(p->start_u, p->u, n * sizeof *p->u);
  memcpy(p->start, p->x, unknowns * sizeof *p->x);
  memset(p->dx, 0, unknowns * sizeof *p->dx);
  p->careful = false;
  limpet_cone_equations_null_space(p);
  limpet_cone_equations_begin(p);
  limpet_cone_equations_bound(p);
}

// ---------------------------------------------------------------------------------- direction

// The rates of all slacks along dx, over the slacks.
static void fill_ray(limpet_cone_barrier_workspace *p) {
  p->bound_first = limpet_cone_bound_rate(p), p->bound_second = 0.0;
  for (int i = 0; i < p->problem->push_count; ++i) {
    const int c = p->problem->push[i];
    if (p->problem->squares) p->bound_second += p->dx[3 * c + 2] * p->dx[3 * c + 2];
    limpet_cone_term_ray(limpet_cone_term_of(p, c), p->x + 3 * c, p->dx + 3 * c, &p->ray[2 * i],
                         &p->ray[2 * i + 1]);
  }
  for (int k = 0; k < p->open_count; ++k) {
    double *ray = p->ray + 2 * (p->problem->push_count + k);
    ray[0] = limpet_dot(p->problem->rows.n, p->E + k * p->problem->rows.n, p->du) / p->slack[k],
    ray[1] = 0.0;
  }
}

// Squared Newton decrement: the curvature of h along dx; *slope: its slope, which is minus that but
// for round-off.
static double squared_decrement(const limpet_cone_barrier_workspace *p, double *slope) {
  const double rate = p->bound_first / p->bound;
  double curvature = p->t * p->curvature + rate * rate + 2.0 * p->bound_second / p->bound;
  *slope = p->t * p->slope + rate;
  for (int i = 0; i < p->problem->push_count + p->open_count; ++i) {
    *slope -= p->ray[2 * i];
    curvature += p->ray[2 * i] * p->ray[2 * i] - 2.0 * p->ray[2 * i + 1];
  }
  return curvature;
}

bool limpet_cone_barrier_direction(limpet_cone_barrier_workspace *p, double *squared) {
  limpet_cone_equations_cones(p, p->problem->squares ? 2.0 / p->bound : 0.0);
  for (int attempt = 0; attempt < 2; ++attempt) {
    const int size = limpet_cone_equations_factor(p, true);
    if (size > 0 && limpet_cone_equations_solve(p, size, true)) {
      double slope;
      prepare_objective(p);
      fill_ray(p);
      *squared = squared_decrement(p, &slope);
      if (fabs(*squared + slope) <= disagreement * *squared + least_disagreement * near * near)
        return true;
      if (p->careful && slope < 0.0) {  // it leads downwards at least
        *squared = fmax(*squared, -slope);
        return true;
      }
    }
    if (p->careful) break;
    p->careful = true;
  }
  return false;
}

// -------------------------------------------------------------------------------- line search

// h along dx, over h at x.
static double along(void *context, double alpha) {
  const limpet_cone_barrier_workspace *p = context;
  const double bound = -alpha * (p->bound_first + alpha * p->bound_second) / p->bound;
  if (!(bound > -1.0)) return INFINITY;
  double sum = p->t * alpha * (p->slope + 0.5 * alpha * p->curvature) - log1p(bound);
  for (int i = 0; i < p->problem->push_count + p->open_count; ++i) {
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
static double reach_of(const limpet_cone_barrier_workspace *p) {
  double most = first_root(-p->bound_first / p->bound, -p->bound_second / p->bound);
  for (int i = 0; i < p->problem->push_count + p->open_count; ++i)
    most = fmin(most, first_root(p->ray[2 * i], p->ray[2 * i + 1]));
  return most;
}

// The minimiser of h along dx: Brent's method in an interval that doubles while h falls to its end.
static double search(limpet_cone_barrier_workspace *p, double *value) {
  const double reach = fmin(reach_of(p), farthest);
  double most = fmin(reach, 2.0), half = along(p, 0.5 * most);
  while (most < reach) {
    const double there = along(p, most);
    if (!(there < half)) break;
    half = there, most = fmin(2.0 * most, reach);
  }
  return limpet_brent(along, p, 0.0, most, 1e-4 * most, value, &p->info->evaluations);
}

bool limpet_cone_barrier_inside(const limpet_cone_barrier_workspace *p) {
  bool inside = p->bound > 0.0;
  for (int i = 0; i < p->problem->push_count; ++i)
    inside &= limpet_cone_term_slack(limpet_cone_term_of(p, p->problem->push[i]),
                                     p->x + 3 * p->problem->push[i]) > 0.0;
  for (int k = 0; k < p->open_count; ++k) inside &= p->slack[k] > 0.0;
  return inside;
}

// Whether x + alpha dx is inside, as far as cones go, and on the same nappes.
static bool admissible(const limpet_cone_barrier_workspace *p, double alpha) {
  bool inside = true;
  for (int i = 0; i < p->problem->push_count; ++i) {
    const double *x = p->x + 3 * p->problem->push[i], *dx = p->dx + 3 * p->problem->push[i];
    const double there[3] = {x[0] + alpha * dx[0], x[1] + alpha * dx[1], x[2] + alpha * dx[2]};
    inside &= limpet_cone_term_slack(limpet_cone_term_of(p, p->problem->push[i]), there) > 0.0;
    inside &= !rubs(p, i) || x[2] * there[2] > 0.0;
  }
  return inside;
}

// x, u and the slacks move by alpha along the ray.
static void advance(limpet_cone_barrier_workspace *p, double alpha) {
  p->bound -= alpha * (p->bound_first + alpha * p->bound_second);
  for (int k = 0; k < p->open_count; ++k)
    p->slack[k] *= 1.0 + alpha * p->ray[2 * (p->problem->push_count + k)];
  for (int i = 0; i < p->problem->push_count; ++i)
    limpet_axpy(3, alpha, p->dx + 3 * p->problem->push[i], p->x + 3 * p->problem->push[i]);
  limpet_axpy(p->problem->rows.n, alpha, p->du, p->u);
}

// A whole step, where that is admissible. Returns whether it is.
static bool step_whole(limpet_cone_barrier_workspace *p) {
  fill_ray(p);
  const bool inside = reach_of(p) > 1.0 && admissible(p, 1.0);
  if (inside) advance(p, 1.0);
  return inside;
}

// ---------------------------------------------------------------------------------- the method

/* Minimises h for the present t until the Newton decrement is `enough`; returns the decrement,
 * INFINITY where it did not come to an end. */
static double centre(limpet_cone_barrier_workspace *p, double enough) {
  for (int i = 0; i < INNER_LIMIT; ++i) {
    double squared, value;
    if (!limpet_cone_barrier_direction(p, &squared)) return INFINITY;
    const double decrement = sqrt(squared);
    if (decrement < enough) {
      limpet_cone_equations_restore(p);
      step_whole(p);
      return decrement;
    }
    ++p->info->iterations;
    const double alpha = search(p, &value);
    if (!(value < 0.0) || !admissible(p, alpha))
      return decrement < near ? decrement : INFINITY;  // round-off decides
    advance(p, alpha);
  }
  return INFINITY;
}

/* The most that f0 can fall by: the part of kinetic energy that keeps the normal velocities, and
 * what surfaces that move can do as far as the bound allows; squares: all of it. */
static double most_fall(limpet_cone_barrier_workspace *p) {
  if (p->problem->squares) return p->d > 0 ? objective_of(p) : 0.0;
  const int n = p->problem->rows.n;
  double fastest = 0.0, sum = p->bound, energy = 0.0;
  for (int k = 0; k < p->d; ++k) energy += 0.5 * pow(limpet_dot(n, p->Z + k * n, p->u), 2.0);
  for (int i = 0; i < p->problem->push_count; ++i) {
    const int c = p->problem->push[i];
    fastest = fmax(fastest, p->problem->mu[c] * hypot(p->left[3 * c], p->left[3 * c + 1]));
    sum += p->x[3 * c + 2];
  }
  return energy + 2.0 * fastest * sum;
}

// Cones at the start with their steps towards the least f0 alone, and the weight that makes them a
// metric only.
static int prepare_free(limpet_cone_barrier_workspace *p) {
  static const double weight = 1e-10;
  const int n = p->problem->rows.n;
  double squares = 0.0, trace = 0.0;
  for (int i = 0; i < p->problem->push_count; ++i)
    squares += pow(p->x[3 * p->problem->push[i] + 2], 2.0);
  p->t = 0.0;
  limpet_cone_equations_cones(p, p->problem->squares ? 1.0 / squares : 0.0);
  for (int i = 0; i < n; ++i) trace += p->G[i * n + i];
  if (!(trace > 0.0) || p->d == 0) return 0;
  p->t = 1.0 / (weight * trace);
  limpet_cone_equations_cones(p, p->problem->squares ? 1.0 / squares : 0.0);
  for (int i = 0; i < p->problem->push_count; ++i) {
    double root[9], step[3];
    limpet_cone_term_inverse(limpet_cone_term_of(p, p->problem->push[i]),
                             p->x + 3 * p->problem->push[i], p->bound_curvature, root, step);
    for (int e = 0; e < 3; ++e) p->step[3 * i + e] -= step[e];
  }
  return limpet_cone_equations_factor(p, false);
}

/* The least f0 without cones, nearest to the start in the metric of their barriers, so that each
 * cone takes what it can carry, by proximal steps. Fills fall and gap. True where it satisfies
 * every constraint: it is the solution then. */
static bool free_minimum(limpet_cone_barrier_workspace *p) {
  enum { ROUNDS = 10 };
  static const double small = 1e-13;
  const int n = p->problem->rows.n, unknowns = 3 * p->problem->rows.blocks, size = prepare_free(p);
  double sum = 0.0, gain = INFINITY;
  if (size == 0) return false;
  memset(p->total, 0, (size_t)unknowns * sizeof *p->total);
  memset(p->total_u, 0, (size_t)n * sizeof *p->total_u);
  for (int round = 0; round < ROUNDS && gain > small * sum; ++round) {
    limpet_cone_equations_solve(p, size, false);
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
  p->info->fall = fmin(p->info->fall, sum);
  p->info->gap = fmax(gain, 0.0);
  return step_whole(p);
}

// What round-off of f0 is measured by: energy that the x_N move; squares:
// squares of tangential speeds.
static double energy_of(const limpet_cone_barrier_workspace *p) {
  const int n = p->problem->rows.n;
  double energy = 0.0, tangents = 0.0;
  for (int i = 0; i < p->problem->push_count; ++i) {
    const double *row = p->problem->rows.W + 3 * p->problem->push[i] * n,
                 x = p->x[3 * p->problem->push[i] + 2];
    energy += x * x * limpet_dot(n, row + 2 * n, row + 2 * n);
    if (rubs(p, i)) tangents += limpet_dot(2 * n, row, row);
  }
  return p->problem->squares ? tangents * energy : energy;
}

static void follow_barrier(limpet_cone_barrier_workspace *p) {
  double parameters = 1.0 + p->open_count, faster = growth;
  for (int i = 0; i < p->problem->push_count; ++i)
    parameters += limpet_cone_term_parameter(limpet_cone_term_of(p, p->problem->push[i]));
  const double round_off = resolution * parameters * energy_of(p),
               goal = fmax(p->settings->accuracy * p->info->fall, round_off);
  p->info->gap = p->info->fall;
  if (p->info->fall <= 10.0 * round_off) return;  // the start is as good as can be told
  p->info->gap = INFINITY;
  p->t = parameters / p->info->fall;
  for (int i = 0; i < OUTER_LIMIT && !(p->info->gap <= goal); ++i) {
    p->careful = false;
    const double decrement = centre(p, parameters / p->t <= 0.5 * goal ? nearest : near);
    if (decrement <= near) {
      p->info->gap = (parameters + sqrt(parameters) * decrement / (1.0 - decrement)) / p->t;
    } else {  // a shorter way from what was reached
      p->t /= faster, faster = sqrt(faster);
      if (isinf(p->info->gap) || faster < slowest) break;
    }
    p->t *= faster;
  }
  p->info->converged = p->info->gap <= fmax(accepted * p->info->fall, 10.0 * goal);
}

void limpet_cone_barrier_solve(const limpet_cone_barrier_problem *problem,
                               const limpet_cone_barrier_settings *settings,
                               limpet_cone_barrier_workspace *p,
                               limpet_cone_barrier_solution *solution,
                               limpet_cone_barrier_info *info) {
  limpet_cone_barrier_begin(problem, settings, p, solution, info);
  const double least = negligible * 0.5 * limpet_dot(problem->rows.n, problem->u, problem->u);
  info->converged = true;
  info->gap = info->fall = most_fall(p);
  if (!(info->fall > least) || free_minimum(p) || !(info->fall > least)) return;
  if (limpet_cone_barrier_inside(p)) follow_barrier(p);
  else info->converged = false, info->gap = info->fall;
}
