/* record/log_read.c: what a log says about its run, read for doing it again. */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "record/file_lock.h"
#include "record/log.h"

enum { TEXT_COUNT = 6 };

// the public part first; the rest owns what it points to
typedef struct log_content {
  limpet_log_info info;
  limpet_log_texts texts;
  char *text[TEXT_COUNT];
  limpet_log_setting *setting;
  char **word;  // (setting_count)  what setting[i].word points to
  double *state, *time, *step_time, *step_control, *end_q, *end_v;
} log_content;

void limpet_log_info_destroy(limpet_log_info *info) {
  if (!info) return;
  log_content *content = (log_content *)info;
  for (int i = 0; i < TEXT_COUNT; ++i) free(content->text[i]);
  if (content->step_time != content->time) free(content->step_time);
  for (int i = 0; i < info->setting_count; ++i) free(content->word[i]);
  free(content->word);
  limpet_log_texts_free(&content->texts);
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

// An attribute of one value, which is what a variable has room for; negative where there is none.
static hid_t attribute_open(hid_t place, const char *name) {
  const hid_t attribute = H5Aopen(place, name, H5P_DEFAULT), space = H5Aget_space(attribute);
  const bool single = H5Sget_simple_extent_npoints(space) == 1;
  H5Sclose(space);
  if (single) return attribute;
  H5Aclose(attribute);
  return H5I_INVALID_HID;
}

// Logs of limpet 0.1 before the dataset `texts` have their texts as attributes only.
static char *attribute_text(hid_t place, const char *name) {
  char *text = NULL, *copy = NULL;
  const hid_t attribute = attribute_open(place, name), type = text_type();
  if (attribute >= 0 && H5Aread(attribute, type, &text) >= 0) {
    copy = strdup(text ? text : "");
    H5free_memory(text);
  }
  H5Tclose(type);
  H5Aclose(attribute);
  return copy;
}

// A text of the root, or "settings/" and a name; by malloc, NULL where there is none.
static char *read_text(const log_content *content, hid_t file, const char *name) {
  const char *slash = strchr(name, '/');
  if (content->texts.bytes) {
    const char *text = limpet_log_texts_find(&content->texts, name);
    return text ? strdup(text) : NULL;
  }
  const hid_t place = H5Oopen(file, slash ? "settings" : "/", H5P_DEFAULT);
  char *text = attribute_text(place, slash ? slash + 1 : name);
  H5Oclose(place);
  return text;
}

static bool read_number(hid_t place, const char *name, double *value) {
  const hid_t attribute = attribute_open(place, name);
  const bool read = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_DOUBLE, value) >= 0;
  H5Aclose(attribute);
  return read;
}

// A dataset of vectors or matrices of numbers, with its extents.
typedef struct numbers_place {
  hid_t dataset, space;
  int rank;          // 0: there is no such dataset
  hsize_t shape[2];  // rows, columns
} numbers_place;

/* Whether so many numbers can come from what the file stores of them: a damaged extent may ask for
 * any memory. Deflate makes 1032 bytes of one at most. */
static bool is_stored(hid_t dataset, const hsize_t shape[2]) {
  enum { DEFLATE_MOST = 1032 };
  hsize_t file_size = 0;
  const hid_t file = H5Iget_file_id(dataset);
  H5Fget_filesize(file, &file_size);
  H5Fclose(file);
  const hsize_t storage = H5Dget_storage_size(dataset);
  const double bytes = (double)(storage < file_size ? storage : file_size);
  return (double)shape[0] * (double)shape[1] * sizeof(double) <= DEFLATE_MOST * bytes &&
         shape[0] <= INT_MAX && shape[1] <= INT_MAX;
}

/* Whether plain chunks are all there in their full size. Their index has no checksum, and HDF5 1.10
 * reads beyond a chunk that the index calls shorter. */
