/* cli/sweep_row.c: one run of a sweep, from its values to its row. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "signals.h"
#include "suggest.h"
#include "summary.h"
#include "sweep.h"

typedef struct limpet_sweep_run {
  const limpet_model *model;
  limpet_data *data;
  limpet_controls controls;
  limpet_controller *controller;
  char *text;
  limpet_step_settings settings;
  double start[LIMPET_SWEEP_TRACK_LIMIT][3];  // [m]  where tracked bodies began
} limpet_sweep_run;

// The model of a run; NULL with the error and exit code. `values` NULL: as the file has it.
static limpet_model *model_of(const limpet_sweep *sweep, const double *values, limpet_error *error,
                              int *code) {
  limpet_model *model = NULL;
  limpet_builder *builder =
      limpet_builder_open(sweep->arguments.text[0], &sweep->loading, error, code);
  if (!builder) return NULL;
  limpet_status status = LIMPET_OK;
  for (int d = 0; values && d < sweep->plan.dimension_count && status == LIMPET_OK; ++d) {
    const limpet_sweep_dimension *dimension = &sweep->plan.dimension[d];
    limpet_parameter_target target;
    if (dimension->control) continue;
    status = limpet_parameter_find(builder, dimension->name, &target, error);
    if (status == LIMPET_OK) status = limpet_parameter_assign(builder, &target, values[d], error);
    limpet_parameter_free(&target);
  }
  if (status == LIMPET_OK) model = limpet_builder_compile(builder, error);
  limpet_builder_destroy(builder);
  return model;
}

// Whether the kept model is that of these values: controls are no part of it.
static bool keeps(const limpet_sweep *sweep, const limpet_sweep_kept *kept, const double *values) {
  bool same = kept->model != NULL;
  for (int d = 0; d < sweep->plan.dimension_count; ++d)
    same &= sweep->plan.dimension[d].control || kept->values[d] == values[d];
  return same;
}

void limpet_sweep_kept_free(limpet_sweep_kept *kept) {
  if (kept->model) limpet_model_destroy(kept->model);
  *kept = (limpet_sweep_kept){0};
}

// As model_of, but of the run before where that is the same.
static const limpet_model *model_take(const limpet_sweep *sweep, const double *values,
                                      limpet_sweep_kept *kept, limpet_error *error, int *code) {
  if (values && keeps(sweep, kept, values)) return kept->model;
  limpet_sweep_kept_free(kept);
  kept->model = model_of(sweep, values, error, code);
  if (values) memcpy(kept->values, values, sizeof kept->values);
  return kept->model;
}

static int run_open(const limpet_sweep *sweep, const double *values, limpet_sweep_kept *kept,
                    limpet_sweep_run *run, limpet_error *error) {
  const limpet_start_options *start = &sweep->start;
  const limpet_scheme *scheme;
  const limpet_contact_model *contact;
  int code;
  run->model = model_take(sweep, values, kept, error, &code);
  if (!run->model) return code;
  run->data = limpet_data_create(run->model);
  if (!run->data) return LIMPET_EXIT_SIMULATION;
  code = limpet_scheme_choose(sweep->scheme, &scheme);
  if (code == LIMPET_OPTIONS_GO) code = limpet_contact_model_choose(sweep->contact, &contact);
  if (code == LIMPET_OPTIONS_GO)
    code = limpet_start_settings(start, run->model, scheme, contact, &run->settings);
  if (code == LIMPET_OPTIONS_GO)
    code =
        limpet_start_state(start, run->model, sweep->arguments.text[0], run->data, &run->controls);
  if (code == LIMPET_OPTIONS_GO)
    code = limpet_start_controller(start, run->model, &run->controls, &run->controller, &run->text);
  for (int d = 0; values && d < sweep->plan.dimension_count && code == LIMPET_OPTIONS_GO; ++d) {
    char assignment[512];
    if (!sweep->plan.dimension[d].control) continue;
    snprintf(assignment, sizeof assignment, "%s=%.17g", sweep->plan.dimension[d].name, values[d]);
    if (limpet_control_set(run->model, assignment, run->data->control) == LIMPET_NONE)
      code = LIMPET_EXIT_USAGE;
  }
  return code;
}

static void run_close(limpet_sweep_run *run) {
  limpet_controls_free(&run->controls);
  limpet_controller_destroy(run->controller);
  free(run->text);
  if (run->data) limpet_data_destroy(run->data);
}

// A tracked body, and the body in whose frame it is seen; LIMPET_NONE: the world's.
typedef struct limpet_track {
  int body, frame;
} limpet_track;

// "cube", or "cube@hand": the cube as seen from the hand. A name that is whole comes first.
static limpet_track track_of(const limpet_model *model, const char *text) {
  char name[LIMPET_PARAMETER_NAME_SIZE];
  const char *at = strrchr(text, '@');
  limpet_track track = {limpet_model_find(model, LIMPET_OBJECT_BODY, text), LIMPET_NONE};
  if (track.body != LIMPET_NONE || !at || (size_t)(at - text) >= sizeof name) return track;
  snprintf(name, sizeof name, "%.*s", (int)(at - text), text);
  track.frame = limpet_model_find(model, LIMPET_OBJECT_BODY, at + 1);
  if (track.frame != LIMPET_NONE) track.body = limpet_model_find(model, LIMPET_OBJECT_BODY, name);
  return track;
}

// Where it is  [m]; kinematics are up to date.
static void place_of(const limpet_sweep *sweep, const limpet_sweep_run *run, int index,
                     double place[3]) {
  const limpet_track track = track_of(run->model, sweep->track.text[index]);
  const double *body = &run->data->body_position[3 * track.body];
  memcpy(place, body, 3 * sizeof *place);
  if (track.frame == LIMPET_NONE) return;
  const double *origin = &run->data->body_position[3 * track.frame];
  const double *R = &run->data->body_rotation[9 * track.frame];
  for (int i = 0; i < 3; ++i) {
    place[i] = 0.0;
    for (int k = 0; k < 3; ++k) place[i] += R[3 * k + i] * (body[k] - origin[k]);
  }
}

// Whether the body of each --track is there; else a complaint.
static bool tracks_check(const limpet_sweep *sweep, const limpet_model *model) {
  int wrong = LIMPET_NONE;
  for (int t = 0; t < sweep->track.count; ++t)
    if (track_of(model, sweep->track.text[t]).body == LIMPET_NONE) wrong = t;
  if (wrong == LIMPET_NONE) return true;
  limpet_suggestion best = {0};
  char hint[160];
  for (int b = 0; b < model->body_count; ++b)
    limpet_suggest(&best, sweep->track.text[wrong],
                   limpet_model_name(model, LIMPET_OBJECT_BODY, b));
  limpet_complain(
      "--track %s: there is no such body%s; write BODY, or BODY@FRAME for a body "
      "as seen from another",
      sweep->track.text[wrong], limpet_suggestion_text(hint, sizeof hint, &best));
  return false;
}

// The control of each --set that varies; else a complaint.
static bool controls_check(const limpet_sweep *sweep, const limpet_model *model, double *control) {
  char assignment[512];
  for (int d = 0; d < sweep->plan.dimension_count; ++d) {
    if (!sweep->plan.dimension[d].control) continue;
    snprintf(assignment, sizeof assignment, "%s=0", sweep->plan.dimension[d].name);
    if (limpet_control_set(model, assignment, control) == LIMPET_NONE) return false;
  }
  return true;
}

int limpet_sweep_check(const limpet_sweep *sweep) {
  limpet_sweep_run run = {0};
  limpet_sweep_kept kept = {0};
  limpet_error error = {0};
  int code = run_open(sweep, NULL, &kept, &run, &error);
  if (code != LIMPET_OPTIONS_GO && !run.model) limpet_complain("%s", error.message);
  if (code == LIMPET_OPTIONS_GO &&
      !(tracks_check(sweep, run.model) && controls_check(sweep, run.model, run.data->control)))
    code = LIMPET_EXIT_USAGE;
  run_close(&run);
  limpet_sweep_kept_free(&kept);
  return code;
}

static limpet_outcome run_steps(const limpet_sweep *sweep, limpet_sweep_run *run,
                                limpet_summary *summary) {
  const int64_t steps = limpet_start_step_count(&sweep->start, run->settings.time_step);
  limpet_outcome worst = LIMPET_OUTCOME_SOLVED;
  limpet_summary_begin(summary, run->model, run->data);
  limpet_kinematics(run->model, run->data);
  for (int t = 0; t < sweep->track.count; ++t) place_of(sweep, run, t, run->start[t]);
  for (int64_t step = 0; step < steps && !limpet_outcome_failed(worst); ++step) {
    limpet_controls_apply(&run->controls, run->data->time, run->data->control);
    if (run->controller)
      limpet_controller_update(run->controller, run->model, run->data, run->settings.time_step);
    const limpet_outcome outcome = limpet_step(run->model, run->data, &run->settings);
    limpet_summary_add(summary, run->data);
    if (outcome > worst) worst = outcome;
    if (limpet_signal_caught()) break;
  }
  limpet_kinematics(run->model, run->data);
  return worst;
}

// ----------------------------------------------------------------------------------------- rows

static void put(limpet_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(limpet_row *row, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length =
      vsnprintf(row->text + row->length, LIMPET_SWEEP_ROW_SIZE - row->length, format, arguments);
  va_end(arguments);
  if (length > 0) row->length += (size_t)length;
  if (row->length >= LIMPET_SWEEP_ROW_SIZE) row->length = LIMPET_SWEEP_ROW_SIZE - 1;
}

void limpet_sweep_head(const limpet_sweep *sweep, limpet_row *row) {
  put(row, "run");
  for (int d = 0; d < sweep->plan.dimension_count; ++d)
    put(row, ",%s", sweep->plan.dimension[d].name);
  put(row, ",outcome,time,steps,iterations,penetration,contacts");
  for (int t = 0; t < sweep->track.count; ++t)
    for (int k = 0; k < 4; ++k)
      put(row, ",%s.%s", sweep->track.text[t], (const char *const[]){"x", "y", "z", "moved"}[k]);
  put(row, "\n");
}

// The error of a run in one cell: what would end the cell is a blank.
static void put_error(limpet_row *row, const char *message) {
  put(row, ",error: ");
  for (const char *c = message; *c && row->length < LIMPET_SWEEP_ROW_SIZE - 256; ++c)
    put(row, "%c", strchr(",\"\n\r", *c) ? ' ' : *c);
}

void limpet_sweep_row_begin(const limpet_sweep *sweep, int run, limpet_row *row) {
  double values[LIMPET_SWEEP_DIMENSIONS] = {0};
  limpet_sweep_plan_values(&sweep->plan, run, values);
  put(row, "%d", run);
  for (int d = 0; d < sweep->plan.dimension_count; ++d) put(row, ",%.9g", values[d]);
}

static void put_track(limpet_row *row, const double *start, const double *end) {
  const double x = end[0] - start[0], y = end[1] - start[1], z = end[2] - start[2];
  put(row, ",%.9g,%.9g,%.9g,%.9g", end[0], end[1], end[2], sqrt(x * x + y * y + z * z));
}

bool limpet_sweep_row_make(const limpet_sweep *sweep, limpet_sweep_kept *kept, int run_index,
                           limpet_row *row, bool *failed) {
  double values[LIMPET_SWEEP_DIMENSIONS] = {0};
  limpet_sweep_run run = {0};
  limpet_summary summary = {0};
  limpet_error error = {.message = "the inputs of this run do not fit its model"};
  limpet_sweep_plan_values(&sweep->plan, run_index, values);
  limpet_sweep_row_begin(sweep, run_index, row);
  const bool opened = run_open(sweep, values, kept, &run, &error) == LIMPET_OPTIONS_GO;
  *failed = !opened;
  if (opened) {
    const limpet_outcome worst = run_steps(sweep, &run, &summary);
    *failed = limpet_outcome_failed(worst);
    put(row, ",%s,%.9g,%lld,%lld,%.6g,%g", limpet_outcome_word(worst), run.data->time,
        (long long)summary.steps, (long long)summary.iterations, summary.penetration.value,
        summary.contacts_most.value);
  } else {
    put_error(row, error.message);
    put(row, ",,,,,");
  }
  for (int t = 0; t < sweep->track.count; ++t) {
    double end[3];
    if (opened) place_of(sweep, &run, t, end);
    if (opened) put_track(row, run.start[t], end);
    else put(row, ",,,,");
  }
  put(row, "\n");
  run_close(&run);
  return !limpet_signal_caught();
}
