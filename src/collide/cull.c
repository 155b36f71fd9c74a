/* collide/cull.c: bounding spheres and oriented boxes.
 *
 *   sphere, sphere   |cB - cA| <= rA + rB + reach
 *   plane, shape     height of the sphere, then of the box, over the plane
 *   sphere, shape    distance of the centre from the box of the other
 *   boxes            separating axes of two boxes (Gottschalk, Lin, Manocha 1996): 3 + 3 face
 *                    normals, 9 cross products. A cross product of unit vectors is at most 1 long,
 *                    so `reach` need not be scaled.
 * Every test is widened by 1e-10 of the size, so that round-off never drops a pair that touches. */
#include "collide/cull.h"

#include "math/vec3.h"

static const double widened = 1e-9;  // of the radii: more than what tests are widened by

typedef struct oriented_box {
  double centre[3];  // W
  const double *R;   // (9)  box axes to W
  const double *half;
} oriented_box;

static oriented_box box_of(const limpet_colliders *colliders, const limpet_data *data, int c,
                           int geom) {
  oriented_box box = {.R = data->geom_rotation + 9 * geom, .half = colliders->half + 3 * c};
  limpet_mat3_mul_vec(box.centre, box.R, colliders->centre + 3 * c);
  limpet_vec3_add(box.centre, box.centre, data->geom_position + 3 * geom);
  return box;
}

// Height of the lowest corner of a box over a plane [m].
static double height_over(const limpet_data *data, int plane, const oriented_box *box) {
  const double *R = data->geom_rotation + 9 * plane, *h = box->half;
  const double n[3] = {R[2], R[5], R[8]};
  double d[3], m[3];
  limpet_vec3_sub(d, box->centre, data->geom_position + 3 * plane);
  limpet_mat3_tmul_vec(m, box->R, n);
  return limpet_vec3_dot(n, d) - fabs(m[0]) * h[0] - fabs(m[1]) * h[1] - fabs(m[2]) * h[2];
}

// By how much a geom is within reach of a plane, by its sphere and by its box; negative: it is not.
static double inside_of_plane(const limpet_data *data, int plane, const oriented_box *box, int geom,
                              double radius, double reach) {
  const double *R = data->geom_rotation + 9 * plane;
  const double n[3] = {R[2], R[5], R[8]};
  double d[3], m[3];
  limpet_vec3_sub(d, data->geom_position + 3 * geom, data->geom_position + 3 * plane);
  const double by_sphere = radius + reach - limpet_vec3_dot(n, d);
  if (by_sphere < 0.0) return by_sphere;
  limpet_vec3_sub(d, box->centre, data->geom_position + 3 * plane);
  limpet_mat3_tmul_vec(m, box->R, n);
  const double *h = box->half;
  const double by_box =
      fabs(m[0]) * h[0] + fabs(m[1]) * h[1] + fabs(m[2]) * h[2] + reach - limpet_vec3_dot(n, d);
  return by_box < by_sphere ? by_box : by_sphere;
}

// By how much a sphere, grown by the reach, gets into a box; negative: it does not.
static double inside_of_box(const double centre[3], double radius, const oriented_box *box,
                            double reach) {
  double d[3], t[3], square = 0.0;
  limpet_vec3_sub(d, centre, box->centre);
  limpet_mat3_tmul_vec(t, box->R, d);
  for (int i = 0; i < 3; ++i) {
    const double outside = fabs(t[i]) - box->half[i];
    if (outside > 0.0) square += outside * outside;
  }
  return radius + reach - sqrt(square);
}

// Axis (in axes of A) along which boxes are `gap` apart, turned from A to B.
static bool axis_found(double axis[3], double x, double y, double z, double towards) {
  const double sign = towards < 0.0 ? -1.0 : 1.0;
  limpet_vec3_set(axis, sign * x, sign * y, sign * z);
  limpet_vec3_normalize(axis);
  return true;
}

