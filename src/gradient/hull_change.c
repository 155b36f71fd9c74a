/* gradient/hull_change.c: see hull_change.h.
 *
 * The normal is that of a face which carries the other shape, or of the two edges that are nearest
 * to each other: the narrow phase tells where that is certain. Points are named after what meets
 * there (face_meet.c): a vertex over the face of the other shape, or two edges that cross along the
 * normal. Each name is held against the place of its point: points that were joined have the place
 * of one and the name of another. Rates are those of meet_change.h.
 * Cost: two faces a pair; a point a search of its names in them. */
#include "gradient/hull_change.h"

#include <math.h>

#include "math/vec3.h"

static const double same_place = 1e-9;  // [-]  of the distance from the middle: a point is there
static const double own_face = 1e-12;   // [rad^2]  of normals: the face has it
/* [rad^2]  a face of the other shape that is as good as parallel: which of both gives the normal
 * changes within 1e-5 rad (convex_contact.c) */
static const double rival_face = 1e-9;
// [-]  of cosines, as face_meet.c has it: B is the reference only if it is better by this
static const double reference_tolerance = 1e-6;

enum { NAME_SHIFT = 15, NAME_MASK = 0x7fff, KIND_SHIFT = 30, WITNESS = 3 };

// A box, or a convex mesh.
static bool is_polyhedron(const limpet_shape *shape) {
  return (shape->kind == LIMPET_SHAPE_BOX || shape->kind == LIMPET_SHAPE_MESH) && !shape->heights &&
         (shape->kind == LIMPET_SHAPE_BOX || shape->hull);
}

static void to_common(const limpet_shape *shape, double point[3]) {
  double own[3];
  limpet_vec3_copy(own, point);
  limpet_mat3_mul_vec(point, shape->rotation, own);
  limpet_vec3_add(point, point, shape->position);
}

// The face of a shape that faces the direction `sign` n, in the common frame.
static bool face_of(limpet_face *face, const limpet_shape *shape, double sign, const double n[3]) {
  double d[3], own[3];
  limpet_mat3_tmul_vec(d, shape->rotation, n);
  limpet_vec3_scale(d, sign, d);
  limpet_shape_face(face, shape, d);
  for (int i = 0; i < face->count; ++i) to_common(shape, face->point[i]);
  limpet_vec3_copy(own, face->normal);
  limpet_mat3_mul_vec(face->normal, shape->rotation, own);
  return face->count > 2;
}

// |sign n - normal|^2 of a face.
static double off_normal(const limpet_face *face, double sign, const double n[3]) {
  double apart[3];
  limpet_vec3_scale(apart, sign, face->normal);
  limpet_vec3_sub(apart, apart, n);
  return limpet_vec3_dot(apart, apart);
}

bool limpet_hull_meeting_begin(const limpet_shape *a, const limpet_shape *b, const double normal[3],
                               limpet_hull_meeting *m) {
  if (!is_polyhedron(a) || !is_polyhedron(b)) return false;
  *m = (limpet_hull_meeting){.shape = {a, b}, .normal = {.owner = -1}};
  limpet_vec3_copy(m->normal.n, normal);
  return face_of(&m->face[0], a, 1.0, normal) && face_of(&m->face[1], b, -1.0, normal);
}

limpet_rest limpet_hull_rest_of(const limpet_hull_meeting *m) {
  limpet_rest rest = {.face = -1};
  const bool swapped = m->shape[0]->kind > m->shape[1]->kind;
  for (int k = 0; k < 2 && rest.face < 0; ++k) {
    if (off_normal(&m->face[k], k == 0 ? 1.0 : -1.0, m->normal.n) > own_face) continue;
    rest.face = m->face[k].number;
    rest.of_b = (k == 1) != swapped;
  }
  return rest;
}

static void corner_of(const limpet_shape *shape, int corner, double point[3]) {
  if (shape->kind == LIMPET_SHAPE_MESH) limpet_vec3_copy(point, shape->hull->vertices + 3 * corner);
  else
    for (int i = 0; i < 3; ++i) point[i] = corner >> i & 1 ? shape->size[i] : -shape->size[i];
  to_common(shape, point);
}

static void take_edges(limpet_hull_meeting *m, const limpet_edges *edges, bool swapped) {
  const int *ends[2] = {swapped ? edges->b : edges->a, swapped ? edges->a : edges->b};
  double *along[2] = {m->normal.u, m->normal.w};
  for (int k = 0; k < 2; ++k) {
    double end[3];
    corner_of(m->shape[k], ends[k][0], m->through[k]);
    corner_of(m->shape[k], ends[k][1], end);
    limpet_vec3_sub(along[k], end, m->through[k]);
    limpet_vec3_normalize(along[k]);
  }
  m->has_edges = true;
}

bool limpet_hull_meeting_end(limpet_hull_meeting *m, const limpet_rest *rest) {
  const bool swapped = m->shape[0]->kind > m->shape[1]->kind;
  const double *normal = m->normal.n;
  if (rest->face < 0) {
    if (rest->edges.a[0] == rest->edges.a[1] || rest->edges.b[0] == rest->edges.b[1]) return false;
    take_edges(m, &rest->edges, swapped);
    return off_normal(&m->face[0], 1.0, normal) > rival_face &&
           off_normal(&m->face[1], -1.0, normal) > rival_face;
  }
  const int owner = m->normal.owner = rest->of_b != swapped;
  const double sign = owner == 0 ? 1.0 : -1.0;
  return m->face[owner].number == rest->face &&
         off_normal(&m->face[owner], sign, normal) < own_face &&
         off_normal(&m->face[1 - owner], -sign, normal) > rival_face;
}

