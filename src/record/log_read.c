/* record/log_read.c: what a log says about its run, read for doing it again. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/log.h"

enum { TEXT_COUNT = 9 };

// the public part first; the rest owns what it points to
typedef struct log_content {
  limpet_log_info info;
  char *text[TEXT_COUNT];
  limpet_log_setting *setting;
  double *state, *time, *step_time, *step_control, *end_q, *end_v;
} log_content;

void limpet_log_info_destroy(limpet_log_info *info) {
  if (!info) return;
  log_content *content = (log_content *)info;
  for (int i = 0; i < TEXT_COUNT; ++i) free(content->text[i]);
  if (content->step_time != content->time) free(content->step_time);
  free(content->setting);
  free(content->state);
  free(content->time);
  free(content->step_control);
  free(content->end_q);
  free(content->end_v);
  free(content);
}

// ------------------------------------------------------------------------------------ reading

static hid_t text_type(void) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

// NULL where there is no such text
static char *read_text(hid_t place, const char *name) {
  char *text = NULL, *copy = NULL;
  const hid_t attribute = H5Aopen(place, name, H5P_DEFAULT), type = text_type();
  if (attribute >= 0 && H5Aread(attribute, type, &text) >= 0) {
    copy = strdup(text ? text : "");
    H5free_memory(text);
  }
  H5Tclose(type);
  H5Aclose(attribute);
  return copy;
}

static bool read_number(hid_t place, const char *name, double *value) {
  const hid_t attribute = H5Aopen(place, name, H5P_DEFAULT);
  const bool read = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_DOUBLE, value) >= 0;
  H5Aclose(attribute);
  return read;
}

// all of a dataset by malloc, its first dimension in *rows; NULL where there is none
static double *read_numbers(hid_t file, const char *name, int *rows) {
  hsize_t shape[3] = {0};
  double *values = NULL;
  *rows = 0;
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
  if (dataset >= 0 && H5Sget_simple_extent_ndims(space) <= 3 &&
      H5Sget_simple_extent_dims(space, shape, NULL) >= 0) {
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    values = malloc(((size_t)count + 1) * sizeof *values);
    if (values && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
      free(values);
      values = NULL;
    }
    if (values) *rows = (int)shape[0];
  }
  H5Sclose(space);
  H5Dclose(dataset);
  return values;
}

// last row of a matrix by malloc, its width in *columns; NULL where there is none
static double *read_last_row(hid_t file, const char *name, int *columns) {
  hsize_t shape[3] = {0}, start[2] = {0}, count[2] = {1, 0};
  double *values = NULL;
  *columns = 0;
  if (H5Lexists(file, name, H5P_DEFAULT) <= 0) return NULL;
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
  if (H5Sget_simple_extent_ndims(space) == 2 &&
      H5Sget_simple_extent_dims(space, shape, NULL) == 2 && shape[0] > 0) {
    start[0] = shape[0] - 1;
    count[1] = shape[1];
    const hid_t row = H5Screate_simple(2, count, NULL);
    values = malloc((size_t)(shape[1] + 1) * sizeof *values);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    if (values && H5Dread(dataset, H5T_NATIVE_DOUBLE, row, space, H5P_DEFAULT, values) < 0) {
      free(values);
      values = NULL;
    }
    if (values) *columns = (int)shape[1];
    H5Sclose(row);
  }
  H5Sclose(space);
  H5Dclose(dataset);
  return values;
}

static int read_width(hid_t file, const char *name) {
  hsize_t shape[3] = {0};
  if (H5Lexists(file, name, H5P_DEFAULT) <= 0) return 0;
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
  const int rank = H5Sget_simple_extent_dims(space, shape, NULL);
  H5Sclose(space);
  H5Dclose(dataset);
  return rank == 2 ? (int)shape[1] : 0;
}

// ------------------------------------------------------------------------------------ content

static bool read_texts(log_content *content, hid_t file, hid_t settings) {
  limpet_log_info *info = &content->info;
  static const char *const name[TEXT_COUNT] = {"version",    "command",       "model_name",
                                               "model_path", "model_text",    "controller_text",
                                               "scheme",     "contact_model", "normal_law"};
  const char **const place[TEXT_COUNT] = {
      &info->version,    &info->command,       &info->model_name,
      &info->model_path, &info->model_text,    &info->controller_text,
      &info->scheme,     &info->contact_model, &info->normal_law};
  for (int i = 0; i < TEXT_COUNT; ++i) {
    content->text[i] = read_text(i < 6 ? file : settings, name[i]);
    if (!content->text[i] && place[i] == &info->controller_text)
      content->text[i] = strdup("");  // logs before there were any
    if (!content->text[i]) return false;
    *place[i] = content->text[i];
  }
  char *hash = read_text(file, "model_hash");
  if (hash) info->model_hash = strtoull(hash, NULL, 16);
  free(hash);
  return hash != NULL;
}

static bool read_settings(log_content *content, hid_t settings) {
  const int count = limpet_log_setting_count();
  content->setting = calloc((size_t)count, sizeof *content->setting);
  if (!content->setting) return false;
  for (int i = 0; i < count; ++i) {
    content->setting[i].name = limpet_log_setting_name(i);
    if (!read_number(settings, content->setting[i].name, &content->setting[i].value)) return false;
  }
  content->info.setting = content->setting;
  content->info.setting_count = count;
  return true;
}

// without an interval every step is a record; a record of the start belongs to no step
static bool read_steps(log_content *content, hid_t file) {
  limpet_log_info *info = &content->info;
  int start = 0, rows = 0, control_rows = 0;
  const bool apart = H5Lexists(file, "every_step", H5P_DEFAULT) > 0;
  content->step_time = apart ? read_numbers(file, "every_step/time", &rows) : content->time;
  if (!apart) rows = info->record_count;
  if (!content->step_time) return false;
  if (!apart && rows > 0) {
    int steps = 0;
    double *step = read_numbers(file, "step", &steps);
    if (!step || steps != rows) {
      free(step);
      return false;
    }
    start = step[0] > 0.0 ? 0 : 1;
    free(step);
  }

  if (info->nu > 0) {
    const char *name = apart ? "every_step/control" : "control";
    content->step_control = read_numbers(file, name, &control_rows);
    if (!content->step_control || control_rows != rows || read_width(file, name) != info->nu)
      return false;
    info->step_control = content->step_control + (size_t)start * (size_t)info->nu;
  }
  info->step_time = content->step_time + start;
  info->step_count = rows - start;
  return true;
}

static bool read_content(log_content *content, hid_t file) {
  limpet_log_info *info = &content->info;
  const hid_t settings = H5Gopen2(file, "settings", H5P_DEFAULT);
  bool read = read_texts(content, file, settings) && read_settings(content, settings);
  H5Gclose(settings);
  if (!read) return false;
  info->start_state = content->state = read_numbers(file, "start_state", &info->state_size);
  info->time = content->time = read_numbers(file, "time", &info->record_count);
  info->nu = read_width(file, "control");
  info->end_q = content->end_q = read_last_row(file, "q", &info->nq);
  info->end_v = content->end_v = read_last_row(file, "v", &info->nv);
  return content->state && content->time && read_steps(content, file);
}

// --------------------------------------------------------------------------------------- read

static limpet_status read_file(log_content *content, const char *path, hid_t file,
                               limpet_error *error) {
  char *format = read_text(file, "format");
  const bool ours = format && strcmp(format, "limpet log") == 0;
  free(format);
  if (!ours)
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "%s: is an HDF5 file, but not a log of limpet", path);

  double revision = 0.0;
  read_number(file, "revision", &revision);
  if (revision > LIMPET_LOG_REVISION)
    return limpet_error_fill(error, LIMPET_ERROR_UNSUPPORTED,
                             "%s: has layout %g and this limpet %s knows up to %d; use a newer one",
                             path, revision, limpet_version(), LIMPET_LOG_REVISION);
  if (read_content(content, file)) return LIMPET_OK;
  return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                           "%s: is a damaged log: a part that docs/log.md names is missing", path);
}

limpet_log_info *limpet_log_read(const char *path, limpet_error *error) {
  log_content *content = calloc(1, sizeof *content);
  if (!content) {
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "%s: cannot be read: no memory", path);
    return NULL;
  }
  limpet_status status = LIMPET_OK;
  H5E_BEGIN_TRY {
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
      status = limpet_error_fill(
          error, LIMPET_ERROR_FILE,
          "%s: cannot be opened: no such file, no HDF5 file, or still being written", path);
    else status = read_file(content, path, file, error);
    H5Fclose(file);
  }
  H5E_END_TRY
  if (status == LIMPET_OK) return &content->info;
  limpet_log_info_destroy(&content->info);
  return NULL;
}

// no setting is negative; the length and the iterations of a step have other bounds too
static bool setting_possible(const limpet_log_setting *setting) {
  const bool positive =
      strcmp(setting->name, "time_step") == 0 || strcmp(setting->name, "iteration_limit") == 0;
  return positive ? setting->value > 0.0 && setting->value <= INT_MAX : setting->value >= 0.0;
}

limpet_status limpet_log_settings(const limpet_log_info *info, const limpet_model *model,
                                  limpet_step_settings *settings, limpet_error *error) {
  *settings = limpet_step_settings_default(model);
  for (int i = 0; i < info->setting_count; ++i) {
    if (!setting_possible(&info->setting[i]))
      return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "the log is damaged: its setting \"%s\" is %g",
                               info->setting[i].name, info->setting[i].value);
    if (!limpet_log_setting_assign(settings, info->setting[i].name, info->setting[i].value))
      return limpet_error_fill(error, LIMPET_ERROR_UNSUPPORTED,
                               "the log has a setting \"%s\" that this limpet does not know",
                               info->setting[i].name);
  }
  settings->scheme = limpet_scheme_find(info->scheme);
  if (!settings->scheme)
    return limpet_error_fill(
        error, LIMPET_ERROR_UNSUPPORTED,
        "the log was made with the scheme \"%s\", which this limpet does not have", info->scheme);
  settings->contact_model = limpet_contact_model_find(info->contact_model);
  if (!settings->contact_model)
    return limpet_error_fill(
        error, LIMPET_ERROR_UNSUPPORTED,
        "the log was made with the contact model \"%s\", which this limpet does not have",
        info->contact_model);
  settings->normal_law = limpet_normal_law_find(info->normal_law);
  if (!settings->normal_law)
    return limpet_error_fill(
        error, LIMPET_ERROR_UNSUPPORTED,
        "the log was made with the normal law \"%s\", which this limpet does not have",
        info->normal_law);
  return LIMPET_OK;
}
