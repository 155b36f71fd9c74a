/* tests/geometry/test_manifold.c: number, place and names of contact points, and that noise does
 * not change them.
 *
 * Noise of 1e-9 (metre in position, radian in orientation) turns a face by 1e-9, a line on a round
 * side of 0.1 m and the crossing of two edges that meet at 0.1 rad by some 1e-8, so the manifold
 * may turn and move by 1e-7, but count and features of a face contact stay. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "geometry/face.h"
#include "geometry/pair.h"
#include "geometry/shape.h"
#include "hull_shapes.h"
#include "math/vec3.h"
#include "shared_data.h"

enum { NOISE_ROUNDS = 200 };

static void add_noise(test_shape *s, unsigned long *seed) {
  double turn[3], shift[3];
  for (int i = 0; i < 3; ++i)
    turn[i] = random_uniform(seed, -1e-9, 1e-9), shift[i] = random_uniform(seed, -1e-9, 1e-9);
  test_shape_move(s, turn, shift);
}

// Same count and features for noisy poses, points near the old ones; in both orders of the two
// shapes.
static void check_steady(const test_shape *a, const test_shape *b, double margin, int count) {
  unsigned long seed = 3;
  for (int order = 0; order < 2; ++order) {
    const test_shape *first = order == 0 ? a : b, *second = order == 0 ? b : a;
    limpet_manifold clean;
    limpet_shape_contact(&clean, &first->shape, &second->shape, margin, false);
    assert_true(test_manifold_is_sound(&clean, margin));
    if (clean.count != count)
      print_message("%d points instead of %d, order %d\n", clean.count, count, order);
    assert_int_equal(clean.count, count);
    for (int round = 0; round < NOISE_ROUNDS; ++round) {
      test_shape p = *first, q = *second;
      limpet_manifold noisy;
      test_shape_bind(&p);
      test_shape_bind(&q);
      add_noise(&p, &seed);
      add_noise(&q, &seed);
      limpet_shape_contact(&noisy, &p.shape, &q.shape, margin, false);
      assert_true(test_manifold_is_sound(&noisy, margin));
      assert_int_equal(noisy.count, count);
      for (int i = 0; i < count; ++i) {
        assert_int_equal(noisy.point[i].feature, clean.point[i].feature);
        assert_true(limpet_vec3_distance(noisy.point[i].on_a, clean.point[i].on_a) < 1e-7);
        assert_true(limpet_vec3_distance(noisy.point[i].normal, clean.point[i].normal) < 1e-7);
      }
    }
  }
}

// The same stack, its lower shape on a plane or a box, at some poses of the whole; depth 1e-5 and,
// within a margin, a gap of 5e-4.
static void check_stack(const test_shape *lower, const test_shape *upper, int count) {
  unsigned long seed = 5;
  for (int k = 0; k < 6; ++k) {
    test_shape a = *lower, b = *upper;
    double R[9], old[9], p[3], lift[3] = {0.0, 0.0, k % 2 == 0 ? -1e-5 : 5e-4};
    test_shape_bind(&a);
    test_shape_bind(&b);
    limpet_vec3_add(b.position, b.position, lift);
    if (k < 2) limpet_mat3_identity(R);
    else test_random_rotation(&seed, R);
    test_shape *both[2] = {&a, &b};
    for (int s = 0; s < 2; ++s) {
      limpet_mat3_copy(old, both[s]->rotation);
      limpet_mat3_mul(both[s]->rotation, R, old);
      limpet_mat3_mul_vec(p, R, both[s]->position);
      limpet_vec3_copy(both[s]->position, p);
    }
    check_steady(&a, &b, 1e-3, count);
  }
}

static test_shape shape_at(limpet_shape_kind kind, const double size[3], const limpet_hull *hull,
                           double x, double y, double z, double spin) {
  test_shape s;
  const double turn[3] = {0.0, 0.0, spin}, shift[3] = {x, y, z};
  test_shape_create(&s, kind, size, hull);
  test_shape_move(&s, turn, shift);
  return s;
}

#define STACK(lower, upper, count)                  \
  do {                                              \
    const test_shape low_ = (lower), up_ = (upper); \
    check_stack(&low_, &up_, (count));              \
  } while (0)

static const double cube[3] = {0.1, 0.1, 0.1}, brick[3] = {0.2, 0.1, 0.05},
                    small[3] = {0.03, 0.05, 0.02}, wide[3] = {0.5, 0.5, 0.1};
static const double round_size[3] = {0.08, 0.1, 0.0};

static void plane_contacts_are_steady(void **state) {
  (void)state;
  limpet_hull *box = test_hull_box(brick), *prism = test_hull_prism(7, 0.1, 0.06),
              *many = test_hull_prism(16, 0.1, 0.06);
  const test_shape plane = shape_at(LIMPET_SHAPE_PLANE, NULL, NULL, 0, 0, 0, 0);
  STACK(plane, shape_at(LIMPET_SHAPE_BOX, brick, NULL, 0.3, 0.2, 0.05, 0.0), 4);
  STACK(plane, shape_at(LIMPET_SHAPE_BOX, brick, NULL, 0.3, 0.2, 0.05, 0.6), 4);
  STACK(plane, shape_at(LIMPET_SHAPE_MESH, NULL, box, 0.3, 0.2, 0.05, 0.6), 4);
  STACK(plane, shape_at(LIMPET_SHAPE_MESH, NULL, prism, 0.3, 0.2, 0.06, 0.6), 7);
  STACK(plane, shape_at(LIMPET_SHAPE_MESH, NULL, many, 0.3, 0.2, 0.06, 0.6), 8);
  STACK(plane, shape_at(LIMPET_SHAPE_CYLINDER, round_size, NULL, 0.3, 0.2, 0.1, 0.6), 4);
  STACK(plane, shape_at(LIMPET_SHAPE_SPHERE, round_size, NULL, 0.3, 0.2, 0.08, 0.0), 1);
  free(box), free(prism), free(many);

  // lying: two points of the side
  const double quarter[3] = {LIMPET_PI / 2, 0.0, 0.0}, none[3] = {0.0, 0.0, 0.0};
  test_shape lying = shape_at(LIMPET_SHAPE_CYLINDER, round_size, NULL, 0.1, 0.1, 0.08, 0.3);
  test_shape_move(&lying, quarter, none);
  STACK(plane, lying, 2);
  test_shape capsule = shape_at(LIMPET_SHAPE_CAPSULE, round_size, NULL, 0.1, 0.1, 0.08, 0.3);
  test_shape_move(&capsule, quarter, none);
  STACK(plane, capsule, 2);
}

static void stacked_boxes_are_steady(void **state) {
  (void)state;
  // equal and aligned, offset by half a length, one inside the other, turned about the normal
  STACK(shape_at(LIMPET_SHAPE_BOX, cube, NULL, 0, 0, -0.1, 0),
        shape_at(LIMPET_SHAPE_BOX, cube, NULL, 0, 0, 0.1, 0), 4);
  STACK(shape_at(LIMPET_SHAPE_BOX, cube, NULL, 0, 0, -0.1, 0),
        shape_at(LIMPET_SHAPE_BOX, cube, NULL, 0.1, 0, 0.1, 0), 4);
  STACK(shape_at(LIMPET_SHAPE_BOX, brick, NULL, 0, 0, -0.05, 0),
        shape_at(LIMPET_SHAPE_BOX, brick, NULL, 0.2, 0.1, 0.05, 0), 4);
  STACK(shape_at(LIMPET_SHAPE_BOX, wide, NULL, 0, 0, -0.1, 0),
        shape_at(LIMPET_SHAPE_BOX, cube, NULL, 0, 0, 0.1, 0), 4);
  STACK(shape_at(LIMPET_SHAPE_BOX, small, NULL, 0, 0, -0.02, 0),
        shape_at(LIMPET_SHAPE_BOX, cube, NULL, 0, 0, 0.1, 0), 4);
  STACK(shape_at(LIMPET_SHAPE_BOX, cube, NULL, 0, 0, -0.1, 0),
        shape_at(LIMPET_SHAPE_BOX, cube, NULL, 0, 0, 0.1, LIMPET_PI / 2), 4);
  STACK(shape_at(LIMPET_SHAPE_BOX, cube, NULL, 0, 0, -0.1, 0),
        shape_at(LIMPET_SHAPE_BOX, cube, NULL, 0, 0, 0.1, LIMPET_PI / 4), 8);
  STACK(shape_at(LIMPET_SHAPE_BOX, cube, NULL, 0, 0, -0.1, 0),
        shape_at(LIMPET_SHAPE_BOX, cube, NULL, 0, 0, 0.1, 0.1), 8);
  STACK(shape_at(LIMPET_SHAPE_BOX, wide, NULL, 0, 0, -0.1, 0),
        shape_at(LIMPET_SHAPE_BOX, brick, NULL, 0.1, 0.2, 0.05, 0.7), 4);
}

static void hulls_and_cylinders_are_steady(void **state) {
  (void)state;
  limpet_hull *box = test_hull_box(cube), *prism = test_hull_prism(6, 0.1, 0.06),
              *many = test_hull_prism(16, 0.1, 0.06);
  STACK(shape_at(LIMPET_SHAPE_MESH, NULL, box, 0, 0, -0.1, 0),
        shape_at(LIMPET_SHAPE_MESH, NULL, box, 0, 0, 0.1, 0), 4);
  STACK(shape_at(LIMPET_SHAPE_MESH, NULL, box, 0, 0, -0.1, 0),
        shape_at(LIMPET_SHAPE_MESH, NULL, box, 0.05, 0.1, 0.1, 0), 4);
  STACK(shape_at(LIMPET_SHAPE_MESH, NULL, box, 0, 0, -0.1, 0),
        shape_at(LIMPET_SHAPE_MESH, NULL, box, 0, 0, 0.1, LIMPET_PI / 4), 8);
  STACK(shape_at(LIMPET_SHAPE_MESH, NULL, prism, 0, 0, -0.06, 0),
        shape_at(LIMPET_SHAPE_MESH, NULL, prism, 0, 0, 0.06, 0), 6);
  STACK(shape_at(LIMPET_SHAPE_MESH, NULL, many, 0, 0, -0.06, 0),
        shape_at(LIMPET_SHAPE_MESH, NULL, many, 0, 0, 0.06, 0), 8);
  STACK(shape_at(LIMPET_SHAPE_MESH, NULL, many, 0, 0, -0.06, 0),
        shape_at(LIMPET_SHAPE_MESH, NULL, many, 0, 0, 0.06, 0.07), 8);
  STACK(shape_at(LIMPET_SHAPE_BOX, wide, NULL, 0, 0, -0.1, 0),
        shape_at(LIMPET_SHAPE_MESH, NULL, prism, 0.1, 0, 0.06, 0.2), 6);
  STACK(shape_at(LIMPET_SHAPE_BOX, wide, NULL, 0, 0, -0.1, 0),
        shape_at(LIMPET_SHAPE_CYLINDER, round_size, NULL, 0.1, 0, 0.1, 0.2), 8);
  STACK(shape_at(LIMPET_SHAPE_CYLINDER, round_size, NULL, 0, 0, -0.1, 0),
        shape_at(LIMPET_SHAPE_CYLINDER, round_size, NULL, 0, 0, 0.1, 0), 8);
  STACK(shape_at(LIMPET_SHAPE_CYLINDER, round_size, NULL, 0, 0, -0.1, 0),
        shape_at(LIMPET_SHAPE_BOX, small, NULL, 0, 0, 0.02, 0.3), 4);
  free(box), free(prism), free(many);

  // lying on a box: two points
  const double quarter[3] = {LIMPET_PI / 2, 0.0, 0.0}, none[3] = {0.0, 0.0, 0.0};
  const limpet_shape_kind kind[2] = {LIMPET_SHAPE_CYLINDER, LIMPET_SHAPE_CAPSULE};
  for (int k = 0; k < 2; ++k) {
    test_shape lying = shape_at(kind[k], round_size, NULL, 0.1, 0.1, 0.08, 0.3);
    test_shape_move(&lying, quarter, none);
    STACK(shape_at(LIMPET_SHAPE_BOX, wide, NULL, 0, 0, -0.1, 0), lying, 2);
    test_shape under = shape_at(kind[k], round_size, NULL, 0.1, 0.12, -0.08, 0.3);
    test_shape_move(&under, quarter, none);
    STACK(under, lying, 2);
    STACK(under, shape_at(LIMPET_SHAPE_BOX, cube, NULL, 0.1, 0.1, 0.1, 0.1), 2);
  }
}

// A box on its corner or edge, tilted faces: the points are where geometry says.
static void points_of_a_box_on_a_plane(void **state) {
  (void)state;
  test_shape plane = shape_at(LIMPET_SHAPE_PLANE, NULL, NULL, 0, 0, 0, 0);
  test_shape_bind(&plane);
  test_shape box = shape_at(LIMPET_SHAPE_BOX, cube, NULL, 0, 0, 0.1 * sqrt(2.0) - 1e-3, 0);
  test_shape_bind(&box);
  const double turn[3] = {LIMPET_PI / 4, 0, 0}, none[3] = {0, 0, 0};
  test_shape_move(&box, turn, none);
  limpet_manifold m;
  limpet_shape_contact(&m, &plane.shape, &box.shape, 0.0, false);
  assert_int_equal(m.count, 2);
  for (int i = 0; i < 2; ++i) {
    assert_true(fabs(m.point[i].distance + 1e-3) < 1e-15);
    assert_true(fabs(fabs(m.point[i].on_b[0]) - 0.1) < 1e-15 && fabs(m.point[i].on_b[1]) < 1e-15);
  }
}

// Boxes whose edges cross touch in one point, in the middle of both edges here.
static void crossing_edges_give_one_point(void **state) {
  (void)state;
  test_shape a, b;
  const double edge_up[3] = {LIMPET_PI / 4, 0, 0}, across[3] = {0, LIMPET_PI / 4, 0},
               none[3] = {0, 0, 0};
  const double lift[3] = {0, 0, 0.2 * sqrt(2.0) - 1e-3};
  test_shape_create(&a, LIMPET_SHAPE_BOX, cube, NULL);
  test_shape_create(&b, LIMPET_SHAPE_BOX, cube, NULL);
  test_shape_move(&a, edge_up, none);
  test_shape_move(&b, across, lift);
  limpet_manifold m;
  limpet_shape_contact(&m, &a.shape, &b.shape, 0.0, false);
  const double on_a[3] = {0, 0, 0.1 * sqrt(2.0)}, up[3] = {0, 0, 1};
  assert_int_equal(m.count, 1);
  assert_true(fabs(m.point[0].distance + 1e-3) < 1e-14);
  assert_true(limpet_vec3_distance(m.point[0].on_a, on_a) < 1e-14);
  assert_true(limpet_vec3_distance(m.point[0].normal, up) < 1e-14);
}

/* An edge that lies across a face and is tilted a little meets the face's border at both ends of
 * their common stretch. Which end is deeper changes with a rocking body, so both are points, whose
 * distances are the heights of the edge there: 1e-6 of the stretch and the square of the tilt. */
