/* solve/island_contact_space_memory.c: which blocks contacts and rows of an island act on, and the
 * memory of their columns: see island_contact_space.h. */
#include "solve/island_contact_space.h"

#include <string.h>

#include "solve/island.h"
#include "solve/row.h"

enum { PADS = 3 };  // zeros after v

static int blocks_of_row(const limpet_contact_problem *p, const limpet_island *island,
                         const limpet_constraint_row *row) {
  int count = 0, last = -1;
  for (int t = 0; t < island->block_count; ++t) {
    const int block = p->island_block[island->block + t], from = p->block[block].offset,
              to = from + p->block[block].size;
    for (int e = row->entry; e < row->entry + row->entry_count && last != block; ++e)
      if (p->entry_dof[e] >= from && p->entry_dof[e] < to) ++count, last = block;
  }
  return count;
}

/* A segment, whose J and Y have no room yet. dof (count): velocities of the island that J may act
 * on, those of other blocks among them. */
static void lay_segment(limpet_contact_space *s, limpet_space_segment *segment, int block,
                        int unknowns, int count, const int *dof) {
  const limpet_block *of = &s->problem->block[block];
  const bool whole = of->size == FREE_BODY;
  int low = of->size, high = 0;
  for (int i = 0; i < count && !whole; ++i) {
    const int at = dof[i] - of->offset;
    if (at < 0 || at >= of->size) continue;
    if (at < low) low = at;
    if (at >= high) high = at + 1;
  }
  if (high <= low) low = 0, high = of->size;
  *segment = (limpet_space_segment){.block = block,
                                    .offset = of->offset,
                                    .count = of->size,
                                    .from = low,
                                    .width = high - low,
                                    .unknowns = unknowns};
  s->column_count += (size_t)(unknowns * (of->size + segment->width));
}

// Gives each segment its part of the columns.
static limpet_status take_columns(limpet_contact_space *s, int segments, limpet_arena *arena) {
  double *at = LIMPET_TAKE(arena, double, s->column_count);
  if (!at) return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < segments; ++k) {
    limpet_space_segment *segment = &s->segment[k];
    segment->J = at, at += segment->unknowns * segment->width;
    segment->Y = at, at += segment->unknowns * segment->count;
  }
  return LIMPET_OK;
}

/* Whether solves with all blocks cost less multiply-adds than columns of M^-1 J' for all unknowns:
 * of trees that carry many contacts and rows. */
static bool solves_pay(const limpet_contact_space *s) {
  const int segments = s->first[s->contacts + s->rows];
  size_t columns = 0, products = 0;
  for (int i = 0; i < s->island->block_count; ++i) {
    const limpet_block *block = limpet_island_block(s->problem, s->island, i);
    const size_t n = (size_t)block->size;
    if (!block->kind->dense) return false;
    products += n * n;
  }
  for (int k = 0; k < segments; ++k) {
    const limpet_space_segment *segment = &s->segment[k];
    products += (size_t)(segment->unknowns * segment->width);
    columns += (size_t)(segment->unknowns * segment->count);
  }
  return products < columns;
}

static limpet_status take_segments(limpet_contact_space *s, limpet_arena *arena) {
  const limpet_contact_problem *p = s->problem;
  const limpet_island *island = s->island;
  int room = 2 * s->contacts, at = 0;
  for (int r = 0; r < s->rows; ++r) room += blocks_of_row(p, island, s->row + r);
  s->segment = LIMPET_TAKE(arena, limpet_space_segment, room);
  if (!s->segment) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < island->patch_count; ++i) {
    const limpet_patch *patch = &p->patch[island->patch + i];
    for (int c = 0; c < patch->contact_count; ++c) {
      s->first[patch->contact - island->contact + c] = at;
      for (int k = 0; k < patch->side_count; ++k)
        lay_segment(s, &s->segment[at++], patch->side[k].block, 3, patch->side[k].count,
                    patch->side[k].dof);
    }
  }
  for (int r = 0; r < s->rows; ++r) {
    s->first[s->contacts + r] = at;
    for (int t = 0; t < island->block_count; ++t) {
      const int block = p->island_block[island->block + t], from = p->block[block].offset,
                to = from + p->block[block].size;
      bool touched = false;
      for (int e = s->row[r].entry; e < s->row[r].entry + s->row[r].entry_count; ++e)
        touched |= p->entry_dof[e] >= from && p->entry_dof[e] < to;
      if (touched)
        lay_segment(s, &s->segment[at++], block, 1, s->row[r].entry_count,
                    p->entry_dof + s->row[r].entry);
    }
  }
  s->first[s->contacts + s->rows] = at;
  s->solves = solves_pay(s);
  return take_columns(s, at, arena);
}

