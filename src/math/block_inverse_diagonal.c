/* math/block_inverse_diagonal.c: the diagonal of Z = H^-1, H = L L', by the entries of Z that the
 * pattern of L has.
 *
 * Supernodes from the last one to the first. With D = l l' the diagonal block of a supernode, P its
 * block row of the upper factor, R the rows that P reaches, and G = l'^-1 P:
 *   Z[J, R] = -G Z[R, R],   Z[J, J] = (l l')^-1 - Z[J, R] G'
 * Z[R, R] is there: its blocks are in the pattern of later supernodes. Z is stored as the factor
 * is. Source: Takahashi, Fagan, Chin, Formation of a sparse bus impedance matrix (1973); Erisman,
 * Tinney, CACM 18 (1975).
 * Cost: sum over supernodes of w r (r + 2 w) + w^3/3 multiply-adds, two to three factorisations. */
#include <assert.h>
#include <string.h>

#include "math/block_inverse.h"
#include "math/block_symbolic.h"
#include "math/dense_table.h"

static long padded(long n) { return (n + 3) & ~3L; }

// The widest supernode and the longest panel, rounded up.
static void largest_find(const limpet_block_cholesky *factor, long *width, long *below) {
  *width = *below = 0;
  for (int k = 0; k < factor->supernode_count; ++k) {
    const limpet_supernode *s = &factor->supernode[k];
    if (s->width > *width) *width = s->width;
    if (s->below > *below) *below = s->below;
  }
  *width = padded(*width), *below = padded(*below);
}

long limpet_block_inverse_diagonal_doubles(const limpet_block_cholesky *factor) {
  assert(factor);
  long width, below;
  largest_find(factor, &width, &below);
  return factor->value_count + below * below + 2 * width * below + width * width + width;
}

// What each number of the workspace is.
typedef struct scratch {
  double *Z;        // (value_count)  as the factor
  double *square;   // (r x r)  Z[R, R]
  double *G, *T;    // (w x r)  G, G Z[R, R]
  double *own;      // (w x w)
  double *inverse;  // (w)  reciprocals of the diagonal of l, from the last one
} scratch;

static scratch scratch_of(const limpet_block_cholesky *factor, double *work) {
  long width, below;
  largest_find(factor, &width, &below);
  scratch s = {.Z = work};
  s.square = s.Z + factor->value_count;
  s.G = s.square + below * below, s.T = s.G + width * below;
  s.own = s.T + width * below, s.inverse = s.own + width * width;
  return s;
}

// A block of Z (m x n, leading dimension ldz) to two places of the square.
static void block_spread(int m, int n, const double *z, long ldz, double *square, long ld, int a,
                         int b) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      square[(a + i) * ld + b + j] = square[(b + j) * ld + a + i] = z[i * ldz + j];
}

// Z[R, R] of a supernode to a square (rows ld apart): row by row of its list, in whose owner or
// its panel all later entries of the list are.
static void square_gather(const limpet_block_cholesky *factor, const limpet_supernode *s,
                          const double *Z, double *square, long ld) {
  const int *list = factor->list + s->list, *column = factor->column + s->list;
  for (int i = 0; i < s->list_count; ++i) {
    const limpet_supernode *t = &factor->supernode[factor->owner[list[i]]];
    const int *other = factor->list + t->list, *other_column = factor->column + t->list;
    const int m = factor->row[list[i] + 1] - factor->row[list[i]],
              row = factor->row[list[i]] - t->row;
    for (int j = i, k = 0; j < s->list_count; ++j) {
      const int n = factor->row[list[j] + 1] - factor->row[list[j]];
      if (list[j] <= t->last) {
        block_spread(m, n, Z + t->diagonal + (long)row * t->width + factor->row[list[j]] - t->row,
                     t->width, square, ld, column[i], column[j]);
        continue;
      }
      while (other[k] != list[j]) ++k;
      block_spread(m, n, Z + t->panel + (long)row * t->stride + other_column[k], t->stride, square,
                   ld, column[i], column[j]);
    }
  }
}

// The rows of one supernode; those of all later ones are there.
static void supernode_invert(const limpet_block_cholesky *factor, const limpet_supernode *s,
                             const scratch *own) {
  const limpet_dense_table *dense = limpet_dense();
  const int w = s->width, r = s->below, ld = (int)padded(r);
  const double *L = factor->values + s->diagonal, *P = factor->values + s->panel;
  double *J = own->Z + s->diagonal;
  dense->cholesky_invert(w, L, w, factor->inverse + s->row, own->own, J, w);
  if (r == 0) return;

  // G = l'^-1 P: the upper triangle l' from its last row
  for (int i = 0; i < w; ++i) {
    own->inverse[i] = factor->inverse[s->row + w - 1 - i];
    memcpy(own->G + (long)i * ld, P + (long)i * s->stride, (size_t)r * sizeof *P);
  }
  dense->solve_columns(w, r, L + (long)w * w - 1, -1, -w, own->inverse, own->G + (w - 1L) * ld,
                       -ld);

  square_gather(factor, s, own->Z, own->square, ld);
  memset(own->T, 0, (size_t)w * (size_t)ld * sizeof *own->T);
  dense->sub_mul(w, r, r, own->G, ld, 1, own->square, ld, own->T, ld);
  for (int i = 0; i < w; ++i)
    memcpy(own->Z + s->panel + (long)i * s->stride, own->T + (long)i * ld, (size_t)r * sizeof *P);
  dense->sub_mul_t(w, w, r, own->T, ld, own->G, ld, J, w);
}

void limpet_block_inverse_diagonal(const limpet_block_cholesky *factor, double *diagonal,
                                   double *work) {
  assert(factor && (factor->n == 0 || (diagonal && work)));
  const scratch own = scratch_of(factor, work);
  for (int k = factor->supernode_count - 1; k >= 0; --k)
    supernode_invert(factor, &factor->supernode[k], &own);
  for (int p = 0; p < factor->n; ++p) {
    const limpet_supernode *s = &factor->supernode[factor->owner[p]];
    const int first = factor->row[p] - s->row, size = factor->row[p + 1] - factor->row[p];
    for (int i = 0; i < size; ++i)
      diagonal[factor->origin[p] + i] = own.Z[s->diagonal + (first + i) * (s->width + 1L)];
  }
}
