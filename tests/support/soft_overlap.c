// tests/support/soft_overlap.c: how far deformable bodies are inside each other: soft_overlap.h.
#include "soft_overlap.h"

#include <math.h>

#include "limpet/fem.h"
#include "math/vec3.h"

enum { SAMPLES = 4 };  // along the sides of a triangle

static const double *vertex_of(const mjcf_world *w, int d, int node) {
  return w->data->vertex_position + 3 * (w->model->deformable_vertex[d] + node);
}

static double six_volumes(const double *a, const double *b, const double *c, const double *d) {
  double u[3], v[3], t[3], n[3];
  limpet_vec3_sub(u, b, a), limpet_vec3_sub(v, c, a), limpet_vec3_sub(t, d, a);
  limpet_vec3_cross(n, u, v);
  return limpet_vec3_dot(n, t);
}

// Whether a point is in a linear tetrahedron of body e.
static bool is_inside(const mjcf_world *w, int e, const double x[3]) {
  const limpet_fem_body *body = w->model->deformable_body[e];
  const int *t = limpet_fem_body_tetrahedra(body);
  for (int i = 0; i < limpet_fem_body_information(body).tetrahedron_count; ++i, t += 4) {
    const double *p[4];
    bool out = false;
    for (int k = 0; k < 4; ++k) p[k] = vertex_of(w, e, t[k]);
    for (int k = 0; k < 3 && !out; ++k) {
      double low = INFINITY, high = -INFINITY;
      for (int c = 0; c < 4; ++c) low = fmin(low, p[c][k]), high = fmax(high, p[c][k]);
      out = x[k] < low || x[k] > high;
    }
    if (!out && six_volumes(x, p[1], p[2], p[3]) >= 0.0 &&
        six_volumes(p[0], x, p[2], p[3]) >= 0.0 && six_volumes(p[0], p[1], x, p[3]) >= 0.0 &&
        six_volumes(p[0], p[1], p[2], x) >= 0.0)
      return true;
  }
  return false;
}

// Distance of a point from a triangle, by projection and by its three sides.
static double triangle_distance(const double *const x[3], const double at[3]) {
  double u[3], v[3], n[3], arm[3], least = INFINITY;
  limpet_vec3_sub(u, x[1], x[0]), limpet_vec3_sub(v, x[2], x[0]), limpet_vec3_sub(arm, at, x[0]);
  limpet_vec3_cross(n, u, v);
  const double area = limpet_vec3_norm(n);
  double w1[3], w2[3];
  limpet_vec3_cross(w1, arm, v), limpet_vec3_cross(w2, u, arm);
  const double b = limpet_vec3_dot(w1, n) / (area * area),
               c = limpet_vec3_dot(w2, n) / (area * area);
  if (b >= 0.0 && c >= 0.0 && b + c <= 1.0) return fabs(limpet_vec3_dot(arm, n)) / area;
  for (int k = 0; k < 3; ++k) {
    const double *a = x[k], *z = x[(k + 1) % 3];
    double side[3], from[3], gap[3];
    limpet_vec3_sub(side, z, a), limpet_vec3_sub(from, at, a);
    const double s = limpet_vec3_dot(side, from) / limpet_vec3_dot(side, side);
    limpet_vec3_addmul(gap, from, -fmin(fmax(s, 0.0), 1.0), side);
    least = fmin(least, limpet_vec3_norm(gap));
  }
  return least;
}

static double surface_distance(const mjcf_world *w, int e, const double at[3]) {
  const limpet_fem_body *body = w->model->deformable_body[e];
  const int *face = limpet_fem_body_faces(body);
  double least = INFINITY;
  for (int f = 0; f < limpet_fem_body_information(body).face_count; ++f) {
    const double *const x[3] = {vertex_of(w, e, face[3 * f]), vertex_of(w, e, face[3 * f + 1]),
                                vertex_of(w, e, face[3 * f + 2])};
    least = fmin(least, triangle_distance(x, at));
  }
  return least;
}

static void box_of(const mjcf_world *w, int e, double low[3], double high[3]) {
  for (int k = 0; k < 3; ++k) low[k] = INFINITY, high[k] = -INFINITY;
  for (int i = w->model->deformable_vertex[e]; i < w->model->deformable_vertex[e + 1]; ++i)
    for (int k = 0; k < 3; ++k) {
      low[k] = fmin(low[k], w->data->vertex_position[3 * i + k]);
      high[k] = fmax(high[k], w->data->vertex_position[3 * i + k]);
    }
}

static double depth_in(const mjcf_world *w, int d, int e) {
  const limpet_fem_body *body = w->model->deformable_body[d];
  const int *face = limpet_fem_body_faces(body);
  double low[3], high[3], deepest = 0.0;
  box_of(w, e, low, high);
  for (int f = 0; f < limpet_fem_body_information(body).face_count; ++f)
    for (int i = 0; i <= SAMPLES; ++i)
      for (int k = 0; i + k <= SAMPLES; ++k) {
        const double weight[3] = {1.0 - (double)(i + k) / SAMPLES, (double)i / SAMPLES,
                                  (double)k / SAMPLES};
        double at[3] = {0.0, 0.0, 0.0};
        for (int c = 0; c < 3; ++c)
          limpet_vec3_addmul(at, at, weight[c], vertex_of(w, d, face[3 * f + c]));
        bool near = true;
        for (int c = 0; c < 3; ++c) near = near && at[c] > low[c] && at[c] < high[c];
        if (near && is_inside(w, e, at)) deepest = fmax(deepest, surface_distance(w, e, at));
      }
  return deepest;
}

double soft_overlap(const mjcf_world *world, int d, int e) {
  return fmax(depth_in(world, d, e), depth_in(world, e, d));
}
