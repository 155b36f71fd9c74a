/* cli/bench_time.c: how long a step takes.
 *
 * A batch is 20 steps (40 ms of simulated time) from the same settled state with the same warm
 * start, repeated until at least 2 ms of wall time have passed, so that the grain of the clock and
 * interrupts vanish. Caches are warm. The stage clocks cost some 25 ns each and are off in the
 * batches that count. */
#include "bench_time.h"

#include "clock.h"

static const double batch_time = 2e-3;  // [s]

static void world_restore(limpet_bench_world *world) {
  limpet_data_state_write(world->model, world->data, world->state);
}

double limpet_bench_batch(limpet_bench_world *world) {
  double total = 0.0;
  int steps = 0;
  while (total < batch_time) {
    world_restore(world);
    const double start = limpet_wall_time();
    for (int i = 0; i < LIMPET_BENCH_BATCH_STEPS; ++i)
      limpet_step(world->model, world->data, &world->settings);
    total += limpet_wall_time() - start;
    steps += LIMPET_BENCH_BATCH_STEPS;
  }
  return total / steps;
}

// One batch with the stage clocks on: lowers result->stage where this one was faster.
static void stages_time(limpet_bench_world *world, limpet_bench_result *result, bool first) {
  double stage[LIMPET_STAGE_COUNT] = {0};
  world_restore(world);
  for (int i = 0; i < LIMPET_BENCH_BATCH_STEPS; ++i) {
    limpet_step(world->model, world->data, &world->settings);
    for (int k = 0; k < LIMPET_STAGE_COUNT; ++k)
      stage[k] += world->data->info.stage_time[k] / LIMPET_BENCH_BATCH_STEPS;
  }
  for (int k = 0; k < LIMPET_STAGE_COUNT; ++k) {
    if (first || stage[k] < result->stage[k]) result->stage[k] = stage[k];
  }
}

void limpet_bench_describe(limpet_bench_world *world, limpet_bench_result *result) {
  const double share = 1.0 / LIMPET_BENCH_BATCH_STEPS;
  world_restore(world);
  for (int i = 0; i < LIMPET_BENCH_BATCH_STEPS; ++i) {
    result->failures +=
        limpet_step(world->model, world->data, &world->settings) != LIMPET_OUTCOME_SOLVED;
    const limpet_step_info *info = &world->data->info;
    result->contacts += share * info->contact_count;
    result->iterations += share * info->iterations;
    if (info->residual > result->residual) result->residual = info->residual;
  }
  result->islands = world->data->info.island_count;
  result->largest_island = world->data->info.largest_island;
  result->hash = limpet_data_state_hash(world->model, world->data);

  world->settings.profile = true;
  for (int i = 0; i < 5; ++i) stages_time(world, result, i == 0);
  world->settings.profile = false;
}

double limpet_bench_calibration(void) {
  enum { ADDITIONS = 1000000 };
  double best = 0.0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    volatile double step = 1e-9;
    const double addend = step;
    double sum = 0.0;
    const double start = limpet_wall_time();
    for (int i = 0; i < ADDITIONS; ++i) sum += addend;
    step = sum;
    const double time = (limpet_wall_time() - start) / ADDITIONS;
    if (repeat == 0 || time < best) best = time;
  }
  return best;
}

double limpet_bench_least(const double *values, int count) {
  double least = values[0];
  for (int i = 1; i < count; ++i) {
    if (values[i] < least) least = values[i];
  }
  return least;
}

double limpet_bench_median(const double *values, int count) {
  double sorted[LIMPET_BENCH_BATCHES];
  for (int i = 0; i < count; ++i) {
    int at = i;
    for (; at > 0 && sorted[at - 1] > values[i]; --at) sorted[at] = sorted[at - 1];
    sorted[at] = values[i];
  }
  return count % 2 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}
