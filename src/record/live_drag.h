/* record/live_drag.h: a spring between a point of a body and where someone holds it. */
#ifndef LIMPET_RECORD_LIVE_DRAG_H
#define LIMPET_RECORD_LIVE_DRAG_H

#include "limpet/data.h"

typedef struct limpet_live_drag {
  int body;          // LIMPET_NONE: nothing is held
  double point[3];   // [m]  in the body frame
  double target[3];  // [m]  W
  double place[3];   // [m]  W, of the point when the force was found
  double force[3];   // [N]  W, on the body
  double wrench[6];  // [N m, N]  what was added to data->applied_wrench
} limpet_live_drag;

// Takes the force of the step before back and adds the new one. Runs the kinematics.
void limpet_live_drag_apply(limpet_live_drag *drag, const limpet_model *model, limpet_data *data);
// Takes the force back and lets go.
void limpet_live_drag_release(limpet_live_drag *drag, limpet_data *data);

#endif
