/* model/body_pose_code.h: the pose of a body from that of its parent and the coordinates of its
 * joints; included once for each instruction set. No sum is contracted: all give the same bits.
 *
 * p, R: position and rotation of a body frame; the joints of a body move it in order, each about an
 * axis and an anchor that the earlier ones have moved:
 *   revolute    R <- R Rot(axis, q - reference), with the anchor kept in place
 *   prismatic   p <- p + R axis (q - reference)
 *   screw       as revolute, then p <- p + R axis (q - reference) pitch/(2 pi)
 *   ball        R <- R Rot(quaternion), with the anchor kept in place
 *   free        p, R <- q
 * dof_axis gets, of a shift, [0; axis], of a turn with the origin o known [axis; (anchor - o) x
 * axis] and of a screw's that and [0; axis pitch/(2 pi)]; where o is not known, as before the first
 * body of a tree has its centre of mass, [axis; anchor]. A hinge through the body's origin, the
 * usual case, and a single free joint have short paths without intermediate frames.
 *
 * Reference: Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 4. */
#include <assert.h>

#include "limpet/data.h"
#include "math/lanes3.h"
#include "math/quaternion.h"
#include "math/spatial.h"
#include "math/trigonometry_lanes.h"

// A body's pose as it is stored, in lanes.
typedef struct body_frame {
  lanes position;           // [m]
  lanes row[3], column[3];  // of the rotation
} body_frame;

// Sines and cosines of half the angles of up to four joints in a row, of which the first is asked
// for first; what they are of other joints is of no account.
typedef struct half_turns {
  int first, end, last;  // the joints that are known; behind the last one that will be asked for
  double sine[4], cosine[4];
} half_turns;

INLINE half_turns half_turns_until(int last) { return (half_turns){.last = last}; }

static void half_turns_find(half_turns *turns, const limpet_model *model, const double *q, int j) {
  const int left = turns->last - j, count = left < 4 ? left : 4;
  turns->first = j, turns->end = j + count;
  double x[4];
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    const int i = model->joint_q[k < count ? j + k : j];
    x[k] = 0.5 * (q[i] - model->q_reference[i]);
  }
  sines_cosines(turns->sine, turns->cosine, (lanes){x[0], x[1], x[2], x[3]});
}

// Quaternion of the turn of joint j about its unit axis.
INLINE lanes hinge_turn(half_turns *turns, const limpet_model *model, const double *q, int j,
                        lanes axis) {
  if (j < turns->first || j >= turns->end) half_turns_find(turns, model, q, j);
  const int k = j - turns->first;
  return quaternion_with(turns->cosine[k], all(turns->sine[k]) * axis);
}

// Unit quaternion from four coordinates that drift off the unit sphere while they are integrated.
INLINE lanes unit_quaternion(const double *q) {
  double r[4];
  limpet_quaternion_copy(r, q);
  limpet_quaternion_normalize(r);
  return (lanes){r[0], r[1], r[2], r[3]};
}

// A turn about `axis` through `anchor`; origin may be NULL.
INLINE void turn_put(double *S, lanes axis, lanes anchor, const double *origin, double advance) {
  if (!origin) {
    six_put(S, axis, anchor);
    return;
  }
  lanes linear = cross(anchor - three(origin), axis);
  if (advance != 0.0) linear = linear + all(advance) * axis;
  six_put(S, axis, linear);
}

// Three turns about the axes of a frame.
INLINE void turns_put(double *S, const lanes column[3], lanes anchor, const double *origin) {
  for (int k = 0; k < 3; ++k) turn_put(S + 6 * k, column[k], anchor, origin, 0.0);
}

INLINE void shifts_put(double *S) {
  for (int k = 0; k < 3; ++k, S += 6) {
    limpet_spatial_zero(S);
    S[3 + k] = 1.0;
  }
}

/* A frame on its way through the joints of a body: turned by r, and fixed by one point, `anchor` in
 * the world and `local` in the frame. Joints that share their anchor, as those of a hip or a wrist
 * do, need no more than their turns. */
typedef struct moving_frame {
  lanes r, anchor, local;
} moving_frame;

INLINE lanes frame_origin(const moving_frame *frame) {
  if (three_zero(frame->local)) return frame->anchor;
  return frame->anchor - quaternion_turned(frame->r, frame->local);
}

// Makes `position` the point that fixes the frame.
INLINE void frame_hold(moving_frame *frame, lanes position) {
  if (three_equal(frame->local, position)) return;
  frame->anchor = frame->anchor + quaternion_turned(frame->r, position - frame->local);
  frame->local = position;
}

// Turns the frame about the axis of joint j and leaves its motion axis.
INLINE lanes turn_about(moving_frame *frame, half_turns *turns, double *S, const double *origin,
                        const limpet_model *model, int j, const double *q) {
  const lanes local = three(model->joint_axis + 3 * j);
  frame_hold(frame, three(model->joint_position + 3 * j));
  const lanes axis = quaternion_turned(frame->r, local);
  turn_put(S, axis, frame->anchor, origin, model->joint_advance[j]);
  frame->r = quaternion_times(frame->r, hinge_turn(turns, model, q, j, local));
  return axis;
}

