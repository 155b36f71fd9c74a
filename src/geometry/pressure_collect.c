/* geometry/pressure_collect.c: faces and points of a contact surface, and their integrals.
 *
 * A polygon with corners x_k is a fan of triangles about x_0. With a linear pressure the integrals
 * over a triangle T of area |T| are exact:
 *   int p = |T| sum p_k/3,  int p x = |T| (sum p_k sum x_k + sum p_k x_k)/12,
 *   int x = |T| sum x_k/3,  int x x' = |T| (sum x_k sum x_k' + sum x_k x_k')/12.
 * Points of a polygon with centroid c and covariance C = L L' (2 x 2, in its plane): three points
 * c + sqrt(2) L (cos, sin)(2 pi k/3), a third of the area each. They have the polygon's moments up
 * to the second, so that with linear pressures the sums of force, moment and stiffness against any
 * small motion are exact. The first one lies outwards. An ellipse of sqrt(2) standard deviations
 * lies within every convex polygon (Kannan, Lovasz, Simonovits 1995), so that no point leaves it.
 */
#include "geometry/pressure_contact.h"

#include <math.h>
#include <string.h>

#include "base/grow.h"
#include "math/vec3.h"

/* Rule of LIMPET_PRESSURE_POINTS_BY_SIZE: a polygon with more than 1/8 of the area is cut into
 * triangles of three points; one with less than 1/64 has one point. */
static const double large_share = 1.0 / 8.0, small_share = 1.0 / 64.0;
static const double least_outwards = 1e-9;  // [-]  of the root of a polygon's area
static const double least_share = 1e-15;    // [-]  of the area of the surface; smaller: no point

// --------------------------------------------------------------------------- frames

limpet_pressure_frame limpet_pressure_frame_of(const limpet_pressure_body *b,
                                               const limpet_pressure_body *a) {
  limpet_pressure_frame frame;
  double between[3];
  limpet_mat3_tmul(frame.rotation, a->rotation, b->rotation);
  limpet_vec3_sub(between, b->position, a->position);
  limpet_mat3_tmul_vec(frame.offset, a->rotation, between);
  return frame;
}

void limpet_pressure_to_world(double y[3], const limpet_pressure_body *body, const double x[3]) {
  limpet_mat3_mul_vec(y, body->rotation, x);
  limpet_vec3_add(y, y, body->position);
}

void limpet_pressure_from_world(double y[3], const limpet_pressure_body *body, const double x[3]) {
  double z[3];
  limpet_vec3_sub(z, x, body->position);
  limpet_mat3_tmul_vec(y, body->rotation, z);
}

static const double filter_cosine = -0.38268343236508977;  // of 5 pi/8

bool limpet_pressure_looks_away(double slope, const double gradient[3]) {
  return slope <= filter_cosine * limpet_vec3_norm(gradient);
}

// --------------------------------------------------------------------------- memory

static bool grow(limpet_pressure_surface *surface, void *array, int *room, int needed,
                 size_t element) {
  if (needed <= *room) return true;
  ++surface->growth_count;
  if (limpet_grow(array, room, needed, element)) return true;
  surface->workspace->failed = true;
  return false;
}

bool limpet_pressure_zeroed_room(limpet_pressure_surface *surface, void *array, int *room,
                                 int needed, size_t element) {
  const int before = *room;
  if (!grow(surface, array, room, needed, element)) return false;
  char *bytes = *(char **)array;
  memset(bytes + (size_t)before * element, 0, (size_t)(*room - before) * element);
  return true;
}

static bool grow_vertices(limpet_pressure_surface *surface, int needed) {
  limpet_pressure_workspace *work = surface->workspace;
  return grow(surface, &surface->vertex, &work->vertex_room, needed, 3 * sizeof(double)) &&
         grow(surface, &surface->vertex_pressure, &work->pressure_room, needed, sizeof(double));
}

// --------------------------------------------------------------------------- integrals

// Zeroth to second moments of a polygon about its first corner, area signed along n.
typedef struct polygon_moments {
  double area, first[3], second[9];
} polygon_moments;

