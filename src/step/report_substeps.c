/* step/report_substeps.c: what a step of several solves says of itself: from what each of them
 * said. Counts of work add up, also of solves that came to nothing; of errors the worst stays. */
#include "math/extremes.h"
#include "step/reports.h"

void limpet_report_spend(limpet_step_info *whole, const limpet_step_info *solve) {
  whole->iterations += solve->iterations;
  whole->iterations_total += solve->iterations_total;
  whole->line_search_evaluations += solve->line_search_evaluations;
  whole->factorizations += solve->factorizations;
  whole->newton_iterations += solve->newton_iterations;
  whole->interior_iterations += solve->interior_iterations;
  whole->active_set_changes += solve->active_set_changes;
  whole->sweeps += solve->sweeps;
  whole->pivots += solve->pivots;
  whole->barrier_iterations += solve->barrier_iterations;
  whole->repeats += solve->repeats;
  whole->crossing_rounds += solve->crossing_rounds;
  whole->elastic_rounds += solve->elastic_rounds;
  for (int i = 0; i < LIMPET_STAGE_COUNT; ++i) whole->stage_time[i] += solve->stage_time[i];
}

static void raise_count(int *whole, int part) { *whole = part > *whole ? part : *whole; }
static void raise(double *whole, double part) { *whole = limpet_max(*whole, part); }

// Contacts that a substep names are those of its own arrays: only those of the last one are there.
static void raise_of_contact(double *whole, int *contact, double earlier) {
  if (earlier <= *whole) return;
  *whole = earlier;
  *contact = LIMPET_NONE;
}

static void join_crossing(limpet_step_info *whole, const limpet_step_info *earlier) {
  raise_count(&whole->crossing_count, earlier->crossing_count);
  if (earlier->crossing_depth <= whole->crossing_depth) return;
  whole->crossing_depth = earlier->crossing_depth;
  whole->crossing_vertex = earlier->crossing_vertex;
}

static void join_solver(limpet_step_info *whole, const limpet_step_info *earlier) {
  raise(&whole->residual, earlier->residual);
  raise(&whole->condition_number, earlier->condition_number);
  raise(&whole->elastic_residual, earlier->elastic_residual);
  raise_count(&whole->largest_island, earlier->largest_island);
  raise_count(&whole->restrained_returns, earlier->restrained_returns);
  raise_count(&whole->restrained_rebounds, earlier->restrained_rebounds);
  raise_count(&whole->immovable_contacts, earlier->immovable_contacts);
  raise_count(&whole->bounded_contacts, earlier->bounded_contacts);
  raise_count(&whole->swallowed_pairs, earlier->swallowed_pairs);
  raise_count(&whole->failed_islands, earlier->failed_islands);
  raise_count(&whole->clamped_controls, earlier->clamped_controls);
}

static void join_physics(limpet_step_info *whole, const limpet_step_info *earlier) {
  raise(&whole->loop_gap, earlier->loop_gap);
  raise(&whole->loop_turn, earlier->loop_turn);
  raise(&whole->coupler_error, earlier->coupler_error);
  raise(&whole->deepest_penetration, earlier->deepest_penetration);
  raise(&whole->largest_stiction_speed, earlier->largest_stiction_speed);
  raise(&whole->flight_error, earlier->flight_error);
  raise_of_contact(&whole->overlap_made, &whole->overlap_contact, earlier->overlap_made);
  raise_of_contact(&whole->friction_departure, &whole->friction_contact,
                   earlier->friction_departure);
  raise_of_contact(&whole->surface_error, &whole->surface_contact, earlier->surface_error);
  raise(&whole->surface_missing, earlier->surface_missing);
  raise(&whole->friction_outside, earlier->friction_outside);
  raise(&whole->friction_missing, earlier->friction_missing);
  raise(&whole->momentum_gained, earlier->momentum_gained);
  raise(&whole->angular_momentum_gained, earlier->angular_momentum_gained);
  whole->return_work += earlier->return_work;
  whole->energy_rise += earlier->energy_rise;
}

static void join_substeps(limpet_step_info *whole, const limpet_step_info *earlier) {
  whole->substep_count += earlier->substep_count;
  whole->rejected_substeps += earlier->rejected_substeps;
  if (earlier->shortest_substep > 0.0 && whole->shortest_substep > 0.0)
    whole->shortest_substep = limpet_min(whole->shortest_substep, earlier->shortest_substep);
  raise(&whole->substep_error, earlier->substep_error);
}

void limpet_report_join(limpet_step_info *whole, const limpet_step_info *next) {
  const limpet_step_info earlier = *whole;
  *whole = *next;
  limpet_report_spend(whole, &earlier);
  join_solver(whole, &earlier);
  join_physics(whole, &earlier);
  join_crossing(whole, &earlier);
  join_substeps(whole, &earlier);
}
