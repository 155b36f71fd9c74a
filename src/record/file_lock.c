/* record/file_lock.c: locks that die with the process that holds them. */
#include "record/file_lock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "limpet/record.h"
#include "record/output_file.h"

bool limpet_file_is_locked(const char *path, bool shared) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool locked =
      flock(file, (shared ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(file);
  return locked;
}

static int folder_open(const char *path) {
  char *folder = strdup(path);
  if (!folder) return -1;
  char *slash = strrchr(folder, '/');
  if (slash) slash[slash == folder] = '\0';
  const int opened = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  free(folder);
  return opened;
}

int limpet_folder_lock(const char *path) {
  enum { TRIES = 100 };
  const struct timespec pause = {.tv_nsec = 20000000};
  const int folder = folder_open(path);
  if (folder < 0) return -1;
  for (int i = 0; i < TRIES; ++i) {
    if (flock(folder, LOCK_EX | LOCK_NB) == 0) return folder;
    if (errno != EWOULDBLOCK) break;
    nanosleep(&pause, NULL);
  }
  close(folder);
  return -1;
}

void limpet_folder_unlock(int lock) {
  if (lock >= 0) close(lock);
}

/* Of the two files of a log (log_file.c) the visible one is locked alone by who writes it where it
 * is the only one; the hidden one always is. That has its name but for the moment in which names
 * are exchanged, when it has the spare one: it is looked for before and after that. */
bool limpet_log_is_being_written(const char *path) {
  assert(path);
  char *twin = limpet_output_name(path, ".part"), *spare = limpet_output_name(path, ".spare");
  const bool written = limpet_file_is_locked(path, false) ||
                       (twin && spare &&
                        (limpet_file_is_locked(twin, true) || limpet_file_is_locked(spare, true) ||
                         limpet_file_is_locked(twin, true)));
  free(twin);
  free(spare);
  return written;
}
