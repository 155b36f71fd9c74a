// solve/coulomb_turning.c: see coulomb_turning.h.
#include "solve/coulomb_turning.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/vec3.h"
#include "solve/island.h"

enum { AXES = 2, SIDES = 2 };

size_t limpet_turning_room(const limpet_contact_problem *problem, int index) {
  enum { TAKES = 6 };
  const limpet_island *island = &problem->island[index];
  const size_t spins = (size_t)island->spin_count, contacts = (size_t)island->contact_count;
  if (spins == 0) return 0;
  size_t columns = 0;
  for (int i = 0; i < island->patch_count; ++i) {
    const limpet_patch *patch = &problem->patch[island->patch + i];
    for (int k = 0; k < patch->side_count; ++k)
      columns += (size_t)(patch->spin_count * problem->block[patch->side[k].block].size);
  }
  return (2 * AXES * columns + (AXES + 1) * spins) * sizeof(double) +
         SIDES * spins * sizeof(limpet_space_segment) + (contacts + spins + 2) * sizeof(int) +
         TAKES * LIMPET_ARENA_ALIGNMENT;
}

// J = e of one side, Y = A^-1 J'.
static void fill_segment(limpet_space_segment *segment, const limpet_contact_space *space,
                         const limpet_patch_side *side, const limpet_spin *spin) {
  const limpet_block *block = &space->problem->block[side->block];
  for (int k = 0; k < side->count; ++k)
    for (int e = 0; e < AXES; ++e)
      segment->J[e * segment->count + side->dof[k] - segment->offset] =
          limpet_vec3_dot(spin->axis + 3 * e, side->column + 6 * k);
  memcpy(segment->Y, segment->J, (size_t)(AXES * segment->count) * sizeof *segment->Y);
  for (int e = 0; e < AXES; ++e)
    block->kind->solve(block, space->factor + space->factor_at[block->offset],
                       segment->Y + e * segment->count);
}

// Segments of one spin from `at` on; returns where the next begin. Fills w_r.
static int lay_spin(limpet_turning *t, const limpet_contact_space *space, const limpet_patch *patch,
                    int index, int at, double **columns) {
  double diagonal[AXES] = {0.0, 0.0};
  t->segment_first[index] = at;
  for (int k = 0; k < patch->side_count; ++k, ++at) {
    const limpet_patch_side *side = &patch->side[k];
    const limpet_block *block = &space->problem->block[side->block];
    const int size = AXES * block->size;
    t->segment[at] = (limpet_space_segment){.block = side->block,
                                            .offset = block->offset,
                                            .count = block->size,
                                            .width = block->size,
                                            .unknowns = AXES,
                                            .J = *columns,
                                            .Y = *columns + size};
    *columns += 2 * size;
    fill_segment(&t->segment[at], space, side, &t->spin[index]);
  }
  // both sides may lie on one block
  for (int a = t->segment_first[index]; a < at; ++a)
    for (int b = t->segment_first[index]; b < at; ++b) {
      const limpet_space_segment *to = &t->segment[a], *from = &t->segment[b];
      for (int e = 0; e < AXES && to->block == from->block; ++e)
        diagonal[e] += limpet_dot(to->count, to->J + e * to->count, from->Y + e * to->count);
    }
  t->inertia[index] = fmax(diagonal[0], diagonal[1]);
  return at;
}

