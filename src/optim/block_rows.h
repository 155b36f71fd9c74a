/* optim/block_rows.h: a matrix whose rows come in threes, and are zero outside two ranges of
 * columns each.
 *
 * Three rows are what the impulses of one contact do to the velocities of the bodies that touch
 * there: two bodies at most. Cost of a product with a row: the length of its ranges. */
#ifndef LIMPET_OPTIM_BLOCK_ROWS_H
#define LIMPET_OPTIM_BLOCK_ROWS_H

typedef struct limpet_block_rows {
  int n, blocks;     // columns; threes of rows
  const double *W;   // (3 blocks x n)
  const int *range;  // (blocks x 4)  columns that are not zero: first and count, twice
} limpet_block_rows;

// Row i times u (n).
double limpet_block_rows_dot(const limpet_block_rows *rows, int i, const double *u);
// u += a times row i.
void limpet_block_rows_axpy(const limpet_block_rows *rows, int i, double a, double *u);
// The entry of W W' of two rows.
double limpet_block_rows_product(const limpet_block_rows *rows, int i, int k);

#endif
