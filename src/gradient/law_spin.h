// gradient/law_spin.h: how friction against turning of a contact changes. Parts of patch_law.h.
#ifndef LIMPET_GRADIENT_LAW_SPIN_H
#define LIMPET_GRADIENT_LAW_SPIN_H

#include "gradient/law_weight.h"

// What all spins of a contact do.
typedef struct limpet_law_spins {
  double torque[3];
  double by_n[3];    // of the torque by the contact's normal impulse
  double by_own[3];  // and by its w through eps
  double by_w[9];    // and by turning, (3 x 3)
} limpet_law_spins;

// Of a contact of a patch, with the patch's D (36).
void limpet_law_spins_make(const limpet_law_view *view, const limpet_patch *patch, int contact,
                           const double D[36], const limpet_twist_rows *twists,
                           limpet_law_rows *rows, limpet_law_spins *spins);
// What turns and velocities do to the torque, the normal impulse left out.
void limpet_law_spins_add(const limpet_law_spins *spins, const limpet_twist_rows *twists,
                          limpet_patch_law *law);

#endif
