// tests/support/soft_crossing.c: see soft_crossing.h.
#include "soft_crossing.h"

#include <math.h>

#include "limpet/fem.h"
#include "math/vec3.h"

// How far [m] an edge goes through a face: the least way that parts them, 0: they do not cross.
static double depth_through(const double *a, const double *b, const double *const p[3]) {
  double n[3], u[3], v[3], along[3], arm[3], x[3];
  limpet_vec3_sub(u, p[1], p[0]), limpet_vec3_sub(v, p[2], p[0]);
  limpet_vec3_sub(along, b, a), limpet_vec3_sub(arm, a, p[0]);
  limpet_vec3_cross(n, u, v);
  const double size = limpet_vec3_norm(n);
  if (!(size > 0.0)) return 0.0;
  limpet_vec3_scale(n, 1.0 / size, n);
  const double height = limpet_vec3_dot(n, arm), rise = limpet_vec3_dot(n, along);
  if (height * (height + rise) >= 0.0) return 0.0;
  double depth = fmin(fabs(height), fabs(height + rise));
  limpet_vec3_addmul(x, a, -height / rise, along);
  for (int k = 0; k < 3; ++k) {
    double side[3], in[3], from[3];
    limpet_vec3_sub(side, p[(k + 1) % 3], p[k]), limpet_vec3_sub(from, x, p[k]);
    limpet_vec3_cross(in, n, side);
    depth = fmin(depth, limpet_vec3_dot(in, from) / limpet_vec3_norm(side));
  }
  return fmax(depth, 0.0);
}

static bool has_corner(const int *face, int vertex) {
  return face[0] == vertex || face[1] == vertex || face[2] == vertex;
}

// Whether the boxes of an edge and a face are apart.
static bool apart(const double *a, const double *b, const double *const p[3]) {
  for (int k = 0; k < 3; ++k)
    if (fmax(a[k], b[k]) < fmin(p[0][k], fmin(p[1][k], p[2][k])) ||
        fmin(a[k], b[k]) > fmax(p[0][k], fmax(p[1][k], p[2][k])))
      return true;
  return false;
}

// Edges of body d through faces of body e.
static double edges_through(const mjcf_world *w, int d, int e) {
  const limpet_fem_body *of[2] = {w->model->deformable_body[d], w->model->deformable_body[e]};
  const int edges = 3 * limpet_fem_body_information(of[0]).face_count,
            faces = limpet_fem_body_information(of[1]).face_count;
  const int *face[2] = {limpet_fem_body_faces(of[0]), limpet_fem_body_faces(of[1])};
  const double *x = w->data->vertex_position + 3 * w->model->deformable_vertex[d],
               *y = w->data->vertex_position + 3 * w->model->deformable_vertex[e];
  double depth = 0.0;
  for (int i = 0; i < edges; ++i) {
    const int a = face[0][i], b = face[0][i % 3 == 2 ? i - 2 : i + 1];
    for (int f = 0; f < faces; ++f) {
      const int *at = face[1] + 3 * f;
      if (d == e && (has_corner(at, a) || has_corner(at, b))) continue;
      const double *const p[3] = {y + 3 * at[0], y + 3 * at[1], y + 3 * at[2]};
      if (apart(x + 3 * a, x + 3 * b, p)) continue;
      depth = fmax(depth, depth_through(x + 3 * a, x + 3 * b, p));
    }
  }
  return depth;
}

double soft_crossing(const mjcf_world *w) {
  double depth = 0.0;
  for (int d = 0; d < w->model->deformable_count; ++d)
    for (int e = 0; e < w->model->deformable_count; ++e)
      if (d != e || w->model->deformable_self_contact[d])
        depth = fmax(depth, edges_through(w, d, e));
  return depth;
}

// How deep the middle of what is inside a box of an edge lies in it; a, b in its frame.
static double depth_in_box(const double a[3], const double b[3], const double half[3]) {
  double from = 0.0, to = 1.0, depth = INFINITY;
  for (int k = 0; k < 3; ++k) {
    const double way = b[k] - a[k];
    if (fabs(way) < 1e-15) {
      if (fabs(a[k]) >= half[k]) return 0.0;
      continue;
    }
    const double s = (-half[k] - a[k]) / way, t = (half[k] - a[k]) / way;
    from = fmax(from, fmin(s, t)), to = fmin(to, fmax(s, t));
  }
  if (from >= to) return 0.0;
  for (int k = 0; k < 3; ++k)
    depth = fmin(depth, half[k] - fabs(a[k] + .5 * (from + to) * (b[k] - a[k])));
  return depth;
}

