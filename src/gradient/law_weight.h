/* gradient/law_weight.h: how contacts whose law depends on their Delassus estimate w = f(W D W')
 * change. Parts of patch_law.h. */
#ifndef LIMPET_GRADIENT_LAW_WEIGHT_H
#define LIMPET_GRADIENT_LAW_WEIGHT_H

#include "gradient/law_view.h"

// By one such estimate.
typedef struct limpet_law_weight {
  double y[6];         // dF/dw
  double by_D[36];     // dw = <by_D, dD>
  double by_twist[6];  // dw by xi, D held
} limpet_law_weight;

void limpet_law_add_weight(const limpet_law_weight *weight, limpet_patch_law *law);

/* What w changes: k of a near-rigid contact, regularisation and friction of others. by_n, by_own
 * (3): torque by the normal impulse and by w itself, of friction against turning. */
void limpet_law_add_weights(const limpet_law_view *view, const double D[36],
                            const limpet_point_change *change, const double by_n[3],
                            const double by_own[3], limpet_patch_law *law);

#endif
