/* model/body_pose.c: the pose of a body from that of its parent and the coordinates of its joints.
 *
 * p, R: position and rotation of a body frame; the joints of a body move it in order, each about an
 * axis and an anchor that the earlier ones have moved:
 *   revolute    R <- R Rot(axis, q - reference), with the anchor kept in place
 *   prismatic   p <- p + R axis (q - reference)
 *   screw       as revolute, then p <- p + R axis (q - reference) pitch/(2 pi)
 *   ball        R <- R Rot(quaternion), with the anchor kept in place
 *   free        p, R <- q
 * While a body's joints are walked, dof_axis gets [axis; anchor] of turning joints and [0; axis] of
 * shifting ones. A hinge through the body's origin, the usual case, and a single free joint have
 * short paths without intermediate frames.
 *
 * Reference: Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 4. */
#include "model/body_pose.h"

#include <assert.h>

#include "math/quaternion.h"
#include "math/spatial.h"
#include "math/trigonometry.h"

// Quaternion of a turn about the unit axis.
static inline void hinge_turn(double q[4], const double axis[3], double angle) {
  double s;
  limpet_sine_cosine(&s, &q[0], 0.5 * angle);
  q[1] = s * axis[0], q[2] = s * axis[1], q[3] = s * axis[2];
}

static inline bool is_zero(const double a[3]) { return a[0] == 0.0 && a[1] == 0.0 && a[2] == 0.0; }

// Unit quaternion from four coordinates that drift off the unit sphere while they are integrated.
static void unit_quaternion(double r[4], const double q[4]) {
  limpet_quaternion_copy(r, q);
  limpet_quaternion_normalize(r);
}

/* A frame on its way through the joints of a body: turned by r, and fixed by one point, `anchor` in
 * the world and `local` in the frame. Joints that share their anchor, as those of a hip or a wrist
 * do, need no more than their turns. */
typedef struct moving_frame {
  double r[4];
  double anchor[3], local[3];
} moving_frame;

static void frame_origin(double p[3], const moving_frame *frame) {
  double lever[3];
  limpet_vec3_copy(p, frame->anchor);
  if (is_zero(frame->local)) return;
  limpet_quaternion_rotate(lever, frame->r, frame->local);
  limpet_vec3_sub(p, p, lever);
}

// Makes `position` the point that fixes the frame.
static void frame_hold(moving_frame *frame, const double position[3]) {
  const double *l = frame->local;
  if (l[0] == position[0] && l[1] == position[1] && l[2] == position[2]) return;
  double step[3], lever[3];
  limpet_vec3_sub(step, position, l);
  limpet_quaternion_rotate(lever, frame->r, step);
  limpet_vec3_add(frame->anchor, frame->anchor, lever);
  limpet_vec3_copy(frame->local, position);
}

static void frame_turn(moving_frame *frame, const double turn[4]) {
  double turned[4];
  limpet_quaternion_mul(turned, frame->r, turn);
  limpet_quaternion_copy(frame->r, turned);
}

// Three turns about the axes of the frame.
static void frame_axes(double *axis, const moving_frame *frame) {
  double R[9];
  limpet_quaternion_to_matrix(R, frame->r);
  for (int k = 0; k < 3; ++k, axis += 6) {
    limpet_vec3_set(axis, R[k], R[3 + k], R[6 + k]);
    limpet_vec3_copy(axis + 3, frame->anchor);
  }
}

// Turns the frame about the axis of joint j and leaves [axis; anchor].
static void turn_about(moving_frame *frame, double *axis, const limpet_model *model, int j,
                       double angle) {
  const double *local_axis = model->joint_axis + 3 * j;
  double turn[4];
  frame_hold(frame, model->joint_position + 3 * j);
  limpet_quaternion_rotate(axis, frame->r, local_axis);
  limpet_vec3_copy(axis + 3, frame->anchor);
  hinge_turn(turn, local_axis, angle);
  frame_turn(frame, turn);
}

/* Moves the frame by joint j and leaves [axis; anchor] (turns) or [0; axis] (shifts) in `axis`, six
 * numbers per velocity. */
static void joint_move(moving_frame *frame, double *axis, const limpet_model *model, int j,
                       const double *q) {
  const double *position = model->joint_position + 3 * j;
  const int first = model->joint_q[j];
  double turn[4];
  switch (model->joint_kind[j]) {
    case LIMPET_JOINT_PRISMATIC:
      limpet_vec3_zero(axis);
      limpet_quaternion_rotate(axis + 3, frame->r, model->joint_axis + 3 * j);
      limpet_vec3_addmul(frame->anchor, frame->anchor, q[first] - model->q_reference[first],
                         axis + 3);
      return;
    case LIMPET_JOINT_REVOLUTE:
      turn_about(frame, axis, model, j, q[first] - model->q_reference[first]);
      return;
    case LIMPET_JOINT_SCREW:
      turn_about(frame, axis, model, j, q[first] - model->q_reference[first]);
      limpet_vec3_addmul(frame->anchor, frame->anchor,
                         model->joint_advance[j] * (q[first] - model->q_reference[first]), axis);
      return;
    case LIMPET_JOINT_BALL:
      frame_hold(frame, position);
      unit_quaternion(turn, q + first);
      frame_turn(frame, turn);
      frame_axes(axis, frame);
      return;
    case LIMPET_JOINT_FREE:
      limpet_vec3_copy(frame->anchor, q + first);
      limpet_vec3_zero(frame->local);
      unit_quaternion(frame->r, q + first + 3);
      for (int k = 0; k < 3; ++k) {
        limpet_spatial_zero(axis + 6 * k);
        axis[6 * k + 3 + k] = 1.0;
      }
      frame_axes(axis + 18, frame);
      return;
  }
}

