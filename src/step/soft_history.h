/* step/soft_history.h: where residuals of the last points of an iteration would vanish. */
#ifndef LIMPET_STEP_SOFT_HISTORY_H
#define LIMPET_STEP_SOFT_HISTORY_H

#include <stdbool.h>

#include "base/arena.h"
#include "optim/anderson.h"

enum { LIMPET_SOFT_HISTORY = LIMPET_ANDERSON_MEMORY + 1 };

// The last points, in turn; starts as zero.
typedef struct limpet_soft_history {
  int count, newest;
  // (LIMPET_SOFT_HISTORY) of (n) each
  double *v[LIMPET_SOFT_HISTORY], *impulse[LIMPET_SOFT_HISTORY], *rest[LIMPET_SOFT_HISTORY];
} limpet_soft_history;

/* Takes a point with its residual (n each) in the place of the oldest one. False: no memory. */
bool limpet_soft_history_add(limpet_soft_history *history, limpet_arena *arena, long n,
                             const double *v, const double *impulse, const double *rest);
/* The affine combination of the points, weights summing to 1, whose combined residual is least, to
 * v and impulse (n each). False: fewer than two points, or no such weights. */
bool limpet_soft_history_extrapolate(const limpet_soft_history *history, long n, double *v,
                                     double *impulse);

#endif
