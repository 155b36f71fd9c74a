/* solve/coulomb_sweep_space.c: which islands are swept, and what sweeps (coulomb_sweep.c) need: the
 * space of their contacts, filled once in a step, and the order of a sweep. */
#include <math.h>
#include <string.h>

#include "contact/block_soft.h"
#include "math/extremes.h"
#include "optim/anderson.h"
#include "solve/coulomb_facets.h"
#include "solve/island.h"

// Below as many contacts, and velocities of an island, iterations cost less than first sweeps save:
// measured, see docs/theory/coulomb.md
enum { MANY_CONTACTS = 16, MANY_VELOCITIES = 64 };
// The same of free bodies, between which a sweep costs little
enum { SOME_CONTACTS = 6, SOME_VELOCITIES = 18 };
// Velocities of a block up to which the solves of a contact cost less than sweeps save: the first
// ones of a step, and those where the iteration stalls, but for soft bodies
enum { LARGE_BLOCK = 64, HUGE_BLOCK = 1024 };
enum { PIVOTED_ROWS = 96 };  // of an island of trees: time goes with their cube
enum { HEAVY_BLOCK = 12 };   // velocities of two free bodies
// [-]  normal velocity that friction makes over that of the normal impulse, from which both are
// relaxed together
static const double jamming = 1.0;

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

/* Whether pivoting takes part: contacts of trees, and their rows, only where all are pivoted
 * together, as others follow by sweeps. */
static bool may_pivot(const limpet_island_solver *s) {
  const limpet_island *island = s->island;
  if (island->spin_count > 0 || island->contact_count == 0) return false;
  return s->coulomb->free_bodies ||
         (!s->coulomb->soft && island->contact_count <= LIMPET_FACETS_CONTACTS &&
          island->row_count <= PIVOTED_ROWS);
}

static limpet_sweeps_when when_to_sweep(const limpet_island_solver *s, int largest) {
  const int contacts = s->island->contact_count;
  if (contacts == 0 || (largest > HUGE_BLOCK && !s->coulomb->soft)) return LIMPET_SWEEPS_NEVER;
  const bool many = s->coulomb->free_bodies ? contacts >= SOME_CONTACTS && s->n >= SOME_VELOCITIES
                                            : contacts >= MANY_CONTACTS && s->n >= MANY_VELOCITIES;
  // sweeps over stiff ties settle slowly
  const bool ties = s->soft && s->island->row_count > 0;
  return many && largest <= LARGE_BLOCK && !ties ? LIMPET_SWEEPS_FIRST : LIMPET_SWEEPS_AT_STALLS;
}

// Bytes that the memory of sweeps takes.
static size_t room_of_sweeps(const limpet_island_solver *s) {
  const size_t contacts = (size_t)s->island->contact_count,
               all = 3 * contacts + (size_t)(s->island->row_count + 2 * s->island->spin_count);
  enum { TAKES = 16 };
  const int island = (int)(s->island - s->problem->island);
  const size_t own = (3 * all + 13 * contacts + limpet_anderson_size((int)all)) * sizeof(double) +
                     sizeof(limpet_contact_space) +
                     contacts * (3 * sizeof(int) + sizeof(bool) + sizeof(limpet_body_contact)) +
                     (size_t)s->n * (sizeof(unsigned) + sizeof(double)) +
                     TAKES * LIMPET_ARENA_ALIGNMENT;
  return own + limpet_contact_space_room(s->problem, island) +
         limpet_turning_room(s->problem, island) + limpet_coulomb_sweep_trees_room(s) +
         (s->later ? 0 : limpet_coulomb_facets_room(s));
}

