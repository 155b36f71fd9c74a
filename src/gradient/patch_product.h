// gradient/patch_product.h: products from the left with the changes of r by a patch.
#ifndef LIMPET_GRADIENT_PATCH_PRODUCT_H
#define LIMPET_GRADIENT_PATCH_PRODUCT_H

#include "gradient/patch_view.h"

/* dual (residual size): by_q, by_v, by_weight (nv) += dual' dr by pose, velocity and the 1/A_kk
 * that Delassus estimates see (limpet_tree_change.steady_q). All trees are known. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_patch_product_add(const limpet_patch_view *view, const double *dual,
                                       double *by_q, double *by_v, double *by_weight);

#endif
