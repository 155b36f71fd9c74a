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
 * the plain sweeps are over these alone. Cost of a sweep: 12 multiply-adds for each velocity of
 * both blocks of a contact, and 9 times that of vectors for Anderson's method; once in a step three
 * solves with the blocks for each contact. References: Jourdan, Alart, Jean, A Gauss-Seidel like
 * algorithm to solve frictional contact problems, Comput. Methods Appl. Mech. Eng. 155 (1998);
 * optim/anderson.h. */
#include <math.h>
#include <string.h>

#include "contact/block_soft.h"
#include "math/extremes.h"
#include "optim/anderson.h"
#include "solve/coulomb.h"
#include "solve/island.h"

// Below as many contacts, and velocities of an island, iterations cost less than first sweeps save:
// measured, see docs/theory/coulomb.md
enum { MANY_CONTACTS = 16, MANY_VELOCITIES = 64 };
// The same of free bodies, between which a sweep costs little
enum { SOME_CONTACTS = 6, SOME_VELOCITIES = 18 };
// Velocities of a block up to which the solves of a contact cost less than sweeps save: the first
// ones of a step, and those where the iteration stalls, but for soft bodies
enum { LARGE_BLOCK = 64, HUGE_BLOCK = 1024 };
enum { HEAVY_BLOCK = 12 };  // velocities of two free bodies
// [-]  normal velocity that friction makes over that of the normal impulse, from which both are
// relaxed together
static const double jamming = 1.0;
// [-]  share of the change of a sweep from which a contact is awake, and sweeps over those for one
// over all
static const double stirs = 1e-3;
enum { SWEEPS_FOR_ONE = 8 };
enum { SWEEPS_BETWEEN = 256, LOOKS = 2 };  // looks at slips; looks that must agree
static const double settled = 1e-9;  // [-]  change of a sweep over the impulses, at which it ends

static int largest_block(const limpet_island_solver *s) {
  int largest = 0;
  for (int i = 0; i < s->island->block_count; ++i) {
    const int size = limpet_island_block(s->problem, s->island, i)->size;
    if (size > largest) largest = size;
  }
  return largest;
}

// Whether all blocks have the size of a free body, and nothing but contacts couples them.
static bool has_free_bodies(const limpet_island_solver *s) {
  for (int i = 0; i < s->island->block_count; ++i)
    if (limpet_island_block(s->problem, s->island, i)->size != FREE_BODY) return false;
  return s->island->row_count == 0;
}

/* Whether a deformable body takes part with many vertices, but none all of whose vertices are tied:
 * sweeps over stiff ties settle far too slowly. */
static bool has_soft_bodies(const limpet_island_solver *s) {
  bool found = false;
  for (int i = 0; i < s->island->block_count; ++i) {
    const limpet_block *block = limpet_island_block(s->problem, s->island, i);
    if (block->mesh && s->island->row_count >= block->size) return false;
    found |= (block->mesh || block->kind == &limpet_block_soft) && block->size > LARGE_BLOCK;
  }
  return found;
}

// Whether nothing but trees takes part.
static bool has_only_trees(const limpet_island_solver *s) {
  for (int i = 0; i < s->island->block_count; ++i) {
    const limpet_block *block = limpet_island_block(s->problem, s->island, i);
    if (block->mesh || block->kind == &limpet_block_soft) return false;
  }
  return true;
}

static limpet_sweeps_when when_to_sweep(const limpet_island_solver *s, int largest) {
  const int contacts = s->island->contact_count;
  if (contacts == 0 || (largest > HUGE_BLOCK && !s->coulomb->soft)) return LIMPET_SWEEPS_NEVER;
  const bool many = s->coulomb->free_bodies ? contacts >= SOME_CONTACTS && s->n >= SOME_VELOCITIES
                                            : contacts >= MANY_CONTACTS && s->n >= MANY_VELOCITIES;
  return many && largest <= LARGE_BLOCK ? LIMPET_SWEEPS_FIRST : LIMPET_SWEEPS_AT_STALLS;
}

