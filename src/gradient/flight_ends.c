// gradient/flight_ends.c: see flight_ends.h.
#include "gradient/flight_ends.h"

#include <math.h>

#include "step/flight.h"

// [m, rad]  way of a held tree in a step below which the rules of flight change no digit
static const double small_way = 1e-9;

bool limpet_flight_was_held(const limpet_data *data, int tree) {
  return !(data->tree_held[tree] < LIMPET_FLIGHT_HELD_OUTSIDE);
}

// Whether what was solved for is not yet the velocity at the end of the step of a tree that was
// held: a body alone turns on, and a tree of several gets the momentum of its impulses.
static bool moves_on(const limpet_solved_step *solved, const limpet_data *data, int tree) {
  const limpet_model *model = data->model;
  const limpet_flight *flight = solved->motion.flight;
  const bool alone = limpet_flight_alone(flight, tree);
  if (limpet_flight_is_bounded(flight, tree)) return true;
  if (!flight->balance[tree].kept || solved->solution.held[tree]) return false;
  const int begin = model->tree_dof[tree] + (alone ? 3 : 0),
            end = model->tree_dof[tree] + model->tree_dof_count[tree];
  double most = 0.0;
  for (int d = begin; d < end; ++d) most = fmax(most, fabs(solved->solution.v[d]));
  return solved->problem.dt * most > small_way;
}

bool limpet_flight_ends(const limpet_solved_step *solved, const limpet_data *data, int tree) {
  return limpet_flight_was_held(data, tree) ? moves_on(solved, data, tree)
                                            : solved->motion.flight->balance[tree].share != 0.0;
}
