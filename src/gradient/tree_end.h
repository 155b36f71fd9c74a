/* gradient/tree_end.h: derivatives of the velocity at the end of a step of trees of several bodies
 * that float and are held (step/flight_end.c), in closed form.
 *
 *   joints       v1 = s
 *   first joint  M_b(q1) v1 = y,   the momentum of start, gravity, forces and impulses in the pose
 * q1 z = M_b(q0) v0 + P + h f,   p = z_l + h m g,   L = R0 z_a - e0 x z_l, y = [p; R1' (L + e1 x
 * p)],   P = A (s - v*) s: what the problem was solved for; M_b: the first six rows of M; P, f:
 * impulses and forces on the first joint; e: from the body's origin to the centre of mass of the
 * tree, W; R: rotation of that body; _l, _a: linear (W), angular (body axes); 0, 1: start, end.
 * Positions q1 = q0 (+) h s go through integration.h, but that the centre of mass goes straight
 * where the tree is centred (step/flight_centre.c), which adds to the place x1 of its first joint
 *   dx = dN_0 dq0 + h dN_0 ds + h d(N_0 s)/dq dq0 - dN_1 (dq1 of the others),   dN = N - [1 0] */
#ifndef LIMPET_GRADIENT_TREE_END_H
#define LIMPET_GRADIENT_TREE_END_H

#include "dynamics/tree.h"
#include "gradient/ending.h"

typedef struct limpet_tree_end {
  int first, n;                      // velocities
  double *v_by_q, *v_by_v, *v_by_s;  // (6 x n)  of the first joint; by_q, by_v NULL: not wanted
  double *v_by_f;  // (6 x n)  by generalised forces of a tree that flew before; NULL: zero
  double *v_by_c;  // (6 x n)  by the change of the last step, where impulses know it; NULL: zero
  double *x_by_q, *x_by_s;  // (3 x n)  what a centred tree adds to x1; NULL: zero
} limpet_tree_end;

// LIMPET_OK or LIMPET_ERROR_MEMORY; known: false where the tree has no such form.
limpet_status limpet_tree_end_make(const limpet_ending *ending, int tree, limpet_arena *arena,
                                   limpet_tree_end *to, bool *known);
/* velocity (nv), a change of s: that of the first joint becomes its change at the end of the step,
 * state and inputs held; shift (nv), of positions, += what is added to x1. */
void limpet_tree_end_pass(const limpet_tree_end *end, double *velocity, double *shift);
// weight (nv) of positions at the end: by_s, by_q (nv) += what the addition to x1 has.
void limpet_tree_end_place(const limpet_tree_end *end, const double *weight, double *by_s,
                           double *by_q);
// Transposed: weight (nv) of v1 becomes that of s; weights.of_q and of_v are not read.
void limpet_tree_end_weigh(const limpet_tree_end *end, const limpet_end_weights *weights,
                           double *weight);

// What products from the left read, without matrices.
typedef struct limpet_tree_end_product {
  int tree, first, n;
  double mass, factor[36];      // of M_bb(q1)
  double start_R[9], end_R[9];  // R
  double start_arm[3], end_arm[3];
  limpet_tree_sums *start_sum, *end_sum;  // (bodies of the tree)
  double z[6], p[3], w[3];
  limpet_data end;  // the world at q1, v1
} limpet_tree_end_product;

// LIMPET_OK or LIMPET_ERROR_MEMORY; known: false where the tree has no such form, or no inertia.
limpet_status limpet_tree_end_product_make(const limpet_ending *ending, int tree,
                                           limpet_arena *arena, limpet_tree_end_product *to,
                                           bool *known);
// As limpet_tree_end_place, in time linear in n. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_tree_end_product_place(const limpet_tree_end_product *end,
                                            const limpet_ending *ending, const double *weight,
                                            limpet_arena *arena, double *by_s, double *by_q);
/* As limpet_tree_end_weigh, but that what P does is left to its caller: of_P (nv) receives the
 * weights of P + h f on the first joint. work: (5 n). */
void limpet_tree_end_product_weigh(limpet_tree_end_product *end, const limpet_ending *ending,
                                   double *weight, double *by_q, double *by_v, double *of_P,
                                   double *work);

#endif
