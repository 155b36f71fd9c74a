/* cli/open_loops.c: see open_loops.h. Loops by the poses that the last step left, couplers by its
 * rows. */
#include "open_loops.h"

#include <math.h>
#include <string.h>

static const double wide = 1e-3;  // [m, rad]

static bool user_moves(const limpet_model *model, int body) {
  if (model->body_tree[body] >= 0) return false;
  for (; body > 0; body = model->body_parent[body])
    if (model->body_mocap[body] >= 0) return true;
  return false;
}

static bool loop_counts(const limpet_model *model, int loop) {
  const int *body = model->loop_body + 2 * loop;
  return !model->loop_has_impedance[loop] && isinf(model->loop_stiffness[loop]) &&
         model->loop_torque_scale[loop] >= 1.0 && !user_moves(model, body[0]) &&
         !user_moves(model, body[1]);
}

static bool is_coupler(const limpet_data *data, int row) {
  const limpet_constraint_kind *kind = limpet_constraint_kinds()[data->constraint_kind[row]];
  return strcmp(limpet_constraint_kind_descriptor(kind)->name, "coupler") == 0 &&
         !data->model->coupler_has_impedance[data->constraint_target[row]];
}

// The widest of each kind now.
static void find_widest(const limpet_data *data, double widest[LIMPET_OPENING_COUNT]) {
  const limpet_model *model = data->model;
  for (int i = 0; i < model->loop_count; ++i) {
    if (!loop_counts(model, i)) continue;
    widest[LIMPET_OPENING_GAP] = fmax(widest[LIMPET_OPENING_GAP], limpet_loop_gap(model, data, i));
    widest[LIMPET_OPENING_TURN] =
        fmax(widest[LIMPET_OPENING_TURN], limpet_loop_turn(model, data, i));
  }
  for (int i = 0; model->coupler_count > 0 && i < data->constraint_count; ++i)
    if (is_coupler(data, i))
      widest[LIMPET_OPENING_COUPLER] =
          fmax(widest[LIMPET_OPENING_COUPLER], fabs(data->constraint_error[i]));
}

void limpet_open_loops_add(limpet_open_loops *open, const limpet_data *data) {
  double widest[LIMPET_OPENING_COUNT] = {0.0};
  if (data->model->loop_count == 0 && data->model->coupler_count == 0) return;
  if (limpet_outcome_failed(data->info.outcome)) return;
  find_widest(data, widest);
  for (int k = 0; k < LIMPET_OPENING_COUNT; ++k) {
    const bool was = open->closed[k];
    open->closed[k] = was || widest[k] <= wide;
    if (was && !(widest[k] > open->most[k])) continue;
    open->most[k] = widest[k];
    open->time[k] = data->time;
  }
}

bool limpet_open_loops_are(const limpet_open_loops *open, limpet_opening opening) {
  return open->most[opening] > wide;
}
