/* solve/island_sparse.c: where the entries of an island's block-sparse Hessian are.
 *
 * Its block rows are parts: blocks of unknowns, and of those that are split (limpet_block.split)
 * the unknowns that no contact acts on, and the others. These are joined densely, but what no
 * contact acts on is eliminated by itself: two deformable bodies that touch each other couple
 * through their contacts, not through what ties them to their bodies. */
#include <string.h>

#include "solve/island.h"
#include "solve/island_solver.h"

// Parts of all blocks; number[b]: the last one of block b of the problem, which contacts act on.
static void lay_parts(limpet_island_solver *s, int *number) {
  const limpet_contact_problem *p = s->problem;
  s->part_count = 0;
  for (int i = 0; i < s->island->block_count; ++i) {
    const int index = p->island_block[s->island->block + i];
    const limpet_block *block = &p->block[index];
    s->part_first[s->part_count++] = block->offset;
    if (block->split > 0) s->part_first[s->part_count++] = block->offset + block->split;
    number[index] = s->part_count - 1;
  }
  s->part_first[s->part_count] = s->n;
  for (int k = 0; k < s->part_count; ++k)
    for (int i = s->part_first[k]; i < s->part_first[k + 1]; ++i) s->part_of[i] = k;
}

// The two parts of each block that is split, into `pairs` from pair `count` on. Returns how many
// there are then.
static int pairs_of_splits(const limpet_island_solver *s, const int *number, int *pairs,
                           int count) {
  const limpet_contact_problem *p = s->problem;
  for (int i = 0; i < s->island->block_count; ++i) {
    const int index = p->island_block[s->island->block + i];
    if (p->block[index].split == 0) continue;
    pairs[2 * count] = number[index];
    pairs[2 * count++ + 1] = number[index] - 1;
  }
  return count;
}

// Those under the patches, likewise.
static int pairs_of_patches(const limpet_island_solver *s, const int *number, int *pairs,
                            int count) {
  for (int i = 0; i < s->island->patch_count; ++i) {
    const limpet_patch *patch = &s->problem->patch[s->island->patch + i];
    if (patch->side_count < 2) continue;
    pairs[2 * count] = number[patch->side[0].block];
    pairs[2 * count++ + 1] = number[patch->side[1].block];
  }
  return count;
}

// Different parts that rows join, each with each; NULL: only counts.
static int pairs_of_rows(const limpet_island_solver *s, int *pairs, int count) {
  const limpet_contact_problem *p = s->problem;
  for (int i = 0; i < s->island->row_count; ++i) {
    const limpet_constraint_row *row = &p->row[s->island->row + i];
    for (int e = row->entry; e < row->entry + row->entry_count; ++e)
      for (int f = row->entry; f < e; ++f) {
        const int a = s->part_of[p->entry_dof[e]], b = s->part_of[p->entry_dof[f]];
        if (a == b) continue;
        if (pairs) pairs[2 * count] = a, pairs[2 * count + 1] = b;
        ++count;
      }
  }
  return count;
}

// Addresses of the parts and patches, once, so that assembly does not search.
static void find_blocks(limpet_island_solver *s, const int *number) {
  int unused;
  for (int i = 0; i < s->part_count; ++i)
    s->diagonal_block[i] =
        limpet_block_cholesky_block(s->sparse, i, i, &s->block_stride[i], &unused);
  for (int i = 0; i < s->island->patch_count; ++i) {
    const limpet_patch *patch = &s->problem->patch[s->island->patch + i];
    limpet_patch_blocks *b = &s->patch_block[i];
    const int first = number[patch->side[0].block];
    b->first[0] = s->part_first[first];
    b->block[0] = limpet_block_cholesky_block(s->sparse, first, first, &b->stride[0], &unused);
    if (patch->side_count < 2) continue;
    const int second = number[patch->side[1].block];
    b->first[1] = s->part_first[second];
    b->block[2] = limpet_block_cholesky_block(s->sparse, second, second, &b->stride[2], &unused);
    b->block[1] =
        limpet_block_cholesky_block(s->sparse, second, first, &b->stride[1], &b->transposed);
  }
}