static double box_crossing(const mjcf_world *w, int geom, int d, double inset) {
  const double *R = w->data->geom_rotation + 9 * geom, *at = w->data->geom_position + 3 * geom,
               *half = w->model->geom_size + 3 * geom;
  const limpet_fem_body *body = w->model->deformable_body[d];
  const int faces = limpet_fem_body_information(body).face_count,
            *face = limpet_fem_body_faces(body);
  double depth = 0.0;
  for (int f = 0; f < faces; ++f) {
    double local[3][3], arm[3];
    for (int k = 0; k < 3; ++k) {
      const int vertex = w->model->deformable_vertex[d] + face[3 * f + k];
      limpet_vec3_sub(arm, w->data->vertex_position + 3 * vertex, at);
      limpet_mat3_tmul_vec(local[k], R, arm);
    }
    const double *const p[3] = {local[0], local[1], local[2]};
    for (int k = 0; k < 3; ++k)
      depth = fmax(depth, depth_in_box(local[k], local[(k + 1) % 3], half));
    for (int axis = 0; axis < 3; ++axis)
      for (int corner = 0; corner < 4; ++corner) {
        double a[3], b[3];
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        a[axis] = inset - half[axis], b[axis] = half[axis] - inset;
        a[u] = b[u] = (corner & 1 ? 1.0 : -1.0) * (half[u] - inset);
        a[v] = b[v] = (corner & 2 ? 1.0 : -1.0) * (half[v] - inset);
        const double through = depth_through(a, b, p);
        if (through > 0.0) depth = fmax(depth, through + inset);
      }
  }
  return depth > inset ? depth : 0.0;
}

double soft_crossing_of_boxes(const mjcf_world *w, double inset) {
  double depth = 0.0;
  limpet_kinematics(w->model, w->data);
  limpet_geom_kinematics(w->model, w->data, true);
  for (int g = 0; g < w->model->geom_count; ++g)
    for (int d = 0; d < w->model->deformable_count && w->model->geom_kind[g] == LIMPET_SHAPE_BOX;
         ++d)
      depth = fmax(depth, box_crossing(w, g, d, inset));
  return depth;
}

static double axis_crossing(const mjcf_world *w, int geom, int d) {
  const double *R = w->data->geom_rotation + 9 * geom, *at = w->data->geom_position + 3 * geom,
               axis[3] = {R[2], R[5], R[8]}, half = w->model->geom_size[3 * geom + 1];
  const limpet_fem_body *body = w->model->deformable_body[d];
  const int *face = limpet_fem_body_faces(body),
            faces = limpet_fem_body_information(body).face_count;
  const double *x = w->data->vertex_position + 3 * w->model->deformable_vertex[d];
  double a[3], b[3], depth = 0.0;
  limpet_vec3_addmul(a, at, -half, axis), limpet_vec3_addmul(b, at, half, axis);
  for (int f = 0; f < faces; ++f) {
    const double *const p[3] = {x + 3 * face[3 * f], x + 3 * face[3 * f + 1],
                                x + 3 * face[3 * f + 2]};
    depth = fmax(depth, depth_through(a, b, p));
  }
  return depth;
}

double soft_crossing_of_axes(const mjcf_world *w) {
  double depth = 0.0;
  limpet_kinematics(w->model, w->data);
  limpet_geom_kinematics(w->model, w->data, true);
  for (int g = 0; g < w->model->geom_count; ++g)
    for (int d = 0; d < w->model->deformable_count; ++d)
      if (w->model->geom_kind[g] == LIMPET_SHAPE_CAPSULE)
        depth = fmax(depth, axis_crossing(w, g, d));
  return depth;
}

double soft_longest_edge(const mjcf_world *w, int d) {
  const limpet_fem_body *body = w->model->deformable_body[d];
  const int *face = limpet_fem_body_faces(body);
  const double *x = w->model->vertex_reference + 3 * w->model->deformable_vertex[d];
  double edge = 0.0;
  for (int i = 0; i < 3 * limpet_fem_body_information(body).face_count; ++i)
    edge =
        fmax(edge, limpet_vec3_distance(x + 3 * face[i], x + 3 * face[i % 3 == 2 ? i - 2 : i + 1]));
  return edge;
}