// Bytes that the memory of sweeps takes.
static size_t room_of_sweeps(const limpet_island_solver *s) {
  const size_t contacts = (size_t)s->island->contact_count,
               all =
                   3 * contacts + (size_t)(s->island->row_count + s->n + 2 * s->island->spin_count);
  enum { TAKES = 11 };
  const int island = (int)(s->island - s->problem->island);
  const size_t own = (3 * all + 13 * contacts + limpet_anderson_size((int)all)) * sizeof(double) +
                     sizeof(limpet_contact_space) + contacts * (sizeof(int) + sizeof(bool)) +
                     TAKES * LIMPET_ARENA_ALIGNMENT;
  return own + limpet_contact_space_room(s->problem, island) +
         limpet_turning_room(s->problem, island);
}

limpet_status limpet_coulomb_sweeps_create(limpet_island_solver *s, limpet_arena *arena) {
  limpet_coulomb *c = s->coulomb;
  const int largest = largest_block(s);
  c->space = NULL;
  c->heavy = largest > HEAVY_BLOCK;
  c->soft = has_soft_bodies(s);
  c->only_trees = has_only_trees(s);
  c->free_bodies = has_free_bodies(s);
  c->sweeps = when_to_sweep(s, largest);
  c->later = s->later;
  if (c->sweeps == LIMPET_SWEEPS_NEVER || c->later) return LIMPET_OK;
  return limpet_arena_part(arena, room_of_sweeps(s), &c->room);
}

// Whether friction of a contact may hold it closed: coulomb_jam.c.
static bool may_jam(const limpet_contact_constants *constants, const double *slant, double w_n) {
  const double size = sqrt(slant[0] * slant[0] + slant[1] * slant[1]);
  return constants->friction * size > jamming * w_n;
}

// The space, filled: once in a step. False: A is not positive definite, or there is no memory.
static bool open_space(limpet_island_solver *s) {
  limpet_coulomb *c = s->coulomb;
  if (c->space) return true;
  if (c->later && limpet_arena_part(c->later, room_of_sweeps(s), &c->room) != LIMPET_OK)
    return false;
  c->later = NULL;
  limpet_arena *room = &c->room;
  limpet_contact_space *space = LIMPET_TAKE(room, limpet_contact_space, 1);
  const int island = (int)(s->island - s->problem->island);
  if (!space || limpet_contact_space_create(space, s->problem, island, room) != LIMPET_OK ||
      limpet_contact_space_fill(space) != LIMPET_OUTCOME_SOLVED ||
      !limpet_turning_create(&c->turning, space, room))
    return false;
  const int all = space->size + space->velocities + 2 * c->turning.count;
  c->swept = LIMPET_TAKE(room, double, all);
  c->sweep_now = LIMPET_TAKE(room, double, all);
  c->sweep_weight = LIMPET_TAKE_ZERO(room, double, all);
  c->sweep_slant = LIMPET_TAKE(room, double, 2 * space->contacts);
  c->sweep_own = LIMPET_TAKE(room, double, 9 * space->contacts);
  c->sweep_memory = LIMPET_TAKE(room, double, limpet_anderson_size(all));
  c->sweep_change = LIMPET_TAKE(room, double, space->contacts);
  c->sweep_slip = LIMPET_TAKE_ZERO(room, double, space->contacts);
  c->sweep_jams = LIMPET_TAKE(room, bool, space->contacts);
  c->awake = LIMPET_TAKE(room, int, space->contacts);
  if (!c->sweep_now || !c->sweep_change || !c->sweep_slip || !c->sweep_jams || !c->awake ||
      !c->swept || !c->sweep_weight || !c->sweep_slant || !c->sweep_own || !c->sweep_memory)
    return false;
  for (int i = 0; i < space->size; ++i) c->sweep_weight[i] = sqrt(space->diagonal[i]);
  for (int i = 0; i < 2 * c->turning.count; ++i)
    c->sweep_weight[space->size + space->velocities + i] = sqrt(c->turning.inertia[i / 2]);
  for (int i = 0; i < space->contacts; ++i) {
    double *W = c->sweep_own + 9 * i;
    limpet_contact_space_own(space, i, W);
    for (int e = 0; e < 2; ++e) c->sweep_slant[2 * i + e] = W[3 * e + 2];
    c->sweep_jams[i] = may_jam(&s->own_constants[i], c->sweep_slant + 2 * i, W[8]);
  }
  c->space = space;
  return true;
}

