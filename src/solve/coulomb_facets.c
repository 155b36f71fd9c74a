/* solve/coulomb_facets.c: forces of a small island by pivoting, with facets for friction cones.
 *
 *   v_n = s - r gamma_n,  gamma_n >= 0      the normal law, linear about a force that is known
 *   gamma_t = sum_k beta_k e_k,  beta >= 0,  sum beta <= mu gamma_n
 *   e_k . v_t + lambda >= 0, = 0 where beta_k > 0;  lambda >= 0, > 0 only at the bound
 * e_k: FACETS directions. That is a linear complementarity problem which always has a solution, and
 * Lemke's method finds one, whatever masses are and however friction jams: it needs no start, and
 * nothing has to contract. Sweeps over contacts of masses of six decades are too slow for that, and
 * Newton's linear problem has no solution where a slip has to reverse (coulomb_step.c). Round one
 * has facets all around; in the next ones they lie ever closer about the slip that was found, or
 * the friction of what sticks, and the lines of normal laws lead through the forces that were
 * found. Such an island may have several solutions, so a round can end at another one, which its
 * facets do not resolve: of all rounds the impulses that miss the laws least are taken. Newton's
 * method goes on from there in 4 iterations. Where it finds nothing, another attempt may lead to
 * another solution: it has turned even facets, and every other one returns to the best impulses
 * where a round misses the laws by much more. (Not all: where a jam begins the impulses without it
 * hardly miss the laws, and are no solution.) Of many contacts those take part that keep sweeps
 * from their end, and their neighbours, with the impulses of all others as they are; these follow
 * by sweeps, in turn, and last rounds have facets turned half way. s [m/s], r [1/kg]: the line is
 * s - r n, n(s) = 0. Unknowns are scaled by w_n^1/2, so that each contact counts alike.
 * Reference: Anitescu, Potra, Formulating dynamic multi-rigid-body contact problems with friction
 * as solvable linear complementarity problems, Nonlinear Dyn. 14 (1997); optim/lemke.h. */
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/extremes.h"
#include "optim/lemke.h"
#include "solve/coulomb_facets.h"

enum { FACETS = LIMPET_FACETS };
// of a whole island; of the first and of further passes over some of its contacts; these passes,
// and sweeps over all others between them
enum { ROUNDS = 6, SOME_ROUNDS = 4, SOME_ROUNDS_AGAIN = 3, PASSES = 4, OTHER_SWEEPS = 64 };
enum { ROW_PASSES = 4 };  // problems for the bounds of rows, at most
static const double degree = 3.14159265358979323846 / 180.0;
static const double even[FACETS] = {0, 30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 330};  // deg
static const double close[FACETS] = {0, 2, -2, 7, -7, 20, -20, 50, -50, 110, -110, 180};
static const double closest[FACETS] = {0, 0.2, -0.2, 1, -1, 5, -5, 25, -25, 100, -100, 180};
static const double finest[FACETS] = {0, 0.02, -0.02, 0.15, -0.15, 1, -1, 8, -8, 60, -60, 180};
// of the rounds of a whole island; of the first and of further passes over some of its contacts
static const double *const of_whole[ROUNDS] = {even, close, close, closest, finest, finest};
static const double *const of_some[SOME_ROUNDS] = {even, close, close, closest};
static const double *const of_some_again[SOME_ROUNDS_AGAIN] = {closest, closest, closest};
// [deg]  between two even facets; share of it by which they are turned for each attempt
static const double between_even = 30.0, golden = 0.6180339887498949;
static const double led_astray = 3.0;  // [-]  over the least that was missed: see the head
static const double slips = 1e-3;      // [m/s]  from which the slip tells where friction points
// [-]  of w_n: r at most; of a stiffness: 1/r at least
static const double softest = 0.01, flattest = 0.1;

typedef limpet_faceted faceted;

bool limpet_coulomb_facets_fit(const limpet_island_solver *s) {
  const limpet_coulomb *c = s->coulomb;
  if (!c->pivots || c->sweeps == LIMPET_SWEEPS_NEVER) return false;
  for (int i = 0; i < s->island->contact_count; ++i)
    if (s->own_constants[i].normal || !(s->own_constants[i].stiffness > 0.0)) return false;
  return true;
}