static bool chunks_are_whole(hid_t dataset, int rank, const hsize_t shape[2]) {
  const hid_t properties = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
  hsize_t chunk[2] = {1, 1}, size = H5Tget_size(type);
  bool whole = true;
  if (H5Pget_layout(properties) == H5D_CHUNKED && H5Pget_nfilters(properties) == 0) {
    whole = H5Pget_chunk(properties, rank, chunk) == rank && chunk[0] > 0 && chunk[1] > 0;
    for (int k = 0; whole && k < 2; ++k) size *= (shape[k] + chunk[k] - 1) / chunk[k] * chunk[k];
    whole = whole && H5Dget_storage_size(dataset) == size;
  }
  H5Tclose(type);
  H5Pclose(properties);
  return whole;
}

static numbers_place numbers_open(hid_t file, const char *name) {
  numbers_place place = {.dataset = H5I_INVALID_HID, .space = H5I_INVALID_HID, .shape = {0, 1}};
  if (H5Lexists(file, name, H5P_DEFAULT) <= 0) return place;
  place.dataset = H5Dopen2(file, name, H5P_DEFAULT);
  place.space = H5Dget_space(place.dataset);
  const int rank = H5Sget_simple_extent_ndims(place.space);
  if ((rank == 1 || rank == 2) && H5Sget_simple_extent_dims(place.space, place.shape, NULL) > 0 &&
      is_stored(place.dataset, place.shape) && chunks_are_whole(place.dataset, rank, place.shape))
    place.rank = rank;
  return place;
}

static void numbers_close(numbers_place *place) {
  H5Sclose(place->space);
  H5Dclose(place->dataset);
}

