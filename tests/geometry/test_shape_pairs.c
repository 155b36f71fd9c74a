/* tests/geometry/test_shape_pairs.c: laws that every pair of shapes keeps at random poses.
 *
 *   gap(n) = min over B of n.x - max over A of n.x   from the support functions
 *   signed distance = max over unit n of gap(n), attained at the contact normal
 * This needs no GJK, EPA or clipping, and holds for curved shapes. Sizes are 0.05 to 0.5 m;
 * distances of closed forms and polytopes agree to 1e-9 of that, a thousand times the round-off of
 * their intermediate steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "effort.h"
#include "geometry/mesh_geometry.h"
#include "geometry/pair.h"
#include "hull_shapes.h"
#include "math/quaternion.h"
#include "shared_data.h"

/* How well the place and the normal of a contact are determined: an error e of the normal of a
 * curved surface costs the distance only e^2, so round-off of the distance leaves its root; and
 * depths near the radius of curvature determine no place at all, so that only overlaps up to 2 cm
 * are judged. */
static double place_tolerance(const test_shape *a, const test_shape *b, double distance) {
  const limpet_shape_kind ka = a->shape.kind, kb = b->shape.kind;
  if (ka == LIMPET_SHAPE_ELLIPSOID || ka == LIMPET_SHAPE_CYLINDER || kb == LIMPET_SHAPE_ELLIPSOID ||
      kb == LIMPET_SHAPE_CYLINDER)
    return distance > -0.02 ? 1e-5 : 1e-1;
  return 1e-5;
}

enum { POSES = TEST_WATCHED ? 80 : 400, DIRECTIONS = 40 };

static limpet_hull *hull;

static int setup(void **state) {
  (void)state;
  unsigned long seed = 21;
  const double half[3] = {0.2, 0.15, 0.3};
  hull = test_hull_random(&seed, 16, half);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  free(hull);
  return 0;
}

static void random_shape(test_shape *s, limpet_shape_kind kind, unsigned long *seed, double reach) {
  double size[3];
  for (int i = 0; i < 3; ++i) size[i] = random_uniform(seed, 0.05, 0.3);
  test_shape_create(s, kind, size, kind == LIMPET_SHAPE_MESH ? hull : NULL);
  test_random_rotation(seed, s->rotation);
  for (int i = 0; i < 3; ++i) s->position[i] = random_uniform(seed, -reach, reach);
}

static double gap_along(const limpet_shape *a, const limpet_shape *b, const double n[3]) {
  double top[3], bottom[3], down[3] = {-n[0], -n[1], -n[2]};
  limpet_shape_support(top, a, n);
  limpet_shape_support(bottom, b, down);
  return limpet_vec3_dot(n, bottom) - limpet_vec3_dot(n, top);
}

static void random_direction(unsigned long *seed, double n[3]) {
  do {
    for (int i = 0; i < 3; ++i) n[i] = random_uniform(seed, -1.0, 1.0);
  } while (limpet_vec3_norm(n) < 0.1);
  limpet_vec3_normalize(n);
}

// `distance` is the gap along n, and no direction, near or far, has a larger one.
static void check_optimal(const test_shape *a, const test_shape *b, double distance,
                          const double n[3], double tolerance, unsigned long *seed) {
  const double own = gap_along(&a->shape, &b->shape, n);
  if (!(fabs(own - distance) <= tolerance))
    print_message("kinds %d %d: gap %.15g distance %.15g\n", a->shape.kind, b->shape.kind, own,
                  distance);
  assert_true(fabs(own - distance) <= tolerance);
  for (int k = 0; k < DIRECTIONS; ++k) {
    double other[3], d[3];
    random_direction(seed, d);
    limpet_vec3_addmul(other, n, pow(10.0, random_uniform(seed, -5.0, 1.0)), d);
    limpet_vec3_normalize(other);
    const double gap = gap_along(&a->shape, &b->shape, other);
    if (!(gap <= distance + tolerance))
      print_message("kinds %d %d: gap %.15g distance %.15g\n", a->shape.kind, b->shape.kind, gap,
                    distance);
    assert_true(gap <= distance + tolerance);
  }
}

