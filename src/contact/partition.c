/* contact/partition.c: islands of the contact problem: connected components of blocks under patches
 * and rows.
 *
 * Sets have their smallest block as root (math/forest.h), so that islands are numbered by their
 * first block and do not depend on the order in which contacts came. Cost O(blocks + patches +
 * rows) nearly. */
#include <string.h>

#include "contact/problem.h"
#include "math/forest.h"

limpet_status limpet_problem_place_patches(const limpet_contact_problem *problem, const int *block,
                                           int count, limpet_arena *arena, int *place) {
  const int n = problem->block_count;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  int *parent = LIMPET_TAKE(arena, int, n), *begin = LIMPET_TAKE_ZERO(arena, int, n + 1);
  if (!parent || !begin) return LIMPET_ERROR_MEMORY;
  for (int t = 0; t < n; ++t) parent[t] = t;
  for (int i = 0; i < count; ++i)
    if (block[2 * i] >= 0 && block[2 * i + 1] >= 0)
      limpet_forest_join(parent, block[2 * i], block[2 * i + 1]);

  // the root of each, n: it has none; then roots by counting
  for (int i = 0; i < count; ++i) {
    const int first = block[2 * i] >= 0 ? block[2 * i] : block[2 * i + 1];
    place[i] = first >= 0 ? limpet_forest_root(parent, first) : n;
    ++begin[place[i]];
  }
  for (int t = 0, sum = 0; t <= n; ++t) {
    const int size = begin[t];
    begin[t] = sum;
    sum += size;
  }
  for (int i = 0; i < count; ++i) place[i] = begin[place[i]]++;
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

// parent: union-find forest; used[block]: whether a patch or row touches it.
static void connect(const limpet_contact_problem *problem, int *parent, char *used) {
  if (problem->block_count == 1) {
    used[0] = problem->patch_count + problem->row_count > 0;
    return;
  }
  for (int i = 0; i < problem->patch_count; ++i) {
    const limpet_patch *patch = &problem->patch[i];
    for (int s = 0; s < patch->side_count; ++s) used[patch->side[s].block] = 1;
    if (patch->side_count == 2)
      limpet_forest_join(parent, patch->side[0].block, patch->side[1].block);
  }
  // entries of a row come block by block, mostly of one
  for (int i = 0; i < problem->row_count; ++i) {
    const limpet_constraint_row *row = &problem->row[i];
    int last = -1, begin = 0, size = 0;
    for (int e = row->entry; e < row->entry + row->entry_count; ++e) {
      if ((unsigned)(problem->entry_dof[e] - begin) < (unsigned)size) continue;
      const int block = problem->dof_block[problem->entry_dof[e]];
      used[block] = 1;
      if (last >= 0) limpet_forest_join(parent, last, block);
      last = block, begin = problem->block[block].dof, size = problem->block[block].size;
    }
  }
}

// Numbers islands by their first block, lists their blocks and their sizes.
static void number_islands(limpet_contact_problem *problem, int *parent, const char *used) {
  int count = 0;
  for (int t = 0; t < problem->block_count; ++t) {
    problem->block[t].island = -1, problem->block[t].offset = 0;
    if (!used[t]) continue;
    const int root = limpet_forest_root(parent, t);
    if (root == t) {
      problem->island[count] = (limpet_island){0};
      problem->block[t].island = count++;
    } else {
      problem->block[t].island = problem->block[root].island;
    }
    limpet_island *island = &problem->island[problem->block[t].island];
    problem->block[t].offset = island->size;
    island->size += problem->block[t].size;
    ++island->block_count;
  }
  problem->island_count = count;
  int begin = 0;
  for (int i = 0; i < count; ++i) {
    problem->island[i].block = begin;
    begin += problem->island[i].block_count;
    problem->island[i].block_count = 0;
  }
  for (int t = 0; t < problem->block_count; ++t) {
    if (problem->block[t].island < 0) continue;
    limpet_island *island = &problem->island[problem->block[t].island];
    problem->island_block[island->block + island->block_count++] = t;
  }
}

static limpet_island *island_of(const limpet_contact_problem *problem, const limpet_patch *patch) {
  return &problem->island[problem->block[patch->side[0].block].island];
}

// Where each island's patches and contacts begin, and how many it has.
static void begin_islands(limpet_contact_problem *problem) {
  for (int i = 0; i < problem->patch_count; ++i) {
    limpet_patch *patch = &problem->patch[i];
    patch->spin = patch->spin_count = 0;
    limpet_island *island = island_of(problem, patch);
    ++island->patch_count;
    island->contact_count += patch->contact_count;
  }
  int patch_begin = 0, contact_begin = 0;
  for (int i = 0; i < problem->island_count; ++i) {
    limpet_island *island = &problem->island[i];
    island->patch = patch_begin, patch_begin += island->patch_count;
    island->contact = contact_begin, contact_begin += island->contact_count;
  }
}

static bool is_sorted(const limpet_contact_problem *problem) {
  for (int i = 1; i < problem->patch_count; ++i)
    if (island_of(problem, &problem->patch[i]) < island_of(problem, &problem->patch[i - 1]))
      return false;
  return true;
}

/* Contacts follow their patches into the order of islands; those that have it stay where they
 * are. */
static limpet_status sort_contacts(limpet_contact_problem *problem, limpet_arena *arena) {
  const int n = problem->patch_count, m = problem->contact_count;
  begin_islands(problem);
  if (is_sorted(problem)) return LIMPET_OK;
  limpet_patch *patch = LIMPET_TAKE(arena, limpet_patch, n);
  limpet_contact_constants *constants = LIMPET_TAKE(arena, limpet_contact_constants, m);
  double *row = LIMPET_TAKE(arena, double, 18 * (size_t)m);
  int *source = LIMPET_TAKE(arena, int, m);
  double *bias = problem->contact_bias ? LIMPET_TAKE(arena, double, LIMPET_CONTACT_BIAS *m) : NULL;
  if (!patch || !constants || !row || !source || (problem->contact_bias && !bias))
    return LIMPET_ERROR_MEMORY;

  for (int i = 0; i < problem->island_count; ++i)
    problem->island[i].patch_count = problem->island[i].contact_count = 0;
  for (int i = 0; i < n; ++i) {
    const limpet_patch *from = &problem->patch[i];
    limpet_island *island = island_of(problem, from);
    limpet_patch *to = &patch[island->patch + island->patch_count++];
    *to = *from;
    to->contact = island->contact + island->contact_count;
    island->contact_count += from->contact_count;
    const size_t count = (size_t)from->contact_count;
    memcpy(constants + to->contact, problem->constants + from->contact, count * sizeof *constants);
    memcpy(row + 18 * to->contact, problem->contact_row + 18 * from->contact,
           18 * count * sizeof *row);
    memcpy(source + to->contact, problem->contact_source + from->contact, count * sizeof *source);
    if (bias)
      memcpy(bias + LIMPET_CONTACT_BIAS * to->contact,
             problem->contact_bias + LIMPET_CONTACT_BIAS * from->contact,
             LIMPET_CONTACT_BIAS * count * sizeof *bias);
  }
  problem->patch = patch, problem->constants = constants, problem->contact_row = row,
  problem->contact_source = source, problem->contact_bias = bias;
  return LIMPET_OK;
}

// Rows that have the order of islands stay where they are.
static limpet_status sort_rows(limpet_contact_problem *problem, limpet_arena *arena) {
  if (problem->island_count == 1) {
    problem->island[0].row = 0, problem->island[0].row_count = problem->row_count;
    return LIMPET_OK;
  }
  int *owner = LIMPET_TAKE(arena, int, problem->row_count);
  if (!owner) return LIMPET_ERROR_MEMORY;
  bool sorted = true;
  for (int i = 0; i < problem->row_count; ++i) {
    owner[i] = problem->block[problem->dof_block[problem->entry_dof[problem->row[i].entry]]].island;
    ++problem->island[owner[i]].row_count;
    sorted = sorted && (i == 0 || owner[i] >= owner[i - 1]);
  }
  int begin = 0;
  for (int i = 0; i < problem->island_count; ++i)
    problem->island[i].row = begin, begin += problem->island[i].row_count;
  if (sorted) return LIMPET_OK;
  limpet_constraint_row *row = LIMPET_TAKE(arena, limpet_constraint_row, problem->row_count);
  if (!row) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < problem->island_count; ++i) problem->island[i].row_count = 0;
  for (int i = 0; i < problem->row_count; ++i) {
    limpet_island *island = &problem->island[owner[i]];
    row[island->row + island->row_count++] = problem->row[i];
  }
  problem->row = row;
  return LIMPET_OK;
}

