// collide/soft_rest.c: see soft_rest.h.
#include "collide/soft_rest.h"

#include <math.h>

#include "math/extremes.h"
#include "math/vec3.h"

void limpet_soft_nearest_point(const double *const x[3], const double at[3], double b[3]) {
  double ab[3], ac[3], ap[3], bp[3], cp[3];
  limpet_vec3_sub(ab, x[1], x[0]), limpet_vec3_sub(ac, x[2], x[0]);
  limpet_vec3_sub(ap, at, x[0]), limpet_vec3_sub(bp, at, x[1]), limpet_vec3_sub(cp, at, x[2]);
  const double d1 = limpet_vec3_dot(ab, ap), d2 = limpet_vec3_dot(ac, ap),
               d3 = limpet_vec3_dot(ab, bp), d4 = limpet_vec3_dot(ac, bp),
               d5 = limpet_vec3_dot(ab, cp), d6 = limpet_vec3_dot(ac, cp);
  const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  double v = 0.0, w = 0.0;
  if (d1 <= 0.0 && d2 <= 0.0) v = w = 0.0;
  else if (d3 >= 0.0 && d4 <= d3) v = 1.0;
  else if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) v = d1 / (d1 - d3);
  else if (d6 >= 0.0 && d5 <= d6) w = 1.0;
  else if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) w = d2 / (d2 - d6);
  else if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0)
    w = (d4 - d3) / ((d4 - d3) + (d5 - d6)), v = 1.0 - w;
  else v = vb / (va + vb + vc), w = vc / (va + vb + vc);
  b[0] = 1.0 - v - w, b[1] = v, b[2] = w;
}

double limpet_soft_rest_of_face(const limpet_model *model, const int *face, int vertex) {
  const double *x[3], *at = model->vertex_reference + 3 * vertex;
  double b[3], p[3] = {0.0, 0.0, 0.0};
  for (int k = 0; k < 3; ++k) x[k] = model->vertex_reference + 3 * face[k];
  limpet_soft_nearest_point(x, at, b);
  for (int k = 0; k < 3; ++k) limpet_vec3_addmul(p, p, b[k], x[k]);
  return limpet_vec3_distance(p, at);
}

// Distance of a point from an edge at rest [m].
static double point_from_edge(const double at[3], const double x[3], const double y[3]) {
  double along[3], arm[3];
  limpet_vec3_sub(along, y, x), limpet_vec3_sub(arm, at, x);
  const double share = limpet_vec3_dot(arm, along) / limpet_vec3_dot(along, along);
  limpet_vec3_addmul(arm, arm, -limpet_max(0.0, limpet_min(1.0, share)), along);
  return limpet_vec3_norm(arm);
}

double limpet_soft_rest_of_edges(const limpet_model *model, const int a[2], const int b[2]) {
  const double *x = model->vertex_reference;
  const double *p[2] = {x + 3 * a[0], x + 3 * a[1]}, *q[2] = {x + 3 * b[0], x + 3 * b[1]};
  double u[3], v[3], arm[3], n[3], least = INFINITY;
  for (int k = 0; k < 2; ++k)
    least = limpet_min(
        least, limpet_min(point_from_edge(p[k], q[0], q[1]), point_from_edge(q[k], p[0], p[1])));
  limpet_vec3_sub(u, p[1], p[0]), limpet_vec3_sub(v, q[1], q[0]), limpet_vec3_sub(arm, q[0], p[0]);
  limpet_vec3_cross(n, u, v);
  const double uu = limpet_vec3_dot(u, u), vv = limpet_vec3_dot(v, v), uv = limpet_vec3_dot(u, v),
               ru = limpet_vec3_dot(arm, u), rv = limpet_vec3_dot(arm, v),
               det = limpet_vec3_dot(n, n);
  const double s = (ru * vv - rv * uv) / det, t = (ru * uv - rv * uu) / det;
  if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0)
    least = limpet_min(least, fabs(limpet_vec3_dot(arm, n)) / sqrt(det));
  return least;
}
