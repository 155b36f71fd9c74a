/* gradient/tree_product.h: products from the left with changes of r (tree_change.h), in time linear
 * in the number of velocities. All trees are known. */
#ifndef LIMPET_GRADIENT_TREE_PRODUCT_H
#define LIMPET_GRADIENT_TREE_PRODUCT_H

#include "gradient/tree_change.h"

typedef struct limpet_tree_product limpet_tree_product;
// Where each tree's M and bias were taken. Memory from the arena stays; NULL: there is none.
limpet_tree_product *limpet_tree_product_make(const limpet_probe *probe, limpet_arena *arena,
                                              limpet_tree_change *trees);
// What is multiplied, and where the products go: by_q, by_v (nv) +=.
typedef struct limpet_tree_factors {
  const double *dual;    // (nv)  of r
  const double *first;   // (nv)  of r + h f on first joints; zero elsewhere
  const double *own;     // (nv)  of 1/A_kk of rows
  const double *steady;  // (nv x 6)  of A_JJ^-1 (rows), or of the 1/A_kk in Delassus' axes (first)
  double *by_q, *by_v;
  double *by_change;  // (nv)  += by the change of velocity in the last step; NULL: not wanted
  double *work;       // (9 nv)
} limpet_tree_factors;
// LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_tree_product_add(limpet_tree_product *product, const limpet_tree_change *trees,
                                      const limpet_tree_factors *factors, limpet_arena *arena);

#endif