// Moves the frame by joint j and leaves its motion axes in S, six numbers per velocity.
INLINE void joint_move(moving_frame *frame, half_turns *turns, double *S, const double *origin,
                       const limpet_model *model, int j, const double *q) {
  const int first = model->joint_q[j];
  lanes axis, row[3], column[3];
  switch (model->joint_kind[j]) {
    case LIMPET_JOINT_PRISMATIC:
      axis = quaternion_turned(frame->r, three(model->joint_axis + 3 * j));
      six_put(S, all(0.0), axis);
      frame->anchor = frame->anchor + all(q[first] - model->q_reference[first]) * axis;
      return;
    case LIMPET_JOINT_REVOLUTE: turn_about(frame, turns, S, origin, model, j, q); return;
    case LIMPET_JOINT_SCREW:
      axis = turn_about(frame, turns, S, origin, model, j, q);
      frame->anchor = frame->anchor +
                      all(model->joint_advance[j] * (q[first] - model->q_reference[first])) * axis;
      return;
    case LIMPET_JOINT_BALL:
      frame_hold(frame, three(model->joint_position + 3 * j));
      frame->r = quaternion_times(frame->r, unit_quaternion(q + first));
      quaternion_axes(frame->r, row, column);
      turns_put(S, column, frame->anchor, origin);
      return;
    case LIMPET_JOINT_FREE:
      frame->anchor = three(q + first);
      frame->local = all(0.0);
      frame->r = unit_quaternion(q + first + 3);
      shifts_put(S);
      quaternion_axes(frame->r, row, column);
      turns_put(S + 18, column, frame->anchor, origin);
      return;
  }
}

/* A body with one hinge: its turn and the fixed rotation are joined before the parent is known,
 * which shortens the chain of dependencies. */
INLINE lanes hinge_pose(body_frame *frame, half_turns *turns, const limpet_model *model,
                        limpet_data *data, int b, int j, const double *origin) {
  const lanes parent_r = lanes_at(data->body_quaternion + 4 * model->body_parent[b]),
              fixed = lanes_at(model->body_quaternion + 4 * b);
  const lanes axis = three(model->joint_axis + 3 * j),
              position = three(model->joint_position + 3 * j);
  double *S = data->dof_axis + 6 * model->joint_v[j];
  const lanes turn = hinge_turn(turns, model, data->q, j, axis);
  const bool turned = bits(fixed != (lanes){1.0, 0.0, 0.0, 0.0}) != 0;
  const lanes r = quaternion_times(parent_r, turned ? quaternion_times(fixed, turn) : turn);
  quaternion_axes(r, frame->row, frame->column);
  lanes anchor = frame->position;
  if (!three_zero(position)) {
    // the anchor is off the origin: it stays where the unmoved frame has it
    anchor = anchor + quaternion_turned(quaternion_times(parent_r, fixed), position);
    frame->position = anchor - columns_times(frame->column, model->joint_position + 3 * j);
  }
  turn_put(S, columns_times(frame->column, model->joint_axis + 3 * j), anchor, origin, 0.0);
  return r;
}

// A body with one free joint: its coordinates are its pose.
INLINE lanes free_pose(body_frame *frame, const limpet_model *model, limpet_data *data, int j,
                       const double *origin, bool apart) {
  const double *q = data->q + model->joint_q[j];
  double *S = data->dof_axis + 6 * model->joint_v[j];
  frame->position = apart ? all(0.0) : three(q);
  const lanes r = unit_quaternion(q + 3);
  quaternion_axes(r, frame->row, frame->column);
  shifts_put(S);
  turns_put(S + 18, frame->column, frame->position, origin);
  return r;
}

// A body whose joints are of other kinds, or several, or none.
static void jointed_pose(lanes *r, lanes *position, half_turns *turns, const limpet_model *model,
                         limpet_data *data, int b, const double *origin) {
  *r = quaternion_times(lanes_at(data->body_quaternion + 4 * model->body_parent[b]),
                        lanes_at(model->body_quaternion + 4 * b));
  const int joint = model->body_joint[b], end = joint + model->body_joint_count[b];
  if (end == joint) return;
  moving_frame frame = {.r = *r, .anchor = *position, .local = all(0.0)};
  for (int j = joint; j < end; ++j)
    joint_move(&frame, turns, data->dof_axis + 6 * model->joint_v[j], origin, model, j, data->q);
  *position = frame_origin(&frame);
  *r = frame.r;
}

// Where the body is before its joints move it.
INLINE lanes place(const limpet_model *model, const limpet_data *data, int b) {
  const int parent = model->body_parent[b];
  return rows_times(data->body_rotation + 9 * parent, three(model->body_position + 3 * b)) +
         three(data->body_position + 3 * parent);
}

/* q, mocap poses and the pose of the parent -> body_position, body_quaternion, body_rotation of
 * body b, dof_axis of its velocities. origin: of the tree, W, or NULL. turns: kept from body to
 * body of one call. apart: a free joint turns the body alone, and leaves it at the world's origin.
 */
INLINE body_frame body_pose(half_turns *turns, const limpet_model *model, limpet_data *data, int b,
                            const double *origin, bool apart) {
  assert(b > 0 && b < model->body_count);
  const int mocap = model->body_mocap[b], joint = model->body_joint[b];
  const bool single = model->body_joint_count[b] == 1;
  body_frame frame;
  lanes r;
  if (mocap >= 0) {
    frame.position = three(data->mocap_position + 3 * mocap);
    r = unit_quaternion(data->mocap_quaternion + 4 * mocap);
    quaternion_axes(r, frame.row, frame.column);
  } else if (single && model->joint_kind[joint] == LIMPET_JOINT_FREE) {
    r = free_pose(&frame, model, data, joint, origin, apart);
  } else {
    frame.position = place(model, data, b);
    if (single && model->joint_kind[joint] == LIMPET_JOINT_REVOLUTE) {
      r = hinge_pose(&frame, turns, model, data, b, joint, origin);
    } else {
      jointed_pose(&r, &frame.position, turns, model, data, b, origin);
      quaternion_axes(r, frame.row, frame.column);
    }
  }
  three_put(data->body_position + 3 * b, frame.position);
  lanes_put(data->body_quaternion + 4 * b, r);
  rows_put(data->body_rotation + 9 * b, frame.row);
  return frame;
}
