// gradient/law_spin.h: how friction against turning of a contact changes. Parts of patch_law.h.
#ifndef LIMPET_GRADIENT_LAW_SPIN_H
#define LIMPET_GRADIENT_LAW_SPIN_H

#include "gradient/law_weight.h"

/* All spins of a contact. by_n, by_own (3): torque by the contact's normal impulse, and by its w
 * through eps. */
void limpet_law_add_spins(const limpet_law_view *view, const limpet_smooth_island *smooth,
                          const limpet_patch *patch, int contact, const double D[36],
                          const limpet_point_change *change, double by_n[3], double by_own[3],
                          limpet_patch_law *law);

#endif
