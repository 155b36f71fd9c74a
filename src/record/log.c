/* record/log.c: gathering the rows of a log in memory.
 *
 * Each quantity of the table is a column with a buffer. An append copies one row (or a row for each
 * contact) into every column; a chunk of records goes to the file at once. Buffers have room for
 * two chunks, because there are two files (log_file.c); those of contacts grow by doubling when a
 * scene makes more contacts than ever before, so a steady run allocates nothing. */
#include "record/log.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/output_file.h"

enum { STEPS_PER_RECORD_CHUNK = 4 };  // steps that are kept, at most, for each record of a chunk
// records of a chunk where none are asked for: as many as fill CHUNK_BYTES, within these bounds
enum { CHUNK_LEAST = 64, CHUNK_MOST = 256, CHUNK_BYTES = 1 << 20 };

limpet_log_options limpet_log_options_default(void) {
  return (limpet_log_options){.interval = 0.0, .chunk = 0, .vertex_stride = 1};
}

// ------------------------------------------------------------------------------------- create

static bool has_fields(const limpet_model *model) {
  for (int geom = 0; geom < model->geom_count; ++geom)
    if (model->geom_field[geom] && isfinite(model->geom_material[geom].elastic_modulus))
      return true;
  return false;
}

// stage times, controls between records, and what the model does not have are left out
static bool quantity_wanted(const limpet_log_quantity *quantity, const limpet_data *data,
                            const limpet_log_options *options) {
  int shape[LIMPET_FIELD_RANK];
  if (quantity->field->uses & LIMPET_FIELD_CLOCK && !options->stage_time) return false;
  if (quantity->axis == LIMPET_LOG_STEP && !(options->interval > 0.0)) return false;
  if (quantity->axis == LIMPET_LOG_VERTEX && options->vertex_stride < 1) return false;
  if (limpet_log_quantity_of_surfaces(quantity) && !has_fields(data->model)) return false;
  const int rank = limpet_log_quantity_shape(quantity, data, shape);
  for (int k = 0; k < rank; ++k)
    if (shape[k] == 0) return false;
  return true;
}

static void column_describe(limpet_log_column *column, const limpet_log_quantity *quantity,
                            const limpet_data *data) {
  int shape[LIMPET_FIELD_RANK];
  const int rank = limpet_log_quantity_shape(quantity, data, shape);
  column->quantity = *quantity;
  column->rank = rank + 1;
  column->compressed = quantity->axis == LIMPET_LOG_VERTEX;
  column->row_size = quantity->field->element;
  for (int k = 0; k < rank; ++k) {
    column->shape[k + 1] = (hsize_t)shape[k];
    column->row_size *= (size_t)shape[k];
  }
  column->dataset[0] = column->dataset[1] = H5I_INVALID_HID;
}

// Records of a chunk: what the disk and HDF5 take for each of them is spread over more small ones.
static size_t chunk_of(const limpet_log *log, const limpet_log_options *options) {
  size_t record = 1;  // [bytes]  without contacts
  for (int c = 0; c < log->column_count; ++c)
    if (log->column[c].quantity.axis != LIMPET_LOG_STEP) record += log->column[c].row_size;
  if (options->chunk > 0) return (size_t)options->chunk;
  const size_t fitting = CHUNK_BYTES / record;
  return fitting < CHUNK_LEAST ? CHUNK_LEAST : fitting < CHUNK_MOST ? fitting : CHUNK_MOST;
}

static bool column_create(limpet_log_column *column, size_t chunk) {
  column->capacity = 2 * chunk + 2;
  column->buffer = malloc(column->capacity * column->row_size);
  if (column->buffer && column->quantity.axis == LIMPET_LOG_RECORD_END)
    memset(column->buffer, 0, column->row_size * (size_t)++column->total);
  return column->buffer != NULL;
}

static bool columns_create(limpet_log *log, const limpet_log_options *options) {
  limpet_log_quantity quantities[LIMPET_LOG_QUANTITY_LIMIT];
  const int count = limpet_log_quantities(quantities);
  log->column = calloc((size_t)count, sizeof *log->column);
  if (!log->column) return false;
  for (int i = 0; i < count; ++i)
    if (quantity_wanted(&quantities[i], log->pose, options))
      column_describe(&log->column[log->column_count++], &quantities[i], log->pose);
  log->chunk = chunk_of(log, options);
  for (int c = 0; c < log->column_count; ++c)
    if (!column_create(&log->column[c], log->chunk)) return false;
  return true;
}

static void log_destroy(limpet_log *log) {
  for (int c = 0; c < log->column_count; ++c) free(log->column[c].buffer);
  free(log->column);
  free(log->path);
  free(log->twin_path);
  free(log->spare_path);
  limpet_data_destroy(log->pose);
  free(log);
}

static limpet_log *log_allocate(const char *path, const limpet_model *model,
                                const limpet_log_options *options) {
  limpet_log *log = calloc(1, sizeof *log);
  if (!log) return NULL;
  log->file[0] = log->file[1] = H5I_INVALID_HID;
  log->interval = options->interval > 0.0 ? options->interval : 0.0;
  log->vertex_stride = options->vertex_stride;
  log->path = strdup(path);
  log->twin_path = limpet_output_name(path, ".part");
  log->spare_path = limpet_output_name(path, ".spare");
  log->pose = limpet_data_create(model);
  if (log->path && log->twin_path && log->spare_path && log->pose && columns_create(log, options))
    return log;
  log_destroy(log);
  return NULL;
}

