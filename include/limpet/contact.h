/* limpet/contact.h: contacts of a pose, without stepping. Floor 5. */
#ifndef LIMPET_CONTACT_H
#define LIMPET_CONTACT_H

#include "limpet/law.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Contacts of the present pose within margin + gap of the geoms, without stepping: fills the
 * contact arrays of data (forces and velocities zero; position: half way between the surfaces).
 * `single`: one deepest point for each pair of geoms. Returns the number of contacts, or -1 when
 * there is no memory. After limpet_kinematics and limpet_geom_kinematics. */
LIMPET_API int limpet_contacts_find(const limpet_model *model, limpet_data *data, bool single);

#ifdef __cplusplus
}
#endif
#endif
