/* record/log_dataset.c: one dataset of a log: it grows by chunks, and lies without any where the
 * whole log is shorter than one.
 *
 * A chunk has room for about 8 kB, so that a long log is read in few pieces. A log of a few records
 * would hold little but room: 80 datasets, each with a chunk and an index of chunks. So the rows of
 * a dataset that ends before its first chunk does are stored anew when the log is closed, in one
 * piece as long as they are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/log.h"

enum { STORAGE_CHUNK = 8192 };  // [bytes]  aim for the chunks of a dataset
enum { DEFLATE_LEVEL = 4 };     // of what is compressed

static hid_t element_type(const limpet_field *field, bool memory) {
  switch (field->type) {
    case LIMPET_FIELD_DOUBLE: return memory ? H5T_NATIVE_DOUBLE : H5T_IEEE_F64LE;
    case LIMPET_FIELD_INT:
    case LIMPET_FIELD_ENUM: return memory ? H5T_NATIVE_INT32 : H5T_STD_I32LE;
    case LIMPET_FIELD_INT64: return memory ? H5T_NATIVE_INT64 : H5T_STD_I64LE;
    default: return H5I_INVALID_HID;  // no dataset has another
  }
}

// about 8 kB for narrow rows, whole flush chunks for wide ones
static hsize_t storage_rows(const limpet_log_column *column, size_t chunk) {
  const size_t rows = STORAGE_CHUNK / column->row_size;
  if (rows < chunk) return chunk;
  return rows < 16 * chunk ? rows : 16 * chunk;
}

static bool set_chunks(const limpet_log_column *column, hid_t properties, size_t chunk) {
  hsize_t storage[3];
  memcpy(storage, column->shape, sizeof storage);
  storage[0] = storage_rows(column, chunk);
  bool failed = H5Pset_chunk(properties, column->rank, storage) < 0;
  if (column->compressed)
    failed |= H5Pset_shuffle(properties) < 0 || H5Pset_deflate(properties, DEFLATE_LEVEL) < 0;
  return !failed;
}

// the group of "group/name", without a time stamp
static bool group_provide(hid_t file, const char *name) {
  char group[LIMPET_LOG_QUANTITY_NAME];
  const char *slash = strchr(name, '/');
  if (!slash) return true;
  snprintf(group, sizeof group, "%.*s", (int)(slash - name), name);
  bool failed = false;
  if (H5Lexists(file, group, H5P_DEFAULT) == 0)
    H5Gclose(limpet_log_group_create(file, &failed, group));
  return !failed;
}

// grows by chunks of so many records; 0: holds shape[0] rows in one piece
static bool dataset_create(limpet_log_column *column, int which, hid_t file, size_t chunk) {
  hsize_t maximum[3];
  memcpy(maximum, column->shape, sizeof maximum);
  if (chunk > 0) maximum[0] = H5S_UNLIMITED;

  // fill values are written, or the unused rest of a chunk would hold what memory happened to hold
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  const double zero = 0.0;
  bool failed = chunk > 0 && !set_chunks(column, properties, chunk);
  failed |= H5Pset_obj_track_times(properties, false) < 0;
  failed |= H5Pset_fill_value(properties, H5T_NATIVE_DOUBLE, &zero) < 0 ||
            H5Pset_fill_time(properties, H5D_FILL_TIME_ALLOC) < 0;
  failed |= !group_provide(file, column->quantity.name);
  const hid_t space = H5Screate_simple(column->rank, column->shape, maximum);
  column->dataset[which] =
      H5Dcreate2(file, column->quantity.name, element_type(column->quantity.field, false), space,
                 H5P_DEFAULT, properties, H5P_DEFAULT);
  failed |= column->dataset[which] < 0;
  limpet_log_attribute_text(column->dataset[which], &failed, "unit", column->quantity.unit);
  limpet_log_attribute_text(column->dataset[which], &failed, "description", column->quantity.text);
  H5Sclose(space);
  H5Pclose(properties);
  return !failed;
}

bool limpet_log_dataset_create(limpet_log_column *column, int which, hid_t file, size_t chunk) {
  column->shape[0] = 0;
  return dataset_create(column, which, file, chunk);
}

// rows begin .. begin + count - 1, between the file and memory
static bool rows_transfer(const limpet_log_column *column, int which, hsize_t begin, hsize_t count,
                          void *to, const void *from) {
  hsize_t start[3] = {begin, 0, 0}, shape[3];
  memcpy(shape, column->shape, sizeof shape);
  shape[0] = count;
  const hid_t dataset = column->dataset[which], file_space = H5Dget_space(dataset),
              memory_space = H5Screate_simple(column->rank, shape, NULL),
              type = element_type(column->quantity.field, true);
  bool failed = H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, shape, NULL) < 0;
  failed |= to ? H5Dread(dataset, type, memory_space, file_space, H5P_DEFAULT, to) < 0
               : H5Dwrite(dataset, type, memory_space, file_space, H5P_DEFAULT, from) < 0;
  H5Sclose(memory_space);
  H5Sclose(file_space);
  return !failed;
}

bool limpet_log_dataset_write(limpet_log_column *column, int which) {
  const hsize_t rows = column->total - column->written[which];
  if (rows == 0) return true;
  const unsigned char *from =
      column->buffer + (size_t)(column->written[which] - column->first) * column->row_size;
  column->shape[0] = column->total;
  if (!column->tight && H5Dset_extent(column->dataset[which], column->shape) < 0) return false;
  if (!rows_transfer(column, which, column->written[which], rows, NULL, from)) return false;
  column->written[which] = column->total;
  return true;
}

// ---------------------------------------------------------------------------------- one piece

static bool ends_in_first_chunk(const limpet_log_column *column, size_t chunk) {
  return !column->compressed && column->total > 0 && column->total < storage_rows(column, chunk);
}

// puts the rows that only the file has back into memory
static bool rows_recall(limpet_log_column *column, int which) {
  if (column->first == 0) return true;
  const size_t before = (size_t)column->first * column->row_size,
               size = (size_t)column->total * column->row_size;
  unsigned char *buffer = realloc(column->buffer, size);
  if (!buffer) return false;
  memmove(buffer + before, buffer, size - before);
  column->buffer = buffer;
  column->capacity = (size_t)column->total;
  if (!rows_transfer(column, which, 0, column->first, buffer, NULL)) return false;
  column->first = 0;
  return true;
}

bool limpet_log_datasets_tighten(limpet_log *log, int which) {
  // all are removed before the first is made, so that the room of all comes together
  for (int c = 0; c < log->column_count; ++c) {
    limpet_log_column *column = &log->column[c];
    if (!ends_in_first_chunk(column, log->chunk)) continue;
    if (!rows_recall(column, which) || H5Dclose(column->dataset[which]) < 0) return false;
    column->dataset[which] = H5I_INVALID_HID;
    if (H5Ldelete(log->file[which], column->quantity.name, H5P_DEFAULT) < 0) return false;
    column->written[which] = 0;
  }
  for (int c = 0; c < log->column_count; ++c) {
    limpet_log_column *column = &log->column[c];
    if (!ends_in_first_chunk(column, log->chunk)) continue;
    column->shape[0] = column->total;
    column->tight = true;
    if (!dataset_create(column, which, log->file[which], 0)) return false;
  }
  return true;
}
