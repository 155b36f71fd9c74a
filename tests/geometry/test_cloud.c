/* tests/geometry/test_cloud.c: nearest points of clouds, and their contact with other shapes.
 *
 * The nearest points are compared with a sort of all distances: the tree may only save time.
 * Contact is compared with the pairs of surfaces where both are the same thing: a ball around one
 * point is a sphere. Sizes are 0.1 to 0.5 m, round-off 1e-15 m. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "closed_meshes.h"
#include "effort.h"
#include "geometry/cloud_tree.h"
#include "geometry/pair.h"
#include "geometry/ray.h"
#include "hull_shapes.h"
#include "math/vec3.h"
#include "shared_data.h"

enum { MOST = 20000 };

static double points[3 * MOST], distances[MOST];
static int order[MOST];
static limpet_hull *hull;

static int setup(void **state) {
  (void)state;
  unsigned long seed = 4;
  const double half[3] = {0.2, 0.15, 0.3};
  hull = test_hull_random(&seed, 16, half);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  free(hull);
  return 0;
}

static limpet_cloud *cloud_of(const double *x, int count, double radius) {
  limpet_error error = {0};
  limpet_cloud *cloud = limpet_cloud_create(x, count, NULL, radius, &error);
  if (!cloud) fail_msg("%s", error.message);
  return cloud;
}

// kind 0: anywhere; 1: on a grid, so that many are as near; 2: all in few places
static void points_fill(unsigned long *seed, int count, int kind) {
  for (int i = 0; i < 3 * count; ++i) {
    points[i] = random_uniform(seed, -0.4, 0.4);
    if (kind == 1) points[i] = floor(points[i] * 20.0) / 20.0;
    if (kind == 2) points[i] = points[i] > 0.0 ? 0.25 : -0.25;
  }
}

static int by_distance(const void *a, const void *b) {
  const int i = *(const int *)a, j = *(const int *)b;
  if (distances[i] != distances[j]) return distances[i] < distances[j] ? -1 : 1;
  return (i > j) - (i < j);
}

static void random_pose(test_shape *s, unsigned long *seed, double reach) {
  test_random_rotation(seed, s->rotation);
  for (int i = 0; i < 3; ++i) s->position[i] = random_uniform(seed, -reach, reach);
}

/* The distances are those of the cloud's own way of asking, of all points; that they are right is
 * another test's matter. */
static void nearest_are_right(const limpet_cloud *cloud, const test_shape *at,
                              const limpet_shape *shape, int wanted, double reach) {
  static limpet_cloud_hit hit[MOST];
  int point[2][LIMPET_CLOUD_NEAREST], found[2];
  double distance[2][LIMPET_CLOUD_NEAREST];
  for (int k = 0; k < 2; ++k) {
    const limpet_cloud_request request = {.count = wanted, .reach = reach, .all = k == 1};
    found[k] = limpet_cloud_nearest(cloud, at->position, at->rotation, shape, &request, point[k],
                                    distance[k]);
  }
  assert_int_equal(found[0], found[1]);
  assert_memory_equal(point[0], point[1], (size_t)found[0] * sizeof(int));
  assert_memory_equal(distance[0], distance[1], (size_t)found[0] * sizeof(double));

  const limpet_distance_view view = limpet_distance_view_create(shape, at->position, at->rotation);
  const limpet_cloud_query all = {
      .capacity = cloud->point_count, .wanted = cloud->point_count, .reach = INFINITY};
  const int count = limpet_cloud_search(hit, cloud->tree, &view, &all, true);
  assert_int_equal(count, cloud->point_count);
  for (int i = 0; i < count; ++i) {
    const int p = cloud->tree->point[hit[i].place];
    distances[p] = hit[i].distance - cloud->point_radius;
    order[i] = i;
  }
  qsort(order, (size_t)count, sizeof *order, by_distance);
  int expected = 0;
  while (expected < wanted && expected < count && distances[order[expected]] <= reach) ++expected;
  assert_int_equal(found[0], expected);
  for (int i = 0; i < expected; ++i) {
    assert_int_equal(point[0][i], order[i]);
    double x[3], phi;
    limpet_mat3_mul_vec(x, at->rotation, cloud->points + 3 * order[i]);
    limpet_vec3_add(x, x, at->position);
    limpet_signed_distance(shape, x, 1, &phi, NULL);
    assert_true(fabs(phi - cloud->point_radius - distance[0][i]) < 1e-13);
  }
}