// One such contact meets its law of forces, friction and normal impulse together.
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

// The same with its torques.
static double relax_contact(limpet_island_solver *s, int contact) {
  limpet_coulomb *c = s->coulomb;
  const limpet_contact_constants *own = &s->own_constants[contact];
  const double *slant = c->sweep_slant + 2 * contact, *W = c->sweep_own + 9 * contact;
  const bool jams = c->sweep_jams[contact] && own->friction > 0.0;
  const double moved =
      jams ? relax_jam(own, c->space, W, contact) : relax(own, c->space, slant, contact);
  return c->turning.count > 0 ? moved + limpet_turning_relax(&c->turning, c->space, contact)
                              : moved;
}

// Returns the square of the change over that of the impulses. Contacts that made much of it are
// awake then.
static double sweep_once(limpet_island_solver *s) {
  limpet_coulomb *c = s->coulomb;
  limpet_contact_space *space = c->space;
  double moved = 0.0, size = 0.0;
  for (int r = 0; r < space->rows; ++r) {
    const double dx = limpet_contact_space_row(space, r);
    moved += space->diagonal[3 * space->contacts + r] * dx * dx;
  }
  for (int i = 0; i < space->contacts; ++i) moved += c->sweep_change[i] = relax_contact(s, i);
  for (int i = 0; i < space->size; ++i) size += space->diagonal[i] * space->x[i] * space->x[i];
  c->awake_count = 0;
  for (int i = 0; i < space->contacts; ++i)
    if (c->sweep_change[i] > stirs * moved) c->awake[c->awake_count++] = i;
  return size > 0.0 ? moved / size : 0.0;
}

// A sweep over all contacts, and some over those that it woke.
static double sweep_unevenly(limpet_island_solver *s) {
  limpet_coulomb *c = s->coulomb;
  limpet_contact_space *space = c->space;
  const double moved = sweep_once(s);
  for (int k = 1; k < SWEEPS_FOR_ONE; ++k) {
    for (int r = 0; r < space->rows; ++r) limpet_contact_space_row(space, r);
    for (int i = 0; i < c->awake_count; ++i) relax_contact(s, c->awake[i]);
  }
  return moved;
}

// Slip speed of a contact that pushes [m/s]; zero: of another one.
static double swept_slip(limpet_contact_space *space, int contact) {
  double u[3];
  if (!(space->x[3 * contact + 2] > 0.0)) return 0.0;
  limpet_contact_space_contact_speed(space, contact, u);
  return sqrt(u[0] * u[0] + u[1] * u[1]);
}

/* The longest gap [m] that slip speeds of the last call would leave in a shifted problem; the
 * speeds are kept for the next call. */
static double slips_changed(limpet_island_solver *s) {
  limpet_coulomb *c = s->coulomb;
  double changed = 0.0;
  for (int i = 0; i < c->space->contacts; ++i) {
    const limpet_contact_constants *own = &s->own_constants[i];
    const double slip = swept_slip(c->space, i);
    changed = limpet_max(changed, own->dt * own->friction * fabs(slip - c->sweep_slip[i]));
    c->sweep_slip[i] = slip;
  }
  return changed;
}

