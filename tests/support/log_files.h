/* tests/support/log_files.h: logs of the puppet, and what files of logs hold. */
#ifndef LIMPET_TEST_LOG_FILES_H
#define LIMPET_TEST_LOG_FILES_H

#include <hdf5.h>
#include <stddef.h>

#include "limpet/limpet.h"

// ------------------------------------------------------------------------------------ writing

// A log of the puppet that holds nothing but its start; interval [s], chunk [records].
limpet_log *puppet_log_begin(const char *path, const limpet_model *model, limpet_data *data,
                             double interval, int chunk);
// Steps `first` to `last` of the puppet.
void puppet_log_append(limpet_log *log, const limpet_model *model, limpet_data *data, int first,
                       int last);
// A whole log, of steps 0 to `last`.
void puppet_log_write(const char *path, const limpet_model *model, int last, double interval,
                      int chunk);

// ------------------------------------------------------------------------------------ reading

// All of a dataset as doubles, by malloc; its shape in `shape`, ones behind it.
double *log_rows(hid_t file, const char *name, hsize_t shape[3]);
bool log_leaves_out(const char *name);  // nothing of the kind is in the model, or asked for
unsigned char *log_bytes(const char *path, size_t *size);  // of the file, by malloc
/* Every dataset opens, can be read, and holds whole chunks of the same records; returns how many
 * records. */
int log_check_whole(const char *path, int chunk);

#endif
