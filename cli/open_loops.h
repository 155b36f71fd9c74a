/* cli/open_loops.h: whether loops that should be closed open in a run: connects, welds, distances
 * and couplers that are near-rigid, and hang on no body that the user moves. */
#ifndef LIMPET_CLI_OPEN_LOOPS_H
#define LIMPET_CLI_OPEN_LOOPS_H

#include "limpet/limpet.h"

typedef enum limpet_opening {
  LIMPET_OPENING_GAP,      // [m]  of points, of the length of a distance
  LIMPET_OPENING_TURN,     // [rad]  of the frames of a weld
  LIMPET_OPENING_COUPLER,  // [m, rad]
  LIMPET_OPENING_COUNT
} limpet_opening;

typedef struct limpet_open_loops {
  bool closed[LIMPET_OPENING_COUNT];  // all were, to a millimetre and a milliradian, at some step
  double most[LIMPET_OPENING_COUNT];  // since then; till then: now
  double time[LIMPET_OPENING_COUNT];  // [s]  of that
} limpet_open_loops;

// After each step.
void limpet_open_loops_add(limpet_open_loops *open, const limpet_data *data);
// Whether they stand open, or opened after they were closed.
bool limpet_open_loops_are(const limpet_open_loops *open, limpet_opening opening);

#endif
