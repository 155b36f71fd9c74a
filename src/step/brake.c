/* step/brake.c: trees in contact whose joints turn so that the step would make energy.
 *
 * The end of a step takes back what a tree gained from nowhere (flight_gain.c): it slows down its
 * joints. Contacts know nothing of that. A heavy link between light ones, which turn by a tenth of
 * a radian in the step, stands still by what was solved for, because motions of joints cancel in
 * it. At the end they cancel no more: it is pressed into what it touches, by its positions and by
 * its slowed velocities, and a stiff contact takes megajoules. So the joints of a tree in contact
 * are slowed down in the solve:
 *   A <- A + D,   A v* stays,   D_jj = s A_jj,   s = 3 gained/sum_j v_j A_jj v_j/2
 * (of a ball joint the mean of its A_jj) of all joints j but the first one of what floats, and of
 * all trees that loops join to it. D is implicit damping: it takes energy, it keeps momentum, A
 * stays positive definite, and the problem convex. Motions that cancel are those that it damps
 * most: their v_j A_jj v_j is large, and what they carry is small. What three attempts leave is
 * taken back at the end as in flight. Cost: nothing where no tree in contact gains; there a factor
 * and an attempt. */
#include "step/brake.h"

#include "math/dense.h"
#include "solve/island.h"
#include "step/detection.h"
#include "step/flight.h"
#include "step/pose_again.h"

static const double braking = 3.0;  // [-]  see the head: 1, 2 and 10 leave more
enum { FREE_DOFS = 6, BRAKE_LIMIT = 3 };

// Whether there are contacts in the island of a tree.
static bool touches(const limpet_contact_problem *problem, int tree) {
  for (int k = 0; k < problem->island_count; ++k) {
    const limpet_island *island = &problem->island[k];
    for (int i = 0; i < island->block_count && island->contact_count > 0; ++i)
      if (limpet_island_block(problem, island, i) == &problem->block[tree]) return true;
  }
  return false;
}

// Whether the end of an attempt took energy from a tree that something touches.
static bool presses(const limpet_step_work *work, const limpet_step_solution *solution, int tree) {
  const limpet_flight *flight = work->motion.flight;
  return flight->balance[tree].excess > 0.0 && solution->held[tree] == LIMPET_FLIGHT_HELD_OUTSIDE &&
         !solution->contact.held[tree] && !limpet_flight_alone(flight, tree) &&
         touches(&solution->problem, tree);
}

static void damp(limpet_step_work *work, const limpet_model *model, int tree) {
  const limpet_free_motion *motion = &work->motion;
  limpet_flight_balance *balance = &motion->flight->balance[tree];
  const int n = model->tree_dof_count[tree], first = model->tree_dof[tree];
  double *A = motion->A + model->tree_mass[tree], *brake = motion->flight->brake + first;
  double *v = motion->v_free + first;
  const int begin = limpet_tree_floats(model, tree) ? FREE_DOFS : 0;
  for (int i = begin; i < n; ++i)  // at first v* has what joins A
    v[i] = braking * balance->excess * limpet_flight_alone_inertia(model, motion, tree, i);
  for (int i = begin; i < n; ++i) brake[i] += v[i], A[i * n + i] += v[i];
  balance->braked = true;
  for (int i = 0; i < n; ++i) v[i] = motion->momentum[first + i];
  if (!limpet_positive_solve(n, A, n, balance->factor, v))
    limpet_free_motion_fail(model, tree, &work->motion);
}

bool limpet_step_brake(limpet_step_prepared *prepared, const limpet_step_result *result,
                       limpet_stage_clock *clock) {
  limpet_step_work *work = prepared->work;
  if (!work->motion.flight || limpet_outcome_failed(result->outcome) ||
      !limpet_step_looks_again(&work->settings) || work->brakes == BRAKE_LIMIT)
    return false;
  bool any = false;
  for (int i = 0; i < work->trees.count; ++i) {
    const int t = limpet_trees_at(work->trees, i);
    if (!presses(work, result->solution, t)) continue;
    damp(work, prepared->data->model, t);
    any = true;
  }
  if (!any) return false;
  ++work->brakes;
  limpet_step_pose_again(prepared, result, clock);
  work->earlier_iterations = work->spent.iterations;
  return true;
}
