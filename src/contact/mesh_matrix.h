/* contact/mesh_matrix.h: the matrix of a block that is as sparse as a mesh.
 *
 * All vertices of a body that move take part, so A is the body's momentum matrix: blocks of 3 x 3
 * between neighbours in the mesh. The factor of the free motion is at hand for solves. */
#ifndef LIMPET_CONTACT_MESH_MATRIX_H
#define LIMPET_CONTACT_MESH_MATRIX_H

#include "contact/block.h"
#include "math/block_sparse.h"

enum { LIMPET_MESH_ROW = 3 };  // unknowns of a vertex

/* The lower triangle, by rows of blocks: those of row i are number begin[i] to begin[i + 1] - 1,
 * the one on the diagonal, which is whole, last. */
struct limpet_mesh_matrix {
  int rows;
  int *begin;     // (rows + 1)
  int *column;    // (begin[rows])
  double *value;  // (begin[rows] x 9)  [kg]  row-major
  // a factor that has the matrix in some of its block rows, apart from all others
  const limpet_block_cholesky *factor;
  const int *place;  // (rows)  block rows there, of three each
  double *work;      // (rows of the factor)  scratch of a solve: one at a time
};

// For kinds of blocks whose matrix is block->mesh: block.h says what each does.
void limpet_mesh_matrix_apply(const limpet_block *block, const double *x, double *y);
void limpet_mesh_matrix_diagonal(const limpet_block *block, double *to);
void limpet_mesh_matrix_copy(const limpet_block *block, bool lower, double *to, size_t stride);
size_t limpet_mesh_matrix_factor_size(const limpet_block *block);
bool limpet_mesh_matrix_factor(const limpet_block *block, double *factor);
void limpet_mesh_matrix_solve(const limpet_block *block, const double *factor, double *x);

#endif
