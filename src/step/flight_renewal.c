/* step/flight_renewal.c: the rules by which a tree flew, which differences around a step hold:
 * flight.h. */
#include <math.h>

#include "model/workspace.h"
#include "step/flight.h"

double limpet_flight_allowed(const limpet_data *data, int tree, limpet_flight_stage stage,
                             double missed, double met) {
  const limpet_workspace *workspace = data->workspace;
  if (!workspace->holds_rules) return missed;
  return workspace->renewed[2 * tree + (int)stage] ? met : INFINITY;
}

void limpet_flight_renewed(const limpet_data *data, int tree, limpet_flight_stage stage,
                           bool renewed) {
  limpet_workspace *workspace = data->workspace;
  if (!workspace->holds_rules) workspace->renewed[2 * tree + (int)stage] = renewed;
}

void limpet_flight_begin_rules(const limpet_data *data, int tree) {
  limpet_workspace *workspace = data->workspace;
  if (workspace->holds_rules) return;
  for (int stage = LIMPET_FLIGHT_MOTION; stage <= LIMPET_FLIGHT_ENDING; ++stage) {
    workspace->renewed[2 * tree + stage] = true;
    if (!workspace->keeps_parts) workspace->turn_parts[2 * tree + stage] = 1;
  }
}