static int deepest_point(const limpet_manifold *m) {
  int best = 0;
  for (int i = 1; i < m->count; ++i)
    if (m->point[i].distance < m->point[best].distance) best = i;
  return best;
}

// Distance of a point from the surface of a shape, planes included.
static double surface_distance(const double x[3], const test_shape *s) {
  static const double zero[3] = {0, 0, 0};
  double on_a[3], on_b[3], n[3];
  if (s->shape.kind == LIMPET_SHAPE_PLANE) {
    limpet_vec3_sub(n, x, s->position);
    return n[0] * s->rotation[2] + n[1] * s->rotation[5] + n[2] * s->rotation[8];
  }
  test_shape point;
  test_shape_create(&point, LIMPET_SHAPE_SPHERE, zero, NULL);
  limpet_vec3_copy(point.position, x);
  return limpet_convex_distance(&point.shape, &s->shape, on_a, on_b, n);
}

/* No point lies outside its shape, but for the tolerance of clipping, 1e-5 of the size; the deepest
 * lies on the surface (others may lie inside: the lower side of a capsule's upper end). */
static void check_points(const limpet_manifold *m, const test_shape *a, const test_shape *b,
                         double margin) {
  const int deepest = deepest_point(m);
  assert_true(test_manifold_is_sound(m, margin));
  const double tolerance = place_tolerance(a, b, m->point[deepest].distance);
  for (int i = 0; i < m->count; ++i) {
    const limpet_contact_point *p = &m->point[i];
    const double out_of_a = surface_distance(p->on_a, a), out_of_b = surface_distance(p->on_b, b);
    assert_true(out_of_a < tolerance && out_of_b < tolerance);
    assert_true(i != deepest || (out_of_a > -tolerance && out_of_b > -tolerance));
  }
}

static void deepest_points_are_optimal(void **state) {
  (void)state;
  unsigned long seed = 31;
  const double margin = 0.05;
  for (limpet_shape_kind ka = LIMPET_SHAPE_SPHERE; ka < LIMPET_SHAPE_CLOUD; ++ka)
    for (limpet_shape_kind kb = ka; kb < LIMPET_SHAPE_CLOUD; ++kb) {
      int touching = 0;
      for (int k = 0; k < POSES; ++k) {
        test_shape a, b;
        limpet_manifold m;
        double on_a[3], on_b[3], n[3], d[3];
        random_shape(&a, ka, &seed, 0.2);
        random_shape(&b, kb, &seed, 0.2);

        // the distance function
        const double distance = limpet_convex_distance(&a.shape, &b.shape, on_a, on_b, n);
        check_optimal(&a, &b, distance, n, 1e-9, &seed);
        limpet_vec3_sub(d, on_b, on_a);
        limpet_vec3_addmul(d, d, -distance, n);
        assert_true(limpet_vec3_norm(d) < 1e-12);
        assert_true(fabs(surface_distance(on_a, &a)) < place_tolerance(&a, &b, distance) &&
                    fabs(surface_distance(on_b, &b)) < place_tolerance(&a, &b, distance));

        // the contact points, whose deepest has the same distance
        limpet_shape_contact(&m, &a.shape, &b.shape, margin, false);
        assert_int_equal(m.count > 0, distance < margin);
        if (m.count == 0) continue;
        ++touching;
        check_points(&m, &a, &b, margin);
        const limpet_contact_point *p = &m.point[deepest_point(&m)];
        if (!(fabs(p->distance - distance) < 1e-9))
          print_message("kinds %d %d: manifold %.15g, distance %.15g\n", ka, kb, p->distance,
                        distance);
        assert_true(fabs(p->distance - distance) < 1e-9);
        check_optimal(&a, &b, p->distance, p->normal, 1e-9, &seed);
      }
      assert_true(touching > POSES / 10);
    }
}

