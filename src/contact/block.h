/* contact/block.h: a block of unknowns: velocities with a matrix of their own in A, which is block
 * diagonal. A kinematic tree is one kind of block (block_tree.c); a deformable body would be
 * another.
 *
 * A contact acts on *parts* of blocks: a rigid unit of a tree, an element of a deformable body. The
 * columns of a patch say how the block's velocities move what is at a point of a part: S (6 each),
 * [angular; linear] in W. Parts that do not move as rigid bodies have columns without an angular
 * part and one patch for each point. Assembly, solvers, gradients and the step go through the
 * functions of the kind: nobody above `contact` asks which kind it is. Dispatch is per block; loops
 * over entries are inside. */
#ifndef LIMPET_CONTACT_BLOCK_H
#define LIMPET_CONTACT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "dynamics/delassus.h"
#include "limpet/data.h"

typedef struct limpet_block_kind limpet_block_kind;

typedef struct limpet_mesh_matrix limpet_mesh_matrix;

typedef struct limpet_block {
  const limpet_block_kind *kind;
  int owner;                // index of the tree, or of what else the kind knows
  int dof, size;            // range of velocities
  int position, positions;  // range of positions
  int split;                // that many of the first are in no contact; 0: it is not known
  bool alone;               // a tree of a free joint and nothing else: three shifts, three turns
  bool still;               // keeps its velocity: nothing in the problem moves it
  const double *matrix;     // A of the block, as the kind stores it [kg, kg m^2]; still: not read
  const limpet_mesh_matrix *mesh;  // in its place: mesh_matrix.h; NULL: it is not
  const double *compliance;  // (size)  [1/kg]  diagonal of A^-1 where it is known; NULL: it is not
  // filled by limpet_problem_know_factor; NULL: not
  const int *joint;                  // (size)  the joint of each velocity
  const limpet_joint_kind *kind_of;  // (joints of the model)
  const double *factor;  // (limpet_positive_work)  of A, but for a part of first order in the step
  // filled by limpet_problem_partition
  int island;  // or -1: nothing touches it
  int offset;  // first velocity in the island's vector
} limpet_block;

// The parts of a block that a contact is between: part[0] of A, part[1] of B. LIMPET_NONE: that
// side belongs to another block, or to none.
typedef struct limpet_block_parts {
  int part[2];
} limpet_block_parts;

// What moves with blocks. Filled by limpet_block_mass_add, from zero.
typedef struct limpet_block_mass {
  double mass;    // m [kg]
  double com[3];  // c [m, W]
  double spread;  // sum m_i |c_i - c|^2 [kg m^2]
} limpet_block_mass;

// A mass m [kg] at c [m, W] more.
void limpet_block_mass_add(limpet_block_mass *sum, double m, const double c[3]);

// x, y (size): velocities and momenta of the block. dof: indices into v of the whole problem.
struct limpet_block_kind {
  const char *name;
  bool dense;  // block->matrix is the whole of A (size x size), row-major

  // y += A x
  void (*apply)(const limpet_block *block, const double *x, double *y);
  // diagonal (size) of A
  void (*diagonal)(const limpet_block *block, double *diagonal);
  // to (size x size, rows `stride` apart) <- A; `lower`: its lower triangle, the rest is untouched
  void (*copy)(const limpet_block *block, bool lower, double *to, size_t stride);
  // doubles that `factor` fills
  size_t (*factor_size)(const limpet_block *block);
  // factors A; false where it is not positive definite
  bool (*factor)(const limpet_block *block, double *factor);
  // x <- A^-1 x
  void (*solve)(const limpet_block *block, const double *factor, double *x);

  // columns that `columns` fills at most
  int (*column_room)(const limpet_block *block, const limpet_model *model,
                     limpet_block_parts parts);
  // Columns of the velocity of B's part less A's at `point` (W, [m]), and the velocities that they
  // belong to. Returns how many. After limpet_kinematics.
  int (*columns)(const limpet_block *block, const limpet_model *model, const limpet_data *data,
                 limpet_block_parts parts, const double point[3], int *dof, double *column);
  // inverse (size), mix (size x 6, of trees; NULL: of the diagonal alone): dynamics/delassus.h
  void (*weigh)(const limpet_block *block, const limpet_model *model, const limpet_data *data,
                double *inverse, double *mix);
  // D (36) += what columns give, with `weights` (of the whole problem) from the function above
  void (*add_delassus)(const limpet_model *model, const limpet_data *data, int count,
                       const int *dof, const double *column, const limpet_delassus_weights *weights,
                       double D[36]);
  // q1 <- q0 (+) dt v in the block's range; arrays of the whole problem
  void (*integrate)(const limpet_block *block, const limpet_model *model, double *q1,
                    const double *q0, const double *v, double dt, bool first_order);
  // sum += the masses of the block. After limpet_kinematics.
  void (*add_mass)(const limpet_block *block, const limpet_model *model, const limpet_data *data,
                   limpet_block_mass *sum);
};

// A kinematic tree: a dense symmetric matrix, row-major; columns of contact points are spatial
// vectors along its joints (patch.h).
extern const limpet_block_kind limpet_block_tree;

#endif
