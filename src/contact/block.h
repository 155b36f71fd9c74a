/* contact/block.h: a block of unknowns: velocities with a matrix of their own in A, which is block
 * diagonal. A kinematic tree is one kind of block; a deformable body would be another.
 *
 * Solvers, gradients and the step go through the functions of the kind: nobody above `contact` asks
 * which kind it is. Dispatch is per block; loops over entries are inside. */
#ifndef LIMPET_CONTACT_BLOCK_H
#define LIMPET_CONTACT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct limpet_block_kind limpet_block_kind;

typedef struct limpet_block {
  const limpet_block_kind *kind;
  int dof, size;         // range of velocities
  const double *matrix;  // A of the block, as the kind stores it [kg, kg m^2]
  // filled by limpet_problem_partition
  int island;  // or -1: nothing touches it
  int offset;  // first velocity in the island's vector
} limpet_block;

// x, y (size): velocities and momenta of the block.
struct limpet_block_kind {
  const char *name;
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
};

// A kinematic tree: a dense symmetric matrix, row-major; columns of contact points are spatial
// vectors along its joints (patch.h).
extern const limpet_block_kind limpet_block_tree;

#endif
