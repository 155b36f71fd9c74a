/* geometry/point_distance.c: signed distance of one point from each kind of shape, with its
 * gradient, in the shape's axes.
 *
 *   phi, g = signed distance of c and its gradient;  c - phi g = nearest point of the surface
 * Where the gradient is not unique (centre of a sphere, axis of a capsule or cylinder, mid planes
 * of a box) the choice is Drake's (reference/drake.md, 5.6): +x for the round ones, the first face
 * in the order +x -x +y -y +z -z. Ellipsoid with semi-axes s: N_i = s_i^2 c_i / (t + s_i^2) with t
 * the largest root of sum (s_i c_i / (t + s_i^2))^2 = 1, found by Newton's method, which is
 * monotone because the sum is convex in t and the start lies left of the root (Eberly, Distance
 * from a point to an ellipse, an ellipsoid or a hyperellipsoid, 2013). Hull: inside, the nearest
 * face plane, which is exact for a convex body. Outside, the nearest of the polygons that c sees:
 * none of them is nearer than its plane, and the nearest point is a polygon's interior as soon as c
 * projects into one.
 * Cost (benchmarks/bench_cloud.c): closed forms 4-22 ns, ellipsoid 100 ns, a hull of 60 points 90
 * ns near it and 240 ns anywhere. */
#include "geometry/point_distance.h"

#include "geometry/distance_grid.h"
#include "geometry/surface.h"
#include "math/vec3.h"

static const double boundary_tolerance = 1e-14;
static const double nearness = 1e-10;  // of the distance from the centre

// Gradient and distance of a box of `count` axes at c; the smallest distance to a face where c is
// inside.
static double block_distance(double *gradient, int count, const double *half, const double *c) {
  double outside[3] = {0.0, 0.0, 0.0}, on[3] = {0.0, 0.0, 0.0}, inside = INFINITY;
  bool is_outside = false, is_on = false;
  int nearest = 0;
  for (int i = 0; i < count; ++i) {
    const double beyond = fabs(c[i]) - half[i], tolerance = boundary_tolerance * fmax(1.0, half[i]),
                 sign = c[i] < 0.0 ? -1.0 : 1.0;
    if (beyond > tolerance) outside[i] = sign * beyond, is_outside = true;
    else if (beyond > -tolerance) on[i] = sign, is_on = true;
    if (-beyond < inside) inside = -beyond, nearest = i;
  }
  const double *direction = is_outside ? outside : on;
  const double norm = limpet_vec3_norm(direction);
  for (int i = 0; i < count; ++i) gradient[i] = 0.0;
  if (is_outside || is_on) {
    for (int i = 0; i < count; ++i) gradient[i] = direction[i] / norm;
    return is_outside ? norm : 0.0;
  }
  gradient[nearest] = c[nearest] < 0.0 ? -1.0 : 1.0;
  return -inside;
}

static double sphere_distance(double gradient[3], const limpet_shape *b, const double c[3]) {
  const double norm = limpet_vec3_norm(c);
  if (norm > boundary_tolerance * fmax(1.0, b->size[0])) limpet_vec3_scale(gradient, 1.0 / norm, c);
  else limpet_vec3_set(gradient, 1.0, 0.0, 0.0);
  return norm - b->size[0];
}

static double capsule_distance(double gradient[3], const limpet_shape *b, const double c[3]) {
  const double along = fmin(b->size[1], fmax(-b->size[1], c[2])),
               off[3] = {c[0], c[1], c[2] - along};
  return sphere_distance(gradient, b, off);
}

static double cylinder_distance(double gradient[3], const limpet_shape *b, const double c[3]) {
  const double radial = sqrt(c[0] * c[0] + c[1] * c[1]), flat[2] = {radial, c[2]};
  const bool on_axis = radial < boundary_tolerance * fmax(1.0, b->size[0]);
  double g[2];
  const double distance = block_distance(g, 2, b->size, flat);
  gradient[0] = on_axis ? g[0] : g[0] * c[0] / radial;
  gradient[1] = on_axis ? 0.0 : g[0] * c[1] / radial;
  gradient[2] = g[1];
  return distance;
}

static double box_distance(double gradient[3], const limpet_shape *b, const double c[3]) {
  return block_distance(gradient, 3, b->size, c);
}

/* The nearest point where the root is at the pole of the shortest axis: c lies in the plane across
 * that axis, near the centre. */
static void ellipsoid_pole(double nearest[3], const double s[3], const double c[3], int shortest) {
  double rest = 1.0;
  for (int i = 0; i < 3; ++i) {
    const double gap = s[i] * s[i] - s[shortest] * s[shortest];
    nearest[i] = gap > 0.0 ? s[i] * s[i] * c[i] / gap : 0.0;
    rest -= nearest[i] * nearest[i] / (s[i] * s[i]);
  }
  nearest[shortest] = (c[shortest] < 0.0 ? -s[shortest] : s[shortest]) * sqrt(fmax(0.0, rest));
}

