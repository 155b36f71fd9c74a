/* cli/bench_time.h: how long a step takes, by the protocol of docs/cli.md. */
#ifndef LIMPET_CLI_BENCH_TIME_H
#define LIMPET_CLI_BENCH_TIME_H

#include "bench_scene.h"

enum { LIMPET_BENCH_BATCHES = 15, LIMPET_BENCH_BATCH_STEPS = 20 };

typedef struct limpet_bench_result {
  double batch[LIMPET_BENCH_BATCHES];  // [s per step]
  double peer[LIMPET_BENCH_BATCHES];   // [s per step]  of the other simulator, in the same order
  // [s per step]  least over some batches with the stage clocks on
  double stage[LIMPET_STAGE_COUNT];
  double contacts, iterations;  // mean over the steps of a batch
  double residual;              // [-]  worst
  int islands, largest_island;  // of the last step
  uint64_t hash;                // of the state after a batch: another hash is another simulation
  int failures;                 // steps of a batch that were not solved
} limpet_bench_result;

// One batch from the settled state, repeated until 2 ms have passed  [s per step].
double limpet_bench_batch(limpet_bench_world *world);
// What a batch does (contacts, iterations, residual, hash), and how long each stage takes.
void limpet_bench_describe(limpet_bench_world *world, limpet_bench_result *result);
// Time of one addition that waits for the one before  [s]: tells machines and busy neighbours
//                                                     apart.
double limpet_bench_calibration(void);

double limpet_bench_least(const double *values, int count);
double limpet_bench_median(const double *values, int count);  // at most LIMPET_BENCH_BATCHES values

#endif
