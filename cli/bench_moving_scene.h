/* cli/bench_moving_scene.h: the scenes of `limpet bench --moving`: whole runs from the start pose.
 */
#ifndef LIMPET_CLI_BENCH_MOVING_SCENE_H
#define LIMPET_CLI_BENCH_MOVING_SCENE_H

#include "bench_scene.h"

// Steps for which controls are held, in every simulator.
enum { LIMPET_BENCH_HOLD_STEPS = 10 };

typedef struct limpet_bench_motion {
  limpet_bench_scene scene;
  int steps;  // of a run
  // Changes the controls at `time` [s]; NULL: they stay as the start pose has them.
  void (*drive)(const limpet_model *model, double time, double *control);
  bool alone;  // too large for other simulators: their memory grows with the square of the bodies
} limpet_bench_motion;

extern const limpet_bench_motion limpet_bench_motions[];
extern const int limpet_bench_motion_count;

#endif
