/* cli/controls.h: where the controls of a run come from: a CSV file, constants of --set, or the
 * keyframe. */
#ifndef LIMPET_CLI_CONTROLS_H
#define LIMPET_CLI_CONTROLS_H

#include "limpet/limpet.h"

/* A table over time for some of the actuators. Between two rows a control is linear in time; before
 * the first and after the last it stays. */
typedef struct limpet_controls {
  int row_count, column_count;
  int *actuator;   // (column_count)
  double *time;    // (row_count)  [s]  strictly growing
  double *values;  // (row_count x column_count)
  int row;         // where the last look-up was: times are asked for in ascending order
} limpet_controls;

/* Reads a CSV file: a header with `time` and names of actuators, then one row of numbers for each
 * time. On failure complains with file:line and returns false; `controls` is then empty. */
bool limpet_controls_read(limpet_controls *controls, const char *path, const limpet_model *model);
void limpet_controls_free(limpet_controls *controls);
// Writes the controls at `time` [s] into control (nu); actuators without a column keep theirs.
void limpet_controls_apply(limpet_controls *controls, double time, double *control);
bool limpet_controls_has(const limpet_controls *controls, int actuator);

// The actuator of a name; LIMPET_NONE, and in `hint` (size) which there are.
int limpet_control_find(const limpet_model *model, const char *name, char *hint, size_t size);

/* Takes "ACTUATOR=VALUE" into control (nu), VALUE with the unit of the actuator's control where it
 * has one. Returns the actuator, or LIMPET_NONE after a complaint. */
int limpet_control_set(const limpet_model *model, const char *assignment, double *control);

#endif
