/* law/contact_model_list.h: all contact models, in the order of lists. A new one is one line here.
 *
 * The line X(FAMILY, NAME) stands for limpet_contact_model_NAME, a constant of the type
 * limpet_FAMILY_model. Impulsive models are defined in src/solve. */
#ifndef LIMPET_LAW_CONTACT_MODEL_LIST_H
#define LIMPET_LAW_CONTACT_MODEL_LIST_H

#include "law/contact_model.h"

#define LIMPET_CONTACT_MODEL_LIST(X) \
  X(compliant, coulomb)              \
  X(compliant, lagged)               \
  X(compliant, similar)              \
  X(compliant, sap)                  \
  X(rigid, anitescu)                 \
  X(rigid, anitescu_cone)            \
  X(impulsive, two_phase)            \
  X(impulsive, two_phase_literal)    \
  X(impulsive, lcp)                  \
  X(impulsive, pgs)                  \
  X(impulsive, sequential_impulse)   \
  X(impulsive, penalty)

#define LIMPET_DECLARE_CONTACT_MODEL(family, name) \
  extern const limpet_##family##_model limpet_contact_model_##name;
LIMPET_CONTACT_MODEL_LIST(LIMPET_DECLARE_CONTACT_MODEL)
#undef LIMPET_DECLARE_CONTACT_MODEL

#endif