/* With room for more than is wanted, the hits as near as the last one that is wanted are those of a
 * search for all the room; with bins of distances these are many. */
static void wanted_hits_are_those_of_a_wider_search(const limpet_cloud *cloud, const test_shape *at,
                                                    const limpet_shape *shape, double quantum) {
  enum { ROOM = 64 };
  limpet_cloud_hit hit[2][ROOM];
  const limpet_distance_view view = limpet_distance_view_create(shape, at->position, at->rotation);
  limpet_cloud_query query = {.capacity = 1, .wanted = 1, .reach = INFINITY};
  assert_int_equal(limpet_cloud_search(hit[0], cloud->tree, &view, &query, false), 1);
  query.origin = hit[0][0].distance, query.quantum = quantum, query.capacity = query.wanted = ROOM;
  const int all = limpet_cloud_search(hit[0], cloud->tree, &view, &query, false);
  for (int wanted = 1; wanted <= all; wanted += 4) {
    query.wanted = wanted;
    const int found = limpet_cloud_search(hit[1], cloud->tree, &view, &query, false);
    int near = wanted;
    while (near < all && hit[0][near].rank == hit[0][wanted - 1].rank) ++near;
    assert_true(found >= near);
    for (int i = 0; i < near; ++i) {
      assert_int_equal(hit[1][i].place, hit[0][i].place);
      assert_true(hit[1][i].distance == hit[0][i].distance);
    }
  }
}

static void more_room_than_wanted_changes_nothing(void **state) {
  (void)state;
  unsigned long seed = 12;
  for (int count = 30; count <= 1000; count += 97)
    for (int kind = 0; kind < 3; ++kind) {
      points_fill(&seed, count, kind);
      limpet_cloud *cloud = cloud_of(points, count, 0.0);
      for (limpet_shape_kind shape = LIMPET_SHAPE_PLANE; shape < LIMPET_SHAPE_CLOUD; ++shape) {
        const double size[3] = {0.2, 0.1, 0.3};
        test_shape s, at;
        test_shape_create(&s, shape, size, hull), test_shape_create(&at, shape, size, NULL);
        if (!kind) random_pose(&at, &seed, 0.3);
        for (int k = 0; k < 3; ++k)
          wanted_hits_are_those_of_a_wider_search(cloud, &at, &s.shape, 1e-3 * k * k);
      }
      limpet_cloud_destroy(cloud);
    }
}

static void nearest_points_are_those_of_a_sort(void **state) {
  (void)state;
  unsigned long seed = 11;
  const int counts[] = {1, 2, 31, 32, 33, 255, 256, 257, 992, 2500, MOST},
            wanted[] = {1, 5, 16, 64, LIMPET_CLOUD_NEAREST};
  for (int c = 0; c < test_effort(11, 10); ++c)
    for (int kind = 0; kind < 3; ++kind) {
      if (counts[c] == MOST && kind == 2) continue;
      points_fill(&seed, counts[c], kind);
      limpet_cloud *cloud = cloud_of(points, counts[c], kind == 0 ? 0.01 : 0.0);
      for (limpet_shape_kind shape = LIMPET_SHAPE_PLANE; shape < LIMPET_SHAPE_CLOUD; ++shape) {
        const double size[3] = {0.2, 0.1, 0.3};
        test_shape s, at;
        test_shape_create(&s, shape, size, hull), test_shape_create(&at, shape, size, NULL);
        random_pose(&s, &seed, 0.3), random_pose(&at, &seed, 0.3);
        if (kind)
          test_shape_create(&s, shape, size, hull),
              test_shape_create(&at, shape, size, NULL);  // aligned: ties
        nearest_are_right(cloud, &at, &s.shape, wanted[(c + (int)shape) % 5],
                          shape % 2 ? INFINITY : 0.05);
      }
      limpet_cloud_destroy(cloud);
    }
}

