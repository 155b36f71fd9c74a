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
// The place of the point that is `back` before the newest one, in the arrays above.
int limpet_soft_history_place(const limpet_soft_history *history, int back);
/* share (LIMPET_ANDERSON_MEMORY) of the points before the newest one, x_1, x_2, ...: of
 * x_0 + sum share_i (x_i - x_0) the residual, combined likewise, is least. Returns how many there
 * are, 0: fewer than two points, or no such shares. */
int limpet_soft_history_shares(const limpet_soft_history *history, long n, double *share);

#endif
