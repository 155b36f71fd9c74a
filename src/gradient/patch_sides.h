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

// Force vectors about P, and matrices of which rows and columns are such, about a tree's origin;
// lever = P - origin.
static inline void limpet_side_shift_force(double to[6], const double from[6],
                                           const double lever[3]) {
  double moment[3];
  limpet_vec3_cross(moment, lever, from + 3);
  limpet_vec3_add(to, from, moment);
  limpet_vec3_copy(to + 3, from + 3);
}
// to += share times the matrix there.
static inline void limpet_side_shift_matrix(double to[36], double share, const double from[36],
                                            const double lever[3]) {
  double rows[36];
  for (int i = 0; i < 36; i += 6) limpet_side_shift_force(rows + i, from + i, lever);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    limpet_spatial_addmul(rows + 6 * i, lever[j], rows + 6 * (3 + k));
    limpet_spatial_addmul(rows + 6 * i, -lever[k], rows + 6 * (3 + j));
  }
  for (int i = 0; i < 36; i += 6) limpet_spatial_addmul(to + i, share, rows + i);
}

// all (6) = 2 sum of C_k x* E W_k over D = sum of C_k W_k', E symmetric.
void limpet_side_all_turned(const double D[36], const double E[36], double all[6]);

/* side = factors of y . [xi; dV; db; dV0], the changes of B relative to A seen from A, for y
 * (LIMPET_LAW_WIDTH) in the order of the law. What the law does not read may be unset. */
void limpet_patch_sides(const limpet_patch_view *view, const double *y,
                        limpet_side_factors side[LIMPET_SIDES]);

#endif
