/* solve/coulomb_sweep.c: forces of an island by sweeps over its contacts: nonlinear Gauss-Seidel.
 *
 *   rows      gamma <- clamp((v_hat - a v + w gamma)/(R + w)),  w = a A^-1 a'
 *   contacts  gamma_n <- n(u),  u - w_n n(u) = v_n - w_n gamma_n,  w_n = W_nn
 *             gamma_t <- -p/w_t,  p = v_t - w_t gamma_t,  in the disc of radius mu gamma_n,
 *             w_t = max W_tt
 *   v         follows every change: v = v* + A^-1 J' gamma
 * Each contact meets its own law, with stiction as rigid. A sweep finds out who touches and who
 * slides, where Newton's method turns about kinks; it hardly moves what many contacts carry
 * together, where Newton's method is quick. So sweeps make forces better from which a linear step
 * starts, and need not converge. Anderson's method of five sweeps takes the place of some more;
 * what it gives is put back into the half space of contacts that push.
 * Cost of a sweep: 2 x 12 multiply-adds for each velocity of both blocks of a contact, and 9 times
 * that of vectors for Anderson's method; once in a step three solves with the blocks for each
 * contact.
 * References: Jourdan, Alart, Jean, A Gauss-Seidel like algorithm to solve frictional contact
 * problems, Comput. Methods Appl. Mech. Eng. 155 (1998); optim/anderson.h. */
#include <math.h>
#include <string.h>

#include "optim/anderson.h"
#include "solve/coulomb.h"
#include "solve/island.h"

// Below as many contacts Newton's method needs few and cheap iterations: measured, see
// docs/theory/coulomb.md
enum { MANY_CONTACTS = 16 };
// Below as many velocities of an island an iteration costs less than the sweeps.
enum { MANY_VELOCITIES = 64 };
// Velocities of a block up to which the solves of a contact cost less than an iteration saves.
enum { LARGE_BLOCK = 64 };

static bool worth_sweeping(const limpet_island_solver *s) {
  if (s->island->contact_count < MANY_CONTACTS || s->n < MANY_VELOCITIES) return false;
  for (int i = 0; i < s->island->block_count; ++i)
    if (limpet_island_block(s->problem, s->island, i)->size > LARGE_BLOCK) return false;
  return true;
}

limpet_status limpet_coulomb_sweeps_create(limpet_island_solver *s, limpet_arena *arena) {
  limpet_coulomb *c = s->coulomb;
  if (!worth_sweeping(s)) return LIMPET_OK;
  limpet_contact_space *space = LIMPET_TAKE(arena, limpet_contact_space, 1);
  if (!space) return LIMPET_ERROR_MEMORY;
  const int island = (int)(s->island - s->problem->island);
  if (limpet_contact_space_create(space, s->problem, island, arena) != LIMPET_OK)
    return LIMPET_ERROR_MEMORY;
  c->swept = LIMPET_TAKE(arena, double, space->size);
  c->sweep_weight = LIMPET_TAKE(arena, double, space->size);
  c->sweep_memory = LIMPET_TAKE(arena, double, limpet_anderson_size(space->size));
  if (!c->swept || !c->sweep_weight || !c->sweep_memory) return LIMPET_ERROR_MEMORY;
  c->space = space;
  return LIMPET_OK;
}

// Fills the space, once in a step. False: A is not positive definite.
static bool fill(limpet_coulomb *c) {
  limpet_contact_space *space = c->space;
  if (c->space_filled) return true;
  if (limpet_contact_space_fill(space) != LIMPET_OUTCOME_SOLVED) return false;
  for (int i = 0; i < space->size; ++i) c->sweep_weight[i] = sqrt(space->diagonal[i]);
  return c->space_filled = true;
}

static void relax(const limpet_contact_constants *constants, limpet_contact_space *space,
                  int contact) {
  const double *x = space->x + 3 * contact, *w = space->diagonal + 3 * contact;
  double u[3], dx[3] = {0.0, 0.0, 0.0}, n, slope;
  if (!(w[2] > 0.0)) return;
  limpet_contact_space_contact_speed(space, contact, u);
  limpet_coulomb_normal_point(constants, w[2], u[2] - w[2] * x[2], &n, &slope);
  dx[2] = n - x[2];
  limpet_contact_space_push_contact(space, contact, dx);

  const double w_t = fmax(w[0], w[1]), bound = constants->friction * n;
  if (!(w_t > 0.0)) return;
  limpet_contact_space_contact_speed(space, contact, u);
  const double p[2] = {u[0] - w_t * x[0], u[1] - w_t * x[1]},
               size = sqrt(p[0] * p[0] + p[1] * p[1]);
  const double share = size > w_t * bound ? bound / size : 1.0 / w_t;
  dx[0] = -share * p[0] - x[0], dx[1] = -share * p[1] - x[1], dx[2] = 0.0;
  limpet_contact_space_push_contact(space, contact, dx);
}

static void sweep_once(limpet_island_solver *s) {
  limpet_contact_space *space = s->coulomb->space;
  for (int r = 0; r < space->rows; ++r) limpet_contact_space_row(space, r);
  for (int i = 0; i < space->contacts; ++i) relax(&s->own_constants[i], space, i);
}

// Pushing normal impulses, after Anderson's method.
static void project(const limpet_contact_space *space, double *x) {
  for (int i = 0; i < space->contacts; ++i) x[3 * i + 2] = fmax(x[3 * i + 2], 0.0);
}

bool limpet_coulomb_sweep(limpet_island_solver *s, int sweeps) {
  limpet_coulomb *c = s->coulomb;
  if (s->later && !c->space && limpet_coulomb_sweeps_create(s, s->later) != LIMPET_OK) return false;
  limpet_contact_space *space = c->space;
  if (!space || !fill(c)) return false;
  const size_t forces = 3 * (size_t)space->contacts;
  memset(c->swept, 0, (size_t)space->size * sizeof *c->swept);
  memcpy(c->swept, c->forces, forces * sizeof *c->swept);
  limpet_contact_space_set(space, c->swept);
  limpet_anderson anderson;
  limpet_anderson_begin(&anderson, space->size, c->sweep_weight, c->sweep_memory);
  for (int k = 1; k < sweeps; ++k) {
    sweep_once(s);
    limpet_anderson_step(&anderson, space->x, c->swept);
    project(space, c->swept);
    limpet_contact_space_set(space, c->swept);
  }
  sweep_once(s);
  memcpy(c->forces, space->x, forces * sizeof *c->forces);
  memcpy(s->x, space->v, (size_t)s->n * sizeof *s->x);
  return true;
}
