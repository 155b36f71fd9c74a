// gradient/loop_columns.h: columns of pose and velocity from loops, and products with them.
#ifndef LIMPET_GRADIENT_LOOP_COLUMNS_H
#define LIMPET_GRADIENT_LOOP_COLUMNS_H

#include "gradient/column_writer.h"
#include "gradient/loop_change.h"

// Loops of the step.
typedef struct limpet_loops {
  int count;
  limpet_loop_view *view;  // (count)
} limpet_loops;

// Loops without a closed form make the trees of their island unknown. Memory from the writer's
// arena stays. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_loops_find(limpet_column_writer *writer, limpet_row_probe *laws,
                                limpet_loops *loops);
// Adds a loop to the columns of trees that are known. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_loop_columns_write(const limpet_column_writer *writer,
                                        const limpet_loop_view *view);
// Where products go.
typedef struct limpet_loop_products {
  double *by_q, *by_v;  // (nv)
  double *by_weight;    // (nv x 6)  by weights of Delassus estimates: limpet_tree_factors.steady
  double *bend;         // (tree_count x 3)  by the acceleration that limpet_probe_bend tells of
} limpet_loop_products;

// products += dual' dr; dual (residual size). All trees are known.
void limpet_loop_product_add(const limpet_column_writer *writer, const limpet_loop_view *view,
                             const double *dual, const limpet_loop_products *products);

#endif
