/* geometry/wrap.c: a taut string around a sphere or a cylinder.
 *
 * The string lies in a plane: of a sphere the one through its centre c and the two ends; of a
 * cylinder the plane across its axis, in which the string is seen, while it climbs along the axis
 * in proportion to the length of its shadow. In the plane the shape is a circle of radius r [m]
 * about the origin, and the ends are d0 and d1 [m], outside.
 *
 * outside   two tangents from d0 and two from d1 give two ways round. A tangent point of d is
 *           r (r d + s |t| d')/|d|^2,  |t|^2 = |d|^2 - r^2, d' = d turned left, s = +-1. The way is
 *           the shorter one, which is straight where that is free; the longer one where the side
 *           lies opposite: where the ray from the centre away from the side meets the straight
 *           string. So MuJoCo 4.0.1 decides.
 * inside    the string has to pass through the circle. It is straight where it does so by itself;
 *           else it touches the circle in one point e, where |d0 - e| + |e - d1| is least. The
 *           touching point is the zero of the slope over the angle of e, which grows between d0 and
 *           d1; it is found by bisection with Newton's steps.
 *
 * Cost: some 100 flops; inside some 20 sines.
 * Source: MJCF reference, tendon/spatial; geometry of tangents. */
#include "geometry/wrap.h"

#include <assert.h>
#include <float.h>
#include <stddef.h>

#include "math/vec3.h"

enum { ROOT_STEPS = 100 };  // of the search for the touching point; ten are usual

typedef struct flat {  // a point of the plane
  double x, y;
} flat;

static double dot(flat a, flat b) { return a.x * b.x + a.y * b.y; }
static double cross(flat a, flat b) { return a.x * b.y - a.y * b.x; }
static double norm(flat a) { return sqrt(dot(a, a)); }
static flat minus(flat a, flat b) { return (flat){a.x - b.x, a.y - b.y}; }
static flat scaled(double s, flat a) { return (flat){s * a.x, s * a.y}; }

// What the plane holds of a problem, and the path in it.
typedef struct flat_path {
  flat d[2];      // [m]  ends
  double radius;  // [m]
  bool has_side;
  flat side;      // direction of the side
  flat touch[2];  // [m]  where the string meets and leaves the circle
  double arc;     // [m]  between the two
} flat_path;

// The point of the segment between the ends that is nearest to the centre.
static flat nearest_to_centre(const flat_path *p) {
  const flat along = minus(p->d[1], p->d[0]);
  const double square = dot(along, along);
  const double t = square > 0.0 ? fmin(fmax(-dot(along, p->d[0]) / square, 0.0), 1.0) : 0.0;
  return (flat){p->d[0].x + t * along.x, p->d[0].y + t * along.y};
}

// The tangent point of d that is reached by turning left (s = 1) or right (s = -1) from d.
static flat tangent_point(flat d, double r, double s) {
  const double square = dot(d, d), t = s * sqrt(fmax(square - r * r, 0.0));
  return (flat){r * (r * d.x - t * d.y) / square, r * (r * d.y + t * d.x) / square};
}

// Angle from a to b, turning left (s = 1) or right (s = -1)  [rad]  0 to 2 pi.
static double angle_between(flat a, flat b, double s) {
  const double angle = s * atan2(cross(a, b), dot(a, b));
  return angle < 0.0 ? angle + 2.0 * LIMPET_PI : angle;
}

// Whether the ray from the centre away from the side meets the string.
static bool lies_opposite(const flat_path *p, double turn) {
  return p->has_side && turn != 0.0 && cross(p->d[1], p->side) * turn >= 0.0 &&
         cross(p->side, p->d[0]) * turn >= 0.0;
}

static bool around_circle(flat_path *p) {
  const double turn = cross(p->d[0], p->d[1]);
  const flat closest = nearest_to_centre(p);
  const bool opposite = lies_opposite(p, turn);
  if (dot(closest, closest) > p->radius * p->radius && !opposite) return false;

  // left (1) or right (-1) about the centre: the shorter way, or the longer one
  const bool in_line = turn == 0.0 && p->has_side;
  const bool left = in_line ? cross(p->d[0], p->side) > 0.0 : (turn >= 0.0) != opposite;
  const double s = left ? 1.0 : -1.0;
  p->touch[0] = tangent_point(p->d[0], p->radius, s);
  p->touch[1] = tangent_point(p->d[1], p->radius, -s);
  p->arc = p->radius * angle_between(p->touch[0], p->touch[1], s);
  return true;
}

// d/dangle of |d - r e(angle)|, e the unit vector; rate: its derivative.
static double slope_of(flat d, double r, double angle, double *rate) {
  const flat e = {cos(angle), sin(angle)}, left = {-e.y, e.x};
  const flat to = minus(scaled(r, e), d);
  const double length = norm(to), along = r * dot(to, left) / length;
  *rate += (r * r - along * along - r * dot(to, e)) / length;
  return along;
}

