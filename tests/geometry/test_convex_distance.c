/* tests/geometry/test_convex_distance.c: signed distance of hulls against brute force.
 *
 * Yardsticks, both exhaustive and free of GJK and EPA:
 *   apart:  the least of all distances vertex to face (triangles of A and of B) and edge to edge
 *   inside: the least overlap along all normals of faces and all products of edges, for the depth
 *     of two polytopes is attained at one
 * The hulls are about 1 m, so 1e-9 absolute is the 1e-9 of their size that the header promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "effort.h"
#include "geometry/convex.h"
#include "geometry/mesh_geometry.h"
#include "geometry/pair.h"
#include "hull_shapes.h"
#include "math/vec3.h"
#include "shared_data.h"

enum { HULLS = 60, PAIRS = TEST_WATCHED ? 1000 : 10000, WORLD_POINTS = 64 };

typedef struct world_hull {
  const limpet_hull *hull;
  double point[WORLD_POINTS][3], centre[3];
  const double *rotation;
} world_hull;

static void world_hull_create(world_hull *w, const test_shape *s) {
  w->hull = s->shape.hull, w->rotation = s->rotation;
  for (int i = 0; i < w->hull->vertex_count; ++i) {
    limpet_mat3_mul_vec(w->point[i], s->rotation, w->hull->vertices + 3 * i);
    limpet_vec3_add(w->point[i], w->point[i], s->position);
  }
}

static double segment_distance(const double p1[3], const double q1[3], const double p2[3],
                               const double q2[3]) {
  double u[3], v[3], w[3], best = INFINITY;
  limpet_vec3_sub(u, q1, p1);
  limpet_vec3_sub(v, q2, p2);
  limpet_vec3_sub(w, p2, p1);
  const double uu = limpet_vec3_dot(u, u), vv = limpet_vec3_dot(v, v), uv = limpet_vec3_dot(u, v);
  const double uw = limpet_vec3_dot(u, w), vw = limpet_vec3_dot(v, w), det = uu * vv - uv * uv;

  // inside both, or at one of the four ends
  double s[5], t[5];
  int count = 0;
  if (det > 1e-14 * uu * vv)
    s[count] = (uw * vv - uv * vw) / det, t[count] = (uw * uv - uu * vw) / det, ++count;
  s[count] = 0.0, t[count] = fmin(1.0, fmax(0.0, -vw / vv)), ++count;
  s[count] = 1.0, t[count] = fmin(1.0, fmax(0.0, (uv - vw) / vv)), ++count;
  t[count] = 0.0, s[count] = fmin(1.0, fmax(0.0, uw / uu)), ++count;
  t[count] = 1.0, s[count] = fmin(1.0, fmax(0.0, (uw + uv) / uu)), ++count;
  for (int k = 0; k < count; ++k) {
    if (s[k] < 0.0 || s[k] > 1.0 || t[k] < 0.0 || t[k] > 1.0) continue;
    double d[3];
    for (int i = 0; i < 3; ++i) d[i] = w[i] + t[k] * v[i] - s[k] * u[i];
    best = fmin(best, limpet_vec3_norm(d));
  }
  return best;
}

// Least distance of a vertex of `points` to the inside of a face of `faces`; edges are left to the
// edge test.
static double vertex_face_distance(const world_hull *points, const world_hull *faces) {
  double best = INFINITY;
  const limpet_hull *h = faces->hull;
  for (int f = 0; f < h->face_count; ++f) {
    double n[3];
    limpet_mat3_mul_vec(n, faces->rotation, h->face_plane + 4 * f);
    for (int i = 0; i < points->hull->vertex_count; ++i) {
      const double *x = points->point[i];
      double d[3];
      limpet_vec3_sub(d, x, faces->point[h->face_vertex[h->face_begin[f]]]);
      const double height = limpet_vec3_dot(n, d);
      bool inside = height >= 0.0;
      for (int k = h->face_begin[f]; k < h->face_begin[f + 1] && inside; ++k) {
        double edge[3], out[3];
        const double *p = faces->point[h->face_vertex[k]];
        limpet_vec3_sub(
            edge,
            faces->point[h->face_vertex[k + 1 < h->face_begin[f + 1] ? k + 1 : h->face_begin[f]]],
            p);
        limpet_vec3_cross(out, edge, n);
        limpet_vec3_sub(d, x, p);
        inside = limpet_vec3_dot(out, d) <= 0.0;
      }
      if (inside) best = fmin(best, height);
    }
  }
  return best;
}

static double brute_distance(const world_hull *a, const world_hull *b) {
  double best = fmin(vertex_face_distance(a, b), vertex_face_distance(b, a));
  for (int i = 0; i < a->hull->edge_count; ++i)
    for (int j = 0; j < b->hull->edge_count; ++j) {
      const int *e = a->hull->edge + 4 * i, *f = b->hull->edge + 4 * j;
      best = fmin(best,
                  segment_distance(a->point[e[0]], a->point[e[1]], b->point[f[0]], b->point[f[1]]));
    }
  return best;
}

// Gap along the unit axis n from A to B; negative: overlap.
static double gap_along(const world_hull *a, const world_hull *b, const double n[3]) {
  double top = -INFINITY, bottom = INFINITY;
  for (int i = 0; i < a->hull->vertex_count; ++i) top = fmax(top, limpet_vec3_dot(n, a->point[i]));
  for (int i = 0; i < b->hull->vertex_count; ++i)
    bottom = fmin(bottom, limpet_vec3_dot(n, b->point[i]));
  return bottom - top;
}

// The largest gap over all candidate axes: positive if the hulls are apart, minus the depth if not.
static double brute_gap(const world_hull *a, const world_hull *b) {
  double best = -INFINITY, n[3], minus[3];
  for (int side = 0; side < 2; ++side) {
    const world_hull *w = side == 0 ? a : b;
    for (int f = 0; f < w->hull->face_count; ++f) {
      limpet_mat3_mul_vec(n, w->rotation, w->hull->face_plane + 4 * f);
      if (side == 1) limpet_vec3_neg(n, n);
      best = fmax(best, gap_along(a, b, n));
    }
  }
  for (int i = 0; i < a->hull->edge_count; ++i)
    for (int j = 0; j < b->hull->edge_count; ++j) {
      const int *e = a->hull->edge + 4 * i, *f = b->hull->edge + 4 * j;
      double u[3], v[3];
      limpet_vec3_sub(u, a->point[e[1]], a->point[e[0]]);
      limpet_vec3_sub(v, b->point[f[1]], b->point[f[0]]);
      limpet_vec3_cross(n, u, v);
      if (limpet_vec3_normalize(n) < 1e-9 * limpet_vec3_norm(u) * limpet_vec3_norm(v)) continue;
      limpet_vec3_neg(minus, n);
      best = fmax(best, fmax(gap_along(a, b, n), gap_along(a, b, minus)));
    }
  return best;
}

static double brute_signed_distance(const test_shape *a, const test_shape *b) {
  world_hull wa, wb;
  world_hull_create(&wa, a);
  world_hull_create(&wb, b);
  const double gap = brute_gap(&wa, &wb);
  return gap > 0.0 ? brute_distance(&wa, &wb) : gap;
}

// Distance, witness points and normal of the answer agree with each other and with brute force.
static void check_pair(const test_shape *a, const test_shape *b, double tolerance) {
  double on_a[3], on_b[3], n[3], d[3];
  const double distance = limpet_convex_distance(&a->shape, &b->shape, on_a, on_b, n);
  const double expected = brute_signed_distance(a, b);
  if (!(fabs(distance - expected) <= tolerance))
    print_message("distance %.17g, brute force %.17g\n", distance, expected);
  assert_true(fabs(distance - expected) <= tolerance);
  assert_true(fabs(limpet_vec3_norm(n) - 1.0) < 1e-12);
  limpet_vec3_sub(d, on_b, on_a);
  limpet_vec3_addmul(d, d, -distance, n);
  assert_true(limpet_vec3_norm(d) <= 1e-9);

  // the normal separates the hulls by the distance: the support along it does not reach farther
  world_hull wa, wb;
  world_hull_create(&wa, a);
  world_hull_create(&wb, b);
  assert_true(fabs(gap_along(&wa, &wb, n) - distance) <= tolerance);
}

static void random_hulls_agree_with_brute_force(void **state) {
  (void)state;
  unsigned long seed = 7;
  limpet_hull *hull[HULLS];
  int inside = 0;
  for (int i = 0; i < HULLS; ++i) {
    const double half[3] = {random_uniform(&seed, 0.2, 0.6), random_uniform(&seed, 0.2, 0.6),
                            random_uniform(&seed, 0.1, 0.6)};
    hull[i] = test_hull_random(&seed, 4 + i % 13, half);
  }
  for (int k = 0; k < PAIRS; ++k) {
    test_shape a, b;
    test_shape_create(&a, LIMPET_SHAPE_MESH, NULL, hull[k % HULLS]);
    test_shape_create(&b, LIMPET_SHAPE_MESH, NULL, hull[(k * 7 + k / HULLS) % HULLS]);
    test_random_rotation(&seed, a.rotation);
    test_random_rotation(&seed, b.rotation);
    for (int i = 0; i < 3; ++i)
      a.position[i] = random_uniform(&seed, -0.35, 0.35),
      b.position[i] = random_uniform(&seed, -0.35, 0.35);
    double on_a[3], on_b[3], n[3];
    inside += limpet_convex_distance(&a.shape, &b.shape, on_a, on_b, n) < 0.0;
    check_pair(&a, &b, 1e-9);
  }
  print_message("%d pairs, %d of them overlapping\n", PAIRS, inside);
  assert_true(inside > PAIRS / 5 && inside < PAIRS * 4 / 5);
  for (int i = 0; i < HULLS; ++i) free(hull[i]);
}

/* Aligned boxes and prisms on a lattice of offsets: faces, edges and corners that coincide, touch
 * and repeat, where simplices degenerate. */
