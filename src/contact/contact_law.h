/* contact/contact_law.h: from a contact point to its rows W, its law and the bias of its tangential
 * velocity. */
#ifndef LIMPET_CONTACT_CONTACT_LAW_H
#define LIMPET_CONTACT_CONTACT_LAW_H

#include "contact/assemble.h"
#include "contact/patch.h"

// What the contacts of one patch have in common.
typedef struct limpet_law_builder {
  const limpet_model *model;
  const limpet_data *data;  // kinematics at the start of the step
  const limpet_assembly_settings *settings;
  const limpet_patch *patch;
  const limpet_patch_sums *sums;
  const double *path_bias;  // (6) [rad/s, m/s]  of limpet_curved_path_bias; NULL: none
} limpet_law_builder;

/* Rows W (3 x 6), law (all but what the model's `prepare` fills) and bias [m/s] of one contact.
 * Returns 0 when it cannot close within the step and is left out. Sets *anisotropic where the rows
 * of the tangents are scaled. */
int limpet_contact_law_make(const limpet_law_builder *builder, const limpet_collision_pair *pair,
                            const limpet_collision_contact *contact, double W[18],
                            limpet_contact_constants *constants, double bias[2], bool *anisotropic);

// Whether some pair has a surface that moves, so that contacts have a bias.
bool limpet_contact_surfaces_move(const limpet_model *model, const limpet_collision *collision);

#endif
