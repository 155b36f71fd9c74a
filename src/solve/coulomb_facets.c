/* solve/coulomb_facets.c: forces of a small island by pivoting, with facets for friction cones.
 *
 *   v_n = s - r gamma_n,  gamma_n >= 0      the normal law, linear about a force that is known
 *   gamma_t = sum_k beta_k e_k,  beta >= 0,  sum beta <= mu gamma_n
 *   e_k . v_t + lambda >= 0, = 0 where beta_k > 0;  lambda >= 0, > 0 only at the bound
 * e_k: FACETS directions. That is a linear complementarity problem which always has a solution, and
 * Lemke's method finds one, whatever masses are and however friction jams: it needs no start, and
 * nothing has to contract. Sweeps over contacts of masses of six decades are too slow for that, and
 * Newton's linear problem has no solution where a slip has to reverse (coulomb_step.c). Round one
 * has facets all around; in the next ones they lie closely about the slip that was found, or the
 * friction of what sticks, and normal laws are linear about the forces that were found. Newton's
 * method goes on from there in 4 iterations. Of many contacts those take part that keep sweeps from
 * their end, and their neighbours, with the impulses of all others as they are; these follow by
 * sweeps, in turn, and last rounds have closer facets, turned half way. s [m/s], r [1/kg]: n(s) = 0
 * and -n' = 1/r of that line. Unknowns are scaled by w_n^1/2, so that each contact counts alike.
 * Reference: Anitescu, Potra, Formulating dynamic multi-rigid-body contact problems with friction
 * as solvable linear complementarity problems, Nonlinear Dyn. 14 (1997); optim/lemke.h. */
#include <math.h>
#include <string.h>

#include "law/hunt_crossley.h"
#include "optim/lemke.h"
#include "solve/coulomb_facets.h"

enum { FACETS = LIMPET_FACETS, ROUNDS = 4, PASSES = 4, ROUNDS_AGAIN = 3, OTHER_SWEEPS = 64 };
static const double degree = 3.14159265358979323846 / 180.0;
static const double even[FACETS] = {0, 30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 330};  // deg
static const double close[FACETS] = {0, 2, -2, 7, -7, 20, -20, 50, -50, 110, -110, 180};
static const double closest[FACETS] = {0, 0.2, -0.2, 1, -1, 5, -5, 25, -25, 100, -100, 180};
// of the rounds of a whole island; of the first and of further passes over some of its contacts
static const double *const of_whole[ROUNDS] = {even, close, close, close};
static const double *const of_some[ROUNDS] = {even, close, close, closest};
static const double *const of_some_again[ROUNDS_AGAIN] = {closest, closest, closest};
static const double slips = 1e-3;  // [m/s]  from which the slip tells where friction points
// [-]  of w_n: r at most; of a stiffness: 1/r at least
static const double softest = 0.01, flattest = 0.1;

typedef struct faceted {
  limpet_island_solver *solver;
  int contacts, n;
  int *contact;       // (contacts)  of the island
  double *v;          // (velocities)  while W is measured
  double *W, *b;      // (3 contacts x 3 contacts) [1/kg], (3 contacts) [m/s]  u = W x + b
  double *scale;      // (contacts) [kg^1/2]
  double *direction;  // (contacts x FACETS x 2)
  double *table, *q, *z, *x;
  void *memory;
} faceted;

bool limpet_coulomb_facets_fit(const limpet_island_solver *s) {
  const limpet_coulomb *c = s->coulomb;
  if (!c->free_bodies || c->sweeps == LIMPET_SWEEPS_NEVER || s->spins.count > 0) return false;
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
  f->contact = LIMPET_TAKE(&room, int, m);
  f->v = LIMPET_TAKE(&room, double, s->n);
  f->W = LIMPET_TAKE(&room, double, 9 * m * m);
  f->b = LIMPET_TAKE(&room, double, 3 * m);
  f->x = LIMPET_TAKE(&room, double, 3 * m);
  f->scale = LIMPET_TAKE(&room, double, m);
  f->direction = LIMPET_TAKE(&room, double, 2 * FACETS * m);
  f->table = LIMPET_TAKE(&room, double, (size_t)n *(size_t)limpet_lemke_width(n));
  f->q = LIMPET_TAKE(&room, double, n);
  f->z = LIMPET_TAKE(&room, double, n);
  f->memory = limpet_arena_take(&room, limpet_lemke_memory_size(n));
  return f->contact && f->v && f->W && f->b && f->x && f->scale && f->direction && f->table &&
         f->q && f->z && f->memory;
}

static void speeds(const faceted *f, double *u, int stride) {
  for (int i = 0; i < f->contacts; ++i) {
    double own[3];
    limpet_contact_space_contact_speed(f->solver->coulomb->space, f->contact[i], own);
    for (int e = 0; e < 3; ++e) u[(3 * i + e) * stride] = own[e];
  }
}

