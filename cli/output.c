/* cli/output.c: files that appear whole or not at all. */
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

// Folder of a path: "a/b.h5" gives "a", "b.h5" gives ".", "/b.h5" gives "/".
static void folder_of(char folder[LIMPET_PATH_SIZE], const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash) snprintf(folder, LIMPET_PATH_SIZE, ".");
  else if (slash == path) snprintf(folder, LIMPET_PATH_SIZE, "/");
  else snprintf(folder, LIMPET_PATH_SIZE, "%.*s", (int)(slash - path), path);
}

bool limpet_output_possible(const char *option, const char *path, const char *const *inputs,
                            int input_count) {
  if (strcmp(path, "-") == 0) {
    limpet_complain("%s -: this is written as a file; give it a name", option);
    return false;
  }

  // the folder
  char folder[LIMPET_PATH_SIZE];
  struct stat status;
  folder_of(folder, path);
  if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode)) {
    limpet_complain("%s %s: there is no folder '%s'; make it first", option, path, folder);
    return false;
  }
  if (access(folder, W_OK | X_OK) != 0) {
    limpet_complain("%s %s: no file can be written in '%s': %s", option, path, folder,
                    strerror(errno));
    return false;
  }

  // the target, where it exists
  if (stat(path, &status) != 0) return true;
  if (S_ISDIR(status.st_mode)) {
    limpet_complain("%s %s: this is a folder; give the name of a file", option, path);
    return false;
  }
  for (int i = 0; i < input_count; ++i) {
    struct stat input;
    if (!inputs[i] || stat(inputs[i], &input) != 0) continue;
    if (input.st_dev == status.st_dev && input.st_ino == status.st_ino) {
      limpet_complain("%s %s: this would overwrite an input of this command; choose another name",
                      option, path);
      return false;
    }
  }
  return true;
}

bool limpet_output_begin(limpet_output *output, const char *path) {
  const char *slash = strrchr(path, '/');
  const int folder_length = slash ? (int)(slash - path) + 1 : 0;
  const int length = snprintf(output->temporary, sizeof output->temporary, "%.*s.%s.%ld.tmp",
                              folder_length, path, path + folder_length, (long)getpid());
  if (length >= (int)sizeof output->temporary) {
    limpet_complain("%s: the path is too long", path);
    return false;
  }
  snprintf(output->path, sizeof output->path, "%s", path);
  return true;
}

bool limpet_output_commit(const limpet_output *output) {
  if (rename(output->temporary, output->path) == 0) return true;
  limpet_complain("%s: cannot be written: %s", output->path, strerror(errno));
  limpet_output_discard(output);
  return false;
}

void limpet_output_discard(const limpet_output *output) { unlink(output->temporary); }
