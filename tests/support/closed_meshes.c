/* tests/support/closed_meshes.c: see the header. */
#include "closed_meshes.h"

#include <math.h>
#include <stdbool.h>

#include "math/vec3.h"
#include "shared_data.h"

static int add_vertex(test_mesh *mesh, double x, double y, double z) {
  limpet_vec3_set(mesh->vertices + 3 * mesh->vertex_count, x, y, z);
  return mesh->vertex_count++;
}

static void add_quad(test_mesh *mesh, int a, int b, int c, int d) {
  const int corner[6] = {a, b, c, a, c, d};
  for (int k = 0; k < 6; ++k) mesh->faces[3 * mesh->face_count + k] = corner[k];
  mesh->face_count += 2;
}

void test_mesh_box(test_mesh *mesh, const double centre[3], const double half[3]) {
  int v[8];
  for (int i = 0; i < 8; ++i)
    v[i] = add_vertex(mesh, centre[0] + (i & 1 ? half[0] : -half[0]),
                      centre[1] + (i & 2 ? half[1] : -half[1]),
                      centre[2] + (i & 4 ? half[2] : -half[2]));
  add_quad(mesh, v[0], v[2], v[3], v[1]), add_quad(mesh, v[4], v[5], v[7], v[6]);
  add_quad(mesh, v[0], v[1], v[5], v[4]), add_quad(mesh, v[2], v[6], v[7], v[3]);
  add_quad(mesh, v[0], v[4], v[6], v[2]), add_quad(mesh, v[1], v[3], v[7], v[5]);
}

void test_mesh_star(test_mesh *mesh, unsigned long *seed, int rings, double least, double most) {
  const int around = 2 * rings,
            south = add_vertex(mesh, 0.0, 0.0, -random_uniform(seed, least, most));
  const int first = mesh->vertex_count;
  for (int i = 1; i < rings; ++i)
    for (int j = 0; j < around; ++j) {
      const double polar = LIMPET_PI * i / rings, turn = 2.0 * LIMPET_PI * j / around,
                   r = random_uniform(seed, least, most);
      add_vertex(mesh, r * sin(polar) * cos(turn), r * sin(polar) * sin(turn), -r * cos(polar));
    }
  const int north = add_vertex(mesh, 0.0, 0.0, random_uniform(seed, least, most));
  for (int j = 0; j < around; ++j) {
    const int next = (j + 1) % around, last = first + (rings - 2) * around;
    int *cap = mesh->faces + 3 * mesh->face_count;
    cap[0] = south, cap[1] = first + next, cap[2] = first + j;
    cap[3] = north, cap[4] = last + j, cap[5] = last + next;
    mesh->face_count += 2;
    for (int i = 0; i + 2 < rings; ++i) {
      const int low = first + i * around, high = low + around;
      add_quad(mesh, low + j, low + next, high + next, high + j);
    }
  }
}

void test_mesh_torus(test_mesh *mesh, int around, int across, double radius, double thickness) {
  const int first = mesh->vertex_count;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const double u = 2.0 * LIMPET_PI * i / around, v = 2.0 * LIMPET_PI * j / across,
                   r = radius + thickness * cos(v);
      add_vertex(mesh, r * cos(u), r * sin(u), thickness * sin(v));
    }
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const int u = (i + 1) % around, v = (j + 1) % across;
      add_quad(mesh, first + i * across + j, first + u * across + j, first + u * across + v,
               first + i * across + v);
    }
}

void test_mesh_angle(test_mesh *mesh, double length, double thickness) {
  const double l = length, t = thickness,
               outline[6][2] = {{0, 0}, {l, 0}, {l, t}, {t, t}, {t, l}, {0, l}};
  int low[6], high[6];
  for (int i = 0; i < 6; ++i) {
    low[i] = add_vertex(mesh, outline[i][0], outline[i][1], -l / 2.0);
    high[i] = add_vertex(mesh, outline[i][0], outline[i][1], l / 2.0);
  }
  for (int i = 0; i < 6; ++i) add_quad(mesh, low[i], low[(i + 1) % 6], high[(i + 1) % 6], high[i]);
  add_quad(mesh, low[0], low[3], low[2], low[1]), add_quad(mesh, low[0], low[5], low[4], low[3]);
  add_quad(mesh, high[0], high[1], high[2], high[3]),
      add_quad(mesh, high[0], high[3], high[4], high[5]);
}

static void add_face(test_mesh *mesh, int a, int b, int c, bool turned) {
  int *face = mesh->faces + 3 * mesh->face_count++;
  face[0] = a, face[1] = turned ? c : b, face[2] = turned ? b : c;
}

