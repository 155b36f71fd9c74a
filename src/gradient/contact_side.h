/* gradient/contact_side.h: what the wrench of a patch gets from the motions of one of its two
 * bodies, as matrices: what columns of contacts are made of (contact_columns.h). */
#ifndef LIMPET_GRADIENT_CONTACT_SIDE_H
#define LIMPET_GRADIENT_CONTACT_SIDE_H

#include "gradient/contact_kernels.h"
#include "gradient/patch_sides.h"

// Where a patch is seen from.
typedef struct limpet_contact_place {
  double sign;           // of all
  const double *lever;   // (3)  [m]  from the point of the matrices to that of the patch
  const double *offset;  // (3)  [m]  from the tree's origin to the point of the matrices
} limpet_contact_place;

// What the wrench gets from the motions of one side, about a point that both have in common.
void limpet_contact_side_of(const limpet_contact_motion *motion, const limpet_patch_view *view,
                            int side, const limpet_contact_place *at, limpet_contact_side *to);

#endif