static void triangle_moments(polygon_moments *m, const double u[3], const double v[3],
                             const double n[3]) {
  double cross[3];
  limpet_vec3_cross(cross, u, v);
  const double area = 0.5 * limpet_vec3_dot(cross, n);
  m->area += area;
  for (int i = 0; i < 3; ++i) {
    m->first[i] += area / 3.0 * (u[i] + v[i]);
    for (int j = 0; j < 3; ++j)
      m->second[3 * i + j] +=
          area / 12.0 * ((u[i] + v[i]) * (u[j] + v[j]) + u[i] * u[j] + v[i] * v[j]);
  }
}

static polygon_moments moments_of(const double *corners, int count, const double n[3]) {
  polygon_moments m = {0};
  double u[3], v[3];
  limpet_vec3_sub(v, corners + 3, corners);
  for (int k = 2; k < count; ++k) {
    limpet_vec3_copy(u, v);
    limpet_vec3_sub(v, corners + 3 * k, corners);
    triangle_moments(&m, u, v, n);
  }
  if (m.area < 0.0) {  // corners run the other way
    m.area = -m.area;
    for (int i = 0; i < 3; ++i) m.first[i] = -m.first[i];
    for (int i = 0; i < 9; ++i) m.second[i] = -m.second[i];
  }
  return m;
}

// Adds area, int p, int x, int p x (x from the origin of the workspace) with traction along n.
static void add_integrals(limpet_pressure_surface *surface, double area, double pressed,
                          const double first[3], const double pressed_first[3], const double n[3]) {
  limpet_pressure_workspace *work = surface->workspace;
  double turn[3];
  limpet_vec3_cross(turn, pressed_first, n);
  surface->area += area, surface->pressure_integral += pressed;
  limpet_vec3_addmul(surface->force, surface->force, pressed, n);
  limpet_vec3_add(work->moment, work->moment, turn);
  limpet_vec3_add(work->first, work->first, first);
  limpet_vec3_add(work->pressed, work->pressed, pressed_first);
}

/* Area, int x - x_0, int p, int p (x - x_0) of a polygon whose pressures are linear: over the
 * triangle of corners 0, r, s these are A/3 times the sums of x and of p, and
 * A/12 (sum of p times sum of x + sum of p x). */
typedef struct pressed_moments {
  double area, first[3], pressed, pressed_first[3];
} pressed_moments;

static pressed_moments pressed_moments_of(const double (*corners)[3], const double *p, int count,
                                          const double n[3]) {
  pressed_moments m = {0};
  double u[3], v[3], cross[3];
  limpet_vec3_sub(v, corners[1], corners[0]);
  for (int k = 2; k < count; ++k) {
    limpet_vec3_copy(u, v);
    limpet_vec3_sub(v, corners[k], corners[0]);
    limpet_vec3_cross(cross, u, v);
    const double area = 0.5 * limpet_vec3_dot(cross, n), sum = p[0] + p[k - 1] + p[k];
    const double third = area * (1.0 / 3.0), twelfth = area * (1.0 / 12.0);
    m.area += area, m.pressed += third * sum;
    for (int i = 0; i < 3; ++i) {
      m.first[i] += third * (u[i] + v[i]);
      m.pressed_first[i] += twelfth * (sum * (u[i] + v[i]) + p[k - 1] * u[i] + p[k] * v[i]);
    }
  }
  if (m.area < 0.0) {  // corners run the other way
    m.area = -m.area, m.pressed = -m.pressed;
    limpet_vec3_neg(m.first, m.first), limpet_vec3_neg(m.pressed_first, m.pressed_first);
  }
  return m;
}

static bool is_pressed_anywhere(const double *pressures, int count, double least) {
  for (int k = 0; k < count; ++k)
    if (fabs(pressures[k]) > least) return true;
  return false;
}

