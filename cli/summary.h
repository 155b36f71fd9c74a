/* cli/summary.h: what happened in a run, gathered step by step and told in words or JSON. */
#ifndef LIMPET_CLI_SUMMARY_H
#define LIMPET_CLI_SUMMARY_H

#include <jansson.h>

#include "limpet/limpet.h"
#include "warnings.h"

typedef struct limpet_summary {
  int64_t steps;
  double start_time;                    // [s]  simulated
  double wall_time;                     // [s]  of stepping alone
  double processor_time;                // [s]  of stepping alone, all threads
  int64_t iterations;                   // Newton iterations, most over islands, summed over steps
  limpet_peak iterations_most;          // [1]
  int64_t substeps, rejected_substeps;  // of the scheme adaptive, summed over steps
  limpet_peak substeps_most;            // [1]
  double shortest_substep;              // [s]  0: none
  limpet_peak contacts_most;            // [1]
  limpet_peak residual;                 // [-]
  limpet_peak penetration;              // [m]
  int penetration_geom[2];              // of that; LIMPET_NONE: nothing touched
  limpet_peak loop_gap;                 // [m]
  limpet_peak loop_turn;                // [rad]
  limpet_peak coupler_error;            // [m, rad]
  limpet_warnings warnings;
  limpet_peak creep;                      // [m/s]  fastest stiction
  double energy_start[2], energy_end[2];  // [J]  kinetic, potential
  double stage_time[LIMPET_STAGE_COUNT];  // [s]  summed
} limpet_summary;

// Kinetic and potential energy of the present state  [J]. Runs kinematics on `data`, the state is
//                                                    not changed.
void limpet_summary_energies(const limpet_model *model, limpet_data *data, double energy[2]);

// The start: call before the first step. Runs kinematics on `data`, the state is not changed.
void limpet_summary_begin(limpet_summary *summary, const limpet_model *model, limpet_data *data);
// After each step.
void limpet_summary_add(limpet_summary *summary, const limpet_data *data);
// After the last step; `wall_time`, `processor_time` [s] that the stepping took.
void limpet_summary_end(limpet_summary *summary, const limpet_model *model, limpet_data *data,
                        double wall_time, double processor_time);

void limpet_summary_print(const limpet_summary *summary, const limpet_model *model,
                          const limpet_data *data, const limpet_step_settings *settings);
// Keys as docs/cli.md lists them.
json_t *limpet_summary_json(const limpet_summary *summary, const limpet_model *model,
                            const limpet_data *data, const limpet_step_settings *settings);

#endif
