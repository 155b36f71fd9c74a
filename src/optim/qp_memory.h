/* optim/qp_memory.h: the arrays that the methods for quadratic programmes work in, laid out for one
 * problem in the block of its workspace. */
#ifndef LIMPET_OPTIM_QP_MEMORY_H
#define LIMPET_OPTIM_QP_MEMORY_H

#include "optim/qp.h"
#include "optim/working_set.h"

typedef enum limpet_face {
  LIMPET_FACE_FREE,      // s inside the cone, lambda = 0
  LIMPET_FACE_BOUNDARY,  // both on the boundary
  LIMPET_FACE_APEX       // s = 0
} limpet_face;

typedef struct limpet_qp_memory {
  int n, ld;   // variables; padded
  int m, ldm;  // linear rows; padded
  int total;   // rows of G with those of the cones
  limpet_working_set set;

  // minimum without rows: what round-off is measured against where the solution itself vanishes
  double *free_x;      // (ld)
  double free_energy;  // |c' x|
  double free_size;    // sqrt(sum of Q_jj x_j^2)
  bool fresh;          // the working set is empty and factored for Q

  // active set
  double *Gt;       // (n, ldm)  transposed linear rows
  double *h;        // (ldm)
  double *s;        // (ldm)  slack
  double *bound;    // (ldm)  |h| + |G| |x|: what round-off of s is a multiple of
  double *norm;     // (ldm)  sum over j of G_ij^2 / Q_jj
  double *scale;    // (ldm)  1 / norm; 0: the row is in the set, or stands back
  double *weight;   // (ld)  1 / Q_jj
  double *x;        // (ld)
  double *u;        // (ld + 4)  multipliers of the set
  double *e;        // (ld)  right-hand side of the rows of the set
  double *b;        // (ld)
  double *dx, *du;  // (ld) each  corrections

  // faces
  bool *tight;        // (m)  linear rows whose equations hold
  limpet_face *face;  // (cone_count)

  // interior point, in scaled variables
  struct limpet_interior_arrays {
    double *variable_scale;        // (ld)  1 / sqrt(Q_jj)
    double *kept_x, *kept_lambda;  // (ld), (total)  while faces are looked for further on
    double *row_scale;             // (total)
    double *Q, *H;                 // (n, ld)
    double *G;                     // (total, ld)
    double *panel;                 // (total, 2 ld)  W^-1 G and its negative
    double *c, *h;                 // (ld), (total)
    double *s, *lambda, *ds, *dlambda, *scaled, *target, *primal, *Gdx;  // (total) each
    double *scaling;  // (total)  of linear rows sqrt(s / lambda), of cones the point w of Nesterov
                      // and Todd
    double *eta;      // (cone_count)
    double *x, *dx, *dual, *right;  // (ld) each
  } interior;
} limpet_qp_memory;

// The arrays of the workspace at the sizes of this problem, so that they lie close together. What
// they hold stays if those did.
limpet_qp_memory *limpet_qp_memory_for(const limpet_qp_problem *problem,
                                       limpet_qp_workspace *workspace);

/* The stationarity and complementarity of the info from Q x, G'lambda (n each), s'lambda, h'lambda
 * and free_energy. Returns what the stationarity is relative to: the greatest of |Qx|, |c|,
 * |G'lambda|, less than the sum of the magnitudes of all terms. */
double limpet_qp_residuals_combine(const limpet_qp_problem *problem, const double *x,
                                   const double *curve, const double *force, double gap,
                                   double offset, double free_energy, limpet_qp_info *info);

#endif