// Sampled distances are not Lipschitz 1 any more; the tree finds the same points nevertheless.
static void nearest_points_by_a_grid(void **state) {
  (void)state;
  unsigned long seed = 21;
  test_shape s, at;
  limpet_hull *small =
      test_hull_prism(5, 0.03, 0.02);  // in cells ten times as wide: slopes up to sqrt(3)
  test_shape_create(&s, LIMPET_SHAPE_MESH, NULL, small),
      test_shape_create(&at, LIMPET_SHAPE_MESH, NULL, NULL);
  limpet_distance_grid *grid = limpet_distance_grid_create(&s.shape, 0.25, 0.45, NULL);
  assert_non_null(grid);
  s.shape.grid = grid;
  points_fill(&seed, 8000, 0);
  limpet_cloud *cloud = cloud_of(points, 8000, 0.0);
  for (int i = 0; i < test_effort(60, 6); ++i) {
    random_pose(&s, &seed, 0.3), random_pose(&at, &seed, 0.3);
    nearest_are_right(cloud, &at, &s.shape, 20, INFINITY);
  }
  limpet_cloud_destroy(cloud);
  limpet_distance_grid_destroy(grid);
  free(small);
}

// The tree and not the sweep over all points answers: it opens few leaves.
static void the_tree_is_tight(void **state) {
  (void)state;
  unsigned long seed = 2;
  points_fill(&seed, MOST, 0);
  limpet_cloud *cloud = cloud_of(points, MOST, 0.0);
  const limpet_cloud_tree *tree = cloud->tree;
  for (int l = 0; l < tree->level_count; ++l) {
    int size = LIMPET_CLOUD_LEAF;
    for (int k = 0; k < l; ++k) size *= LIMPET_CLOUD_FAN;
    assert_int_equal(tree->level[l].count, (MOST + size - 1) / size);
    double sum = 0.0;
    for (int p = 0; p < MOST; ++p) {
      const int g = p / size;
      const double d[3] = {tree->x[p] - tree->level[l].x[g], tree->y[p] - tree->level[l].y[g],
                           tree->z[p] - tree->level[l].z[g]};
      assert_true(limpet_vec3_norm(d) <= tree->level[l].radius[g] * (1.0 + 1e-12));
    }
    for (int g = 0; g < tree->level[l].count; ++g) sum += tree->level[l].radius[g];
    // cells of a cube of 0.8 m with `size` points have a half diagonal of about 0.7 m (size /
    // MOST)^(1/3)
    assert_true(sum / tree->level[l].count < 1.6 * 0.7 * cbrt((double)size / MOST));
  }
  limpet_cloud_destroy(cloud);
}

// --------------------------------------------------------------------------------- contact

static void contact_of(limpet_manifold *manifold, const test_shape *s, const limpet_cloud *cloud,
                       const test_shape *at, double margin, bool swapped) {
  const limpet_shape b = {.kind = LIMPET_SHAPE_CLOUD,
                          .size = at->size,
                          .position = at->position,
                          .rotation = at->rotation,
                          .cloud = cloud};
  limpet_shape_contact(manifold, swapped ? &b : &s->shape, swapped ? &s->shape : &b, margin, false);
}

