// solve/island_pieces.c: see island_pieces.h.
#include "solve/island_pieces.h"

#include <assert.h>

#include "math/spatial.h"

// The columns of a patch that belong to one part.
typedef struct piece {
  int part, count;
  int *row;        // (count)  within the part
  double *column;  // (count x 6)
} piece;

// Where pieces a, b with b <= a meet: rows of a, or `transposed`.
typedef struct place {
  double *to;
  int stride, transposed;
} place;

enum { PAIRS = LIMPET_PIECES * (LIMPET_PIECES + 1) / 2 };

typedef struct limpet_patch_pieces {
  int count;
  piece piece[LIMPET_PIECES];
  place place[PAIRS];  // (0,0), (1,0), (1,1), (2,0), ...
} pieces;

bool limpet_patch_has_pieces(const limpet_island_solver *s, const limpet_patch *patch) {
  for (int k = 0; k < patch->side_count; ++k)
    if (s->problem->block[patch->side[k].block].mesh) return true;
  return false;
}

// Which piece has that part; count: a new one.
static int piece_of(int part, int count, const int *parts) {
  for (int k = 0; k < count; ++k)
    if (parts[k] == part) return k;
  return count;
}

int limpet_patch_parts(const limpet_island_solver *s, const limpet_patch *patch,
                       int part[LIMPET_PIECES]) {
  int count = 0;
  for (int k = 0; k < patch->side_count; ++k)
    for (int c = 0; c < patch->side[k].count; ++c) {
      const int of = s->part_of[patch->side[k].dof[c]], at = piece_of(of, count, part);
      if (at < count) continue;
      assert(count < LIMPET_PIECES);
      part[count++] = of;
    }
  return count;
}

// Columns of a patch to its pieces. `row`, `column`: room for all of them, which moves on.
static void split_patch(const limpet_island_solver *s, const limpet_patch *patch, pieces *to,
                        int **row, double **column) {
  int part[LIMPET_PIECES], size[LIMPET_PIECES] = {0};
  to->count = limpet_patch_parts(s, patch, part);
  for (int k = 0; k < patch->side_count; ++k)
    for (int c = 0; c < patch->side[k].count; ++c)
      ++size[piece_of(s->part_of[patch->side[k].dof[c]], to->count, part)];
  for (int a = 0; a < to->count; ++a) {
    to->piece[a] = (piece){.part = part[a], .row = *row, .column = *column};
    *row += size[a], *column += 6 * size[a];
  }
  for (int k = 0; k < patch->side_count; ++k)
    for (int c = 0; c < patch->side[k].count; ++c) {
      const int dof = patch->side[k].dof[c];
      piece *p = &to->piece[piece_of(s->part_of[dof], to->count, part)];
      p->row[p->count] = dof - s->part_first[p->part];
      limpet_spatial_copy(p->column + 6 * p->count++, patch->side[k].column + 6 * c);
    }
}

static void find_places(limpet_island_solver *s, pieces *of) {
  place *to = of->place;
  for (int a = 0; a < of->count; ++a)
    for (int b = 0; b <= a; ++b, ++to)
      to->to = limpet_block_cholesky_block(s->sparse, of->piece[a].part, of->piece[b].part,
                                           &to->stride, &to->transposed);
}

limpet_status limpet_island_pieces_create(limpet_island_solver *s, limpet_arena *arena) {
  size_t columns = 0;
  s->patch_pieces = NULL;
  const limpet_patch *patch = s->problem->patch + s->island->patch;
  for (int i = 0; i < s->island->patch_count; ++i)
    for (int k = 0; s->patch_block[i].in_pieces && k < patch[i].side_count; ++k)
      columns += (size_t)patch[i].side[k].count;
  if (columns == 0) return LIMPET_OK;
  s->patch_pieces = LIMPET_TAKE(arena, pieces, s->island->patch_count);
  int *row = LIMPET_TAKE(arena, int, columns);
  double *column = LIMPET_TAKE(arena, double, 6 * columns);
  if (!s->patch_pieces || !row || !column) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < s->island->patch_count; ++i) {
    if (!s->patch_block[i].in_pieces) continue;
    split_patch(s, &patch[i], &s->patch_pieces[i], &row, &column);
    find_places(s, &s->patch_pieces[i]);
  }
  return LIMPET_OK;
}

// The block of two pieces += Y C': of a piece with itself its lower triangle.
static void pair_add(const piece *a, const double *Y, const piece *b, const place *to) {
  for (int i = 0; i < a->count; ++i)
    for (int j = 0; j < b->count; ++j) {
      const int r = a->row[i], c = b->row[j];
      if (a->part == b->part && c > r) continue;
      to->to[to->transposed ? c * to->stride + r : r * to->stride + c] +=
          limpet_spatial_dot(Y + 6 * i, b->column + 6 * j);
    }
}

enum { FEW = 64 };  // columns of a piece that are handled at once

void limpet_island_pieces_add(limpet_island_solver *s, int index, const double K[36]) {
  const pieces *of = &s->patch_pieces[index];
  const place *to = of->place;
  for (int a = 0; a < of->count; to += a + 1, ++a) {
    const piece *all = &of->piece[a];
    for (int begin = 0; begin < all->count; begin += FEW) {
      double Y[6 * FEW];
      piece some = *all;
      some.count = all->count - begin < FEW ? all->count - begin : FEW;
      some.row += begin, some.column += 6 * begin;
      for (int i = 0; i < some.count; ++i) {
        limpet_spatial_zero(Y + 6 * i);
        for (int k = 0; k < 6; ++k)
          limpet_spatial_addmul(Y + 6 * i, some.column[6 * i + k], K + 6 * k);
      }
      for (int b = 0; b <= a; ++b) pair_add(&some, Y, &of->piece[b], &to[b]);
    }
  }
}
