/* math/block_symbolic.h: what the symbolic part of a block-sparse Cholesky factorisation knows, for
 * block_sparse.c.
 *
 * p, q are numbers in the order of elimination (positions), i, j the caller's block rows. */
#ifndef LIMPET_MATH_BLOCK_SYMBOLIC_H
#define LIMPET_MATH_BLOCK_SYMBOLIC_H

#include <stdbool.h>

#include "math/block_sparse.h"
#include "math/dense_table.h"

// Consecutive positions that are factored together: a dense diagonal block and the panel of its
// rows in the upper factor.
typedef struct limpet_supernode {
  int first, last;           // positions
  int row, width;            // first row in the order of elimination, rows
  int below;                 // columns of the panel: rows of all later blocks that it reaches
  int stride;                // leading dimension of the panel
  int list, list_count;      // in list, column: the later blocks
  bool only_bodies;          // six rows, and so has each of the later blocks
  int update, update_count;  // in update: outer products of the panel
  int diagonal, panel;  // offsets into values: width x width row-major, lower triangle; width x
                        // below row-major
} limpet_supernode;

struct limpet_block_cholesky {
  int n, row_count, supernode_count;
  long value_count;
  int *block;                   // (n)  caller's block at a position
  int *position;                // (n)  inverse of block
  int *row;                     // (n + 1)  first row of a position, in the order of elimination
  int *origin;                  // (n)  first row of a position, in the caller's order
  int *owner;                   // (n)  supernode of a position
  limpet_supernode *supernode;  // (supernode_count)
  int *list,
      *column;  // positions that panels reach, ascending, and their first columns in the panel
  limpet_panel_update *update;  // outer products, by supernode
  double *values;               // (value_count)
  double *inverse;              // (row_count)  reciprocal diagonal of the factor
  double *x, *y;                // (row_count)  scratch of a solve
};

/* block_runs.c: changes the order of positions within supernodes so that runs of neighbours that
 * are reached together are long: block, position and list; rows and columns are to be numbered
 * afterwards. LIMPET_ERROR_MEMORY without memory. */
limpet_status limpet_block_runs_lengthen(limpet_block_cholesky *factor, limpet_arena *arena);

#endif
