/* gradient/law_weight.h: how contacts whose law depends on their Delassus estimate w = f(W D W')
 * change. Parts of patch_law.h. */
#ifndef LIMPET_GRADIENT_LAW_WEIGHT_H
#define LIMPET_GRADIENT_LAW_WEIGHT_H

#include "gradient/law_view.h"

/* What w changes: k of a near-rigid contact, regularisation and friction of others. by_n, by_own
 * (3): torque by the normal impulse and by w itself, of friction against turning. */
void limpet_law_add_weights(const limpet_law_view *view, const double D[36],
                            const limpet_twist_rows *twists, const double by_n[3],
                            const double by_own[3], limpet_law_rows *rows);

// P'C P (6 x 6)
void limpet_law_weight_matrix(const limpet_law_weight *weight, double by_D[36]);

#endif
