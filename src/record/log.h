/* record/log.h: quantities of a log, and what a log holds while it is written. */
#ifndef LIMPET_RECORD_LOG_H
#define LIMPET_RECORD_LOG_H

#include <hdf5.h>
#include <sys/types.h>

#include "limpet/record.h"

enum {
  LIMPET_LOG_REVISION = 1
};  // of the layout in docs/log.md; grows when a reader of the former one would go wrong

typedef enum limpet_log_axis {  // what the rows of a dataset are
  LIMPET_LOG_RECORD,            // records
  LIMPET_LOG_RECORD_END,  // one more than records: a 0, then a number for the end of each record
  LIMPET_LOG_VERTEX,      // each vertex_stride-th record, from the first; compressed
  LIMPET_LOG_CONTACT,     // contacts of all records
  LIMPET_LOG_SURFACE,     // contact surfaces of all records; only of models with pressure fields
  LIMPET_LOG_STEP         // steps, recorded or not; only with an interval between records
} limpet_log_axis;

typedef enum limpet_log_source {
  LIMPET_LOG_MEMBER,   // a field of limpet_data
  LIMPET_LOG_POSE,     // the same in limpet_log.pose
  LIMPET_LOG_COMPUTED  // by a function
} limpet_log_source;

typedef void limpet_log_compute(void *rows, const limpet_log *log, const limpet_data *data);

enum { LIMPET_LOG_QUANTITY_LIMIT = 128, LIMPET_LOG_QUANTITY_NAME = 48 };

typedef struct limpet_log_quantity {
  char name[LIMPET_LOG_QUANTITY_NAME];
  const char *unit, *text;
  limpet_log_axis axis;
  limpet_log_source source;
  const limpet_field *field;  // its type and shape
  size_t offset;              // of the member in limpet_data
  limpet_log_compute *compute;
} limpet_log_quantity;

// What a log can hold, in the order of the datasets. Returns how many.
int limpet_log_quantities(limpet_log_quantity quantities[LIMPET_LOG_QUANTITY_LIMIT]);
// Whether it is of contact surfaces: `surface_begin` or `surface/...`.
bool limpet_log_quantity_of_surfaces(const limpet_log_quantity *quantity);
// Dimensions of one row in a world of this model; returns how many.
int limpet_log_quantity_shape(const limpet_log_quantity *quantity, const limpet_data *data,
                              int shape[LIMPET_FIELD_RANK]);

// One dataset while it is written. Rows are kept until both files of a log have them.
typedef struct limpet_log_column {
  limpet_log_quantity quantity;
  int rank;
  hsize_t shape[3];       // of the dataset; shape[0] changes
  size_t row_size;        // [bytes]
  unsigned char *buffer;  // (capacity x row_size)  rows first .. total - 1
  size_t capacity;        // rows
  hsize_t first, total;   // rows: of the buffer's begin, and ever appended
  bool compressed;
  bool tight;  // one piece, whose extent is that of all rows
  hid_t dataset[2];
  hsize_t written[2];  // rows in each file
} limpet_log_column;

struct limpet_log {
  char *path, *twin_path, *spare_path;
  hid_t file[2];   // see log_file.c
  int file_count;  // 2, or 1 where the file system has no links
  int hidden;      // the file that is written next
  ino_t inode[2];  // of each file
  bool broken;     // a write failed: what the visible file has is all that will be kept

  double interval, due;  // [s]
  size_t chunk;          // records
  int64_t record_count;  // so far
  int vertex_stride;     // records from one with vertices to the next
  limpet_data *pose;     // a world of the log's own, for kinematics
  int column_count;
  limpet_log_column *column;
  size_t pending_records, pending_steps;  // appended since the last flush
};

// --------------------------------------------------------------------------- log_file.c

/* Makes the file, and its twin, with everything but the rows. What is not rows comes from `data`,
 * `settings`, `options`. */
limpet_status limpet_log_files_create(limpet_log *log, const limpet_model *model,
                                      const limpet_data *data, const limpet_step_settings *settings,
                                      const limpet_log_options *options, limpet_error *error);
// Writes the rows that the hidden file lacks and makes it the visible one. `last`: and closes both.
limpet_status limpet_log_files_flush(limpet_log *log, bool last, limpet_error *error);

// ------------------------------------------------------------------------ log_dataset.c

// A dataset without rows in file `which`, which grows by chunks of so many records.
bool limpet_log_dataset_create(limpet_log_column *column, int which, hid_t file, size_t chunk);
// Appends the rows that file `which` lacks.
bool limpet_log_dataset_write(limpet_log_column *column, int which);
// Before the last rows of a log are written: what ends in its first chunk gets a dataset without
// chunks, and waits to be written into it.
bool limpet_log_datasets_tighten(limpet_log *log, int which);

// --------------------------------------------------------------------------- log_text.c

#define LIMPET_LOG_TEXTS "texts"  // the dataset

typedef struct limpet_log_texts {
  char *bytes;  // (size)  name=text, each with a '\0' behind it
  size_t size;
} limpet_log_texts;

void limpet_log_texts_add(limpet_log_texts *texts, bool *failed, const char *name,
                          const char *text);
void limpet_log_texts_free(limpet_log_texts *texts);
// NULL where there is no such text.
const char *limpet_log_texts_find(const limpet_log_texts *texts, const char *name);
// The dataset of a log; false where it is damaged.
bool limpet_log_texts_read(limpet_log_texts *texts, hid_t file);

// ------------------------------------------------------------------------- log_header.c

#define LIMPET_LOG_COMPLETE "complete"  // attribute: 1 once the log is closed, 0 before

/* Attributes and datasets that do not grow. `failed` collects errors: HDF5 refuses what follows a
 * failure, so one check at the end will do. */
void limpet_log_header_write(hid_t file, bool *failed, const limpet_model *model,
                             const limpet_data *data, const limpet_step_settings *settings,
                             const limpet_log_options *options);
hid_t limpet_log_group_create(hid_t place, bool *failed, const char *name);
void limpet_log_attribute_text(hid_t place, bool *failed, const char *name, const char *text);
bool limpet_log_mark_complete(hid_t file);  // that no more rows come; false: it was not written

// --------------------------------------------------------------------------- log_lock.c

// The file descriptor that HDF5 has for a file of the log; -1: it is not open.
int limpet_log_descriptor(const limpet_log *log, int which);
void limpet_log_share(const limpet_log *log, int which);  // lets others read a file
bool limpet_log_claim(const limpet_log *log, int which);  // false: someone reads it
// Copies a file that is at rest; false, and errno, where it cannot be written.
bool limpet_log_copy(const limpet_log *log, int which, const char *path);

// ----------------------------------------------------------------------- log_settings.c

// One number, or one name, that a log stores of the settings.
typedef struct limpet_log_setting_place {
  const limpet_field *field;  // NULL: before the first
  int element, count;         // of the field
} limpet_log_setting_place;

// Moves on to the next one; false at the end.
bool limpet_log_setting_next(limpet_log_setting_place *place);
const char *limpet_log_setting_name(const limpet_log_setting_place *place,
                                    char name[LIMPET_LOG_SETTING_NAME]);
// Returns false where there is no such setting.
bool limpet_log_setting_find(limpet_log_setting_place *place, const char *wanted);

#endif
