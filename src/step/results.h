/* step/results.h: from the solved problem to what limpet_data shows. */
#ifndef LIMPET_STEP_RESULTS_H
#define LIMPET_STEP_RESULTS_H

#include "contact/record.h"
#include "solve/solve.h"
#include "step/free_motion.h"

void limpet_results_clear(limpet_data *data);
void limpet_results_solver(limpet_step_info *info, const limpet_solve_info *solve);
// The repeats and iterations of the attempts before of the same step, added.
void limpet_results_add_iterations(limpet_step_info *info, const limpet_step_info *before);
// Contact arrays, in the order of their records. LIMPET_OK or LIMPET_ERROR_MEMORY, as the others.
limpet_status limpet_results_contacts(limpet_data *data, const limpet_contact_records *records,
                                      const limpet_contact_problem *problem,
                                      const limpet_contact_solution *solution, limpet_arena *arena);
// Surface arrays, from the contact arrays; part of limpet_results_contacts.
limpet_status limpet_results_surfaces(limpet_data *data, const limpet_contact_records *records,
                                      limpet_arena *arena);
// Constraint arrays, actuator forces, generalised constraint force.
limpet_status limpet_results_constraints(const limpet_model *model, limpet_data *data,
                                         const limpet_contact_problem *problem,
                                         const limpet_contact_solution *solution,
                                         const limpet_free_motion *motion, limpet_arena *arena);
/* Forces of the servos that are part of A, at the velocity v (nv) of the step; before positions
 * move. */
limpet_status limpet_results_servos(const limpet_model *model, limpet_data *data,
                                    const limpet_free_motion *motion, const double *v,
                                    limpet_arena *arena);
void limpet_results_memory(limpet_data *data);

#endif
