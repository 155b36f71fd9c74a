/* record/log_file.c: the files of a log, and how they survive the death of the process.
 *
 * HDF5 updates a file in place: while it flushes, lengths, indices and the end-of-file address on
 * disk belong to different moments, and a process that is killed then leaves a file that may not
 * open. So a log is two files that take turns. One is visible under the log's name, complete and at
 * rest; the other, hidden, lags one chunk behind. A flush
 *   1. appends to the hidden file the rows that it lacks (two chunks) and flushes it,
 *   2. exchanges the names, by links and one rename, which replaces the visible file at one moment.
 * Whenever the process dies, the name leads to a file that no one was writing, with all whole
 * chunks and columns of equal length. Each row is written twice, once to each file; a killed
 * process leaves the hidden one behind (".part"). Where the file system has no links, and once
 * someone else took the visible file away, there is one file, flushed in place.
 *
 * Locks (log_lock.c) let others read the visible file at any time: where the hidden file still has
 * readers from when it was visible, a copy of the visible one takes its place before rows are
 * written. A second process that would write the same log sees the locks and is refused.
 *
 * Files use the format of HDF5 1.8: what leads to the data has checksums, so that damage of it is
 * seen, and the superblock has no mark "open for writing" that would keep readers out after a kill,
 * as later formats have. They carry no time stamps. */
#define _GNU_SOURCE  // fallocate, memfd_create
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "record/file_lock.h"
#include "record/log.h"
#include "record/output_file.h"

enum { START_SIZE = 1 << 17 };  // [bytes]  most that descriptions take in a file that begins

static limpet_status cannot_write(const limpet_log *log, limpet_error *error) {
  return limpet_error_fill(error, LIMPET_ERROR_FILE, "%s: cannot be written: %s", log->path,
                           errno ? strerror(errno) : "HDF5 refused; is the disk full?");
}

// -------------------------------------------------------------------------------------- files

// forgets rows that every file has
static void column_trim(limpet_log_column *column, int file_count) {
  hsize_t common = column->written[0];
  if (file_count == 2 && column->written[1] < common) common = column->written[1];
  const size_t kept = (size_t)(column->total - common) * column->row_size;
  memmove(column->buffer, column->buffer + (size_t)(common - column->first) * column->row_size,
          kept);
  column->first = common;
}

static hid_t file_access(void) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  return access;
}

static hid_t file_create(const char *path) {
  const hid_t creation = H5Pcreate(H5P_FILE_CREATE), access = file_access();
  H5Pset_obj_track_times(creation, false);
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
  H5Pclose(access);
  H5Pclose(creation);
  return file;
}

static void file_close(limpet_log *log, int which) {
  if (log->file[which] >= 0) H5Fclose(log->file[which]);
  log->file[which] = H5I_INVALID_HID;
}

/* Whether a file can become so long, as far as disk, quota and the process's limit say. HDF5 must
 * not find out itself: a file whose flush failed cannot be closed any more, and HDF5 crashes on it
 * when the process ends. */
static bool room_for(int descriptor, hsize_t size) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size) {
    errno = EFBIG;
    return false;
  }
  if (fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, (off_t)size) == 0) return true;
  return errno != ENOSPC && errno != EDQUOT && errno != EFBIG;  // others: it cannot be asked
}

// for what HDF5 still holds back
static bool file_has_room(const limpet_log *log, int which) {
  hsize_t size = 0;
  const int descriptor = limpet_log_descriptor(log, which);
  return descriptor >= 0 && H5Fget_filesize(log->file[which], &size) >= 0 &&
         room_for(descriptor, size);
}

static bool file_flush(const limpet_log *log, int which) {
  return file_has_room(log, which) && H5Fflush(log->file[which], H5F_SCOPE_GLOBAL) >= 0;
}

// closes a file whose content counts no more: what HDF5 still wants to write goes nowhere
static void file_drop(limpet_log *log, int which) {
  const int descriptor = limpet_log_descriptor(log, which),
            sink = descriptor < 0 ? -1 : memfd_create("limpet log", MFD_CLOEXEC);
  if (sink >= 0) {
    dup2(sink, descriptor);
    close(sink);
  }
  file_close(log, which);
}

