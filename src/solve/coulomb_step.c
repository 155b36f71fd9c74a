/* solve/coulomb_step.c: Newton's step of Coulomb's law by convex back-solves: see coulomb.h. */
#include <math.h>
#include <string.h>

#include "law/bounded_friction.h"
#include "law/normal_law.h"
#include "math/extremes.h"
#include "math/vec3.h"
#include "optim/anderson.h"
#include "solve/coulomb.h"
#include "solve/island_jacobian.h"

enum { BACK_SOLVES = 12 };             // for the bounds of one step, at most
static const double agreement = 1e-2;  // [-]  share of the bounds to which they agree, at most

// A bound as the speeds of what it bounds: slip, torsion and rolling.
static double weight_of(const limpet_contact_constants *constants) {
  const double torsion = constants->torsion * constants->torsion_rate,
               rolling = constants->rolling * constants->rolling_rate;
  const double mu = torsion > 0.0 || rolling > 0.0
                        ? hypot(constants->friction, hypot(torsion, rolling))
                        : constants->friction;
  return mu * sqrt(constants->delassus);
}

limpet_status limpet_coulomb_create(limpet_island_solver *s, limpet_arena *arena) {
  const size_t m = (size_t)s->island->contact_count, n = (size_t)s->n;
  limpet_coulomb *c = s->coulomb = LIMPET_TAKE(arena, limpet_coulomb, 1);
  double *block =
      LIMPET_TAKE(arena, double, 20 * m + 2 * n + limpet_anderson_size(s->island->contact_count));
  if (!c || !block) return LIMPET_ERROR_MEMORY;
  double **const triples[] = {&c->point, &c->forces, &c->v_before};
  for (size_t i = 0; i < sizeof triples / sizeof *triples; ++i) *triples[i] = block, block += 3 * m;
  c->direction = block, block += 2 * m;
  double **const singles[] = {&c->normal,     &c->stiffness,  &c->bound,
                              &c->next_bound, &c->best_bound, &c->kept_bound,
                              &c->shift,      &c->last_shift, &c->gapped_shift};
  for (size_t i = 0; i < sizeof singles / sizeof *singles; ++i) *singles[i] = block, block += m;
  c->x_before = block, block += n;
  c->gapped = block, block += n;
  c->least_gap = INFINITY;
  c->memory = block;
  c->weight = LIMPET_TAKE(arena, double, m);
  if (!c->weight) return LIMPET_ERROR_MEMORY;
  for (size_t i = 0; i < m; ++i) c->weight[i] = weight_of(&s->own_constants[i]);
  return limpet_coulomb_sweeps_create(s, arena);
}

// Of one contact. Returns 1/s [s/m] of its friction.
static inline double expand_contact(limpet_island_solver *s, int i) {
  limpet_coulomb *c = s->coulomb;
  limpet_contact_constants *own = &s->own_constants[i];
  const double *v = s->contact_v + 3 * i, eps = own->compliant.slip_speed;
  const double inverse = 1.0 / sqrt(v[0] * v[0] + v[1] * v[1] + eps * eps);
  limpet_vec3_copy(c->point + 3 * i, v);
  c->direction[2 * i] = v[0] * inverse;
  c->direction[2 * i + 1] = v[1] * inverse;
  c->normal[i] = limpet_normal_impulse(own, v[2], &c->stiffness[i]);
  own->compliant.lagged_impulse = c->bound[i];
  return inverse;
}

void limpet_coulomb_expand(limpet_island_solver *s) {
  for (int i = 0; i < s->island->contact_count; ++i) expand_contact(s, i);
}

void limpet_coulomb_linearise(limpet_island_solver *s) {
  const limpet_coulomb *c = s->coulomb;
  for (int i = 0; i < s->island->contact_count; ++i) {
    const double inverse = expand_contact(s, i);
    double *G = s->contact_G + LIMPET_HESSIAN_SIZE * i;
    limpet_bounded_friction_hessian(s->own_constants[i].friction * c->bound[i] * inverse,
                                    c->direction + 2 * i, s->contact_dual + 2 * i, G);
    G[3] = G[4] = 0.0;
    G[5] = c->stiffness[i];
  }
  limpet_island_spins_linearise(s);
}

