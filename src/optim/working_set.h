/* optim/working_set.h: the equality-constrained quadratic programme of a set of rows, kept factored
 * while rows come and go.
 *
 *   minimise 1/2 x'Qx + b'x  subject to  A x = e:     Q x + b = A' u
 *   J = L^-T P with Q = L L' and P orthogonal, so that J'QJ = I;   A J = [R' 0],   J = [J1 J2], q
 *                                                                  columns in J1
 *   x = J1 y - J2 J2' b,   R' y = e,   R u = y + J1' b
 *
 * A row that enters is reflected into R by one Householder reflection of J2, one that leaves is
 * rotated out: n^2 multiply-adds each. Rows that depend on those in the set cannot enter. Q of
 * blocks along the diagonal is factored block by block.
 * Reference: Goldfarb, Idnani, A numerically stable dual method for solving strictly convex
 * quadratic programs (1983). */
#ifndef LIMPET_OPTIM_WORKING_SET_H
#define LIMPET_OPTIM_WORKING_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "optim/qp_table.h"

typedef struct limpet_working_set {
  const limpet_qp_table *kernels;
  int n, ld;            // ld: n padded to LIMPET_QP_LANES
  int count;            // q, rows in the set
  int *row;             // (n)  names of the rows
  double *Q;            // (n, ld)
  double *J;            // (n, ld)
  double *A;            // (n, ld)  rows in the set
  double *Rt;           // (n, ld)  R', lower triangular
  double *inverse;      // (n)  reciprocals of the diagonal of R
  double *factor;       // (n, ld)  of a block of Q
  double *d, *z;        // (ld)  J'g, and J2 J2'g, of the last direction
  double *coefficient;  // (ld)  r with g = A'r + part outside the span, of the last coefficients
  double *tail;         // (ld)  d without its first q entries
  double *work;         // (ld)
} limpet_working_set;

// Bytes for n variables; lays the arrays out at `memory` unless that is NULL.
size_t limpet_working_set_layout(limpet_working_set *set, int n, char *memory);

// An empty set for Q (n x n, row-major, leading dimension ldq; both triangles). False: Q is
// not positive definite.
bool limpet_working_set_reset(limpet_working_set *set, const double *Q, int ldq);

/* The direction z = J2 J2' g in which g . x grows and the rows of the set stay. Returns g . z and
 * g' Q^-1 g in `total`: their ratio is the squared sine of the angle between g and the rows in the
 * set. */
double limpet_working_set_direction(limpet_working_set *set, const double *g, double *total);
// r (coefficient): how the multipliers of the set answer to that of g; after the direction.
void limpet_working_set_coefficients(limpet_working_set *set);

// Whether those numbers mean that g depends on the rows in the set.
bool limpet_working_set_depends(const limpet_working_set *set, double curvature, double total);

// Takes the row of the last direction in, which must not depend on the set.
void limpet_working_set_add(limpet_working_set *set, int row, const double *g, double curvature);
// Takes row k (0 .. count - 1) of the set out; the later ones move up.
void limpet_working_set_drop(limpet_working_set *set, int k);

// x (ld, padded with zeros) and u (count) of the equality-constrained problem with b (n), e
// (count).
void limpet_working_set_solve(limpet_working_set *set, const double *b, const double *e, double *x,
                              double *u);

// y (ld) = Q x; x padded.
void limpet_working_set_product(const limpet_working_set *set, const double *x, double *y);

#endif
