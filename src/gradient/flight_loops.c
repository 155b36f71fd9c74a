/* gradient/flight_loops.c: see flight_loops.h.
 *
 *   work = sum gamma_i a_i . (v0 + v1)/2,   gamma = (v_hat - a v)/R          of the rows of loops
 * a: of the moved world; gamma + by dgamma. Near-rigid loops have so small an R that gamma itself
 * would hold the curvature of a v, which the solution has not, and the round-off of a v. Cost: one
 * assembly each. */
#include "gradient/flight_loops.h"

#include "gradient/loop_change.h"
#include "solve/row.h"
#include "step/flight.h"

bool limpet_flight_loops_count(const limpet_gradient_workspace *w) {
  const limpet_flight *flight = w->residual.solved->motion.flight;
  for (int t = 0; t < w->model->tree_count && w->model->loop_count > 0; ++t)
    if (limpet_flight_is_bounded(flight, t)) return true;
  return false;
}

// The problem in a world; motion: limpet_probe.kept.
static limpet_status assemble(limpet_gradient_workspace *w, limpet_data *world,
                              const limpet_step_settings *settings,
                              const limpet_free_motion *motion, limpet_contact_problem *problem) {
  const int contacts = w->residual.solved->problem.contact_count;
  limpet_probe probe = {.model = world->model,
                        .settings = settings,
                        .residual = &w->residual,
                        .data = world,
                        .slack = 100.0 * w->wanted.difference,
                        .start_position = w->start,
                        .start_rotation = w->start + 3 * w->model->geom_count,
                        .carried = LIMPET_TAKE_ZERO(&w->arena, bool, contacts),
                        .soft = w->soft ? &w->soft->assembled : NULL,
                        .kept = motion};
  double *others;
  if (!probe.carried) return LIMPET_ERROR_MEMORY;
  return limpet_probe_assemble(&probe, &w->arena, problem, &others) == LIMPET_RESIDUAL_DONE
             ? LIMPET_OK
             : LIMPET_ERROR_MEMORY;
}

limpet_status limpet_flight_loops_add(limpet_gradient_workspace *w, limpet_data *world,
                                      const limpet_step_settings *settings, const double *dv,
                                      double by, double weight, double *slope) {
  const limpet_contact_solution *solved = &w->residual.solved->solution;
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  limpet_contact_problem problem;
  const limpet_status status = assemble(w, world, settings, NULL, &problem);
  for (int i = 0; status == LIMPET_OK && i < problem.island_count; ++i) {
    const limpet_island *island = &problem.island[i];
    for (int k = island->row; k < island->row + island->row_count; ++k) {
      const limpet_constraint_row *row = &problem.row[k];
      double u = 0.0;
      if (!limpet_loop_has_row(row)) continue;
      for (int e = row->entry; e < row->entry + row->entry_count; ++e) {
        const int dof = limpet_problem_global_dof(&problem, island, problem.entry_dof[e]);
        u += problem.entry_value[e] * (solved->v[dof] + by * dv[dof]);
      }
      slope[k] += weight * (limpet_row_impulse(row, u) - solved->row_gamma[k]);
    }
  }
  limpet_arena_release(&w->arena, mark);
  return status;
}

limpet_status limpet_flight_loops_move(limpet_gradient_workspace *w, limpet_data *world,
                                       const limpet_step_settings *settings,
                                       const limpet_free_motion *motion, const double *slope,
                                       double by, limpet_step_solution *solution) {
  const limpet_solved_step *solved = w->residual.solved;
  const int rows = solved->problem.row_count;
  double *gamma = LIMPET_TAKE(&w->arena, double, rows);
  if (!gamma) return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < rows; ++k) gamma[k] = solved->solution.row_gamma[k] + by * slope[k];
  solution->contact.row_gamma = gamma;
  limpet_geom_kinematics(world->model, world, false);
  return assemble(w, world, settings, motion, &solution->problem);
}