static void a_ball_around_one_point_is_a_sphere(void **state) {
  (void)state;
  unsigned long seed = 8;
  const double origin[3] = {0, 0, 0}, size[3] = {0.2, 0.1, 0.3}, radius[3] = {0.07, 0, 0};
  limpet_cloud *cloud = cloud_of(origin, 1, radius[0]);
  int touching = 0;
  for (limpet_shape_kind kind = LIMPET_SHAPE_PLANE; kind < LIMPET_SHAPE_CLOUD; ++kind)
    for (int k = 0; k < 200; ++k) {
      test_shape s, ball;
      limpet_manifold ours, theirs;
      test_shape_create(&s, kind, size, hull),
          test_shape_create(&ball, LIMPET_SHAPE_SPHERE, radius, NULL);
      random_pose(&s, &seed, 0.2), random_pose(&ball, &seed, 0.2);
      const double along[3] = {0.6, 0.0, 0.8};
      assert_true(
          fabs(limpet_cloud_ray(cloud, ball.position, ball.rotation, s.position, along, NULL) -
               limpet_shape_ray(&ball.shape, s.position, along)) < 1e-12);
      contact_of(&ours, &s, cloud, &ball, 0.05, k % 2);
      limpet_shape_contact(&theirs, k % 2 ? &ball.shape : &s.shape, k % 2 ? &s.shape : &ball.shape,
                           0.05, false);
      assert_int_equal(ours.count, theirs.count);
      if (ours.count == 0) continue;
      ++touching;
      // GJK of the mesh is exact to 1e-9 of its size, and knows no gradient deep inside
      const double tolerance = kind == LIMPET_SHAPE_MESH ? 1e-8 : 1e-12;
      assert_true(fabs(ours.point[0].distance - theirs.point[0].distance) < tolerance);
      if (kind == LIMPET_SHAPE_MESH && ours.point[0].distance < -radius[0]) continue;
      assert_true(limpet_vec3_distance(ours.point[0].on_a, theirs.point[0].on_a) <
                  10.0 * tolerance);
      assert_true(limpet_vec3_distance(ours.point[0].on_b, theirs.point[0].on_b) <
                  10.0 * tolerance);
      assert_true(limpet_vec3_distance(ours.point[0].normal, theirs.point[0].normal) <
                  1e3 * tolerance);
    }
  assert_true(touching > 300);
  assert_true(fabs(cloud->inertia[0] - 0.4 * 0.07 * 0.07) < 1e-15 && cloud->inertia[1] == 0.0 &&
              cloud->radius == 0.07);
  limpet_cloud_destroy(cloud);
}

// Points numbered differently give the same contact, bit for bit, whatever the numbers of the
// points.
static void numbering_does_not_matter(void **state) {
  (void)state;
  static double shuffled[3 * MOST];
  static int number[MOST];
  unsigned long seed = 15;
  const double size[3] = {0.2, 0.1, 0.3};
  for (int kind = 0; kind < 2; ++kind) {
    const int count = 2000;
    points_fill(&seed, count, 0);
    for (int i = 0; i < count && kind == 1; ++i)
      points[3 * i + 2] = floor(5.0 * points[3 * i + 2]) / 5.0;  // layers: ties
    for (int i = 0; i < count; ++i) number[i] = i;
    for (int i = count - 1; i > 0; --i) {
      const int j = (int)random_uniform(&seed, 0.0, i + 1.0), spare = number[i];
      number[i] = number[j], number[j] = spare;
    }
    for (int i = 0; i < count; ++i) limpet_vec3_copy(shuffled + 3 * i, points + 3 * number[i]);
    limpet_cloud *first = cloud_of(points, count, 0.0), *second = cloud_of(shuffled, count, 0.0);
    for (limpet_shape_kind shape = LIMPET_SHAPE_PLANE; shape < LIMPET_SHAPE_CLOUD; ++shape) {
      test_shape s, at;
      limpet_manifold a, b;
      test_shape_create(&s, shape, size, hull), test_shape_create(&at, shape, size, NULL);
      if (kind == 0) random_pose(&s, &seed, 0.3);
      contact_of(&a, &s, first, &at, 0.01, false), contact_of(&b, &s, second, &at, 0.01, false);
      assert_true(test_manifold_is_sound(&a, 0.01) && a.count == LIMPET_CLOUD_POINTS);
      assert_int_equal(a.count, b.count);
      for (int i = 0; i < a.count; ++i) {
        assert_memory_equal(a.point[i].on_a, b.point[i].on_a, 10 * sizeof(double));
        assert_int_equal(a.point[i].feature, number[b.point[i].feature]);
      }
    }
    limpet_cloud_destroy(first), limpet_cloud_destroy(second);
  }
}

