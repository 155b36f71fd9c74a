/* step/vertex_forces.h: what contacts and ties exert on vertices of deformable bodies. */
#ifndef LIMPET_STEP_VERTEX_FORCES_H
#define LIMPET_STEP_VERTEX_FORCES_H

#include "step/prepared.h"

/* Fills data->vertex_force, and tie_force (tie_count x 3)  [N]  W  what each tie exerts on its
 * vertex, mean over the step; the body that it is tied to feels the opposite, at the vertex's place
 * on it. After limpet_results_contacts and limpet_results_constraints. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_vertex_forces(limpet_data *data, const limpet_step_work *work,
                                   const limpet_step_solution *solution, double *tie_force);

// Adds what ties exert on rigid bodies to wrench (body_count x 6)  [N m about the centre of mass,
// N]
void limpet_tie_wrenches_add(const limpet_model *model, const limpet_data *data,
                             const double *tie_force, double *wrench);

#endif