// Impulses of the linear models at the state, for the bounds.
static void linear_impulses(const limpet_island_solver *s, const double *bound, double *impulses) {
  const limpet_coulomb *c = s->coulomb;
  for (int i = 0; i < s->island->contact_count; ++i) {
    const double *G = s->contact_G + LIMPET_HESSIAN_SIZE * i, *point = c->point + 3 * i;
    const double *v = s->contact_v + 3 * i, *t = c->direction + 2 * i;
    const double x = v[0] - point[0], y = v[1] - point[1];
    const double pull = s->own_constants[i].friction * bound[i];
    double *gamma = impulses + 3 * i;
    gamma[0] = -pull * t[0] - G[0] * x - G[1] * y;
    gamma[1] = -pull * t[1] - G[1] * x - G[2] * y;
    gamma[2] = c->normal[i] - c->stiffness[i] * (v[2] - point[2]);
  }
}

void limpet_coulomb_foreseen(limpet_island_solver *s) {
  linear_impulses(s, s->coulomb->bound, s->coulomb->forces);
  limpet_island_spins_torque(s, s->coulomb->bound);
}

// d(b) and contact_dv, row_du with it. Overwrites contact_gamma.
static void solve_for(limpet_island_solver *s, const double *bound, double *d) {
  linear_impulses(s, bound, s->contact_gamma);
  limpet_island_solver_impulse(s, s->contact_gamma, s->row_gamma, s->impulse);
  limpet_island_spins_push(s, bound, s->impulse);
  for (int i = 0; i < s->n; ++i) d[i] = s->impulse[i] - s->A_difference[i];
  limpet_island_back_solve(s, d);
  limpet_island_solver_speeds(s, d, s->contact_dv, s->row_du);
}

// The right-hand side of (*) for the last d into next_bound; returns by how much it misses `bound`.
static double renew(limpet_island_solver *s, double *size) {
  limpet_coulomb *c = s->coulomb;
  double off = 0.0, all = 0.0;
  for (int i = 0; i < s->island->contact_count; ++i) {
    const double v = s->contact_v[3 * i + 2] + s->contact_dv[3 * i + 2] - c->point[3 * i + 2];
    const double next = c->next_bound[i] = limpet_max(0.0, c->normal[i] - c->stiffness[i] * v);
    const double missed = c->weight[i] * (next - c->bound[i]), whole = c->weight[i] * next;
    off += missed * missed;
    all += whole * whole;
  }
  *size = sqrt(all);
  return sqrt(off);
}

void limpet_coulomb_step_again(limpet_island_solver *s, double tolerance, double *d) {
  limpet_coulomb *c = s->coulomb;
  const int count = s->island->contact_count;
  const size_t bytes = (size_t)count * sizeof *c->bound;
  limpet_anderson anderson;
  limpet_anderson_begin(&anderson, count, c->weight, c->memory);
  double best = INFINITY;
  for (int k = 0; k < BACK_SOLVES; ++k) {
    solve_for(s, c->bound, d);
    double size;
    const double off = renew(s, &size);
    if (off <= agreement * size && off <= tolerance) {
      memcpy(c->bound, c->next_bound, bytes);
      return;
    }
    if (off < best) best = off, memcpy(c->best_bound, c->next_bound, bytes);
    limpet_anderson_step(&anderson, c->next_bound, c->bound);
    for (int i = 0; i < count; ++i) c->bound[i] = limpet_max(0.0, c->bound[i]);
  }
  memcpy(c->bound, c->best_bound, bytes);
  solve_for(s, c->bound, d);
}

bool limpet_coulomb_step(limpet_island_solver *s, double tolerance, double *d) {
  if (!limpet_island_factor(s)) return false;
  limpet_coulomb_step_again(s, tolerance, d);
  return true;
}
