/* cli/bench_run.h: one whole run of a scene in motion, and what it took. */
#ifndef LIMPET_CLI_BENCH_RUN_H
#define LIMPET_CLI_BENCH_RUN_H

#include "bench_moving_scene.h"

typedef struct limpet_bench_story {
  int steps;
  double stage[LIMPET_STAGE_COUNT];    // [s per step]  mean over the run
  double contacts, pairs, iterations;  // mean over steps
  int worst_iterations, unsolved;      // of a step; steps
  double depth;                        // [m]  deepest penetration
  uint64_t hash;                       // of the last state
} limpet_bench_story;

/* CPU time of a run from the start state  [s per step]. */
double limpet_bench_run_time(limpet_bench_world *world, const limpet_bench_motion *motion,
                             int steps);
// The same run, looked at: with the stage clocks on.
void limpet_bench_run_describe(limpet_bench_world *world, const limpet_bench_motion *motion,
                               int steps, limpet_bench_story *story);

#endif