static void lattice_positions_agree_with_brute_force(void **state) {
  (void)state;
  const double half[2][3] = {{0.5, 0.5, 0.5}, {0.25, 0.5, 1.0}};
  limpet_hull *hull[3] = {test_hull_box(half[0]), test_hull_box(half[1]),
                          test_hull_prism(8, 0.5, 0.5)};
  const double quarter[3][3] = {{0, 0, 0}, {0, 0, LIMPET_PI / 4}, {LIMPET_PI / 2, 0, 0}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int turn = 0; turn < 3; ++turn)
        for (int k = 0; k < 7 * 7 * 7; k += test_effort(1, 5)) {
          test_shape a, b;
          const double shift[3] = {0.25 * (k % 7), 0.25 * (k / 7 % 7), 0.25 * (k / 49)};
          test_shape_create(&a, LIMPET_SHAPE_MESH, NULL, hull[i]);
          test_shape_create(&b, LIMPET_SHAPE_MESH, NULL, hull[j]);
          test_shape_move(&b, quarter[turn], shift);
          check_pair(&a, &b, 1e-9);
        }
  for (int i = 0; i < 3; ++i) free(hull[i]);
}

// Flat and needle-like hulls, and hulls of a micrometre and a kilometre.
static void extreme_hulls_agree_with_brute_force(void **state) {
  (void)state;
  unsigned long seed = 11;
  const double half[4][3] = {
      {0.5, 0.5, 1e-4}, {1e-3, 1e-3, 0.5}, {1e-6, 1e-6, 1e-6}, {1e3, 1e3, 1e3}};
  for (int kind = 0; kind < 4; ++kind)
    for (int k = 0; k < 150; ++k) {
      limpet_hull *hull[2] = {test_hull_random(&seed, 10, half[kind]),
                              test_hull_random(&seed, 12, half[kind])};
      test_shape a, b;
      const double reach = limpet_vec3_norm(half[kind]);
      test_shape_create(&a, LIMPET_SHAPE_MESH, NULL, hull[0]);
      test_shape_create(&b, LIMPET_SHAPE_MESH, NULL, hull[1]);
      test_random_rotation(&seed, a.rotation);
      test_random_rotation(&seed, b.rotation);
      for (int i = 0; i < 3; ++i)
        b.position[i] = random_uniform(&seed, -0.5, 0.5) * (kind < 2 ? 0.3 : reach);
      if (hull[0]->face_count > 3 && hull[1]->face_count > 3)
        check_pair(&a, &b, 1e-9 * fmax(reach, 1e-3));
      free(hull[0]), free(hull[1]);
    }
}

