/* dynamics/transmission.h: what an actuator acts on: its length, and the row that maps velocities
 * to its rate. */
#ifndef LIMPET_DYNAMICS_TRANSMISSION_H
#define LIMPET_DYNAMICS_TRANSMISSION_H

#include "limpet/data.h"

/* Length of the transmission times gear, and its row: rate = sum row[k] v[dof[k]]. Returns how many
 * entries, at most 2 nv. */
int limpet_transmission_row(const limpet_model *model, const limpet_data *data, int actuator,
                            double *length, int *dof, double *row);

// Whether it is gear[0] times the coordinate of a joint that has one.
static inline bool limpet_actuator_on_coordinate(const limpet_model *model, int actuator) {
  if (model->actuator_transmission[actuator] != LIMPET_TRANSMISSION_JOINT) return false;
  const limpet_joint_kind kind = model->joint_kind[model->actuator_target[actuator]];
  return kind != LIMPET_JOINT_FREE && kind != LIMPET_JOINT_BALL;
}

/* Rotation of a ball joint's child in its parent, or of a site in its reference site. */
void limpet_transmission_rotation(const limpet_model *model, const limpet_data *data, int actuator,
                                  double quaternion[4]);

// What the gain multiplies at the start of the step: the activation, or the control clamped to its
// range.
double limpet_actuator_input(const limpet_model *model, const limpet_data *data, int actuator);

/* The input of a position servo on a rotation, moved by whole turns to within half a turn of its
 * length, so that the servo takes the shorter way: lengths of ball joints, and of a site's rotation
 * against another, repeat with 2 pi |gear|. Other inputs stay. */
double limpet_servo_input(const limpet_model *model, int actuator, double input, double length);
// The same for an input that is a position, whatever the law.
double limpet_shorter_way(const limpet_model *model, int actuator, double input, double length);

#endif
