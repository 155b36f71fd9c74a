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
 * method goes on from there in 4 iterations. s [m/s], r [1/kg]: n(s) = 0 and -n' = 1/r of that
 * line. Unknowns are scaled by w_n^1/2, so that each contact counts alike. Reference: Anitescu,
 * Potra, Formulating dynamic multi-rigid-body contact problems with friction as solvable linear
 * complementarity problems, Nonlinear Dyn. 14 (1997); optim/lemke.h. */
#include <math.h>
#include <string.h>

#include "law/hunt_crossley.h"
#include "optim/lemke.h"
#include "solve/coulomb_facets.h"

enum { FACETS = LIMPET_FACETS, ROUNDS = 4 };
static const double degree = 3.14159265358979323846 / 180.0;
static const double even[FACETS] = {0, 30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 330};  // deg
static const double close[FACETS] = {0, 2, -2, 7, -7, 20, -20, 50, -50, 110, -110, 180};
static const double slips = 1e-3;  // [m/s]  from which the slip tells where friction points
// [-]  of w_n: r at most; of a stiffness: 1/r at least
static const double softest = 0.01, flattest = 0.1;

typedef struct faceted {
  limpet_island_solver *solver;
  int contacts, n;
  double *W, *b;      // (3 contacts x 3 contacts) [1/kg], (3 contacts) [m/s]  u = W x + b
  double *scale;      // (contacts) [kg^1/2]
  double *direction;  // (contacts x FACETS x 2)
  double *table, *q, *z, *x;
  void *memory;
} faceted;

bool limpet_coulomb_facets_fit(const limpet_island_solver *s) {
  const limpet_coulomb *c = s->coulomb;
  if (!c->free_bodies || c->sweeps == LIMPET_SWEEPS_NEVER || s->spins.count > 0 ||
      s->island->contact_count > LIMPET_FACETS_CONTACTS)
    return false;
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
  const int m = f->contacts = s->island->contact_count, n = f->n = limpet_facets_unknowns(m);
  f->W = LIMPET_TAKE(&room, double, 9 * m * m);
  f->b = LIMPET_TAKE(&room, double, 3 * m);
  f->x = LIMPET_TAKE(&room, double, 3 * m);
  f->scale = LIMPET_TAKE(&room, double, m);
  f->direction = LIMPET_TAKE(&room, double, 2 * FACETS * m);
  f->table = LIMPET_TAKE(&room, double, (size_t)n *(size_t)limpet_lemke_width(n));
  f->q = LIMPET_TAKE(&room, double, n);
  f->z = LIMPET_TAKE(&room, double, n);
  f->memory = limpet_arena_take(&room, limpet_lemke_memory_size(n));
  return f->W && f->b && f->x && f->scale && f->direction && f->table && f->q && f->z && f->memory;
}

static void speeds(const faceted *f, double *u, int stride) {
  for (int i = 0; i < f->contacts; ++i) {
    double own[3];
    limpet_contact_space_contact_speed(f->solver->coulomb->space, i, own);
    for (int e = 0; e < 3; ++e) u[(3 * i + e) * stride] = own[e];
  }
}

// W and b, by unit impulses.
static void measure(const faceted *f) {
  limpet_contact_space *space = f->solver->coulomb->space;
  const int size = 3 * f->contacts;
  memset(f->x, 0, (size_t)size * sizeof *f->x);
  limpet_contact_space_set(space, f->x);
  speeds(f, f->b, 1);
  for (int j = 0; j < size; ++j) {
    f->x[j] = 1.0;
    limpet_contact_space_set(space, f->x);
    f->x[j] = 0.0;
    speeds(f, f->W + j, size);
    for (int i = 0; i < size; ++i) f->W[i * size + j] -= f->b[i];
  }
  for (int i = 0; i < f->contacts; ++i) {
    const double w = f->W[(3 * i + 2) * (size + 1)];
    f->scale[i] = w > 0.0 ? 1.0 / sqrt(w) : 0.0;
  }
}

// Facets from where the impulses x point, or from against the slip that they leave.
static void aim(const faceted *f, const double *offset) {
  const int size = 3 * f->contacts;
  for (int i = 0; i < f->contacts; ++i) {
    double u[2];
    for (int e = 0; e < 2; ++e) {
      u[e] = f->b[3 * i + e];
      for (int j = 0; j < size; ++j) u[e] += f->W[(3 * i + e) * size + j] * f->x[j];
    }
    const double *x = f->x + 3 * i;
    const bool slides = hypot(u[0], u[1]) > slips || hypot(x[0], x[1]) == 0.0;
    const double angle = slides ? atan2(-u[1], -u[0]) : atan2(x[1], x[0]);
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
    const limpet_contact_constants *own = &f->solver->own_constants[i];
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

bool limpet_coulomb_facets(limpet_island_solver *s) {
  limpet_coulomb *c = s->coulomb;
  const limpet_coulomb_sweeps once = {.accelerated = 1};
  faceted f = {.solver = s};
  if (!limpet_coulomb_sweep(s, &once) || !take(&f)) return false;
  limpet_contact_space *space = c->space;
  const size_t size = 3 * (size_t)f.contacts * sizeof *f.x;
  measure(&f);
  bool solved = false;
  memcpy(f.x, c->forces, size);
  for (int round = 0; round < ROUNDS; ++round) {
    aim(&f, round == 0 ? even : close);
    if (round == 0)  // sweeps have not met the laws
      for (int i = 0; i < f.contacts; ++i) f.x[3 * i + 2] = 0.0;
    if (!solve(&f)) break;
    solved = true;
  }
  if (solved) memcpy(c->forces, f.x, size);
  limpet_contact_space_set(space, c->forces);
  memcpy(s->x, space->v, (size_t)s->n * sizeof *s->x);
  return solved;
}
