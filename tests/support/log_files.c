/* tests/support/log_files.c: logs of the puppet, and what files of logs hold. */
#include "log_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "puppet.h"
#include "record/log.h"

enum { DATASET_LIMIT = 20000000 };

limpet_log *puppet_log_begin(const char *path, const limpet_model *model, limpet_data *data,
                             double interval, int chunk) {
  limpet_error error = {0};
  const limpet_step_settings settings = puppet_settings(model);
  limpet_log_options options = limpet_log_options_default();
  options.interval = interval;
  options.chunk = chunk;
  options.model_path = "puppet.xml";
  options.model_text = "<mujoco model=\"puppet\"/>";
  options.command = "limpet run puppet.xml";
  puppet_move(model, data, 0);
  limpet_log *log = limpet_log_create(path, model, data, &settings, &options, &error);
  if (!log) fail_msg("%s", error.message);
  return log;
}

void puppet_log_append(limpet_log *log, const limpet_model *model, limpet_data *data, int first,
                       int last) {
  limpet_error error = {0};
  for (int step = first; step <= last; ++step) {
    puppet_move(model, data, step);
    if (limpet_log_append(log, model, data, &error) != LIMPET_OK) fail_msg("%s", error.message);
  }
}

void puppet_log_write(const char *path, const limpet_model *model, int last, double interval,
                      int chunk) {
  limpet_error error = {0};
  limpet_data *data = limpet_data_create(model);
  limpet_log *log = puppet_log_begin(path, model, data, interval, chunk);
  puppet_log_append(log, model, data, 0, last);
  if (limpet_log_close(log, &error) != LIMPET_OK) fail_msg("%s", error.message);
  limpet_data_destroy(data);
}

double *log_rows(hid_t file, const char *name, hsize_t shape[3]) {
  shape[0] = shape[1] = shape[2] = 1;
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(dataset >= 0);
  const hid_t space = H5Dget_space(dataset);
  assert_in_range(H5Sget_simple_extent_ndims(space), 1, 3);
  H5Sget_simple_extent_dims(space, shape, NULL);
  const hsize_t count = shape[0] * shape[1] * shape[2];
  assert_in_range(count, 0, DATASET_LIMIT);
  double *values = malloc((size_t)(count + 1) * sizeof *values);
  assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Sclose(space);
  H5Dclose(dataset);
  return values;
}

bool log_leaves_out(const char *name) {
  return strcmp(name, "activation") == 0 || strcmp(name, "info/stage_time") == 0 ||
         strcmp(name, "vertex_position") == 0 || strncmp(name, "deformable/", 11) == 0 ||
         strncmp(name, "surface", 7) == 0;
}

unsigned char *log_bytes(const char *path, size_t *size) {
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  *size = (size_t)status.st_size;
  unsigned char *bytes = malloc(*size + 1);
  FILE *file = fopen(path, "rb");
  assert_int_equal(fread(bytes, 1, *size, file), *size);
  fclose(file);
  return bytes;
}

int log_check_whole(const char *path, int chunk) {
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  hsize_t shape[3];
  double *time = log_rows(file, "time", shape),
         *contact_begin = log_rows(file, "contact_begin", shape);
  const hsize_t records = shape[0] - 1;
  const double contacts = contact_begin[records];
  assert_int_equal(records % (hsize_t)chunk, 0);
  limpet_log_quantity quantities[LIMPET_LOG_QUANTITY_LIMIT];
  const int count = limpet_log_quantities(quantities);
  for (int i = 0; i < count; ++i) {
    const limpet_log_quantity *quantity = &quantities[i];
    if (quantity->axis == LIMPET_LOG_STEP || log_leaves_out(quantity->name)) continue;
    free(log_rows(file, quantity->name, shape));
    if (quantity->axis == LIMPET_LOG_RECORD) assert_int_equal(shape[0], records);
    if (quantity->axis == LIMPET_LOG_CONTACT) assert_int_equal(shape[0], (hsize_t)contacts);
  }
  for (hsize_t i = 0; i < records; ++i) assert_true(time[i] == 0.002 * (double)i);
  free(time);
  free(contact_begin);
  H5Fclose(file);
  return (int)records;
}

/* Whatever it is doing when the kill comes: what was logged two chunks ago is there, whole. The
 * clock has no part in it: on a slow machine both processes are slow. */
