/* tests/geometry/test_convex_edges.c: edges that are nearest to each other, with and without
 * memory.
 *
 * Boxes, hulls and capsules of random sizes and turns lie a little apart, and move by a little in
 * every step. The manifold of each pose is asked twice: from nothing, and with what was remembered
 * of the pose before. Both must be the same bits. The distance must be that of GJK, and edges must
 * have been found often enough for the test to mean something. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/mesh_geometry.h"
#include "geometry/pair.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "shared_data.h"

enum { HULL_COUNT = 10, PAIRS = 4000, MOVES = 6 };
static unsigned long seed = 2026;
static limpet_hull *hulls[HULL_COUNT];

static double between(double low, double high) { return random_uniform(&seed, low, high); }
static double log_between(double low, double high) { return exp(between(log(low), log(high))); }

typedef struct moving_shape {
  limpet_shape shape;
  double size[3], position[3], rotation[9], quaternion[4];
} moving_shape;

static void turn_by(moving_shape *s, double angle) {
  for (int i = 0; i < 4; ++i) s->quaternion[i] += angle * between(-1.0, 1.0);
  limpet_quaternion_normalize(s->quaternion);
  limpet_quaternion_to_matrix(s->rotation, s->quaternion);
}

static void shape_draw(moving_shape *s, limpet_shape_kind kind) {
  for (int i = 0; i < 4; ++i) s->quaternion[i] = between(-1.0, 1.0);
  for (int i = 0; i < 3; ++i) s->size[i] = log_between(0.01, 0.1), s->position[i] = 0.0;
  s->size[kind == LIMPET_SHAPE_BOX ? 2 : 1] = 0.3;
  turn_by(s, 0.0);
  s->shape = (limpet_shape){
      .kind = kind,
      .size = s->size,
      .position = s->position,
      .rotation = s->rotation,
      .hull = kind == LIMPET_SHAPE_MESH ? hulls[(int)between(0.0, HULL_COUNT - 1e-9)] : NULL};
}

/* B over the middle of A, along a direction that is square to the long axes of both, or nearly so:
 * slender shapes that cross meet on edges. */
static void place(const moving_shape *a, moving_shape *b, double gap) {
  double u[3], back[3], on_a[3], on_b[3], long_a[3], long_b[3];
  for (int i = 0; i < 3; ++i)
    long_a[i] = a->rotation[3 * i + 2], long_b[i] = b->rotation[3 * i + 2];
  limpet_vec3_cross(u, long_a, long_b);
  const double tilt = log_between(1e-6, 1.0);
  for (int i = 0; i < 3; ++i) u[i] += tilt * between(-1.0, 1.0);
  limpet_vec3_normalize(u);
  limpet_vec3_neg(back, u);
  limpet_shape_support(on_a, &a->shape, u);
  limpet_shape_support(on_b, &b->shape, back);
  limpet_vec3_scale(b->position, limpet_vec3_dot(on_a, u) - limpet_vec3_dot(on_b, u) + gap, u);
}

// What was remembered changes no bit; returns whether edges were found.
static bool both_ways(const moving_shape *a, const moving_shape *b, double margin,
                      limpet_rest *rest) {
  limpet_manifold cold, warm;
  double on_a[3], on_b[3], normal[3];
  limpet_shape_contact(&cold, &a->shape, &b->shape, margin, false);
  limpet_manifold_create(&warm, NULL);
  warm.rest = *rest;
  limpet_shape_contacts(&warm, &a->shape, &b->shape, margin, false);
  assert_int_equal(cold.count, warm.count);
  for (int i = 0; i < cold.count; ++i)
    assert_memory_equal(&cold.point[i], &warm.point[i], sizeof *cold.point);
  *rest = cold.rest;
  if (cold.rest.edges.a[0] == cold.rest.edges.a[1]) return false;

  // GJK alone says the same distance
  const double distance = limpet_convex_distance(&a->shape, &b->shape, on_a, on_b, normal);
  double deepest = INFINITY;
  for (int i = 0; i < cold.count; ++i) deepest = fmin(deepest, cold.point[i].distance);
  if (cold.count > 0) assert_true(fabs(deepest - distance) < 1e-9);
  else assert_true(distance > margin);
  return true;
}

static void remembered_edges_change_no_bit(void **state) {
  (void)state;
  static const limpet_shape_kind kinds[4][2] = {{LIMPET_SHAPE_MESH, LIMPET_SHAPE_MESH},
                                                {LIMPET_SHAPE_BOX, LIMPET_SHAPE_MESH},
                                                {LIMPET_SHAPE_CAPSULE, LIMPET_SHAPE_MESH},
                                                {LIMPET_SHAPE_MESH, LIMPET_SHAPE_CAPSULE}};
  for (int h = 0; h < HULL_COUNT; ++h) {
    double points[3 * 80];
    const int count = 4 + 8 * h;
    for (int i = 0; i < 3 * count; ++i) points[i] = (i % 3 == 2 ? 0.3 : 0.04) * between(-1.0, 1.0);
    hulls[h] = limpet_hull_create(points, count, -1, NULL);
    assert_non_null(hulls[h]);
  }
  int found[4] = {0};
  for (int k = 0; k < PAIRS; ++k) {
    moving_shape a, b;
    shape_draw(&a, kinds[k % 4][0]);
    shape_draw(&b, kinds[k % 4][1]);
    place(&a, &b, log_between(1e-6, 0.1));
    const double step = log_between(1e-7, 0.05);
    limpet_rest rest = {.face = -1};
    for (int move = 0; move < MOVES; ++move) {
      found[k % 4] += both_ways(&a, &b, 0.1, &rest);
      turn_by(&b, step);
      for (int i = 0; i < 3; ++i) b.position[i] += 0.1 * step * between(-1.0, 1.0);
    }
  }
  print_message("edges found: %d, %d, %d, %d of %d poses each\n", found[0], found[1], found[2],
                found[3], PAIRS * MOVES / 4);
  for (int i = 0; i < 4; ++i) assert_true(found[i] > PAIRS * MOVES / 4 / 20);
  for (int h = 0; h < HULL_COUNT; ++h) free(hulls[h]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(remembered_edges_change_no_bit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