static void planes_agree_with_the_support_function(void **state) {
  (void)state;
  unsigned long seed = 41;
  for (limpet_shape_kind kind = LIMPET_SHAPE_SPHERE; kind < LIMPET_SHAPE_CLOUD; ++kind)
    for (int k = 0; k < POSES; ++k) {
      test_shape plane, b;
      limpet_manifold m, single;
      random_shape(&plane, LIMPET_SHAPE_PLANE, &seed, 0.2);
      random_shape(&b, kind, &seed, 0.2);
      const double n[3] = {plane.rotation[2], plane.rotation[5], plane.rotation[8]},
                   down[3] = {-n[0], -n[1], -n[2]};
      double lowest[3], d[3];
      limpet_shape_support(lowest, &b.shape, down);
      limpet_vec3_sub(d, lowest, plane.position);
      const double height = limpet_vec3_dot(d, n);
      limpet_shape_contact(&m, &plane.shape, &b.shape, 0.02, false);
      limpet_shape_contact(&single, &plane.shape, &b.shape, 0.02, true);
      assert_int_equal(m.count > 0, height < 0.02);
      assert_int_equal(single.count, height < 0.02);
      if (m.count == 0) continue;
      check_points(&m, &plane, &b, 0.02);
      assert_true(fabs(m.point[deepest_point(&m)].distance - height) < 1e-14);
      assert_true(fabs(single.point[0].distance - height) < 1e-14);
      assert_true(limpet_vec3_distance(m.point[0].normal, n) < 1e-15);
    }
}

static bool same_distance(const test_shape *a, const test_shape *b, const limpet_manifold *m,
                          const limpet_manifold *w) {
  const double difference = m->point[0].distance - w->point[0].distance;
  if (!(fabs(difference) < 1e-9))
    print_message("kinds %d %d: %.15g, differs by %g\n", a->shape.kind, b->shape.kind,
                  m->point[0].distance, difference);
  return fabs(difference) < 1e-9;
}

// A and B exchanged: the same contact with normal and sides exchanged.
static void exchanging_the_shapes_flips_the_contact(void **state) {
  (void)state;
  unsigned long seed = 51;
  for (limpet_shape_kind ka = LIMPET_SHAPE_PLANE; ka < LIMPET_SHAPE_CLOUD; ++ka)
    for (limpet_shape_kind kb = LIMPET_SHAPE_SPHERE; kb < LIMPET_SHAPE_CLOUD; ++kb)
      for (int k = 0; k < 60; ++k) {
        test_shape a, b;
        limpet_manifold m, w;
        random_shape(&a, ka, &seed, 0.15);
        random_shape(&b, kb, &seed, 0.15);
        limpet_shape_contact(&m, &a.shape, &b.shape, 0.01, true);
        limpet_shape_contact(&w, &b.shape, &a.shape, 0.01, true);
        assert_int_equal(m.count, w.count);
        if (m.count == 0) continue;
        assert_true(same_distance(&a, &b, &m, &w));
        if (ka != kb) {
          assert_int_equal(m.point[0].feature, w.point[0].feature);
          for (int i = 0; i < 3; ++i) {
            assert_true(m.point[0].normal[i] == -w.point[0].normal[i]);
            assert_true(m.point[0].on_a[i] == w.point[0].on_b[i] &&
                        m.point[0].on_b[i] == w.point[0].on_a[i]);
          }
        }
      }
}