static bool boxes_apart(const oriented_box *a, const oriented_box *b, double reach,
                        double axis[3]) {
  double d[3], t[3], C[9], Q[9];
  limpet_vec3_sub(d, b->centre, a->centre);
  limpet_mat3_tmul_vec(t, a->R, d);
  limpet_mat3_tmul(C, a->R, b->R);
  for (int i = 0; i < 9; ++i) Q[i] = fabs(C[i]);
  const double *ha = a->half, *hb = b->half;

  // face normals of A, of B
  for (int i = 0; i < 3; ++i)
    if (fabs(t[i]) > ha[i] + Q[3 * i] * hb[0] + Q[3 * i + 1] * hb[1] + Q[3 * i + 2] * hb[2] + reach)
      return axis_found(axis, i == 0, i == 1, i == 2, t[i]);
  for (int j = 0; j < 3; ++j) {
    const double centre = t[0] * C[j] + t[1] * C[3 + j] + t[2] * C[6 + j];
    if (fabs(centre) > hb[j] + Q[j] * ha[0] + Q[3 + j] * ha[1] + Q[6 + j] * ha[2] + reach)
      return axis_found(axis, C[j], C[3 + j], C[6 + j], centre);
  }

  // edges: axis i of A times axis j of B
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double centre = t[i2] * C[3 * i1 + j] - t[i1] * C[3 * i2 + j];
      const double extent = ha[i1] * Q[3 * i2 + j] + ha[i2] * Q[3 * i1 + j] +
                            hb[j1] * Q[3 * i + j2] + hb[j2] * Q[3 * i + j1];
      if (!(fabs(centre) > extent + reach)) continue;
      double cross[3] = {0.0, 0.0, 0.0};
      cross[i1] = -C[3 * i2 + j], cross[i2] = C[3 * i1 + j];
      return axis_found(axis, cross[0], cross[1], cross[2], centre);
    }
  }
  return false;
}

bool limpet_colliders_boxes_apart(const limpet_colliders *colliders, const limpet_model *model,
                                  const limpet_data *data, int a, int b, double reach,
                                  double axis[3]) {
  const int geom_a = model->collider_geom[a], geom_b = model->collider_geom[b];
  const oriented_box box_a = box_of(colliders, data, a, geom_a),
                     box_b = box_of(colliders, data, b, geom_b);
  const double radii = model->geom_radius[geom_a] + model->geom_radius[geom_b];
  return boxes_apart(&box_a, &box_b, reach + 1e-10 * radii, axis);
}

bool limpet_colliders_near(const limpet_colliders *colliders, const limpet_model *model,
                           const limpet_data *data, int a, int b, double reach, double *inside) {
  const int geom_a = model->collider_geom[a], geom_b = model->collider_geom[b];
  const limpet_shape_kind kind_a = model->geom_kind[geom_a], kind_b = model->geom_kind[geom_b];
  const double radius_a = model->geom_radius[geom_a], radius_b = model->geom_radius[geom_b];
  if (kind_a == LIMPET_SHAPE_PLANE || kind_b == LIMPET_SHAPE_PLANE) {
    if (kind_a == kind_b) return false;
    const bool a_is_plane = kind_a == LIMPET_SHAPE_PLANE;
    const int plane = a_is_plane ? geom_a : geom_b, geom = a_is_plane ? geom_b : geom_a;
    const double radius = a_is_plane ? radius_b : radius_a;
    const oriented_box box = box_of(colliders, data, a_is_plane ? b : a, geom);
    *inside = inside_of_plane(data, plane, &box, geom, radius, reach + 1e-10 * radius);
    return *inside >= 0.0;
  }

  // bounding spheres; two spheres are done with it
  const double wide = reach + 1e-10 * (radius_a + radius_b), sum = radius_a + radius_b + wide;
  *inside = sum - limpet_vec3_distance(data->geom_position + 3 * geom_b,
                                       data->geom_position + 3 * geom_a);
  if (*inside < 0.0) return false;
  const bool sphere_a = kind_a == LIMPET_SHAPE_SPHERE, sphere_b = kind_b == LIMPET_SHAPE_SPHERE;
  if (sphere_a == sphere_b) return true;

  // a sphere and a box
  const oriented_box box =
      sphere_a ? box_of(colliders, data, b, geom_b) : box_of(colliders, data, a, geom_a);
  const double within = inside_of_box(data->geom_position + 3 * (sphere_a ? geom_a : geom_b),
                                      sphere_a ? radius_a : radius_b, &box, wide);
  if (within < *inside) *inside = within;
  return within >= 0.0;
}

double limpet_colliders_clearance(const limpet_colliders *colliders, const limpet_model *model,
                                  const limpet_data *data, int a, int b) {
  const int geom_a = model->collider_geom[a], geom_b = model->collider_geom[b];
  const bool plane_a = model->geom_kind[geom_a] == LIMPET_SHAPE_PLANE,
             plane_b = model->geom_kind[geom_b] == LIMPET_SHAPE_PLANE;
  if (plane_a && plane_b) return INFINITY;
  if (plane_a || plane_b) {
    const oriented_box box =
        plane_a ? box_of(colliders, data, b, geom_b) : box_of(colliders, data, a, geom_a);
    return height_over(data, plane_a ? geom_a : geom_b, &box) -
           widened * model->geom_radius[plane_a ? geom_b : geom_a];
  }
  const double *at_a = data->geom_position + 3 * geom_a, *at_b = data->geom_position + 3 * geom_b;
  const double radii = model->geom_radius[geom_a] + model->geom_radius[geom_b];
  return limpet_vec3_distance(at_a, at_b) - radii - widened * radii;
}