static bool take(faceted *f) {
  limpet_island_solver *s = f->solver;
  limpet_coulomb *c = s->coulomb;
  if (!c->facets.free && limpet_arena_part(s->later ? s->later : &c->room,
                                           limpet_coulomb_facets_room(s), &c->facets) != LIMPET_OK)
    return false;
  limpet_arena room = c->facets;  // all of it, each time
  const int m = f->contacts = limpet_facets_contacts(s->island->contact_count),
            n = f->n = limpet_facets_unknowns(m);
  const int rows = f->rows = s->island->row_count, size = f->size = 3 * m + rows;
  f->contact = LIMPET_TAKE(&room, int, m);
  f->v = LIMPET_TAKE(&room, double, s->n);
  f->W = LIMPET_TAKE(&room, double, size *size);
  f->b = LIMPET_TAKE(&room, double, size);
  f->x = LIMPET_TAKE(&room, double, size);
  f->best = LIMPET_TAKE(&room, double, size);
  f->E = LIMPET_TAKE(&room, double, 9 * m * m);
  f->e = LIMPET_TAKE(&room, double, 3 * m);
  f->K = LIMPET_TAKE(&room, double, rows *rows);
  f->follow = LIMPET_TAKE(&room, double, rows *(3 * m + 1));
  f->acts = LIMPET_TAKE_ZERO(&room, bool, rows);
  f->scale = LIMPET_TAKE(&room, double, m);
  f->direction = LIMPET_TAKE(&room, double, 2 * FACETS * m);
  f->table = LIMPET_TAKE(&room, double, (size_t)n *(size_t)limpet_lemke_width(n));
  f->q = LIMPET_TAKE(&room, double, n);
  f->z = LIMPET_TAKE(&room, double, n);
  f->memory = limpet_arena_take(&room, limpet_lemke_memory_size(n));
  return f->contact && f->v && f->W && f->b && f->x && f->best && f->E && f->e && f->K &&
         f->follow && f->acts && f->scale && f->direction && f->table && f->q && f->z && f->memory;
}

// The unknown of the space that is number i here: of contacts, then of rows.
static int unknown_of(const faceted *f, int i) {
  const int rest = i - 3 * f->contacts;
  return rest < 0 ? 3 * f->contact[i / 3] + i % 3 : 3 * f->solver->coulomb->space->contacts + rest;
}

static void speeds(const faceted *f, double *u, int stride) {
  const limpet_contact_space *space = f->solver->coulomb->space;
  for (int i = 0; i < f->contacts; ++i) {
    double own[3];
    limpet_contact_space_contact_speed(space, f->contact[i], own);
    for (int e = 0; e < 3; ++e) u[(3 * i + e) * stride] = own[e];
  }
  for (int i = 3 * f->contacts; i < f->size; ++i)
    u[i * stride] = limpet_contact_space_speed(space, unknown_of(f, i));
}

// The impulses x (size) of contacts and rows are added to the space, `sign` times.
static void push(const faceted *f, double sign, const double *x) {
  limpet_contact_space *space = f->solver->coulomb->space;
  for (int i = 0; i < f->contacts; ++i) {
    const double *own = x + 3 * i;
    limpet_contact_space_push_contact(
        space, f->contact[i], (const double[3]){sign * own[0], sign * own[1], sign * own[2]});
  }
  for (int i = 3 * f->contacts; i < f->size; ++i)
    limpet_contact_space_push(space, unknown_of(f, i), sign * x[i]);
}

// x, taken out of the space; then W, by unit impulses, and b, with all other impulses as they are.
static void measure(const faceted *f) {
  limpet_contact_space *space = f->solver->coulomb->space;
  const size_t bytes = (size_t)space->velocities * sizeof *space->v;
  const int size = f->size;
  for (int i = 0; i < size; ++i) f->x[i] = space->x[unknown_of(f, i)];
  push(f, -1.0, f->x);
  speeds(f, f->b, 1);
  memcpy(f->v, space->v, bytes);
  for (int j = 0; j < size; ++j) {
    memset(space->v, 0, bytes);
    limpet_contact_space_push(space, unknown_of(f, j), 1.0);
    speeds(f, f->W + j, size);
    for (int i = 0; i < size; ++i) f->W[i * size + j] -= space->bias[unknown_of(f, i)];
    space->x[unknown_of(f, j)] = 0.0;
  }
  memcpy(space->v, f->v, bytes);
  for (int i = 0; i < f->contacts; ++i) {
    const double w = f->W[(3 * i + 2) * (size + 1)];
    f->scale[i] = w > 0.0 ? 1.0 / sqrt(w) : 0.0;
  }
}

// Velocity u (3) of a contact [m/s] by the impulses x.
static void speed_of(const faceted *f, int contact, double u[3]) {
  for (int e = 0; e < 3; ++e)
    u[e] = f->b[3 * contact + e] + limpet_dot(f->size, f->W + (3 * contact + e) * f->size, f->x);
}

/* Facets of a round from where the impulses x point, or from against the slip that they leave;
 * `half_way` there from those of the round before. */
