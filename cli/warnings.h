/* cli/warnings.h: what of a run is not to be trusted, gathered step by step and told in words: one
 * line each, with the worst value, its time and its pair of geoms. */
#ifndef LIMPET_CLI_WARNINGS_H
#define LIMPET_CLI_WARNINGS_H

#include <jansson.h>

#include "limpet/limpet.h"
#include "open_loops.h"

typedef struct limpet_peak {
  double value;
  double time;  // [s]  at the end of the step that had it
} limpet_peak;

// True if `value` is the largest so far, which is then kept.
bool limpet_peak_raise(limpet_peak *peak, double value, double time);

typedef struct limpet_warnings {
  limpet_peak friction;                    // [-]  info.friction_departure
  int friction_geom[2];                    // of that
  limpet_peak overlap;                     // [m]  info.overlap_made
  int overlap_geom[2];                     // of that
  limpet_peak rise, kinetic;               // [J]  of steps with settings.energy
  limpet_peak back;                        // [J]  info.return_work, likewise
  double risen, returned;                  // [J]  of both, summed
  bool apart;                              // something was apart, inside or beyond by a millimetre
  limpet_peak flight;                      // [-]  info.flight_error
  limpet_open_loops loops;                 // that should be closed
  limpet_peak substep;                     // [m, rad]  info.substep_error
  limpet_peak momentum, angular_momentum;  // [N s], [N m s]  of steps with settings.energy
  limpet_peak islands;                     // info.failed_islands
  limpet_peak swallowed;                   // info.swallowed_pairs
  limpet_peak surface;                     // [-]  info.surface_error
  int surface_geom[2];                     // of that
  limpet_peak missing;                     // [N]  info.surface_missing
  limpet_peak restrained;                  // info.restrained_returns
  limpet_peak crossing;                    // [m]  info.crossing_depth
  int crossing_geom;                       // of the deformable body of that
} limpet_warnings;

// After each step.
void limpet_warnings_add(limpet_warnings *warnings, const limpet_data *data);
/* One line for each warning, the first one after `label`, the others after as many blanks; steps by
 * outcome and clamped controls are those of data. Returns how many there were. */
int limpet_warnings_print(const limpet_warnings *warnings, const limpet_model *model,
                          const limpet_data *data, const limpet_step_settings *settings,
                          const char *label);
// Keys as docs/cli.md lists them under `truth`.
json_t *limpet_warnings_json(const limpet_warnings *warnings, const limpet_model *model,
                             const limpet_contact_model *contact);

#endif
