/* gradient/contact_side.h: what the wrench of a patch gets from the motions of one of its two
 * bodies, as matrices: what columns of contacts are made of (contact_columns.h). */
#ifndef LIMPET_GRADIENT_CONTACT_SIDE_H
#define LIMPET_GRADIENT_CONTACT_SIDE_H

#include "gradient/contact_motion.h"
#include "gradient/patch_sides.h"

// The rows of a law, as factors of the motions of both sides about the patch's point.
typedef struct limpet_contact_rows {
  double xi[36], dV[36], dV0[36], dA[36];
} limpet_contact_rows;

// Rows of the sides that move.
void limpet_contact_rows_of(const limpet_patch_view *view, limpet_contact_rows rows[LIMPET_SIDES]);

// Where a patch is seen from.
typedef struct limpet_contact_place {
  double sign;           // of all
  const double *lever;   // (3)  [m]  from the point of the matrices to that of the patch
  const double *offset;  // (3)  [m]  from the tree's origin to the point of the matrices
} limpet_contact_place;

// What the wrench gets from the motions of one side, about a point that both have in common.
typedef struct limpet_contact_side {
  double W[36], V[36], V0[36], A[36];
} limpet_contact_side;

void limpet_contact_side_of(const limpet_contact_motion *motion, const limpet_patch_view *view,
                            int side, const limpet_contact_rows *rows,
                            const limpet_contact_place *at, limpet_contact_side *to);

#endif
