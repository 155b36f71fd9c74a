/* step/look_through.c: deformable bodies that pass through each other, seen where the step ends.
 *
 * Contacts of a step are those of the pose at its start, and of the nearest parts. A blow within
 * the step, a turn, or a second part that is hit is not among them. So after an attempt the ways of
 * all vertices are looked at (collide/soft_sweep.c), and what passes through a surface is a contact
 * of the next attempt, linear in the velocities as all are: each round solves a convex problem.
 * Contacts of earlier rounds stay. A state in which nothing crosses leads to one in which nothing
 * does, or the step says how much is left: then it is not solved. A round may find another pass as
 * deep as the one before, where a thin plate turns: it goes on.
 * Contacts with a stiffness of their own sink in as they should, and are left alone.
 * Cost: where two surfaces are near each other, or one may meet itself, their ways; assembly and
 * solve where something passes. */
#include "step/look_through.h"

#include <math.h>

#include "collide/soft.h"
#include "math/extremes.h"
#include "step/assembly.h"
#include "step/detection.h"
#include "step/pose_again.h"

// [-]  of the distance from which contacts take part, as in look_again.c: of closed surfaces
static const double allowed_share = 0.5;

// Rounds of a step, at most.
enum { ROUNDS = 8 };

// What passes on the ways to where an attempt ends. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status sweep(const limpet_step_work *work, limpet_data *data,
                           const limpet_step_solution *solution, limpet_soft_sweep_request *request,
                           limpet_collision *collision, limpet_soft_passes *passes) {
  limpet_data end;
  if (limpet_soft_nears_geoms(data->model, data, request)) {
    if (limpet_step_end_world(work, data, solution->q, &end)) return LIMPET_ERROR_MEMORY;
    request->geom_position = end.geom_position, request->geom_rotation = end.geom_rotation;
    request->twist = limpet_step_twists_of(data->model, data, solution->contact.v, work->arena);
    if (!request->twist) return LIMPET_ERROR_MEMORY;
  }
  return limpet_soft_sweep(data->model, data, request, work->arena, collision, passes);
}

bool limpet_step_look_through(limpet_step_prepared *prepared, const limpet_step_result *result,
                              limpet_stage_clock *clock) {
  limpet_step_work *work = prepared->work;
  limpet_data *data = prepared->data;
  if (!work->motion.soft || limpet_outcome_failed(result->outcome) ||
      !limpet_step_looks_again(&work->settings) || !work->reach.body ||
      isfinite(work->settings.rigid_stiffness))
    return false;
  const int round = result->info.crossing_rounds;
  // what elastic laws that are not balanced let pass is told; more contacts balance them no better
  const bool laws_failed =
      result->info.elastic_rounds > 0 && result->outcome >= LIMPET_OUTCOME_ITERATION_LIMIT;
  limpet_soft_sweep_request request = {
      .end = result->solution->vertex_position,
      .dt = work->settings.time_step,
      .reach = &work->reach,
      .allowed = allowed_share * limpet_step_speculative_distance(&work->settings),
      .round = round,
      .adds = round < ROUNDS && !laws_failed};
  const limpet_arena_mark mark = limpet_arena_mark_now(work->arena);
  limpet_collision collision = work->collision;
  limpet_soft_passes passes = {0};
  if (sweep(work, data, result->solution, &request, &collision, &passes) != LIMPET_OK)
    prepared->outcome = LIMPET_OUTCOME_OUT_OF_MEMORY;
  work->info.crossing_count = passes.count;
  work->info.crossing_depth = passes.depth;
  work->info.crossing_vertex = passes.vertex;
  limpet_stage_clock_lap(clock, LIMPET_STAGE_NARROW_PHASE);
  if (prepared->outcome == LIMPET_OUTCOME_SOLVED &&
      (passes.count == passes.left || !request.adds)) {
    limpet_arena_release(work->arena, mark);
    return false;
  }
  work->collision = collision;
  limpet_step_pose_again(prepared, result, clock);
  work->found_vertices = result->solution->vertex_velocity;
  work->earlier_iterations = work->spent.iterations;
  ++work->spent.crossing_rounds;
  return true;
}
