/* format/urdf/joint.c: joints, joints that follow others, and transmissions.
 *
 * The frame of a joint is that of its child, where all coordinates are zero. Dry friction is true
 * Coulomb friction. A joint is driven where a <transmission> says so; the control is the force or
 * torque at the joint, whatever the gear ratio, as in Drake. */
#include <math.h>
#include <string.h>

#include "format/read/text.h"
#include "format/read/value.h"
#include "format/robot/geom.h"
#include "format/robot/joint.h"
#include "format/urdf/urdf.h"
#include "math/quaternion.h"

static limpet_robot_link *link_of(limpet_urdf *u, const limpet_xml_element *joint,
                                  const char *tag) {
  const limpet_xml_element *e = limpet_xml_child(joint, tag);
  if (!e) limpet_reader_fail(u->robot.reader, joint, NULL, "<joint> needs an element <%s>", tag);
  return limpet_robot_link_find(&u->robot, e, "link",
                                limpet_read_required(u->robot.reader, e, "link"));
}

// ------------------------------------------------------------------------ limits and losses

/* Of a joint that turns or slides one limit that is not given is 0, as URDF says. Where both are
 * missing that would lock the joint, which nobody means who does not call it fixed. */
static void read_bounds(limpet_urdf *u, const limpet_xml_element *e, limpet_robot_joint_kind kind,
                        limpet_robot_joint *joint) {
  limpet_reader *reader = u->robot.reader;
  double bound[2] = {-INFINITY, INFINITY};
  const bool given[2] = {limpet_read_number(reader, e, "lower", &bound[0]),
                         limpet_read_number(reader, e, "upper", &bound[1])};
  const int missing = given[0] ? 1 : 0;
  if (kind != LIMPET_ROBOT_SCREW && given[0] != given[1]) {
    bound[missing] = 0.0;
    limpet_reader_note(reader, e, NULL, joint->name,
                       "joint '%s' has no '%s' limit: it is 0, as URDF says; give both",
                       joint->name, missing ? "upper" : "lower");
  } else if (!given[0] && !given[1]) {
    limpet_reader_note(reader, e, NULL, joint->name,
                       "joint '%s' has neither 'lower' nor 'upper': it moves without bounds",
                       joint->name);
  }
  limpet_robot_joint_limit(&u->robot, joint, 0, e, bound[0], bound[1]);
}

// limits of joints that have no place for them
static void note_bounds(limpet_urdf *u, const limpet_xml_element *e, limpet_robot_joint_kind kind,
                        const limpet_robot_joint *joint) {
  limpet_reader *reader = u->robot.reader;
  double lower = 0.0, upper = 0.0;
  const bool low = limpet_read_number(reader, e, "lower", &lower),
             high = limpet_read_number(reader, e, "upper", &upper);
  if (!low && !high) return;
  if (strcmp(limpet_xml_value(joint->element, "type"), "spherical") == 0)
    limpet_reader_unsupported(reader, e, NULL, "spherical limit",
                              "limits of spherical joints are not simulated: joint '%s' turns "
                              "freely",
                              joint->name);
  else if (kind != LIMPET_ROBOT_FIXED && (lower != 0.0 || upper != 0.0))
    limpet_reader_note(
        reader, e, NULL, "limit without use",
        "limits of a joint of the type '%s' mean nothing in URDF: joint '%s' is free",
        limpet_xml_value(joint->element, "type"), joint->name);
}

static void read_limit(limpet_urdf *u, const limpet_xml_element *e, limpet_robot_joint_kind kind,
                       limpet_robot_joint *joint) {
  limpet_reader *reader = u->robot.reader;
  double velocity = INFINITY, effort;
  limpet_read_number(reader, e, "effort", &effort);  // of transmissions, but always a number
  if (limpet_read_number(reader, e, "velocity", &velocity) && isfinite(velocity))
    limpet_reader_note(
        reader, e, "velocity", "velocity limit",
        "limits of velocity are data for planners: the simulation does not hold them");
  const bool bounded =
      kind == LIMPET_ROBOT_REVOLUTE || kind == LIMPET_ROBOT_PRISMATIC || kind == LIMPET_ROBOT_SCREW;
  if (bounded) read_bounds(u, e, kind, joint);
  else note_bounds(u, e, kind, joint);
}

