/* gradient/column_writer.h: what the parts of the closed forms of columns share: see
 * state_columns.h.
 */
#ifndef LIMPET_GRADIENT_COLUMN_WRITER_H
#define LIMPET_GRADIENT_COLUMN_WRITER_H

#include "gradient/columns.h"
#include "gradient/tree_change.h"

typedef struct limpet_column_writer {
  limpet_probe *probe;
  limpet_arena *arena;
  limpet_columns *columns;
  limpet_tree_change *tree;  // (tree_count)
  double *inverse;           // (nv)  1/A_kk about steady axes
  int *slot;                 // (nv)  entry of r
  double width;              // [m, rad]  of differences around pairs of geoms
} limpet_column_writer;

static inline double *limpet_column_of(const limpet_column_writer *w, double *columns, int column) {
  return columns + (size_t)column * (size_t)w->probe->residual->size;
}

#endif
