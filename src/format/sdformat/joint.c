/* format/sdformat/joint.c: joints, their actuators and those that follow others.
 *
 * The frame of a joint stands where its <pose> says, relative to the child; it is fixed to the
 * child. Drake's own joints, with <drake:parent> and <drake:child>, are between two frames, which
 * coincide where all coordinates are zero, wherever the file places their links. An axis that can
 * move has an actuator unless its effort limit is 0, as in Drake. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/read/value.h"
#include "format/robot/geom.h"
#include "format/robot/joint.h"
#include "format/sdformat/sdformat.h"
#include "math/quaternion.h"

// a link, a frame or a model that a joint connects; pose in the world
limpet_robot_link *limpet_sdf_joint_end(limpet_sdf *s, limpet_sdf_frame *joint, const char *tag) {
  limpet_reader *reader = s->robot.reader;
  const limpet_xml_element *e = limpet_xml_child(joint->element, tag);
  if (!e) limpet_reader_fail(reader, joint->element, NULL, "<joint> needs an element <%s>", tag);
  const char *name = limpet_read_required(reader, e, NULL);
  if (limpet_sdf_is_world(joint->scope, name)) return &s->robot.world;
  return limpet_sdf_frame_link(s, limpet_sdf_frame_find(s, joint->scope, e, NULL, name));
}

// ------------------------------------------------------------------------------------- axes

bool limpet_sdf_is_before(const limpet_xml_element *element, int minor) {
  while (element->parent) element = element->parent;
  const char *version = limpet_xml_value(element, "version");
  if (!version) return false;
  char *end;
  const long major = strtol(version, &end, 10);
  const long own = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
  return major < 1 || (major == 1 && own < minor);
}

bool limpet_sdf_version_known(const char *version) {
  char *end;
  if (!version || strncmp(version, "1.", 2) != 0) return false;
  const long minor = strtol(version + 2, &end, 10);
  return end > version + 2 && !*end && minor >= 0 && minor <= 12;
}

// Axes are in the frame of the joint; before SDFormat 1.5 they were in that of the model.
static bool axes_of_model(limpet_sdf *s, const limpet_xml_element *axis) {
  return limpet_sdf_is_before(axis, 5) || limpet_sdf_flag(s, axis, "use_parent_model_frame");
}

// direction of an axis in the frame of the joint
void limpet_sdf_axis_read(limpet_sdf *s, limpet_sdf_frame *joint, const char *tag, double axis[3]) {
  limpet_reader *reader = s->robot.reader;
  const limpet_xml_element *e = limpet_xml_child(joint->element, tag),
                           *xyz = e ? limpet_xml_child(e, "xyz") : NULL;
  if (!xyz) return;
  limpet_read_finite(reader, xyz, NULL, axis, 3);
  limpet_reader_check_length(reader, xyz, NULL, "the axis", limpet_vec3_norm(axis),
                             "give a direction");
  const char *in = limpet_xml_value(xyz, "expressed_in");
  if (!in || !*in) {
    if (axes_of_model(s, e)) in = "__model__";
    else return;
  }
  const limpet_sdf_pose own = limpet_sdf_frame_pose(s, joint);
  limpet_sdf_pose frame = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
  if (strcmp(in, "__model__") == 0) {
    if (joint->scope->model) frame = limpet_sdf_frame_pose(s, joint->scope->model);
  } else if (!limpet_sdf_is_world(joint->scope, in)) {
    frame =
        limpet_sdf_frame_pose(s, limpet_sdf_frame_find(s, joint->scope, xyz, "expressed_in", in));
  }
  const limpet_sdf_pose turn = limpet_sdf_pose_between(&own, &frame);
  double turned[3];
  limpet_quaternion_rotate(turned, turn.quaternion, axis);
  limpet_vec3_copy(axis, turned);
}

// from 1e16 on a bound is none, as SDFormat's defaults say
static double bound(double value) {
  const double none = 1e16;
  return value >= none ? INFINITY : value <= -none ? -INFINITY : value;
}

static void read_limit(limpet_sdf *s, limpet_robot_joint *joint, int index,
                       const limpet_xml_element *limit, bool limited) {
  double lower = -INFINITY, upper = INFINITY;
  limpet_sdf_number(s, limit, "lower", &lower);
  limpet_sdf_number(s, limit, "upper", &upper);
  if (limited) limpet_robot_joint_limit(&s->robot, joint, index, limit, bound(lower), bound(upper));
  if (limpet_xml_child(limit, "velocity"))
    limpet_reader_note(s->robot.reader, limit, NULL, "velocity limit",
                       "limits of velocity are data for planners: the simulation does not hold "
                       "them");
}

static void read_dynamics(limpet_sdf *s, limpet_joint_description *d, const limpet_xml_element *e) {
  limpet_sdf_number(s, e, "damping", &d->damping);
  limpet_sdf_number(s, e, "friction", &d->dry_friction);
  limpet_sdf_number(s, e, "spring_stiffness", &d->stiffness);
  limpet_sdf_number(s, e, "spring_reference", &d->spring_reference);
}

// limits, losses and springs of the axes
static void read_axes(limpet_sdf *s, limpet_robot_joint *joint, limpet_robot_joint_kind kind) {
  static const char *const tags[2] = {"axis", "axis2"};
  const bool limited = kind != LIMPET_ROBOT_CONTINUOUS && kind != LIMPET_ROBOT_BALL;
  for (int i = 0; i < 2 && i < joint->axis_count && kind != LIMPET_ROBOT_PLANAR; ++i) {
    const limpet_xml_element *axis = limpet_xml_child(joint->element, tags[i]);
    if (!axis) continue;
    const limpet_xml_element *limit = limpet_xml_child(axis, "limit"),
                             *dynamics = limpet_xml_child(axis, "dynamics");
    if (limit) read_limit(s, joint, i, limit, limited);
    if (dynamics) read_dynamics(s, &joint->axis[i], dynamics);
  }
  double damping[3];
  if (kind == LIMPET_ROBOT_PLANAR &&
      limpet_robot_tag_numbers(&s->robot, joint->element, "drake:damping", damping, 3, 3))
    for (int i = 0; i < 3; ++i) joint->axis[i].damping = damping[i];
}

/* <screw_thread_pitch> [m] in a turn of a right-handed thread; the older <thread_pitch> [rad/m] is
 * of a left-handed one. */
