/* math/ltl.h: factors L' L of small symmetric matrices with many zeros, as those of trees and of
 * islands are: ltl_kernels.h. They are compiled for several instruction sets and chosen once per
 * process; on one type of CPU the results are the same bits at any thread count. */
#ifndef LIMPET_MATH_LTL_H
#define LIMPET_MATH_LTL_H

#include <stdbool.h>

// Rows up to which zeros are looked for, and up to which L L' in registers costs less.
enum { LIMPET_LTL_LIMIT = 64, LIMPET_LTL_TINY = 6 };

static inline bool limpet_ltl_pays(int n) { return n > LIMPET_LTL_TINY && n <= LIMPET_LTL_LIMIT; }
// n rounded up to four
static inline int limpet_ltl_padded(int n) { return (n + 3) & ~3; }

// Rows of two matrices that have something in the same strips of four columns.
typedef struct limpet_row_group {
  int count;            // rows
  unsigned tiles;       // bit t: columns 4 t to 4 t + 3
  const double *Y, *B;  // (count x ld)
} limpet_row_group;

typedef struct limpet_ltl_table {
  /* L (ld x ld, ld: n rounded up to four) <- the lower triangle of A, and a unit diagonal beyond
   * it. A is finite above its diagonal, too. */
  void (*copy)(int n, const double *A, int lda, double *L);
  /* A = L' L in place for the lower triangle of A (n x n, n a multiple of four and at most
   * LIMPET_LTL_LIMIT), with the zeros that it has: ltl_kernels.h. Blocks of four on the diagonal
   * become the inverses of those of L. Returns 0, or 1 + the row of a block of four that is not
   * positive definite. */
  int (*factor)(int n, double *A, int lda);
  // x (n) <- (L' L)^-1 x
  void (*solve)(int n, const double *L, int lda, double *x);
  /* Y (m x ldb) = G B in some strips of four columns (bits of `tiles`), for a symmetric G (m x m, m
   * = 2, 3 or 6), its lower triangle row by row: [00, 10, 11, 20, ...] */
  void (*weigh_rows)(int m, const double *G, unsigned tiles, const double *B, int ldb, double *Y);
  // Y (m x ld) = W S for W (m x k), S (k x ld, k = 3 or 6) that is zero but in some strips
  void (*multiply_rows)(int m, int k, const double *W, unsigned tiles, const double *S, int ld,
                        double *Y);
  /* The lower triangle of H (n x n, n a multiple of four and at most LIMPET_LTL_LIMIT), and what
   * its blocks of four have above the diagonal, += sum of Y' B over groups of rows, which are ld
   * apart */
  void (*add_gram)(int n, int count, const limpet_row_group *group, int ld, double *H, int ldh);
} limpet_ltl_table;

extern const limpet_ltl_table
    limpet_ltl_baseline;                        // whatever the compiler assumes of every machine
extern const limpet_ltl_table limpet_ltl_avx2;  // AVX2 and FMA; x86-64 only
// The table for this machine.
const limpet_ltl_table *limpet_ltl(void);

#endif