void test_mesh_wedge(test_mesh *mesh, double reach, double low, double high) {
  int v[2][3];
  for (int i = 0; i < 2; ++i) {
    const double y = i ? 0.1 : -0.1;
    v[i][0] = add_vertex(mesh, 0.0, y, 0.0), v[i][1] = add_vertex(mesh, reach, y, low),
    v[i][2] = add_vertex(mesh, reach, y, high);
  }
  const bool turned = reach < 0.0;
  add_face(mesh, v[0][0], v[0][1], v[0][2], turned),
      add_face(mesh, v[1][0], v[1][2], v[1][1], turned);
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3;
    add_face(mesh, v[0][k], v[1][k], v[1][next], turned),
        add_face(mesh, v[0][k], v[1][next], v[0][next], turned);
  }
}

void test_mesh_spike(test_mesh *mesh, double reach, double width, double rise) {
  const int tip = add_vertex(mesh, 0.0, 0.0, 0.0), a = add_vertex(mesh, reach, width, rise),
            b = add_vertex(mesh, reach, -width, rise + width),
            c = add_vertex(mesh, reach, -width, rise - width);
  const bool turned = reach < 0.0;
  add_face(mesh, a, b, c, turned), add_face(mesh, tip, b, a, turned);
  add_face(mesh, tip, c, b, turned), add_face(mesh, tip, a, c, turned);
}

// Whether the ray from c along d hits the triangle: signs of the three volumes with its sides.
static bool ray_hits(const double *a, const double *b, const double *c, const double from[3],
                     const double d[3]) {
  double r[3][3], side[3], n[3], u[3], v[3];
  limpet_vec3_sub(r[0], a, from), limpet_vec3_sub(r[1], b, from), limpet_vec3_sub(r[2], c, from);
  for (int k = 0; k < 3; ++k) {
    limpet_vec3_cross(n, r[k], r[(k + 1) % 3]);
    side[k] = limpet_vec3_dot(n, d);
  }
  const bool through = (side[0] > 0.0 && side[1] > 0.0 && side[2] > 0.0) ||
                       (side[0] < 0.0 && side[1] < 0.0 && side[2] < 0.0);
  limpet_vec3_sub(u, b, a), limpet_vec3_sub(v, c, a), limpet_vec3_cross(n, u, v);
  return through && limpet_vec3_dot(r[0], n) * limpet_vec3_dot(d, n) > 0.0;
}

int test_mesh_inside(const test_mesh *mesh, unsigned long *seed, const double c[3]) {
  int votes = 0;
  for (int ray = 0; ray < 3; ++ray) {
    double d[3];
    int hits = 0;
    for (int i = 0; i < 3; ++i) d[i] = random_uniform(seed, -1.0, 1.0);
    for (int f = 0; f < mesh->face_count; ++f) {
      const int *v = mesh->faces + 3 * f;
      hits += ray_hits(mesh->vertices + 3 * v[0], mesh->vertices + 3 * v[1],
                       mesh->vertices + 3 * v[2], c, d);
    }
    votes += hits % 2;
  }
  return votes >= 2;
}

double test_mesh_distance(const test_mesh *mesh, const double c[3]) {
  double least = INFINITY;
  for (int f = 0; f < mesh->face_count; ++f) {
    const double *corner[3];
    double u[3], v[3], n[3], o[3], out[3];
    bool above = true;
    for (int k = 0; k < 3; ++k) corner[k] = mesh->vertices + 3 * mesh->faces[3 * f + k];
    limpet_vec3_sub(u, corner[1], corner[0]), limpet_vec3_sub(v, corner[2], corner[0]);
    limpet_vec3_cross(n, u, v);
    for (int k = 0; k < 3; ++k) {
      const double *a = corner[k];
      limpet_vec3_sub(u, corner[(k + 1) % 3], a), limpet_vec3_sub(o, c, a);
      limpet_vec3_cross(out, u, n);
      above &= limpet_vec3_dot(out, o) <= 0.0;
      const double t = fmin(1.0, fmax(0.0, limpet_vec3_dot(u, o) / limpet_vec3_dot(u, u)));
      limpet_vec3_addmul(o, o, -t, u);
      least = fmin(least, limpet_vec3_norm(o));
    }
    limpet_vec3_sub(o, c, corner[0]);
    if (above && limpet_vec3_norm(n) > 0.0)
      least = fmin(least, fabs(limpet_vec3_dot(o, n)) / limpet_vec3_norm(n));
  }
  return least;
}
