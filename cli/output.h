/* cli/output.h: files that appear whole or not at all: written beside their target under a
 * temporary name, then renamed. */
#ifndef LIMPET_CLI_OUTPUT_H
#define LIMPET_CLI_OUTPUT_H

#include <stdbool.h>

#include "limpet/base.h"

enum { LIMPET_PATH_SIZE = 4096 };

typedef struct limpet_output {
  char path[LIMPET_PATH_SIZE];
  char temporary[LIMPET_PATH_SIZE];  // in the same folder, so that the rename is atomic
} limpet_output;

/* Whether a file could be written at `path`: the folder exists and takes files, the target is no
 * folder and none of the `inputs` (NULL entries are skipped). Complains if not, naming `option`.
 * Creates nothing. */
bool limpet_output_possible(const char *option, const char *path, const char *const *inputs,
                            int input_count);

// Decides the temporary name; creates nothing. False, with a complaint, if the path is too long.
bool limpet_output_begin(limpet_output *output, const char *path);
// Puts the written temporary file in place of the target; removes it and complains if that fails.
bool limpet_output_commit(const limpet_output *output);
void limpet_output_discard(const limpet_output *output);

#endif
