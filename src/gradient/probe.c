/* gradient/probe.c: the problem of a step at another state: the stages of limpet_step_prepare, with
 * the step's contacts in place of a search. Cost: kinematics, dynamics, assembly; contact points of
 * the pairs in contact. */
#include "gradient/probe.h"

#include <math.h>

#include "contact/kept.h"
#include "dynamics/curved_path.h"
#include "gradient/tree_centre.h"
#include "math/vec3.h"
#include "step/anchors.h"
#include "step/assembly.h"
#include "step/flight.h"

// Whether a tree takes the step in another number of parts than in the step itself.
static bool parts_differ(const limpet_probe *probe, const limpet_free_motion *motion) {
  const limpet_flight *then = probe->residual->solved->motion.flight, *now = motion->flight;
  if (!then || !now) return false;
  for (int t = 0; t < probe->model->tree_count; ++t)
    if (limpet_flight_parts(now, t) != limpet_flight_parts(then, t)) return true;
  return false;
}

void limpet_probe_pivot(const limpet_probe *probe, int unit, double pivot[3]) {
  const limpet_flight *flight = probe->residual->solved->motion.flight;
  limpet_curved_path_pivot(probe->model, probe->data, flight ? flight->centred : NULL, unit, pivot);
}

void limpet_probe_origin(const limpet_probe *probe, int unit, double origin[3]) {
  const int tree = probe->model->body_tree[unit];
  if (tree >= 0 && limpet_tree_is_centred(probe, tree)) limpet_probe_pivot(probe, unit, origin);
  else limpet_vec3_copy(origin, probe->data->body_position + 3 * unit);
}

const double *limpet_probe_bend(const limpet_probe *probe, int unit) {
  const int tree = probe->model->body_tree[unit];
  return tree >= 0 && limpet_tree_is_centred(probe, tree)
             ? probe->residual->solved->motion.flight->bend + 3 * tree
             : NULL;
}

// Kinematics and dynamics.
static limpet_residual_outcome move(limpet_probe *probe, limpet_arena *arena,
                                    limpet_free_motion *motion) {
  const limpet_model *model = probe->model;
  limpet_data *data = probe->data;
  if (probe->kept) {
    *motion = *probe->kept;
    return LIMPET_RESIDUAL_DONE;
  }
  limpet_kinematics(model, data);
  limpet_geom_kinematics(model, data, false);
  limpet_velocity_kinematics(model, data);
  const limpet_outcome outcome = probe->settings->scheme->free_motion(
      model, data, probe->settings, limpet_trees_all(model), arena, motion);
  if (outcome == LIMPET_OUTCOME_SOLVED &&
      limpet_flight_centre_like(model, data, probe->settings->time_step,
                                &probe->residual->solved->motion, arena, motion))
    return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  if (outcome == LIMPET_OUTCOME_SOLVED && parts_differ(probe, motion)) probe->other_parts = true;
  if (outcome == LIMPET_OUTCOME_OUT_OF_MEMORY) return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  return outcome == LIMPET_OUTCOME_SOLVED ? LIMPET_RESIDUAL_DONE : LIMPET_RESIDUAL_SINGULAR;
}

/* Whether a contact pulls that did not in the step, or no longer does: adhesion ends at a distance.
 */
static bool pulls_differ(const limpet_probe *probe, const limpet_contact_records *records,
                         const limpet_contact_problem *problem) {
  const limpet_solved_step *step = probe->residual->solved;
  for (int i = 0; i < problem->contact_count; ++i) {
    const double now = records->record[problem->contact_source[i]].pull,
                 then = step->records.record[step->problem.contact_source[i]].pull;
    if ((now != 0.0) != (then != 0.0)) return true;
  }
  return false;
}

// Whether a limit that acts is reached that was not in the step, or left: its return has a kink.
static bool limits_differ(const limpet_probe *probe, const limpet_contact_problem *problem) {
  const limpet_solved_step *step = probe->residual->solved;
  for (int i = 0; i < problem->row_count; ++i) {
    const limpet_constraint_row *now = &problem->row[i], *then = &step->problem.row[i];
    const bool one_way = then->lower == 0.0 && then->upper == INFINITY;
    if (one_way && step->solution.row_gamma[i] > 0.0 && (now->error > 0.0) != (then->error > 0.0))
      return true;
  }
  return false;
}

