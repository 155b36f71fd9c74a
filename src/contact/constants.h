/* contact/constants.h: from the record of a contact to its rows W, the constants of its model and
 * the bias of its tangential velocity. */
#ifndef LIMPET_CONTACT_CONSTANTS_H
#define LIMPET_CONTACT_CONSTANTS_H

#include "contact/assemble.h"
#include "contact/point_kernels.h"

// What the contacts of one patch have in common.
typedef struct limpet_constants_builder {
  const limpet_assembly_settings *settings;
  const limpet_contact_records *records;
  const limpet_patch *patch;
  const limpet_patch_sums *sums;
  const double *path_bias;  // (6) [rad/s, m/s]  of limpet_curved_path_bias; NULL: none
  double load;              // [kg]  what hangs on its contacts: load.h; 0: nothing is known of it
} limpet_constants_builder;

// sum += weight times about where the contact acts: levers from the patch's point are short then,
// which keeps their digits.
void limpet_contact_add_acting_point(const limpet_collision_contact *contact, double weight,
                                     double sum[3]);

typedef enum limpet_contact_part {
  LIMPET_CONTACT_ACTS,
  LIMPET_CONTACT_FAR,       // cannot close within the step
  LIMPET_CONTACT_IMMOVABLE  // nothing can move it along its normal
} limpet_contact_part;

/* Constants (all but what the model's `prepare` fills) and bias [m/s] of the contact of one record,
 * whose rows W and numbers are made; whether it takes part. Sets *anisotropic where the rows of the
 * tangents are scaled. */
limpet_contact_part limpet_contact_constants_make(const limpet_constants_builder *builder,
                                                  const limpet_contact_record *record,
                                                  const limpet_point_numbers *number, double W[18],
                                                  limpet_contact_constants *constants,
                                                  double bias[LIMPET_CONTACT_BIAS],
                                                  bool *anisotropic);

/* Whether a contact that does not pull may act within the step, by the velocities of its patch
 * alone: sums->D is not read. */
bool limpet_contact_may_act(const limpet_constants_builder *builder,
                            const limpet_contact_record *record);

// Derivatives of the coefficient of friction that a contact has in a step.
typedef struct limpet_friction_slopes {
  double slip;           // [s/m]
  double elastic_force;  // [1/N]  at the start of the step
  double delassus;       // [kg]
} limpet_friction_slopes;

// slip [m/s] and elastic_force [N] at the start of the step, delassus [1/kg]. Zero where friction
// is one number.
void limpet_contact_friction_slopes(const limpet_pair_material *material,
                                    const limpet_contact_settings *settings, double dt,
                                    double delassus, double elastic_force, double slip,
                                    limpet_friction_slopes *slopes);

#endif
