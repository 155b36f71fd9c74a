/* step/close_loops.c: loops whose bodies did not fly as their rows expected.
 *
 * The rows of a loop that holds a body alone know where it flies from the angular velocity w that
 * its impulses are expected to leave (flight_ahead.c). Where it has w' after the solve, it turns
 * elsewhere, and the loop opens by as much (limpet_flight_missed). Above 1e-5 rad the problem is
 * posed anew, with w' for w: each time the miss falls by dt |w'|/2 or so. Where it does not fall by
 * half, w' does no good. Cost: nothing where bodies miss less; else an assembly and a solve that
 * begins at the solution. */
#include "step/close_loops.h"

#include "math/extremes.h"
#include "math/vec3.h"
#include "model/workspace.h"
#include "step/detection.h"
#include "step/flight.h"
#include "step/pose_again.h"

enum { CLOSE_LIMIT = 3 };

static const double missed_turn = 1e-5;  // [rad]

// The body has the angular velocity w, body axes.
static void expect_anew(const limpet_data *data, int tree, double dt, const limpet_flight *flight,
                        const double w[3]) {
  limpet_flown *flown = &flight->flown[tree];
  double *missed = data->workspace->missed_spin + 3 * tree, before[3];
  limpet_mat3_tmul_vec(before, data->body_rotation + 9 * data->model->tree_body[tree], flown->spin);
  for (int k = 0; k < 3; ++k) missed[k] += w[k] - before[k];
  limpet_flight_expect(data, tree, dt, &flight->balance[tree], w, flown);
}

bool limpet_step_close_loops(limpet_step_prepared *prepared, const limpet_step_result *result,
                             limpet_stage_clock *clock) {
  limpet_step_work *work = prepared->work;
  const limpet_data *data = prepared->data;
  const limpet_flight *flight = work->motion.flight;
  if (!flight || !flight->flown || limpet_outcome_failed(result->outcome) ||
      !limpet_step_looks_again(&work->settings) || work->closings == CLOSE_LIMIT)
    return false;
  const double dt = work->settings.time_step, *v = result->solution->contact.v;
  double worst = 0.0;
  for (int i = 0; i < work->trees.count; ++i) {
    const int t = limpet_trees_at(work->trees, i);
    if (flight->flown[t].known && !result->solution->contact.held[t])
      worst = limpet_max(worst, limpet_flight_missed(data, t, dt, &flight->flown[t], v));
  }
  if (!(worst > missed_turn) || (work->closings > 0 && worst > 0.5 * work->missed_turn))
    return false;
  work->missed_turn = worst;
  for (int i = 0; i < work->trees.count; ++i) {
    const int t = limpet_trees_at(work->trees, i);
    if (flight->flown[t].known) expect_anew(data, t, dt, flight, v + data->model->tree_dof[t] + 3);
  }
  ++work->closings;
  limpet_step_pose_again(prepared, result, clock);
  work->earlier_iterations = work->spent.iterations;
  return true;
}
