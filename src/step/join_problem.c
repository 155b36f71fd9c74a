/* step/join_problem.c: see join_problem.h.
 *
 *   whole   the islands of the attempt but those of moved trees, and those of the part, in the
 *           order of their first blocks, and the records of both
 *
 * Cost: a copy of the problem. */
#include "step/join_problem.h"

#include <math.h>
#include <string.h>

#include "contact/assemble.h"

// Records of both, by geoms; to_whole: where those of the attempt (0) and of the part (1) come.
typedef struct record_merge {
  const limpet_contact_records *from[2];
  int *to_whole[2];
  int last[2];  // pair that was copied last of each
} record_merge;

static void copy_record(record_merge *merge, int source, int i, int found,
                        limpet_contact_records *to) {
  const limpet_contact_record *record = &merge->from[source]->record[i];
  if (record->pair != merge->last[source]) {
    to->pair[to->pair_count++] = merge->from[source]->pair[record->pair];
    merge->last[source] = record->pair;
  }
  to->record[to->count] = *record;
  to->record[to->count].pair = to->pair_count - 1;
  to->record[to->count].found = found;
  merge->to_whole[source][i] = to->count++;
}

// Where a point of the attempt's collision is in the new one; *from: a place that is not after it.
static int found_again(const limpet_parting *p, int found, int *from) {
  const limpet_collision *posed = p->posed, *all = &p->work->collision;
  const limpet_collision_pair *pair = limpet_collision_pair_of(posed, found);
  int first = found;
  while (first > 0 && posed->contact[first - 1].pair == posed->contact[found].pair) --first;
  while (limpet_collision_pair_before(limpet_collision_pair_of(all, *from), pair)) ++*from;
  return *from + found - first;
}

static limpet_status merge_records(const limpet_parting *p, const limpet_contact_records *part,
                                   limpet_arena *arena, record_merge *merge,
                                   limpet_contact_records *to) {
  const limpet_contact_records *old = &p->work->records;
  *merge = (record_merge){
      .from = {old, part},
      .to_whole = {LIMPET_TAKE(arena, int, old->count), LIMPET_TAKE(arena, int, part->count)},
      .last = {LIMPET_NONE, LIMPET_NONE}};
  *to = (limpet_contact_records){
      .pair = LIMPET_TAKE(arena, limpet_contact_pair, old->pair_count + part->pair_count),
      .record = LIMPET_TAKE(arena, limpet_contact_record, old->count + part->count)};
  if (!merge->to_whole[0] || !merge->to_whole[1] || !to->pair || !to->record)
    return LIMPET_ERROR_MEMORY;
  int k = 0, from = 0;
  for (int i = 0; i < old->count; ++i) {
    const limpet_geom_pair *geoms = &old->pair[old->record[i].pair].geoms;
    if (limpet_moved_trees_has(p, geoms->geom_a) || limpet_moved_trees_has(p, geoms->geom_b))
      continue;
    for (;
         k < part->count && limpet_geom_pair_before(&part->pair[part->record[k].pair].geoms, geoms);
         ++k)
      copy_record(merge, 1, k, part->record[k].found, to);
    copy_record(merge, 0, i, found_again(p, old->record[i].found, &from), to);
  }
  for (; k < part->count; ++k) copy_record(merge, 1, k, part->record[k].found, to);
  return LIMPET_OK;
}

// Two problems that become one.
typedef struct problem_merge {
  const limpet_contact_problem *from[2];  // of the attempt, and of the part
  const int *to_record[2];                // (records of each)
  bool *known[2];                         // (contacts of each)  NULL: all are
  int *place[2];                          // (islands of each)  in the whole; LIMPET_NONE: not yet
  limpet_contact_problem *to;
  bool *to_known;  // (contacts)
  double *bound;   // (contacts and rows)
  int *kept;       // (islands)  of the attempt that they are; LIMPET_NONE
  int blocks;      // in islands so far
} problem_merge;

