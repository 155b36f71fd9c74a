/* cli/identify.c: `limpet identify`: numbers of a model from recorded trajectories. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "json.h"
#include "limpet/identify.h"
#include "loading.h"
#include "model_beside.h"
#include "signals.h"
#include "table.h"
#include "text_file.h"

typedef struct identification {
  limpet_loading loading;
  bool json, quiet;
  const char *path;
  char *text;
  limpet_builder *builder;
  limpet_identify *fit;
  limpet_identify_outcome outcome;
} identification;

// ------------------------------------------------------------------------------------ records

/* Numbers of consecutive columns q0, q1, .. or of the actuators from the table; false, with a
 * complaint, where one is missing in a row. */
static bool columns_copy(const limpet_table *table, const int *column, int count, int rows,
                         const char *path, double *to) {
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < count; ++i) {
      to[row * count + i] = table->values[row * table->column_count + column[i]];
      if (isfinite(to[row * count + i])) continue;
      limpet_complain("%s:%d: no number in column '%s'", path, table->line[row],
                      table->name[column[i]]);
      return false;
    }
  return true;
}

// Columns PREFIX0 .. PREFIXcount-1; how many there are.
static int columns_numbered(const limpet_table *table, char prefix, int count, int *column) {
  int found = 0;
  for (int i = 0; i < count; ++i) {
    char name[32];
    snprintf(name, sizeof name, "%c%d", prefix, i);
    column[i] = limpet_table_column(table, name);
    found += column[i] >= 0;
  }
  return found;
}

static int columns_actuators(const limpet_table *table, const limpet_model *model, int *column) {
  int found = 0;
  for (int i = 0; i < model->nu; ++i) {
    const char *name = limpet_model_name(model, LIMPET_OBJECT_ACTUATOR, i);
    column[i] = name ? limpet_table_column(table, name) : -1;
    found += column[i] >= 0;
  }
  return found;
}

static bool is_numbered(const char *name, char prefix, int count) {
  char *end;
  if (name[0] != prefix || name[1] == '\0') return false;
  const long number = strtol(name + 1, &end, 10);
  return *end == '\0' && number >= 0 && number < count;
}

// Says which columns are left out: a misspelt actuator would be still without a word.
static void columns_tell(const limpet_table *table, const limpet_model *model, const char *path) {
  for (int i = 0; i < table->column_count; ++i) {
    const char *name = table->name[i];
    if (strcmp(name, "time") == 0 || is_numbered(name, 'q', model->nq) ||
        is_numbered(name, 'v', model->nv) ||
        limpet_model_find(model, LIMPET_OBJECT_ACTUATOR, name) >= 0)
      continue;
    limpet_complain(
        "%s:1: note: column '%s' is no time, coordinate, velocity or actuator of the "
        "model and is left out",
        path, name);
  }
}

static bool record_take(identification *all, int index, const limpet_table *table,
                        const char *path) {
  const limpet_model *model = limpet_identify_model(all->fit);
  const int rows = table->row_count, nq = model->nq, nv = model->nv, nu = model->nu;
  const int clock = limpet_table_column(table, "time");
  limpet_error error;
  int *column = calloc((size_t)(nq + nv + nu) + 1, sizeof *column);
  double *numbers = calloc((size_t)rows * (size_t)(nq + nu + 1) + (size_t)nv, sizeof *numbers);
  double *q = numbers, *control = q + rows * nq, *time = control + rows * nu, *v = time + rows;
  bool good = column && numbers;
  if (good && (clock < 0 || columns_numbered(table, 'q', nq, column) < nq)) {
    limpet_complain("%s:1: columns 'time' and 'q0' to 'q%d' are needed", path, nq - 1);
    good = false;
  }
  good = good && columns_copy(table, column, nq, rows, path, q) &&
         columns_copy(table, &clock, 1, rows, path, time);
  const bool moving = good && columns_numbered(table, 'v', nv, column) == nv;
  good = good && (!moving || columns_copy(table, column, nv, 1, path, v));
  const int driven = good ? columns_actuators(table, model, column) : 0;
  if (good && driven > 0 && driven < nu) {
    limpet_complain("%s:1: has columns of %d of %d actuators; give all or none", path, driven, nu);
    good = false;
  }
  if (good) columns_tell(table, model, path);
  if (good && driven > 0) good = columns_copy(table, column, nu, rows, path, control);
  if (good && limpet_identify_record(all->fit, index, rows, time, q, v, driven ? control : NULL,
                                     &error) != LIMPET_OK) {
    if (error.line > 0)
      limpet_complain("%s:%d: %s", path, table->line[error.line - 1], error.message);
    else limpet_complain("%s", error.message);
    good = false;
  }
  free(column), free(numbers);
  return good;
}