static void an_edge_across_a_face_gives_both_ends(void **state) {
  (void)state;
  unsigned long seed = 11;
  const double bar[3] = {0.15, 0.1, 0.1}, none[3] = {0, 0, 0}, margin = 2e-3;
  const double edge_down[3] = {LIMPET_PI / 4, 0, 0};
  for (int round = 0; round < 400; ++round) {
    const double tilt = (round % 2 ? 1.0 : -1.0) * exp(random_uniform(&seed, log(1e-7), log(5e-3)));
    const double height = random_uniform(&seed, -1e-4, 1e-4);
    const double tilted[3] = {0, tilt, 0}, turned[3] = {0, 0, random_uniform(&seed, -0.4, 0.4)},
                 lift[3] = {0, 0, 0.1 + 0.1 * sqrt(2.0) + height};
    test_shape a, b;
    test_shape_create(&a, LIMPET_SHAPE_BOX, cube, NULL);
    test_shape_create(&b, LIMPET_SHAPE_BOX, bar, NULL);
    test_shape_move(&b, edge_down, none);
    test_shape_move(&b, tilted, none);
    test_shape_move(&b, turned, lift);
    limpet_manifold m;
    limpet_shape_contact(&m, &a.shape, &b.shape, margin, false);
    assert_int_equal(m.count, 2);
    assert_true(limpet_vec3_distance(m.point[0].on_a, m.point[1].on_a) > 0.2 - 1e-3);
    for (int i = 0; i < 2; ++i) {
      const double *p = m.point[i].on_b;
      const double along = p[0] * cos(turned[2]) + p[1] * sin(turned[2]);
      assert_true(fabs(m.point[i].distance - (height - along * tilt)) < 1e-7 + tilt * tilt);
    }
  }
}

