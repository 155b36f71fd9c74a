/* solve/coulomb_sweep.c: forces of an island by sweeps over its contacts: nonlinear Gauss-Seidel.
 *
 *   rows      gamma <- clamp((v_hat - a v + w gamma)/(R + w)),  w = a A^-1 a'
 *   contacts  gamma_n <- n(u),  u - w_n n(u) = v_n - w_n gamma_n,  w_n = W_nn
 *             gamma_t <- -p/w_t,  p = v_t - w_t gamma_t,  in the disc of radius mu gamma_n,
 *             w_t = max W_tt
 *   turning   within gamma_n, as friction: coulomb_turning.h
 *   v         follows every change: v = v* + A^-1 J' gamma
 * Each contact meets its own law, with stiction as rigid. A sweep finds out who touches and who
 * slides, where Newton's method turns about kinks; it hardly moves what many contacts carry
 * together, where Newton's method is quick. So sweeps make forces better from which a linear step
 * starts, and need not converge. Sweeps are plain, or Anderson's method of five sweeps takes the
 * place of some more; what it gives is put back into the half space of contacts that push. It is
 * quick where contacts are coupled through heavy trees, and circles in heaps where a contact is on
 * a long way from one mode to another, which plain sweeps go. There few contacts change: most of
 * the plain sweeps are over these alone. Contacts between bodies that float alone have a kernel
 * (body_sweep.h), and an order by which neighbours do not wait for each other. Trees have kernels
 * (tree_sweep.h). Cost of a sweep: 12 multiply-adds for each velocity of both blocks of a contact,
 * and 9 times that of vectors for Anderson's method; once in a step three solves with the blocks
 * for each contact. References: Jourdan, Alart, Jean, A Gauss-Seidel like algorithm to solve
 * frictional contact problems, Comput. Methods Appl. Mech. Eng. 155 (1998); optim/anderson.h. */
#include <math.h>
#include <string.h>

#include "math/extremes.h"
#include "optim/anderson.h"
#include "solve/coulomb.h"
#include "solve/island.h"

// [-]  share of the change of a sweep from which a contact is awake, and sweeps over those for one
// over all
static const double stirs = 1e-3;
enum { SWEEPS_FOR_ONE = 8 };
enum { SWEEPS_BETWEEN = 256, LOOKS = 2 };  // looks at slips; looks that must agree
static const double settled = 1e-9;  // [-]  change of a sweep over the impulses, at which it ends

// A contact that may jam meets its law of forces, friction and normal impulse together.
static double relax_jam(const limpet_contact_constants *constants, limpet_contact_space *space,
                        const double *W, int contact) {
  const double *x = space->x + 3 * contact;
  double u[3], f[3], gamma[3], dx[3], moved = 0.0;
  limpet_contact_space_contact_speed(space, contact, u);
  for (int e = 0; e < 3; ++e)
    f[e] = u[e] - W[3 * e] * x[0] - W[3 * e + 1] * x[1] - W[3 * e + 2] * x[2];
  limpet_coulomb_jam(constants, W, f, x[2], gamma);
  for (int e = 0; e < 3; ++e) {
    dx[e] = gamma[e] - x[e];
    moved += W[4 * e] * dx[e] * dx[e];
  }
  limpet_contact_space_push_contact(space, contact, dx);
  return moved;
}

/* One contact meets its law of forces. `slant` (2): slip that a normal impulse makes. Returns the
 * square of the change [kg m^2/s^2]. */
static double relax(const limpet_contact_constants *constants, limpet_contact_space *space,
                    const double *slant, int contact) {
  const double *x = space->x + 3 * contact, *w = space->diagonal + 3 * contact;
  double u[3], dx[3] = {0.0, 0.0, 0.0};
  if (!(w[2] > 0.0)) return 0.0;
  limpet_contact_space_contact_speed(space, contact, u);
  const double n = limpet_coulomb_impulse(constants, w[2], u[2] - w[2] * x[2]);
  dx[2] = n - x[2];

  const double w_t = limpet_max(w[0], w[1]), bound = constants->friction * n;
  if (w_t > 0.0) {
    const double p[2] = {u[0] + slant[0] * dx[2] - w_t * x[0],
                         u[1] + slant[1] * dx[2] - w_t * x[1]};
    const double size = sqrt(p[0] * p[0] + p[1] * p[1]);
    const double share = size > w_t * bound ? bound / size : 1.0 / w_t;
    for (int e = 0; e < 2; ++e) dx[e] = -share * p[e] - x[e];
  }
  if (dx[0] == 0.0 && dx[1] == 0.0 && dx[2] == 0.0) return 0.0;
  limpet_contact_space_push_contact(space, contact, dx);
  return w[0] * dx[0] * dx[0] + w[1] * dx[1] * dx[1] + w[2] * dx[2] * dx[2];
}

