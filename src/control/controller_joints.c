/* control/controller_joints.c: the kinds whose joints follow a trajectory: by computed torque, and
 * by position servos. */
#include "control/controller.h"
#include "control/trajectory_read.h"

static bool trajectory_take(limpet_controller_part *part, const limpet_model *model,
                            const limpet_json *object) {
  part->plan = limpet_trajectory_read(model, part->drive.n, part->drive.joint, object);
  return part->plan != NULL;
}

static bool computed_torque_read(limpet_controller_part *part, const limpet_model *model,
                                 const limpet_json *object) {
  static const char *const keys[] = {"kind", "joints", "trajectory", LIMPET_DRIVE_TORQUE_KEYS,
                                     NULL};
  return limpet_json_keys(object, keys) && limpet_drive_read(&part->drive, model, object, false) &&
         trajectory_take(part, model, object);
}

static bool joint_position_read(limpet_controller_part *part, const limpet_model *model,
                                const limpet_json *object) {
  static const char *const keys[] = {"kind", "joints", "trajectory", LIMPET_DRIVE_POSITION_KEYS,
                                     NULL};
  return limpet_json_keys(object, keys) && limpet_drive_read(&part->drive, model, object, true) &&
         trajectory_take(part, model, object);
}

static void trajectory_plan(limpet_controller_part *part, const limpet_model *model,
                            const limpet_data *data, double time, limpet_update *update) {
  (void)model, (void)data, (void)update;
  limpet_trajectory_at(part->plan, time, part->drive.wanted_q, part->drive.wanted_v,
                       part->drive.wanted_a);
}

static void trajectory_release(limpet_controller_part *part) {
  limpet_trajectory_destroy(part->plan);
}

const limpet_controller_kind limpet_controller_computed_torque = {
    .descriptor = {.name = "computed-torque",
                   .text = "Joints follow a trajectory by the torques of inverse dynamics and a "
                           "correction of the error.",
                   .reference =
                       "Siciliano et al., Robotics (2009), section 8.5.2; src/control/drive.c"},
    .read = computed_torque_read,
    .plan = trajectory_plan,
    .release = trajectory_release,
};

const limpet_controller_kind limpet_controller_joint_position = {
    .descriptor = {.name = "joint-position",
                   .text = "Position servos are commanded along a trajectory, ahead of it by the "
                           "force that it takes.",
                   .reference = "src/control/drive.c"},
    .read = joint_position_read,
    .plan = trajectory_plan,
    .release = trajectory_release,
};
