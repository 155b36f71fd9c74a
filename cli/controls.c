/* cli/controls.c: reads controls over time from a CSV file, and constants from --set;
 * interpolates. */
#include "controls.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "quantity.h"
#include "suggest.h"

enum { TIME_COLUMN = -2 };  // in place of an actuator, while the file is read

typedef struct csv_reader {
  const char *path;
  const limpet_model *model;
  FILE *file;
  int line;    // of the file, 1-based
  char *text;  // of that line
  size_t room;
  int field_count;  // of the header
  int *field;       // (field_count)  actuator, or TIME_COLUMN
  limpet_controls *controls;
  int capacity;  // rows that there is room for
} csv_reader;

// " ; the actuators are: a, b, c" with a hint at the nearest name.
static const char *actuator_hint(char *text, size_t size, const limpet_model *model,
                                 const char *name) {
  limpet_suggestion best = {0};
  char hint[160];
  for (int i = 0; i < model->nu; ++i)
    limpet_suggest(&best, name, limpet_model_name(model, LIMPET_OBJECT_ACTUATOR, i));
  int length = snprintf(
      text, size, "%s; the actuators are: ", limpet_suggestion_text(hint, sizeof hint, &best));
  for (int i = 0; i < model->nu && length < (int)size - 4; ++i) {
    const char *word = limpet_model_name(model, LIMPET_OBJECT_ACTUATOR, i);
    length += snprintf(text + length, size - (size_t)length, "%s%s", i ? ", " : "",
                       word ? word : "(unnamed)");
  }
  if (model->nu == 0)
    snprintf(text, size, "; the model has no actuators (a URDF has one for each <transmission>)");
  return text;
}

static bool read_complain(const csv_reader *reader, const char *problem) {
  limpet_complain("%s:%d: %s", reader->path, reader->line, problem);
  return false;
}

/* Takes the next field off *rest: up to a comma or the end, without blanks around it or quotes; a
 * quoted field may hold commas. Returns NULL after the last. */
static char *field_next(char **rest) {
  char *field = *rest;
  if (!field) return NULL;
  field += strspn(field, " \t");
  char *end;
  if (*field == '"') {
    ++field;
    end = field + strcspn(field, "\"");
    char *comma = strchr(end, ',');
    *rest = comma ? comma + 1 : NULL;
  } else {
    end = field + strcspn(field, ",");
    *rest = *end ? end + 1 : NULL;
    while (end > field && strchr(" \t", end[-1])) --end;
  }
  *end = '\0';
  return field;
}

// The next line that is not empty, without its line end; false at the end of the file.
static bool line_next(csv_reader *reader) {
  for (ssize_t length; (length = getline(&reader->text, &reader->room, reader->file)) >= 0;) {
    ++reader->line;
    for (char *zero; (zero = memchr(reader->text, '\0', (size_t)length));)
      *zero = '?';  // no number and no name has one
    reader->text[strcspn(reader->text, "\r\n")] = '\0';
    if (reader->line == 1 && strncmp(reader->text, "\xef\xbb\xbf", 3) == 0) {
      memmove(reader->text, reader->text + 3, strlen(reader->text + 3) + 1);
    }
    if (reader->text[strspn(reader->text, " \t")]) return true;
  }
  return false;
}

// One name of the header becomes an actuator or the time.
static bool header_field(csv_reader *reader, const char *name) {
  char problem[1200], hint[1000];
  if (strchr(name, ';'))
    return read_complain(reader,
                         "there is a ';' in the header: columns are separated by ',', and "
                         "numbers have a decimal point");
  const bool time = strcmp(name, "time") == 0;
  const int actuator =
      time ? TIME_COLUMN : limpet_model_find(reader->model, LIMPET_OBJECT_ACTUATOR, name);
  if (actuator == LIMPET_NONE) {
    snprintf(problem, sizeof problem, "column '%.80s' is neither 'time' nor an actuator%s", name,
             actuator_hint(hint, sizeof hint, reader->model, name));
    return read_complain(reader, problem);
  }
  for (int i = 0; i < reader->field_count; ++i) {
    if (reader->field[i] != actuator) continue;
    snprintf(problem, sizeof problem, "column '%.80s' stands here twice; remove one", name);
    return read_complain(reader, problem);
  }
  reader->field[reader->field_count++] = actuator;
  return true;
}

static bool header_read(csv_reader *reader) {
  if (!line_next(reader)) {
    reader->line = 1;
    return read_complain(reader,
                         "the file is empty; it needs a header: time, then names of actuators");
  }
  reader->field = calloc((size_t)reader->model->nu + 1, sizeof *reader->field);
  char *rest = reader->text;
  for (char *name; (name = field_next(&rest));) {
    if (!header_field(reader, name)) return false;
  }

  // columns of the table, without the time
  bool has_time = false;
  limpet_controls *controls = reader->controls;
  controls->actuator = calloc((size_t)reader->field_count, sizeof *controls->actuator);
  for (int i = 0; i < reader->field_count; ++i) {
    if (reader->field[i] == TIME_COLUMN) has_time = true;
    else controls->actuator[controls->column_count++] = reader->field[i];
  }
  if (!has_time) return read_complain(reader, "there is no column 'time'; add one, in seconds");
  return true;
}

// Room for one more row; no memory ends the program, as everywhere in this command.
static void row_add(csv_reader *reader) {
  limpet_controls *controls = reader->controls;
  if (controls->row_count == reader->capacity) {
    reader->capacity = reader->capacity ? 2 * reader->capacity : 256;
    const size_t rows = (size_t)reader->capacity, columns = (size_t)controls->column_count;
    controls->time = realloc(controls->time, rows * sizeof *controls->time);
    controls->values = realloc(controls->values, (rows * columns + 1) * sizeof *controls->values);
    if (!controls->time || !controls->values) abort();
  }
  ++controls->row_count;
}