// closes the visible file; HDF5 marks it as closed, which it does not where someone reads it
static void visible_close(limpet_log *log) {
  const int visible = 1 - log->hidden;
  if (limpet_log_claim(log, visible)) file_close(log, visible);
  else file_drop(log, visible);
}

static bool file_append(limpet_log *log, int which) {
  bool failed = false;
  for (int c = 0; c < log->column_count; ++c)
    failed |= !limpet_log_dataset_write(&log->column[c], which);
  return !failed;
}

typedef struct log_header {
  const limpet_model *model;
  const limpet_data *data;
  const limpet_step_settings *settings;
  const limpet_log_options *options;
} log_header;

static hsize_t text_size(const char *text) { return text ? strlen(text) + 1 : 0; }

// bytes of a file without records, at most: texts stand there twice
static hsize_t start_size(const log_header *header) {
  const limpet_log_options *options = header->options;
  hsize_t size = START_SIZE + sizeof(double) * (hsize_t)limpet_data_state_size(header->model);
  size += 2 * (text_size(options->model_text) + text_size(options->controller_text) +
               text_size(options->command) + text_size(options->model_path));
  for (int object = 0; object < LIMPET_OBJECT_COUNT; ++object) {
    const int count = limpet_model_count(header->model, (limpet_object)object);
    hsize_t longest = sizeof(int);
    for (int i = 0; i < count; ++i) {
      const hsize_t length = text_size(limpet_model_name(header->model, (limpet_object)object, i));
      if (length > longest) longest = length;
    }
    size += (hsize_t)count * longest;
  }
  return size;
}

// HDF5 does not come back from a file that it cannot begin
static bool disk_has_room_for_a_start(const char *path, hsize_t size) {
  const int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return false;
  const bool has = room_for(descriptor, size);
  const int reason = errno;
  close(descriptor);
  if (!has) unlink(path);
  errno = has ? 0 : reason;
  return has;
}

// locks a new file, also where HDF5 was told not to (HDF5_USE_FILE_LOCKING), and notes which it is
static bool hidden_take(limpet_log *log, int which) {
  struct stat made;
  limpet_log_claim(log, which);
  if (stat(log->twin_path, &made) != 0) return false;
  log->inode[which] = made.st_ino;
  return true;
}

// a complete file without records, under the hidden name
static bool hidden_create(limpet_log *log, int which, const log_header *header) {
  bool failed = false;
  if (!disk_has_room_for_a_start(log->twin_path, start_size(header))) return false;
  log->file[which] = file_create(log->twin_path);
  if (log->file[which] < 0) return false;
  limpet_log_header_write(log->file[which], &failed, header->model, header->data, header->settings,
                          header->options);
  for (int c = 0; c < log->column_count && !failed; ++c)
    failed |= !limpet_log_dataset_create(&log->column[c], which, log->file[which], log->chunk);
  failed |= !hidden_take(log, which);
  return !failed && file_append(log, which) && file_flush(log, which);
}

// the visible file once more, as the hidden one; the former hidden file is left to its readers
static bool hidden_replace(limpet_log *log) {
  const int which = log->hidden, visible = 1 - which;
  file_drop(log, which);
  unlink(log->twin_path);
  if (!limpet_log_copy(log, visible, log->twin_path)) return false;
  const hid_t access = file_access();
  log->file[which] = H5Fopen(log->twin_path, H5F_ACC_RDWR, access);
  H5Pclose(access);
  bool failed = log->file[which] < 0 || !hidden_take(log, which);
  for (int c = 0; c < log->column_count && !failed; ++c) {
    limpet_log_column *column = &log->column[c];
    column->dataset[which] = H5Dopen2(log->file[which], column->quantity.name, H5P_DEFAULT);
    column->written[which] = column->written[visible];
    failed = column->dataset[which] < 0;
  }
  return !failed;
}

// the hidden file, which nobody reads
static bool hidden_claim(limpet_log *log) {
  return log->file_count == 1 || limpet_log_claim(log, log->hidden) || hidden_replace(log);
}

// -------------------------------------------------------------------------------------- names

// whether the name of the log leads to the file that was made visible, not to one of someone else
static bool visible_is_ours(const limpet_log *log) {
  struct stat found;
  return stat(log->path, &found) == 0 && found.st_ino == log->inode[1 - log->hidden];
}

/* The visible file keeps a second name while the hidden one takes its place. Where the visible one
 * was taken away it has no name to keep, and the hidden one goes on alone. */