// Both shapes moved together: the contact moves with them, and nothing else changes.
static void rigid_motion_moves_the_contact(void **state) {
  (void)state;
  unsigned long seed = 61;
  for (limpet_shape_kind ka = LIMPET_SHAPE_PLANE; ka < LIMPET_SHAPE_CLOUD; ++ka)
    for (limpet_shape_kind kb = LIMPET_SHAPE_SPHERE; kb < LIMPET_SHAPE_CLOUD; ++kb)
      for (int k = 0; k < 60; ++k) {
        test_shape a, b;
        limpet_manifold m, w;
        double R[9], old[9], shift[3], x[3];
        random_shape(&a, ka, &seed, 0.15);
        random_shape(&b, kb, &seed, 0.15);
        limpet_shape_contact(&m, &a.shape, &b.shape, 0.01, true);
        test_random_rotation(&seed, R);
        for (int i = 0; i < 3; ++i) shift[i] = random_uniform(&seed, -10.0, 10.0);
        test_shape *both[2] = {&a, &b};
        for (int s = 0; s < 2; ++s) {
          limpet_mat3_copy(old, both[s]->rotation);
          limpet_mat3_mul(both[s]->rotation, R, old);
          limpet_mat3_mul_vec(x, R, both[s]->position);
          limpet_vec3_add(both[s]->position, x, shift);
        }
        limpet_shape_contact(&w, &a.shape, &b.shape, 0.01, true);
        assert_int_equal(m.count, w.count);
        if (m.count == 0) continue;
        assert_true(same_distance(&a, &b, &m, &w));
        limpet_mat3_mul_vec(x, R, m.point[0].normal);
        assert_true(limpet_vec3_distance(x, w.point[0].normal) <
                    place_tolerance(&a, &b, m.point[0].distance));
        limpet_mat3_mul_vec(x, R, m.point[0].on_b);
        limpet_vec3_add(x, x, shift);
        assert_true(limpet_vec3_distance(x, w.point[0].on_b) <
                    place_tolerance(&a, &b, m.point[0].distance));
      }
}

static void check_finite(const limpet_manifold *m) {
  for (int i = 0; i < m->count; ++i) {
    const limpet_contact_point *p = &m->point[i];
    assert_true(isfinite(p->distance) && fabs(limpet_vec3_norm(p->normal) - 1.0) < 1e-9);
    for (int c = 0; c < 3; ++c) assert_true(isfinite(p->on_a[c]) && isfinite(p->on_b[c]));
  }
}

// Same centres, same shapes, axes that coincide, are parallel or cross, shapes that just touch: a
// contact, and no NaN.
static void degenerate_input_gives_a_contact(void **state) {
  (void)state;
  const double sizes[3][3] = {{0.1, 0.1, 0.1}, {0.1, 0.2, 0.3}, {0.05, 0.5, 0.01}};
  const double turn[3][3] = {{0, 0, 0}, {LIMPET_PI / 2, 0, 0}, {0, LIMPET_PI / 4, 0}};
  const double shift[5][3] = {{0, 0, 0}, {0.1, 0, 0}, {0, 0, 0.1}, {1e-300, 0, 0}, {0.2, 0, 0}};
  for (limpet_shape_kind ka = LIMPET_SHAPE_PLANE; ka < LIMPET_SHAPE_CLOUD; ++ka)
    for (limpet_shape_kind kb = LIMPET_SHAPE_SPHERE; kb < LIMPET_SHAPE_CLOUD; ++kb)
      for (int k = 0; k < 3 * 3 * 3 * 5; ++k) {
        test_shape a, b;
        limpet_manifold m;
        test_shape_create(&a, ka, sizes[k % 3], ka == LIMPET_SHAPE_MESH ? hull : NULL);
        test_shape_create(&b, kb, sizes[k / 3 % 3], kb == LIMPET_SHAPE_MESH ? hull : NULL);
        test_shape_move(&b, turn[k / 9 % 3], shift[k / 27]);
        for (int single = 0; single < 2; ++single) {
          limpet_shape_contact(&m, &a.shape, &b.shape, 0.3, single == 1);
          assert_true(m.count > 0);
          check_finite(&m);
        }
      }
}

static void planes_never_touch_planes(void **state) {
  (void)state;
  test_shape a, b;
  limpet_manifold m;
  test_shape_create(&a, LIMPET_SHAPE_PLANE, NULL, NULL);
  test_shape_create(&b, LIMPET_SHAPE_PLANE, NULL, NULL);
  limpet_shape_contact(&m, &a.shape, &b.shape, 1.0, false);
  assert_int_equal(m.count, 0);
  for (int i = 0; i < LIMPET_SHAPE_COUNT; ++i)
    for (int j = 0; j < LIMPET_SHAPE_COUNT; ++j) {
      const limpet_shape_pair *pair = limpet_shape_pair_table[i][j];
      // surfaces of deformable bodies have a search of their own
      const bool soft = i == LIMPET_SHAPE_SOFT || j == LIMPET_SHAPE_SOFT;
      assert_int_equal(pair == NULL,
                       soft || (i == j && (i == LIMPET_SHAPE_PLANE || i == LIMPET_SHAPE_CLOUD)));
      if (pair != NULL)
        assert_true((int)pair->a == (i < j ? i : j) && (int)pair->b == (i < j ? j : i));
    }
}

