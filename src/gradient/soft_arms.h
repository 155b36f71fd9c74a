/* gradient/soft_arms.h: vertices that move as parts of rigid bodies (step/soft_sets.h): how their
 * arms r and their velocities c back to their places follow poses of trees and vertices at the
 * start.
 *
 *   dr_i = o x r_i,  dg_i = dx_i - dC - dr_i,  dc_i = dc/dg dg_i    o, C: turn and mean of places
 * With velocities that were solved for held, these move the vertices (fem/rigid_set.h), turn what
 * acts on a set, and change H: dR, and dz.H z. columns.q of the workspace has what that does to
 * trees and contacts, for Jacobians; by_pose is without, for products, which have it by dR.
 * Kinks: velocities back that are at the return speed. */
#ifndef LIMPET_GRADIENT_SOFT_ARMS_H
#define LIMPET_GRADIENT_SOFT_ARMS_H

#include "gradient/soft_product.h"

typedef struct limpet_soft_set {
  int deformable, set;
  int count;       // velocities of trees that move it
  int *dof;        // (count)
  double *column;  // (count x 6)  motion of C, [angular, linear]
} limpet_soft_set;

typedef struct limpet_soft_arms {
  int count;  // sets
  limpet_soft_set *set;
  double *slope;    // (vertex_count x 9) [1/s]  dc/dg
  double *by_pose;  // (nv x residual size)
} limpet_soft_arms;

/* Fills soft->arms where there are sets, after all slopes, and adds to columns.q. The world is at
 * the start, kinematics done. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_soft_arms_make(limpet_gradient_workspace *w);

/* effect (nv): at least what poses do to velocities [1/s, m/(s rad)] by leading vertices of sets
 * back to their places, which no column of differences has. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_soft_arms_effect(const limpet_probe *probe, limpet_arena *arena,
                                      double *effect);

// arm, offset (vertices) <- changes for those of poses q (nv) and x (vertices); NULL: none.
void limpet_soft_arms_move(const limpet_soft_product *p, const double *q, const double *x,
                           double *arm, double *offset);
// Transposed: q, x (NULL: not wanted) +=
void limpet_soft_arms_pull(const limpet_soft_product *p, const double *arm, const double *offset,
                           double *q, double *x);

/* Of body d: e (vertices) <- what arms and offsets (vertices) move vertices by [m/s], dR (vertices)
 * += what that and turned arms change. Uses p->g. */
void limpet_soft_arms_carry(const limpet_soft_product *p, int d, const double *arm,
                            const double *offset, double *e, double *dR);
/* Transposed: arm, offset (vertices) += of weights of e (vertices), and of l, H l (nodes of body d)
 * of dR; weight becomes the whole. */
void limpet_soft_arms_carry_adjoint(const limpet_soft_product *p, int d, double *weight,
                                    const double *l, const double *Hl, double *arm, double *offset);

#endif