static void read_pitch(limpet_sdf *s, limpet_robot_joint *joint) {
  const limpet_xml_element *e = joint->element;
  double pitch = 1.0, turn;  // [m] what SDFormat takes where nothing is said; [rad/m]
  const bool has_turn = limpet_sdf_number(s, e, "thread_pitch", &turn);
  if (has_turn) pitch = -2.0 * LIMPET_PI / turn;
  const bool has_pitch = limpet_sdf_number(s, e, "screw_thread_pitch", &pitch);
  if (!has_turn && !has_pitch)
    limpet_reader_note(s->robot.reader, e, NULL, "screw_thread_pitch",
                       "joint '%s' has no <screw_thread_pitch>: it advances 1 m in a turn, as "
                       "SDFormat says",
                       joint->name);
  limpet_robot_joint_pitch(&s->robot, joint, e, pitch);
}

// ----------------------------------------------------------------------------------- joints

// One end of a joint between two frames: its link, and the pose of its frame in the link.
static limpet_robot_link *read_end(limpet_sdf *s, const limpet_sdf_frame *joint, const char *tag,
                                   limpet_sdf_pose *pose) {
  limpet_reader *reader = s->robot.reader;
  const limpet_xml_element *e = limpet_xml_child(joint->element, tag);
  if (!e)
    limpet_reader_fail(reader, joint->element, NULL, "<%s> needs an element <%s>",
                       joint->element->name, tag);
  const char *name = limpet_read_required(reader, e, NULL);
  *pose = (limpet_sdf_pose){.quaternion = {1.0, 0.0, 0.0, 0.0}};
  if (limpet_sdf_is_world(joint->scope, name)) return &s->robot.world;
  limpet_sdf_frame *frame = limpet_sdf_frame_find(s, joint->scope, e, NULL, name);
  limpet_robot_link *link = limpet_sdf_frame_link(s, frame);
  const limpet_sdf_pose below = limpet_sdf_link_pose(s, link),
                        own = limpet_sdf_frame_pose(s, frame);
  *pose = limpet_sdf_pose_between(&below, &own);
  return link;
}

// Connects two links, and returns the pose of the joint's frame in the child.
static limpet_sdf_pose connect(limpet_sdf *s, limpet_sdf_frame *frame, limpet_robot_joint *joint) {
  const limpet_xml_element *e = frame->element;
  limpet_robot_link *parent, *child;
  limpet_sdf_pose pose, anchor;
  if (limpet_xml_child(e, "drake:parent") || limpet_xml_child(e, "drake:child")) {
    limpet_sdf_pose above;
    parent = read_end(s, frame, "drake:parent", &above);
    child = read_end(s, frame, "drake:child", &anchor);
    const limpet_sdf_pose none = {.quaternion = {1.0, 0.0, 0.0, 0.0}},
                          inverse = limpet_sdf_pose_between(&anchor, &none);
    pose = limpet_sdf_pose_compose(&above, &inverse);
  } else {
    parent = limpet_sdf_joint_end(s, frame, "parent");
    child = limpet_sdf_joint_end(s, frame, "child");
    const limpet_sdf_pose above = limpet_sdf_link_pose(s, parent),
                          below = limpet_sdf_link_pose(s, child),
                          own = limpet_sdf_frame_pose(s, frame);
    pose = limpet_sdf_pose_between(&above, &below);
    anchor = limpet_sdf_pose_between(&below, &own);
  }
  limpet_robot_connect(&s->robot, joint, parent, child);
  limpet_vec3_copy(joint->position, pose.position);
  limpet_quaternion_copy(joint->quaternion, pose.quaternion);
  return anchor;
}