// Corners and edges that pass each other diagonally within the margin: the true distance, not that
// of a separating axis.
static void boxes_apart_have_their_true_distance(void **state) {
  (void)state;
  const double corner[3] = {0.2 + 3e-4, 0.2 + 4e-4, 0.2 + 1.2e-3},
               edge[3] = {0.2 + 3e-4, 0.05, 0.2 + 4e-4};
  const double *const shift[2] = {corner, edge}, expected[2] = {1.3e-3, 5e-4}, none[3] = {0, 0, 0};
  for (int k = 0; k < 2; ++k) {
    test_shape a, b;
    limpet_manifold m;
    test_shape_create(&a, LIMPET_SHAPE_BOX, cube, NULL);
    test_shape_create(&b, LIMPET_SHAPE_BOX, cube, NULL);
    test_shape_move(&b, none, shift[k]);
    limpet_shape_contact(&m, &a.shape, &b.shape, 2e-3, false);
    assert_true(m.count >= 1);
    double least = INFINITY;
    for (int i = 0; i < m.count; ++i) least = fmin(least, m.point[i].distance);
    assert_true(fabs(least - expected[k]) < 1e-12);
    limpet_shape_contact(&m, &a.shape, &b.shape, 0.99 * expected[k], false);
    assert_int_equal(m.count, 0);
  }
}