bool limpet_turning_create(limpet_turning *t, const limpet_contact_space *space,
                           limpet_arena *arena) {
  const limpet_contact_problem *p = space->problem;
  const limpet_island *island = space->island;
  *t = (limpet_turning){.count = island->spin_count};
  if (t->count == 0) return true;
  size_t room = 0;
  for (int i = 0; i < island->patch_count; ++i) {
    const limpet_patch *patch = &p->patch[island->patch + i];
    for (int k = 0; k < patch->side_count; ++k)
      room += (size_t)(2 * AXES * patch->spin_count * p->block[patch->side[k].block].size);
  }
  t->spin = p->spin + island->spin;
  double *columns = LIMPET_TAKE_ZERO(arena, double, room);
  t->first = LIMPET_TAKE_ZERO(arena, int, space->contacts + 1);
  t->segment_first = LIMPET_TAKE(arena, int, t->count + 1);
  t->segment = LIMPET_TAKE(arena, limpet_space_segment, SIDES * t->count);
  t->tau = LIMPET_TAKE_ZERO(arena, double, AXES * t->count);
  t->inertia = LIMPET_TAKE(arena, double, t->count);
  if (!columns || !t->first || !t->segment_first || !t->segment || !t->tau || !t->inertia)
    return false;
  int at = 0;
  for (int i = 0; i < island->patch_count; ++i) {
    const limpet_patch *patch = &p->patch[island->patch + i];
    for (int k = patch->spin; k < patch->spin + patch->spin_count; ++k)
      at = lay_spin(t, space, patch, k - island->spin, at, &columns);
  }
  t->segment_first[t->count] = at;
  for (int k = 0; k < t->count; ++k) ++t->first[t->spin[k].contact - island->contact + 1];
  for (int c = 0; c < space->contacts; ++c) t->first[c + 1] += t->first[c];
  return true;
}

static void push(limpet_turning *t, limpet_contact_space *space, int spin, const double d[2]) {
  for (int e = 0; e < AXES; ++e) t->tau[2 * spin + e] += d[e];
  for (int k = t->segment_first[spin]; k < t->segment_first[spin + 1]; ++k) {
    const limpet_space_segment *segment = &t->segment[k];
    for (int e = 0; e < AXES; ++e)
      limpet_axpy(segment->count, d[e], segment->Y + e * segment->count,
                  space->v + segment->offset);
  }
}

static double length_of(const double p[2]) { return sqrt(p[0] * p[0] + p[1] * p[1]); }

static double bound_of(const limpet_turning *t, const limpet_contact_space *space, int spin) {
  const int contact = t->spin[spin].contact - space->island->contact;
  return t->spin[spin].length * fmax(space->x[3 * contact + 2], 0.0);
}

void limpet_turning_set(limpet_turning *t, limpet_contact_space *space, const double *tau) {
  for (int k = 0; k < t->count; ++k) {
    const double bound = bound_of(t, space, k), size = length_of(tau + 2 * k);
    const double share = size > bound ? bound / size : 1.0;
    const double d[2] = {share * tau[2 * k], share * tau[2 * k + 1]};
    t->tau[2 * k] = t->tau[2 * k + 1] = 0.0;
    push(t, space, k, d);
  }
}

double limpet_turning_relax(limpet_turning *t, limpet_contact_space *space, int contact) {
  double moved = 0.0;
  for (int k = t->first[contact]; k < t->first[contact + 1]; ++k) {
    const double w_r = t->inertia[k], bound = bound_of(t, space, k);
    double p[2] = {t->spin[k].drive, 0.0}, d[2];
    if (!(w_r > 0.0)) continue;
    for (int s = t->segment_first[k]; s < t->segment_first[k + 1]; ++s) {
      const limpet_space_segment *segment = &t->segment[s];
      for (int e = 0; e < AXES; ++e)
        p[e] +=
            limpet_dot(segment->count, segment->J + e * segment->count, space->v + segment->offset);
    }
    for (int e = 0; e < AXES; ++e) p[e] -= w_r * t->tau[2 * k + e];
    const double size = length_of(p), share = size > w_r * bound ? bound / size : 1.0 / w_r;
    for (int e = 0; e < AXES; ++e) d[e] = -share * p[e] - t->tau[2 * k + e];
    if (d[0] == 0.0 && d[1] == 0.0) continue;
    push(t, space, k, d);
    moved += w_r * (d[0] * d[0] + d[1] * d[1]);
  }
  return moved;
}
