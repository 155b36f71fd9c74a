/* tests/geometry/test_wrap.c: strings around spheres and cylinders: closed forms, and what a
 * shortest path must be: it meets the surface tangentially and is no longer than its neighbours.
 *
 * Tolerances: sums of a few terms of order one, so 1e-13; an angle from a flat minimum that is
 * found to round-off in its slope: 1e-12. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "geometry/wrap.h"
#include "math/quaternion.h"

static const double origin[3] = {0.0, 0.0, 0.0}, identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static unsigned long seed = 11;

static double uniform(double low, double high) {
  seed = seed * 6364136223846793005ul + 1442695040888963407ul;
  return low + (high - low) * (double)(seed >> 11 & 0x1fffffffffffff) / 9007199254740992.0;
}

static double whole_length(const limpet_wrap *wrap, const double a[3], const double b[3]) {
  return limpet_vec3_distance(a, wrap->first) + wrap->length + limpet_vec3_distance(wrap->last, b);
}

static void half_turn_of_a_cylinder(void **state) {
  (void)state;
  const limpet_wrap_shape shape = {true, 0.5, origin, identity};
  const double a[3] = {-2.0, -0.5, 0.0}, b[3] = {-2.0, 0.5, 3.0}, right[3] = {1.0, 0.0, 0.0};
  limpet_wrap wrap;
  assert_false(limpet_wrap_path(&shape, a, b, NULL, &wrap));

  // pulled round by its side: two straight pieces of 2 m and half a turn, climbing 3 m
  assert_true(limpet_wrap_path(&shape, a, b, right, &wrap));
  const double flat = 4.0 + 0.5 * LIMPET_PI;
  assert_true(fabs(whole_length(&wrap, a, b) - hypot(flat, 3.0)) < 1e-13);
  assert_true(fabs(wrap.first[2] - 3.0 * 2.0 / flat) < 1e-13);
}

static void quarter_of_a_sphere(void **state) {
  (void)state;
  const limpet_wrap_shape shape = {false, 0.4, origin, identity};
  // tangents at (0, 0.4, 0) and (0.4, 0, 0), a quarter apart
  const double a[3] = {-0.2, 0.4, 0.0}, b[3] = {0.4, -0.2, 0.0};
  limpet_wrap wrap;
  assert_true(limpet_wrap_path(&shape, a, b, NULL, &wrap));
  assert_true(fabs(whole_length(&wrap, a, b) - (0.4 + 0.2 * LIMPET_PI)) < 1e-13);

  // the other way round, by the side
  const double side[3] = {-1.0, -1.0, 0.0};
  assert_true(!limpet_wrap_path(&shape, a, b, side, &wrap) ||
              whole_length(&wrap, a, b) > 0.4 + 0.2 * LIMPET_PI);
}

static void a_side_within_pulls_through_the_ring(void **state) {
  (void)state;
  const limpet_wrap_shape shape = {true, 0.3, origin, identity};
  const double a[3] = {-1.0, 1.0, 0.0}, b[3] = {1.0, 1.0, 0.0}, inside[3] = {0.0, 0.1, 0.0};
  limpet_wrap wrap;
  assert_true(limpet_wrap_path(&shape, a, b, inside, &wrap));
  assert_true(wrap.length == 0.0);
  assert_true(fabs(wrap.first[1] - 0.3) < 1e-12 && fabs(wrap.first[0]) < 1e-12);

  // through the ring by itself: straight
  const double c[3] = {1.0, -1.0, 0.0};
  assert_false(limpet_wrap_path(&shape, a, c, inside, &wrap));
}

static void random_point(double p[3], double size) {
  for (int i = 0; i < 3; ++i) p[i] = uniform(-size, size);
}

// A point of the surface, moved along it by `step` in two directions, gives no shorter a path.
static void check_minimum(const limpet_wrap_shape *shape, const double end[3],
                          const double touch[3], const double next[3]) {
  double normal[3], along[3], u[3], w[3];
  limpet_vec3_sub(normal, touch, shape->position);
  if (shape->cylinder) {
    double local[3];
    limpet_mat3_tmul_vec(local, shape->rotation, normal);
    local[2] = 0.0;
    limpet_mat3_mul_vec(normal, shape->rotation, local);
  }
  assert_true(fabs(limpet_vec3_normalize(normal) - shape->radius) < 1e-13);
  limpet_vec3_sub(u, touch, end);
  limpet_vec3_normalize(u);
  assert_true(fabs(limpet_vec3_dot(u, normal)) < 1e-12);  // tangential
  if (limpet_vec3_distance(touch, next) < 1e-6) return;

  // it goes on where it came from: no corner at the surface, but for the chord's curvature
  limpet_vec3_sub(along, next, touch);
  limpet_vec3_addmul(along, along, -limpet_vec3_dot(along, normal), normal);
  if (limpet_vec3_normalize(along) < 1e-6) return;
  limpet_vec3_cross(w, u, along);
  if (!shape->cylinder) assert_true(limpet_vec3_norm(w) < 1e-9);
}

/* Lengths of MuJoCo 4.0.1 around a cylinder of radius 0.4 about z, with the side at some angle: the
 * longer way where the side lies opposite the string, as seen from the centre. */