/* Plain sweeps. They end where slips are within `sweeps->gap` of where they go, told from how their
 * changes fall, in two looks one after the other. */
static void sweep_plainly(limpet_island_solver *s, const limpet_coulomb_sweeps *sweeps) {
  double last = INFINITY;
  int near = 0;
  for (int k = 0; k < sweeps->plain && near < LOOKS; k += SWEEPS_FOR_ONE) {
    if (sweep_unevenly(s) <= settled * settled) return;
    if (sweeps->gap == 0.0 || k % SWEEPS_BETWEEN != 0) continue;
    // what is still to come: changed (r + r^2 + ...), r = changed/last
    const double changed = slips_changed(s);
    const bool ends = changed * changed <= (last - changed) * sweeps->gap;
    near = k > SWEEPS_BETWEEN && ends ? near + 1 : 0;
    last = changed;
  }
}

// Impulses, velocities and torques, one after the other: of the space (`out`), or into it.
static void copy_state(limpet_coulomb *c, double *all, bool out) {
  limpet_contact_space *space = c->space;
  double *const part[] = {space->x, space->v, c->turning.tau};
  const int size[] = {space->size, space->velocities, 2 * c->turning.count};
  for (int i = 0; i < 3; all += size[i++]) {
    if (size[i] == 0) continue;
    if (out) memcpy(all, part[i], (size_t)size[i] * sizeof *all);
    else memcpy(part[i], all, (size_t)size[i] * sizeof *all);
  }
}

/* Impulses by Anderson's method and what pushes of them, with v following: v is linear in them.
 * Torques may leave their bounds until the next sweep. */
static void extrapolate(limpet_coulomb *c, limpet_anderson *anderson) {
  limpet_contact_space *space = c->space;
  copy_state(c, c->sweep_now, true);
  limpet_anderson_step(anderson, c->sweep_now, c->swept);
  copy_state(c, c->swept, false);
  for (int i = 0; i < space->contacts; ++i) {
    const double away[3] = {0.0, 0.0, limpet_max(-space->x[3 * i + 2], 0.0)};
    if (away[2] > 0.0) limpet_contact_space_push_contact(space, i, away);
  }
  copy_state(c, c->swept, true);
}

bool limpet_coulomb_sweep(limpet_island_solver *s, const limpet_coulomb_sweeps *sweeps) {
  limpet_coulomb *c = s->coulomb;
  if (c->sweeps == LIMPET_SWEEPS_NEVER || (sweeps->first && c->sweeps != LIMPET_SWEEPS_FIRST) ||
      !open_space(s))
    return false;
  limpet_contact_space *space = c->space;
  const size_t forces = 3 * (size_t)space->contacts;
  const int all = space->size + space->velocities + 2 * c->turning.count;
  memset(c->swept, 0, (size_t)all * sizeof *c->swept);
  memcpy(c->swept, c->forces, forces * sizeof *c->swept);
  limpet_contact_space_set(space, c->swept);
  limpet_turning_set(&c->turning, space, s->spins.tau);
  copy_state(c, c->swept, true);
  limpet_anderson anderson;
  limpet_anderson_begin(&anderson, all, c->sweep_weight, c->sweep_memory);
  bool moves = sweep_once(s) > settled * settled;
  for (int k = 1; moves && k < sweeps->accelerated; ++k) {
    extrapolate(c, &anderson);
    moves = sweep_once(s) > settled * settled;
  }
  if (moves) sweep_plainly(s, sweeps);

  // v afresh, so that it does not carry the round-off of sweeps
  copy_state(c, c->swept, true);
  limpet_contact_space_set(space, c->swept);
  limpet_turning_set(&c->turning, space, c->swept + space->size + space->velocities);
  memcpy(c->forces, space->x, forces * sizeof *c->forces);
  memcpy(s->x, space->v, (size_t)s->n * sizeof *s->x);
  return true;
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