limpet_status limpet_coulomb_sweeps_create(limpet_island_solver *s, limpet_arena *arena) {
  limpet_coulomb *c = s->coulomb;
  const int largest = largest_block(s);
  c->space = NULL;
  c->facets = (limpet_arena){0};
  c->awake_count = 0;
  c->heavy = largest > HEAVY_BLOCK;
  c->soft = has_soft_bodies(s);
  c->only_trees = !s->soft;
  c->free_bodies = has_free_bodies(s);
  c->pivots = may_pivot(s);
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

// A contact as the kernels for bodies that float alone take it; `sides` is zero for others.
static void lay_body_contact(const limpet_island_solver *s, int contact,
                             limpet_body_contact *body) {
  const limpet_coulomb *c = s->coulomb;
  const limpet_contact_space *space = c->space;
  const limpet_contact_constants *own = &s->own_constants[contact];
  const double *w = space->diagonal + 3 * contact;
  const int from = space->first[contact], sides = space->first[contact + 1] - from;
  *body = (limpet_body_contact){.sides = 0};
  for (int k = 0; k < sides; ++k) {
    const limpet_space_segment *segment = &space->segment[from + k];
    if (segment->count != FREE_BODY) return;
    body->first[k] = segment->offset;
    body->J[k] = segment->J, body->Y[k] = segment->Y;
  }
  body->sides = sides;
  body->has_law = sides > 0 && !c->sweep_jams[contact] && !own->normal && w[2] > 0.0;
  if (body->has_law)
    body->law =
        limpet_sweep_law_of(own, space->bias + 3 * contact, w, c->sweep_slant + 2 * contact);
}

enum { ROUNDS = 32 };  // at most: contacts that are left then follow as they come

/* The order of a sweep over free bodies, by rounds: no two contacts of a round move the same body,
 * so none waits for the one before, and the processor takes several at once. A contact goes into
 * the first round that has neither of its bodies. `seen` (velocities), zero: bits of the rounds
 * that move the body which begins there; `round` (contacts): scratch. */
static void order_contacts(limpet_coulomb *c, unsigned *seen, int *round) {
  const limpet_contact_space *space = c->space;
  int begin[ROUNDS + 2] = {0};
  for (int i = 0; i < space->contacts; ++i) {
    const limpet_space_segment *from = space->segment + space->first[i],
                               *to = space->segment + space->first[i + 1];
    unsigned taken = 0;
    for (const limpet_space_segment *k = from; k < to; ++k) taken |= seen[k->offset];
    round[i] = !c->free_bodies ? 0 : ~taken ? __builtin_ctz(~taken) : ROUNDS;
    for (const limpet_space_segment *k = from; k < to && round[i] < ROUNDS; ++k)
      seen[k->offset] |= 1u << round[i];
    ++begin[round[i] + 1];
  }
  for (int r = 0; r <= ROUNDS; ++r) begin[r + 1] += begin[r];
  for (int i = 0; i < space->contacts; ++i) c->sweep_order[begin[round[i]]++] = i;
}

// Whether kernels fill the space: nothing but bodies with matrices of their own.
static bool has_dense_bodies(const limpet_island_solver *s) {
  for (int i = 0; i < s->island->block_count; ++i) {
    const limpet_block *block = limpet_island_block(s->problem, s->island, i);
    if (!block->kind->dense || block->mesh) return false;
  }
  return s->coulomb->free_bodies;
}

// J, Y and W of the space.
static bool fill_space(limpet_island_solver *s) {
  limpet_coulomb *c = s->coulomb;
  if (has_dense_bodies(s)) return limpet_coulomb_sweep_bodies_fill(s);
  if (limpet_contact_space_fill(c->space) != LIMPET_OUTCOME_SOLVED) return false;
  for (int i = 0; i < c->space->contacts; ++i)
    limpet_contact_space_own(c->space, i, c->sweep_own + 9 * i);
  return true;
}

// Contacts as they are swept, once the space is filled.
static void lay_contacts(limpet_island_solver *s) {
  limpet_coulomb *c = s->coulomb;
  const limpet_contact_space *space = c->space;
  c->sweep_alike = space->rows == 0 && c->turning.count == 0;
  for (int i = 0; i < space->size; ++i) c->sweep_weight[i] = sqrt(space->diagonal[i]);
  for (int i = 0; i < 2 * c->turning.count; ++i)
    c->sweep_weight[space->size + i] = sqrt(c->turning.inertia[i / 2]);
  for (int i = 0; i < space->contacts; ++i) {
    const double *W = c->sweep_own + 9 * i;
    for (int e = 0; e < 2; ++e) c->sweep_slant[2 * i + e] = W[3 * e + 2];
    c->sweep_jams[i] = may_jam(&s->own_constants[i], c->sweep_slant + 2 * i, W[8]);
    lay_body_contact(s, i, &c->sweep_body[i]);
    c->sweep_alike = c->sweep_alike && c->sweep_body[i].has_law;
  }
}

bool limpet_coulomb_sweeps_open(limpet_island_solver *s) {
  limpet_coulomb *c = s->coulomb;
  if (c->space) return true;
  if (c->later && limpet_arena_part(c->later, room_of_sweeps(s), &c->room) != LIMPET_OK)
    return false;
  c->later = NULL;
  limpet_arena *room = &c->room;
  limpet_contact_space *space = LIMPET_TAKE(room, limpet_contact_space, 1);
  const int island = (int)(s->island - s->problem->island);
  if (!space || limpet_contact_space_create(space, s->problem, island, room) != LIMPET_OK)
    return false;
  c->body_kernels = limpet_body_sweep_here();
  c->sweep_own = LIMPET_TAKE(room, double, 9 * space->contacts);
  if (!c->sweep_own) return false;
  c->space = space;
  const bool filled = fill_space(s);
  c->space = NULL;
  if (!filled || !limpet_turning_create(&c->turning, space, room)) return false;
  const int all = space->size + 2 * c->turning.count;
  c->swept = LIMPET_TAKE(room, double, all);
  c->sweep_now = LIMPET_TAKE(room, double, all);
  c->sweep_weight = LIMPET_TAKE(room, double, all);
  c->sweep_slant = LIMPET_TAKE(room, double, 2 * space->contacts);
  c->sweep_memory = LIMPET_TAKE(room, double, limpet_anderson_size(all));
  c->sweep_change = LIMPET_TAKE(room, double, space->contacts);
  c->sweep_body = LIMPET_TAKE(room, limpet_body_contact, space->contacts);
  c->sweep_slip = LIMPET_TAKE_ZERO(room, double, space->contacts);
  c->sweep_jams = LIMPET_TAKE(room, bool, space->contacts);
  c->awake = LIMPET_TAKE(room, int, space->contacts);
  c->sweep_order = LIMPET_TAKE(room, int, space->contacts);
  unsigned *seen = LIMPET_TAKE_ZERO(room, unsigned, space->velocities);
  int *round = LIMPET_TAKE(room, int, space->contacts);
  if (!c->sweep_now || !c->sweep_change || !c->sweep_body || !c->sweep_order || !round || !seen ||
      !c->sweep_slip || !c->sweep_jams || !c->awake || !c->swept || !c->sweep_weight ||
      !c->sweep_slant || !c->sweep_memory)
    return false;
  c->space = space;
  lay_contacts(s);
  if (!limpet_coulomb_sweep_trees_open(s)) {
    c->space = NULL;
    return false;
  }
  order_contacts(c, seen, round);
  return true;
}
