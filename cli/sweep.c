/* cli/sweep.c: `limpet sweep`: one scene with numbers that vary: a table with one row a run.
 *
 * Runs are independent: threads take them one by one. A row is written when its run is done, so a
 * sweep that was killed and is started again does what is missing; at the end rows are put in the
 * order of runs, so that the table is the same at any number of threads. */
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "signals.h"
#include "start.h"
#include "summary.h"
#include "sweep_plan.h"

enum { ROW_SIZE = 8192, TRACK_LIMIT = 16 };

typedef struct limpet_sweep {
  limpet_start_options start;
  limpet_loading loading;
  const char *contact, *scheme, *out, *shard;
  int threads, samples;
  limpet_text_list arguments, track;
  // made of them
  limpet_sweep_plan plan;
  int shard_index, shard_count;  // this process does runs with run % count == index
  FILE *file;
  bool *done;  // (run_count)
  int next;    // run that is not taken yet
  int finished, failed;
  pthread_mutex_t mutex;  // of file, done, next and the counts
} limpet_sweep;

static int options_read(const limpet_command *command, int argc, char **argv, limpet_sweep *sweep) {
  const limpet_option own[] = {
      {"--samples", LIMPET_OPTION_COUNT, &sweep->samples, "N",
       "runs, spread evenly over ranges LOW:HIGH; without it every combination", 0, 1, 1e8},
      {"--out", LIMPET_OPTION_TEXT, &sweep->out, "FILE.csv",
       "the table; rows that are there are not done again; sweep.csv", 0, 0, 0},
      {"--track", LIMPET_OPTION_REPEATED, &sweep->track, "BODY",
       "columns for where a body ends, and how far it moved; may be repeated", 0, 0, 0},
      {"--threads", LIMPET_OPTION_COUNT, &sweep->threads, "N", "runs at a time; 1", 0, 1, 1024},
      {"--shard", LIMPET_OPTION_TEXT, &sweep->shard, "I/N",
       "only part I of N (0/N to N-1/N), for jobs on many machines; each with its own --out", 0, 0,
       0},
      {"--contact", LIMPET_OPTION_TEXT, &sweep->contact, "MODEL", "contact model", 0, 0, 0},
      {"--scheme", LIMPET_OPTION_TEXT, &sweep->scheme, "SCHEME", "stepping scheme", 0, 0, 0},
  };
  enum { OWN_COUNT = (int)(sizeof own / sizeof *own) };
  enum {
    CAPACITY =
        LIMPET_START_OPTION_COUNT + LIMPET_LOADING_OPTION_COUNT + OWN_COUNT + LIMPET_SETTING_LIMIT
  };
  limpet_option options[CAPACITY];
  int count = limpet_start_options_begin(&sweep->start, options);
  count += limpet_loading_options(&sweep->loading, options + count);
  memcpy(options + count, own, sizeof own);
  count = limpet_settings_options(&sweep->start.settings, options, count + OWN_COUNT, CAPACITY);
  return limpet_options_parse(command, options, count, argc, argv, &sweep->arguments);
}

static int options_check(limpet_sweep *sweep) {
  if (sweep->arguments.count != 1) {
    limpet_complain("give one model file: 'limpet sweep scene.xml --param pad.friction=0.2:1:9'");
    return LIMPET_EXIT_USAGE;
  }
  if (sweep->track.count > TRACK_LIMIT) {
    limpet_complain("--track: at most %d bodies", TRACK_LIMIT);
    return LIMPET_EXIT_USAGE;
  }
  sweep->shard_count = 1;
  int end = 0;
  if (sweep->shard &&
      (sscanf(sweep->shard, "%d/%d%n", &sweep->shard_index, &sweep->shard_count, &end) != 2 ||
       sweep->shard[end] || sweep->shard_index < 0 || sweep->shard_index >= sweep->shard_count)) {
    limpet_complain("--shard %s: write I/N, 0/N to N-1/N", sweep->shard);
    return LIMPET_EXIT_USAGE;
  }
  if (!sweep->out) sweep->out = "sweep.csv";
  if (!sweep->threads) sweep->threads = 1;
  return LIMPET_OPTIONS_GO;
}

// --------------------------------------------------------------------------------------- one run