static limpet_status take_whole(problem_merge *m, limpet_arena *arena) {
  const limpet_contact_problem *a = m->from[0], *b = m->from[1];
  limpet_contact_problem *to = m->to;
  const int contacts = a->contact_count + b->contact_count, rows = a->row_count + b->row_count;
  const int islands = a->island_count + b->island_count;
  *to = *b;
  to->block = LIMPET_TAKE(arena, limpet_block, a->block_count);
  to->patch = LIMPET_TAKE(arena, limpet_patch, a->patch_count + b->patch_count);
  to->constants = LIMPET_TAKE(arena, limpet_contact_constants, contacts);
  to->contact_row = LIMPET_TAKE(arena, double, 18 * (size_t)contacts);
  to->contact_source = LIMPET_TAKE(arena, int, contacts);
  const bool biased = a->contact_bias || b->contact_bias;
  to->contact_bias = biased ? LIMPET_TAKE_ZERO(arena, double, LIMPET_CONTACT_BIAS *contacts) : NULL;
  to->carried = LIMPET_TAKE(arena, double, 3 * contacts);
  const bool bristles = a->stretch || b->stretch;
  to->stretch = bristles ? LIMPET_TAKE_ZERO(arena, double, 3 * contacts) : NULL;
  to->rebound = bristles ? LIMPET_TAKE_ZERO(arena, double, contacts) : NULL;
  to->taken = bristles ? LIMPET_TAKE_ZERO(arena, double, contacts) : NULL;
  to->row = LIMPET_TAKE(arena, limpet_constraint_row, rows);
  to->entry_dof = LIMPET_TAKE(arena, int, a->entry_count + b->entry_count);
  to->entry_value = LIMPET_TAKE(arena, double, a->entry_count + b->entry_count);
  to->island = LIMPET_TAKE(arena, limpet_island, islands);
  to->island_block = LIMPET_TAKE(arena, int, a->block_count);
  m->to_known = LIMPET_TAKE(arena, bool, contacts);
  m->kept = LIMPET_TAKE(arena, int, islands);
  m->place[0] = LIMPET_TAKE(arena, int, a->island_count);
  m->place[1] = LIMPET_TAKE(arena, int, b->island_count);
  const bool bounded = a->return_bound || b->return_bound;
  m->bound = bounded ? LIMPET_TAKE(arena, double, contacts + rows) : NULL;
  if (!to->block || !to->patch || !to->constants || !to->contact_row || !to->contact_source ||
      (biased && !to->contact_bias) || !to->carried ||
      (bristles && (!to->stretch || !to->rebound || !to->taken)) || !to->row || !to->entry_dof ||
      !to->entry_value || !to->island || !to->island_block || !m->to_known || !m->kept ||
      !m->place[0] || !m->place[1] || (bounded && !m->bound))
    return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < a->island_count; ++i) m->place[0][i] = LIMPET_NONE;
  for (int i = 0; i < b->island_count; ++i) m->place[1][i] = LIMPET_NONE;
  to->patch_count = to->contact_count = to->row_count = to->entry_count = to->island_count = 0;
  to->anisotropic = a->anisotropic || b->anisotropic;
  to->loaded = a->loaded || b->loaded;
  return LIMPET_OK;
}

static void copy_patches(problem_merge *m, const limpet_contact_problem *from,
                         const limpet_island *island) {
  limpet_contact_problem *to = m->to;
  for (int i = 0; i < island->patch_count; ++i) {
    limpet_patch *patch = &to->patch[to->patch_count++];
    *patch = from->patch[island->patch + i];
    patch->contact += to->contact_count - island->contact;
  }
}

static void copy_contacts(problem_merge *m, int source, const limpet_island *island) {
  const limpet_contact_problem *from = m->from[source];
  limpet_contact_problem *to = m->to;
  const int at = to->contact_count, first = island->contact;
  const size_t count = (size_t)island->contact_count;
  memcpy(to->constants + at, from->constants + first, count * sizeof *to->constants);
  memcpy(to->contact_row + 18 * at, from->contact_row + 18 * first,
         18 * count * sizeof *to->contact_row);
  if (from->contact_bias)
    memcpy(to->contact_bias + LIMPET_CONTACT_BIAS * at,
           from->contact_bias + LIMPET_CONTACT_BIAS * first,
           LIMPET_CONTACT_BIAS * count * sizeof *to->contact_bias);
  memcpy(to->carried + 3 * at, from->carried + 3 * first, 3 * count * sizeof *to->carried);
  if (from->stretch) {
    memcpy(to->stretch + 3 * at, from->stretch + 3 * first, 3 * count * sizeof *to->stretch);
    memcpy(to->rebound + at, from->rebound + first, count * sizeof *to->rebound);
    memcpy(to->taken + at, from->taken + first, count * sizeof *to->taken);
  }
  for (int i = 0; i < island->contact_count; ++i) {
    to->contact_source[at + i] = m->to_record[source][from->contact_source[first + i]];
    m->to_known[at + i] = !m->known[source] || m->known[source][first + i];
  }
  to->contact_count += island->contact_count;
}

