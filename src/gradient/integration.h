/* gradient/integration.h: derivatives of q1 = q0 (+) dt v, all three in velocity coordinates. */
#ifndef LIMPET_GRADIENT_INTEGRATION_H
#define LIMPET_GRADIENT_INTEGRATION_H

#include "limpet/data.h"

/* Blocks of both derivatives, one for each joint with rotations: dq1/dq0 = 1 and dq1/dv = dt
 * elsewhere. */
typedef struct limpet_integration {
  const limpet_model *model;
  double dt;
  double *by_q;  // (joint_count x 9)  rotations of free and ball joints
  double *by_v;  // (joint_count x 9)
} limpet_integration;

// v (nv); fills by_q and by_v.
void limpet_integration_compute(limpet_integration *integration, const double *v, bool first_order);
// The joints of one tree alone.
void limpet_integration_compute_tree(limpet_integration *integration, int tree, const double *v,
                                     bool first_order);
// to (nv) = dq1/dv from (nv).
void limpet_integration_by_v(const limpet_integration *integration, const double *from, double *to);
// The same for many columns: from, to (nv x width), zero on entry.
void limpet_integration_rows(const limpet_integration *integration, int width, const double *from,
                             double *to);
/* X (n x width), changes of the v of a tree, become those of its q1; at: first of n columns of its
 * q0, negative: there are none. */
void limpet_integration_tree_rows(const limpet_integration *integration, int tree, int width,
                                  int at, double *X);
// to[i stride] += column `dof` of dq1/dq0
void limpet_integration_add_by_q(const limpet_integration *integration, int dof, double *to,
                                 int stride);
/* by_q (rows x n), derivatives by q1 of a tree, become those by q0; by_v (NULL: not wanted)
 * receives those by v. */
void limpet_integration_chain(const limpet_integration *integration, int tree, int rows,
                              double *by_q, double *by_v);
// The same, transposed: to (nv) = (dq1/dv)' from, (dq1/dq0)' from.
void limpet_integration_adjoint(const limpet_integration *integration, const double *from,
                                double *by_v, double *by_q);

#endif