static bool records_read(identification *all) {
  for (int i = 0; i < all->fit->trajectory_count; ++i) {
    char *path = limpet_path_beside(all->path, all->fit->trajectory[i]);
    limpet_table table = {0};
    struct stat file;
    const bool there = path && stat(path, &file) == 0;
    if (path && !there)
      limpet_complain("%s: trajectories[%d]: '%s' is not there; it is looked for beside the fit",
                      all->path, i, all->fit->trajectory[i]);
    const bool good = there && limpet_table_read(&table, path) && record_take(all, i, &table, path);
    limpet_table_free(&table);
    free(path);
    if (!good) return false;
  }
  return true;
}

// ------------------------------------------------------------------------------------ running

static int identification_open(identification *all) {
  limpet_error error = {.message = "the fit cannot be read"};
  int code;
  char *model = limpet_model_beside(all->path);
  if (!model) return LIMPET_EXIT_INPUT;
  all->builder = limpet_builder_open(model, &all->loading, &error, &code);
  free(model);
  all->text = all->builder ? limpet_text_read(all->path) : NULL;
  if (all->text) all->fit = limpet_identify_create(all->builder, all->text, all->path, &error);
  if (!all->fit) {
    limpet_complain("%s", error.message);
    return code;
  }
  return records_read(all) ? LIMPET_OPTIONS_GO : LIMPET_EXIT_INPUT;
}

static bool iteration_tell(void *context, const limpet_identify *fit) {
  const identification *all = context;
  if (!all->quiet && !all->json) {
    if (fit->iterations == 1) printf("iteration   residual  parameters\n");
    printf("%9d %10.5g ", fit->iterations, fit->residual);
    for (int i = 0; i < fit->parameter_count && i < 6; ++i)
      printf(" %.6g", fit->parameter[i].value);
    printf("\n");
    fflush(stdout);
  }
  return !limpet_signal_caught();
}

static const char *plural(int count) { return count == 1 ? "" : "s"; }

// A fit that Ctrl-C ended is at values on its way, of which nothing is known but themselves.
static const char *outcome_word(const identification *all) {
  return limpet_signal_caught() ? "interrupted" : limpet_identify_outcome_word(all->outcome);
}

static void words_tell(const identification *all) {
  const limpet_identify *fit = all->fit;
  const bool ended = !limpet_signal_caught();
  printf("\noutcome      %s after %d iteration%s, %d simulations of %d trajector%s\n",
         outcome_word(all), fit->iterations, plural(fit->iterations), fit->simulations,
         fit->trajectory_count, fit->trajectory_count == 1 ? "y" : "ies");
  if (fit->starts_made > 1)
    printf("starts       the best of %d; error bars count their minima\n", fit->starts_made);
  printf("residual     %.6g of the noise (root mean square of %d numbers), at the start %.6g\n",
         fit->residual, fit->row_count, fit->start_residual);
  for (int i = 0; i < fit->parameter_count; ++i) {
    const limpet_identify_parameter *p = &fit->parameter[i];
    printf("%-24s %.10g", p->name, p->value);
    if (ended) printf(" +- %.2g", limpet_identify_error(p));
    if (ended && !isnan(p->error_grouped))
      printf("  (+- %.2g if all rows erred by themselves)", p->error);
    if (p->value <= p->minimum || p->value >= p->maximum) printf("  (at its limit)");
    printf("\n");
  }
  const char *doubt = limpet_identify_doubt(fit);
  if (ended && doubt) printf("warning      %s\n", doubt);
}

