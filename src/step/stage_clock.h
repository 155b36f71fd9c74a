/* step/stage_clock.h: how long the stages of a step take. */
#ifndef LIMPET_STEP_STAGE_CLOCK_H
#define LIMPET_STEP_STAGE_CLOCK_H

#include "limpet/data.h"

typedef struct limpet_stage_clock {
  bool running;  // off: nothing is asked and nothing written
  double since;  // [s]  when the present stage began
  double *time;  // (LIMPET_STAGE_COUNT)  [s]
} limpet_stage_clock;

limpet_stage_clock limpet_stage_clock_start(bool running, double *time);
// Adds the time since the start or the last lap to time[stage]; the next stage begins.
void limpet_stage_clock_lap(limpet_stage_clock *clock, limpet_stage stage);

#endif
