/* format/robot/joint.c: joints of robot files, from joints of the builder that act in order.
 *
 *   planar     slides along x and y, then a turn about z, of a frame whose z is the normal
 *   universal  turns about x, then about the y that has turned
 *   screw      a turn about the axis that carries pitch/(2 pi) [m/rad] along it: one joint */
#include "format/robot/joint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format/read/value.h"
#include "math/quaternion.h"

// ------------------------------------------------------------------------------------ words

static const struct {
  const char *word;
  limpet_robot_joint_kind kind;
  int formats;
} words[] = {{"revolute", LIMPET_ROBOT_REVOLUTE, LIMPET_ROBOT_URDF | LIMPET_ROBOT_SDFORMAT},
             {"continuous", LIMPET_ROBOT_CONTINUOUS, LIMPET_ROBOT_URDF | LIMPET_ROBOT_SDFORMAT},
             {"prismatic", LIMPET_ROBOT_PRISMATIC, LIMPET_ROBOT_URDF | LIMPET_ROBOT_SDFORMAT},
             {"fixed", LIMPET_ROBOT_FIXED, LIMPET_ROBOT_URDF | LIMPET_ROBOT_SDFORMAT},
             {"floating", LIMPET_ROBOT_FLOATING, LIMPET_ROBOT_URDF},
             {"planar", LIMPET_ROBOT_PLANAR, LIMPET_ROBOT_URDF | LIMPET_ROBOT_SDFORMAT},
             {"ball", LIMPET_ROBOT_BALL, LIMPET_ROBOT_URDF | LIMPET_ROBOT_SDFORMAT},
             {"spherical", LIMPET_ROBOT_BALL, LIMPET_ROBOT_URDF},  // Bullet's word
             {"universal", LIMPET_ROBOT_UNIVERSAL, LIMPET_ROBOT_URDF | LIMPET_ROBOT_SDFORMAT},
             {"revolute2", LIMPET_ROBOT_UNIVERSAL, LIMPET_ROBOT_SDFORMAT},  // of Gazebo classic
             {"screw", LIMPET_ROBOT_SCREW, LIMPET_ROBOT_URDF | LIMPET_ROBOT_SDFORMAT}};

enum { WORD_COUNT = sizeof words / sizeof *words };

limpet_robot_joint_kind limpet_robot_joint_kind_read(limpet_robot *robot,
                                                     const limpet_xml_element *e, int format) {
  const char *type = limpet_read_required(robot->reader, e, "type");
  char list[160] = "";
  for (int i = 0; i < WORD_COUNT; ++i) {
    if (!(words[i].formats & format)) continue;
    if (strcmp(type, words[i].word) == 0) return words[i].kind;
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", words[i].word);
  }
  limpet_reader_fail(robot->reader, e, "type", "there is no joint type '%s' here; there are %s",
                     type, list);
}

// ------------------------------------------------------------------------------------- axes

static limpet_joint_description *next_axis(limpet_robot_joint *joint, limpet_joint_kind kind,
                                           const double anchor[3], const double axis[3],
                                           const char *name) {
  limpet_joint_description *d = &joint->axis[joint->axis_count++];
  *d = limpet_joint_description_default();
  d->kind = kind;
  d->name = name;
  limpet_vec3_copy(d->position, anchor);
  if (axis) limpet_vec3_copy(d->axis, axis);
  return d;
}

static const char *part_name(limpet_robot *robot, const limpet_robot_joint *joint,
                             const char *part) {
  return limpet_reader_join(robot->reader, joint->name, "_", part);
}

/* The plane has the normal `axis`. x and y are those of the joint's frame, turned the shortest way
 * so that z becomes the normal, about x where they are opposite; as Drake 1.51 does. */
static void make_planar(limpet_robot *robot, limpet_robot_joint *joint, const double anchor[3],
                        const double R[9], const double axis[3]) {
  double a[3], x[3], y[3];  // a: the normal in the joint's frame
  limpet_mat3_tmul_vec(a, R, axis);
  if (1.0 + a[2] > 1e-12) {
    const double s = 1.0 / (1.0 + a[2]);
    const double own_x[3] = {1.0 - s * a[0] * a[0], -s * a[0] * a[1], -a[0]};
    const double own_y[3] = {-s * a[0] * a[1], 1.0 - s * a[1] * a[1], -a[1]};
    limpet_mat3_mul_vec(x, R, own_x), limpet_mat3_mul_vec(y, R, own_y);
  } else {
    limpet_vec3_set(x, R[0], R[3], R[6]), limpet_vec3_set(y, -R[1], -R[4], -R[7]);
  }
  next_axis(joint, LIMPET_JOINT_PRISMATIC, anchor, x, part_name(robot, joint, "x"));
  next_axis(joint, LIMPET_JOINT_PRISMATIC, anchor, y, part_name(robot, joint, "y"));
  next_axis(joint, LIMPET_JOINT_REVOLUTE, anchor, axis, part_name(robot, joint, "theta"));
}

static void make_universal(limpet_robot *robot, limpet_robot_joint *joint, const double anchor[3],
                           const double R[9]) {
  const double x[3] = {R[0], R[3], R[6]}, y[3] = {R[1], R[4], R[7]};
  next_axis(joint, LIMPET_JOINT_REVOLUTE, anchor, x, part_name(robot, joint, "1"));
  next_axis(joint, LIMPET_JOINT_REVOLUTE, anchor, y, part_name(robot, joint, "2"));
}