// One side of p = 0 of a polygon in W.
static void add_part(limpet_pressure_surface *surface, const double (*corners)[3],
                     const double *pressures, int count, const limpet_pressure_face *like,
                     bool pressed) {
  limpet_pressure_workspace *work = surface->workspace;
  if (count < 3 || !is_pressed_anywhere(pressures, count, work->no_pressure)) return;
  const pressed_moments m = pressed_moments_of(corners, pressures, count, like->normal);
  if (!(m.area > 0.0)) return;
  const int begin = work->vertex_count;
  if (!grow_vertices(surface, begin + count) ||
      !grow(surface, &work->face, &work->face_room, work->face_count + 1, sizeof *work->face))
    return;
  limpet_pressure_face *face = &work->face[work->face_count++];
  *face = *like;
  face->begin = begin, face->count = count, face->area = m.area;
  limpet_vec3_addmul(face->centroid, corners[0], 1.0 / m.area, m.first);
  face->pressure = m.pressed / m.area;
  for (int k = 0; k < count; ++k) {
    limpet_vec3_copy(surface->vertex + 3 * (begin + k), corners[k]);
    surface->vertex_pressure[begin + k] = pressures[k];
  }
  work->vertex_count += count;
  if (!pressed) return;
  double from[3], first[3], pressed_first[3];
  limpet_vec3_sub(from, corners[0], work->origin);
  limpet_vec3_addmul(first, m.first, m.area, from);
  limpet_vec3_addmul(pressed_first, m.pressed_first, m.pressed, from);
  add_integrals(surface, m.area, m.pressed, first, pressed_first, face->normal);
}

// The corners on one side of p = 0, sign = 1 or -1, with those where p changes sign.
static int split(const double (*corners)[3], const double *pressures, int count, double sign,
                 double (*part)[3], double *part_pressures) {
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    const int next = k + 1 < count ? k + 1 : 0;
    const double p = sign * pressures[k], q = sign * pressures[next];
    if (p >= 0.0) {
      limpet_vec3_copy(part[kept], corners[k]);
      part_pressures[kept++] = pressures[k];
    }
    if ((p >= 0.0) == (q >= 0.0)) continue;
    const double t = p / (p - q);
    for (int i = 0; i < 3; ++i)
      part[kept][i] = corners[k][i] + t * (corners[next][i] - corners[k][i]);
    part_pressures[kept++] = 0.0;
  }
  return kept;
}

void limpet_pressure_add_corners(limpet_pressure_surface *surface, const double (*corners)[3],
                                 const double *pressures, int count,
                                 const limpet_pressure_face *face) {
  int outside = 0;
  for (int k = 0; k < count; ++k) outside += pressures[k] < 0.0;
  if (outside == 0) {
    add_part(surface, corners, pressures, count, face, true);
    return;
  }
  limpet_pressure_face outer = *face;
  outer.feature |= (uint64_t)1 << 63;
  double part[LIMPET_PRESSURE_CORNERS + 1][3], p[LIMPET_PRESSURE_CORNERS + 1];
  if (surface->workspace->least_pressure < 0.0) {
    const int apart = split(corners, pressures, count, -1.0, part, p);
    add_part(surface, (const double(*)[3])part, p, apart, &outer, false);
  }
  const int kept = split(corners, pressures, count, 1.0, part, p);
  add_part(surface, (const double(*)[3])part, p, kept, face, true);
}

void limpet_pressure_add_face(limpet_pressure_surface *surface,
                              const limpet_pressure_polygon *polygon,
                              const limpet_pressure_face *face, const double slope[3],
                              double offset) {
  double pressures[LIMPET_PRESSURE_CORNERS];
  for (int k = 0; k < polygon->count; ++k) {
    const double p = limpet_vec3_dot(slope, polygon->vertex[k]) + offset;
    pressures[k] = fabs(p) > surface->workspace->no_pressure ? p : 0.0;  // round-off has no sign
  }
  limpet_pressure_add_corners(surface, (const double(*)[3])polygon->vertex, pressures,
                              polygon->count, face);
}

// --------------------------------------------------------------------------- points

double limpet_pressure_series(double a, double b) {
  if (!(a < INFINITY)) return b;
  if (!(b < INFINITY)) return a;
  return a > 0.0 && b > 0.0 ? a * b / (a + b) : 0.0;
}

static int push_point(limpet_pressure_surface *surface, const limpet_pressure_point *point) {
  limpet_pressure_workspace *work = surface->workspace;
  const int k = surface->point_count;
  if (!grow(surface, &surface->point, &work->point_room, k + 1, sizeof *point)) return -1;
  surface->point[k] = *point;
  surface->point[k].gradient = limpet_pressure_series(point->gradient_a, point->gradient_b);
  if (point->pressure > surface->pressure_most) surface->pressure_most = point->pressure;
  return surface->point_count++;
}

