/* geometry/ray_face.c: a ray and one face of a mesh, or one box.
 *
 * A ray meets a triangle where the equation of Moeller and Trumbore says so, and where it meets the
 * box of the triangle, made a little thicker. The range is kept within that box: a ray that runs
 * along a triangle has a determinant of rounding errors only, and a range that is anything. So a
 * range is never less than that at which the ray enters the box of the face, nor of any box around
 * that, and a walk through boxes finds the hit that all faces would give: the nearest, of equal
 * ones the face with the lowest number.
 *
 *   slack of the box of a face   1e-9 extent + 1e-13 |p|     [m]   extent: largest coordinate
 *   of the boxes of a walk       twice that; rounding is less than the difference */
#include "geometry/ray_mesh.h"

limpet_interval limpet_mesh_ray_box(const limpet_mesh_walk *ray, const double centre[3],
                                    const double half[3], double slack) {
  limpet_interval met = limpet_interval_all;
  for (int i = 0; i < 3; ++i) {
    const double q = ray->q[i] - centre[i], h = half[i] + slack;
    if (ray->inverse[i] == 0.0) {
      if (fabs(q) > h) return limpet_interval_none;
      continue;
    }
    const double a = (-h - q) * ray->inverse[i], b = (h - q) * ray->inverse[i];
    const double low = a < b ? a : b, high = a < b ? b : a;
    met.begin = low > met.begin ? low : met.begin;
    met.end = high < met.end ? high : met.end;
  }
  return met;
}

/* Moeller and Trumbore, Fast, minimum storage ray/triangle intersection (1997): p + t d = a + u e1
 * + v e2. */
static bool triangle_met(double *t, const double *const corner[3], const double p[3],
                         const double d[3]) {
  double e1[3], e2[3], h[3], s[3], q[3];
  limpet_vec3_sub(e1, corner[1], corner[0]);
  limpet_vec3_sub(e2, corner[2], corner[0]);
  limpet_vec3_cross(h, d, e2);
  const double determinant = limpet_vec3_dot(e1, h);
  if (determinant == 0.0) return false;
  limpet_vec3_sub(s, p, corner[0]);
  const double u = limpet_vec3_dot(s, h) / determinant;
  if (!(u >= 0.0 && u <= 1.0)) return false;
  limpet_vec3_cross(q, s, e1);
  const double v = limpet_vec3_dot(d, q) / determinant;
  if (!(v >= 0.0 && u + v <= 1.0)) return false;
  *t = limpet_vec3_dot(e2, q) / determinant;
  return true;
}

void limpet_mesh_face_box(const limpet_mesh *mesh, int face, double box[6]) {
  const limpet_height_field *field = mesh->heights;
  for (int i = 0; i < 3; ++i) box[i] = INFINITY, box[3 + i] = -INFINITY;
  for (int k = 0; k < 3; ++k) {
    double x[3];
    limpet_vec3_copy(x, mesh->vertices + 3 * mesh->faces[3 * face + k]);
    if (field) limpet_ray_into_axes(x, x, field->position, field->rotation);
    for (int i = 0; i < 3; ++i) {
      box[i] = x[i] < box[i] ? x[i] : box[i];
      box[3 + i] = x[i] > box[3 + i] ? x[i] : box[3 + i];
    }
  }
}

void limpet_mesh_face_visit(limpet_mesh_walk *ray, int face) {
  const limpet_mesh *mesh = ray->mesh;
  const int *number = mesh->faces + 3 * face;
  const double *const corner[3] = {mesh->vertices + 3 * number[0], mesh->vertices + 3 * number[1],
                                   mesh->vertices + 3 * number[2]};
  double t, box[6], centre[3], half[3];
  if (!triangle_met(&t, corner, ray->p, ray->d)) return;
  limpet_mesh_face_box(mesh, face, box);
  for (int i = 0; i < 3; ++i)
    centre[i] = 0.5 * (box[i] + box[3 + i]), half[i] = 0.5 * (box[3 + i] - box[i]);
  const limpet_interval met = limpet_mesh_ray_box(ray, centre, half, ray->slack);
  if (met.begin > met.end) return;
  t = t < met.begin ? met.begin : t > met.end ? met.end : t;
  if (!(t >= 0.0) || t > ray->nearest || (t == ray->nearest && face > ray->face)) return;
  ray->nearest = t, ray->face = face;
}