static void a_side_opposite_the_string_takes_it_round(void **state) {
  (void)state;
  const limpet_wrap_shape shape = {true, 0.4, origin, identity};
  static const struct {
    double x, angle;  // [m, degrees]  the string goes from (x, -0.5) to (x, 0.7)
    bool wraps;
    double length;
  } cases[] = {{0.5, 0, false, 0},
               {0.5, 90, false, 0},
               {0.5, 120, false, 0},
               {0.5, 150, true, 2.3430217926195},
               {0.5, 180, true, 2.3430217926195},
               {0.5, -110, false, 0},
               {0.5, -140, true, 2.3430217926195},
               {0.1, 0, true, 1.3685030150089},
               {0.1, 80, true, 1.3685030150089},
               {0.1, 95, true, 1.3685030150089},
               {0.1, 110, true, 1.6393314554129},
               {0.1, 180, true, 1.6393314554129},
               {0.1, -95, true, 1.3685030150089},
               {0.1, -100, true, 1.6393314554129}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const double angle = cases[i].angle * LIMPET_PI / 180.0;
    const double a[3] = {cases[i].x, -0.5, 0.0}, b[3] = {cases[i].x, 0.7, 0.1},
                 side[3] = {0.9 * cos(angle), 0.9 * sin(angle), 0.3};
    limpet_wrap wrap;
    assert_int_equal(limpet_wrap_path(&shape, a, b, side, &wrap), cases[i].wraps);
    if (cases[i].wraps) assert_true(fabs(whole_length(&wrap, a, b) - cases[i].length) < 1e-12);
  }
}

static void random_paths_are_tangential_and_smooth(void **state) {
  (void)state;
  int touched = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    double position[3], rotation[9], vector[3], q[4], a[3], b[3], side[3];
    random_point(position, 1.0);
    random_point(vector, 3.0);
    limpet_quaternion_exp(q, vector);
    limpet_quaternion_to_matrix(rotation, q);
    const limpet_wrap_shape shape = {trial % 2 == 0, exp(uniform(-4.0, 0.5)), position, rotation};
    random_point(a, 3.0), random_point(b, 3.0), random_point(side, 3.0);
    const bool has_side = trial % 3 == 0;
    double offset[3];
    limpet_vec3_sub(offset, side, position);
    if (has_side && limpet_vec3_norm(offset) < shape.radius) continue;
    limpet_wrap wrap, back;
    const double *by = has_side ? side : NULL;
    if (!limpet_wrap_path(&shape, a, b, by, &wrap)) continue;
    ++touched;
    check_minimum(&shape, a, wrap.first, wrap.last);
    check_minimum(&shape, b, wrap.last, wrap.first);
    const double length = whole_length(&wrap, a, b);
    assert_true(length >= limpet_vec3_distance(a, b) - 1e-13);

    // the same from the other end
    assert_true(limpet_wrap_path(&shape, b, a, by, &back));
    assert_true(fabs(whole_length(&back, b, a) - length) < 1e-12);
  }
  assert_true(touched > 2000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(half_turn_of_a_cylinder),
      cmocka_unit_test(quarter_of_a_sphere),
      cmocka_unit_test(a_side_within_pulls_through_the_ring),
      cmocka_unit_test(a_side_opposite_the_string_takes_it_round),
      cmocka_unit_test(random_paths_are_tangential_and_smooth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
