/* format/robot/joint.h: the kinds of joints that URDF and SDFormat have, as joints of the builder.
 *
 * All in the frame of the child; docs/conventions.md has their coordinates. */
#ifndef LIMPET_FORMAT_ROBOT_JOINT_H
#define LIMPET_FORMAT_ROBOT_JOINT_H

#include "format/robot/robot.h"

typedef enum limpet_robot_joint_kind {
  LIMPET_ROBOT_FIXED,
  LIMPET_ROBOT_REVOLUTE,
  LIMPET_ROBOT_CONTINUOUS,
  LIMPET_ROBOT_PRISMATIC,
  LIMPET_ROBOT_FLOATING,
  LIMPET_ROBOT_PLANAR,
  LIMPET_ROBOT_BALL,
  LIMPET_ROBOT_UNIVERSAL,
  LIMPET_ROBOT_SCREW
} limpet_robot_joint_kind;

// Formats that a word belongs to, as bits.
enum { LIMPET_ROBOT_URDF = 1, LIMPET_ROBOT_SDFORMAT = 2 };

// The kind that the attribute 'type' of a joint names in that format; ends the reading at others.
limpet_robot_joint_kind limpet_robot_joint_kind_read(limpet_robot *robot,
                                                     const limpet_xml_element *e, int format);

// The axis of a screw advances by `pitch` [m] in a turn; > 0: a right-handed thread.
void limpet_robot_joint_pitch(limpet_robot *robot, limpet_robot_joint *joint,
                              const limpet_xml_element *e, double pitch);

/* Fills joint->axis. `anchor` [m] and the quaternion give the frame of the joint in the child, axis
 * (3) is in this frame: of a planar joint the normal of its plane. */
void limpet_robot_joint_make(limpet_robot *robot, limpet_robot_joint *joint,
                             limpet_robot_joint_kind kind, const double anchor[3],
                             const double quaternion[4], const double axis[3]);

/* Limits of the coordinate `index`; infinite: none. Angles that look like degrees are noted. */
void limpet_robot_joint_limit(limpet_robot *robot, limpet_robot_joint *joint, int index,
                              const limpet_xml_element *e, double lower, double upper);

/* An actuator whose control is the force or torque at the joint, within +-effort; with gains (p, d,
 * not both 0) a servo, whose control is the position. Inertia of the rotor times gear_ratio^2 is
 * added to that of the joint. */
typedef struct limpet_robot_actuator {
  const char *name;
  const limpet_xml_element *element;
  double effort;         // [N, N m]  INFINITY: no limit
  double rotor_inertia;  // [kg m^2, kg]
  double gear_ratio;     // [-]
  double gain[2];        // [N m/rad, N m s/rad, N/m, N s/m]
} limpet_robot_actuator;

void limpet_robot_actuator_add(limpet_robot *robot, const limpet_robot_joint *joint,
                               const limpet_robot_actuator *actuator);

// A joint that follows another one: q = multiplier q_other + offset; q_other is 0 where that is
// fixed.
void limpet_robot_mimic_add(limpet_robot *robot, const limpet_xml_element *e,
                            const limpet_robot_joint *joint, const limpet_robot_joint *other,
                            double multiplier, double offset);

#endif
