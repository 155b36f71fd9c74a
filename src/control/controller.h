/* control/controller.h: kinds of controllers, and what a controller consists of. */
#ifndef LIMPET_CONTROL_CONTROLLER_H
#define LIMPET_CONTROL_CONTROLLER_H

#include "control/drive.h"

typedef struct limpet_controller_part limpet_controller_part;

struct limpet_controller_kind {
  limpet_descriptor descriptor;
  // Fills the drive and `plan` of the part, which is empty before; false with the error.
  bool (*read)(limpet_controller_part *part, const limpet_model *model, const limpet_json *object);
  // The wanted motion of the drive's joints at `time` [s].
  void (*plan)(limpet_controller_part *part, const limpet_model *model, const limpet_data *data,
               double time, limpet_update *update);
  void (*reset)(limpet_controller_part *part);    // may be NULL
  void (*release)(limpet_controller_part *part);  // frees the plan, which may be NULL
};

struct limpet_controller_part {
  const limpet_controller_kind *kind;
  limpet_drive drive;
  void *plan;  // of the kind
};

extern const limpet_controller_kind limpet_controller_computed_torque,
    limpet_controller_joint_position, limpet_controller_cartesian;

#endif
