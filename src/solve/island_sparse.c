/* solve/island_sparse.c: where the entries of an island's block-sparse Hessian are.
 *
 * Its block rows are parts: blocks of unknowns, and of those that are split (limpet_block.split)
 * the unknowns that no contact acts on, and the others. These are joined densely, but what no
 * contact acts on is eliminated by itself: two deformable bodies that touch each other couple
 * through their contacts, not through what ties them to their bodies. A block whose matrix is that
 * of a mesh has a part for each vertex. Patches on such a block have pieces (island_pieces.c). */
#include <string.h>

#include "contact/mesh_matrix.h"
#include "solve/island.h"
#include "solve/island_pieces.h"

enum { ROW = LIMPET_MESH_ROW };

// Parts that a block has.
static int parts_of(const limpet_block *block) {
  if (block->mesh) return block->mesh->rows;
  return block->split > 0 ? 2 : 1;
}

// Parts of all blocks; number[b]: the last one of block b of the problem, which contacts act on.
static void lay_parts(limpet_island_solver *s, int *number) {
  const limpet_contact_problem *p = s->problem;
  s->part_count = 0;
  for (int i = 0; i < s->island->block_count; ++i) {
    const int index = p->island_block[s->island->block + i];
    const limpet_block *block = &p->block[index];
    s->part_first[s->part_count++] = block->offset;
    for (int k = 1; k < parts_of(block); ++k)
      s->part_first[s->part_count++] = block->offset + (block->mesh ? ROW * k : block->split);
    number[index] = s->part_count - 1;
  }
  s->part_first[s->part_count] = s->n;
  for (int k = 0; k < s->part_count; ++k)
    for (int i = s->part_first[k]; i < s->part_first[k + 1]; ++i) s->part_of[i] = k;
}

typedef struct pair_list {
  int count;
  int *pair;  // (2 count)  NULL: they are only counted
} pair_list;

static void pair_add(pair_list *list, int a, int b) {
  if (a == b) return;
  if (list->pair) list->pair[2 * list->count] = a, list->pair[2 * list->count + 1] = b;
  ++list->count;
}

// Parts of one block that its matrix joins.
static void pairs_of_blocks(const limpet_island_solver *s, const int *number, pair_list *list) {
  const limpet_contact_problem *p = s->problem;
  for (int i = 0; i < s->island->block_count; ++i) {
    const int index = p->island_block[s->island->block + i];
    const limpet_mesh_matrix *mesh = p->block[index].mesh;
    if (p->block[index].split > 0) pair_add(list, number[index], number[index] - 1);
    for (int r = 0, first = mesh ? number[index] - mesh->rows + 1 : 0; mesh && r < mesh->rows; ++r)
      for (int e = mesh->begin[r]; e < mesh->begin[r + 1]; ++e)
        pair_add(list, first + r, first + mesh->column[e]);
  }
}

// Those under the patches, likewise.
static void pairs_of_patches(const limpet_island_solver *s, const int *number, pair_list *list) {
  for (int i = 0; i < s->island->patch_count; ++i) {
    const limpet_patch *patch = &s->problem->patch[s->island->patch + i];
    const limpet_patch_side *side = patch->side;
    if (!limpet_patch_has_pieces(s, patch)) {
      if (patch->side_count == 2) pair_add(list, number[side[0].block], number[side[1].block]);
      continue;
    }
    int part[LIMPET_PIECES];
    const int count = limpet_patch_parts(s, patch, part);
    for (int a = 0; a < count; ++a)
      for (int b = 0; b < a; ++b) pair_add(list, part[a], part[b]);
  }
}

// Different parts that rows join, each with each.
static void pairs_of_rows(const limpet_island_solver *s, pair_list *list) {
  const limpet_contact_problem *p = s->problem;
  for (int i = 0; i < s->island->row_count; ++i) {
    const limpet_constraint_row *row = &p->row[s->island->row + i];
    for (int e = row->entry; e < row->entry + row->entry_count; ++e)
      for (int f = row->entry; f < e; ++f)
        pair_add(list, s->part_of[p->entry_dof[e]], s->part_of[p->entry_dof[f]]);
  }
}