static void copy_rows(problem_merge *m, const limpet_contact_problem *from,
                      const limpet_island *island) {
  limpet_contact_problem *to = m->to;
  for (int i = 0; i < island->row_count; ++i) {
    limpet_constraint_row *row = &to->row[to->row_count++];
    *row = from->row[island->row + i];
    const size_t count = (size_t)row->entry_count;
    memcpy(to->entry_dof + to->entry_count, from->entry_dof + row->entry,
           count * sizeof *to->entry_dof);
    memcpy(to->entry_value + to->entry_count, from->entry_value + row->entry,
           count * sizeof *to->entry_value);
    row->entry = to->entry_count;
    to->entry_count += row->entry_count;
  }
}

// An island of one of the problems at the end of the whole.
static void copy_island(problem_merge *m, int source, int index) {
  const limpet_contact_problem *from = m->from[source];
  const limpet_island *island = &from->island[index];
  limpet_contact_problem *to = m->to;
  m->kept[to->island_count] = source == 0 ? index : LIMPET_NONE;
  limpet_island *copy = &to->island[to->island_count++];
  *copy = *island;
  copy->block = m->blocks, copy->patch = to->patch_count, copy->contact = to->contact_count,
  copy->row = to->row_count;
  memcpy(to->island_block + m->blocks, from->island_block + island->block,
         (size_t)island->block_count * sizeof *to->island_block);
  m->blocks += island->block_count;
  copy_patches(m, from, island);
  copy_contacts(m, source, island);
  copy_rows(m, from, island);
}

// Islands are numbered by their first block, as partition numbers them.
static void copy_islands(problem_merge *m, const bool *moved) {
  limpet_contact_problem *to = m->to;
  for (int t = 0; t < to->block_count; ++t) {
    const int source = moved[t];
    limpet_block *block = &to->block[t];
    *block = m->from[source]->block[t];
    if (block->island < 0) continue;
    int *place = &m->place[source][block->island];
    if (*place == LIMPET_NONE) {
      *place = to->island_count;
      copy_island(m, source, block->island);
    }
    block->island = *place;
  }
}

// Bounds of all that comes back; of all else they are infinite.
static void copy_bounds(problem_merge *m) {
  limpet_contact_problem *to = m->to;
  to->return_bound = m->bound;
  if (!m->bound) return;
  for (int i = 0; i < to->contact_count + to->row_count; ++i) m->bound[i] = INFINITY;
  for (int source = 0; source < 2; ++source) {
    const limpet_contact_problem *from = m->from[source];
    for (int i = 0; i < from->island_count && from->return_bound; ++i) {
      if (m->place[source][i] == LIMPET_NONE) continue;
      const limpet_island *island = &from->island[i], *copy = &to->island[m->place[source][i]];
      memcpy(m->bound + copy->contact, from->return_bound + island->contact,
             (size_t)island->contact_count * sizeof *m->bound);
      memcpy(m->bound + to->contact_count + copy->row,
             from->return_bound + from->contact_count + island->row,
             (size_t)island->row_count * sizeof *m->bound);
    }
  }
}

static limpet_status merge_problems(const limpet_parting *p, const limpet_contact_problem *part,
                                    const record_merge *records, bool *known, limpet_arena *arena,
                                    limpet_contact_problem *to, problem_merge *m) {
  *m = (problem_merge){.from = {&p->work->problem, part},
                       .to_record = {records->to_whole[0], records->to_whole[1]},
                       .known = {NULL, known},
                       .to = to};
  if (take_whole(m, arena)) return LIMPET_ERROR_MEMORY;
  copy_islands(m, p->moved);
  copy_bounds(m);
  return to->model->turns ? limpet_problem_take_spins(to, arena) : LIMPET_OK;
}

limpet_status limpet_problem_join(const limpet_parting *p, const limpet_step_work *part,
                                  bool *known) {
  limpet_step_work *work = p->work;
  record_merge records;
  problem_merge m;
  limpet_contact_records all;
  limpet_contact_problem whole;
  if (merge_records(p, &part->records, work->arena, &records, &all) ||
      merge_problems(p, &part->problem, &records, known, work->arena, &whole, &m))
    return LIMPET_ERROR_MEMORY;
  work->problem = whole, work->records = all;
  limpet_contact_records_find(&work->records, &work->problem);
  work->known = m.to_known, work->kept_island = m.kept;
  return LIMPET_OK;
}