static void aim(const faceted *f, const double *offset, bool half_way) {
  for (int i = 0; i < f->contacts; ++i) {
    double u[3];
    speed_of(f, i, u);
    const double *x = f->x + 3 * i;
    const bool slides = hypot(u[0], u[1]) > slips || hypot(x[0], x[1]) == 0.0;
    double angle = slides ? atan2(-u[1], -u[0]) : atan2(x[1], x[0]);
    const double *last = f->direction + 2 * FACETS * i;
    if (half_way) angle = atan2(last[1] + sin(angle), last[0] + cos(angle));
    if (offset == even) angle += degree * f->turn;
    for (int k = 0; k < FACETS; ++k) {
      double *e = f->direction + 2 * (FACETS * i + k);
      e[0] = cos(angle + degree * offset[k]);
      e[1] = sin(angle + degree * offset[k]);
    }
  }
}

/* The line of a normal law: from where the law ends through the impulse n > 0 [N s], so that both
 * agree on what is open; else where it ends. Returns s; r [1/kg]. */
static double line_of(const limpet_contact_constants *own, double n, double scale, double *r) {
  const double a = own->elastic_force, k = own->dt * own->stiffness, d = own->dissipation;
  const double end = d * a > k ? 1.0 / d : a / k;
  if (n > 0.0) {  // dt (a - k v)(1 - d v) = n
    const double rest = a - n / own->dt, half = k + a * d,
                 square = half * half - 4.0 * k * d * rest;
    const double v = 2.0 * rest / (half + sqrt(square));
    if (square >= 0.0 && v < end) {
      *r = (end - v) / n;
      return end;
    }
  }
  const double slope =
      d * a > k ? own->dt * d * (a - k * end) : own->dt * k * limpet_max(1.0 - d * end, flattest);
  *r = limpet_min(1.0 / slope, softest / (scale * scale));
  return end;
}

// Columns of the normal impulse (facet -1) or of a facet of contact j.
static void fill_column(const faceted *f, int j, int facet) {
  const int m = f->contacts, size = 3 * m, width = limpet_lemke_width(f->n);
  const double *e = f->direction + 2 * (FACETS * j + (facet < 0 ? 0 : facet));
  const double h[3] = {facet < 0 ? 0.0 : e[0], facet < 0 ? 0.0 : e[1], facet < 0};
  double *column = f->table + (facet < 0 ? j : m + FACETS * j + facet);
  for (int i = 0; i < m; ++i) {
    double u[3];
    for (int k = 0; k < 3; ++k) {
      const double *E = f->E + (3 * i + k) * size + 3 * j;
      u[k] = (E[0] * h[0] + E[1] * h[1] + E[2] * h[2]) * f->scale[i] * f->scale[j];
    }
    column[i * width] = u[2];
    for (int l = 0; l < FACETS; ++l) {
      const double *d = f->direction + 2 * (FACETS * i + l);
      column[(m + FACETS * i + l) * width] = d[0] * u[0] + d[1] * u[1];
    }
  }
}

// The problem, its normal laws about the impulses x.
static void fill(const faceted *f) {
  const int m = f->contacts, width = limpet_lemke_width(f->n);
  memset(f->table, 0, (size_t)f->n * (size_t)width * sizeof *f->table);
  memset(f->q, 0, (size_t)f->n * sizeof *f->q);
  for (int j = 0; j < m; ++j)
    for (int facet = -1; facet < FACETS; ++facet) fill_column(f, j, facet);
  for (int i = 0; i < m; ++i) {
    const limpet_contact_constants *own = &f->solver->own_constants[f->contact[i]];
    const double *b = f->e + 3 * i, scale = f->scale[i];
    const int cone = m + FACETS * m + i;
    double r;
    f->q[i] = scale * (b[2] - line_of(own, f->x[3 * i + 2], scale, &r));
    f->table[i * width + i] += r * scale * scale;
    f->table[cone * width + i] = own->friction;
    for (int k = 0; k < FACETS; ++k) {
      const int beta = m + FACETS * i + k;
      const double *e = f->direction + 2 * (FACETS * i + k);
      f->q[beta] = scale * (e[0] * b[0] + e[1] * b[1]);
      f->table[beta * width + cone] = 1.0;
      f->table[cone * width + beta] = -1.0;
    }
  }
}

// One problem; its impulses into x where it is solved.
static bool solve_once(faceted *f) {
  const int m = f->contacts;
  double size = 0.0;
  if (!limpet_facets_eliminate(f)) return false;
  fill(f);
  for (int i = 0; i < f->n; ++i) size = limpet_max(size, fabs(f->q[i]));
  if (!(size > 0.0) || !isfinite(size)) return false;
  for (int i = 0; i < f->n; ++i) f->q[i] /= size;
  if (!limpet_lemke(f->n, f->table, f->q, f->memory, f->z)) return false;
  for (int i = 0; i < m; ++i) {
    double *x = f->x + 3 * i;
    const double *beta = f->z + m + FACETS * i, *e = f->direction + 2 * FACETS * i;
    x[0] = x[1] = 0.0, x[2] = size * f->scale[i] * f->z[i];
    for (int k = 0; k < FACETS; ++k)
      for (int l = 0; l < 2; ++l) x[l] += size * f->scale[i] * beta[k] * e[2 * k + l];
  }
  return true;
}

