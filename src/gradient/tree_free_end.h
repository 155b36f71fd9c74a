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

#include "gradient/columns.h"
#include "gradient/integration.h"

typedef struct limpet_tree_free_end {
  int tree, first, n;
  bool kept;               // the tree floats; else q and v are not filled
  double carried;          // [-]  share of v0 in w
  limpet_integration way;  // at w
  int width;               // 4n, or 5n with columns of c
  double *q, *v;           // (6 x width)  of the first joint
} limpet_tree_free_end;

/* `end`: the world after the step; start: at its start, poses and velocities of it. Memory from the
 * arena stays. LIMPET_OK or LIMPET_ERROR_MEMORY; known: false where the tree has no such form. */
limpet_status limpet_tree_free_end_make(const limpet_residual *residual,
                                        const limpet_columns *columns,
                                        const limpet_step_settings *settings, limpet_data *start,
                                        const limpet_data *end, int tree, limpet_arena *arena,
                                        limpet_tree_free_end *to, bool *known);
// Which columns of a group change what a step starts from themselves.
typedef enum limpet_end_group {
  LIMPET_END_BY_Q,
  LIMPET_END_BY_V,
  LIMPET_END_BY_FORCE,
  LIMPET_END_BY_NONE
} limpet_end_group;
/* v (n x width), changes of s, become those of v1; q (n x width) receives those of q1. own: columns
 * `at` to at + n change q0, v0 or f. F (n x width): what else changes f; NULL: nothing. work:
 * (12 width). */
void limpet_tree_free_end_rows(const limpet_tree_free_end *end, limpet_end_group own, int at,
                               int width, const double *F, double *v, double *q, double *work);
/* Transposed: weights of q1 and v1 (nv; NULL: zero) become those of s, by_s (its tree set); those
 * of q0, v0, f and c are added to by_q, by_v, by_f, by_c (nv; NULL: not wanted). work: (2 n). */
void limpet_tree_free_end_weigh(const limpet_tree_free_end *end, const double *weight_q,
                                const double *weight_v, double *by_s, double *by_q, double *by_v,
                                double *by_f, double *by_c, double *work);

#endif