// Impulses of rows that only another model has. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status take_new_rows(limpet_probe *probe, const limpet_contact_problem *problem,
                                   limpet_arena *arena, double **impulse) {
  *impulse = NULL;
  if (probe->model == probe->residual->model) return LIMPET_OK;
  *impulse = LIMPET_TAKE_ZERO(arena, double, probe->residual->solved->problem.nv);
  if (!*impulse) return LIMPET_ERROR_MEMORY;
  limpet_probe_new_rows(probe, problem, *impulse);
  return LIMPET_OK;
}

limpet_residual_outcome limpet_probe_assemble(limpet_probe *probe, limpet_arena *arena,
                                              limpet_contact_problem *problem, double **impulse) {
  limpet_data *data = probe->data;
  const limpet_step_settings *settings = probe->settings;

  limpet_free_motion motion;
  const limpet_residual_outcome outcome = move(probe, arena, &motion);
  if (outcome != LIMPET_RESIDUAL_DONE) return outcome;
  motion.soft = probe->soft;

  // contacts and rows of the step
  const limpet_contact_problem *step = &probe->residual->solved->problem;
  limpet_collision collision;
  limpet_contact_records records;
  const limpet_step_encounter encounter = {
      .motion = &motion, .collision = &collision, .speculative = INFINITY};
  if (limpet_probe_follow(probe, arena, &collision) ||
      limpet_step_assemble(data, settings, &encounter, arena, &records, problem))
    return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  if (problem->contact_count != step->contact_count) return LIMPET_RESIDUAL_OTHER;
  if (take_new_rows(probe, problem, arena, impulse) ||
      limpet_probe_match_rows(step, problem, arena, probe->residual->solved->solution.row_gamma,
                              &probe->lost_row) ||
      limpet_problem_partition_like(step, problem, arena, &probe->joins))
    return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  // contacts have the step's order
  probe->switches =
      probe->switches || pulls_differ(probe, &records, problem) || limits_differ(probe, problem);
  limpet_probe_align_tangents(step, problem, probe->carried);
  if ((settings->contact_model->memory != LIMPET_MEMORY_NONE &&
       limpet_anchors_load(data, &records, arena, problem)))
    return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  if (problem->stretch) limpet_contact_kept_apply(problem, limpet_step_is_plain(settings));
  return LIMPET_RESIDUAL_DONE;
}

limpet_status limpet_probe_servos(limpet_probe *probe, limpet_arena *arena) {
  const int nu = probe->model->nu;
  probe->servo = LIMPET_TAKE(arena, limpet_servo, nu);
  probe->serves = LIMPET_TAKE(arena, bool, nu);
  if (!probe->servo || !probe->serves) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < nu; ++i)
    probe->serves[i] = limpet_actuator_servo(probe->model, probe->data, i,
                                             probe->settings->time_step, &probe->servo[i]);
  return LIMPET_OK;
}

bool limpet_probe_servo(const limpet_probe *probe, int actuator, limpet_servo *servo) {
  if (!probe->servo)
    return limpet_actuator_servo(probe->model, probe->data, actuator, probe->settings->time_step,
                                 servo);
  *servo = probe->servo[actuator];
  return probe->serves[actuator];
}

limpet_residual_outcome limpet_probe_evaluate(limpet_probe *probe, limpet_arena *arena,
                                              double *values) {
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  limpet_contact_problem problem;
  double *impulse;
  limpet_residual_outcome outcome = limpet_probe_assemble(probe, arena, &problem, &impulse);
  if (outcome == LIMPET_RESIDUAL_DONE)
    outcome = limpet_residual_evaluate(probe->residual, &problem, arena, values);
  for (int i = 0; outcome == LIMPET_RESIDUAL_DONE && probe->friction && i < problem.contact_count;
       ++i)
    probe->friction[i] = problem.constants[i].friction;
  for (int i = 0; outcome == LIMPET_RESIDUAL_DONE && impulse && i < problem.nv; ++i)
    if (impulse[i] != 0.0) values[limpet_residual_slot(probe->residual, i)] -= impulse[i];
  limpet_arena_release(arena, mark);
  return outcome;
}
