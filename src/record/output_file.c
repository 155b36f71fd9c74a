/* record/output_file.c: files that appear whole or not at all: written beside their place, then
 * renamed. */
#include "record/output_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

limpet_status limpet_output_check(const char *path, limpet_error *error) {
  struct stat status;
  if (stat(path, &status) != 0 || S_ISREG(status.st_mode)) return LIMPET_OK;
  return limpet_error_fill(error, LIMPET_ERROR_FILE,
                           "%s: is not a regular file and will not be replaced; give another name",
                           path);
}

char *limpet_output_name(const char *path, const char *ending) {
  const size_t size = strlen(path) + strlen(ending) + 1;
  char *name = malloc(size);
  if (name) snprintf(name, size, "%s%s", path, ending);
  return name;
}

char *limpet_output_temporary(const char *path) {
  char ending[32];
  snprintf(ending, sizeof ending, ".%ld.part", (long)getpid());
  return limpet_output_name(path, ending);
}

limpet_status limpet_output_place(const char *temporary, const char *path, limpet_error *error) {
  if (rename(temporary, path) == 0) return LIMPET_OK;
  return limpet_error_fill(error, LIMPET_ERROR_FILE, "%s: cannot be written: %s", path,
                           strerror(errno));
}