int limpet_pressure_add_point(limpet_pressure_surface *surface,
                              const limpet_pressure_point *point) {
  if (point->pressure >= 0.0) {
    double x[3], first[3], pressed[3];
    limpet_vec3_sub(x, point->position, surface->workspace->origin);
    limpet_vec3_scale(first, point->area, x);
    limpet_vec3_scale(pressed, point->area * point->pressure, x);
    add_integrals(surface, point->area, point->area * point->pressure, first, pressed,
                  point->normal);
  }
  return push_point(surface, point);
}

static bool push_polygon(limpet_pressure_surface *surface, int begin, int end, int point) {
  limpet_pressure_workspace *work = surface->workspace;
  const int k = surface->polygon_count;
  if (!grow(surface, &surface->polygon_begin, &work->begin_room, k + 2, sizeof(int)) ||
      !grow(surface, &surface->polygon_point, &work->owner_room, k + 1, sizeof(int)))
    return false;
  surface->polygon_begin[k] = begin, surface->polygon_begin[k + 1] = end;
  surface->polygon_point[k] = point;
  ++surface->polygon_count;
  return true;
}

void limpet_pressure_add_outline(limpet_pressure_surface *surface, int point, const double *corners,
                                 const double *pressures, int count) {
  const int k = surface->polygon_count, begin = k ? surface->polygon_begin[k] : 0;
  if (!grow_vertices(surface, begin + count)) return;
  for (int c = 0; c < count; ++c) {
    limpet_vec3_copy(surface->vertex + 3 * (begin + c), corners + 3 * c);
    surface->vertex_pressure[begin + c] = pressures[c];
  }
  push_polygon(surface, begin, begin + count, point);
}

static limpet_pressure_point point_like(const limpet_pressure_face *face) {
  limpet_pressure_point point = {.area = face->area,
                                 .pressure = face->pressure,
                                 .gradient_a = face->gradient_a,
                                 .gradient_b = face->gradient_b,
                                 .feature = face->feature,
                                 .element_a = face->element_a,
                                 .element_b = face->element_b};
  limpet_vec3_copy(point.normal, face->normal);
  limpet_vec3_copy(point.position, face->centroid);
  return point;
}

/* The direction within a polygon in which the first of its points lies: outwards, from the middle
 * of the surface to `middle`, wherever corners are counted from. Where these two meet, along
 * `otherwise`. */
static void outwards(double t[3], const limpet_pressure_face *face, const double middle[3],
                     const double centre[3], const double otherwise[3]) {
  double away[3];
  limpet_vec3_sub(away, middle, centre);
  limpet_vec3_addmul(t, away, -limpet_vec3_dot(away, face->normal), face->normal);
  const double length = limpet_vec3_normalize(t);
  if (!(length * length > least_outwards * least_outwards * face->area))
    limpet_vec3_copy(t, otherwise);
}

// Three points with the moments of a polygon; pressure p0 at c, growing with `slope` in its plane.
static void push_three(limpet_pressure_surface *surface, const limpet_pressure_face *face,
                       const double *corners, int count, const double slope[3],
                       const double centre[3], int part) {
  const polygon_moments m = moments_of(corners, count, face->normal);
  if (!(m.area > 0.0)) return;
  double c[3], middle[3], from_corner[3], t[3], s[3], Ct[3], Cs[3];
  limpet_vec3_scale(c, 1.0 / m.area, m.first);
  limpet_vec3_copy(from_corner, c);
  if (!(limpet_vec3_normalize(from_corner) > 0.0)) return;
  limpet_vec3_add(middle, c, corners);
  outwards(t, face, middle, centre, from_corner);
  limpet_vec3_cross(s, face->normal, t);
  limpet_mat3_mul_vec(Ct, m.second, t), limpet_mat3_mul_vec(Cs, m.second, s);
  const double ct = limpet_vec3_dot(c, t), cs = limpet_vec3_dot(c, s);
  const double tt = fmax(limpet_vec3_dot(t, Ct) / m.area - ct * ct, 0.0),
               ts = limpet_vec3_dot(s, Ct) / m.area - ct * cs,
               ss = fmax(limpet_vec3_dot(s, Cs) / m.area - cs * cs, 0.0);
  // Cholesky of the covariance
  const double l = sqrt(tt), k = l > 0.0 ? ts / l : 0.0, h = sqrt(fmax(ss - k * k, 0.0));
  for (int i = 0; i < 3; ++i) {
    static const double cosine[3] = {1.0, -0.5, -0.5},
                        sine[3] = {0.0, 0.86602540378443865, -0.86602540378443865};
    const double x = sqrt(2.0) * l * cosine[i], y = sqrt(2.0) * (k * cosine[i] + h * sine[i]);
    limpet_pressure_point point = point_like(face);
    double away[3];
    limpet_vec3_addmul(point.position, middle, x, t);
    limpet_vec3_addmul(point.position, point.position, y, s);
    limpet_vec3_sub(away, point.position, face->centroid);
    point.pressure = face->pressure + limpet_vec3_dot(slope, away);
    point.area = m.area / 3.0;
    point.feature += (uint64_t)(3 * part + i) << 56;
    push_point(surface, &point);
  }
}

