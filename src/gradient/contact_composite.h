/* gradient/contact_composite.h: matrices of the patches of a tree, which add up from its bodies to
 * their parents, and the columns that they give: see contact_columns.h. */
#ifndef LIMPET_GRADIENT_CONTACT_COMPOSITE_H
#define LIMPET_GRADIENT_CONTACT_COMPOSITE_H

#include "gradient/contact_side.h"
#include "gradient/patch_sides.h"
#include "model/trees.h"

/* The matrices of wrenches, [W V V0 A], have the order of limpet_pose_motion, so that rows and
 * columns are products of both; V0 and A that of limpet_rate_motion. */
enum {
  LIMPET_COMPOSITE_WIDTH = LIMPET_POSE_WIDTH,
  LIMPET_COMPOSITE_V0 = 12,
  LIMPET_COMPOSITE_A = 18
};

// Of the patches of one body, and of all that hangs on it; rows are those of the wrench.
typedef struct limpet_composite {
  bool any;
  double f[6];
  double M[6 * LIMPET_COMPOSITE_WIDTH];
} limpet_composite;

// S_i . dF by the acceleration of the centre of mass, of all patches of a tree.
typedef struct limpet_composite_rows {
  bool any;
  int end;       // of the velocities, within the tree, that have rows
  double *bend;  // (3 x n)
} limpet_composite_rows;

typedef struct limpet_composite_writer {
  const limpet_column_writer *w;
  limpet_contact_motion motion;
  limpet_composite *body;          // (body_count)
  double *turned;                  // (nv x 6)  S x* f of what hangs on a velocity
  int run_count;                   // velocities before a body, the nearest first
  limpet_range *run;               // (nv)
  limpet_dof_table *table;         // of the tree's velocities
  limpet_composite_rows *rows;     // (tree_count)
  const limpet_tree_change *tree;  // the one whose columns are written
  limpet_composite_rows *own;      // its rows
} limpet_composite_writer;

// A patch with what does not move joins the matrices of its body.
void limpet_composite_add_patch(limpet_composite_writer *writer, const limpet_patch_view *patch,
                                int side);
// What velocities of the writer's tree multiply, side by side.
void limpet_composite_make(limpet_composite_writer *writer);
// Columns and rows of a body's velocities: all bodies behind it have been passed on. After
// limpet_composite_make.
void limpet_composite_write(limpet_composite_writer *writer, int body);
// The matrices of a body join those of its parent.
void limpet_composite_pass_on(limpet_composite_writer *writer, int body);

// The patch's point from the origin of the tree of a side, which moves.
void limpet_composite_lever(const limpet_patch_view *patch, int side, double lever[3]);
// A velocity of the tree has a row.
void limpet_composite_reach(const limpet_composite_writer *writer, int dof);

#endif
