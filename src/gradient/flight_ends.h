// gradient/flight_ends.h: which trees pass through an end of flight in a step.
#ifndef LIMPET_GRADIENT_FLIGHT_ENDS_H
#define LIMPET_GRADIENT_FLIGHT_ENDS_H

#include "step/prepared.h"

// `data`: the world after the step. Whether the tree was held in the whole step before.
bool limpet_flight_was_held(const limpet_data *data, int tree);
// Whether the velocity that was solved for is not yet that at the end of the step.
bool limpet_flight_ends(const limpet_solved_step *solved, const limpet_data *data, int tree);

#endif
