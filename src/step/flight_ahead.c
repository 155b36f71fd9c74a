/* step/flight_ahead.c: how bodies alone that loops hold are expected to move in the step.
 *
 *   w' = w0 + (F(w0, -dt) - w0 + c),   Q = flight of w' in dt
 * w0 [rad/s]: angular velocity at the start, body axes; c: its change in the last step, which is
 * what impulses gave at the start of that and what flight made of it; F(w, -dt): flight undone. So
 * w' has the impulses of the last step once more. Of what turns steadily that is off by O(dt^2).
 * What was solved for, w'', then leads elsewhere by dt^2/2 |w''| |w'' - w'| in second order.
 * Cost: two flights of a body (gyration.c). */
#include <string.h>

#include "math/quaternion.h"
#include "model/workspace.h"
#include "step/flight.h"
#include "step/gyration.h"

void limpet_flight_expect(const limpet_data *data, int tree, double dt,
                          const limpet_flight_balance *balance, const double w[3],
                          limpet_flown *flown) {
  const int body = data->model->tree_body[tree];
  const double *rotation = data->body_quaternion + 4 * body;
  double own[4], turned[4], back[4], end[3];
  limpet_mat3_mul_vec(flown->spin, data->body_rotation + 9 * body, w);
  limpet_vec3_copy(end, w);
  limpet_gyration_turn(balance->inertia, dt, limpet_gyration_count(dt, w), end, own);
  limpet_quaternion_mul(turned, rotation, own);
  limpet_quaternion_conjugate(back, rotation);
  limpet_quaternion_mul(flown->turn, turned, back);
}

double limpet_flight_missed(const limpet_data *data, int tree, double dt, const limpet_flown *flown,
                            const double *v) {
  const double *w = v + data->model->tree_dof[tree] + 3;
  double spin[3];
  limpet_mat3_mul_vec(spin, data->body_rotation + 9 * data->model->tree_body[tree], w);
  return 0.5 * dt * dt * limpet_vec3_norm(spin) * limpet_vec3_distance(spin, flown->spin);
}

static void look_ahead(const limpet_data *data, int tree, double dt,
                       const limpet_flight_balance *balance, limpet_flown *flown) {
  const int first = data->model->tree_dof[tree] + 3;
  const double *w0 = data->v + first, *change = data->warm_start + first;
  double w[3];
  flown->known = true;
  limpet_vec3_copy(flown->centre, balance->start.com);
  limpet_vec3_copy(w, w0);
  limpet_gyration_turn(balance->inertia, -dt, limpet_gyration_count(dt, w0), w, NULL);
  limpet_vec3_add(w, w, change);
  double *missed = data->workspace->missed_spin + 3 * tree;
  if (!data->workspace->holds_rules) limpet_vec3_zero(missed);
  limpet_vec3_add(w, w, missed);
  limpet_flight_expect(data, tree, dt, balance, w, flown);
}

limpet_status limpet_flight_look_ahead(const limpet_data *data, limpet_trees trees, double dt,
                                       limpet_arena *arena, limpet_flight *flight) {
  const limpet_model *model = data->model;
  flight->flown = NULL;
  if (model->loop_count == 0) return LIMPET_OK;
  flight->flown = LIMPET_TAKE(arena, limpet_flown, model->tree_count);
  if (!flight->flown) return LIMPET_ERROR_MEMORY;
  for (int t = 0; t < model->tree_count; ++t) flight->flown[t].known = false;
  for (int i = 0; i < 2 * model->loop_count; ++i) {
    const int t = model->body_tree[model->loop_body[i]];
    if (t < 0 || flight->flown[t].known || !limpet_trees_have(trees, t)) continue;
    if (flight->centred[t] && limpet_flight_alone(flight, t))
      look_ahead(data, t, dt, &flight->balance[t], &flight->flown[t]);
  }
  return LIMPET_OK;
}
