/* gradient/contact_composite.h: matrices of the patches of a tree, which add up from its bodies to
 * their parents, and the columns that they give: see contact_columns.h. */
#ifndef LIMPET_GRADIENT_CONTACT_COMPOSITE_H
#define LIMPET_GRADIENT_CONTACT_COMPOSITE_H

#include "gradient/contact_side.h"
#include "gradient/patch_sides.h"
#include "model/trees.h"

/* What a pose multiplies, LIMPET_COMPOSITE_WIDTH numbers side by side. The matrices of wrenches
 * have the same order, [W V V0 A -E], so that rows and columns are products of them; what laws
 * without Delassus estimates have ends before E. */
enum {
  LIMPET_COMPOSITE_PLAIN = 24,
  LIMPET_COMPOSITE_WEIGHT = 36,
  LIMPET_COMPOSITE_WIDTH = LIMPET_COMPOSITE_PLAIN + LIMPET_COMPOSITE_WEIGHT,
  LIMPET_COMPOSITE_RATE = 12,  // of limpet_composite_rate, which V0 and A multiply
  LIMPET_COMPOSITE_V0 = 12,
  LIMPET_COMPOSITE_A = 18
};

// Of the patches of one body, and of all that hangs on it; rows are those of the wrench.
typedef struct limpet_composite {
  bool any, weighs;
  double f[6];
  double M[6 * LIMPET_COMPOSITE_WIDTH];
} limpet_composite;

typedef struct limpet_composite_pose {
  double S[6], V[6], p[6], q[6];      // axis, P x S, P0 x S, q of contact_motion.h
  double D[LIMPET_COMPOSITE_WEIGHT];  // 2 crm(S) D_j; where there are Delassus estimates
} limpet_composite_pose;

typedef struct limpet_composite_rate {
  double S[6], rate[6];
} limpet_composite_rate;

// S_i . dF by weights of Delassus estimates and by the acceleration of the centre of mass, of all
// patches of a tree.
typedef struct limpet_composite_rows {
  bool any, weighs;
  int end;                // of the velocities, within the tree, that have rows
  double *weight, *bend;  // (weights x n), (3 x n)
  double *outer;          // (weights x 36)  C_k C_l', twice where l is not k
} limpet_composite_rows;

typedef struct limpet_composite_writer {
  const limpet_column_writer *w;
  limpet_contact_motion motion;
  limpet_composite *body;          // (body_count)
  limpet_composite_pose *dof;      // (nv)
  limpet_composite_rate *rate;     // (nv)
  double *turned;                  // (nv x 6)  S x* f of what hangs on a velocity
  int run_count;                   // velocities before a body, the nearest first
  limpet_range *run;               // (nv)
  double *product;                 // (the most weights of a tree)
  limpet_composite_rows *rows;     // (tree_count)
  const limpet_tree_change *tree;  // the one whose columns are written
  limpet_composite_rows *own;      // its rows
} limpet_composite_writer;

// Changes of the wrench by pose and velocity of what x and rate are.
typedef struct limpet_wrench_change {
  double q[6], v[6];
} limpet_wrench_change;

// What the velocities of a tree multiply, which is the writer's.
void limpet_composite_make(limpet_composite_writer *writer);
// A patch with what does not move joins the matrices of its body.
void limpet_composite_add_patch(limpet_composite_writer *writer, const limpet_patch_view *patch,
                                int side);
// Columns and rows of a body's velocities: all bodies behind it have been passed on.
void limpet_composite_write(limpet_composite_writer *writer, int body);
// The matrices of a body join those of its parent.
void limpet_composite_pass_on(limpet_composite_writer *writer, int body);

// The patch's point from the origin of the writer's tree.
void limpet_composite_lever(const limpet_composite_writer *writer, const limpet_patch_view *patch,
                            double lever[3]);
// A velocity of the tree has a row.
void limpet_composite_reach(const limpet_composite_writer *writer, int dof);
// M += the matrices of one side of a patch; and what velocities of that side alone have besides.
void limpet_composite_add_plain(double M[6 * LIMPET_COMPOSITE_WIDTH],
                                const limpet_contact_side *own);
void limpet_composite_add_weights(double M[6 * LIMPET_COMPOSITE_WIDTH],
                                  const limpet_contact_side *own, double E[6][36]);
// The wrench of M by the pose and velocity of x and rate.
void limpet_composite_wrench(const double M[6 * LIMPET_COMPOSITE_WIDTH], bool weighs,
                             const limpet_composite_pose *x, const limpet_composite_rate *rate,
                             limpet_wrench_change *u);
// share C_k C_l' (6 x 6)
void limpet_composite_outer(double to[36], double share, const double k[6], const double l[6]);

#endif