// The same by the way that the contact has.
static double relax_forces(limpet_island_solver *s, int contact) {
  limpet_coulomb *c = s->coulomb;
  const limpet_contact_constants *own = &s->own_constants[contact];
  const limpet_body_contact *body = &c->sweep_body[contact];
  if (body->has_law) return c->body_kernels->relax(body, c->space->x + 3 * contact, c->space->v);
  if (c->sweep_jams[contact] && own->friction > 0.0)
    return relax_jam(own, c->space, c->sweep_own + 9 * contact, contact);
  if (c->sweep_tree && c->sweep_tree[contact].has_law)
    return c->tree_kernels->relax(&c->sweep_tree[contact], own->friction, c->space->x + 3 * contact,
                                  c->space->v);
  return relax(own, c->space, c->sweep_slant + 2 * contact, contact);
}

// The same with its torques.
static double relax_contact(limpet_island_solver *s, int contact) {
  limpet_coulomb *c = s->coulomb;
  const double moved = relax_forces(s, contact);
  return c->turning.count > 0 ? moved + limpet_turning_relax(&c->turning, c->space, contact)
                              : moved;
}

// Scalar rows meet their laws, one after the other; returns the square of the change.
static double relax_rows(limpet_coulomb *c) {
  limpet_contact_space *space = c->space;
  const int first = 3 * space->contacts;
  if (c->sweep_row)
    return c->tree_kernels->relax_rows(space->rows, c->sweep_row, space->x + first, space->v);
  double moved = 0.0;
  for (int r = 0; r < space->rows; ++r) {
    const double dx = limpet_contact_space_row(space, r);
    moved += space->diagonal[first + r] * dx * dx;
  }
  return moved;
}

// Contacts `order` (count) one after the other, their squares into sweep_change; returns the sum.
static double relax_contacts(limpet_island_solver *s, int count, const int *order) {
  limpet_coulomb *c = s->coulomb;
  if (c->sweep_alike)
    return c->body_kernels->sweep(count, order, c->sweep_body, c->space->x, c->space->v,
                                  c->sweep_change);
  double moved = 0.0;
  for (const int *end = order + count; order < end; ++order)
    moved += c->sweep_change[*order] = relax_contact(s, *order);
  return moved;
}

// Returns the square of the change, and over that of the impulses in *share; 1 where none is left.
static double sweep_once(limpet_island_solver *s, double *share) {
  limpet_coulomb *c = s->coulomb;
  const limpet_contact_space *space = c->space;
  double moved = relax_rows(c);
  moved += relax_contacts(s, space->contacts, c->sweep_order);
  const double size = c->tree_kernels->square(space->size, space->diagonal, space->x);
  *share = size > 0.0 ? moved / size : moved > 0.0;
  return moved;
}

// A sweep over all contacts, and some over those that made much of its change: they are awake then.
static double sweep_unevenly(limpet_island_solver *s) {
  limpet_coulomb *c = s->coulomb;
  double share;
  const double moved = sweep_once(s, &share);
  c->awake_count = 0;
  for (int k = 0; k < c->space->contacts; ++k) {
    const int i = c->sweep_order[k];
    if (c->sweep_change[i] > stirs * moved) c->awake[c->awake_count++] = i;
  }
  for (int k = 1; k < SWEEPS_FOR_ONE; ++k) {
    relax_rows(c);
    relax_contacts(s, c->awake_count, c->awake);
  }
  return share;
}

// Slip speed of a contact that pushes [m/s]; zero: of another one.
static double swept_slip(limpet_contact_space *space, int contact) {
  double u[3];
  if (!(space->x[3 * contact + 2] > 0.0)) return 0.0;
  limpet_contact_space_contact_speed(space, contact, u);
  return sqrt(u[0] * u[0] + u[1] * u[1]);
}

// Whether friction of a contact is within its bound, so that it should not slip.
static bool should_stick(const limpet_island_solver *s, int contact) {
  const double *x = s->coulomb->space->x + 3 * contact;
  const double bound = LIMPET_STICKING_SHARE * s->own_constants[contact].friction * x[2];
  return x[0] * x[0] + x[1] * x[1] < bound * bound;
}

/* The longest gap [m] that slip speeds of the last call would leave in a shifted problem; the
 * speeds are kept for the next call. What slips but should stick leaves all of its slip, however
 * steady it is: its friction still grows then. */
