/* cli/compare.h: runs of one scene by several methods, side by side, and what is told of them. */
#ifndef LIMPET_CLI_COMPARE_H
#define LIMPET_CLI_COMPARE_H

#include <jansson.h>

#include "start.h"
#include "loading.h"
#include "summary.h"

// The quantities of the table, which limpet_compare_rows explains. NAN: there was nothing to
// measure.
typedef struct limpet_method_result {
  double penetration_deepest, penetration_mean;  // [m]
  double slip_fastest, slip_mean;                // [m/s]
  double gliding_distance;                       // [m]
  double energy_end, energy_rise;                // [J]
  double iterations_mean, iterations_worst;      // [-]
  double unsolved_steps;                         // [-]
  double step_time_median, step_time_least;      // [s]  wall time
  double position_difference;                    // [m]
  double rotation_difference;                    // [rad]
} limpet_method_result;

typedef struct limpet_compare_row {
  const char *key;    // in JSON
  const char *label;  // in the table
  const char *unit;   // SI; "1": a pure number
  const char *text;   // what it is, in one line
  size_t offset;      // of the value in limpet_method_result
} limpet_compare_row;

enum { LIMPET_COMPARE_ROW_COUNT = 14 };
extern const limpet_compare_row limpet_compare_rows[LIMPET_COMPARE_ROW_COUNT];
double limpet_compare_value(const limpet_compare_row *row, const limpet_method_result *result);

// What is gathered step by step.
typedef struct limpet_measures {
  int64_t steps, half;                     // made; first one of the last half of the run
  double penetration_sum, slip_sum;        // [m], [m/s]  over the next two
  int64_t carrying_count, sticking_count;  // contacts, summed over the steps of the last half
  double penetration, slip, gliding;       // [m], [m/s], [m]  largest
  int64_t sliding_count;       // contacts that slide and carry force, summed over all steps
  double energy, energy_rise;  // [J]  at the end of the last step, largest rise
  int64_t iterations, iterations_most,
      unsolved;       // Newton iterations: sum, most; steps that were not solved
  double *step_time;  // (sample_count)  [s]  wall time of every stride-th step
  int64_t sample_count, stride;
  limpet_warnings warnings;
} limpet_measures;

enum { LIMPET_MOTION_LIMIT = 8 };
enum { LIMPET_METHOD_LIMIT = 32, LIMPET_METHOD_NAME_SIZE = 64 };

// A scheme and a contact model in a world of their own: no method sees another.
typedef struct limpet_method {
  char name[LIMPET_METHOD_NAME_SIZE];
  const limpet_scheme *scheme;  // NULL: that of the settings
  const limpet_contact_model *contact;
  bool points;  // contact at points, whatever pressure fields there are
  limpet_step_settings settings;
  limpet_data *data;
  limpet_controller *controller;  // its own, or NULL
  // the table is shared with the other methods, the place in it is its own
  limpet_controls controls;
  limpet_replay *replay;  // or NULL
  bool stopped;           // a step failed; the state is that before it
  limpet_measures measures;
  limpet_method_result result;
} limpet_method;

typedef struct limpet_compare_options {  // NULL, false: not given
  limpet_start_options start;
  const char *html;
  bool json, quiet;
  limpet_loading loading;
  limpet_text_list contact, motion, arguments;
} limpet_compare_options;

typedef struct limpet_comparison {
  const limpet_compare_options *options;
  const char *path;  // of the model
  limpet_model *model;
  limpet_controls controls;
  int64_t step_count;   // to do
  double start_time;    // [s]
  double energy_start;  // [J]  kinetic and potential
  int method_count;
  limpet_method method[LIMPET_METHOD_LIMIT];
  int motion_count;  // that were recorded elsewhere
  limpet_replay *motion[LIMPET_MOTION_LIMIT];
} limpet_comparison;

/* Room for the measures of a method, and its replay with --html; method->data is there. Returns
 * LIMPET_OPTIONS_GO, or an exit code after a complaint; close it in any case. */
int limpet_method_open(limpet_comparison *comparison, limpet_method *method);
void limpet_method_close(limpet_method *method);
// One step with its measures. False, after a complaint, when there is no memory for the replay.
bool limpet_method_step(const limpet_comparison *comparison, limpet_method *method);
// After the last step: fills method->result; differences are those from `first`.
void limpet_method_end(const limpet_comparison *comparison, limpet_method *method,
                       const limpet_method *first);

// The table with its head, and what the numbers say in a sentence or two.
void limpet_compare_print(const limpet_comparison *comparison);
json_t *limpet_compare_json(const limpet_comparison *comparison, const char *ending);

#endif
