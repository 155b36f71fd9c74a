/* control/trajectory_read.h: joint trajectories and Cartesian paths from JSON. */
#ifndef LIMPET_CONTROL_TRAJECTORY_READ_H
#define LIMPET_CONTROL_TRAJECTORY_READ_H

#include "control/json.h"
#include "limpet/control.h"

// The member "trajectory" of the object, for `count` joints. NULL with the error.
limpet_trajectory *limpet_trajectory_read(const limpet_model *model, int count, const int *joint,
                                          const limpet_json *object);
// The member "path" of the object; `turns`: orientations are needed. NULL with the error.
limpet_path *limpet_path_read(const limpet_json *object, bool turns);

#endif
