/* gradient/carried_past.c: whether a step depends on what the one before left besides pose and
 * velocity: bristles and rebounds (contact/kept.h), and the change of velocity with which free
 * flight estimates the middle of a step (step/flight_motion.c) where it does not renew that. */
#include <math.h>

#include "gradient/workspace.h"
#include "step/flight.h"

static const double no_way = 1e-9;  // [m, rad]  of that change in a step: round-off of a renewal

static bool contacts_remember(const limpet_solved_step *solved) {
  const limpet_contact_problem *problem = &solved->problem;
  for (int i = 0; problem->stretch && i < problem->contact_count; ++i) {
    const double *z = problem->stretch + 3 * i;
    const bool kept = z[0] != 0.0 || z[1] != 0.0 || z[2] != 0.0 || problem->rebound[i] != 0.0;
    if (kept && solved->solution.gamma[3 * i + 2] > 0.0) return true;
  }
  return false;
}

static bool flight_remembers(const limpet_gradient_workspace *w) {
  const limpet_flight *flight = w->solved->motion.flight;
  const limpet_model *model = w->model;
  for (int t = 0; flight && t < model->tree_count; ++t) {
    const limpet_flight_balance *balance = &flight->balance[t];
    const limpet_range dofs = limpet_tree_dofs(model, t);
    if (balance->share == 0.0 || balance->renewals != 0 || limpet_flight_alone(model, flight, t))
      continue;
    for (int d = dofs.first; d < dofs.end; ++d)
      if (w->settings.time_step * fabs(w->world->warm_start[d]) > no_way) return true;
  }
  return false;
}

bool limpet_gradient_knows_past(const limpet_gradient_workspace *w) {
  if (w->wanted.smoothing.kind != LIMPET_SMOOTHING_NONE) return false;
  return contacts_remember(w->solved) || flight_remembers(w);
}
