// step/flight_renewal.c: whether a tree renews its mean velocity: flight.h.
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
