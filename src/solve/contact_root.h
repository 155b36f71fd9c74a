/* solve/contact_root.h: the root of an island's contact-space matrix, for methods that work in the
 * space of its velocities.
 *
 *   M^ = M + sum_held j_r' j_r/R_r = L L'     scalar rows within their bounds act like springs and
 *                                             join the mass matrix
 *   v^                                        velocity without contacts: rows at a bound push with
 *                                             that bound, the others act as springs
 *   W = J L^-T (3 contacts x n),  u = L'v     velocities of contacts are W u + bias, and |u|^2/2 is
 *                                             kinetic energy
 *   A = W W',  b = W u^ + bias                u^ = L'v^;  impulses x move u by W'x
 * W_i' = L^-1 J_i' is half of the response to the unit impulse J_i'; island_contact_space.h goes on
 * to M^-1 J_i'. W has as many columns as the island has velocities. Most entries are zero: a
 * contact touches two trees at most. Trees that a row joins are one block.
 * Cost: a factorisation of M^ by blocks, three forward substitutions for each contact. */
#ifndef LIMPET_SOLVE_CONTACT_ROOT_H
#define LIMPET_SOLVE_CONTACT_ROOT_H

#include "optim/block_rows.h"
#include "solve/island_contact_space.h"

typedef struct limpet_contact_root {
  const limpet_contact_space *space;
  int n;                   // velocities
  int *block;              // (n + 1)  first velocity of the block of each; n at the end
  int *range;              // (contacts x 4)  columns of W that are not zero: first and count, twice
  limpet_block_rows rows;  // W, for products
  double *L;               // (n x n)
  double *W;               // (contacts x 3 x n)
  double *v;               // (n)  v^
  double *u;               // (n)  u^
} limpet_contact_root;

// Lays it out in `memory` (NULL: only counts). Returns the size [bytes], a multiple of 8.
size_t limpet_contact_root_lay_out(limpet_contact_root *root, int contacts, int velocities,
                                   char *memory);

/* Fills it. row_impulse (rows): of the rows at a bound; NAN: within its bounds. A numerical failure
 * where M^ is not positive definite. The space has been filled. */
limpet_outcome limpet_contact_root_fill(limpet_contact_root *root,
                                        const limpet_contact_space *space,
                                        const double *row_impulse);

// v (n) of the impulses x (3 contacts).
void limpet_contact_root_velocity(const limpet_contact_root *root, const double *x, double *v);

#endif