static limpet_status take_arrays(limpet_island_solver *s, limpet_arena *arena) {
  const limpet_contact_problem *p = s->problem;
  const size_t most = 2 * (size_t)s->island->block_count;
  size_t largest = 0;
  for (int i = 0; i < s->island->block_count; ++i) {
    const limpet_block *block = limpet_island_block(p, s->island, i);
    if (block->split > 0 && (size_t)block->size > largest) largest = (size_t)block->size;
  }
  s->part_first = LIMPET_TAKE(arena, int, most + 1);
  s->part_of = LIMPET_TAKE(arena, int, s->n);
  s->diagonal_block = LIMPET_TAKE(arena, double *, most);
  s->block_stride = LIMPET_TAKE(arena, int, most);
  s->patch_block = LIMPET_TAKE(arena, limpet_patch_blocks, s->island->patch_count);
  s->whole = LIMPET_TAKE(arena, double, largest *largest + 1);
  return s->part_first && s->part_of && s->diagonal_block && s->block_stride && s->patch_block &&
                 s->whole
             ? LIMPET_OK
             : LIMPET_ERROR_MEMORY;
}

limpet_status limpet_island_sparse_create(limpet_island_solver *s, limpet_arena *arena) {
  const limpet_island *island = s->island;
  int *number = LIMPET_TAKE(arena, int, s->problem->block_count);
  if (!number || take_arrays(s, arena)) return LIMPET_ERROR_MEMORY;
  lay_parts(s, number);

  // pattern: parts that meet under a patch, in a row or in a block
  const int room = island->block_count + island->patch_count + pairs_of_rows(s, NULL, 0);
  int *pairs = LIMPET_TAKE(arena, int, 2 * (size_t)room);
  int *size = LIMPET_TAKE(arena, int, s->part_count);
  if (!pairs || !size) return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < s->part_count; ++k) size[k] = s->part_first[k + 1] - s->part_first[k];
  int count = pairs_of_patches(s, number, pairs, 0);
  count = pairs_of_rows(s, pairs, count);
  count = pairs_of_splits(s, number, pairs, count);
  s->sparse = limpet_block_cholesky_create(arena, s->part_count, size, count, pairs);
  if (!s->sparse) return LIMPET_ERROR_MEMORY;
  find_blocks(s, number);
  return LIMPET_OK;
}

// The lower triangle of A (count x count, rows lda apart) to one that has `stride`.
static void triangle_copy(int count, const double *A, int lda, double *to, int stride) {
  for (int i = 0; i < count; ++i)
    memcpy(to + (long)i * stride, A + (long)i * lda, (size_t)(i + 1) * sizeof *to);
}

// A of a block that is split, whose second part is `part`.
static void split_copy(limpet_island_solver *s, const limpet_block *block, int part) {
  const int n = block->size, k = block->split;
  int stride, transposed;
  block->kind->copy(block, false, s->whole, (size_t)n);
  const double *low = s->whole + (long)k * n;
  triangle_copy(k, s->whole, n, s->diagonal_block[part - 1], s->block_stride[part - 1]);
  triangle_copy(n - k, low + k, n, s->diagonal_block[part], s->block_stride[part]);
  double *to = limpet_block_cholesky_block(s->sparse, part, part - 1, &stride, &transposed);
  // the matrix is symmetric: either way the rows that are stored are rows of it
  const double *from = transposed ? s->whole + k : low;
  const int rows = transposed ? k : n - k, columns = transposed ? n - k : k;
  for (int i = 0; i < rows; ++i)
    memcpy(to + (long)i * stride, from + (long)i * n, (size_t)columns * sizeof *to);
}

void limpet_island_sparse_mass(limpet_island_solver *s) {
  limpet_block_cholesky_zero(s->sparse);
  int part = 0;
  for (int t = 0; t < s->island->block_count; ++t, ++part) {
    const limpet_block *block = limpet_island_block(s->problem, s->island, t);
    if (block->split > 0) split_copy(s, block, ++part);
    else block->kind->copy(block, true, s->diagonal_block[part], (size_t)s->block_stride[part]);
  }
}
