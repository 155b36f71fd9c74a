/* geometry/pair_sphere.c: contact of a sphere A with sphere, capsule, cylinder, box and ellipsoid B: one point, in closed form.
 *
 *   c = centre of A in the axes of B;  phi, g = signed distance of c from the surface of B and its gradient
 *   N = c - phi g: nearest point;  distance = phi - r_A,  normal (A to B) = -g,  on_a = c - r_A g,  on_b = N
 * Also exact when c is inside B. Where the gradient is not unique (centre of a sphere, axis of a capsule or cylinder, mid
 * planes of a box) the choice is Drake's (reference/drake.md, 5.6): +x for the round ones, the first face in the order
 * +x -x +y -y +z -z.
 * Ellipsoid with semi-axes s: N_i = s_i^2 c_i / (t + s_i^2) with t the largest root of sum (s_i c_i / (t + s_i^2))^2 = 1,
 * found by Newton's method, which is monotone because the sum is convex in t and the start lies left of the root (Eberly,
 * Distance from a point to an ellipse, an ellipsoid or a hyperellipsoid, 2013). */
#include "geometry/face.h"
#include "geometry/pair_list.h"
#include "math/vec3.h"

static const double boundary_tolerance = 1e-14;

// Signed distance of c (axes of B) from B, with its gradient; c inside is negative.
typedef double point_distance_function(double gradient[3], const limpet_shape *b, const double c[3]);

// Gradient and distance of a box of `count` axes at c; the smallest distance to a face where c is inside.
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
  const double along = fmin(b->size[1], fmax(-b->size[1], c[2])), off[3] = {c[0], c[1], c[2] - along};
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

/* The nearest point where the root is at the pole of the shortest axis: c lies in the plane across that axis, near the
 * centre. */
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

static void sphere_contact(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b, double margin,
                           point_distance_function *point_distance) {
  double offset[3], c[3], gradient[3], normal[3], on_a[3], on_b[3];
  limpet_vec3_sub(offset, a->position, b->position);
  limpet_mat3_tmul_vec(c, b->rotation, offset);
  const double distance = point_distance(gradient, b, c) - a->size[0];
  manifold->count = 0;
  if (!limpet_within_margin(distance, margin)) return;
  limpet_mat3_mul_vec(normal, b->rotation, gradient);
  limpet_vec3_neg(normal, normal);
  limpet_vec3_addmul(on_a, a->position, a->size[0], normal);
  limpet_vec3_addmul(on_b, on_a, distance, normal);
  limpet_manifold_add(manifold, on_a, on_b, normal, distance, 0);
}

static void sphere_sphere(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b, double margin) {
  double offset[3], normal[3], on_a[3], on_b[3];
  limpet_vec3_sub(offset, b->position, a->position);
  const double reach = a->size[0] + b->size[0] + margin, square = limpet_vec3_dot(offset, offset);
  manifold->count = 0;
  if (square > reach * reach) return;
  const double norm = sqrt(square), distance = norm - a->size[0] - b->size[0];
  if (!limpet_within_margin(distance, margin)) return;
  if (norm > boundary_tolerance * fmax(1.0, b->size[0])) limpet_vec3_scale(normal, 1.0 / norm, offset);
  else limpet_vec3_set(normal, -1.0, 0.0, 0.0);
  limpet_vec3_addmul(on_a, a->position, a->size[0], normal);
  limpet_vec3_addmul(on_b, on_a, distance, normal);
  limpet_manifold_add(manifold, on_a, on_b, normal, distance, 0);
}

static void sphere_capsule(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b, double margin) {
  sphere_contact(manifold, a, b, margin, capsule_distance);
}
static void sphere_ellipsoid(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b, double margin) {
  sphere_contact(manifold, a, b, margin, ellipsoid_distance);
}
static void sphere_cylinder(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b, double margin) {
  sphere_contact(manifold, a, b, margin, cylinder_distance);
}
static void sphere_box(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b, double margin) {
  sphere_contact(manifold, a, b, margin, box_distance);
}

const limpet_shape_pair limpet_pair_sphere_sphere = {LIMPET_SHAPE_SPHERE,    LIMPET_SHAPE_SPHERE,  sphere_sphere, NULL,
                                                     "closed form, 1 point", "elementary geometry"};
const limpet_shape_pair limpet_pair_sphere_capsule = {LIMPET_SHAPE_SPHERE,    LIMPET_SHAPE_CAPSULE, sphere_capsule, NULL,
                                                      "closed form, 1 point", "elementary geometry"};
const limpet_shape_pair limpet_pair_sphere_ellipsoid = {
    LIMPET_SHAPE_SPHERE,
    LIMPET_SHAPE_ELLIPSOID,
    sphere_ellipsoid,
    NULL,
    "Newton's method for one root, 1 point",
    "Eberly, Distance from a point to an ellipse, an ellipsoid or a hyperellipsoid"};
const limpet_shape_pair limpet_pair_sphere_cylinder = {LIMPET_SHAPE_SPHERE,    LIMPET_SHAPE_CYLINDER, sphere_cylinder, NULL,
                                                       "closed form, 1 point", "elementary geometry"};
const limpet_shape_pair limpet_pair_sphere_box = {LIMPET_SHAPE_SPHERE,    LIMPET_SHAPE_BOX,     sphere_box, NULL,
                                                  "closed form, 1 point", "elementary geometry"};