// all of a dataset by malloc, its first dimension in *rows; NULL where there is none
static double *read_numbers(hid_t file, const char *name, int rank, int *rows) {
  numbers_place place = numbers_open(file, name);
  double *values = NULL;
  *rows = 0;
  if (place.rank == rank)
    values = malloc((size_t)(place.shape[0] * place.shape[1] + 1) * sizeof *values);
  if (values &&
      H5Dread(place.dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
    free(values);
    values = NULL;
  }
  if (values) *rows = (int)place.shape[0];
  numbers_close(&place);
  return values;
}

// last row of a matrix by malloc, its width in *columns; NULL where there is none
static double *read_last_row(hid_t file, const char *name, int *columns) {
  numbers_place place = numbers_open(file, name);
  double *values = NULL;
  *columns = 0;
  if (place.rank == 2 && place.shape[0] > 0) {
    const hsize_t start[2] = {place.shape[0] - 1, 0}, count[2] = {1, place.shape[1]};
    const hid_t row = H5Screate_simple(2, count, NULL);
    values = malloc((size_t)(count[1] + 1) * sizeof *values);
    H5Sselect_hyperslab(place.space, H5S_SELECT_SET, start, NULL, count, NULL);
    if (values &&
        H5Dread(place.dataset, H5T_NATIVE_DOUBLE, row, place.space, H5P_DEFAULT, values) < 0) {
      free(values);
      values = NULL;
    }
    if (values) *columns = (int)count[1];
    H5Sclose(row);
  }
  numbers_close(&place);
  return values;
}

// Columns of a matrix; 0 where there is no dataset, negative where it is no matrix.
static int read_width(hid_t file, const char *name) {
  if (H5Lexists(file, name, H5P_DEFAULT) <= 0) return 0;
  numbers_place place = numbers_open(file, name);
  numbers_close(&place);
  return place.rank == 2 ? (int)place.shape[1] : -1;
}

// ------------------------------------------------------------------------------------ content

static bool read_texts(log_content *content, hid_t file) {
  limpet_log_info *info = &content->info;
  static const char *const name[TEXT_COUNT] = {"version",    "command",    "model_name",
                                               "model_path", "model_text", "controller_text"};
  const char **const place[TEXT_COUNT] = {&info->version,    &info->command,
                                          &info->model_name, &info->model_path,
                                          &info->model_text, &info->controller_text};
  for (int i = 0; i < TEXT_COUNT; ++i) {
    content->text[i] = read_text(content, file, name[i]);
    if (!content->text[i] && place[i] == &info->controller_text)
      content->text[i] = strdup("");  // logs before there were any
    if (!content->text[i]) return false;
    *place[i] = content->text[i];
  }
  char *hash = read_text(content, file, "model_hash");
  if (hash) info->model_hash = strtoull(hash, NULL, 16);
  free(hash);
  return hash != NULL;
}

static char *read_word(const log_content *content, hid_t file, const char *setting) {
  char name[LIMPET_LOG_SETTING_NAME + 16];
  snprintf(name, sizeof name, "settings/%s", setting);
  return read_text(content, file, name);
}

// every setting that this library knows must be there
static bool read_settings(log_content *content, hid_t file, hid_t settings) {
  limpet_log_info *info = &content->info;
  int count = 0;
  limpet_log_setting_place place = {0};
  while (limpet_log_setting_next(&place)) ++count;
  content->setting = calloc((size_t)count, sizeof *content->setting);
  content->word = calloc((size_t)count, sizeof *content->word);
  if (!content->setting || !content->word) return false;
  info->setting = content->setting;
  info->setting_count = count;
  place = (limpet_log_setting_place){0};
  for (int i = 0; limpet_log_setting_next(&place); ++i) {
    limpet_log_setting *setting = &content->setting[i];
    limpet_log_setting_name(&place, setting->name);
    const bool named = place.field->type == LIMPET_FIELD_DESCRIPTOR;
    if (named) setting->word = content->word[i] = read_word(content, file, setting->name);
    if (named ? !setting->word : !read_number(settings, setting->name, &setting->value))
      return false;
  }
  return true;
}

// without an interval every step is a record; a record of the start belongs to no step
static bool read_steps(log_content *content, hid_t file) {
  limpet_log_info *info = &content->info;
  int start = 0, rows = 0, control_rows = 0;
  const bool apart = H5Lexists(file, "every_step", H5P_DEFAULT) > 0;
  content->step_time = apart ? read_numbers(file, "every_step/time", 1, &rows) : content->time;
  if (!apart) rows = info->record_count;
  if (!content->step_time) return false;
  if (!apart && rows > 0) {
    int steps = 0;
    double *step = read_numbers(file, "step", 1, &steps);
    if (!step || steps != rows) {
      free(step);
      return false;
    }
    start = step[0] > 0.0 ? 0 : 1;
    free(step);
  }

  if (info->nu > 0) {
    const char *name = apart ? "every_step/control" : "control";
    content->step_control = read_numbers(file, name, 2, &control_rows);
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
  bool read = read_texts(content, file) && read_settings(content, file, settings);
  H5Gclose(settings);
  if (!read) return false;
  info->start_state = content->state = read_numbers(file, "start_state", 1, &info->state_size);
  info->time = content->time = read_numbers(file, "time", 1, &info->record_count);
  info->nu = read_width(file, "control");
  info->end_q = content->end_q = read_last_row(file, "q", &info->nq);
  info->end_v = content->end_v = read_last_row(file, "v", &info->nv);
  return content->state && content->time && info->nu >= 0 && read_steps(content, file);
}

// --------------------------------------------------------------------------------------- read

static limpet_status damaged(const char *path, limpet_error *error) {
  return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                           "%s: is a damaged log: a part that docs/log.md names is missing", path);
}

static limpet_status read_file(log_content *content, const char *path, hid_t file,
                               limpet_error *error) {
  const htri_t has_texts = H5Lexists(file, LIMPET_LOG_TEXTS, H5P_DEFAULT);
  if (has_texts < 0 || (has_texts > 0 && !limpet_log_texts_read(&content->texts, file)))
    return damaged(path, error);
  char *format = read_text(content, file, "format");
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
  return damaged(path, error);
}

// Why HDF5 did not open a file.
static limpet_status not_opened(const char *path, limpet_error *error) {
  char head[4] = {0};
  FILE *file = fopen(path, "rb");
  if (!file)
    return limpet_error_fill(error, LIMPET_ERROR_FILE, "%s: cannot be opened: %s", path,
                             strerror(errno));
  const size_t length = fread(head, 1, sizeof head, file);
  fclose(file);
  if (length < sizeof head || memcmp(head, "\x89HDF", sizeof head) != 0)
    return limpet_error_fill(error, LIMPET_ERROR_FILE,
                             "%s: this is not an HDF5 file; give a log that limpet wrote", path);
  if (limpet_file_is_locked(path, false))
    return limpet_error_fill(error, LIMPET_ERROR_FILE,
                             "%s: a process is writing it, on a file system on which nobody can "
                             "read it meanwhile; wait for its end, or copy it and read the copy",
                             path);
  return limpet_error_fill(error, LIMPET_ERROR_FILE, "%s: is a damaged log: HDF5 cannot open it",
                           path);
}

/* Opens a file for reading. One that a process writes may be locked for a moment, in which names
 * are exchanged: it is tried again. */
static hid_t file_open(const char *path) {
  enum { TRIES = 25 };
  const struct timespec pause = {.tv_nsec = 20000000};
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  for (int i = 1; i < TRIES && file < 0 && limpet_file_is_locked(path, false); ++i) {
    nanosleep(&pause, NULL);
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  }
  return file;
}

limpet_log_info *limpet_log_read(const char *path, limpet_error *error) {
  assert(path);
  log_content *content = calloc(1, sizeof *content);
  if (!content) {
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "%s: cannot be read: no memory", path);
    return NULL;
  }
  limpet_status status = LIMPET_OK;
  double complete = 1.0;  // where it does not say so
  const bool written = limpet_log_is_being_written(path);
  H5E_BEGIN_TRY {
    const hid_t file = file_open(path);
    if (file < 0) status = not_opened(path, error);
    else status = read_file(content, path, file, error);
    read_number(file, LIMPET_LOG_COMPLETE, &complete);
    H5Fclose(file);
  }
  H5E_END_TRY
  if (complete == 0.0)
    content->info.state =
        written || limpet_log_is_being_written(path) ? LIMPET_LOG_GROWING : LIMPET_LOG_CUT;
  if (status == LIMPET_OK) return &content->info;
  limpet_log_info_destroy(&content->info);
  return NULL;
}

