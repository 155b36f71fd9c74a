/* gradient/surface_form.c: see surface_form.h. All in the axes of the shape, then turned.
 *
 *   ellipsoid, S = diag(semi-axes)  x(n) = S^2 n/q,  q = |S n|,
 *                                   dx = (S^2 t - S^2 n (n . S^2 t)/q^2)/q  for dn = t
 *   side of a cylinder, a: axis     R = r along a x n, flat along a
 *   its rim, p: away from the axis  R = r/(n . p) along the rim, 0 across it
 *   corner   normals n with n . d <= 0 for all edges d that leave it
 *   edge     normals n with n . g <= 0 for the directions g into both faces, at right angles to it
 * Cost: 100 flops; hulls: the faces around one vertex. */
#include "gradient/surface_form.h"

#include <math.h>

#include "geometry/convex.h"
#include "math/extremes.h"
#include "math/vec3.h"

// GJK finds points of curved shapes and their normals to the root of round-off, 1e-6 at worst
static const double on_surface = 1e-5;  // [-]  of the size: a point is where it should be
static const double aligned = 1e-5;     // [rad]  a normal is

// A point and its normal in the axes of the shape.
typedef struct place {
  const limpet_shape *shape;
  double x[3], n[3];
  double tolerance;  // [m]
} place;

static void curved(limpet_surface_form *form, int i, const double u[3], double radius) {
  limpet_vec3_copy(form->normal[i], u);
  limpet_vec3_scale(form->point[i], radius, u);
}

static void flat(limpet_surface_form *form, int i, const double u[3]) {
  limpet_vec3_zero(form->normal[i]);
  limpet_vec3_copy(form->point[i], u);
}

// The same curvature in all directions.
static void round_form(const double n[3], double radius, limpet_surface_form *form) {
  double t[2][3];
  limpet_vec3_tangents(t[0], t[1], n);
  for (int i = 0; i < 2; ++i) curved(form, i, t[i], radius);
}

static void flat_form(const double n[3], limpet_surface_form *form) {
  double t[2][3];
  limpet_vec3_tangents(t[0], t[1], n);
  for (int i = 0; i < 2; ++i) flat(form, i, t[i]);
}

// An edge along the unit u.
static void edge_form(const double n[3], const double u[3], limpet_surface_form *form) {
  double across[3];
  limpet_vec3_cross(across, n, u);
  flat(form, 0, u);
  curved(form, 1, across, 0.0);
}

static bool is_at(const place *p, double value, double wanted) {
  return fabs(value - wanted) <= p->tolerance;
}

static bool is_along(const double n[3], const double direction[3]) {
  double apart[3];
  limpet_vec3_sub(apart, n, direction);
  return limpet_vec3_norm(apart) <= aligned;
}

// ------------------------------------------------------------------------------ round shapes

static bool plane_form(const place *p, limpet_surface_form *form) {
  static const double up[3] = {0.0, 0.0, 1.0};
  flat_form(p->n, form);
  return is_along(p->n, up);
}

static bool ellipsoid_form(const place *p, limpet_surface_form *form) {
  const double *s = p->shape->size, *n = p->n;
  double along[3], t[2][3], q2 = 0.0;
  for (int i = 0; i < 3; ++i) along[i] = s[i] * s[i] * n[i], q2 += along[i] * n[i];
  const double q = sqrt(q2);
  limpet_vec3_tangents(t[0], t[1], n);
  for (int k = 0; k < 2; ++k) {
    const double share = limpet_vec3_dot(along, t[k]) / q2;
    limpet_vec3_copy(form->normal[k], t[k]);
    for (int i = 0; i < 3; ++i) form->point[k][i] = (s[i] * s[i] * t[k][i] - share * along[i]) / q;
  }
  limpet_vec3_scale(along, 1.0 / q, along);
  return limpet_vec3_distance(along, p->x) <= p->tolerance;
}

// The side of a cylinder or a capsule.
static void side_form(const place *p, limpet_surface_form *form) {
  static const double axis[3] = {0.0, 0.0, 1.0};
  double around[3];
  limpet_vec3_cross(around, axis, p->n);
  flat(form, 0, axis);
  curved(form, 1, around, p->shape->size[0]);
  form->room_point = p->shape->size[1] - fabs(p->x[2]);
}

// Balls have no length.
static bool capsule_form(const place *p, double half, limpet_surface_form *form) {
  double core[3];
  limpet_vec3_addmul(core, p->x, -p->shape->size[0], p->n);
  if (!(hypot(core[0], core[1]) <= p->tolerance)) return false;
  if (half > 0.0 && fabs(p->n[2]) <= aligned) {
    side_form(p, form);
    return form->room_point >= 0.0;
  }
  round_form(p->n, p->shape->size[0], form);
  if (half > 0.0) form->room_normal = fabs(p->n[2]);
  return is_at(p, core[2], half == 0.0 ? 0.0 : copysign(half, p->n[2]));
}