/* A lens with a dent-prone skin, as meshes from files have it: facets nearly coplanar, coordinates
 * of single precision, and beside each vertex a second one 1e-6 to 1e-4 away. Wherever the climb
 * over such a hull ends, no vertex is higher; 1e-12 is round-off of heights of 1 m, times what a
 * facet's own round-off can hide. */
static void climbing_ends_at_the_highest_vertex(void **state) {
  (void)state;
  for (unsigned long seed = 1; seed <= 12; ++seed) {
    enum { POINTS = 1600 };
    static double points[3 * POINTS];
    unsigned long random = seed;
    for (int i = 0; i < POINTS; ++i) {
      double *p = points + 3 * i;
      if (i % 2 == 0) {
        for (int k = 0; k < 3; ++k) p[k] = random_uniform(&random, -1.0, 1.0);
        limpet_vec3_normalize(p);
        p[2] *= 0.02;
      } else {
        const double near = pow(10.0, random_uniform(&random, -6.0, -4.0));
        for (int k = 0; k < 3; ++k) p[k] = p[k - 3] + near * random_uniform(&random, -1.0, 1.0);
      }
      for (int k = 0; k < 3; ++k) p[k] = (float)p[k];
    }
    limpet_hull *hull = limpet_hull_create(points, POINTS, -1, NULL);
    assert_non_null(hull);
    assert_true(hull->vertex_count > 200 &&
                hull->face_count < 2 * hull->vertex_count - 4);  // it climbs, and faces were merged
    for (int k = 0; k < test_effort(20000, 1000); ++k) {
      double d[3], highest = -INFINITY;
      for (int i = 0; i < 3; ++i) d[i] = random_uniform(&random, -1.0, 1.0);
      if (k % 2 == 0) d[0] *= 0.03, d[1] *= 0.03;
      limpet_vec3_normalize(d);
      for (int i = 0; i < hull->vertex_count; ++i)
        highest = fmax(highest, limpet_vec3_dot(d, hull->vertices + 3 * i));
      const double height = limpet_vec3_dot(d, hull->vertices + 3 * limpet_hull_support(hull, d));
      if (highest - height > 1e-12) fail_msg("seed %lu: %g too low", seed, highest - height);
    }
    free(hull);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_hulls_agree_with_brute_force),
      cmocka_unit_test(lattice_positions_agree_with_brute_force),
      cmocka_unit_test(extreme_hulls_agree_with_brute_force),
      cmocka_unit_test(climbing_ends_at_the_highest_vertex),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