// The same until rows stay at the bounds with which it was posed, or within them.
static bool solve(faceted *f) {
  for (int k = 0; k < ROW_PASSES; ++k) {
    if (!solve_once(f)) return false;
    if (limpet_facets_follow(f)) return true;
  }
  return true;
}

/* By how much a contact misses its law [kg m^2/s^2], squared: its impulse is another than that
 * which it would have alone, stiction as rigid. */
static double missed_by(const faceted *f, int contact) {
  const limpet_contact_constants *own = &f->solver->own_constants[f->contact[contact]];
  const int stride = f->size + 1;
  const double *x = f->x + 3 * contact, *W = f->W + 3 * contact * stride;
  const double w_n = W[2 * stride], w_t = limpet_max(W[0], W[stride]);
  if (!(w_n > 0.0)) return 0.0;
  double u[3];
  speed_of(f, contact, u);
  const double n = limpet_coulomb_impulse(own, w_n, u[2] - w_n * x[2]), off = x[2] - n;
  if (!(w_t > 0.0)) return w_n * off * off;
  const double p[2] = {x[0] - u[0] / w_t, x[1] - u[1] / w_t};
  const double size = hypot(p[0], p[1]), bound = own->friction * n;
  const double share = size > bound ? bound / size : 1.0;
  const double off_t = hypot(x[0] - share * p[0], x[1] - share * p[1]);
  return w_n * off * off + w_t * off_t * off_t;
}

static double missed(const faceted *f) {
  double sum = limpet_facets_rows_missed(f);
  for (int i = 0; i < f->contacts; ++i) sum += missed_by(f, i);
  return sqrt(sum);
}

/* The impulses of the contacts of f in the space <- those with facets, in rounds (count); the first
 * one is even where they have not met the laws yet. False: there are none. */
static bool pivot(faceted *f, int rounds, const double *const *offset) {
  const size_t bytes = (size_t)f->size * sizeof *f->x;
  double least = INFINITY;
  measure(f);
  memcpy(f->best, f->x, bytes);
  for (int round = 0; round < rounds; ++round) {
    aim(f, offset[round], round > 0 && offset[round - 1] == closest);
    for (int i = 0; i < f->contacts && offset[round] == even; ++i) f->x[3 * i + 2] = 0.0;
    if (!solve(f)) continue;
    const double off = missed(f);
    if (off < least) {
      least = off;
      memcpy(f->best, f->x, bytes);
    } else if (f->returns && off > led_astray * least) {
      memcpy(f->x, f->best, bytes);
    }
  }
  push(f, 1.0, f->best);
  return isfinite(least);
}

// The forces of the space, and x with them.
static void take_forces(limpet_island_solver *s) {
  limpet_coulomb *c = s->coulomb;
  const limpet_contact_space *space = c->space;
  memcpy(c->swept, space->x, (size_t)space->size * sizeof *c->swept);
  limpet_contact_space_set(c->space, c->swept);
  memcpy(c->forces, space->x, 3 * (size_t)space->contacts * sizeof *c->forces);
  memcpy(s->x, space->v, (size_t)s->n * sizeof *s->x);
}

bool limpet_coulomb_facets(limpet_island_solver *s, int attempt) {
  const limpet_coulomb_sweeps once = {.accelerated = 1};
  const double share = golden * attempt;
  faceted f = {
      .solver = s, .turn = between_even * (share - floor(share)), .returns = attempt % 2 == 1};
  if (!limpet_coulomb_sweep(s, &once) || !take(&f)) return false;
  for (int i = 0; i < f.contacts; ++i) f.contact[i] = i;
  const bool solved = pivot(&f, ROUNDS, of_whole);
  take_forces(s);
  return solved;
}

bool limpet_coulomb_facets_awake(limpet_island_solver *s, bool again) {
  limpet_coulomb *c = s->coulomb;
  faceted f = {.solver = s};
  if (!take(&f)) return false;
  if (!again) c->facets_count = limpet_coulomb_awake(s, f.contacts, f.contact);
  f.contacts = c->facets_count;
  f.size = 3 * f.contacts;
  f.n = limpet_facets_unknowns(f.contacts);
  bool solved = false;
  for (int pass = 0; pass < PASSES; ++pass) {
    const bool one = again || pass > 0 ? pivot(&f, SOME_ROUNDS_AGAIN, of_some_again)
                                       : pivot(&f, SOME_ROUNDS, of_some);
    solved = solved || one;
    limpet_coulomb_sweep_others(s, f.contacts, f.contact, OTHER_SWEEPS);
  }
  take_forces(s);
  return solved;
}
