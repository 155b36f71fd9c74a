/* geometry/mesh_mass.c: mass properties of a triangle mesh of unit density.
 *
 * Solid: the surface is cut into tetrahedra (apex, a, b, c), one for each face, with signed volume
 * v = det(a, b, c)/6 from the apex. With a, b, c relative to the apex (shell: the triangle itself,
 * measure = its area, and no fourth vertex)
 *   integral of x x'  =  measure/20 (a a' + b b' + c c' + s s'),  s = a + b + c      (triangle:
 *                     /12)
 *   inertia = trace(P) 1 - P.
 * legacy: every volume counts positive, as MuJoCo does for surfaces whose orientation cannot be
 * trusted. The sum then depends on the apex: the area-weighted centroid of the surface for volume
 * and centre of mass, and the centre of mass for the inertia, whose own sum of volumes is the one
 * that counts in the end.
 *
 * Reference: B. Mirtich, Fast and accurate computation of polyhedral mass properties, J. Graphics
 * Tools 1(2), 1996 (solid); conventions of MuJoCo's compiler, found by experiment with the released
 * library.
 * Cost: two passes over the faces. */
#include <assert.h>

#include "geometry/mesh_mass.h"

#include "base/error.h"
#include "math/vec3.h"

static const double least_volume = 1e-14;  // [m^3], [m^2]  below: no volume at all
// |sum of area vectors| / area of a surface that counts as open
static const double openness = 0.1;

typedef struct surface {
  const double *vertices;
  const int *faces;
  int face_count;
  limpet_mesh_inertia kind;
} surface;

// Corners of a face relative to `apex`, and its measure: volume of the tetrahedron (area: shell).
static double face_measure(double corner[3][3], const surface *s, int face, const double apex[3]) {
  for (int k = 0; k < 3; ++k)
    limpet_vec3_sub(corner[k], s->vertices + 3 * s->faces[3 * face + k], apex);
  double u[3], v[3], n[3];
  if (s->kind == LIMPET_MESH_INERTIA_SHELL) {
    limpet_vec3_sub(u, corner[1], corner[0]);
    limpet_vec3_sub(v, corner[2], corner[0]);
    limpet_vec3_cross(n, u, v);
    return 0.5 * limpet_vec3_norm(n);
  }
  limpet_vec3_cross(n, corner[1], corner[2]);
  const double volume = limpet_vec3_dot(corner[0], n) / 6.0;
  return s->kind == LIMPET_MESH_INERTIA_LEGACY ? fabs(volume) : volume;
}

// Area-weighted centroid of the surface, its area, and |sum of area vectors|, which vanishes for a
// closed surface.
static void surface_centroid(double centroid[3], double *area, double *open, const surface *s) {
  double total[3] = {0.0, 0.0, 0.0};
  *area = 0.0;
  limpet_vec3_zero(centroid);
  for (int f = 0; f < s->face_count; ++f) {
    const double *a = s->vertices + 3 * s->faces[3 * f], *b = s->vertices + 3 * s->faces[3 * f + 1];
    const double *c = s->vertices + 3 * s->faces[3 * f + 2];
    double u[3], v[3], n[3];
    limpet_vec3_sub(u, b, a);
    limpet_vec3_sub(v, c, a);
    limpet_vec3_cross(n, u, v);
    const double size = 0.5 * limpet_vec3_norm(n);
    limpet_vec3_addmul(total, total, 0.5, n);
    for (int k = 0; k < 3; ++k) centroid[k] += size * (a[k] + b[k] + c[k]) / 3.0;
    *area += size;
  }
  if (*area > 0.0) limpet_vec3_scale(centroid, 1.0 / *area, centroid);
  *open = limpet_vec3_norm(total);
}

static double first_moment(double com[3], const surface *s, const double apex[3]) {
  const double share = s->kind == LIMPET_MESH_INERTIA_SHELL ? 1.0 / 3.0 : 0.25;
  double volume = 0.0;
  limpet_vec3_zero(com);
  for (int f = 0; f < s->face_count; ++f) {
    double x[3][3];
    const double measure = face_measure(x, s, f, apex);
    for (int k = 0; k < 3; ++k) com[k] += measure * share * (x[0][k] + x[1][k] + x[2][k]);
    volume += measure;
  }
  if (volume != 0.0) limpet_vec3_scale(com, 1.0 / volume, com);
  limpet_vec3_add(com, com, apex);
  return volume;
}

static double second_moment(double inertia[9], const surface *s, const double com[3]) {
  const double share = s->kind == LIMPET_MESH_INERTIA_SHELL ? 1.0 / 12.0 : 1.0 / 20.0;
  double volume = 0.0, P[9] = {0.0};
  for (int f = 0; f < s->face_count; ++f) {
    double x[3][3], sum[3];
    const double measure = face_measure(x, s, f, com);
    for (int k = 0; k < 3; ++k) sum[k] = x[0][k] + x[1][k] + x[2][k];
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j)
        P[3 * i + j] +=
            measure * share *
            (x[0][i] * x[0][j] + x[1][i] * x[1][j] + x[2][i] * x[2][j] + sum[i] * sum[j]);
    volume += measure;
  }
  inertia[0] = P[4] + P[8], inertia[4] = P[0] + P[8], inertia[8] = P[0] + P[4];
  inertia[1] = inertia[3] = -P[1], inertia[2] = inertia[6] = -P[2], inertia[5] = inertia[7] = -P[5];
  return volume;
}

limpet_status limpet_mesh_mass_compute(limpet_mesh_mass *mass, const double *vertices,
                                       const int *faces, int face_count, limpet_mesh_inertia kind,
                                       limpet_error *error) {
  assert(mass && vertices);
  const surface s = {vertices, faces, face_count, kind};
  double centroid[3], area, open;
  surface_centroid(centroid, &area, &open, &s);
  if (!(area > least_volume))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT, "the mesh has no area (%g m^2)", area);
  if (kind == LIMPET_MESH_INERTIA_EXACT && open > openness * area)
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "the mesh is open (%.2g of its surface is missing), so its exact "
                             "inertia is not defined; close it, or use "
                             "inertia=\"legacy\", \"convex\" or \"shell\"",
                             open / area);

  const double volume = first_moment(mass->com, &s, centroid);
  if (volume < -least_volume)
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "the volume of the mesh is negative (%g m^3): its faces look inwards; "
                             "turn them around, or use "
                             "inertia=\"legacy\" or \"convex\"",
                             volume);
  if (!(volume > least_volume))
    return limpet_error_fill(
        error, LIMPET_ERROR_INPUT,
        "the mesh has no volume (%g m^3); give it thickness, or use inertia=\"shell\"", volume);
  mass->volume = second_moment(mass->inertia, &s, mass->com);
  return LIMPET_OK;
}
