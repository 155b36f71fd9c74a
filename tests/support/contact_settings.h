/* tests/support/contact_settings.h: settings of contact models for tests of single contacts. */
#ifndef LIMPET_TESTS_CONTACT_SETTINGS_H
#define LIMPET_TESTS_CONTACT_SETTINGS_H

#include "law/contact_model.h"

/* v_s [m/s], sigma [-] and the near-rigid ratio beta [-] as given, the rest as in a step. */
static inline limpet_contact_settings test_contact_settings(double stiction_speed,
                                                            double regularization,
                                                            double near_rigid_ratio) {
  return (limpet_contact_settings){.stiction_speed = stiction_speed,
                                   .friction_regularization = regularization,
                                   .near_rigid_ratio = near_rigid_ratio,
                                   .shear_ratio = 1e3,
                                   .return_speed = 2.0,
                                   .error_reduction = 0.2,
                                   .softening = 1e-6,
                                   .bound_slack = 1e-6};
}

#endif
