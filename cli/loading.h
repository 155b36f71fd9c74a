/* cli/loading.h: how commands read a model file: the options that all of them take. */
#ifndef LIMPET_CLI_LOADING_H
#define LIMPET_CLI_LOADING_H

#include "options.h"

typedef struct limpet_loading {  // zero: nothing was asked for
  bool strict;                   // of `run` and `compare` alone
  bool fix_base, exclude_overlaps;
  limpet_text_list packages;
  const char *gravity;          // --gravity, as given; NULL: the file's
  limpet_text_list parameters;  // NAME.FIELD=VALUE, in the order given
} limpet_loading;

enum { LIMPET_LOADING_OPTION_COUNT = 5 };

// The rows of --fix-base, --exclude-overlaps, --package, --gravity and --param, at the start of
// `table`; returns how many.
int limpet_loading_options(limpet_loading *loading, limpet_option *table);

/* Loads a model; complains and returns NULL when that fails. `warn`: says on stderr what of the
 * file is not simulated. `loading` NULL: nothing was asked for. Here and below `code` (NULL: not
 * wanted) is the exit code of a failure: LIMPET_EXIT_USAGE where --gravity or --param are wrong. */
limpet_model *limpet_model_open(const char *path, const limpet_loading *loading, bool warn,
                                int *code);
// The same for what prints the notes itself: shows how far it is, and no warnings.
limpet_model *limpet_model_open_shown(const char *path, const limpet_loading *loading, int *code);
// A builder with what the file says and --gravity and --param changed; NULL on failure.
limpet_builder *limpet_builder_open(const char *path, const limpet_loading *loading,
                                    limpet_error *error, int *code);
// The same compiled, with a bar on a terminal while pressure fields are made, unless `quiet`.
limpet_model *limpet_model_load(const char *path, const limpet_loading *loading, bool quiet,
                                limpet_error *error, int *code);

#endif