static limpet_status word_assign(const limpet_log_setting *setting, const limpet_field *field,
                                 limpet_step_settings *settings, limpet_error *error) {
  const void *found = field->find(setting->word);
  if (!found)
    return limpet_error_fill(
        error, LIMPET_ERROR_UNSUPPORTED,
        "the setting \"%s\" of the log is \"%s\", which this limpet does not have", setting->name,
        setting->word);
  memcpy(limpet_field_elements_of(field, settings), &found, sizeof found);
  return LIMPET_OK;
}

limpet_status limpet_log_settings(const limpet_log_info *info, const limpet_model *model,
                                  limpet_step_settings *settings, limpet_error *error) {
  assert(info && model && settings);
  *settings = limpet_step_settings_default(model);
  for (int i = 0; i < info->setting_count; ++i) {
    const limpet_log_setting *setting = &info->setting[i];
    limpet_log_setting_place place;
    if (!limpet_log_setting_find(&place, setting->name))
      return limpet_error_fill(error, LIMPET_ERROR_UNSUPPORTED,
                               "the log has a setting \"%s\" that this limpet does not know",
                               setting->name);
    if (setting->word) {
      const limpet_status status = word_assign(setting, place.field, settings, error);
      if (status != LIMPET_OK) return status;
      continue;
    }
    if (!limpet_field_allows(place.field, setting->value))
      return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "the log is damaged: its setting \"%s\" is %g", setting->name,
                               setting->value);
    limpet_field_assign(place.field, settings, place.element, setting->value);
  }
  return LIMPET_OK;
}
