/* record/thinning.h: which steps become frames of a file. */
#ifndef LIMPET_RECORD_THINNING_H
#define LIMPET_RECORD_THINNING_H

#include <stdbool.h>

typedef struct limpet_thinning {
  double interval;  // [s]  between frames; doubles whenever every second frame is dropped
  int limit;        // of frames; even
  bool started;
  double start, due;  // [s]  time of the first frame, and when the next one is due
} limpet_thinning;

// `interval` [s] 0 or less: every step. At least 4 frames are kept.
limpet_thinning limpet_thinning_begin(double interval, int limit);
// Whether a frame is due at `time` [s].
bool limpet_thinning_wants(const limpet_thinning *thinning, double time);
// A frame at `time` was kept.
void limpet_thinning_kept(limpet_thinning *thinning, double time);
// Every second frame was dropped.
void limpet_thinning_halved(limpet_thinning *thinning);

#endif