static bool cylinder_form(const place *p, limpet_surface_form *form) {
  const double radius = p->shape->size[0], half = p->shape->size[1], *n = p->n,
               out = hypot(p->x[0], p->x[1]), across = hypot(n[0], n[1]);
  if (fabs(n[2]) <= aligned) {
    side_form(p, form);
    return is_at(p, out, radius) && limpet_vec3_dot(n, p->x) > 0.0 && form->room_point >= 0.0;
  }
  if (!is_at(p, p->x[2], copysign(half, n[2]))) return false;
  if (across <= aligned) {
    flat_form(n, form);
    form->room_point = radius - out;
    return form->room_point >= 0.0;
  }
  const double away[3] = {n[0] / across, n[1] / across, 0.0}, along[3] = {-away[1], away[0], 0.0};
  double over[3];
  limpet_vec3_cross(over, n, along);
  curved(form, 0, along, radius / across);
  curved(form, 1, over, 0.0);
  form->room_normal = limpet_min(fabs(n[2]), across);
  return is_at(p, p->x[0], radius * away[0]) && is_at(p, p->x[1], radius * away[1]);
}

// --------------------------------------------------------------------------------- polyhedra

static bool box_form(const place *p, limpet_surface_form *form) {
  const double *s = p->shape->size, *n = p->n;
  int bounds = 0, free = 0;
  for (int i = 0; i < 3; ++i) {
    if (!is_at(p, fabs(p->x[i]), s[i])) {
      form->room_point = limpet_min(form->room_point, s[i] - fabs(p->x[i]));
      if (fabs(n[i]) > aligned) return false;
      free = i;
      continue;
    }
    ++bounds;
    form->room_normal = limpet_min(form->room_normal, copysign(n[i], n[i] * p->x[i]));
  }
  if (form->room_point < 0.0 || form->room_normal < 0.0) return false;
  if (bounds == 3) round_form(n, 0.0, form);
  else if (bounds == 2) {
    double along[3] = {0.0};
    along[free] = 1.0;
    edge_form(n, along, form);
  } else {
    flat_form(n, form);
    form->room_normal = INFINITY;
  }
  return bounds > 0;
}

static const double *corner(const limpet_hull *hull, int vertex) {
  return hull->vertices + 3 * vertex;
}

// n is the normal of a face with this vertex, and x lies within it.
static bool hull_face(const place *p, int vertex, limpet_surface_form *form) {
  const limpet_hull *hull = p->shape->hull;
  for (int k = hull->vertex_face_begin[vertex]; k < hull->vertex_face_begin[vertex + 1]; ++k) {
    const int face = hull->vertex_face[k], begin = hull->face_begin[face],
              count = hull->face_begin[face + 1] - begin;
    const double *plane = hull->face_plane + 4 * face;
    if (!is_along(p->n, plane) || !is_at(p, limpet_vec3_dot(plane, p->x), plane[3])) continue;
    for (int i = 0; i < count; ++i) {
      const double *from = corner(hull, hull->face_vertex[begin + i]),
                   *to = corner(hull, hull->face_vertex[begin + (i + 1) % count]);
      double edge[3], inwards[3], arm[3];
      limpet_vec3_sub(edge, to, from);
      limpet_vec3_cross(inwards, plane, edge);
      limpet_vec3_sub(arm, p->x, from);
      form->room_point =
          limpet_min(form->room_point, limpet_vec3_dot(inwards, arm) / limpet_vec3_norm(inwards));
    }
    flat_form(p->n, form);
    return form->room_point >= 0.0;
  }
  return false;
}

// x is the vertex.
static bool hull_corner(const place *p, int vertex, limpet_surface_form *form) {
  const limpet_hull *hull = p->shape->hull;
  if (!(limpet_vec3_distance(corner(hull, vertex), p->x) <= p->tolerance)) return false;
  for (int k = hull->neighbour_begin[vertex]; k < hull->neighbour_begin[vertex + 1]; ++k) {
    double edge[3];
    limpet_vec3_sub(edge, corner(hull, hull->neighbour[k]), corner(hull, vertex));
    form->room_normal =
        limpet_min(form->room_normal, -limpet_vec3_dot(edge, p->n) / limpet_vec3_norm(edge));
  }
  round_form(p->n, 0.0, form);
  return form->room_normal >= 0.0;
}

