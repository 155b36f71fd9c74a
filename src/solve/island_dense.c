// solve/island_dense.c: see island_dense.h.
#include "solve/island_dense.h"

#include <string.h>

#include "math/dense.h"
#include "math/dense_table.h"
#include "math/ltl.h"
#include "solve/island.h"

enum { WRENCH = 6 };
enum { CLEARED_AT_ONCE = 16 };  // rows of a matrix that is cleared as a whole

/* Rows B of patches and what they are multiplied by. A patch has one group of rows, or, where its
 * rows are those of J, one for contacts and one for spins. */
typedef struct limpet_island_gram {
  double *weighted;         // (rows x stride)  G B
  limpet_row_group *group;  // (2 patches)
} limpet_island_gram;

static bool is_small(const limpet_island_solver *s) { return limpet_ltl_pays(s->n); }

static int rows_of(const limpet_patch *patch) {
  return 3 * patch->contact_count + 2 * patch->spin_count;
}

static limpet_status gram_create(limpet_island_solver *s, limpet_arena *arena) {
  const limpet_island *island = s->island;
  const limpet_patch *patch = s->problem->patch + island->patch;
  limpet_island_gram *gram = s->gram = LIMPET_TAKE(arena, limpet_island_gram, 1);
  if (!gram) return LIMPET_ERROR_MEMORY;
  int rows = 0;
  for (int i = 0; i < island->patch_count; ++i)
    rows += rows_of(&patch[i]) > WRENCH ? WRENCH : rows_of(&patch[i]);
  gram->weighted = LIMPET_TAKE(arena, double, rows * s->J_stride);
  gram->group = LIMPET_TAKE(arena, limpet_row_group, 2 * island->patch_count);
  return gram->weighted && gram->group ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

limpet_status limpet_island_dense_create(limpet_island_solver *s, limpet_arena *arena) {
  s->H_stride = is_small(s) ? limpet_ltl_padded(s->n) : s->n;
  s->gram = NULL;
  s->H = LIMPET_TAKE(arena, double, (size_t)s->H_stride *(size_t)s->H_stride);
  if (!s->H) return LIMPET_ERROR_MEMORY;
  return s->J && is_small(s) ? gram_create(s, arena) : LIMPET_OK;
}

// What factors of small matrices want beyond the lower triangle: blocks of four on the diagonal are
// whole, and rows beyond the last one those of a unit matrix.
static void fill_up(limpet_island_solver *s) {
  const size_t stride = (size_t)s->H_stride, n = (size_t)s->n;
  for (size_t i = 0; i < n; ++i)
    for (size_t j = i + 1; j % 4 != 0; ++j) s->H[i * stride + j] = 0.0;
  for (size_t i = n; i < stride; ++i) {
    memset(s->H + i * stride, 0, stride * sizeof *s->H);
    s->H[i * (stride + 1)] = 1.0;
  }
}

void limpet_island_dense_mass(limpet_island_solver *s) {
  const size_t stride = (size_t)s->H_stride;
  const limpet_block *only = limpet_island_block(s->problem, s->island, 0);
  if (is_small(s) && s->island->block_count == 1 && only->kind->dense) {
    limpet_ltl()->copy(s->n, only->matrix, s->n, s->H);
    return;
  }
  const bool clear = s->H_stride <= CLEARED_AT_ONCE;
  if (clear) memset(s->H, 0, stride * stride * sizeof *s->H);
  for (int t = 0; t < s->island->block_count; ++t) {
    const limpet_block *block = limpet_island_block(s->problem, s->island, t);
    const size_t before = (size_t)block->offset;
    for (size_t i = before; !clear && before > 0 && i < before + (size_t)block->size; ++i)
      memset(s->H + i * stride, 0, before * sizeof *s->H);
    block->kind->copy(block, true, s->H + before * (stride + 1), stride);
  }
  for (size_t i = (size_t)s->n; clear && i < stride; ++i) s->H[i * (stride + 1)] = 1.0;
  if (!clear && is_small(s)) fill_up(s);
}

bool limpet_island_patch_stiffness(const limpet_island_solver *s, const limpet_patch *patch,
                                   double K[36]) {
  const double *W = s->problem->contact_row + 18 * patch->contact;
  const double *G = s->contact_G + LIMPET_HESSIAN_SIZE * (patch->contact - s->island->contact);
  memset(K, 0, WRENCH * WRENCH * sizeof *K);
  const bool any = limpet_dense()->add_contacts(patch->contact_count, W, G, K);
  return limpet_island_spins_stiffness(s, patch, K) || any;
}

static bool is_stiff(int count, const double *G, int size, const int diagonal[3]) {
  for (int i = 0; i < count; ++i, G += size)
    if (G[diagonal[0]] != 0.0 || G[diagonal[1]] != 0.0 || G[diagonal[2]] != 0.0) return true;
  return false;
}

// Y = G B for `count` pieces of `size` rows; returns the end of Y. Nothing where all G are zero.
static double *group_add(limpet_row_group **group, unsigned tiles, int count, int size,
                         const double *G, const double *B, int stride, double *Y) {
  static const int diagonals[2][3] = {{0, 2, 2}, {0, 2, 5}};
  const int packed = size * (size + 1) / 2;
  if (count == 0 || !is_stiff(count, G, packed, diagonals[size == 3])) return Y;
  *(*group)++ = (limpet_row_group){.count = count * size, .tiles = tiles, .Y = Y, .B = B};
  for (int i = 0; i < count; ++i, G += packed, B += size * stride, Y += size * stride)
    limpet_ltl()->weigh_rows(size, G, tiles, B, stride, Y);
  return Y;
}

// By the six rows of a patch.
static double *patch_add(const limpet_island_solver *s, int index, limpet_row_group **group,
                         double *Y) {
  double K[WRENCH * WRENCH], packed[WRENCH * (WRENCH + 1) / 2];
  if (!limpet_island_patch_stiffness(s, s->problem->patch + s->island->patch + index, K)) return Y;
#pragma GCC unroll 6
  for (int i = 0; i < WRENCH; ++i)
#pragma GCC unroll 6
    for (int j = 0; j <= i; ++j) packed[i * (i + 1) / 2 + j] = K[WRENCH * i + j];
  const unsigned tiles = s->patch_rows[index].tiles;
  const double *B = s->patch_rows[index].columns;
  *(*group)++ = (limpet_row_group){.count = WRENCH, .tiles = tiles, .Y = Y, .B = B};
  limpet_ltl()->weigh_rows(WRENCH, packed, tiles, B, s->J_stride, Y);
  return Y + WRENCH * s->J_stride;
}

void limpet_island_dense_contacts(limpet_island_solver *s) {
  const limpet_island *island = s->island;
  const limpet_island_gram *gram = s->gram;
  limpet_row_group *group = gram->group;
  double *Y = gram->weighted;
  for (int i = 0; i < island->patch_count; ++i) {
    const limpet_patch *patch = &s->problem->patch[island->patch + i];
    if (rows_of(patch) > WRENCH) {
      Y = patch_add(s, i, &group, Y);
      continue;
    }
    const limpet_patch_rows *rows = &s->patch_rows[i];
    const int contact = patch->contact - island->contact, spin = patch->spin - island->spin;
    Y = group_add(&group, rows->tiles, patch->contact_count, 3,
                  s->contact_G + LIMPET_HESSIAN_SIZE * contact, s->J + rows->first * s->J_stride,
                  s->J_stride, Y);
    if (patch->spin_count > 0)
      Y = group_add(&group, rows->tiles, patch->spin_count, 2, s->spins.G + 3 * spin,
                    s->J + (s->J_rows + 2 * spin) * s->J_stride, s->J_stride, Y);
  }
  limpet_ltl()->add_gram(s->H_stride, (int)(group - gram->group), gram->group, s->J_stride, s->H,
                         s->H_stride);
}

bool limpet_island_dense_factor(limpet_island_solver *s) {
  return is_small(s) ? limpet_ltl()->factor(s->H_stride, s->H, s->H_stride) == 0
                     : limpet_cholesky(s->n, s->H, s->H_stride) == 0;
}

void limpet_island_dense_solve(const limpet_island_solver *s, double *x) {
  if (!is_small(s)) {
    limpet_cholesky_solve(s->n, s->H, s->H_stride, x);
    return;
  }
  double padded[LIMPET_LTL_LIMIT];
  memcpy(padded, x, (size_t)s->n * sizeof *x);
  for (int i = s->n; i < s->H_stride; ++i) padded[i] = 0.0;
  limpet_ltl()->solve(s->H_stride, s->H, s->H_stride, padded);
  memcpy(x, padded, (size_t)s->n * sizeof *x);
}