limpet_log *limpet_log_create(const char *path, const limpet_model *model, const limpet_data *data,
                              const limpet_step_settings *settings,
                              const limpet_log_options *options, limpet_error *error) {
  assert(path && data->model == model && settings);
  const limpet_log_options chosen = options ? *options : limpet_log_options_default();
  if (limpet_output_check(path, error) != LIMPET_OK) return NULL;
  limpet_log *log = log_allocate(path, model, &chosen);
  if (!log) {
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "%s: cannot be written: no memory", path);
    return NULL;
  }
  log->due = data->time;
  if (limpet_log_files_create(log, model, data, settings, &chosen, error) == LIMPET_OK) return log;
  log_destroy(log);
  return NULL;
}

// ------------------------------------------------------------------------------------- append

static size_t rows_of(const limpet_log *log, const limpet_log_column *column,
                      const limpet_data *data, bool record) {
  switch (column->quantity.axis) {
    case LIMPET_LOG_RECORD:
    case LIMPET_LOG_RECORD_END: return record ? 1 : 0;
    case LIMPET_LOG_VERTEX: return record && log->record_count % log->vertex_stride == 0 ? 1 : 0;
    case LIMPET_LOG_CONTACT: return record ? (size_t)data->contact_count : 0;
    case LIMPET_LOG_SURFACE: return record ? (size_t)data->surface_count : 0;
    case LIMPET_LOG_STEP: return data->step_count > 0 ? 1 : 0;
  }
  return 0;
}

static bool column_room(limpet_log_column *column, size_t rows) {
  const size_t needed = (size_t)(column->total - column->first) + rows;
  if (needed <= column->capacity) return true;
  const size_t capacity = 2 * needed;
  unsigned char *buffer = realloc(column->buffer, capacity * column->row_size);
  if (!buffer) return false;
  column->buffer = buffer;
  column->capacity = capacity;
  return true;
}

static void column_append(limpet_log_column *column, const limpet_log *log, const limpet_data *data,
                          size_t rows) {
  if (rows == 0) return;
  const limpet_log_quantity *quantity = &column->quantity;
  unsigned char *to = column->buffer + (size_t)(column->total - column->first) * column->row_size;
  const limpet_data *from = quantity->source == LIMPET_LOG_POSE ? log->pose : data;
  const void *member = (const unsigned char *)from + quantity->offset, *elements = member;
  if (quantity->source == LIMPET_LOG_COMPUTED) {
    quantity->compute(to, log, data);
    return;
  }
  if (quantity->field->pointer) memcpy(&elements, member, sizeof elements);
  memcpy(to, elements, rows * column->row_size);
}

// poses of the state that data holds now
static void log_pose(limpet_log *log, const limpet_model *model, const limpet_data *data) {
  limpet_data *pose = log->pose;
  memcpy(pose->q, data->q, (size_t)model->nq * sizeof(double));
  if (model->mocap_count > 0) {
    memcpy(pose->mocap_position, data->mocap_position,
           3 * (size_t)model->mocap_count * sizeof(double));
    memcpy(pose->mocap_quaternion, data->mocap_quaternion,
           4 * (size_t)model->mocap_count * sizeof(double));
  }
  limpet_kinematics(model, pose);
}

// a record is due when the interval has passed, up to a millionth of it
bool limpet_log_is_due(const limpet_log *log, double time) {
  return time >= log->due - 1e-6 * log->interval;
}

static bool record_due(limpet_log *log, const limpet_data *data) {
  if (!limpet_log_is_due(log, data->time)) return false;
  if (log->interval > 0.0)
    log->due += log->interval * (floor((data->time - log->due) / log->interval + 1e-6) + 1.0);
  return true;
}

limpet_status limpet_log_append(limpet_log *log, const limpet_model *model, const limpet_data *data,
                                limpet_error *error) {
  assert(log && data->model == model);
  const bool record = record_due(log, data);

  // room in every column before any is touched, so that they stay of one length
  for (int c = 0; c < log->column_count; ++c)
    if (!column_room(&log->column[c], rows_of(log, &log->column[c], data, record)))
      return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "%s: no memory for a record", log->path);

  // contacts of the record end where those before it do, so totals grow after all rows are copied
  if (record) log_pose(log, model, data);
  for (int c = 0; c < log->column_count; ++c)
    column_append(&log->column[c], log, data, rows_of(log, &log->column[c], data, record));
  for (int c = 0; c < log->column_count; ++c)
    log->column[c].total += rows_of(log, &log->column[c], data, record);

  log->record_count += record;
  log->pending_records += record;
  ++log->pending_steps;
  if (log->pending_records < log->chunk && log->pending_steps < STEPS_PER_RECORD_CHUNK * log->chunk)
    return LIMPET_OK;
  log->pending_records = log->pending_steps = 0;
  return limpet_log_files_flush(log, false, error);
}

limpet_status limpet_log_close(limpet_log *log, limpet_error *error) {
  const limpet_status status = limpet_log_files_flush(log, true, error);
  log_destroy(log);
  return status;
}