/* A body with one hinge: its turn and the fixed rotation are joined before the parent is known,
 * which shortens the chain of dependencies. */
static void hinge_pose(const limpet_model *model, limpet_data *data, int b, int j) {
  double *p = data->body_position + 3 * b, *r = data->body_quaternion + 4 * b,
         *R = data->body_rotation + 9 * b;
  const double *parent_r = data->body_quaternion + 4 * model->body_parent[b],
               *fixed = model->body_quaternion + 4 * b;
  const double *axis = model->joint_axis + 3 * j, *position = model->joint_position + 3 * j;
  const int first = model->joint_q[j];
  double turn[4], relative[4], *S = data->dof_axis + 6 * model->joint_v[j];
  hinge_turn(turn, axis, data->q[first] - model->q_reference[first]);
  const bool turned = !(fixed[0] == 1.0 && is_zero(fixed + 1));
  if (turned) limpet_quaternion_mul(relative, fixed, turn);
  limpet_quaternion_mul(r, parent_r, turned ? relative : turn);
  limpet_quaternion_to_matrix(R, r);
  limpet_mat3_mul_vec(S, R, axis);
  limpet_vec3_copy(S + 3, p);
  if (is_zero(position)) return;

  // the anchor is off the origin: it stays where the unmoved frame has it
  double before[4], lever[3];
  limpet_quaternion_mul(before, parent_r, fixed);
  limpet_quaternion_rotate(lever, before, position);
  limpet_vec3_add(S + 3, p, lever);
  limpet_mat3_mul_vec(lever, R, position);
  limpet_vec3_sub(p, S + 3, lever);
}

// A body with one free joint: its coordinates are its pose.
static void free_pose(const limpet_model *model, limpet_data *data, int b, int j) {
  const double *q = data->q + model->joint_q[j];
  double *p = data->body_position + 3 * b, *r = data->body_quaternion + 4 * b,
         *R = data->body_rotation + 9 * b, *S = data->dof_axis + 6 * model->joint_v[j];
  limpet_vec3_copy(p, q);
  unit_quaternion(r, q + 3);
  limpet_quaternion_to_matrix(R, r);
  for (int k = 0; k < 3; ++k, S += 6) {
    limpet_spatial_zero(S);
    S[3 + k] = 1.0;
  }
  for (int k = 0; k < 3; ++k, S += 6) {
    limpet_vec3_set(S, R[k], R[3 + k], R[6 + k]);
    limpet_vec3_copy(S + 3, p);
  }
}

void limpet_body_pose(const limpet_model *model, limpet_data *data, int b) {
  assert(b > 0 && b < model->body_count);
  const int parent = model->body_parent[b], mocap = model->body_mocap[b],
            joint_count = model->body_joint_count[b];
  double *p = data->body_position + 3 * b, *r = data->body_quaternion + 4 * b,
         *R = data->body_rotation + 9 * b;
  if (mocap >= 0) {
    limpet_vec3_copy(p, data->mocap_position + 3 * mocap);
    unit_quaternion(r, data->mocap_quaternion + 4 * mocap);
    limpet_quaternion_to_matrix(R, r);
    return;
  }
  const int joint = model->body_joint[b];
  if (joint_count == 1 && model->joint_kind[joint] == LIMPET_JOINT_FREE) {
    free_pose(model, data, b, joint);
    return;
  }

  // where the body is before its joints move it
  limpet_mat3_mul_vec(p, data->body_rotation + 9 * parent, model->body_position + 3 * b);
  limpet_vec3_add(p, p, data->body_position + 3 * parent);
  if (joint_count == 1 && model->joint_kind[joint] == LIMPET_JOINT_REVOLUTE) {
    hinge_pose(model, data, b, joint);
    return;
  }
  if (joint_count == 0) {
    limpet_quaternion_mul(r, data->body_quaternion + 4 * parent, model->body_quaternion + 4 * b);
  } else {
    moving_frame frame = {.anchor = {p[0], p[1], p[2]}};
    limpet_quaternion_mul(frame.r, data->body_quaternion + 4 * parent,
                          model->body_quaternion + 4 * b);
    for (int j = joint; j < joint + joint_count; ++j)
      joint_move(&frame, data->dof_axis + 6 * model->joint_v[j], model, j, data->q);
    frame_origin(p, &frame);
    limpet_quaternion_copy(r, frame.r);
  }
  limpet_quaternion_to_matrix(R, r);
}