static void json_tell(const identification *all) {
  const limpet_identify *fit = all->fit;
  json_t *list = json_array();
  for (int i = 0; i < fit->parameter_count; ++i) {
    const limpet_identify_parameter *p = &fit->parameter[i];
    json_array_append_new(
        list,
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", limpet_json_text(p->name), "value",
                  limpet_json_number(p->value), "standard_error",
                  limpet_json_number(limpet_identify_error(p)), "error",
                  limpet_json_number(p->error), "error_grouped",
                  limpet_json_number(p->error_grouped), "start", limpet_json_number(p->start)));
  }
  json_t *root =
      json_pack("{s:s, s:o, s:s, s:i, s:i, s:i, s:o, s:o, s:o}", "schema", "limpet.identify/1",
                "file", limpet_json_text(all->path), "outcome", outcome_word(all), "iterations",
                fit->iterations, "simulations", fit->simulations, "rows", fit->row_count,
                "residual", limpet_json_number(fit->residual), "start_residual",
                limpet_json_number(fit->start_residual), "parameters", list);
  limpet_json_print(root, stdout, false);
  json_decref(root);
}

static int identify(identification *all) {
  limpet_signals_listen();
  all->outcome = limpet_identify_solve(all->fit, iteration_tell, all);
  if (all->outcome == LIMPET_IDENTIFY_FAILED) {
    limpet_complain(
        "%s: a simulation of the records failed, or a value gives no model; try other "
        "start values, \"minimum\" and \"maximum\", or a smaller \"time_step\"",
        all->path);
    return LIMPET_EXIT_SIMULATION;
  }
  if (all->json) json_tell(all);
  else if (!all->quiet) words_tell(all);
  if (!limpet_signal_caught()) return LIMPET_EXIT_FINE;
  limpet_complain("interrupted after %d iteration%s", all->fit->iterations,
                  plural(all->fit->iterations));
  return LIMPET_EXIT_SIGNAL + limpet_signal_caught();
}

static int run(const limpet_command *command, int argc, char **argv) {
  identification all = {0};
  limpet_text_list arguments;
  limpet_option table[LIMPET_LOADING_OPTION_COUNT + 2];
  int count = limpet_loading_options(&all.loading, table);
  table[count++] = (limpet_option){
      "--json", LIMPET_OPTION_FLAG, &all.json, NULL, "the result as JSON on stdout", 0, 0, 0};
  table[count++] = (limpet_option){
      "--quiet", LIMPET_OPTION_FLAG, &all.quiet, NULL, "no iterations, no result in words", 0, 0,
      0};
  int code = limpet_options_parse(command, table, count, argc, argv, &arguments);
  if (code != LIMPET_OPTIONS_GO) return code;
  if (arguments.count != 1) return limpet_options_misused(command);
  all.path = arguments.text[0];
  code = identification_open(&all);
  if (code == LIMPET_OPTIONS_GO) code = identify(&all);
  limpet_identify_destroy(all.fit);
  limpet_builder_destroy(all.builder);
  free(all.text);
  return code;
}

const limpet_command limpet_command_identify = {
    .name = "identify",
    .synopsis = "identify FIT.json [options]",
    .summary = "fit numbers of a model to recorded trajectories",
    .text =
        "Reads a fit: a model, parameters by the names of --param, and trajectories as CSV files. "
        "Each trajectory is\n"
        "simulated from its first row, and the parameters are changed by Gauss and Newton's method "
        "until the\n"
        "simulations are as near to the records as they can be. Tells each value with its standard "
        "error.\n"
        "\n"
        "  {\"model\": \"arm.xml\",\n"
        "   \"parameters\": [{\"of\": \"forearm.mass\", \"start\": 1, \"minimum\": 0.1}],\n"
        "   \"trajectories\": [\"swing.csv\"],\n"
        "   \"noise\": 0.001}\n"
        "\n"
        "A record has the columns time, q0, q1, .. and, as far as known, v0, v1, .. (of the first "
        "row) and the\n"
        "controls by the names of the actuators; 'limpet optimize --states' writes such a file. "
        "noise [m, rad] is the\n"
        "error of a coordinate, one for all or one for each velocity; 0: it is not compared.\n"
        "docs/identification.md describes all keys.\n",
    .examples =
        "  limpet identify fit.json\n"
        "  limpet identify fit.json --json > result.json\n",
    .run = run,
};