static void cylinder_tilt_moves_its_deepest_point(void **state) {
  (void)state;
  // tilted by 1 degree in any direction: the deepest point is the exact rim point, and four points
  // stay
  for (int k = 0; k < 12; ++k) {
    test_shape plane, cylinder;
    const double angle = 0.1 + k * LIMPET_PI / 6, tilt = LIMPET_PI / 180, zero[3] = {0, 0, 0};
    const double turn[3] = {tilt * cos(angle), tilt * sin(angle), 0}, lift[3] = {0, 0, 0.1};
    test_shape_create(&plane, LIMPET_SHAPE_PLANE, zero, NULL);
    test_shape_create(&cylinder, LIMPET_SHAPE_CYLINDER, round_size, NULL);
    test_shape_move(&cylinder, turn, lift);
    limpet_manifold m;
    limpet_shape_contact(&m, &plane.shape, &cylinder.shape, 1e-2, false);
    assert_int_equal(m.count, 4);
    double least = INFINITY;
    for (int i = 0; i < 4; ++i) least = fmin(least, m.point[i].distance);
    assert_true(fabs(least - (0.1 - 0.1 * cos(tilt) - 0.08 * sin(tilt))) < 1e-15);
  }
}

/* Any number of points: beyond the room of the struct they lie in the arena, in their order and
 * with their features; without one the manifold says that points are missing. */
