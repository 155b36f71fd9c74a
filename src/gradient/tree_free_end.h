/* gradient/tree_free_end.h: derivatives of the end of a step of trees of several bodies that
 * nothing from outside holds (step/flight_end.c), in closed form.
 *
 *   joints       v1 = s,   q1 = q0 (+) h w,   w = s inside (impulses within the tree), else
 *                                             (v0 + s)/2
 *   first joint  of a tree that floats: rotation by h u, inside by what follows the joints, or by
 *                h (u + s - v*) where it was held: tree_flight.h; position from its centre of
 *                mass, c0 + h p0/m + h^2 F/(2m); v1 from its momentum
 *
 * s: what was solved for. Columns: of q0, v0, f (forces of springs are in q0), s, and c where the
 * flight has them. */
#ifndef LIMPET_GRADIENT_TREE_FREE_END_H
#define LIMPET_GRADIENT_TREE_FREE_END_H

#include "gradient/ending.h"

typedef struct limpet_tree_free_end {
  int tree, first, n;
  bool kept;               // the tree floats; else q and v are not filled
  double carried;          // [-]  share of v0 in w
  limpet_integration way;  // at w
  int width;               // 4n, or 5n with columns of c
  double *q, *v;           // (6 x width)  of the first joint
} limpet_tree_free_end;

/* Memory from the arena stays. LIMPET_OK or LIMPET_ERROR_MEMORY; known: false where the tree has no
 * such form. */
limpet_status limpet_tree_free_end_make(const limpet_ending *ending, int tree, limpet_arena *arena,
                                        limpet_tree_free_end *to, bool *known);
// Which columns of a group change what a step starts from themselves.
typedef enum limpet_end_group {
  LIMPET_END_BY_Q,
  LIMPET_END_BY_V,
  LIMPET_END_BY_FORCE,
  LIMPET_END_BY_NONE
} limpet_end_group;
// Columns of changes, all alike.
typedef struct limpet_end_columns {
  int width;
  limpet_end_group own;
  int at;           // columns `at` to at + n change q0, v0 or f, by `own`
  const double *F;  // (n x width)  what else changes f; NULL: nothing
} limpet_end_columns;
/* v (n x width), changes of s, become those of v1; q (n x width) receives those of q1. work: (12
 * width). */
void limpet_tree_free_end_rows(const limpet_tree_free_end *end, const limpet_end_columns *columns,
                               double *v, double *q, double *work);
// Transposed: by_s (nv) receives the weights of s, of its tree. work: (2 n).
void limpet_tree_free_end_weigh(const limpet_tree_free_end *end, const limpet_end_weights *weights,
                                double *by_s, double *work);

#endif