static double ellipsoid_distance(double gradient[3], const limpet_shape *b, const double c[3]) {
  const double *s = b->size;
  double nearest[3], gap[3], u = 0.0;  // u = t + shortest^2, gap = s_i^2 - shortest^2
  const int shortest = s[0] <= s[1] ? (s[0] <= s[2] ? 0 : 2) : (s[1] <= s[2] ? 1 : 2);
  for (int i = 0; i < 3; ++i) {
    gap[i] = (s[i] - s[shortest]) * (s[i] + s[shortest]);
    u = fmax(u, s[i] * fabs(c[i]) - gap[i]);
  }

  // Newton's method, from the left
  bool at_pole = !(u > boundary_tolerance * s[shortest] * s[shortest]);
  for (int step = 0; step < 64 && !at_pole; ++step) {
    double value = -1.0, slope = 0.0;
    for (int i = 0; i < 3; ++i) {
      const double ratio = s[i] * c[i] / (u + gap[i]);
      value += ratio * ratio;
      slope -= 2.0 * ratio * ratio / (u + gap[i]);
    }
    if (!(value > 0.0)) break;
    const double next = u - value / slope;
    if (!(next > u)) break;
    u = next;
  }
  if (at_pole) {
    ellipsoid_pole(nearest, s, c, shortest);
  } else {
    for (int i = 0; i < 3; ++i) nearest[i] = s[i] * s[i] * c[i] / (u + gap[i]);
  }

  double off[3];
  for (int i = 0; i < 3; ++i) gradient[i] = nearest[i] / (s[i] * s[i]);
  limpet_vec3_normalize(gradient);
  limpet_vec3_sub(off, c, nearest);
  return limpet_vec3_dot(off, gradient);
}

// ------------------------------------------------------------------------------------ hulls

// Lowers *square to the squared distance of c from the segment a b, if that is less, and keeps the
// nearest point.
static void segment_nearest(double nearest[3], double *square, const double a[3], const double b[3],
                            const double c[3]) {
  double edge[3], offset[3], point[3];
  limpet_vec3_sub(edge, b, a);
  limpet_vec3_sub(offset, c, a);
  const double t = limpet_vec3_dot(offset, edge) / limpet_vec3_dot(edge, edge);
  limpet_vec3_addmul(point, a, fmin(1.0, fmax(0.0, t)), edge);
  limpet_vec3_sub(offset, c, point);
  const double found = limpet_vec3_dot(offset, offset);
  if (!(found < *square)) return;
  *square = found;
  limpet_vec3_copy(nearest, point);
}

/* Nearest point of the polygon of a face to c, which is above it. True: c projects into the
 * polygon, and nothing was written. */
static bool face_nearest(double nearest[3], double *square, const limpet_hull *hull, int face,
                         const double c[3]) {
  const double *normal = hull->face_plane + 4 * face;
  bool above = true;
  for (int k = hull->face_begin[face], last = hull->face_begin[face + 1] - 1, from = last;
       k <= last; from = k++) {
    const double *a = hull->vertices + 3 * hull->face_vertex[from],
                 *b = hull->vertices + 3 * hull->face_vertex[k];
    double edge[3], out[3], offset[3];
    limpet_vec3_sub(edge, b, a);
    limpet_vec3_cross(out, edge, normal);
    limpet_vec3_sub(offset, c, a);
    if (!(limpet_vec3_dot(offset, out) > 0.0)) continue;
    above = false;
    segment_nearest(nearest, square, a, b, c);
  }
  return above;
}

static double hull_distance(double gradient[3], const limpet_hull *hull, const double c[3]) {
  int top = 0;
  double highest = -INFINITY;
  for (int f = 0; f < hull->face_count; ++f) {
    const double *plane = hull->face_plane + 4 * f, height = limpet_vec3_dot(plane, c) - plane[3];
    if (height > highest) highest = height, top = f;
  }
  limpet_vec3_copy(gradient, hull->face_plane + 4 * top);
  if (!(highest > 0.0)) return highest;

  // outside: the polygons that look at c, the steepest first
  double nearest[3], square = INFINITY;
  if (face_nearest(nearest, &square, hull, top, c)) return highest;
  for (int f = 0; f < hull->face_count; ++f) {
    const double *plane = hull->face_plane + 4 * f, height = limpet_vec3_dot(plane, c) - plane[3];
    if (f == top || !(height > 0.0) || !(height * height < square)) continue;
    if (!face_nearest(nearest, &square, hull, f, c)) continue;
    limpet_vec3_copy(gradient, plane);
    return height;
  }
  // so near to an edge that the direction drowns in round-off, the steepest face gives it
  const double distance = sqrt(square), extent = limpet_vec3_distance(c, hull->centre);
  if (!(distance > nearness * extent)) return distance;
  limpet_vec3_sub(gradient, c, nearest);
  limpet_vec3_scale(gradient, 1.0 / distance, gradient);
  return distance;
}

static double mesh_distance(double gradient[3], const limpet_shape *b, const double c[3]) {
  double sampled;
  if (b->grid && limpet_distance_grid_at(&sampled, gradient, b->grid, c)) return sampled;
  return b->surface ? limpet_surface_distance(gradient, b->surface, c)
                    : hull_distance(gradient, b->hull, c);
}

static double plane_distance(double gradient[3], const limpet_shape *b, const double c[3]) {
  (void)b;
  limpet_vec3_set(gradient, 0.0, 0.0, 1.0);
  return c[2];
}

limpet_point_distance_function *const limpet_point_distance[LIMPET_SHAPE_COUNT] = {
    plane_distance,    sphere_distance, capsule_distance, ellipsoid_distance,
    cylinder_distance, box_distance,    mesh_distance,
};
