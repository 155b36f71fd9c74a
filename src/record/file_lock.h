/* record/file_lock.h: locks (flock) that die with the process that holds them. On file systems
 * without locks nobody is seen to hold one, and what needs one goes on without. */
#ifndef LIMPET_RECORD_FILE_LOCK_H
#define LIMPET_RECORD_FILE_LOCK_H

#include <stdbool.h>

/* Whether someone holds a lock on a file: an exclusive one, or (`shared`) one of either kind. False
 * where there is no such file. */
bool limpet_file_is_locked(const char *path, bool shared);
/* Locks the folder of a file, so that one process at a time looks for the file and makes it: what
 * close() unlocks. -1: without a lock, also where someone else has it for 2 s. */
int limpet_folder_lock(const char *path);
void limpet_folder_unlock(int lock);

#endif