// Indices into v become indices into the island's vector.
static void localise(limpet_contact_problem *problem) {
  bool moved = false;
  for (int b = 0; b < problem->block_count; ++b)
    moved |= problem->block[b].island >= 0 && problem->block[b].offset != problem->block[b].dof;
  if (!moved) return;
  for (int i = 0; i < problem->patch_count; ++i) {
    for (int s = 0; s < problem->patch[i].side_count; ++s) {
      limpet_patch_side *side = &problem->patch[i].side[s];
      const int shift = problem->block[side->block].offset - problem->block[side->block].dof;
      for (int k = 0; k < side->count; ++k) side->dof[k] += shift;
    }
  }
  for (int e = 0; e < problem->entry_count; ++e) {
    const int block = problem->dof_block[problem->entry_dof[e]];
    problem->entry_dof[e] += problem->block[block].offset - problem->block[block].dof;
  }
}

// What the partition needs: islands, a forest of single blocks, none of them used.
static limpet_status take_islands(limpet_contact_problem *problem, limpet_arena *arena,
                                  int **parent, char **used) {
  const int n = problem->block_count;
  *parent = LIMPET_TAKE(arena, int, n);
  *used = LIMPET_TAKE_ZERO(arena, char, n);
  problem->island = LIMPET_TAKE(arena, limpet_island, n);
  problem->island_block = LIMPET_TAKE(arena, int, n);
  if (!*parent || !*used || !problem->island || !problem->island_block) return LIMPET_ERROR_MEMORY;
  for (int t = 0; t < n; ++t) (*parent)[t] = t;
  return LIMPET_OK;
}