static void fail_negative(limpet_urdf *u, const limpet_xml_element *e, const char *name,
                          double value) {
  if (value < 0.0)
    limpet_reader_fail(u->robot.reader, e, name, "'%s' is %g; it cannot be negative", name, value);
}

// one number for all coordinates; a planar joint may have three
static void read_dynamics(limpet_urdf *u, const limpet_xml_element *e, limpet_robot_joint *joint) {
  limpet_reader *reader = u->robot.reader;
  double damping[3] = {0.0}, friction = 0.0, armature = 0.0;
  const int most = joint->axis_count == 3 ? 3 : 1;
  const int count = limpet_read_numbers(reader, e, "damping", damping, 1, most);
  limpet_read_number(reader, e, "friction", &friction);
  fail_negative(u, e, "friction", friction);
  limpet_read_number(reader, e, "limpet:armature", &armature);
  fail_negative(u, e, "limpet:armature", armature);
  const int axes = joint->floats ? 1 : joint->axis_count;  // a floating joint makes its axes later
  for (int i = 0; i < axes; ++i) {
    joint->axis[i].damping = count == 3 ? damping[i] : damping[0];
    fail_negative(u, e, "damping", joint->axis[i].damping);
    joint->axis[i].dry_friction = friction;
    joint->axis[i].armature = armature;
  }
}

static void read_axis(limpet_urdf *u, const limpet_xml_element *joint, double axis[3]) {
  const limpet_xml_element *e = limpet_xml_child(joint, "axis");
  limpet_vec3_set(axis, 1.0, 0.0, 0.0);
  if (!e) return;
  limpet_read_finite(u->robot.reader, e, "xyz", axis, 3);
  if (strcmp(limpet_xml_value(joint, "type"), "fixed") != 0)
    limpet_reader_check_length(u->robot.reader, e, "xyz", "the axis", limpet_vec3_norm(axis),
                               "give a direction");
}

static void read_pitch(limpet_urdf *u, limpet_robot_joint *joint) {
  double pitch;
  if (!limpet_robot_tag_number(&u->robot, joint->element, "drake:screw_thread_pitch", &pitch))
    limpet_reader_fail(u->robot.reader, joint->element, NULL,
                       "joint '%s' is a screw and needs <drake:screw_thread_pitch value=\"...\"/>, "
                       "metres in a turn",
                       joint->name);
  limpet_robot_joint_pitch(&u->robot, joint,
                           limpet_xml_child(joint->element, "drake:screw_thread_pitch"), pitch);
}

static void read_joint(limpet_urdf *u, const limpet_xml_element *e) {
  limpet_robot *robot = &u->robot;
  static const double origin[3] = {0.0, 0.0, 0.0}, identity[4] = {1.0, 0.0, 0.0, 0.0};
  limpet_robot_joint *joint =
      limpet_robot_joint_add(robot, e, limpet_read_required(robot->reader, e, "name"));
  const limpet_robot_joint_kind kind = limpet_robot_joint_kind_read(robot, e, LIMPET_ROBOT_URDF);
  limpet_robot_link *parent = link_of(u, e, "parent"), *child = link_of(u, e, "child");
  limpet_robot_connect(robot, joint, parent, child);
  limpet_urdf_origin_read(u, e, joint->position, joint->quaternion);
  double axis[3];
  read_axis(u, e, axis);
  limpet_robot_joint_make(robot, joint, kind, origin, identity, axis);
  if (kind == LIMPET_ROBOT_SCREW) read_pitch(u, joint);
  const limpet_xml_element *limit = limpet_xml_child(e, "limit"),
                           *dynamics = limpet_xml_child(e, "dynamics");
  if (limit) read_limit(u, limit, kind, joint);
  else if (kind == LIMPET_ROBOT_REVOLUTE || kind == LIMPET_ROBOT_PRISMATIC)
    limpet_reader_note(robot->reader, e, NULL, joint->name,
                       "joint '%s' has no <limit>, which URDF asks for: it moves without bounds",
                       joint->name);
  if (dynamics) read_dynamics(u, dynamics, joint);
}

