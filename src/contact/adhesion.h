/* contact/adhesion.h: contacts that pull. */
#ifndef LIMPET_CONTACT_ADHESION_H
#define LIMPET_CONTACT_ADHESION_H

#include "contact/problem.h"
#include "contact/record.h"

// Whether adhesion reaches a contact, whose pair may have none.
bool limpet_adhesion_reaches(const limpet_model *model, const limpet_contact_pair *pair,
                             const limpet_contact_record *record);
// Fills `pull` of all records. Returns whether any pulls.
bool limpet_adhesion_find(const limpet_model *model, const limpet_data *data,
                          limpet_contact_records *records);
/* The pulls of all records into momentum, v_free and pull of the problem; A (mass_size): the
 * matrices of the trees. After limpet_problem_take_trees. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_adhesion_apply(const limpet_model *model, const limpet_data *data,
                                    const double *A, const limpet_contact_records *records,
                                    limpet_arena *arena, limpet_contact_problem *problem);

#endif
