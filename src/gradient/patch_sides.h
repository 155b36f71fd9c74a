/* gradient/patch_sides.h: what is linear in the changes that a patch depends on, as factors of the
 * motions of its two bodies. Columns (patch_columns.h) take the six rows of the law so, products
 * (contact_sweep.h) one sum of them. */
#ifndef LIMPET_GRADIENT_PATCH_SIDES_H
#define LIMPET_GRADIENT_PATCH_SIDES_H

#include "gradient/patch_view.h"
#include "math/spatial.h"

// Of the changes of one body, about the patch's point: in the order of limpet_path_dof.
typedef struct limpet_side_factors {
  double xi[6], dV[6], dV0[6], dA[6];
} limpet_side_factors;

// to += share a x* f
static inline void limpet_side_add_turned(double to[6], double share, const double a[6],
                                          const double f[6]) {
  double turned[6];
  limpet_spatial_cross_force(turned, a, f);
  limpet_spatial_addmul(to, share, turned);
}

/* side = factors of y . [xi; dV; db; dV0], the changes of B relative to A seen from A, for y
 * (LIMPET_LAW_WIDTH) in the order of the law. What the law does not read may be unset. */
void limpet_patch_sides(const limpet_patch_view *view, const double *y,
                        limpet_side_factors side[LIMPET_SIDES]);

#endif
