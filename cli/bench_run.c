/* cli/bench_run.c: see bench_run.h. Time is that of the CPU, so that what else a machine does
 * disturbs it little. Controls are held for ten steps at a time, as other simulators are driven. */
#include "bench_run.h"

#include <math.h>

#include "clock.h"

static void drive(limpet_bench_world *world, const limpet_bench_motion *motion, int step) {
  if (motion->drive && step % LIMPET_BENCH_HOLD_STEPS == 0)
    motion->drive(world->model, step * LIMPET_BENCH_TIME_STEP, world->data->control);
}

double limpet_bench_run_time(limpet_bench_world *world, const limpet_bench_motion *motion,
                             int steps) {
  limpet_data_state_write(world->model, world->data, world->state);
  const double start = limpet_processor_time();
  for (int i = 0; i < steps; ++i) {
    drive(world, motion, i);
    limpet_step(world->model, world->data, &world->settings);
  }
  return (limpet_processor_time() - start) / steps;
}

static void story_add(limpet_bench_story *story, const limpet_step_info *info) {
  const double share = 1.0 / story->steps;
  for (int i = 0; i < LIMPET_STAGE_COUNT; ++i) story->stage[i] += share * info->stage_time[i];
  story->contacts += share * info->contact_count;
  story->pairs += share * info->pair_count;
  story->iterations += share * info->iterations;
  if (info->iterations > story->worst_iterations) story->worst_iterations = info->iterations;
  story->unsolved += info->outcome != LIMPET_OUTCOME_SOLVED;
  story->depth = fmax(story->depth, info->deepest_penetration);
}

void limpet_bench_run_describe(limpet_bench_world *world, const limpet_bench_motion *motion,
                               int steps, limpet_bench_story *story) {
  *story = (limpet_bench_story){.steps = steps};
  limpet_data_state_write(world->model, world->data, world->state);
  world->settings.profile = true;
  for (int i = 0; i < steps; ++i) {
    drive(world, motion, i);
    limpet_step(world->model, world->data, &world->settings);
    story_add(story, &world->data->info);
  }
  world->settings.profile = false;
  story->hash = limpet_data_state_hash(world->model, world->data);
}
