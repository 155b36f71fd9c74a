/* solve/coulomb_sweep_trees.c: contacts and scalar rows of trees as the kernels of tree_sweep.h
 * take them: J and Y of the contact space copied, once in a step, into the order in which sweeps
 * read them, by groups of four velocities. Cost: as many copies as a sweep has multiply-adds. */
#include <string.h>

#include "solve/coulomb.h"
#include "solve/island.h"

static int groups_of(int count) { return (count + 3) / 4; }

static bool takes_part(const limpet_coulomb *c) { return c->only_trees && !c->free_bodies; }

// Doubles of one side: J and Y.
static size_t size_of(int unknowns, int width, int count) {
  return 4 * (size_t)(unknowns * (groups_of(width) + groups_of(count)));
}

size_t limpet_coulomb_sweep_trees_room(const limpet_island_solver *s) {
  enum { TAKES = 4, SIDES = 2 };
  const limpet_contact_problem *p = s->problem;
  const limpet_island *island = s->island;
  if (!takes_part(s->coulomb)) return 0;
  size_t doubles = 0, sides = SIDES * (size_t)island->contact_count, largest = 0;
  for (int i = 0; i < island->patch_count; ++i) {
    const limpet_patch *patch = &p->patch[island->patch + i];
    for (int k = 0; k < patch->side_count; ++k) {
      const int size = p->block[patch->side[k].block].size;
      doubles += (size_t)patch->contact_count * size_of(3, size, size);
    }
  }
  for (int i = 0; i < island->block_count; ++i) {
    const int size = limpet_island_block(p, island, i)->size;
    if (size_of(1, size, size) > largest) largest = size_of(1, size, size);
  }
  for (int r = 0; r < island->row_count; ++r) {
    const int entries = p->row[island->row + r].entry_count;
    const size_t touched = (size_t)(entries < island->block_count ? entries : island->block_count);
    sides += touched, doubles += touched * largest;
  }
  return doubles * sizeof(double) + sides * sizeof(limpet_tree_side) +
         (size_t)island->contact_count * sizeof(limpet_tree_contact) +
         (size_t)island->row_count * sizeof(limpet_tree_row) + TAKES * LIMPET_ARENA_ALIGNMENT;
}

// Rows (unknowns x count) by groups of four, the last one padded; returns the end.
static double *copy_by_groups(int unknowns, int count, const double *rows, double *to) {
  const int whole = count & ~3;
  const size_t group = 4 * sizeof *to;
  for (int i = 0; i < whole; i += 4)
    for (int e = 0; e < unknowns; ++e, to += 4) memcpy(to, rows + e * count + i, group);
  for (int e = 0; e < unknowns && whole < count; ++e, to += 4)
    for (int k = 0; k < 4; ++k) to[k] = whole + k < count ? rows[e * count + whole + k] : 0.0;
  return to;
}

// Sides of a contact or row; returns the end of their numbers.
static double *lay_sides(const limpet_contact_space *space, int group, limpet_tree_side *side,
                         double *at) {
  for (int k = space->first[group]; k < space->first[group + 1]; ++k, ++side) {
    const limpet_space_segment *segment = &space->segment[k];
    *side = (limpet_tree_side){.from = segment->offset + segment->from,
                               .J_groups = groups_of(segment->width),
                               .first = segment->offset,
                               .Y_groups = groups_of(segment->count),
                               .J = at};
    at = copy_by_groups(segment->unknowns, segment->width, segment->J, at);
    side->Y = at;
    at = copy_by_groups(segment->unknowns, segment->count, segment->Y, at);
  }
  return at;
}

// Whether the kernel for trees knows the law of a contact, and that for free bodies does not.
static bool is_of_trees(const limpet_island_solver *s, int contact) {
  const limpet_coulomb *c = s->coulomb;
  return !c->sweep_body[contact].has_law && !s->own_constants[contact].normal &&
         c->space->diagonal[3 * contact + 2] > 0.0;
}

static void lay_row(const limpet_contact_space *space, int r, const limpet_tree_side *side,
                    limpet_tree_row *row) {
  const limpet_constraint_row *from = &space->row[r];
  const int i = 3 * space->contacts + r, group = space->contacts + r;
  const double w = space->diagonal[i], R = 1.0 / from->R_inverse;
  *row = (limpet_tree_row){.alone = -1,
                           .sides = space->first[group + 1] - space->first[group],
                           .side = side,
                           .wanted = from->v_hat - space->bias[i],
                           .R = R,
                           .share = 1.0 / (R + w),
                           .w = w,
                           .lower = from->lower,
                           .upper = from->upper};
  const limpet_space_segment *segment = &space->segment[space->first[group]];
  if (row->sides == 1 && segment->width == 1) row->alone = side->from, row->value = segment->J[0];
}

bool limpet_coulomb_sweep_trees_open(limpet_island_solver *s) {
  limpet_coulomb *c = s->coulomb;
  const limpet_contact_space *space = c->space;
  const int contacts = space->contacts, groups = contacts + space->rows;
  c->tree_kernels = limpet_tree_sweep_here();
  c->sweep_tree = NULL, c->sweep_row = NULL;
  if (!takes_part(c)) return true;
  size_t doubles = 0;
  for (int k = 0; k < space->first[groups]; ++k) {
    const limpet_space_segment *segment = &space->segment[k];
    doubles += size_of(segment->unknowns, segment->width, segment->count);
  }
  limpet_tree_contact *contact = LIMPET_TAKE(&c->room, limpet_tree_contact, contacts);
  limpet_tree_row *row = LIMPET_TAKE(&c->room, limpet_tree_row, space->rows);
  limpet_tree_side *side = LIMPET_TAKE(&c->room, limpet_tree_side, space->first[groups]);
  double *at = LIMPET_TAKE(&c->room, double, doubles);
  if (!contact || !row || !side || !at) return false;
  for (int g = 0; g < groups; ++g) {
    limpet_tree_side *own = side + space->first[g];
    at = lay_sides(space, g, own, at);
    if (g >= contacts) {
      lay_row(space, g - contacts, own, &row[g - contacts]);
      continue;
    }
    contact[g] = (limpet_tree_contact){
        .sides = space->first[g + 1] - space->first[g],
        .side = own,
        .has_law = is_of_trees(s, g),
        .law = limpet_sweep_law_of(&s->own_constants[g], space->bias + 3 * g,
                                   space->diagonal + 3 * g, c->sweep_slant + 2 * g)};
  }
  c->sweep_tree = contact, c->sweep_row = row;
  return true;
}