// How far n may turn to the normal of a face beside the edge from `vertex` along the unit u; -1:
// the other end, `to`, is no neighbour within the face.
static double beside(const place *p, int face, int vertex, int to, const double u[3]) {
  const limpet_hull *hull = p->shape->hull;
  const int begin = hull->face_begin[face], count = hull->face_begin[face + 1] - begin;
  for (int i = 0; i < count; ++i) {
    const int here = hull->face_vertex[begin + i],
              next = hull->face_vertex[begin + (i + 1) % count];
    const bool forwards = here == vertex && next == to;
    if (!forwards && !(here == to && next == vertex)) continue;
    double inwards[3];
    limpet_vec3_cross(inwards, hull->face_plane + 4 * face, u);
    return (forwards ? -1.0 : 1.0) * limpet_vec3_dot(inwards, p->n);
  }
  return -1.0;
}

// x lies on the edge from one vertex to the other.
static bool hull_edge(const place *p, int vertex, int to, limpet_surface_form *form) {
  const limpet_hull *hull = p->shape->hull;
  double u[3], arm[3], off[3];
  limpet_vec3_sub(u, corner(hull, to), corner(hull, vertex));
  const double length = limpet_vec3_normalize(u);
  limpet_vec3_sub(arm, p->x, corner(hull, vertex));
  const double along = limpet_vec3_dot(arm, u);
  limpet_vec3_addmul(off, arm, -along, u);
  if (along < 0.0 || along > length || !(limpet_vec3_norm(off) <= p->tolerance) ||
      fabs(limpet_vec3_dot(u, p->n)) > aligned)
    return false;
  int sides = 0;
  form->room_point = limpet_min(along, length - along);
  form->room_normal = INFINITY;
  for (int k = hull->vertex_face_begin[vertex]; k < hull->vertex_face_begin[vertex + 1]; ++k) {
    const double room = beside(p, hull->vertex_face[k], vertex, to, u);
    if (room < 0.0) continue;
    form->room_normal = limpet_min(form->room_normal, room);
    ++sides;
  }
  edge_form(p->n, u, form);
  return sides == 2;
}

static bool hull_form(const place *p, limpet_surface_form *form) {
  const limpet_hull *hull = p->shape->hull;
  if (p->shape->heights || !hull) return false;
  const int vertex = limpet_hull_support(hull, p->n);
  limpet_surface_form as_face = *form, as_corner = *form;
  if (hull_face(p, vertex, &as_face)) {
    *form = as_face;
    return true;
  }
  if (hull_corner(p, vertex, &as_corner)) {
    *form = as_corner;
    return true;
  }
  for (int k = hull->neighbour_begin[vertex]; k < hull->neighbour_begin[vertex + 1]; ++k)
    if (hull_edge(p, vertex, hull->neighbour[k], form)) return true;
  return false;
}

// -------------------------------------------------------------------------------------------

static bool own_form(const place *p, limpet_surface_form *form) {
  switch (p->shape->kind) {
    case LIMPET_SHAPE_PLANE: return plane_form(p, form);
    case LIMPET_SHAPE_SPHERE: return capsule_form(p, 0.0, form);
    case LIMPET_SHAPE_CAPSULE: return capsule_form(p, p->shape->size[1], form);
    case LIMPET_SHAPE_ELLIPSOID: return ellipsoid_form(p, form);
    case LIMPET_SHAPE_CYLINDER: return cylinder_form(p, form);
    case LIMPET_SHAPE_BOX: return box_form(p, form);
    case LIMPET_SHAPE_MESH: return hull_form(p, form);
    default: return false;
  }
}

bool limpet_surface_form_make(const limpet_shape *shape, const double x[3], const double n[3],
                              limpet_surface_form *form) {
  place p = {.shape = shape};
  double arm[3];
  limpet_vec3_sub(arm, x, shape->position);
  limpet_mat3_tmul_vec(p.x, shape->rotation, arm);
  limpet_mat3_tmul_vec(p.n, shape->rotation, n);
  p.tolerance = on_surface * (shape->kind == LIMPET_SHAPE_PLANE
                                  ? limpet_vec3_norm(p.x)
                                  : limpet_shape_radius(shape->kind, shape->size, shape->hull));
  *form = (limpet_surface_form){.room_point = INFINITY, .room_normal = INFINITY};
  if (!own_form(&p, form)) return false;
  for (int i = 0; i < 2; ++i) {
    double own[3];
    limpet_vec3_copy(own, form->point[i]);
    limpet_mat3_mul_vec(form->point[i], shape->rotation, own);
    limpet_vec3_copy(own, form->normal[i]);
    limpet_mat3_mul_vec(form->normal[i], shape->rotation, own);
  }
  return true;
}
