/* gradient/box_change.c: see box_change.h.
 *
 * The normal is that of the axis which separates most; another one that separates as much is a
 * tie. What meets at a point follows from which faces it lies on, and its rates are those of
 * meet_change.h. Cost: 15 axes a pair, 100 flops a point and twist. */
#include "gradient/box_change.h"

#include <math.h>

#include "gradient/meet_change.h"
#include "math/vec3.h"

static const double same_face = 1e-12;     // [rad]  between normals that are one
static const double same_edges = 1e-9;     // [rad]  the same, of a product of edges
static const double on_face = 1e-9;        // [-]  of a size: on a face
static const double near_parallel = 1e-3;  // [rad]  of normals whose contacts are nearly the same
static const double axis_bias = 1e-8;      // [-]  of the sizes: pair_box_box.c

static void axis_of(const limpet_shape *box, int i, double axis[3]) {
  for (int e = 0; e < 3; ++e) axis[e] = box->rotation[3 * e + i];
}

static double extent(const limpet_shape *box, const double direction[3]) {
  double local[3], sum = 0.0;
  limpet_mat3_tmul_vec(local, box->rotation, direction);
  for (int i = 0; i < 3; ++i) sum += box->size[i] * fabs(local[i]);
  return sum;
}

static double separation(const limpet_shape *const box[2], const double direction[3]) {
  double apart[3];
  limpet_vec3_sub(apart, box[1]->position, box[0]->position);
  return fabs(limpet_vec3_dot(apart, direction)) - extent(box[0], direction) -
         extent(box[1], direction);
}

static double size_of(const limpet_shape *box) {
  return box->size[0] + box->size[1] + box->size[2];
}

// -------------------------------------------------------------------------- the axis

// Looks whether the axis of a direction (unit) is that of the meeting, or separates as much.
static bool look_at_axis(limpet_box_meeting *m, double own, const double direction[3],
                         double same) {
  double across[3];
  limpet_vec3_cross(across, m->normal, direction);
  const double angle = limpet_vec3_norm(across);
  if (angle < same) return true;
  const double slack = 2.0 * axis_bias * (size_of(m->box[0]) + size_of(m->box[1]));
  if (fabs(separation(m->box, direction) - own) > slack) return false;
  m->tie = true;
  m->tie_apart = m->tie_apart || angle > near_parallel;
  return false;
}

static void look_at_faces(limpet_box_meeting *m, double own) {
  bool found[2] = {false, false};
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 3; ++i) {
      double axis[3];
      axis_of(m->box[k], i, axis);
      found[k] = look_at_axis(m, own, axis, same_face) || found[k];
    }
  if (found[0] || found[1]) m->owner = found[0] ? 0 : 1;
  m->tie = m->tie || (found[0] && found[1]);
}

static void look_at_edges(limpet_box_meeting *m, double own) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double u[3], v[3], axis[3];
      axis_of(m->box[0], i, u), axis_of(m->box[1], j, v);
      limpet_vec3_cross(axis, u, v);
      if (limpet_vec3_normalize(axis) < near_parallel) continue;
      if (!look_at_axis(m, own, axis, same_edges)) continue;
      if (m->owner < 0 && m->edge[0] >= 0) m->tie = m->tie_apart = true;
      m->edge[0] = i, m->edge[1] = j;
    }
}

bool limpet_box_meeting_make(const limpet_shape *a, const limpet_shape *b, const double normal[3],
                             limpet_box_meeting *meeting) {
  *meeting = (limpet_box_meeting){.box = {a, b}, .owner = -1, .edge = {-1, -1}};
  limpet_vec3_copy(meeting->normal, normal);
  const double own = separation(meeting->box, normal);
  look_at_faces(meeting, own);
  look_at_edges(meeting, own);
  return meeting->owner >= 0 || meeting->edge[0] >= 0;
}

// -------------------------------------------------------------------------- one point

// Which coordinates of a point are those of faces; returns how many.
static int faces_at(const limpet_shape *box, const double x[3], bool on[3]) {
  double arm[3], local[3];
  int count = 0;
  limpet_vec3_sub(arm, x, box->position);
  limpet_mat3_tmul_vec(local, box->rotation, arm);
  for (int i = 0; i < 3; ++i) {
    on[i] = fabs(fabs(local[i]) - box->size[i]) <= on_face * size_of(box);
    count += on[i];
  }
  return count;
}

static int free_axis(const bool on[3]) { return !on[0] ? 0 : !on[1] ? 1 : 2; }

// The axis of the face that looks along n, if the point lies on that face.
static bool facing(const limpet_shape *box, const double n[3], const bool on[3], double k[3]) {
  double local[3];
  int i = 0;
  limpet_mat3_tmul_vec(local, box->rotation, n);
  for (int e = 1; e < 3; ++e)
    if (fabs(local[e]) > fabs(local[i])) i = e;
  axis_of(box, i, k);
  return on[i];
}

static bool bind(const limpet_box_meeting *m, const limpet_contact_point *point, limpet_meet *b) {
  bool on_a[3], on_b[3];
  const int a = faces_at(m->box[0], point->on_a, on_a), c = faces_at(m->box[1], point->on_b, on_b);
  b->kind = (limpet_meet_kind)((uint32_t)point->feature >> 30);
  if (m->owner < 0 && a == 2 && c == 2) b->kind = LIMPET_MEET_EDGES;
  if (b->kind == LIMPET_MEET_CORNER_OF_A)
    return a == 3 && c == 1 && facing(m->box[1], m->normal, on_b, b->k);
  if (b->kind == LIMPET_MEET_CORNER_OF_B)
    return c == 3 && a == 1 && facing(m->box[0], m->normal, on_a, b->k);
  if (b->kind != LIMPET_MEET_EDGES || a != 2 || c != 2) return false;
  axis_of(m->box[0], free_axis(on_a), b->u), axis_of(m->box[1], free_axis(on_b), b->w);
  return true;
}

bool limpet_box_point_rates(const limpet_box_meeting *meeting, const limpet_contact_point *point,
                            const double P[3], limpet_box_point_change change[6]) {
  limpet_meet meet = {0};
  limpet_meet_normal normal = {.owner = meeting->owner};
  limpet_vec3_copy(normal.n, meeting->normal);
  if (meeting->owner < 0)
    axis_of(meeting->box[0], meeting->edge[0], normal.u),
        axis_of(meeting->box[1], meeting->edge[1], normal.w);
  if (!bind(meeting, point, &meet) || !limpet_meet_is_one_place(&normal, &meet)) return false;
  limpet_meet_rates(&normal, &meet, point, P, change);
  return true;
}