typedef struct limpet_sweep_run {
  limpet_model *model;
  limpet_data *data;
  limpet_controls controls;
  limpet_controller *controller;
  char *text;
  limpet_step_settings settings;
  double start[TRACK_LIMIT][3];  // [m]  where tracked bodies began
} limpet_sweep_run;

// The model of a run; NULL with the error.
static limpet_model *model_of(const limpet_sweep *sweep, const double *values,
                              limpet_error *error) {
  limpet_model *model = NULL;
  limpet_builder *builder = limpet_builder_open(sweep->arguments.text[0], &sweep->loading, error);
  if (!builder) return NULL;
  limpet_status status = LIMPET_OK;
  for (int d = 0; d < sweep->plan.dimension_count && status == LIMPET_OK; ++d) {
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

static int run_open(const limpet_sweep *sweep, const double *values, limpet_sweep_run *run,
                    limpet_error *error) {
  const limpet_start_options *start = &sweep->start;
  const limpet_scheme *scheme;
  const limpet_contact_model *contact;
  run->model = model_of(sweep, values, error);
  if (!run->model) return LIMPET_EXIT_INPUT;
  run->data = limpet_data_create(run->model);
  if (!run->data) return LIMPET_EXIT_SIMULATION;
  int code = limpet_scheme_choose(sweep->scheme, &scheme);
  if (code == LIMPET_OPTIONS_GO) code = limpet_contact_model_choose(sweep->contact, &contact);
  if (code == LIMPET_OPTIONS_GO)
    code = limpet_start_settings(start, run->model, scheme, contact, &run->settings);
  if (code == LIMPET_OPTIONS_GO)
    code =
        limpet_start_state(start, run->model, sweep->arguments.text[0], run->data, &run->controls);
  if (code == LIMPET_OPTIONS_GO)
    code = limpet_start_controller(start, run->model, &run->controls, &run->controller, &run->text);
  for (int d = 0; d < sweep->plan.dimension_count && code == LIMPET_OPTIONS_GO; ++d) {
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
  if (run->model) limpet_model_destroy(run->model);
}

static const double *place_of(const limpet_sweep *sweep, limpet_sweep_run *run, int track) {
  const int body = limpet_model_find(run->model, LIMPET_OBJECT_BODY, sweep->track.text[track]);
  return body == LIMPET_NONE ? NULL : &run->data->body_position[3 * body];
}

static limpet_outcome run_steps(const limpet_sweep *sweep, limpet_sweep_run *run,
                                limpet_summary *summary) {
  const int64_t steps = limpet_start_step_count(&sweep->start, run->settings.time_step);
  limpet_outcome worst = LIMPET_OUTCOME_SOLVED;
  limpet_summary_begin(summary, run->model, run->data);
  limpet_kinematics(run->model, run->data);
  for (int t = 0; t < sweep->track.count; ++t) {
    const double *place = place_of(sweep, run, t);
    if (place) memcpy(run->start[t], place, sizeof run->start[t]);
  }
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

typedef struct limpet_row {
  char text[ROW_SIZE];
  size_t length;
} limpet_row;

static void put(limpet_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(limpet_row *row, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(row->text + row->length, ROW_SIZE - row->length, format, arguments);
  va_end(arguments);
  if (length > 0) row->length += (size_t)length;
  if (row->length >= ROW_SIZE) row->length = ROW_SIZE - 1;
}

static void head_write(const limpet_sweep *sweep, limpet_row *row) {
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
  for (const char *c = message; *c && row->length < ROW_SIZE - 256; ++c)
    put(row, "%c", strchr(",\"\n\r", *c) ? ' ' : *c);
}

// false: interrupted, so that there is no row
static bool row_make(const limpet_sweep *sweep, int index, limpet_row *row, bool *failed) {
  double values[LIMPET_SWEEP_DIMENSIONS];
  limpet_sweep_run run = {0};
  limpet_summary summary = {0};
  limpet_error error = {.message = "the inputs of this run do not fit its model"};
  limpet_sweep_plan_values(&sweep->plan, index, values);
  put(row, "%d", index);
  for (int d = 0; d < sweep->plan.dimension_count; ++d) put(row, ",%.9g", values[d]);
  *failed = run_open(sweep, values, &run, &error) != LIMPET_OPTIONS_GO;
  if (*failed) {
    put_error(row, error.message);
    put(row, ",,,,,");
  } else {
    const limpet_outcome worst = run_steps(sweep, &run, &summary);
    *failed = limpet_outcome_failed(worst);
    put(row, ",%s,%.9g,%lld,%lld,%.6g,%g", limpet_outcome_word(worst), run.data->time,
        (long long)summary.steps, (long long)summary.iterations, summary.penetration.value,
        summary.contacts_most.value);
  }
  for (int t = 0; t < sweep->track.count; ++t) {
    const double *place = run.data && run.model ? place_of(sweep, &run, t) : NULL;
    const double *start = run.start[t];
    if (place)
      put(row, ",%.9g,%.9g,%.9g,%.9g", place[0], place[1], place[2],
          sqrt(pow(place[0] - start[0], 2) + pow(place[1] - start[1], 2) +
               pow(place[2] - start[2], 2)));
    else put(row, ",,,,");
  }
  put(row, "\n");
  run_close(&run);
  return !limpet_signal_caught();
}

// ---------------------------------------------------------------------------------------- table

/* Marks the runs whose rows are whole, and cuts off one that is not. The head must be that of this
 * sweep. */
static int table_resume(limpet_sweep *sweep, const limpet_row *head) {
  char line[ROW_SIZE];
  if (!fgets(line, sizeof line, sweep->file)) return LIMPET_OPTIONS_GO;
  if (strcmp(line, head->text) != 0) {
    limpet_complain("%s: it is the table of another sweep; name another --out", sweep->out);
    return LIMPET_EXIT_INPUT;
  }
  long whole = ftell(sweep->file);
  while (fgets(line, sizeof line, sweep->file) && strchr(line, '\n')) {
    const int run = atoi(line);
    if (run >= 0 && run < sweep->plan.run_count) sweep->done[run] = true;
    whole = ftell(sweep->file);
  }
  return fseek(sweep->file, whole, SEEK_SET) == 0 ? LIMPET_OPTIONS_GO : LIMPET_EXIT_INPUT;
}

static int table_open(limpet_sweep *sweep) {
  limpet_row head = {.length = 0};
  head_write(sweep, &head);
  sweep->done = calloc((size_t)sweep->plan.run_count, sizeof *sweep->done);
  sweep->file = fopen(sweep->out, "r+b");
  const bool fresh = !sweep->file;
  if (fresh) sweep->file = fopen(sweep->out, "w+b");
  if (!sweep->file || !sweep->done) {
    limpet_complain("%s: cannot be written", sweep->out);
    return LIMPET_EXIT_INPUT;
  }
  const int code = table_resume(sweep, &head);
  if (code != LIMPET_OPTIONS_GO) return code;
  if (ftell(sweep->file) == 0) fputs(head.text, sweep->file);
  fflush(sweep->file);
  return LIMPET_OPTIONS_GO;
}

static int compare_rows(const void *a, const void *b) {
  const int first = atoi(*(char *const *)a), second = atoi(*(char *const *)b);
  return (first > second) - (first < second);
}

// Rows in the order of runs, in a file that appears whole.
static bool table_sort(limpet_sweep *sweep) {
  char line[ROW_SIZE], *head = NULL;
  int count = 0;
  limpet_output output;
  char **rows = calloc((size_t)sweep->plan.run_count + 1, sizeof *rows);
  rewind(sweep->file);
  if (rows && fgets(line, sizeof line, sweep->file)) head = strdup(line);
  while (head && count < sweep->plan.run_count && fgets(line, sizeof line, sweep->file))
    rows[count++] = strdup(line);
  qsort(rows, (size_t)count, sizeof *rows, compare_rows);
  bool sorted = head && limpet_output_begin(&output, sweep->out);
  FILE *file = sorted ? fopen(output.temporary, "wb") : NULL;
  if (file) {
    fputs(head, file);
    for (int i = 0; i < count; ++i) fputs(rows[i] ? rows[i] : "", file);
    sorted = fclose(file) == 0 && limpet_output_commit(&output);
  }
  for (int i = 0; i < count; ++i) free(rows[i]);
  free(rows);
  free(head);
  return sorted && file;
}

// -------------------------------------------------------------------------------------- threads

// The next run of this shard that has no row; -1: none is left.
static int take(limpet_sweep *sweep) {
  pthread_mutex_lock(&sweep->mutex);
  int run = -1;
  while (run < 0 && sweep->next < sweep->plan.run_count && !limpet_signal_caught()) {
    const int next = sweep->next++;
    if (next % sweep->shard_count == sweep->shard_index && !sweep->done[next]) run = next;
  }
  pthread_mutex_unlock(&sweep->mutex);
  return run;
}

static void *work(void *context) {
  limpet_sweep *sweep = context;
  for (int run = take(sweep); run >= 0; run = take(sweep)) {
    limpet_row row = {.length = 0};
    bool failed = false;
    if (!row_make(sweep, run, &row, &failed)) break;
    pthread_mutex_lock(&sweep->mutex);
    fputs(row.text, sweep->file);
    fflush(sweep->file);
    ++sweep->finished;
    sweep->failed += failed;
    pthread_mutex_unlock(&sweep->mutex);
  }
  return NULL;
}

static void work_all(limpet_sweep *sweep) {
  pthread_t *threads = calloc((size_t)sweep->threads, sizeof *threads);
  int started = 1;
  pthread_mutex_init(&sweep->mutex, NULL);
  for (; threads && started < sweep->threads; ++started)
    if (pthread_create(&threads[started], NULL, work, sweep) != 0) break;
  work(sweep);
  for (int t = 1; threads && t < started; ++t) pthread_join(threads[t], NULL);
  pthread_mutex_destroy(&sweep->mutex);
  free(threads);
}

static int sweep_all(limpet_sweep *sweep) {
  int code = limpet_sweep_plan_make(&sweep->plan, sweep->arguments.text[0], &sweep->loading,
                                    &sweep->loading.parameters, &sweep->start.set, sweep->samples);
  if (code == LIMPET_OPTIONS_GO) code = table_open(sweep);
  if (code != LIMPET_OPTIONS_GO) return code;
  int kept = 0;
  for (int r = 0; r < sweep->plan.run_count; ++r) kept += sweep->done[r];
  limpet_signals_listen();
  work_all(sweep);
  const bool sorted = table_sort(sweep);
  printf("%d runs done, %d of them failed, %d were there: %s\n", sweep->finished, sweep->failed,
         kept, sweep->out);
  if (limpet_signal_caught()) return LIMPET_EXIT_SIGNAL + limpet_signal_caught();
  return sorted ? LIMPET_EXIT_FINE : LIMPET_EXIT_INPUT;
}

static int sweep(const limpet_command *command, int argc, char **argv) {
  limpet_sweep *sweep = calloc(1, sizeof *sweep);
  if (!sweep) return LIMPET_EXIT_SIMULATION;
  int code = options_read(command, argc, argv, sweep);
  if (code == LIMPET_OPTIONS_GO) code = options_check(sweep);
  if (code == LIMPET_OPTIONS_GO) code = sweep_all(sweep);
  if (sweep->file) fclose(sweep->file);
  free(sweep->done);
  free(sweep);
  return code;
}

const limpet_command limpet_command_sweep = {
    .name = "sweep",
    .synopsis = "sweep FILE --param NAME.FIELD=VALUES [options]",
    .summary = "run a scene with numbers that vary; one row a run",
    .text =
        "Runs a scene once for each combination of the values that --param and --set give, or for "
        "--samples "
        "points in\n"
        "their ranges, and writes a table (CSV). VALUES: LOW:HIGH, LOW:HIGH:COUNT or A,B,C. A run "
        "that fails is a row\n"
        "that says so. A sweep that was stopped goes on where it was.\n",
    .examples =
        "  limpet sweep grasp.xml --param 'pad*.friction=0.2:1:9' --set grip=5,10,20 --track cube\n"
        "  limpet sweep grasp.xml --param pad.friction=0.2:1 --samples 1000 --threads 8\n"
        "  limpet sweep grasp.xml --param pad.friction=0.2:1 --samples 1000 --shard 3/10 --out "
        "3.csv\n",
    .run = sweep,
};