size_t limpet_contact_space_room(const limpet_contact_problem *p, int index) {
  enum { TAKES = 14 };
  const limpet_island *island = &p->island[index];
  const size_t n = (size_t)island->size, c = (size_t)island->contact_count,
               r = (size_t)island->row_count, blocks = (size_t)island->block_count;
  size_t segments = 2 * c, doubles = 5 * n + PADS + 4 * (3 * c + r) + 6 * c, largest = 0;
  for (size_t i = 0; i < blocks; ++i) {
    const limpet_block *block = limpet_island_block(p, island, (int)i);
    doubles += block->kind->factor_size(block);
    if ((size_t)block->size > largest) largest = (size_t)block->size;
  }
  for (int i = 0; i < island->patch_count; ++i) {
    const limpet_patch *patch = &p->patch[island->patch + i];
    for (int k = 0; k < patch->side_count; ++k)
      doubles += 6 * (size_t)(patch->contact_count * p->block[patch->side[k].block].size);
  }
  for (size_t i = 0; i < r; ++i) {
    const size_t entries = (size_t)p->row[island->row + (int)i].entry_count;
    const size_t touched = entries < blocks ? entries : blocks;
    segments += touched;
    doubles += 2 * touched * largest;
  }
  return doubles * sizeof(double) + segments * sizeof(limpet_space_segment) +
         (c + r + 1) * sizeof(int) + n * sizeof(size_t) + c * sizeof(limpet_contact_constants) +
         TAKES * LIMPET_ARENA_ALIGNMENT;
}

limpet_status limpet_contact_space_create(limpet_contact_space *s,
                                          const limpet_contact_problem *problem, int index,
                                          limpet_arena *arena) {
  const limpet_island *island = &problem->island[index];
  *s = (limpet_contact_space){.problem = problem,
                              .island = island,
                              .model = problem->model->family == LIMPET_CONTACT_IMPULSIVE
                                           ? limpet_impulsive_model_of(problem->model)
                                           : NULL,
                              .velocities = island->size,
                              .contacts = island->contact_count,
                              .rows = island->row_count,
                              .size = 3 * island->contact_count + island->row_count,
                              .dt = problem->dt,
                              .row = problem->row + island->row};
  const size_t n = (size_t)s->velocities, m = (size_t)s->size;
  size_t factors = 0;
  s->factor_at = LIMPET_TAKE(arena, size_t, s->velocities);
  for (int i = 0; s->factor_at && i < island->block_count; ++i) {
    const limpet_block *block = limpet_island_block(problem, island, i);
    s->factor_at[block->offset] = factors;
    factors += block->kind->factor_size(block);
  }
  double *velocities = LIMPET_TAKE_ZERO(arena, double, 4 * n + PADS),
         *unknowns = LIMPET_TAKE_ZERO(arena, double, 4 * m);
  s->first = LIMPET_TAKE(arena, int, s->contacts + s->rows + 1);
  s->factor = LIMPET_TAKE(arena, double, factors);
  s->contact_u = LIMPET_TAKE_ZERO(arena, double, 3 * s->contacts);
  s->constants = LIMPET_TAKE(arena, limpet_contact_constants, s->contacts);
  s->carried = problem->carried ? LIMPET_TAKE_ZERO(arena, double, 3 * s->contacts) : NULL;
  if (s->model)
    s->memory =
        limpet_arena_take(arena, s->model->memory_size(s->contacts, s->rows, s->velocities));
  const bool dense = s->model && s->model->dense;
  if (dense) s->A = LIMPET_TAKE(arena, double, m *m);
  if (!s->factor_at || !velocities || !unknowns || !s->first || !s->factor || !s->contact_u ||
      (s->model && !s->memory) || (dense && !s->A) || !s->constants ||
      (problem->carried && !s->carried) || take_segments(s, arena) != LIMPET_OK)
    return LIMPET_ERROR_MEMORY;
  memcpy(s->constants, problem->constants + island->contact,
         (size_t)s->contacts * sizeof *s->constants);
  s->v_start = velocities, s->v_free = velocities + n, s->impulse = velocities + 2 * n,
  s->v = velocities + 3 * n;
  s->x = unknowns, s->b = unknowns + m, s->bias = unknowns + 2 * m, s->diagonal = unknowns + 3 * m;
  return LIMPET_OK;
}

double *limpet_space_take(char *memory, size_t *used, size_t count) {
  double *array = memory ? (double *)(void *)(memory + *used) : NULL;
  *used += count * sizeof(double);
  return array;
}
