/* control/plan_term_frame.c: cost terms of frames: where a point of a body is, how a frame is
 * turned, how fast both move.
 *
 *   position          r = p - target, or p - p2 - target        dr = J_p dq            [m, W]
 *   orientation       r = log(R R_t'), rotation vector          dr = Jl(r)^-1 J_w dq   [rad, W]
 *   velocity          r = J_p v - target                        dr/dv = J_p            [m/s, W]
 *   angular-velocity  r = J_w v - target                        dr/dv = J_w            [rad/s, W]
 * Jl(r)^-1 = 1 - [r]/2 + c [r]^2, c = 1/a^2 - (1 + cos a)/(2 a sin a), a = |r|. The change of
 * velocities with the pose comes from central differences of the kinematics: 2 nv of them. */
#include <math.h>
#include <string.h>

#include "control/drive.h"
#include "control/plan_term.h"
#include "limpet/dynamics.h"
#include "math/quaternion.h"

static const double pose_width = 1e-6;   // [m, rad]  of differences of the kinematics
static const double small_angle = 1e-4;  // [rad]  below it c is its limit 1/12

// A site or body of that name into a frame; false with the error.
static bool frame_find(limpet_plan_frame *frame, const limpet_model *model,
                       const limpet_json *object, const char *key) {
  const char *name;
  limpet_json member;
  if (!limpet_json_text(object, key, NULL, &name)) return false;
  limpet_json_member(&member, object, key);
  *frame = (limpet_plan_frame){.quaternion = {1.0, 0.0, 0.0, 0.0}};
  const int site = limpet_model_find(model, LIMPET_OBJECT_SITE, name);
  if (site == LIMPET_NONE)
    return limpet_json_find(&member, model, LIMPET_OBJECT_BODY, &frame->body);
  frame->body = model->site_body[site];
  limpet_vec3_copy(frame->point, model->site_position + 3 * site);
  limpet_quaternion_copy(frame->quaternion, model->site_quaternion + 4 * site);
  return true;
}

static void frame_place(const limpet_plan_frame *frame, const limpet_data *data, double p[3]) {
  limpet_mat3_mul_vec(p, data->body_rotation + 9 * frame->body, frame->point);
  limpet_vec3_add(p, p, data->body_position + 3 * frame->body);
}

// Rows `first` .. first + 2 of the frame's Jacobian (angular 0, linear 3), times `sign`, into
// columns of the term that begin at `column`.
static void jacobian_add(limpet_plan_evaluation *at, const limpet_plan_frame *frame, int first,
                         double sign, int column) {
  const int nv = at->model->nv;
  double p[3];
  frame_place(frame, at->data, p);
  limpet_jacobian(at->model, at->data, frame->body, p, at->scratch);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < nv; ++j)
      at->J[i * at->n + column + j] += sign * at->scratch[(first + i) * nv + j];
}

// ---------------------------------------------------------------------------------- position

static bool target_read(limpet_plan_term *term, const limpet_json *object) {
  return limpet_json_numbers(object, "target", 3, term->target, term->target);
}

static bool frame_read(limpet_plan_term *term, const limpet_model *model,
                       const limpet_json *object) {
  limpet_json member;
  if (!frame_find(&term->frame[0], model, object, "frame")) return false;
  term->relative = limpet_json_member(&member, object, "relative_to");
  if (term->relative && !frame_find(&term->frame[1], model, object, "relative_to")) return false;
  if (!limpet_plan_term_rows(term, 3, false)) return limpet_json_fail(object, "no memory");
  return true;
}

static bool position_read(limpet_plan_term *term, const limpet_model *model,
                          const limpet_json *object) {
  return frame_read(term, model, object) && target_read(term, object);
}

static void position_evaluate(const limpet_plan_term *term, limpet_plan_evaluation *at) {
  double p[3];
  frame_place(&term->frame[0], at->data, p);
  limpet_vec3_sub(at->r, p, term->target);
  if (term->relative) {
    frame_place(&term->frame[1], at->data, p);
    limpet_vec3_sub(at->r, at->r, p);
  }
  if (!at->J) return;
  jacobian_add(at, &term->frame[0], 3, 1.0, 0);
  if (term->relative) jacobian_add(at, &term->frame[1], 3, -1.0, 0);
}

static const char *const position_keys[] = {"frame", "relative_to", "target", NULL};

const limpet_plan_term_kind limpet_plan_term_position = {
    .descriptor = {.name = "position",
                   .text = "Position of a site or body in W [m] less `target`; with "
                           "`relative_to`, of another one, the difference of both.",
                   .reference = "docs/trajectory-optimisation.md"},
    .keys = position_keys,
    .read = position_read,
    .evaluate = position_evaluate};

// ------------------------------------------------------------------------------- orientation

static const double identity[4] = {1.0, 0.0, 0.0, 0.0};

static bool orientation_read(limpet_plan_term *term, const limpet_model *model,
                             const limpet_json *object) {
  // frame[1].quaternion holds the orientation that is wanted
  if (!frame_read(term, model, object) ||
      !limpet_json_numbers(object, "target", 4, identity, term->frame[1].quaternion))
    return false;
  limpet_json member;
  limpet_json_member(&member, object, "target");
  if (!(limpet_quaternion_normalize(term->frame[1].quaternion) > 0.0))
    return limpet_json_fail(&member, "is no quaternion (w, x, y, z); give one that is not zero");
  return true;
}

