/* record/log_lock.c: who may read and who may write the two files of a log that is being written.
 *
 * HDF5 takes a lock (flock) on each file that it opens: shared for reading, exclusive for writing,
 * and gives up at once where it cannot have it. A log that is written says by locks of the same
 * kind, on HDF5's own descriptors, what its two files (log_file.c) are for:
 *   visible   shared: complete and at rest. Everybody may read it, and whoever has it open keeps
 *             the writer from it as long as he likes.
 *   hidden    exclusive while rows are written, else shared.
 * The visible file becomes the hidden one at the next flush, while readers may still have it open.
 * Then it is left to them, and the hidden file is a new one, a copy of the one that is visible by
 * then. A log that is one file is locked until it is closed. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/log.h"

int limpet_log_descriptor(const limpet_log *log, int which) {
  int *descriptor = NULL;
  const bool found = log->file[which] >= 0 &&
                     H5Fget_vfd_handle(log->file[which], H5P_DEFAULT, (void **)&descriptor) >= 0;
  return found ? *descriptor : -1;
}

void limpet_log_share(const limpet_log *log, int which) {
  flock(limpet_log_descriptor(log, which), LOCK_SH | LOCK_NB);
}

bool limpet_log_claim(const limpet_log *log, int which) {
  // where there are no locks, nobody can be seen
  return flock(limpet_log_descriptor(log, which), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

bool limpet_log_copy(const limpet_log *log, int which, const char *path) {
  enum { PIECE = 1 << 30 };  // [bytes]
  struct stat from;
  const int source = limpet_log_descriptor(log, which);
  if (source < 0 || fstat(source, &from) != 0) return false;
  const int target = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (target < 0) return false;
  off_t at = 0;
  ssize_t copied = 1;
  while (at < from.st_size && copied > 0) copied = sendfile(target, source, &at, PIECE);
  const int reason = copied < 0 ? errno : 0;
  close(target);
  errno = reason;
  return at == from.st_size;
}
