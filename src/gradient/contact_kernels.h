/* gradient/contact_kernels.h: the inner loops of columns of contacts, as a table of functions for
 * one instruction set. */
#ifndef LIMPET_GRADIENT_CONTACT_KERNELS_H
#define LIMPET_GRADIENT_CONTACT_KERNELS_H

#include "gradient/contact_motion.h"

enum {
  LIMPET_NEAR = 2,             // rotations of one joint around one
  LIMPET_WEIGHTS_AT_ONCE = 4,  // lanes
  LIMPET_WEIGHT_WORK = 36      // numbers for each velocity
};

// A velocity that moves one body of a patch.
typedef struct limpet_weight_dof {
  const limpet_dof_motion *motion;
  int column;                            // row of a and turn
  int local;                             // velocities of its joint that come before it
  int own_entry, pair_entry;             // of its weight; of those with the others, in their order
  bool odd;                              // own is not all 0
  signed char own[2 * LIMPET_NEAR + 1];  // of those near it: 1 or -1: joint's own that it moves, or
                                         // not
} limpet_weight_dof;

// Velocities of one patch, and where what they have goes: rows of `stride` numbers.
typedef struct limpet_weight_path {
  int from[LIMPET_SIDES + 1];  // of each side, the nearest to its body first
  const limpet_weight_dof *dof;
  double lever[LIMPET_SIDES][3];  // [m]  the patch's point, from the origins of both trees
  int stride;                     // of rows, one a velocity, or entry
  double *a;                      // J' push
  double *turn;                   // what axes have that poses turn
  double *entry;                  // minus what entries of A_JJ^-1 have
  double *work;                   // (velocities x LIMPET_WEIGHT_WORK)
} limpet_weight_path;

/* What a side of a patch is made of, about the patch's point where nothing else is said: see
 * patch_sides.h, contact_side.h. Shares are of both sides together. */
typedef struct limpet_side_input {
  const limpet_patch_law *law;
  double sign;        // of the body in B relative to A
  bool sees, curved;  // it is A, from which the law is seen; curved paths
  // of curved paths
  double half;           // [s]  dt/2
  const double *omega;   // (3)  at the start, of the body
  const double *slower;  // (3)  of the slower one; NULL: that stays
  bool is_slower;        // this one is
  double apart[3];       // [m]  pivot of A less that of B
  double arm[3], v[3];   // origin of the body
  double pivot[3];       // pivot of the body
  // where and how it is seen
  double share;              // of all
  const double *lever;       // (3)  [m]  from the point of the matrices to that of the patch
  double V[6], V0[6], A[6];  // of the body, about the point of the matrices
} limpet_side_input;

/* [W V V0 A]' of one side, LIMPET_POSE_WIDTH rows; columns are those of the wrench, and two of
 * zeros. */
typedef struct limpet_contact_side {
  double T[LIMPET_POSE_WIDTH][8];
} limpet_contact_side;

// Rows and columns of two velocities, or of one with itself.
typedef struct limpet_row_factors {
  double g[LIMPET_POSE_WIDTH];  // S' M + (S x* f)' of a row
  double q[8], v[8];            // M times pose and rate of a column
} limpet_row_factors;

// Poses and rates of four velocities: of each number four, those of poses first.
typedef struct limpet_dof_table {
  double number[LIMPET_POSE_WIDTH + 8][4];
} limpet_dof_table;

// Columns of velocities side by side, and their entries.
typedef struct limpet_column_run {
  int first, count;               // in the tree
  const limpet_dof_table *table;  // of the tree
  long stride;                    // from one column to the next
  double *q, *v;                  // entry of the row in the first column; v: NULL: not wanted
  double *own_q, *own_v;          // entry of the first one in the column of the row
} limpet_column_run;

typedef struct limpet_contact_kernels {
  const char *name;  // "baseline", "avx2"
  /* Up to four weights of a patch, into that many numbers of each row; those of weights that are
   * not there become zero. See contact_weights.c. */
  void (*weights)(const limpet_weight_path *path, int count, const limpet_law_weight *weight);
  void (*side)(const limpet_side_input *input, limpet_contact_side *to);
  // M (6 x LIMPET_POSE_WIDTH) += the matrices of a side
  void (*join)(const limpet_contact_side *side, double *M);
  // Fills tables of velocities side by side.
  void (*tables)(int count, const limpet_dof_motion *dof, limpet_dof_table *table);
  // M is that of what hangs on a velocity; turned (6): S x* f
  void (*factors)(const double *M, const limpet_dof_motion *dof, const double turned[6],
                  limpet_row_factors *to);
  // Columns -= row and column of a velocity, where those of others meet them.
  void (*cross)(const limpet_row_factors *factors, const limpet_column_run *run);
} limpet_contact_kernels;

extern const limpet_contact_kernels limpet_contact_kernels_baseline;
extern const limpet_contact_kernels limpet_contact_kernels_avx2;  // x86-64 only
const limpet_contact_kernels *limpet_contact_kernels_here(void);  // those of this machine

#endif