static double slips_changed(limpet_island_solver *s) {
  limpet_coulomb *c = s->coulomb;
  double changed = 0.0;
  for (int i = 0; i < c->space->contacts; ++i) {
    const limpet_contact_constants *own = &s->own_constants[i];
    const double slip = swept_slip(c->space, i);
    const double off = should_stick(s, i) ? slip : fabs(slip - c->sweep_slip[i]);
    changed = limpet_max(changed, own->dt * own->friction * off);
    c->sweep_slip[i] = slip;
  }
  return changed;
}

// Impulses and torques, one after the other, of the space.
static void copy_state(const limpet_coulomb *c, double *all) {
  const size_t impulses = (size_t)c->space->size, torques = 2 * (size_t)c->turning.count;
  memcpy(all, c->space->x, impulses * sizeof *all);
  if (torques > 0) memcpy(all + impulses, c->turning.tau, torques * sizeof *all);
}

// x <- impulses of the space, v what they make of it.
static void set_impulses(limpet_coulomb *c, const double *x) {
  limpet_contact_space *space = c->space;
  const limpet_tree_sweep_kernels *kernels = c->tree_kernels;
  if (c->sweep_alike) {
    memcpy(space->x, x, (size_t)space->size * sizeof *x);
    memcpy(space->v, space->v_free, (size_t)space->velocities * sizeof *space->v);
    c->body_kernels->push(space->contacts, c->sweep_body, x, space->v);
    return;
  }
  if (!space->solves || !c->sweep_tree) {
    limpet_contact_space_set(space, x);
    return;
  }
  memcpy(space->x, x, (size_t)space->size * sizeof *x);
  memset(space->v, 0, (size_t)space->velocities * sizeof *space->v);
  for (int i = 0; i < space->contacts; ++i) kernels->push(&c->sweep_tree[i], x + 3 * i, space->v);
  kernels->push_rows(space->rows, c->sweep_row, x + 3 * space->contacts, space->v);
  limpet_contact_space_answer(space);
}

// The same into the space, with the velocities that these make.
static void set_state(limpet_coulomb *c, const double *all) {
  set_impulses(c, all);
  limpet_turning_set(&c->turning, c->space, all + c->space->size);
}

/* Impulses by Anderson's method and what pushes of them, torques within their bounds; v afresh.
 * (Mixed like the impulses, in which it is linear, v parts from them: where sweeps cut back to the
 * same impulses what was extrapolated, shares grow to 1e6, and the round-off of v with them.) */
static void extrapolate(limpet_coulomb *c, limpet_anderson *anderson) {
  limpet_contact_space *space = c->space;
  copy_state(c, c->sweep_now);
  limpet_anderson_step(anderson, c->sweep_now, c->swept);
  for (int i = 0; i < space->contacts; ++i)
    c->swept[3 * i + 2] = limpet_max(c->swept[3 * i + 2], 0.0);
  set_state(c, c->swept);
  copy_state(c, c->swept);
}

/* Anderson's method on what SWEEPS_BETWEEN sweeps made of the impulses, as some go a long way
 * slowly. Taken back where a sweep changes more than `moved`, the change of the one before. */
static void leap(limpet_island_solver *s, limpet_anderson *anderson, double moved) {
  limpet_coulomb *c = s->coulomb;
  extrapolate(c, anderson);
  if (sweep_unevenly(s) <= moved) return;
  set_state(c, c->sweep_now);
  copy_state(c, c->swept);
  limpet_anderson_begin(anderson, anderson->n, anderson->weight, c->sweep_memory);
}

/* Plain sweeps. They end where slips are within `sweeps->gap` of where they go, told from how their
 * changes fall, in two looks one after the other. */
static void sweep_plainly(limpet_island_solver *s, const limpet_coulomb_sweeps *sweeps) {
  limpet_coulomb *c = s->coulomb;
  double last = INFINITY;
  int near = 0;
  limpet_anderson anderson;
  limpet_anderson_begin(&anderson, c->space->size + 2 * c->turning.count, c->sweep_weight,
                        c->sweep_memory);
  copy_state(c, c->swept);
  for (int k = 0; k < sweeps->plain && near < LOOKS; k += SWEEPS_FOR_ONE) {
    const double moved = sweep_unevenly(s);
    if (moved <= settled * settled) return;
    if (sweeps->gap == 0.0 || k % SWEEPS_BETWEEN != 0) continue;
    // what is still to come: changed (r + r^2 + ...), r = changed/last
    const double changed = slips_changed(s);
    const bool ends = changed * changed <= (last - changed) * sweeps->gap;
    near = k > SWEEPS_BETWEEN && ends ? near + 1 : 0;
    last = changed;
    if (k == 0 || near > 0) continue;
    leap(s, &anderson, moved);
    slips_changed(s);
  }
}