// Of a hundred thousand points that lie flat on a plane, those are taken that carry: out to all
// four corners.
static void flat_faces_are_carried_at_their_corners(void **state) {
  (void)state;
  enum { SIDE = 140 };
  for (int i = 0; i < SIDE * SIDE; ++i)
    limpet_vec3_set(points + 3 * i, i % SIDE * (1.0 / (SIDE - 1)), i / SIDE * (1.0 / (SIDE - 1)),
                    1e-9 * (i * 7919 % 13));
  limpet_cloud *cloud = cloud_of(points, SIDE * SIDE, 0.0);
  test_shape plane, at;
  limpet_manifold manifold;
  test_shape_create(&plane, LIMPET_SHAPE_PLANE, NULL, NULL),
      test_shape_create(&at, LIMPET_SHAPE_CLOUD, NULL, NULL);
  contact_of(&manifold, &plane, cloud, &at, 0.01, false);
  assert_int_equal(manifold.count, LIMPET_CLOUD_POINTS);
  for (int corner = 0; corner < 4; ++corner) {
    const double x[3] = {corner & 1, corner >> 1, 0.0};
    double nearest = INFINITY;
    for (int i = 0; i < manifold.count; ++i)
      nearest = fmin(nearest, limpet_vec3_distance(manifold.point[i].on_b, x));
    assert_true(nearest < 0.3);
  }
  // as many as are set, from 1 on, and always the nearest ones
  for (int wanted = 1; wanted <= LIMPET_CLOUD_CONTACTS; wanted += 9) {
    cloud->contact_points = wanted;
    contact_of(&manifold, &plane, cloud, &at, 0.01, false);
    assert_int_equal(manifold.count, wanted);
  }
  limpet_cloud_destroy(cloud);
}

// Where no points are as near, those with the least distance are taken.
static void the_nearest_points_touch(void **state) {
  (void)state;
  unsigned long seed = 23;
  const double size[3] = {0.2, 0.1, 0.3};
  points_fill(&seed, 3000, 0);
  limpet_cloud *cloud = cloud_of(points, 3000, 0.0);
  for (limpet_shape_kind kind = LIMPET_SHAPE_PLANE; kind < LIMPET_SHAPE_CLOUD; ++kind) {
    test_shape s, at;
    limpet_manifold manifold;
    int point[LIMPET_CLOUD_POINTS];
    double distance[LIMPET_CLOUD_POINTS];
    test_shape_create(&s, kind, size, hull), test_shape_create(&at, kind, size, NULL);
    random_pose(&at, &seed, 0.3);
    at.position[2] = 0.75;  // some overlap of a few millimetres, or none
    const limpet_cloud_request request = {.count = LIMPET_CLOUD_POINTS, .reach = 0.3};
    const int found =
        limpet_cloud_nearest(cloud, at.position, at.rotation, &s.shape, &request, point, distance);
    if (!found || distance[0] < 0.0) continue;  // deep ones go by bands
    contact_of(&manifold, &s, cloud, &at, 0.3, false);
    assert_int_equal(manifold.count, found);
    for (int i = 0; i < found; ++i) {
      int same = 0;
      for (int k = 0; k < found; ++k) same += manifold.point[k].feature == (uint32_t)point[i];
      assert_int_equal(same, 1);
    }
  }
  limpet_cloud_destroy(cloud);
}

static void bad_points_are_named(void **state) {
  (void)state;
  limpet_error error;
  unsigned long seed = 1;
  points_fill(&seed, 10, 0);
  const double flat[3] = {1.0, 0.0, 1.0};
  assert_null(limpet_cloud_create(points, 0, NULL, 0.0, &error));
  assert_non_null(strstr(error.message, "no points"));
  assert_null(limpet_cloud_create(points, 10, NULL, -1.0, &error));
  assert_non_null(strstr(error.message, "radius"));
  assert_null(limpet_cloud_create(points, 10, flat, 0.0, &error));
  assert_non_null(strstr(error.message, "scale"));
  points[3 * 7 + 1] = NAN;
  assert_null(limpet_cloud_create(points, 10, NULL, 0.0, &error));
  assert_non_null(
      strstr(error.message, "point 7 (counted from 0) has a coordinate that is not a number"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nearest_points_are_those_of_a_sort),
      cmocka_unit_test(more_room_than_wanted_changes_nothing),
      cmocka_unit_test(nearest_points_by_a_grid),
      cmocka_unit_test(the_tree_is_tight),
      cmocka_unit_test(a_ball_around_one_point_is_a_sphere),
      cmocka_unit_test(numbering_does_not_matter),
      cmocka_unit_test(flat_faces_are_carried_at_their_corners),
      cmocka_unit_test(the_nearest_points_touch),
      cmocka_unit_test(bad_points_are_named),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