void limpet_urdf_joints_read(limpet_urdf *u) {
  for (const limpet_xml_element *e = u->root->first; e; e = e->next)
    if (strcmp(e->name, "joint") == 0 || strcmp(e->name, "drake:joint") == 0) read_joint(u, e);
}

// ------------------------------------------------------------------------------------ mimic

// the joint that a <mimic> names; NULL: there is none
static const limpet_robot_joint *find_followed(limpet_urdf *u, const limpet_xml_element *e,
                                               const limpet_robot_joint *joint) {
  const char *name = limpet_read_required(u->robot.reader, e, "joint");
  const limpet_robot_joint *other = limpet_table_find(&u->robot.names, LIMPET_ROBOT_JOINT, name);
  if (!other)
    limpet_reader_mend(u->robot.reader, e, "joint", joint->name,
                       "there is no joint '%s', which joint '%s' is to follow: it moves by "
                       "itself%s",
                       name, joint->name,
                       limpet_robot_suggestion(&u->robot, LIMPET_ROBOT_JOINT, name));
  return other;
}

void limpet_urdf_mimics_read(limpet_urdf *u) {
  limpet_reader *reader = u->robot.reader;
  for (const limpet_robot_joint *joint = u->robot.joints; joint; joint = joint->next) {
    const limpet_xml_element *e = limpet_xml_child(joint->element, "mimic");
    if (!e) continue;
    const limpet_robot_joint *other = find_followed(u, e, joint);
    if (!other) continue;
    double multiplier = 1.0, offset = 0.0;
    limpet_read_number(reader, e, "multiplier", &multiplier);
    limpet_read_number(reader, e, "offset", &offset);
    limpet_robot_mimic_add(&u->robot, e, joint, other, multiplier, offset);
  }
}

// ----------------------------------------------------------------------------- transmission

// effort limit of a joint; 0 means that nothing drives it
static double effort_of(limpet_urdf *u, const limpet_robot_joint *joint) {
  const limpet_xml_element *limit = limpet_xml_child(joint->element, "limit");
  double effort = INFINITY;
  if (limit) limpet_read_number(u->robot.reader, limit, "effort", &effort);
  if (effort < 0.0)
    limpet_reader_fail(u->robot.reader, limit, "effort", "'effort' is %g; it cannot be negative",
                       effort);
  return effort;
}

// Drake's gear ratio counts for the rotor's inertia alone; the reduction of ROS has no use here
static void note_reduction(limpet_urdf *u, const limpet_xml_element *e) {
  const limpet_xml_element *reduction = e ? limpet_xml_child(e, "mechanicalReduction") : NULL;
  const char *text = reduction ? reduction->text : NULL, *cursor = text;
  double value = 0.0;  // what is no number, too, changes nothing
  if (!text || (limpet_text_number(&cursor, &value) && value == 1.0)) return;
  limpet_reader_note(u->robot.reader, reduction, NULL, "mechanicalReduction",
                     "a reduction of %.20s changes nothing: controls are forces and torques at the "
                     "joint",
                     text);
}

static void read_drive(limpet_urdf *u, const limpet_xml_element *e, limpet_robot_actuator *a) {
  limpet_robot_tag_number(&u->robot, e, "drake:rotor_inertia", &a->rotor_inertia);
  limpet_robot_tag_number(&u->robot, e, "drake:gear_ratio", &a->gear_ratio);
  if (a->rotor_inertia < 0.0)
    limpet_reader_fail(u->robot.reader, e, NULL,
                       "the inertia of the rotor is %g kg m^2; give 0 or "
                       "more",
                       a->rotor_inertia);
  const limpet_xml_element *gains = limpet_xml_child(e, "drake:controller_gains");
  if (!gains) return;
  limpet_read_number(u->robot.reader, gains, "p", &a->gain[0]);
  limpet_read_number(u->robot.reader, gains, "d", &a->gain[1]);
  fail_negative(u, gains, "p", a->gain[0]);
  fail_negative(u, gains, "d", a->gain[1]);
}

