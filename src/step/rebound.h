// step/rebound.h: rebounds that give back no more than impacts took.
#ifndef LIMPET_STEP_REBOUND_H
#define LIMPET_STEP_REBOUND_H

#include "step/prepared.h"

/* taken (contact_count) [J], zero: energy that the impacts of this step took, of contacts that will
 * part in the next one, rebound (contact_count) [m/s]; the share e^2 that they may give back.
 * `plain`: contact/restitution.h. */
void limpet_step_rebounds_taken(const limpet_step_solution *solution, const double *rebound,
                                bool plain, double *taken);

/* After an attempt: whether contacts that part gave more energy than restitution leaves of what
 * their impacts took. If so they part slower in the prepared step, and it is to be attempted anew.
 */
bool limpet_step_hold_rebounds(limpet_step_prepared *prepared, const limpet_step_result *result);

#endif