// x, taken out of the space; then W, by unit impulses, and b, with all other impulses as they are.
static void measure(const faceted *f) {
  limpet_contact_space *space = f->solver->coulomb->space;
  const size_t bytes = (size_t)space->velocities * sizeof *space->v;
  const int size = 3 * f->contacts;
  for (int i = 0; i < f->contacts; ++i) {
    double *x = f->x + 3 * i;
    memcpy(x, space->x + 3 * f->contact[i], 3 * sizeof *x);
    limpet_contact_space_push_contact(space, f->contact[i], (const double[3]){-x[0], -x[1], -x[2]});
  }
  speeds(f, f->b, 1);
  memcpy(f->v, space->v, bytes);
  for (int j = 0; j < size; ++j) {
    const int contact = f->contact[j / 3];
    double unit[3] = {0.0, 0.0, 0.0};
    unit[j % 3] = 1.0;
    memset(space->v, 0, bytes);
    limpet_contact_space_push_contact(space, contact, unit);
    speeds(f, f->W + j, size);
    for (int i = 0; i < size; ++i) f->W[i * size + j] -= space->bias[3 * f->contact[i / 3] + i % 3];
    memset(space->x + 3 * contact, 0, 3 * sizeof *space->x);
  }
  memcpy(space->v, f->v, bytes);
  for (int i = 0; i < f->contacts; ++i) {
    const double w = f->W[(3 * i + 2) * (size + 1)];
    f->scale[i] = w > 0.0 ? 1.0 / sqrt(w) : 0.0;
  }
}

/* Facets of a round from where the impulses x point, or from against the slip that they leave;
 * `half_way` there from those of the round before. */
static void aim(const faceted *f, const double *offset, bool half_way) {
  const int size = 3 * f->contacts;
  for (int i = 0; i < f->contacts; ++i) {
    double u[2];
    for (int e = 0; e < 2; ++e) {
      u[e] = f->b[3 * i + e];
      for (int j = 0; j < size; ++j) u[e] += f->W[(3 * i + e) * size + j] * f->x[j];
    }
    const double *x = f->x + 3 * i;
    const bool slides = hypot(u[0], u[1]) > slips || hypot(x[0], x[1]) == 0.0;
    double angle = slides ? atan2(-u[1], -u[0]) : atan2(x[1], x[0]);
    const double *last = f->direction + 2 * FACETS * i;
    if (half_way) angle = atan2(last[1] + sin(angle), last[0] + cos(angle));
    for (int k = 0; k < FACETS; ++k) {
      double *e = f->direction + 2 * (FACETS * i + k);
      e[0] = cos(angle + degree * offset[k]);
      e[1] = sin(angle + degree * offset[k]);
    }
  }
}

/* The line of a normal law: about the impulse n > 0 [N s], else where the law ends. Returns s;
 * r [1/kg]. */
static double line_of(const limpet_contact_constants *own, double n, double scale, double *r) {
  const double a = own->elastic_force, k = own->dt * own->stiffness, d = own->dissipation;
  if (n > 0.0) {  // dt (a - k v)(1 - d v) = n
    const double rest = a - n / own->dt, half = k + a * d,
                 square = half * half - 4.0 * k * d * rest;
    const double v = 2.0 * rest / (half + sqrt(square));
    double slope;
    limpet_hunt_crossley(own, v, &slope);
    if (square >= 0.0 && slope > 0.0) {
      *r = 1.0 / slope;
      return v + n * *r;
    }
  }
  double s = a / k, slope = own->dt * k * limpet_max(1.0 - d * s, flattest);
  if (d * s > 1.0) s = 1.0 / d, slope = own->dt * d * (a - k * s);
  *r = limpet_min(1.0 / slope, softest / (scale * scale));
  return s;
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
      const double *W = f->W + (3 * i + k) * size + 3 * j;
      u[k] = (W[0] * h[0] + W[1] * h[1] + W[2] * h[2]) * f->scale[i] * f->scale[j];
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
    const double *b = f->b + 3 * i, scale = f->scale[i];
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
static bool solve(const faceted *f) {
  const int m = f->contacts;
  double size = 0.0;
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

/* The impulses of the contacts of f in the space <- those with facets, in rounds (count); the first
 * one is even where they have not met the laws yet. False: there are none. */
static bool pivot(const faceted *f, int rounds, const double *const *offset) {
  bool solved = false;
  measure(f);
  for (int round = 0; round < rounds; ++round) {
    aim(f, offset[round], round > 0 && offset[round - 1] == closest);
    for (int i = 0; i < f->contacts && offset[round] == even; ++i) f->x[3 * i + 2] = 0.0;
    if (!solve(f)) break;
    solved = true;
  }
  for (int i = 0; i < f->contacts; ++i)
    limpet_contact_space_push_contact(f->solver->coulomb->space, f->contact[i], f->x + 3 * i);
  return solved;
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

bool limpet_coulomb_facets(limpet_island_solver *s) {
  const limpet_coulomb_sweeps once = {.accelerated = 1};
  faceted f = {.solver = s};
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
  f.n = limpet_facets_unknowns(f.contacts);
  bool solved = false;
  for (int pass = 0; pass < PASSES; ++pass) {
    const bool one =
        again || pass > 0 ? pivot(&f, ROUNDS_AGAIN, of_some_again) : pivot(&f, ROUNDS, of_some);
    solved = solved || one;
    limpet_coulomb_sweep_others(s, f.contacts, f.contact, OTHER_SWEEPS);
  }
  take_forces(s);
  return solved;
}