// x <- Jl(r)^-1 x
static void turn_rate(const double r[3], double x[3]) {
  double rx[3], rrx[3];
  const double a = limpet_vec3_norm(r),
               c = a < small_angle ? 1.0 / 12.0
                                   : 1.0 / (a * a) - (1.0 + cos(a)) / (2.0 * a * sin(a));
  limpet_vec3_cross(rx, r, x);
  limpet_vec3_cross(rrx, r, rx);
  for (int i = 0; i < 3; ++i) x[i] += -0.5 * rx[i] + c * rrx[i];
}

static void orientation_evaluate(const limpet_plan_term *term, limpet_plan_evaluation *at) {
  double q[4], back[4], turn[4];
  limpet_quaternion_mul(q, at->data->body_quaternion + 4 * term->frame[0].body,
                        term->frame[0].quaternion);
  limpet_quaternion_conjugate(back, term->frame[1].quaternion);
  limpet_quaternion_mul(turn, q, back);
  limpet_quaternion_normalize(turn);
  limpet_quaternion_log(at->r, turn);
  if (!at->J) return;
  jacobian_add(at, &term->frame[0], 0, 1.0, 0);
  for (int j = 0; j < at->model->nv; ++j) {
    double x[3];
    for (int i = 0; i < 3; ++i) x[i] = at->J[i * at->n + j];
    turn_rate(at->r, x);
    for (int i = 0; i < 3; ++i) at->J[i * at->n + j] = x[i];
  }
}

static const char *const orientation_keys[] = {"frame", "target", NULL};

const limpet_plan_term_kind limpet_plan_term_orientation = {
    .descriptor = {.name = "orientation",
                   .text = "Rotation vector in W [rad] that turns the quaternion `target` (w, x, "
                           "y, z) into the orientation of a site or body.",
                   .reference = "docs/trajectory-optimisation.md"},
    .keys = orientation_keys,
    .read = orientation_read,
    .evaluate = orientation_evaluate};

// -------------------------------------------------------------------------------- velocities

// Angular (first = 0) or linear (3) velocity of the frame at the world's present state.
static void frame_velocity(limpet_plan_evaluation *at, const limpet_plan_frame *frame, int first,
                           double velocity[3]) {
  const int nv = at->model->nv;
  double p[3];
  frame_place(frame, at->data, p);
  limpet_jacobian(at->model, at->data, frame->body, p, at->scratch);
  for (int i = 0; i < 3; ++i) {
    velocity[i] = 0.0;
    for (int j = 0; j < nv; ++j) velocity[i] += at->scratch[(first + i) * nv + j] * at->data->v[j];
  }
}

// The change of the velocity with the pose.
static void velocity_by_pose(limpet_plan_evaluation *at, const limpet_plan_frame *frame,
                             int first) {
  const limpet_model *model = at->model;
  const int nv = model->nv;
  double *unit = at->scratch + 6 * nv, *q = at->scratch + 12 * nv, ends[2][3];
  memcpy(q, at->data->q, (size_t)model->nq * sizeof *q);
  for (int j = 0; j < nv; ++j) {
    for (int side = 0; side < 2; ++side) {
      memset(unit, 0, (size_t)nv * sizeof *unit);
      unit[j] = 1.0;
      limpet_integrate_position(model, at->data->q, q, unit, side ? pose_width : -pose_width,
                                false);
      limpet_kinematics(model, at->data);
      frame_velocity(at, frame, first, ends[side]);
    }
    for (int i = 0; i < 3; ++i)
      at->J[i * at->n + j] += (ends[1][i] - ends[0][i]) / (2.0 * pose_width);
  }
  memcpy(at->data->q, q, (size_t)model->nq * sizeof *q);
  limpet_kinematics(model, at->data);
}

static void velocity_evaluate_of(const limpet_plan_term *term, limpet_plan_evaluation *at,
                                 int first) {
  frame_velocity(at, &term->frame[0], first, at->r);
  limpet_vec3_sub(at->r, at->r, term->target);
  if (!at->J) return;
  jacobian_add(at, &term->frame[0], first, 1.0, at->model->nv);
  velocity_by_pose(at, &term->frame[0], first);
}

static void velocity_evaluate(const limpet_plan_term *term, limpet_plan_evaluation *at) {
  velocity_evaluate_of(term, at, 3);
}

static void angular_velocity_evaluate(const limpet_plan_term *term, limpet_plan_evaluation *at) {
  velocity_evaluate_of(term, at, 0);
}

const limpet_plan_term_kind limpet_plan_term_velocity = {
    .descriptor = {.name = "velocity",
                   .text = "Velocity of a site or body's origin in W [m/s] less `target`.",
                   .reference = "docs/trajectory-optimisation.md"},
    .keys = orientation_keys,
    .read = position_read,
    .evaluate = velocity_evaluate};

const limpet_plan_term_kind limpet_plan_term_angular_velocity = {
    .descriptor = {.name = "angular-velocity",
                   .text = "Angular velocity of a site or body in W [rad/s] less `target`.",
                   .reference = "docs/trajectory-optimisation.md"},
    .keys = orientation_keys,
    .read = position_read,
    .evaluate = angular_velocity_evaluate};