static bool number_read(csv_reader *reader, const char *field, int column, double *value) {
  char problem[256], *end = NULL;
  *value = strtod(field, &end);
  if (end != field && !end[strspn(end, " \t")] && isfinite(*value)) return true;
  const int actuator = reader->field[column];
  const char *name = actuator == TIME_COLUMN
                         ? "time"
                         : limpet_model_name(reader->model, LIMPET_OBJECT_ACTUATOR, actuator);
  snprintf(problem, sizeof problem, "'%.60s' in column '%.80s' is not a finite number%s", field,
           name, strchr(field, ',') ? "; numbers have a decimal point, not a comma" : "");
  return read_complain(reader, problem);
}

static bool row_read(csv_reader *reader) {
  limpet_controls *controls = reader->controls;
  char problem[160], *rest = reader->text;
  row_add(reader);
  const int row = controls->row_count - 1;
  double *values = controls->values + (size_t)row * (size_t)controls->column_count;

  // the fields, in the order of the header
  int found = 0, column = 0;
  for (char *field; (field = field_next(&rest)); ++found) {
    double value = 0.0;
    if (found >= reader->field_count) continue;
    if (!number_read(reader, field, found, &value)) return false;
    if (reader->field[found] == TIME_COLUMN) controls->time[row] = value;
    else values[column++] = value;
  }
  if (found != reader->field_count) {
    snprintf(problem, sizeof problem, "%d field%s, but the header has %d columns%s", found,
             found == 1 ? "" : "s", reader->field_count,
             found > reader->field_count ? "; are there decimal commas? numbers have a point" : "");
    return read_complain(reader, problem);
  }
  if (row > 0 && !(controls->time[row] > controls->time[row - 1])) {
    snprintf(problem, sizeof problem, "time %g s comes after %g s; times must grow from row to row",
             controls->time[row], controls->time[row - 1]);
    return read_complain(reader, problem);
  }
  return true;
}

static bool table_read(csv_reader *reader) {
  if (!header_read(reader)) return false;
  while (line_next(reader)) {
    if (!row_read(reader)) return false;
  }
  if (ferror(reader->file)) return read_complain(reader, "cannot be read");
  if (reader->controls->row_count == 0)
    return read_complain(reader, "there are no rows under the header; add at least one");
  return true;
}

bool limpet_controls_read(limpet_controls *controls, const char *path, const limpet_model *model) {
  *controls = (limpet_controls){0};
  if (limpet_folder_complain(path, "controls file")) return false;
  csv_reader reader = {
      .path = path, .model = model, .controls = controls, .file = fopen(path, "r")};
  if (!reader.file) {
    limpet_complain("%s: cannot be opened: %s", path, strerror(errno));
    return false;
  }
  const bool good = table_read(&reader);
  fclose(reader.file);
  free(reader.text);
  free(reader.field);
  if (!good) limpet_controls_free(controls);
  return good;
}

void limpet_controls_free(limpet_controls *controls) {
  free(controls->actuator);
  free(controls->time);
  free(controls->values);
  *controls = (limpet_controls){0};
}

void limpet_controls_apply(limpet_controls *controls, double time, double *control) {
  if (controls->row_count == 0) return;
  while (controls->row + 1 < controls->row_count && controls->time[controls->row + 1] <= time)
    ++controls->row;

  // share of the way from the row at or before `time` to the next; none outside the table
  const int row = controls->row;
  double share = 0.0;
  const bool between = row + 1 < controls->row_count && time > controls->time[row];
  if (between)
    share = (time - controls->time[row]) / (controls->time[row + 1] - controls->time[row]);
  const double *here = controls->values + (size_t)row * (size_t)controls->column_count;
  const double *next = between ? here + controls->column_count : here;
  for (int i = 0; i < controls->column_count; ++i)
    control[controls->actuator[i]] = here[i] + share * (next[i] - here[i]);
}

bool limpet_controls_has(const limpet_controls *controls, int actuator) {
  for (int i = 0; i < controls->column_count; ++i) {
    if (controls->actuator[i] == actuator) return true;
  }
  return false;
}

int limpet_control_find(const limpet_model *model, const char *name, char *hint, size_t size) {
  const int actuator = limpet_model_find(model, LIMPET_OBJECT_ACTUATOR, name);
  if (actuator == LIMPET_NONE) actuator_hint(hint, size, model, name);
  return actuator;
}

int limpet_control_set(const limpet_model *model, const char *assignment, double *control) {
  char name[256], hint[1000], problem[320];
  const char *equals = strrchr(assignment, '=');
  if (!equals || equals == assignment) {
    limpet_complain("--set %s: expected ACTUATOR=VALUE, as in --set gripper=0.02m", assignment);
    return LIMPET_NONE;
  }
  snprintf(name, sizeof name, "%.*s", (int)(equals - assignment), assignment);
  const int actuator = limpet_control_find(model, name, hint, sizeof hint);
  if (actuator == LIMPET_NONE) {
    limpet_complain("--set %s: there is no actuator '%s'%s", assignment, name, hint);
    return LIMPET_NONE;
  }
  if (!limpet_quantity_parse(equals + 1, limpet_control_unit(model, actuator), &control[actuator],
                             problem, sizeof problem)) {
    limpet_complain("--set %s: %s", assignment, problem);
    return LIMPET_NONE;
  }
  return actuator;
}
