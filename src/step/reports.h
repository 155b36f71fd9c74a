/* step/reports.h: how true a solved step was: friction against Coulomb's law, overlap that was
 * made, energy that came from nowhere. All from what the step left in limpet_data and its solution,
 * none from what a solver thinks of itself. */
#ifndef LIMPET_STEP_REPORTS_H
#define LIMPET_STEP_REPORTS_H

#include "step/prepared.h"

// [-]  departure of friction above which a step is not solved, if its model promises Coulomb's law
#define LIMPET_FRICTION_TOLERANCE 0.01

// Fills the friction_ fields of data->info. After limpet_results_contacts.
void limpet_report_friction(limpet_data *data, const limpet_contact_records *records,
                            const limpet_contact_problem *problem,
                            const limpet_contact_solution *solution);
/* Solved, or friction missed where a model that promises Coulomb's law departs from it; all other
 * outcomes stay. */
limpet_outcome limpet_report_outcome(const limpet_contact_model *model,
                                     const limpet_step_info *info, limpet_outcome outcome);

/* The contacts of the last step, sorted by geoms as all are, and its energy; count 0 and known
 * false: not there. */
typedef struct limpet_former_contacts {
  bool known;
  int count;
  const int *geom;                      // (count x 2)
  const limpet_contact_record *record;  // (count)
  limpet_energy_end energy;
} limpet_former_contacts;

limpet_former_contacts limpet_former_contacts_of(const limpet_data *data);
// Fills overlap_made and overlap_contact of data->info. After limpet_results_contacts.
void limpet_report_overlap(limpet_data *data, const limpet_former_contacts *former,
                           const limpet_contact_records *records,
                           const limpet_contact_problem *problem);

// Fills the surface_ fields of data->info. After limpet_results_contacts.
void limpet_report_surfaces(limpet_data *data, const limpet_collision *collision);

// What the energy at the end of a step may be; of settings.energy.
typedef struct limpet_energy_account {
  bool known;        // false: the scheme starts each step from rest
  double due;        // [J]  at the start, and the work done in the step
  double magnitude;  // [J]  of the terms, of which round-off is a share
  double *held;      // (tree_count)  limpet_data.tree_held at the start
} limpet_energy_account;

/* [J]  energy by which positions lead velocities: report_lead.c. held (tree_count): of the step
 * that led to the state; former: of the step before that. solution: of the step; *parted: the part
 * of trees whose contacts part in it, which is left out. All three NULL at the start of a step.
 * After poses, velocities and tendons. */
double limpet_report_lead(const limpet_data *data, const limpet_step_work *work, const double *held,
                          const double *former, const limpet_step_solution *solution,
                          double *parted);

/* [J]  Stored by limits, loops and couplers that are springs: report_returns.c. At the start of a
 * step, or at its end: with the rows and errors of its start in both. */
double limpet_report_stored_by_rows(const limpet_data *data, const limpet_step_work *work,
                                    const limpet_step_solution *solution, bool at_end);
/* [J]  Work of near-rigid limits, loops, couplers and contacts that lead back what was apart,
 * beyond or inside. Before the state moves on. */
double limpet_report_return_work(const limpet_data *data, const limpet_step_work *work,
                                 const limpet_step_solution *solution);

/* Before the state moves on, with the results of the step: poses, velocities and tendons are those
 * of its start. former: of the step before. Takes scratch from the arena of the step. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_report_energy_begin(limpet_data *data, const limpet_step_work *work,
                                         const limpet_step_solution *solution,
                                         const limpet_energy_end *former,
                                         limpet_energy_account *account);
/* After it moved on: brings poses and mass matrix to it, and fills the energies of data->info. What
 * the next step must begin with. */
limpet_energy_end limpet_report_energy_end(limpet_data *data, const limpet_step_work *work,
                                           const limpet_step_solution *solution,
                                           const limpet_energy_account *account);

// ------------------------------------------------------------- steps of several: report_substeps.c

// Adds what a solve counted, and took, to what the step counts.
void limpet_report_spend(limpet_step_info *whole, const limpet_step_info *solve);
/* `whole`, which tells of earlier substeps, tells of the next one, too: counts and work are added,
 * what went wrong is the worst, and what describes the end is that of `next`. */
void limpet_report_join(limpet_step_info *whole, const limpet_step_info *next);

// Fills deformable_force, from the contact arrays.
void limpet_report_deformable_forces(limpet_data *data);
// After the state moved on: the other deformable_ arrays. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_report_deformables(limpet_data *data, limpet_arena *arena);

/* Momentum that trees that float must have at the end of the step: `due` from the arena of the
 * step, NULL where none is told. Before the state moves on. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_report_momentum_begin(const limpet_data *data, const limpet_step_work *work,
                                           const limpet_step_solution *solution, double **due);
// After limpet_report_energy_end: fills momentum_gained and angular_momentum_gained of data->info.
void limpet_report_momentum_end(limpet_data *data, const limpet_step_work *work,
                                const limpet_step_solution *solution, const double *due);

#endif