bool limpet_coulomb_sweep(limpet_island_solver *s, const limpet_coulomb_sweeps *sweeps) {
  limpet_coulomb *c = s->coulomb;
  if (c->sweeps == LIMPET_SWEEPS_NEVER || (sweeps->first && c->sweeps != LIMPET_SWEEPS_FIRST) ||
      !limpet_coulomb_sweeps_open(s))
    return false;
  limpet_contact_space *space = c->space;
  const size_t forces = 3 * (size_t)space->contacts;
  const int all = space->size + 2 * c->turning.count;
  for (int i = 0; i < space->contacts; ++i)
    c->sweep_body[i].friction = s->own_constants[i].friction;
  memset(c->swept, 0, (size_t)all * sizeof *c->swept);
  memcpy(c->swept, c->forces, forces * sizeof *c->swept);
  if (c->turning.count > 0)
    memcpy(c->swept + space->size, s->spins.tau, 2 * (size_t)c->turning.count * sizeof *c->swept);
  set_state(c, c->swept);
  copy_state(c, c->swept);
  limpet_anderson anderson;
  limpet_anderson_begin(&anderson, all, c->sweep_weight, c->sweep_memory);
  double moved = 0.0;
  sweep_once(s, &moved);
  for (int k = 1; moved > settled * settled && k < sweeps->accelerated; ++k) {
    extrapolate(c, &anderson);
    sweep_once(s, &moved);
  }
  if (moved > settled * settled) sweep_plainly(s, sweeps);

  // v afresh, so that it does not carry the round-off of sweeps
  copy_state(c, c->swept);
  set_state(c, c->swept);
  memcpy(c->forces, space->x, forces * sizeof *c->forces);
  memcpy(s->x, space->v, (size_t)s->n * sizeof *s->x);
  return true;
}

static bool is_among(int contact, int count, const int *list) {
  while (count > 0 && list[count - 1] != contact) --count;
  return count > 0;
}

// Whether two contacts move a block in common.
static bool are_neighbours(const limpet_contact_space *space, int a, int b) {
  for (int i = space->first[a]; i < space->first[a + 1]; ++i)
    for (int j = space->first[b]; j < space->first[b + 1]; ++j)
      if (space->segment[i].block == space->segment[j].block) return true;
  return false;
}

int limpet_coulomb_awake(const limpet_island_solver *s, int most, int *contact) {
  const limpet_coulomb *c = s->coulomb;
  int count = 0;
  while (count < most && count < c->awake_count) {
    int next = LIMPET_NONE;
    for (int k = 0; k < c->awake_count; ++k)
      if ((next < 0 || c->sweep_change[c->awake[k]] > c->sweep_change[next]) &&
          !is_among(c->awake[k], count, contact))
        next = c->awake[k];
    contact[count++] = next;
  }
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < c->space->contacts && count < most; ++i)
      if (are_neighbours(c->space, contact[k], i) && !is_among(i, count, contact))
        contact[count++] = i;
  return count;
}

void limpet_coulomb_sweep_others(limpet_island_solver *s, int count, const int *held, int sweeps) {
  limpet_coulomb *c = s->coulomb;
  c->awake_count = 0;
  for (int k = 0; k < c->space->contacts; ++k)
    if (!is_among(c->sweep_order[k], count, held)) c->awake[c->awake_count++] = c->sweep_order[k];
  for (int k = 0; k < sweeps; ++k) {
    relax_rows(c);
    relax_contacts(s, c->awake_count, c->awake);
  }
}

bool limpet_coulomb_recall_sweeps(limpet_island_solver *s) {
  const limpet_contact_space *space = s->coulomb->space;
  if (!space) return false;
  memcpy(s->coulomb->forces, space->x, 3 * (size_t)space->contacts * sizeof *space->x);
  return true;
}

void limpet_coulomb_take_sweeps(limpet_island_solver *s) {
  const limpet_contact_space *space = s->coulomb->space;
  const size_t forces = 3 * (size_t)space->contacts;
  memcpy(s->x, space->v, (size_t)s->n * sizeof *s->x);
  limpet_island_place(s, s->x);
  memcpy(s->contact_gamma, space->x, forces * sizeof *space->x);
  memcpy(s->row_gamma, space->x + forces, (size_t)space->rows * sizeof *space->x);
  if (s->spins.count > 0)
    memcpy(s->spins.tau, s->coulomb->turning.tau, 2 * (size_t)s->spins.count * sizeof(double));
  limpet_island_impulse(s->problem, s->island, s->contact_gamma, s->row_gamma, s->impulse);
  limpet_island_spins_impulse(s, s->impulse);
  for (int i = 0; i < s->n; ++i) s->newton.gradient[i] = s->A_difference[i] - s->impulse[i];
}