static void read_joint(limpet_sdf *s, limpet_sdf_frame *frame) {
  limpet_robot *robot = &s->robot;
  const limpet_xml_element *e = frame->element;
  limpet_robot_joint *joint = limpet_robot_joint_add(
      robot, e, limpet_reader_join(robot->reader, frame->scope->prefix, frame->name, ""));
  frame->joint = joint;
  const limpet_robot_joint_kind kind =
      limpet_robot_joint_kind_read(robot, e, LIMPET_ROBOT_SDFORMAT);
  const limpet_sdf_pose anchor = connect(s, frame, joint);
  double axis[3] = {0.0, 0.0, 1.0}, second[3] = {0.0, 0.0, 1.0};
  limpet_sdf_axis_read(s, frame, "axis", axis);
  limpet_robot_joint_make(robot, joint, kind, anchor.position, anchor.quaternion, axis);
  if (kind == LIMPET_ROBOT_UNIVERSAL && limpet_xml_child(e, "axis2")) {
    limpet_sdf_axis_read(s, frame, "axis2", second);
    limpet_quaternion_rotate(joint->axis[0].axis, anchor.quaternion, axis);
    limpet_quaternion_rotate(joint->axis[1].axis, anchor.quaternion, second);
  }
  if (kind == LIMPET_ROBOT_SCREW) read_pitch(s, joint);
  read_axes(s, joint, kind);
}

bool limpet_sdf_is_gearbox(const limpet_sdf_frame *frame) {
  const char *type = limpet_xml_value(frame->element, "type");
  return frame->kind == LIMPET_SDF_JOINT && type && strcmp(type, "gearbox") == 0;
}

void limpet_sdf_joints_read(limpet_sdf *s, limpet_sdf_scope *scope) {
  for (limpet_sdf_frame *frame = scope->frames; frame; frame = frame->next)
    if (frame->kind == LIMPET_SDF_JOINT && !limpet_sdf_is_gearbox(frame)) read_joint(s, frame);
}

// ---------------------------------------------------------------------- actuators, mimicry

// effort limit of the axis; negative: none
static double effort_of(limpet_sdf *s, const limpet_xml_element *axis) {
  const limpet_xml_element *limit = limpet_xml_child(axis, "limit");
  double effort = INFINITY;
  if (limit) limpet_sdf_number(s, limit, "effort", &effort);
  return effort < 0.0 ? INFINITY : bound(effort);
}

static void read_drive(limpet_sdf *s, const limpet_robot_joint *joint,
                       const limpet_xml_element *axis) {
  const limpet_xml_element *e = joint->element;
  limpet_robot_actuator a = {
      .name = joint->name, .element = e, .gear_ratio = 1.0, .effort = effort_of(s, axis)};
  if (a.effort == 0.0) return;
  limpet_robot_tag_number(&s->robot, e, "drake:rotor_inertia", &a.rotor_inertia);
  limpet_robot_tag_number(&s->robot, e, "drake:gear_ratio", &a.gear_ratio);
  if (a.rotor_inertia < 0.0)
    limpet_reader_fail(s->robot.reader, e, NULL,
                       "the inertia of the rotor is %g kg m^2; give 0 or more", a.rotor_inertia);
  const limpet_xml_element *gains = limpet_xml_child(e, "drake:controller_gains");
  if (gains) limpet_read_number(s->robot.reader, gains, "p", &a.gain[0]);
  if (gains) limpet_read_number(s->robot.reader, gains, "d", &a.gain[1]);
  limpet_robot_actuator_add(&s->robot, joint, &a);
}

// <mimic> of an axis: multiplier (q_other - reference) + offset
static void read_mimic(limpet_sdf *s, const limpet_sdf_frame *frame,
                       const limpet_xml_element *axis) {
  const limpet_xml_element *e = limpet_xml_child(axis, "mimic");
  if (!e) return;
  const char *name = limpet_read_required(s->robot.reader, e, "joint");
  const limpet_sdf_frame *other = limpet_sdf_frame_find(s, frame->scope, e, "joint", name);
  if (!other->joint) limpet_reader_fail(s->robot.reader, e, "joint", "'%s' is no joint", name);
  double multiplier = 1.0, offset = 0.0, reference = 0.0;
  limpet_sdf_number(s, e, "multiplier", &multiplier);
  limpet_sdf_number(s, e, "offset", &offset);
  limpet_sdf_number(s, e, "reference", &reference);
  limpet_robot_mimic_add(&s->robot, e, frame->joint, other->joint, multiplier,
                         offset - multiplier * reference);
}

void limpet_sdf_drives_read(limpet_sdf *s, limpet_sdf_scope *scope) {
  for (const limpet_sdf_frame *frame = scope->frames; frame; frame = frame->next) {
    if (!frame->joint || frame->joint->axis_count != 1) continue;
    const limpet_xml_element *axis = limpet_xml_child(frame->element, "axis");
    if (!axis || frame->joint->axis[0].kind == LIMPET_JOINT_BALL) continue;
    read_drive(s, frame->joint, axis);
    read_mimic(s, frame, axis);
  }
}
