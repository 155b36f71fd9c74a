/* step/report_momentum.c: momentum that a step made of nothing, by trees that float.
 *
 *   p1 - p0 - h F - P,   L1 - L0 - h T - R0 tau - (x0 - c0) x P
 * p, L [N s, N m s]: linear momentum of the tree, and angular about its centre of mass c, W; F, T:
 * gravity and forces from outside (flight_balance.c); P, tau: impulses of contacts and constraints
 * on the first joint, tau in its body's axes; x0, R0: pose of that body at the start; T of a body
 * alone that flies: the mean of start and end. Impulses within a tree have no part in P and tau.
 * Trees with a spring, damping or armature at their first joint are left out, and so is the plain
 * scheme.
 * Cost: 60 flops a body, twice. */
#include <math.h>

#include "math/vec3.h"
#include "step/flight.h"
#include "step/reports.h"

enum { NUMBERS = 6 };  // angular, linear

static bool is_told(const limpet_step_work *work, const limpet_step_solution *solution, int tree) {
  return limpet_trees_have(work->trees, tree) && work->motion.flight->balance[tree].kept &&
         !solution->contact.held[tree];
}

limpet_status limpet_report_momentum_begin(const limpet_data *data, const limpet_step_work *work,
                                           const limpet_step_solution *solution, double **due) {
  const limpet_model *model = data->model;
  *due = NULL;
  if (!work->motion.flight) return LIMPET_OK;
  *due = LIMPET_TAKE(work->arena, double, NUMBERS * model->tree_count);
  if (!*due) return LIMPET_ERROR_MEMORY;
  for (int t = 0; t < model->tree_count; ++t) {
    if (!is_told(work, solution, t)) continue;
    double *angular = *due + NUMBERS * t;
    limpet_flight_balance_end(data, t, &work->motion.flight->balance[t], work->settings.time_step,
                              solution->contact.impulse + model->tree_dof[t], angular + 3, angular);
    if (limpet_flight_alone(work->motion.flight, t) && solution->held[t] == 0.0)
      limpet_flight_body_due(model, data, t, work->settings.time_step, &work->motion, solution->q,
                             angular);
  }
  return LIMPET_OK;
}

void limpet_report_momentum_end(limpet_data *data, const limpet_step_work *work,
                                const limpet_step_solution *solution, const double *due) {
  const limpet_model *model = data->model;
  limpet_step_info *info = &data->info;
  for (int t = 0; due && t < model->tree_count; ++t) {
    if (!is_told(work, solution, t)) continue;
    limpet_tree_momentum now;
    limpet_tree_momentum_compute(model, data, t, &now);
    info->angular_momentum_gained =
        fmax(info->angular_momentum_gained, limpet_vec3_distance(now.angular, due + NUMBERS * t));
    info->momentum_gained =
        fmax(info->momentum_gained, limpet_vec3_distance(now.linear, due + NUMBERS * t + 3));
  }
}