static limpet_status end_partition(limpet_contact_problem *problem, limpet_arena *arena) {
  localise(problem);
  return problem->model->turns ? limpet_problem_take_spins(problem, arena) : LIMPET_OK;
}

limpet_status limpet_problem_partition(limpet_contact_problem *problem, limpet_arena *arena) {
  int *parent;
  char *used;
  if (take_islands(problem, arena, &parent, &used)) return LIMPET_ERROR_MEMORY;
  connect(problem, parent, used);
  number_islands(problem, parent, used);
  if (sort_contacts(problem, arena) || sort_rows(problem, arena)) return LIMPET_ERROR_MEMORY;
  return end_partition(problem, arena);
}

// Entries of a row outside an island are left out. Returns whether there were any.
static bool cut_row(limpet_contact_problem *problem, limpet_constraint_row *row, int island) {
  int kept = 0;
  for (int e = row->entry; e < row->entry + row->entry_count; ++e) {
    const int dof = problem->entry_dof[e];
    if (problem->block[problem->dof_block[dof]].island != island) continue;
    problem->entry_dof[row->entry + kept] = dof;
    problem->entry_value[row->entry + kept++] = problem->entry_value[e];
  }
  const bool cut = kept < row->entry_count;
  row->entry_count = kept;
  return cut;
}

limpet_status limpet_problem_partition_like(const limpet_contact_problem *like,
                                            limpet_contact_problem *problem, limpet_arena *arena,
                                            bool *joins) {
  int *parent;
  char *used;
  if (take_islands(problem, arena, &parent, &used)) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < like->island_count; ++i) {
    const int *block = like->island_block + like->island[i].block;
    for (int b = 0; b < like->island[i].block_count; ++b)
      parent[block[b]] = block[0], used[block[b]] = 1;
  }
  number_islands(problem, parent, used);
  if (sort_contacts(problem, arena)) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < like->island_count; ++i) {
    const limpet_island *island = &like->island[i];
    problem->island[i].row = island->row, problem->island[i].row_count = island->row_count;
    for (int k = island->row; k < island->row + island->row_count; ++k)
      if (cut_row(problem, &problem->row[k], i)) *joins = true;
  }
  return end_partition(problem, arena);
}

int limpet_problem_global_dof(const limpet_contact_problem *problem, const limpet_island *island,
                              int local) {
  int low = island->block, high = island->block + island->block_count - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (problem->block[problem->island_block[middle]].offset <= local) low = middle;
    else high = middle - 1;
  }
  const int block = problem->island_block[low];
  return local - problem->block[block].offset + problem->block[block].dof;
}
