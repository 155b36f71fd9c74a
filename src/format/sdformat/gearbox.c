/* format/sdformat/gearbox.c: gearboxes, as couplers of two joints.
 *
 * A joint of the type gearbox holds
 *   theta_2 = -gearbox_ratio theta_1
 * between the angle theta_1 of its parent about <axis> and theta_2 of its child about <axis2>, both
 * from <gearbox_reference_body>. Where joints of one angle carry both from that body, about these
 * axes, the angles are their coordinates up to sign. */
#include <math.h>

#include "format/read/value.h"
#include "format/robot/joint.h"
#include "format/sdformat/sdformat.h"
#include "math/quaternion.h"

static const limpet_robot_link *whole_of(const limpet_robot_link *link) {
  return link->whole ? link->whole : link;
}

// the joint with one angle between two links, whichever carries the other
static const limpet_robot_joint *find_hinge(const limpet_sdf *s, const limpet_robot_link *a,
                                            const limpet_robot_link *b) {
  for (const limpet_robot_joint *joint = s->robot.joints; joint; joint = joint->next) {
    const limpet_robot_link *up = joint->parent, *down = whole_of(joint->child);
    if (joint->axis_count == 1 && joint->axis[0].kind == LIMPET_JOINT_REVOLUTE &&
        ((up == a && down == b) || (up == b && down == a)))
      return joint;
  }
  return NULL;
}

/* The hinge that turns `link` against the reference body, and the sign of its coordinate in the
 * angle about the axis of the gearbox. */
static const limpet_robot_joint *find_angle(limpet_sdf *s, limpet_sdf_frame *box, const char *tag,
                                            const limpet_robot_link *reference,
                                            const limpet_robot_link *link, double *sign) {
  limpet_reader *reader = s->robot.reader;
  const limpet_robot_joint *hinge = find_hinge(s, reference, link);
  if (!hinge)
    limpet_reader_fail(reader, box->element, NULL,
                       "gearbox '%s': no revolute joint connects link '%s' with the reference body "
                       "'%s'; add one, or write the ratio as <mimic> of the joint that follows",
                       box->name, link->name, reference->name ? reference->name : "world");
  double axis[3] = {0.0, 0.0, 1.0}, given[3], own[3];
  limpet_sdf_axis_read(s, box, tag, axis);
  limpet_vec3_normalize(axis);
  const limpet_sdf_pose frame = limpet_sdf_frame_pose(s, box),
                        below = limpet_sdf_link_pose(s, hinge->child);
  limpet_quaternion_rotate(given, frame.quaternion, axis);
  limpet_quaternion_rotate(own, below.quaternion, hinge->axis[0].axis);
  *sign = limpet_vec3_dot(given, own);
  if (fabs(fabs(*sign) - 1.0) > 1e-6)
    limpet_reader_fail(reader, box->element, NULL,
                       "gearbox '%s': its <%s> is not that of joint '%s', which turns link '%s'; "
                       "give both the same axis",
                       box->name, tag, hinge->name, link->name);
  *sign = (*sign > 0.0) == (hinge->parent == reference) ? 1.0 : -1.0;
  return hinge;
}

static void read_gearbox(limpet_sdf *s, limpet_sdf_frame *box) {
  limpet_reader *reader = s->robot.reader;
  const limpet_xml_element *e = box->element, *body = limpet_xml_child(e, "gearbox_reference_body");
  if (!body)
    limpet_reader_fail(reader, e, NULL,
                       "gearbox '%s' needs <gearbox_reference_body>, the link that both shafts "
                       "turn in",
                       box->name);
  const limpet_robot_link *reference = limpet_sdf_joint_end(s, box, "gearbox_reference_body"),
                          *parent = limpet_sdf_joint_end(s, box, "parent"),
                          *child = limpet_sdf_joint_end(s, box, "child");
  double ratio = 1.0, sign[2];
  limpet_sdf_number(s, e, "gearbox_ratio", &ratio);
  const limpet_robot_joint *one = find_angle(s, box, "axis", reference, parent, &sign[0]);
  const limpet_robot_joint *two = find_angle(
      s, box, limpet_xml_child(e, "axis2") ? "axis2" : "axis", reference, child, &sign[1]);
  limpet_robot_mimic_add(&s->robot, e, two, one, -ratio * sign[0] * sign[1], 0.0);
}

void limpet_sdf_gearboxes_read(limpet_sdf *s, limpet_sdf_scope *scope) {
  for (limpet_sdf_frame *frame = scope->frames; frame; frame = frame->next)
    if (limpet_sdf_is_gearbox(frame)) read_gearbox(s, frame);
}
