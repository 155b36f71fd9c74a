/* gradient/state_columns.h: columns of pose, velocity, forces and controls of compliant contact in
 * closed form, for the trees where that is known. */
#ifndef LIMPET_GRADIENT_STATE_COLUMNS_H
#define LIMPET_GRADIENT_STATE_COLUMNS_H

#include "gradient/columns.h"

// Columns that have no closed form, and have to be filled by differences.
typedef struct limpet_differing {
  bool *state;    // (nv)
  bool *force;    // (nv)
  bool *control;  // (nu)
} limpet_differing;

/* Fills columns q and v (NULL: not wanted) with their kinks, force and control (NULL: not wanted)
 * for the velocities of trees that are known, and says which are left. width: of differences. The
 * world of the probe is at the start of the step, geoms placed, and is again on return. LIMPET_OK
 * or LIMPET_ERROR_MEMORY. */
limpet_status limpet_state_columns(limpet_probe *probe, double width, double control_share,
                                   limpet_arena *arena, limpet_columns *columns,
                                   limpet_differing *differs);

#endif
