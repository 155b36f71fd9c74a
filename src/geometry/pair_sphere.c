/* geometry/pair_sphere.c: contact of a sphere A with sphere, capsule, cylinder, box and ellipsoid
 * B: one point, in closed form.
 *
 *   c = centre of A in the axes of B;  phi, g = signed distance of c from the surface of B and its
 *                                      gradient
 *   N = c - phi g: nearest point;  distance = phi - r_A,  normal (A to B) = -g,  on_a = c - r_A g,
 *                                  on_b = N
 * Also exact when c is inside B; point_distance.c says how phi and g are found, and what they are
 * where g is not unique. */
#include "geometry/face.h"
#include "geometry/pair_list.h"
#include "geometry/point_distance.h"
#include "math/vec3.h"

static const double boundary_tolerance = 1e-14;

static void sphere_contact(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                           double margin) {
  double offset[3], c[3], gradient[3], normal[3], on_a[3], on_b[3];
  limpet_vec3_sub(offset, a->position, b->position);
  limpet_mat3_tmul_vec(c, b->rotation, offset);
  const double distance = limpet_point_distance[b->kind](gradient, b, c) - a->size[0];
  manifold->count = 0;
  if (!limpet_within_margin(distance, margin)) return;
  limpet_mat3_mul_vec(normal, b->rotation, gradient);
  limpet_vec3_neg(normal, normal);
  limpet_vec3_addmul(on_a, a->position, a->size[0], normal);
  limpet_vec3_addmul(on_b, on_a, distance, normal);
  limpet_manifold_add(manifold, on_a, on_b, normal, distance, 0);
}

static void sphere_sphere(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                          double margin) {
  double offset[3], normal[3], on_a[3], on_b[3];
  limpet_vec3_sub(offset, b->position, a->position);
  const double reach = a->size[0] + b->size[0] + margin, square = limpet_vec3_dot(offset, offset);
  manifold->count = 0;
  if (square > reach * reach) return;
  const double norm = sqrt(square), distance = norm - a->size[0] - b->size[0];
  if (!limpet_within_margin(distance, margin)) return;
  if (norm > boundary_tolerance * fmax(1.0, b->size[0]))
    limpet_vec3_scale(normal, 1.0 / norm, offset);
  else limpet_vec3_set(normal, -1.0, 0.0, 0.0);
  limpet_vec3_addmul(on_a, a->position, a->size[0], normal);
  limpet_vec3_addmul(on_b, on_a, distance, normal);
  limpet_manifold_add(manifold, on_a, on_b, normal, distance, 0);
}

const limpet_shape_pair limpet_pair_sphere_sphere = {LIMPET_SHAPE_SPHERE,    LIMPET_SHAPE_SPHERE,
                                                     sphere_sphere,          NULL,
                                                     "closed form, 1 point", "elementary geometry"};
const limpet_shape_pair limpet_pair_sphere_capsule = {
    LIMPET_SHAPE_SPHERE,    LIMPET_SHAPE_CAPSULE, sphere_contact, NULL,
    "closed form, 1 point", "elementary geometry"};
const limpet_shape_pair limpet_pair_sphere_ellipsoid = {
    LIMPET_SHAPE_SPHERE,
    LIMPET_SHAPE_ELLIPSOID,
    sphere_contact,
    NULL,
    "Newton's method for one root, 1 point",
    "Eberly, Distance from a point to an ellipse, an ellipsoid or a hyperellipsoid"};
const limpet_shape_pair limpet_pair_sphere_cylinder = {
    LIMPET_SHAPE_SPHERE,    LIMPET_SHAPE_CYLINDER, sphere_contact, NULL,
    "closed form, 1 point", "elementary geometry"};
const limpet_shape_pair limpet_pair_sphere_box = {LIMPET_SHAPE_SPHERE,    LIMPET_SHAPE_BOX,
                                                  sphere_contact,         NULL,
                                                  "closed form, 1 point", "elementary geometry"};
