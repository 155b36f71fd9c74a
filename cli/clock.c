/* cli/clock.c: wall and processor time. */
#include "clock.h"

#include <time.h>

static double now_by(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double limpet_wall_time(void) { return now_by(CLOCK_MONOTONIC); }

double limpet_processor_time(void) { return now_by(CLOCK_PROCESS_CPUTIME_ID); }
