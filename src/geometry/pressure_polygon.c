/* geometry/pressure_polygon.c: convex polygons in space: cut by a plane (Sutherland and Hodgman),
 * and the slice of a tetrahedron. A corner on the plane counts as inside. */
#include "geometry/pressure_contact.h"
#include "math/vec3.h"

void limpet_pressure_clip(limpet_pressure_polygon *polygon, const double a[3], double b) {
  double value[LIMPET_PRESSURE_CORNERS];
  int inside = 0;
  for (int k = 0; k < polygon->count; ++k) {
    value[k] = limpet_vec3_dot(a, polygon->vertex[k]) + b;
    inside += value[k] >= 0.0;
  }
  if (inside == polygon->count) return;
  if (inside == 0) {
    polygon->count = 0;
    return;
  }
  limpet_pressure_polygon cut;
  cut.count = 0;
  for (int k = 0; k < polygon->count; ++k) {
    const int next = k + 1 < polygon->count ? k + 1 : 0;
    const double *x = polygon->vertex[k], *y = polygon->vertex[next];
    if (value[k] >= 0.0) limpet_vec3_copy(cut.vertex[cut.count++], x);
    if ((value[k] >= 0.0) == (value[next] >= 0.0)) continue;
    const double t = value[k] / (value[k] - value[next]);
    double *z = cut.vertex[cut.count++];
    for (int i = 0; i < 3; ++i) z[i] = x[i] + t * (y[i] - x[i]);
  }
  polygon->count = cut.count;
  for (int k = 0; k < cut.count; ++k) limpet_vec3_copy(polygon->vertex[k], cut.vertex[k]);
}

const limpet_pressure_slice_edges limpet_pressure_slices[16] = {
    {0, {0, 0, 0, 0}, {0, 0, 0, 0}}, {3, {0, 0, 0, 0}, {1, 2, 3, 3}},
    {3, {1, 1, 1, 1}, {0, 3, 2, 2}}, {4, {0, 0, 1, 1}, {2, 3, 3, 2}},
    {3, {2, 2, 2, 2}, {0, 1, 3, 3}}, {4, {0, 1, 2, 0}, {1, 2, 3, 3}},
    {4, {0, 0, 2, 1}, {1, 2, 3, 3}}, {3, {3, 3, 3, 3}, {0, 1, 2, 2}},
    {3, {3, 3, 3, 3}, {0, 2, 1, 1}}, {4, {0, 0, 2, 1}, {1, 2, 3, 3}},
    {4, {0, 1, 2, 0}, {1, 2, 3, 3}}, {3, {2, 2, 2, 2}, {0, 1, 3, 3}},
    {4, {0, 0, 1, 1}, {2, 3, 3, 2}}, {3, {1, 1, 1, 1}, {0, 3, 2, 2}},
    {3, {0, 0, 0, 0}, {1, 2, 3, 3}}, {0, {0, 0, 0, 0}, {0, 0, 0, 0}}};

void limpet_pressure_slice(limpet_pressure_polygon *polygon, const double *const x[4],
                           const double D[4]) {
  const int code = (D[0] >= 0.0) | (D[1] >= 0.0) << 1 | (D[2] >= 0.0) << 2 | (D[3] >= 0.0) << 3;
  const limpet_pressure_slice_edges *edges = &limpet_pressure_slices[code];
  polygon->count = edges->count;
  for (int k = 0; k < polygon->count; ++k) {
    const int v = edges->start[k], w = edges->end[k];
    const double t = D[v] / (D[v] - D[w]);
    for (int i = 0; i < 3; ++i) polygon->vertex[k][i] = x[v][i] + t * (x[w][i] - x[v][i]);
  }
}