void limpet_robot_joint_make(limpet_robot *robot, limpet_robot_joint *joint,
                             limpet_robot_joint_kind kind, const double anchor[3],
                             const double quaternion[4], const double axis[3]) {
  double R[9], turned[3];
  limpet_quaternion_to_matrix(R, quaternion);
  limpet_quaternion_rotate(turned, quaternion, axis);
  limpet_vec3_normalize(turned);
  joint->axis_count = 0;
  switch (kind) {
    case LIMPET_ROBOT_FIXED: break;
    case LIMPET_ROBOT_FLOATING: joint->floats = true; break;
    case LIMPET_ROBOT_REVOLUTE:
    case LIMPET_ROBOT_CONTINUOUS:
      next_axis(joint, LIMPET_JOINT_REVOLUTE, anchor, turned, NULL);
      break;
    case LIMPET_ROBOT_PRISMATIC:
      next_axis(joint, LIMPET_JOINT_PRISMATIC, anchor, turned, NULL);
      break;
    case LIMPET_ROBOT_BALL: next_axis(joint, LIMPET_JOINT_BALL, anchor, NULL, NULL); break;
    case LIMPET_ROBOT_PLANAR: make_planar(robot, joint, anchor, R, turned); break;
    case LIMPET_ROBOT_UNIVERSAL: make_universal(robot, joint, anchor, R); break;
    case LIMPET_ROBOT_SCREW: next_axis(joint, LIMPET_JOINT_SCREW, anchor, turned, NULL); break;
  }
}

void limpet_robot_joint_pitch(limpet_robot *robot, limpet_robot_joint *joint,
                              const limpet_xml_element *e, double pitch) {
  if (!isfinite(pitch))
    limpet_reader_fail(robot->reader, e, NULL,
                       "the pitch of joint '%s' is %g m in a turn; it must be finite", joint->name,
                       pitch);
  joint->axis[0].pitch = pitch;
}

void limpet_robot_joint_limit(limpet_robot *robot, limpet_robot_joint *joint, int index,
                              const limpet_xml_element *e, double lower, double upper) {
  enum { TURNS = 2 };  // a joint that turns further is rare, one that was written in degrees is not
  limpet_joint_description *d = &joint->axis[index];
  if (!(isfinite(lower) || isfinite(upper))) return;
  if (lower > upper) {
    limpet_reader_mend(robot->reader, e, NULL, joint->name,
                       "the lower limit of joint '%s' is %g, above its upper one, %g: it moves "
                       "without bounds, as in Bullet; swap them, or leave both out",
                       joint->name, lower, upper);
    return;
  }
  d->limited = true;
  d->range[0] = lower, d->range[1] = upper;
  const double turn = 2.0 * LIMPET_PI;
  const bool far = (isfinite(lower) && fabs(lower) > TURNS * turn) ||
                   (isfinite(upper) && fabs(upper) > TURNS * turn);
  if (d->kind == LIMPET_JOINT_REVOLUTE && far && upper - lower < 1e4)
    limpet_reader_note(
        robot->reader, e, NULL, "limits in degrees",
        "the limits of joint '%s' are %g and %g rad, more than two turns: are they in "
        "degrees? angles of robot files are radians",
        joint->name, lower, upper);
}

// -------------------------------------------------------------------------------- actuators

void limpet_robot_actuator_add(limpet_robot *robot, const limpet_robot_joint *joint,
                               const limpet_robot_actuator *actuator) {
  limpet_builder *builder = robot->reader->builder;
  limpet_actuator_description d = limpet_actuator_description_default();
  d.name = actuator->name;
  d.place = limpet_xml_place(actuator->element, NULL);
  d.target = joint->handle[0];
  if (isfinite(actuator->effort)) {
    d.force_limited = true;
    d.force_range[0] = -actuator->effort, d.force_range[1] = actuator->effort;
  }
  const double *gain = actuator->gain;
  const bool servo = gain[0] != 0.0 || gain[1] != 0.0;
  if (servo) d.gain[0] = gain[0], d.bias[1] = -gain[0], d.bias[2] = -gain[1];
  else if (d.force_limited)
    d.control_limited = true, d.control_range[0] = -actuator->effort,
    d.control_range[1] = actuator->effort;
  limpet_builder_joint(builder, joint->handle[0])->armature +=
      actuator->rotor_inertia * actuator->gear_ratio * actuator->gear_ratio;
  limpet_reader_added(robot->reader, limpet_builder_add_actuator(builder, &d));
}

void limpet_robot_mimic_add(limpet_robot *robot, const limpet_xml_element *e,
                            const limpet_robot_joint *joint, const limpet_robot_joint *other,
                            double multiplier, double offset) {
  if (joint->axis_count == 0) {
    limpet_reader_mend(robot->reader, e, NULL, joint->name,
                       "joint '%s' is fixed and cannot follow joint '%s': it stays fixed; remove "
                       "its <mimic>",
                       joint->name, other->name);
    return;
  }
  const bool still = other->axis_count == 0;
  if (joint->axis_count != 1 || other->axis_count > 1)
    limpet_reader_fail(robot->reader, e, NULL,
                       "joint '%s' cannot follow joint '%s': both need one coordinate", joint->name,
                       other->name);
  if (joint == other)
    limpet_reader_fail(robot->reader, e, NULL, "joint '%s' follows itself", joint->name);
  limpet_coupler_description d = limpet_coupler_description_default();
  d.place = limpet_xml_place(e, NULL);
  d.y = joint->handle[0], d.x = still ? LIMPET_NONE : other->handle[0];
  if (still)
    limpet_reader_mend(robot->reader, e, NULL, joint->name,
                       "joint '%s' follows joint '%s', which is fixed: it is held at its offset, "
                       "%g; make it fixed, or the other one move",
                       joint->name, other->name, offset);
  d.coefficient[0] = offset, d.coefficient[1] = multiplier;
  limpet_reader_added(robot->reader, limpet_builder_add_coupler(robot->reader->builder, &d));
}
