/* cli/bench_moving.h: `limpet bench --moving`: what steps cost while things move. */
#ifndef LIMPET_CLI_BENCH_MOVING_H
#define LIMPET_CLI_BENCH_MOVING_H

#include "options.h"

typedef struct limpet_bench_moving_options {
  bool json, once, count;  // --json, --once, --instructions
  const char *against;     // NULL: nobody
  const char *machine;     // NULL: the host's name
  const char *baseline;    // file of results to compare with; NULL: none
  int steps;               // of a run; 0: those of the scene
} limpet_bench_moving_options;

// The scenes that are named, or all; returns the exit code.
int limpet_bench_moving(const limpet_bench_moving_options *options, const limpet_text_list *names);

#endif