// The slope of the pressure within the plane of a polygon, from its corners.
static void slope_of(double slope[3], const limpet_pressure_surface *surface,
                     const limpet_pressure_face *face) {
  const double *corners = surface->vertex + 3 * face->begin,
               *p = surface->vertex_pressure + face->begin;
  double best = 0.0;
  limpet_vec3_zero(slope);
  for (int k = 1; k + 1 < face->count; ++k) {  // the fan's largest triangle has the most digits
    double u[3], v[3], cross[3], tu[3], tv[3];
    limpet_vec3_sub(u, corners + 3 * k, corners), limpet_vec3_sub(v, corners + 3 * k + 3, corners);
    limpet_vec3_cross(cross, u, v);
    const double area = limpet_vec3_norm(cross);
    if (!(area > best)) continue;
    best = area;
    limpet_vec3_scale(cross, 1.0 / (area * area), cross);
    limpet_vec3_cross(tu, v, cross), limpet_vec3_cross(tv, cross, u);
    for (int i = 0; i < 3; ++i) slope[i] = (p[k] - p[0]) * tu[i] + (p[k + 1] - p[0]) * tv[i];
  }
}

static void push_fan(limpet_pressure_surface *surface, const limpet_pressure_face *face,
                     const double slope[3]) {
  for (int k = 0; k < face->count; ++k) {
    double triangle[9];
    limpet_vec3_copy(triangle, face->centroid);
    limpet_vec3_copy(triangle + 3, surface->vertex + 3 * (face->begin + k));
    limpet_vec3_copy(triangle + 6, surface->vertex + 3 * (face->begin + (k + 1) % face->count));
    push_three(surface, face, triangle, 3, slope, face->centroid, k);
  }
}

static void face_points(limpet_pressure_surface *surface, const limpet_pressure_face *face,
                        double total, const double centre[3]) {
  const limpet_pressure_points rule = surface->workspace->query->points;
  const bool one = rule == LIMPET_PRESSURE_POINTS_CENTROID ||
                   (rule == LIMPET_PRESSURE_POINTS_BY_SIZE && face->area < small_share * total);
  if (one) {
    const limpet_pressure_point point = point_like(face);
    push_point(surface, &point);
    return;
  }
  double slope[3];
  slope_of(slope, surface, face);
  if (face->area > large_share * total) push_fan(surface, face, slope);
  else push_three(surface, face, surface->vertex + 3 * face->begin, face->count, slope, centre, 0);
}

void limpet_pressure_faces_finish(limpet_pressure_surface *surface) {
  const limpet_pressure_workspace *work = surface->workspace;
  double total = 0.0, centre[3] = {0.0, 0.0, 0.0};
  for (int k = 0; k < work->face_count; ++k) {
    total += work->face[k].area;
    limpet_vec3_addmul(centre, centre, work->face[k].area, work->face[k].centroid);
  }
  if (total > 0.0) limpet_vec3_scale(centre, 1.0 / total, centre);
  for (int k = 0; k < work->face_count && !work->failed; ++k) {
    const limpet_pressure_face *face = &work->face[k];
    if (!(face->area > least_share * total)) {
      ++surface->dropped;
      continue;
    }
    const int point = surface->point_count;
    face_points(surface, face, total, centre);
    if (surface->point_count > point)
      push_polygon(surface, face->begin, face->begin + face->count, point);
  }
}

// --------------------------------------------------------------------------- limits

double limpet_pressure_least(const limpet_pressure_workspace *work) {
  return work->least_pressure < 0.0 ? work->least_pressure : work->no_pressure;
}
