/* cli/progress.h: a bar on the terminal while something long goes on. */
#ifndef LIMPET_CLI_PROGRESS_H
#define LIMPET_CLI_PROGRESS_H

#include <stdbool.h>

typedef struct limpet_progress {
  bool shown;           // stderr is a terminal, and --quiet was not given
  double duration;      // [s]  simulated time to go through; or how many are to be counted
  const char *counted;  // what is counted ("runs"); NULL: simulated time
  double begin;         // [s]  wall time when it began
  double next;          // [s]  wall time of the next redraw
} limpet_progress;

limpet_progress limpet_progress_begin(double duration, bool quiet);
// Redraws at most ten times a second. `done`: simulated time so far [s], or how many.
void limpet_progress_show(limpet_progress *progress, double done);
void limpet_progress_end(const limpet_progress *progress);  // clears the line

#endif
