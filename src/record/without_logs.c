/* record/without_logs.c: what stands in for logs where the library is built without HDF5
 * (LIMPET_LOGS=OFF, as `pip install .` does): every function says so. */
#include <assert.h>
#include <stddef.h>

#include "base/error.h"
#include "limpet/record.h"

static limpet_status refuse(limpet_error *error) {
  return limpet_error_fill(error, LIMPET_ERROR_UNSUPPORTED,
                           "this library was built without logs (HDF5); build it with "
                           "-DLIMPET_LOGS=ON, or use the command limpet");
}

limpet_log_options limpet_log_options_default(void) { return (limpet_log_options){0}; }

limpet_log *limpet_log_create(const char *path, const limpet_model *model, const limpet_data *data,
                              const limpet_step_settings *settings,
                              const limpet_log_options *options, limpet_error *error) {
  assert(path && model && data && settings);
  (void)path, (void)model, (void)data, (void)settings, (void)options;
  refuse(error);
  return NULL;
}

bool limpet_log_is_due(const limpet_log *log, double time) {
  assert(!log);
  (void)log, (void)time;
  return false;
}

limpet_status limpet_log_append(limpet_log *log, const limpet_model *model, const limpet_data *data,
                                limpet_error *error) {
  assert(!log && model && data);
  (void)log, (void)model, (void)data;
  return refuse(error);
}

limpet_status limpet_log_close(limpet_log *log, limpet_error *error) {
  assert(!log);
  (void)log;
  (void)error;
  return LIMPET_OK;
}

limpet_log_info *limpet_log_read(const char *path, limpet_error *error) {
  assert(path);
  (void)path;
  refuse(error);
  return NULL;
}

void limpet_log_info_destroy(limpet_log_info *info) {
  assert(!info);
  (void)info;
}

limpet_status limpet_log_settings(const limpet_log_info *info, const limpet_model *model,
                                  limpet_step_settings *settings, limpet_error *error) {
  assert(!info && model && settings);
  (void)info, (void)model, (void)settings;
  return refuse(error);
}