static void a_manifold_grows(void **state) {
  (void)state;
  enum { POINTS = 5000 };
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, 64), 0);
  limpet_manifold m;
  limpet_manifold_create(&m, &arena);
  for (int i = 0; i < POINTS; ++i)
    *limpet_manifold_append(&m) =
        (limpet_contact_point){.distance = -i, .feature = (uint64_t)i << 33};
  assert_false(m.failed);
  assert_int_equal(m.count, POINTS);
  for (int i = 0; i < POINTS; ++i)
    assert_true(m.point[i].distance == -i && m.point[i].feature == (uint64_t)i << 33);
  limpet_arena_destroy(&arena);

  limpet_manifold_create(&m, NULL);
  for (int i = 0; i < LIMPET_MANIFOLD_ROOM; ++i) limpet_manifold_append(&m);
  assert_false(m.failed);
  limpet_manifold_append(&m)->distance = 1.0;
  assert_true(m.failed && m.count == LIMPET_MANIFOLD_ROOM);
}

/* Of twelve points on a circle of 1 m, in any order, the deepest stays and three more are taken as
 * far from those before as can be: the corners of a square, sqrt(2) m apart. */
static void what_is_kept_spreads(void **state) {
  (void)state;
  enum { POINTS = 12, KEPT = 4 };
  unsigned long seed = 11;
  for (int round = 0; round < 50; ++round) {
    static limpet_candidates c;
    const int deepest = (int)random_uniform(&seed, 0.0, POINTS - 1e-9),
              turn = (int)random_uniform(&seed, 0.0, POINTS - 1e-9);
    int index[POINTS];
    c.count = POINTS;
    for (int i = 0; i < POINTS; ++i) {
      const double angle = 2.0 * LIMPET_PI * (5 * i + turn) / POINTS;  // 5 and 12 share no factor
      limpet_vec3_set(c.on_a[i], cos(angle), sin(angle), 0.0);
      c.distance[i] = i == deepest ? -1e-3 : -1e-4, index[i] = i;
    }
    limpet_manifold_thin(index, POINTS, &c, 0, KEPT);
    bool kept = false;
    for (int i = 0; i < KEPT; ++i) {
      kept = kept || index[i] == deepest;
      for (int k = 0; k < i; ++k)
        assert_true(limpet_vec3_distance(c.on_a[index[i]], c.on_a[index[k]]) > sqrt(2.0) - 1e-9);
    }
    assert_true(kept);
  }
}