/* No support point is beyond the radius, and one is there: the support point in its own direction
 * is never nearer than the point before it. Hulls have several far corners, hence several starts;
 * ellipsoids that are nearly round approach it slowly. */
static void radius_is_tight(void **state) {
  (void)state;
  unsigned long seed = 71;
  for (limpet_shape_kind kind = LIMPET_SHAPE_SPHERE; kind < LIMPET_SHAPE_CLOUD; ++kind)
    for (int k = 0; k < POSES / 10; ++k) {
      test_shape s;
      double farthest = 0.0;
      random_shape(&s, kind, &seed, 1.0);
      const double radius = limpet_shape_radius(kind, s.size, s.shape.hull);
      for (int start = 0; start < 200; ++start) {
        double x[3], n[3];
        random_direction(&seed, n);
        for (int i = 0; i < 10; ++i) {
          limpet_shape_support(x, &s.shape, n);
          limpet_vec3_sub(n, x, s.position);
        }
        farthest = fmax(farthest, limpet_vec3_norm(n));
      }
      if (!(farthest <= radius + 1e-14 && farthest >= 0.99 * radius))
        fail_msg("kind %d: farthest %.17g, radius %.17g", (int)kind, farthest, radius);
    }
  assert_string_equal(limpet_shape_kind_word(LIMPET_SHAPE_PLANE), "plane");
  assert_string_equal(limpet_shape_kind_word(LIMPET_SHAPE_MESH), "mesh");
}

/* Hulls of qhull, small ones scanned and large ones climbed: the support vertex is the highest of
 * all, and the distance of two is optimal. */
static void large_hulls_have_the_right_support(void **state) {
  (void)state;
  unsigned long seed = 81;
  const int counts[4] = {30, 90, 150, 1000};
  const double none[3] = {0.0, 0.0, 0.0};
  for (int c = 0; c < 4; ++c) {
    double points[3000];
    for (int i = 0; i < counts[c]; ++i) {
      random_direction(&seed, points + 3 * i);
      points[3 * i] *= 0.3, points[3 * i + 1] *= 0.2, points[3 * i + 2] *= 0.1;
    }
    limpet_hull *large = limpet_hull_create(points, counts[c], -1, NULL);
    assert_non_null(large);
    for (int k = 0; k < POSES; ++k) {
      test_shape a, b;
      double n[3], x[3], on_a[3], on_b[3], highest = -INFINITY;
      test_shape_create(&a, LIMPET_SHAPE_MESH, none, large);
      test_shape_create(&b, LIMPET_SHAPE_MESH, none, large);
      random_direction(&seed, n);
      limpet_shape_support(x, &a.shape, n);
      for (int i = 0; i < counts[c]; ++i)
        highest = fmax(highest, limpet_vec3_dot(n, points + 3 * i));
      assert_true(fabs(limpet_vec3_dot(n, x) - highest) < 1e-15);
      test_random_rotation(&seed, b.rotation);
      limpet_vec3_scale(b.position, random_uniform(&seed, 0.2, 0.5), n);
      const double distance = limpet_convex_distance(&a.shape, &b.shape, on_a, on_b, n);
      check_optimal(&a, &b, distance, n, 1e-9, &seed);
    }
    free(large);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(deepest_points_are_optimal),
      cmocka_unit_test(planes_agree_with_the_support_function),
      cmocka_unit_test(exchanging_the_shapes_flips_the_contact),
      cmocka_unit_test(rigid_motion_moves_the_contact),
      cmocka_unit_test(degenerate_input_gives_a_contact),
      cmocka_unit_test(planes_never_touch_planes),
      cmocka_unit_test(radius_is_tight),
      cmocka_unit_test(large_hulls_have_the_right_support),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
