/* dynamics/derivative_kernels.h: derivatives of inverse dynamics over a tree (rnea_derivatives.c),
 * as a table of functions for one instruction set. All tables give the same bits. */
#ifndef LIMPET_DYNAMICS_DERIVATIVE_KERNELS_H
#define LIMPET_DYNAMICS_DERIVATIVE_KERNELS_H

#include "limpet/data.h"

// One body, and the sum over what hangs on it.
typedef struct limpet_body_sums {
  double A[6];   // acceleration, gravity included
  double F[6];   // force
  double I[10];  // inertia
  double C[18];  // (3 x 6)  what a change of velocity adds to the force, by each of its rotations
} limpet_body_sums;

/* What one velocity brings: S its axis, p, q and r of the head of rnea_derivatives.c. The numbers i
 * of all that its descendants ask for stand side by side. */
typedef struct limpet_dof_terms {
  double side[6][4];  // S, S, q, r
  double turn[3][4];  // 0, 0, p, S: rotations alone
  double q[6], r[6], p[3];
} limpet_dof_terms;

typedef struct limpet_derivative_sweep {
  const limpet_model *model;
  const limpet_data *data;
  int tree;
  const double *vdot;      // (nv)  NULL: zero
  bool moves;              // velocities and gravity count; else accelerations alone: d(M vdot)
  double share;            // of all derivatives
  limpet_body_sums *body;  // (body_count)
  limpet_dof_terms *dof;   // (nv)
} limpet_derivative_sweep;

typedef struct limpet_derivative_kernels {
  const char *name;  // "baseline", "avx2"
  // `body` and `dof` of the tree
  void (*sums)(const limpet_derivative_sweep *sweep);
  /* After `sums`: the entries of by_q and by_v (n x n) of velocities and their ancestors. by_v:
   * NULL where only accelerations count. */
  void (*entries)(const limpet_derivative_sweep *sweep, double *by_q, double *by_v);
  /* After `sums` of accelerations alone: the rows of a free joint, which the tree begins with, of M
   * and of d(M vdot), and what is symmetric to them among its own velocities. */
  void (*first_rows)(const limpet_derivative_sweep *sweep, double *M, double *by_q);
} limpet_derivative_kernels;

extern const limpet_derivative_kernels limpet_derivative_kernels_baseline;
extern const limpet_derivative_kernels limpet_derivative_kernels_avx2;  // x86-64 only
const limpet_derivative_kernels *limpet_derivative_kernels_here(void);  // those of this machine

#endif
