/* tests/support/hull_shapes.c: see the header. */
#include "hull_shapes.h"

#include <stdlib.h>
#include <string.h>

#include "math/quaternion.h"
#include "shared_data.h"

enum { POINTS = 64, FACES = 256, CORNERS = 2048 };

typedef struct builder {
  int vertex_count, face_count, corner_count, edge_count;
  double vertex[POINTS][3];
  int face_begin[FACES + 1], corner[CORNERS], edge[CORNERS][4];
  double plane[FACES][4];
  double tolerance;  // heights below it are zero: 1e-9 of the size
} builder;

static bool known_plane(const builder *b, const double n[3], double offset) {
  for (int f = 0; f < b->face_count; ++f)
    if (limpet_vec3_dot(n, b->plane[f]) > 1.0 - 1e-12 && fabs(offset - b->plane[f][3]) < b->tolerance) return true;
  return false;
}

// Adds the polygon of all points on a supporting plane, counter-clockwise about its normal.
static void add_polygon(builder *b, const double points[][3], int count, const double n[3], double offset) {
  double t1[3], t2[3], centre[3] = {0, 0, 0}, angle[POINTS];
  int on[POINTS], on_count = 0;
  limpet_vec3_tangents(t1, t2, n);
  for (int i = 0; i < count; ++i)
    if (fabs(limpet_vec3_dot(n, points[i]) - offset) < b->tolerance) {
      on[on_count++] = i;
      limpet_vec3_add(centre, centre, points[i]);
    }
  limpet_vec3_scale(centre, 1.0 / on_count, centre);
  for (int k = 0; k < on_count; ++k) {
    double d[3];
    limpet_vec3_sub(d, points[on[k]], centre);
    angle[k] = atan2(limpet_vec3_dot(d, t2), limpet_vec3_dot(d, t1));
  }
  for (int i = 1; i < on_count; ++i)
    for (int k = i; k > 0 && angle[k] < angle[k - 1]; --k) {
      const double a = angle[k];
      const int o = on[k];
      angle[k] = angle[k - 1], angle[k - 1] = a;
      on[k] = on[k - 1], on[k - 1] = o;
    }
  limpet_vec3_copy(b->plane[b->face_count], n);
  b->plane[b->face_count][3] = offset;
  for (int k = 0; k < on_count; ++k) b->corner[b->corner_count++] = on[k];
  b->face_begin[++b->face_count] = b->corner_count;
}

static void find_faces(builder *b, const double points[][3], int count) {
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count; ++j)
      for (int k = j + 1; k < count; ++k) {
        double u[3], v[3], n[3];
        limpet_vec3_sub(u, points[j], points[i]);
        limpet_vec3_sub(v, points[k], points[i]);
        limpet_vec3_cross(n, u, v);
        if (limpet_vec3_normalize(n) < 1e-3 * b->tolerance * b->tolerance) continue;
        int above = 0, below = 0;
        double offset = limpet_vec3_dot(n, points[i]);
        for (int m = 0; m < count; ++m) {
          const double h = limpet_vec3_dot(n, points[m]) - offset;
          above += h > b->tolerance, below += h < -b->tolerance;
        }
        if (above > 0 && below > 0) continue;
        if (above > 0) {
          limpet_vec3_neg(n, n);
          offset = -offset;
        }
        if (!known_plane(b, n, offset)) add_polygon(b, points, count, n, offset);
      }
}

// Renumbers the points that are corners of a face.
static void keep_corners(builder *b, const double points[][3], int count) {
  int number[POINTS];
  for (int i = 0; i < count; ++i) number[i] = -1;
  for (int k = 0; k < b->corner_count; ++k) number[b->corner[k]] = 0;
  for (int i = 0; i < count; ++i) {
    if (number[i] < 0) continue;
    number[i] = b->vertex_count;
    limpet_vec3_copy(b->vertex[b->vertex_count++], points[i]);
  }
  for (int k = 0; k < b->corner_count; ++k) b->corner[k] = number[b->corner[k]];
}

static void find_edges(builder *b) {
  for (int f = 0; f < b->face_count; ++f)
    for (int g = 0; g < b->face_count; ++g)
      for (int k = b->face_begin[f]; k < b->face_begin[f + 1]; ++k)
        for (int m = b->face_begin[g]; m < b->face_begin[g + 1]; ++m) {
          const int from = b->corner[k], to = b->corner[k + 1 < b->face_begin[f + 1] ? k + 1 : b->face_begin[f]];
          const int back = b->corner[m + 1 < b->face_begin[g + 1] ? m + 1 : b->face_begin[g]];
          if (from > to || b->corner[m] != to || back != from) continue;
          int *e = b->edge[b->edge_count++];
          e[0] = from, e[1] = to, e[2] = f, e[3] = g;
        }
}

