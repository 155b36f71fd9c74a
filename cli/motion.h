/* cli/motion.h: a motion that was recorded elsewhere, as a replay: q against time. */
#ifndef LIMPET_CLI_MOTION_H
#define LIMPET_CLI_MOTION_H

#include "command.h"

/* "FILE.csv" or "NAME=FILE.csv": lines of the time [s] and the nq coordinates, separated by commas;
 * a first line of names is passed over. `data` (its state is not kept) gives the poses. Complains
 * with file and line, and returns NULL, where it cannot be read. */
limpet_replay *limpet_motion_read(const char *word, const limpet_model *model, limpet_data *data,
                                  int run_count);

#endif