enum { KINDS = 4 };

// The upper shape at the edge x of the lower one: beyond it by `over`, `deep` in its face  [m].
static void lay_over_edge(test_shape *upper, const test_shape *lower, double over, double deep) {
  static const double x[3] = {1, 0, 0}, minus_x[3] = {-1, 0, 0}, z[3] = {0, 0, 1},
                      down[3] = {0, 0, -1}, none[3] = {0, 0, 0};
  double end[3], edge[3], low[3], top[3];
  limpet_shape_support(end, &upper->shape, minus_x);
  limpet_shape_support(edge, &lower->shape, x);
  limpet_shape_support(low, &upper->shape, down);
  limpet_shape_support(top, &lower->shape, z);
  const double shift[3] = {edge[0] - end[0] - over, 0.0, top[2] - low[2] - deep};
  test_shape_move(upper, none, shift);
}

// Of the rounds, how many have two points at one place.
static int points_beside(const test_shape shapes[KINDS], int k, int l, int rounds) {
  unsigned long seed = (unsigned long)(10 * k + l);
  int beside = 0, touching = 0;
  for (int round = 0; round < rounds; ++round) {
    test_shape lower = shapes[l], upper = shapes[k];
    test_shape_bind(&lower);
    test_shape_bind(&upper);
    const double slope = pow(10.0, random_uniform(&seed, -9.0, -0.9)), none[3] = {0.0, 0.0, 0.0};
    const double lying[3] = {0.0, k == 0 ? LIMPET_PI / 2 : 0.0, 0.0},
                 spin[3] = {0.0, 0.0,
                            round % 2 ? random_uniform(&seed, -LIMPET_PI, LIMPET_PI) : 0.0},
                 tilt[3] = {random_uniform(&seed, -slope, slope),
                            random_uniform(&seed, -slope, slope), 0.0};
    test_shape_move(&upper, lying, none);
    test_shape_move(&upper, spin, none);
    test_shape_move(&upper, tilt, none);
    const double way = pow(10.0, random_uniform(&seed, -11.0, -2.0)),
                 deep = pow(10.0, random_uniform(&seed, -9.0, -4.0)),
                 core = k == 0 ? upper.shape.size[0] : 0.0;  // the end of a capsule's axis
    lay_over_edge(&upper, &lower, core + (random_uniform(&seed, -1.0, 1.0) > 0.0 ? way : -way),
                  deep);

    limpet_manifold manifold;
    limpet_shape_contact(&manifold, &lower.shape, &upper.shape, 1e-3, false);
    touching += manifold.count > 0;
    bool close = false;
    for (int i = 0; i < manifold.count; ++i)
      for (int j = 0; j < i; ++j)
        close =
            close || limpet_vec3_distance(manifold.point[i].on_a, manifold.point[j].on_a) < 1e-7;
    beside += close;
  }
  assert_true(4 * touching > rounds);
  return beside;
}