static limpet_hull *hull_from(const builder *b) {
  const int n = b->vertex_count, padded = (n + 3) / 4 * 4;
  const size_t doubles = (size_t)(3 * n + 3 * padded + 4 * b->face_count);
  const size_t ints = (size_t)(b->face_count + 1 + b->corner_count + n + 1 + 6 * b->edge_count);
  limpet_hull *hull = calloc(1, sizeof *hull + doubles * sizeof(double) + ints * sizeof(int));
  double *vertices = (double *)(hull + 1), *soa = vertices + 3 * n, *plane = soa + 3 * padded;
  int *face_begin = (int *)(plane + 4 * b->face_count), *corner = face_begin + b->face_count + 1;
  int *neighbour_begin = corner + b->corner_count, *neighbour = neighbour_begin + n + 1, *edge = neighbour + 2 * b->edge_count;
  memcpy(vertices, b->vertex, (size_t)n * sizeof b->vertex[0]);
  memcpy(plane, b->plane, (size_t)b->face_count * sizeof b->plane[0]);
  memcpy(face_begin, b->face_begin, (size_t)(b->face_count + 1) * sizeof(int));
  memcpy(corner, b->corner, (size_t)b->corner_count * sizeof(int));
  memcpy(edge, b->edge, (size_t)b->edge_count * sizeof b->edge[0]);
  for (int i = 0; i < padded; ++i)
    for (int c = 0; c < 3; ++c) soa[c * padded + i] = vertices[3 * (i < n ? i : 0) + c];
  int next = 0;
  for (int i = 0; i < n; ++i) {
    neighbour_begin[i] = next;
    for (int e = 0; e < b->edge_count; ++e) {
      if (b->edge[e][0] == i) neighbour[next++] = b->edge[e][1];
      if (b->edge[e][1] == i) neighbour[next++] = b->edge[e][0];
    }
    limpet_vec3_addmul(hull->centre, hull->centre, 1.0 / n, b->vertex[i]);
  }
  neighbour_begin[n] = next;
  hull->vertex_count = n, hull->face_count = b->face_count, hull->edge_count = b->edge_count;
  hull->vertices = vertices, hull->vertices_soa = soa, hull->face_plane = plane, hull->face_begin = face_begin;
  hull->face_vertex = corner, hull->neighbour_begin = neighbour_begin, hull->neighbour = neighbour, hull->edge = edge;
  return hull;
}

limpet_hull *test_hull_create(const double *points, int count) {
  builder *b = calloc(1, sizeof *b);
  double list[POINTS][3];
  for (int i = 0; i < count; ++i) {
    limpet_vec3_copy(list[i], points + 3 * i);
    b->tolerance = fmax(b->tolerance, 1e-9 * limpet_vec3_norm(list[i]));
  }
  find_faces(b, (const double(*)[3])list, count);
  keep_corners(b, (const double(*)[3])list, count);
  find_edges(b);
  limpet_hull *hull = hull_from(b);
  free(b);
  return hull;
}

limpet_hull *test_hull_box(const double half[3]) {
  double points[24];
  for (int i = 0; i < 8; ++i)
    for (int c = 0; c < 3; ++c) points[3 * i + c] = i >> c & 1 ? half[c] : -half[c];
  return test_hull_create(points, 8);
}

limpet_hull *test_hull_prism(int corners, double radius, double half_height) {
  double points[3 * POINTS];
  for (int i = 0; i < 2 * corners; ++i) {
    const double angle = 2.0 * LIMPET_PI * (i / 2) / corners;
    limpet_vec3_set(points + 3 * i, radius * cos(angle), radius * sin(angle), i % 2 == 0 ? -half_height : half_height);
  }
  return test_hull_create(points, 2 * corners);
}

limpet_hull *test_hull_random(unsigned long *state, int count, const double half[3]) {
  double points[3 * POINTS];
  for (int i = 0; i < count; ++i)
    for (int c = 0; c < 3; ++c) points[3 * i + c] = random_uniform(state, -half[c], half[c]);
  return test_hull_create(points, count);
}

void test_shape_create(test_shape *s, limpet_shape_kind kind, const double size[3], const limpet_hull *hull) {
  memset(s, 0, sizeof *s);
  if (size != NULL) limpet_vec3_copy(s->size, size);
  limpet_mat3_identity(s->rotation);
  s->shape = (limpet_shape){kind, s->size, s->position, s->rotation, hull};
}

void test_shape_bind(test_shape *s) {
  s->shape.size = s->size, s->shape.position = s->position, s->shape.rotation = s->rotation;
}

void test_random_rotation(unsigned long *state, double rotation[9]) {
  double q[4];
  for (int i = 0; i < 4; ++i) q[i] = random_uniform(state, -1.0, 1.0);
  limpet_quaternion_normalize(q);
  limpet_quaternion_to_matrix(rotation, q);
}

void test_shape_move(test_shape *s, const double turn[3], const double shift[3]) {
  double q[4], R[9], old[9];
  limpet_quaternion_exp(q, turn);
  limpet_quaternion_to_matrix(R, q);
  limpet_mat3_copy(old, s->rotation);
  limpet_mat3_mul(s->rotation, R, old);
  limpet_vec3_add(s->position, s->position, shift);
}