// -------------------------------------------------------------------------- one point

// [m]  within which a point is where it should be
static double tolerance_at(const limpet_shape *shape, const double x[3]) {
  return same_place * (limpet_vec3_distance(x, shape->position) +
                       limpet_shape_radius(shape->kind, shape->size, shape->hull));
}

static bool is_on_line(const limpet_shape *shape, const double x[3], const double through[3],
                       const double along[3]) {
  double arm[3], off[3];
  limpet_vec3_sub(arm, x, through);
  limpet_vec3_cross(off, along, arm);
  return limpet_vec3_norm(off) <= tolerance_at(shape, x);
}

// Where the name of a vertex is in the face, -1: it has none.
static int find(const limpet_face *face, int name) {
  for (int i = 0; i < face->count; ++i)
    if ((face->id[i] & NAME_MASK) == name) return i;
  return -1;
}

// A vertex of one shape over the face of the other.
static bool bind_corner(const limpet_hull_meeting *m, const limpet_contact_point *point, int of,
                        int name, limpet_meet *meet) {
  const double *here = of == 0 ? point->on_a : point->on_b,
               *there = of == 0 ? point->on_b : point->on_a;
  const limpet_face *other = &m->face[1 - of];
  const int i = find(&m->face[of], name);
  double arm[3];
  if (i < 0 ||
      !(limpet_vec3_distance(m->face[of].point[i], here) <= tolerance_at(m->shape[of], here)))
    return false;
  limpet_vec3_sub(arm, there, other->point[0]);
  if (!(fabs(limpet_vec3_dot(arm, other->normal)) <= tolerance_at(m->shape[1 - of], there)))
    return false;
  meet->kind = of == 0 ? LIMPET_MEET_CORNER_OF_A : LIMPET_MEET_CORNER_OF_B;
  limpet_vec3_copy(meet->k, other->normal);
  return true;
}

// The edge of a face that begins at a vertex, if x lies on it.
static bool bind_edge(const limpet_hull_meeting *m, int of, int name, const double x[3],
                      double along[3]) {
  const limpet_face *face = &m->face[of];
  const int i = find(face, name);
  if (i < 0) return false;
  limpet_vec3_sub(along, face->point[(i + 1) % face->count], face->point[i]);
  limpet_vec3_normalize(along);
  return is_on_line(m->shape[of], x, face->point[i], along);
}

/* Distances are those to the plane of the reference (face_meet.c), from which edges of a hull are
 * off by 1e-8 rad or so: along u the point moves in that plane, above its edge. */
static void lay_on_reference(const limpet_hull_meeting *m, limpet_meet *meet) {
  const double *n = m->normal.n, of_a = limpet_vec3_dot(m->face[0].normal, n),
               of_b = -limpet_vec3_dot(m->face[1].normal, n);
  const bool is_a = of_a >= of_b - reference_tolerance;
  double *along = is_a ? meet->u : meet->w;
  const double *k = m->face[is_a ? 0 : 1].normal;
  limpet_vec3_addmul(along, along, -limpet_vec3_dot(k, along) / limpet_vec3_dot(k, n), n);
}

// Where the edges are nearest to each other.
static bool bind_nearest(const limpet_hull_meeting *m, const limpet_contact_point *point,
                         limpet_meet *meet) {
  if (!m->has_edges || !is_on_line(m->shape[0], point->on_a, m->through[0], m->normal.u) ||
      !is_on_line(m->shape[1], point->on_b, m->through[1], m->normal.w))
    return false;
  meet->kind = LIMPET_MEET_EDGES;
  limpet_vec3_copy(meet->u, m->normal.u);
  limpet_vec3_copy(meet->w, m->normal.w);
  return true;
}

static bool bind(const limpet_hull_meeting *m, const limpet_contact_point *point,
                 limpet_meet *meet) {
  const bool swapped = m->shape[0]->kind > m->shape[1]->kind;
  const uint32_t feature = (uint32_t)point->feature;
  const int kind = (int)(feature >> KIND_SHIFT), first = feature >> NAME_SHIFT & NAME_MASK,
            second = feature & NAME_MASK;
  const int of_a = swapped ? second : first, of_b = swapped ? first : second;
  if (bind_nearest(m, point, meet)) return true;
  if (kind == WITNESS) return false;
  if (kind == LIMPET_MEET_EDGES) {
    meet->kind = LIMPET_MEET_EDGES;
    if (!bind_edge(m, 0, of_a, point->on_a, meet->u) ||
        !bind_edge(m, 1, of_b, point->on_b, meet->w))
      return false;
    lay_on_reference(m, meet);
    return true;
  }
  const int of = (kind == LIMPET_MEET_CORNER_OF_A) != swapped ? 0 : 1;
  return bind_corner(m, point, of, of == 0 ? of_a : of_b, meet);
}

bool limpet_hull_point_rates(const limpet_hull_meeting *meeting, const limpet_contact_point *point,
                             const double P[3], limpet_box_point_change change[6]) {
  limpet_meet meet = {0};
  if (!bind(meeting, point, &meet) || !limpet_meet_is_one_place(&meeting->normal, &meet))
    return false;
  limpet_meet_rates(&meeting->normal, &meet, point, P, change);
  return true;
}
