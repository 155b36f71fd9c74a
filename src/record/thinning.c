/* record/thinning.c: frames at a steady rate, and at most so many of them.
 *
 * Frame k is due at start + k interval; the first step at or after that time makes it. When there
 * are `limit` frames every second one goes and the interval doubles, so that memory and file stay
 * bounded for any length of run. The limit is even: then the frame that comes next falls on the new
 * interval. */
#include "record/thinning.h"

#include <math.h>

enum { LEAST_LIMIT = 4 };  // frames: what is halved and still shows motion
// a step that ends within this part of an interval before the due time counts as being due
static const double due_tolerance = 1e-6;

limpet_thinning limpet_thinning_begin(double interval, int limit) {
  return (limpet_thinning){.interval = interval > 0.0 ? interval : 0.0,
                           .limit = limit < LEAST_LIMIT ? LEAST_LIMIT : limit - limit % 2};
}

bool limpet_thinning_wants(const limpet_thinning *thinning, double time) {
  return !thinning->started || time >= thinning->due - due_tolerance * thinning->interval;
}

void limpet_thinning_kept(limpet_thinning *thinning, double time) {
  if (!thinning->started) thinning->start = thinning->due = time;
  thinning->started = true;
  if (thinning->interval <= 0.0) return;
  const double passed = floor((time - thinning->start) / thinning->interval + due_tolerance);
  thinning->due = thinning->start + thinning->interval * (passed + 1.0);
}

void limpet_thinning_halved(limpet_thinning *thinning) { thinning->interval *= 2.0; }
