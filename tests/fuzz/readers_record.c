/* tests/fuzz/readers_record.c: logs, and what pages ask of a simulation.
 *
 * A log is HDF5, which reads beyond its buffers where a file was made for that (docs/log.md), and
 * is not ours. What is fuzzed is what we read out of it: the bytes are the texts of a log that is
 * whole otherwise, and behind their last zero byte each group of nine is a number of it, the first
 * byte saying which. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/read/text.h"
#include "readers_common.h"
#include "record/live_command.h"
#include "record/log.h"

// --------------------------------------------------------------------------------------- logs

static const char *const numbers[] = {"time", "step", "q", "v", "control", "start_state"};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

// A log of four records of the arm, once for each kind, in memory.
static const char *log_bytes(bool apart, size_t *length) {
  static char *bytes[2];
  static size_t lengths[2];
  char path[] = "/tmp/limpet_fuzz_XXXXXX";
  limpet_error error = {0};
  if (!bytes[apart]) {
    const int file = mkstemp(path);
    fuzz_require(file >= 0, "no temporary file");
    close(file);
    const limpet_model *model = fuzz_arm();
    limpet_data *data = limpet_data_create(model);
    const limpet_step_settings settings = limpet_step_settings_default(model);
    limpet_log_options options = limpet_log_options_default();
    options.interval = apart ? 2.0 * settings.time_step : 0.0;
    limpet_log *log = limpet_log_create(path, model, data, &settings, &options, &error);
    fuzz_require(log != NULL, error.message);
    for (int i = 0; i < 4; ++i) {
      limpet_step(model, data, &settings);
      limpet_log_append(log, model, data, &error);
    }
    fuzz_require(limpet_log_close(log, &error) == LIMPET_OK, error.message);
    limpet_data_destroy(data);
    fuzz_require(
        limpet_text_file(&bytes[apart], &lengths[apart], path, 1 << 22, &error) == LIMPET_OK,
        error.message);
    unlink(path);
  }
  *length = lengths[apart];
  return bytes[apart];
}

static void texts_replace(hid_t file, const char *bytes, size_t length) {
  const hsize_t shape = length;
  H5Ldelete(file, LIMPET_LOG_TEXTS, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, &shape, NULL),
              dataset = H5Dcreate2(file, LIMPET_LOG_TEXTS, H5T_STD_U8LE, space, H5P_DEFAULT,
                                   H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
  H5Dclose(dataset);
  H5Sclose(space);
}

// The first number of a dataset, or an attribute of the settings.
static void number_replace(hid_t file, unsigned char which, double value) {
  if (which < NUMBERS) {
    const hsize_t one = 1, start[2] = {0, 0}, count[2] = {1, 1};
    const hid_t dataset = H5Dopen2(file, numbers[which], H5P_DEFAULT),
                space = H5Dget_space(dataset), row = H5Screate_simple(1, &one, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, row, space, H5P_DEFAULT, &value);
    H5Sclose(row);
    H5Sclose(space);
    H5Dclose(dataset);
    return;
  }
  const hid_t attribute = H5Aopen_by_idx(file, which % 2 ? "/" : "settings", H5_INDEX_NAME,
                                         H5_ITER_INC, which / 2, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t type = H5Aget_type(attribute);
  if (H5Tget_class(type) != H5T_STRING && H5Aget_storage_size(attribute) == sizeof value)
    H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value);
  H5Tclose(type);
  H5Aclose(attribute);
}

static void log_write(const char *path, const char *bytes, size_t length) {
  size_t size, texts = length;
  while (texts > 0 && bytes[texts - 1] != '\0') --texts;
  const char *whole = log_bytes(length % 2, &size);
  FILE *file = fopen(path, "wb");
  fuzz_require(file && fwrite(whole, 1, size, file) == size, "no temporary file");
  fclose(file);
  const hid_t log = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  if (texts > 0) texts_replace(log, bytes, texts);
  for (size_t at = texts; at + 9 <= length; at += 9) {
    double value;
    memcpy(&value, bytes + at + 1, sizeof value);
    number_replace(log, (unsigned char)bytes[at], value);
  }
  H5Fclose(log);
}

static void use_log(limpet_log_info *info) {
  limpet_error error = {0};
  limpet_step_settings settings;
  fuzz_require(info->version && info->command && info->model_name && info->model_path &&
                   info->model_text && info->controller_text,
               "a text is missing");
  fuzz_require(info->step_count >= 0 && info->record_count >= 0, "a negative count");
  double sum = 0.0;
  for (int i = 0; i < info->step_count; ++i) sum += info->step_time[i];
  for (int i = 0; i < info->step_count * info->nu; ++i) sum += info->step_control[i];
  for (int i = 0; i < info->record_count; ++i) sum += info->time[i];
  for (int i = 0; info->end_q && i < info->nq; ++i) sum += info->end_q[i];
  for (int i = 0; info->end_v && i < info->nv; ++i) sum += info->end_v[i];
  for (int i = 0; i < info->state_size; ++i) sum += info->start_state[i];
  static volatile double sink;
  sink = sum;
  (void)sink;
  if (limpet_log_settings(info, fuzz_arm(), &settings, &error) != LIMPET_OK)
    fuzz_require_words(&error);
}

void fuzz_read_log(const char *bytes, size_t length) {
  char path[] = "/tmp/limpet_fuzz_XXXXXX";
  limpet_error error = {0};
  const int file = mkstemp(path);
  fuzz_require(file >= 0, "no temporary file");
  close(file);
  H5E_BEGIN_TRY { log_write(path, bytes, length); }
  H5E_END_TRY
  limpet_log_info *info = limpet_log_read(path, &error);
  if (info) use_log(info);
  else fuzz_require_words(&error);
  limpet_log_info_destroy(info);
  unlink(path);
}

// ---------------------------------------------------------------------------------- live view

// Each line is a message of a page.
void fuzz_read_live(const char *bytes, size_t length) {
  enum { LARGEST = 1024 };  // of a message
  const limpet_model *model = fuzz_arm();
  for (size_t at = 0; at < length;) {
    const char *end = memchr(bytes + at, '\n', length - at);
    const size_t size = end ? (size_t)(end - bytes) - at : length - at;
    if (size < LARGEST) {
      char *text = fuzz_copy(bytes + at, size, true);
      limpet_live_command command = {0};
      if (limpet_live_command_read(text, model, &command)) {
        const bool body = command.verb == LIMPET_LIVE_DRAG,
                   actuator = command.verb == LIMPET_LIVE_CONTROL;
        fuzz_require(command.verb < LIMPET_LIVE_VERB_COUNT, "a verb out of range");
        fuzz_require(!body || (command.number > 0 && command.number < model->body_count),
                     "a body out of range");
        fuzz_require(!actuator || (command.number >= 0 && command.number < model->nu),
                     "an actuator out of range");
        fuzz_require(command.value - command.value == 0.0, "a value that is no number");
      }
      free(text);
    }
    at += size + 1;
  }
}
