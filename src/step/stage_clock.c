/* step/stage_clock.c: see stage_clock.h. */
#include "step/stage_clock.h"

#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

limpet_stage_clock limpet_stage_clock_start(bool running, double *time) {
  return (limpet_stage_clock){.running = running, .since = running ? now() : 0.0, .time = time};
}

void limpet_stage_clock_lap(limpet_stage_clock *clock, limpet_stage stage) {
  if (!clock->running) return;
  const double time = now();
  clock->time[stage] += time - clock->since;
  clock->since = time;
}