static bool exchange_names(limpet_log *log) {
  if (!visible_is_ours(log)) {
    visible_close(log);
    log->file_count = 1;
    return rename(log->twin_path, log->path) == 0;
  }
  unlink(log->spare_path);
  limpet_log_share(log, log->hidden);
  const bool exchanged = link(log->path, log->spare_path) == 0 &&
                         rename(log->twin_path, log->path) == 0 &&
                         rename(log->spare_path, log->twin_path) == 0;
  if (exchanged) log->hidden = 1 - log->hidden;
  return exchanged;
}

static bool links_work(const limpet_log *log) {
  unlink(log->spare_path);
  return link(log->path, log->spare_path) == 0 && unlink(log->spare_path) == 0;
}

static bool pair_create(limpet_log *log, const log_header *header) {
  unlink(log->twin_path);
  if (!hidden_create(log, 0, header) || rename(log->twin_path, log->path) != 0) return false;
  log->file_count = 1;
  log->hidden = 0;
  if (!links_work(log)) return true;
  log->file_count = 2;
  log->hidden = 1;
  if (!hidden_create(log, 1, header)) return false;
  limpet_log_share(log, 0);
  return true;
}

limpet_status limpet_log_files_create(limpet_log *log, const limpet_model *model,
                                      const limpet_data *data, const limpet_step_settings *settings,
                                      const limpet_log_options *options, limpet_error *error) {
  const log_header header = {model, data, settings, options};
  bool created = false;
  const int lock = limpet_folder_lock(log->path);  // of two that begin, one finds the other's files
  const bool written = limpet_log_is_being_written(log->path);
  errno = 0;
  H5E_BEGIN_TRY { created = !written && pair_create(log, &header); }
  H5E_END_TRY
  const int reason = errno;
  limpet_folder_unlock(lock);
  if (created) return LIMPET_OK;
  if (written)
    return limpet_error_fill(error, LIMPET_ERROR_FILE,
                             "%s: another process is writing this log; wait until it ends, or give "
                             "another name",
                             log->path);
  errno = reason;

  // nothing half written stays
  const limpet_status status = cannot_write(log, error);
  if (log->file_count > 0) unlink(log->path);
  if (log->file[0] >= 0 || log->file[1] >= 0) unlink(log->twin_path);
  H5E_BEGIN_TRY {
    file_drop(log, 0);
    file_drop(log, 1);
  }
  H5E_END_TRY
  return status;
}

// -------------------------------------------------------------------------------------- flush

static bool flush_chunk(limpet_log *log) {
  if (!hidden_claim(log) || !file_append(log, log->hidden) || !file_flush(log, log->hidden))
    return false;
  if (log->file_count == 2 && !exchange_names(log)) return false;
  for (int c = 0; c < log->column_count; ++c) column_trim(&log->column[c], log->file_count);
  return true;
}

// after a failure the visible file, which is whole, is what remains
static void drop_hidden(limpet_log *log) {
  H5E_BEGIN_TRY {
    file_drop(log, log->hidden);
    visible_close(log);
  }
  H5E_END_TRY
  if (log->file_count == 2) unlink(log->twin_path);
}

// the hidden file, now with everything, takes the place of the visible one for good
static bool flush_last(limpet_log *log) {
  const int last = log->hidden;
  if (!hidden_claim(log)) return false;
  if (!limpet_log_datasets_tighten(log, last) || !file_append(log, last) ||
      !limpet_log_mark_complete(log->file[last]) || !file_flush(log, last))
    return false;

  // named while it is locked: who would write this log sees it until then
  if (log->file_count == 2 && rename(log->twin_path, log->path) != 0) return false;
  const bool closed = H5Fclose(log->file[last]) >= 0;
  log->file[last] = H5I_INVALID_HID;
  visible_close(log);
  return closed;
}

limpet_status limpet_log_files_flush(limpet_log *log, bool last, limpet_error *error) {
  bool flushed = false;
  errno = 0;
  H5E_BEGIN_TRY { flushed = !log->broken && (last ? flush_last(log) : flush_chunk(log)); }
  H5E_END_TRY
  if (flushed) return LIMPET_OK;
  const limpet_status status = cannot_write(log, error);
  log->broken = true;
  if (last) drop_hidden(log);
  return status;
}