/* Points of a manifold lie apart: two at one place push twice as hard as one, and bodies rock where
 * noise decides. The upper shape ends a little within or beyond an edge of the lower one, 1e-11 to
 * 0.01 m, tilted by 1e-9 to 0.1 rad, 1e-9 to 1e-4 m deep; places are apart by 2e-6 of the size. */
static void points_lie_apart(void **state) {
  (void)state;
  limpet_hull *prism = test_hull_prism(7, 0.05, 0.03);
  const test_shape shapes[KINDS] = {
      shape_at(LIMPET_SHAPE_CAPSULE, (const double[3]){0.03, 0.04, 0.0}, NULL, 0, 0, 0, 0),
      shape_at(LIMPET_SHAPE_BOX, (const double[3]){0.05, 0.04, 0.03}, NULL, 0, 0, 0, 0),
      shape_at(LIMPET_SHAPE_CYLINDER, (const double[3]){0.05, 0.03, 0.0}, NULL, 0, 0, 0, 0),
      shape_at(LIMPET_SHAPE_MESH, NULL, prism, 0, 0, 0, 0)};
  for (int k = 0; k < KINDS; ++k)
    for (int l = 1; l < KINDS; ++l) assert_int_equal(points_beside(shapes, k, l, 2000), 0);
  free(prism);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_manifold_grows),
      cmocka_unit_test(what_is_kept_spreads),
      cmocka_unit_test(points_lie_apart),
      cmocka_unit_test(plane_contacts_are_steady),
      cmocka_unit_test(stacked_boxes_are_steady),
      cmocka_unit_test(hulls_and_cylinders_are_steady),
      cmocka_unit_test(points_of_a_box_on_a_plane),
      cmocka_unit_test(crossing_edges_give_one_point),
      cmocka_unit_test(an_edge_across_a_face_gives_both_ends),
      cmocka_unit_test(boxes_apart_have_their_true_distance),
      cmocka_unit_test(cylinder_tilt_moves_its_deepest_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