// Pattern: parts that meet under a patch, in a row or in a block.
static void pairs_find(const limpet_island_solver *s, const int *number, pair_list *list) {
  list->count = 0;
  pairs_of_patches(s, number, list);
  pairs_of_rows(s, list);
  pairs_of_blocks(s, number, list);
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
    b->in_pieces = limpet_patch_has_pieces(s, patch);
    if (b->in_pieces) continue;
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
  size_t most = 0, largest = 0;
  for (int i = 0; i < s->island->block_count; ++i) {
    const limpet_block *block = limpet_island_block(p, s->island, i);
    most += (size_t)parts_of(block);
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

// Where the blocks of all meshes go, one mesh after the other.
static limpet_status find_places(limpet_island_solver *s, limpet_arena *arena) {
  size_t count = 0;
  for (int t = 0; t < s->island->block_count; ++t) {
    const limpet_mesh_matrix *mesh = limpet_island_block(s->problem, s->island, t)->mesh;
    if (mesh) count += (size_t)mesh->begin[mesh->rows];
  }
  limpet_mesh_place *place = s->mesh_place = LIMPET_TAKE(arena, limpet_mesh_place, count + 1);
  if (!place) return LIMPET_ERROR_MEMORY;
  for (int t = 0, part = 0; t < s->island->block_count; ++t) {
    const limpet_block *block = limpet_island_block(s->problem, s->island, t);
    for (int r = 0; block->mesh && r < block->mesh->rows; ++r)
      for (int e = block->mesh->begin[r]; e < block->mesh->begin[r + 1]; ++e, ++place)
        place->offset = limpet_block_cholesky_offset(
            s->sparse, part + r, part + block->mesh->column[e], &place->stride, &place->transposed);
    part += parts_of(block);
  }
  return LIMPET_OK;
}

limpet_status limpet_island_sparse_create(limpet_island_solver *s, limpet_arena *arena) {
  int *number = LIMPET_TAKE(arena, int, s->problem->block_count);
  if (!number || take_arrays(s, arena)) return LIMPET_ERROR_MEMORY;
  lay_parts(s, number);

  pair_list list = {0};
  pairs_find(s, number, &list);
  list.pair = LIMPET_TAKE(arena, int, 2 * (size_t)list.count + 1);
  int *size = LIMPET_TAKE(arena, int, s->part_count);
  if (!list.pair || !size) return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < s->part_count; ++k) size[k] = s->part_first[k + 1] - s->part_first[k];
  pairs_find(s, number, &list);
  s->sparse = limpet_block_cholesky_create(arena, s->part_count, size, list.count, list.pair);
  if (!s->sparse) return LIMPET_ERROR_MEMORY;
  find_blocks(s, number);
  return find_places(s, arena) ? LIMPET_ERROR_MEMORY : limpet_island_pieces_create(s, arena);
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

// A of a mesh to the matrix, whose places were looked up.
static void mesh_copy(limpet_island_solver *s, const limpet_mesh_matrix *mesh,
                      const limpet_mesh_place *place) {
  double *values = limpet_block_cholesky_values(s->sparse);
  for (int e = 0; e < mesh->begin[mesh->rows]; ++e) {
    const double *from = mesh->value + ROW * ROW * e;
    double *to = values + place[e].offset;
    for (int i = 0; i < ROW; ++i)
      for (int j = 0; j < ROW; ++j)
        to[(long)i * place[e].stride + j] = from[place[e].transposed ? ROW * j + i : ROW * i + j];
  }
}

void limpet_island_sparse_mass(limpet_island_solver *s) {
  limpet_block_cholesky_zero(s->sparse);
  const limpet_mesh_place *place = s->mesh_place;
  for (int t = 0, part = 0; t < s->island->block_count; ++t) {
    const limpet_block *block = limpet_island_block(s->problem, s->island, t);
    if (block->mesh)
      mesh_copy(s, block->mesh, place), place += block->mesh->begin[block->mesh->rows];
    else if (block->split > 0) split_copy(s, block, part + 1);
    else block->kind->copy(block, true, s->diagonal_block[part], (size_t)s->block_stride[part]);
    part += parts_of(block);
  }
}