static bool through_circle(flat_path *p) {
  const flat closest = nearest_to_centre(p);
  if (dot(closest, closest) <= p->radius * p->radius) return false;

  // the touching point lies between the directions of the two ends
  const double turn = atan2(cross(p->d[0], p->d[1]), dot(p->d[0], p->d[1])),
               start = atan2(p->d[0].y, p->d[0].x);
  double low = fmin(0.0, turn), high = fmax(0.0, turn), angle = 0.5 * turn;
  for (int i = 0; i < ROOT_STEPS && high - low > DBL_EPSILON; ++i) {
    double rate = 0.0;
    const double slope = slope_of(p->d[0], p->radius, start + angle, &rate) +
                         slope_of(p->d[1], p->radius, start + angle, &rate);
    if (slope == 0.0) break;
    if (slope > 0.0) high = angle;
    else low = angle;
    const double next = angle - slope / rate;
    const bool good = rate > 0.0 && next > low && next < high;
    const double last = angle;
    angle = good ? next : 0.5 * (low + high);
    if (good && fabs(angle - last) < DBL_EPSILON) break;
  }
  p->touch[0] = p->touch[1] =
      (flat){p->radius * cos(start + angle), p->radius * sin(start + angle)};
  p->arc = 0.0;
  return true;
}

// Axes u, v of the plane of a sphere's string, in the shape's frame.
static void sphere_plane(double u[3], double v[3], const double a[3], const double b[3]) {
  double normal[3];
  limpet_vec3_copy(u, a);
  limpet_vec3_normalize(u);
  limpet_vec3_cross(normal, u, b);
  if (limpet_vec3_normalize(normal) <= DBL_EPSILON * limpet_vec3_norm(b)) {
    // ends on one ray or on opposite sides: any plane through them
    const double other[3] = {fabs(u[0]) < 0.5, fabs(u[0]) >= 0.5, 0.0};
    limpet_vec3_cross(normal, u, other);
    limpet_vec3_normalize(normal);
  }
  limpet_vec3_cross(v, normal, u);
}

static void into_shape(double local[3], const limpet_wrap_shape *shape, const double point[3]) {
  double offset[3];
  limpet_vec3_sub(offset, point, shape->position);
  limpet_mat3_tmul_vec(local, shape->rotation, offset);
}

bool limpet_wrap_path(const limpet_wrap_shape *shape, const double from[3], const double to[3],
                      const double *side, limpet_wrap *wrap) {
  assert(shape && from && to && wrap);
  double end[2][3], u[3] = {1.0, 0.0, 0.0}, v[3] = {0.0, 1.0, 0.0}, s[3];
  into_shape(end[0], shape, from);
  into_shape(end[1], shape, to);
  if (!shape->cylinder) sphere_plane(u, v, end[0], end[1]);

  // the problem in the plane
  flat_path path = {.radius = shape->radius, .has_side = side != NULL};
  for (int i = 0; i < 2; ++i) {
    path.d[i] = (flat){limpet_vec3_dot(end[i], u), limpet_vec3_dot(end[i], v)};
    if (!(norm(path.d[i]) > shape->radius)) return false;
  }
  bool inside = false;
  if (side) {
    into_shape(s, shape, side);
    path.side = (flat){limpet_vec3_dot(s, u), limpet_vec3_dot(s, v)};
    inside = limpet_vec3_norm(s) < shape->radius;
  }
  if (!(inside ? through_circle(&path) : around_circle(&path))) return false;

  // back into space, climbing along the axis of a cylinder
  const double lead = norm(minus(path.d[0], path.touch[0])),
               tail = norm(minus(path.d[1], path.touch[1])), whole = lead + path.arc + tail;
  const double share[2] = {whole > 0.0 ? lead / whole : 0.0,
                           whole > 0.0 ? (lead + path.arc) / whole : 1.0};
  const double rise = shape->cylinder ? end[1][2] - end[0][2] : 0.0;
  double *points[2] = {wrap->first, wrap->last};
  for (int i = 0; i < 2; ++i) {
    double local[3], offset[3];
    limpet_vec3_scale(local, path.touch[i].x, u);
    limpet_vec3_addmul(local, local, path.touch[i].y, v);
    if (shape->cylinder) local[2] = end[0][2] + share[i] * rise;
    limpet_mat3_mul_vec(offset, shape->rotation, local);
    limpet_vec3_add(points[i], shape->position, offset);
  }
  wrap->length = hypot(path.arc, (share[1] - share[0]) * rise);
  return true;
}