static const limpet_xml_element *next_drive(const limpet_xml_element *drive) {
  const limpet_xml_element *next = drive ? limpet_xml_next(drive) : NULL;
  return next ? next : drive;
}

// the name of the drive, or of the transmission; one that was given before gets that of the joint
static const char *name_actuator(limpet_urdf *u, const limpet_xml_element *e,
                                 const limpet_xml_element *drive, const char *joint) {
  limpet_robot *robot = &u->robot;
  const char *own = drive ? limpet_xml_value(drive, "name") : NULL;
  if (!own) own = limpet_xml_value(e, "name");
  if (!own || !*own) return own;
  const char *name = limpet_robot_unique(robot, LIMPET_OBJECT_ACTUATOR, own);
  if (name) return name;
  const char *longer = limpet_reader_join(robot->reader, own, "_", joint);
  while (!limpet_robot_unique(robot, LIMPET_OBJECT_ACTUATOR, longer))
    longer = limpet_reader_join(robot->reader, longer, "_", "2");
  limpet_reader_mend(robot->reader, drive ? drive : e, "name", longer,
                     "two actuators have the name '%s': that of joint '%s' is called '%s'; give "
                     "each a name of its own",
                     own, joint, longer);
  return longer;
}

/* Several actuators that act on several joints together, as a differential does. Actuator and joint
 * of the same place in the file belong together. */
static void note_shared(limpet_urdf *u, const limpet_xml_element *e,
                        const limpet_xml_element *drive) {
  const limpet_xml_element *joint = limpet_xml_child(e, "joint");
  if (!drive || !limpet_xml_next(drive) || !joint || !limpet_xml_next(joint)) return;
  limpet_reader_mend(u->robot.reader, e, NULL, limpet_read_required(u->robot.reader, e, "name"),
                     "several actuators move several joints together: each joint is driven by "
                     "itself, and its control is the force or torque at the joint");
}

/* One actuator for each joint that a transmission names, from the <actuator> of the same place;
 * where these are fewer the last one counts for the rest. */
static void read_transmission(limpet_urdf *u, const limpet_xml_element *e) {
  limpet_reader *reader = u->robot.reader;
  const limpet_xml_element *drive = limpet_xml_child(e, "actuator");
  note_reduction(u, e);
  note_shared(u, e, drive);
  for (const limpet_xml_element *d = drive; d; d = limpet_xml_next(d)) note_reduction(u, d);
  for (const limpet_xml_element *j = limpet_xml_child(e, "joint"); j;
       j = limpet_xml_next(j), drive = next_drive(drive)) {
    const char *name = limpet_read_required(reader, j, "name");
    const limpet_robot_joint *joint = limpet_table_find(&u->robot.names, LIMPET_ROBOT_JOINT, name);
    if (!joint) {
      limpet_reader_mend(reader, j, "name", name,
                         "there is no joint '%s' to drive: no actuator is made%s", name,
                         limpet_robot_suggestion(&u->robot, LIMPET_ROBOT_JOINT, name));
      continue;
    }
    limpet_robot_actuator a = {.element = e, .gear_ratio = 1.0, .effort = effort_of(u, joint)};
    if (joint->axis_count != 1 || a.effort == 0.0) {
      limpet_reader_note(reader, j, "name", joint->name, "joint '%s' is not driven: %s",
                         joint->name,
                         a.effort == 0.0 ? "its effort limit is 0" : "it has not one coordinate");
      continue;
    }
    a.name = name_actuator(u, e, drive, joint->name);
    if (drive) read_drive(u, drive, &a);
    limpet_robot_actuator_add(&u->robot, joint, &a);
  }
}

void limpet_urdf_transmissions_read(limpet_urdf *u) {
  for (const limpet_xml_element *e = limpet_xml_child(u->root, "transmission"); e;
       e = limpet_xml_next(e))
    read_transmission(u, e);
}
