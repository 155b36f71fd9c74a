/* tests/geometry/test_pressure_facets.c: curved fields in rigid meshes of many triangles: the error
 * against a tight tolerance is no more than what is stated, and that is what was asked for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "effort.h"
#include "limpet/pressure.h"
#include "hull_shapes.h"
#include "math/vec3.h"
#include "pressure_shapes.h"
#include "shared_data.h"

enum { SIDE = 9, LAYER = SIDE * SIDE, POSES = TEST_WATCHED ? 3 : 12 };
static const double width = 0.12, height = 0.04;  // [m]

static int add_quad(int *faces, int count, int a, int b, int c, int d) {
  const int corners[6] = {a, b, c, a, c, d};
  for (int k = 0; k < 6; ++k) faces[3 * count + k] = corners[k];
  return count + 2;
}

// A block whose top is a bowl of radius of curvature 6 cm, of 128 triangles; in all 320.
static limpet_pressure_field *bowl(void) {
  static double x[2 * LAYER][3];
  static int faces[3 * 4 * LAYER];
  for (int v = 0; v < 2 * LAYER; ++v) {
    for (int e = 0; e < 2; ++e) {
      const int at = e ? v % SIDE : v % LAYER / SIDE;
      x[v][e] = width * ((double)at / (SIDE - 1) - 0.5);
    }
    x[v][2] = v < LAYER ? -height : (x[v][0] * x[v][0] + x[v][1] * x[v][1]) / 0.12;
  }
  int count = 0;
  for (int i = 0; i + 1 < SIDE; ++i)
    for (int j = 0; j + 1 < SIDE; ++j) {
      const int a = i * SIDE + j, b = a + SIDE, t = LAYER;
      count = add_quad(faces, count, a, a + 1, b + 1, b);
      count = add_quad(faces, count, a + t, b + t, b + 1 + t, a + 1 + t);
    }
  for (int i = 0; i + 1 < SIDE; ++i) {
    const int last = SIDE - 1, t = LAYER;
    const int low = i, high = last * SIDE + i, left = i * SIDE, right = i * SIDE + last;
    count = add_quad(faces, count, low, low + t, low + 1 + t, low + 1);
    count = add_quad(faces, count, high, high + 1, high + 1 + t, high + t);
    count = add_quad(faces, count, left, left + SIDE, left + SIDE + t, left + t);
    count = add_quad(faces, count, right, right + t, right + SIDE + t, right + SIDE);
  }
  limpet_pressure_material material = limpet_pressure_material_default();
  material.modulus = INFINITY;
  limpet_error error = {0};
  limpet_pressure_field *field =
      limpet_pressure_field_of_triangles(x[0], 2 * LAYER, faces, count, &material, &error);
  if (!field) fail_msg("%s", error.message);
  return field;
}

typedef struct sums {
  double area, force[3], moment[3], error;
  int points;
} sums;

static sums sums_of(limpet_pressure_surface *surface, const limpet_pressure_body *a,
                    const limpet_pressure_body *b, double tolerance, double reach) {
  limpet_pressure_query query = limpet_pressure_query_default();
  query.tolerance = tolerance, query.reach = reach;
  assert_int_equal(limpet_pressure_surface_compute(surface, a, b, &query), LIMPET_OK);
  sums s = {.area = surface->area, .error = surface->error, .points = surface->point_count};
  limpet_vec3_copy(s.force, surface->force), limpet_vec3_copy(s.moment, surface->moment);
  return s;
}

static const double size[3] = {0.04, 0.03, 0.045};

static void check(limpet_pressure_surface *surface, const limpet_pressure_body *mesh,
                  const limpet_pressure_body *body, const char *name) {
  const sums truth = sums_of(surface, mesh, body, 1e-7, 0.0);
  const double force = limpet_vec3_norm(truth.force);
  for (int k = 0; k < 3; ++k) {
    const double tolerance = k == 1 ? 1e-5 : 1e-3;
    const sums s = sums_of(surface, mesh, body, tolerance, k == 2 ? 1e-3 : 0.0);
    const double off[3] = {limpet_vec3_distance(s.force, truth.force) / force,
                           limpet_vec3_distance(s.moment, truth.moment) / (force * size[0]),
                           fabs(s.area / truth.area - 1.0)};
    const double most = fmax(off[0], fmax(off[1], off[2])), stated = s.error + truth.error;
    if (!(most <= 3.0 * stated + 1e-6) || !(s.error <= 3.0 * tolerance))
      fail_msg("%s, tolerance %g: force %.2e, moment %.2e, area %.2e off, stated %.2e", name,
               tolerance, off[0], off[1], off[2], s.error);
    // three points of a triangle that lies within, few of others
    if (k == 0) assert_true(s.points < 5000);
  }
}

static void errors_are_as_stated(void **state) {
  (void)state;
  static const limpet_shape_kind kinds[4] = {LIMPET_SHAPE_SPHERE, LIMPET_SHAPE_ELLIPSOID,
                                             LIMPET_SHAPE_CAPSULE, LIMPET_SHAPE_CYLINDER};
  static const double origin[3] = {0.0, 0.0, 0.0}, upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  limpet_pressure_field *field = bowl();
  limpet_pressure_surface *surface = limpet_pressure_surface_create(NULL);
  const limpet_pressure_body mesh = {field, origin, upright};
  unsigned long seed = 5;
  for (int k = 0; k < 4; ++k) {
    limpet_pressure_material material = limpet_pressure_material_default();
    limpet_pressure_field *own =
        limpet_pressure_field_of_shape(kinds[k], size, NULL, &material, NULL);
    assert_non_null(own);
    for (int i = 0; i < POSES; ++i) {
      test_pose pose;
      test_random_rotation(&seed, pose.rotation);
      for (int e = 0; e < 2; ++e) pose.position[e] = random_uniform(&seed, -0.02, 0.02);
      pose.position[2] = 0.03 + random_uniform(&seed, -0.008, 0.0);
      const limpet_pressure_body body = {own, pose.position, pose.rotation};
      check(surface, &mesh, &body, limpet_shape_kind_word(kinds[k]));
    }
    limpet_pressure_field_destroy(own);
  }
  limpet_pressure_surface_destroy(surface);
  limpet_pressure_field_destroy(field);
}

static int by_number(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// A plate, n x n cells of two triangles above and below.
static limpet_pressure_field *plate(int n) {
  const int side = n + 1, layer = side * side, cells = n * n;
  double *x = malloc((size_t)(2 * layer) * 3 * sizeof *x);
  int *faces = malloc((size_t)(4 * cells + 8 * n) * 3 * sizeof *faces), count = 0;
  for (int v = 0; v < 2 * layer; ++v) {
    x[3 * v] = width * ((double)(v % layer / side) / n - 0.5);
    x[3 * v + 1] = width * ((double)(v % layer % side) / n - 0.5);
    x[3 * v + 2] = v < layer ? -height : 0.0;
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int a = i * side + j, b = a + side;
      count = add_quad(faces, count, a, a + 1, b + 1, b);
      count = add_quad(faces, count, a + layer, b + layer, b + 1 + layer, a + 1 + layer);
    }
  for (int i = 0; i < n; ++i) {
    const int low = i, high = n * side + i, left = i * side, right = i * side + n;
    count = add_quad(faces, count, low, low + layer, low + 1 + layer, low + 1);
    count = add_quad(faces, count, high, high + 1, high + 1 + layer, high + layer);
    count = add_quad(faces, count, left, left + side, left + side + layer, left + layer);
    count = add_quad(faces, count, right, right + layer, right + side + layer, right + side);
  }
  limpet_pressure_material material = limpet_pressure_material_default();
  material.modulus = INFINITY;
  limpet_error error = {0};
  limpet_pressure_field *field =
      limpet_pressure_field_of_triangles(x, 2 * layer, faces, count, &material, &error);
  if (!field) fail_msg("%s", error.message);
  free(x), free(faces);
  return field;
}

// No two points of a surface have one feature, however many faces a mesh has. Faces whose numbers
// differ by 16,384 had the same ones.
static void features_tell_points_apart(void **state) {
  (void)state;
  static const double origin[3] = {0.0, 0.0, 0.0}, above[3] = {0.0, 0.0, 0.015},
                      upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  limpet_pressure_field *field = plate(128);
  limpet_pressure_material material = limpet_pressure_material_default();
  limpet_pressure_field *ball =
      limpet_pressure_field_of_shape(LIMPET_SHAPE_SPHERE, size, NULL, &material, NULL);
  limpet_pressure_surface *surface = limpet_pressure_surface_create(NULL);
  const limpet_pressure_body mesh = {field, origin, upright}, body = {ball, above, upright};
  sums_of(surface, &mesh, &body, 1e-3, 0.0);
  const int count = surface->point_count;
  assert_true(count > 10000);
  uint64_t *feature = malloc((size_t)count * sizeof *feature);
  for (int k = 0; k < count; ++k) feature[k] = surface->point[k].feature;
  qsort(feature, (size_t)count, sizeof *feature, by_number);
  for (int k = 1; k < count; ++k) assert_true(feature[k] != feature[k - 1]);
  free(feature);
  limpet_pressure_surface_destroy(surface);
  limpet_pressure_field_destroy(field), limpet_pressure_field_destroy(ball);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(errors_are_as_stated),
                                     cmocka_unit_test(features_tell_points_apart)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
