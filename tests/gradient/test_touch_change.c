/* tests/gradient/test_touch_change.c: rates of the nearest points of curved shapes with each other
 * and with polyhedra against differences of the shapes' own contact, apart and
 * inside each other, in every order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gradient/plane_core.h"
#include "gradient/touch_change.h"
#include "hull_shapes.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "random_models.h"
#include "shape_pair.h"

enum { TRIES = 120, HULL_POINTS = 14, APPROACHES = 20000 };

static const char *const words[] = {"plane",    "sphere", "capsule", "ellipsoid",
                                    "cylinder", "box",    "mesh"};
static const double width = 3e-4, wide = 3e-3;  // [-]  of the scale; of differences; of depths
static const double apart_least = 0.02, inside_most = 0.02;  // [-]  distance over the scale
static unsigned long seed = 8;

static void draw(shape_pair *b, limpet_shape_kind kind_a, limpet_shape_kind kind_b, double scale) {
  for (int s = 0; s < 2; ++s) {
    for (int i = 0; i < 3; ++i) b->size[s][i] = scale * random_log(&seed, 0.3, 1.0);
    random_turn(&seed, b->rotation[s], 3.0);
    for (int i = 0; i < 3; ++i) b->position[s][i] = scale * random_uniform(&seed, -0.8, 0.8);
    b->hull[s] = test_hull_random(&seed, HULL_POINTS, b->size[s]);
  }
  b->improve = NULL;
  shape_pair_of(b, kind_a, kind_b);
}

/* The nearest points of shapes that are apart, to round-off and by another way than their own: from
 * one to the other by the exact distance of a point, again and again. */
static void approach(const limpet_shape shape[2], limpet_contact_point *point) {
  double gradient[3], distance = 0.0;
  for (int i = 0; i < APPROACHES; ++i) {
    const double *from = i % 2 ? point->on_b : point->on_a;
    double *to = i % 2 ? point->on_a : point->on_b, next[3];
    limpet_signed_distance(&shape[(i + 1) % 2], from, 1, &distance, gradient);
    limpet_vec3_addmul(next, from, -distance, gradient);
    const double way = limpet_vec3_distance(next, to);
    limpet_vec3_copy(to, next);
    if (i > 2 && way <= 1e-15 * distance) break;
  }
  limpet_vec3_sub(point->normal, point->on_b, point->on_a);
  point->distance = limpet_vec3_normalize(point->normal);
}

// What the pairs of two kinds gave. Errors: of rates, over the largest one.
typedef struct tally {
  int known, unknown;
  double worst;   // of those that are apart, at their nearest points
  double found;   // of these, at the points that were found, against those at the nearest points
  double inside;  // of those that overlap, at the points that were found
} tally;

static double rates_apart(const limpet_box_point_change *a, const limpet_box_point_change *b,
                          double scale, bool turns) {
  double size = turns ? scale : 1.0, worst = 0.0;
  for (int i = 0; i < 3; ++i) size = fmax(size, fmax(fabs(b->on_a[i]), fabs(b->on_b[i])));
  for (int i = 0; i < 3; ++i) {
    worst = fmax(worst, fabs(a->on_a[i] - b->on_a[i]));
    worst = fmax(worst, fabs(a->on_b[i] - b->on_b[i]));
    worst = fmax(worst, scale * fabs(a->turn[i] - b->turn[i]));
  }
  return worst / size;
}

static void compare_pair(shape_pair *b, limpet_contact_point *point, double scale, tally *t) {
  limpet_box_point_change found[6], change[6];
  const bool apart = point->distance > 0.0;
  const double own_width = apart ? width : wide, reach = 3.0 * own_width;
  double P[3];
  for (int i = 0; i < 3; ++i) P[i] = b->position[0][i] + scale * random_uniform(&seed, -2.0, 2.0);
  if (!limpet_touch_point_rates(&b->shape[0], &b->shape[1], point, P, reach, found)) {
    ++t->unknown;
    return;
  }
  ++t->known;
  memcpy(change, found, sizeof change);
  if (apart && b->shape[0].kind != LIMPET_SHAPE_PLANE && b->shape[1].kind != LIMPET_SHAPE_PLANE) {
    b->improve = approach;
    approach(b->shape, point);
    assert_true(limpet_touch_point_rates(&b->shape[0], &b->shape[1], point, P, 0.0, change));
  }
  double *worst = apart ? &t->worst : &t->inside;
  for (int k = 0; k < 6; ++k) {
    *worst = fmax(*worst,
                  shape_pair_rate_error(b, P, k, own_width, scale, 0.5 * scale, point, &change[k]));
    t->found = fmax(t->found, rates_apart(&found[k], &change[k], scale, k < 3));
  }
}

static void compare(limpet_shape_kind kind_a, limpet_shape_kind kind_b, tally *t) {
  for (int k = 0; k < TRIES; ++k) {
    shape_pair b;
    limpet_manifold manifold;
    const double scale = random_log(&seed, 0.1, 1.0);
    draw(&b, kind_a, kind_b, scale);
    limpet_shape_contact(&manifold, &b.shape[0], &b.shape[1], 0.3 * scale, false);
    const double distance = manifold.point[0].distance;
    if (manifold.count == 1 &&
        (distance < 0.0 ? distance > -inside_most * scale : distance > apart_least * scale))
      compare_pair(&b, &manifold.point[0], scale, t);
    for (int s = 0; s < 2; ++s) free((void *)b.hull[s]);
  }
}

static void rates_are_differences(void **state) {
  (void)state;
  for (int a = LIMPET_SHAPE_SPHERE; a <= LIMPET_SHAPE_CYLINDER; ++a)
    for (int b = LIMPET_SHAPE_PLANE; b <= LIMPET_SHAPE_MESH; ++b)
      for (int swapped = 0; swapped < 2; ++swapped) {
        tally t = {0};
        const limpet_shape_kind kind[2] = {(limpet_shape_kind)a, (limpet_shape_kind)b};
        compare(kind[swapped], kind[1 - swapped], &t);
        printf("%s, %s: %d known, %d unknown, worst %.2g, at found points %.2g, inside %.2g\n",
               words[kind[swapped]], words[kind[1 - swapped]], t.known, t.unknown, t.worst, t.found,
               t.inside);
        assert_true(t.known >= (b == LIMPET_SHAPE_PLANE ? 1 : 5));
        assert_true(t.worst <= 1e-8 && t.found <= 1e-12 && t.inside <= 1e-5);
      }
}

static bool is_known(const shape_pair *b, int contacts, const double shift[3], double reach) {
  static const double P[3] = {0.0};
  limpet_manifold manifold;
  limpet_box_point_change change[6];
  limpet_shape_contact(&manifold, &b->shape[0], &b->shape[1], 0.1, false);
  assert_int_equal(manifold.count, contacts);
  for (int i = 0; i < 3; ++i)
    manifold.point[0].on_a[i] += shift[i], manifold.point[0].on_b[i] += shift[i];
  return limpet_touch_point_rates(&b->shape[0], &b->shape[1], &manifold.point[0], P, reach, change);
}

/* A ball over a box: where it comes to the box' edge, where the points are not the nearest ones.
 * Then where these have no one place, and deep overlaps. */
static void what_has_no_rates_is_told(void **state) {
  (void)state;
  static const double none[3] = {0.0}, aside[3] = {1e-3};
  shape_pair b = {.size = {{0.1, 0.1, 0.1}, {0.05, 0.05, 0.05}}, .position = {{0.0}, {0.0}}};
  for (int s = 0; s < 2; ++s) limpet_mat3_identity(b.rotation[s]);
  limpet_vec3_set(b.position[1], 0.09, 0.02, 0.151);
  shape_pair_of(&b, LIMPET_SHAPE_BOX, LIMPET_SHAPE_SPHERE);
  assert_true(is_known(&b, 1, none, 1e-4));
  assert_false(is_known(&b, 1, none, 0.1));
  assert_false(is_known(&b, 1, aside, 1e-4));
  b.position[1][2] = 0.12;  // the centre 2 cm above the box, then 2 cm within
  assert_true(is_known(&b, 1, none, 1e-4));
  b.position[1][2] = 0.08;
  assert_false(is_known(&b, 1, none, 1e-4));

  // a cylinder that stands on the box
  b.position[1][0] = 0.0, b.position[1][2] = 0.151;
  shape_pair_of(&b, LIMPET_SHAPE_BOX, LIMPET_SHAPE_CYLINDER);
  assert_false(is_known(&b, 8, none, 0.0));
}

// The point of the cylinder, `shape[own]`, with a feature, after a unit of twist k about P by `by`.
static bool point_after(const limpet_shape shape[2], int own, const double P[3], int k, double by,
                        uint64_t feature, double on[3]) {
  limpet_shape moved[2] = {shape[0], shape[1]};
  double turn[3] = {0.0}, quaternion[4], R[9], arm[3], position[3], rotation[9];
  if (k < 3) turn[k] = by;
  limpet_quaternion_exp(quaternion, turn);
  limpet_quaternion_to_matrix(R, quaternion);
  limpet_mat3_mul(rotation, R, shape[own].rotation);
  limpet_vec3_sub(arm, shape[own].position, P);
  limpet_mat3_mul_vec(position, R, arm);
  limpet_vec3_add(position, position, P);
  if (k >= 3) position[k - 3] += by;
  moved[own].position = position, moved[own].rotation = rotation;
  limpet_manifold manifold;
  limpet_shape_contact(&manifold, &moved[0], &moved[1], 10.0, false);
  for (int i = 0; i < manifold.count; ++i)
    if (manifold.point[i].feature == feature) {
      limpet_vec3_copy(on, own ? manifold.point[i].on_b : manifold.point[i].on_a);
      return true;
    }
  return false;
}

static double rim_error(const limpet_shape shape[2], int own, const double P[3],
                        const limpet_contact_point *point, const limpet_plane_core *core) {
  static const double e = 1e-5;
  double worst = 0.0;
  for (int k = 0; k < 6; ++k) {
    double on[4][3], rate[3];
    static const double place[4] = {-2.0, -1.0, 1.0, 2.0};
    for (int s = 0; s < 4; ++s)
      assert_true(point_after(shape, own, P, k, place[s] * e, point->feature, on[s]));
    limpet_plane_core_at(core, P, k, rate);
    for (int i = 0; i < 3; ++i)
      worst = fmax(
          worst, fabs((8.0 * (on[2][i] - on[1][i]) - on[3][i] + on[0][i]) / (12.0 * e) - rate[i]));
  }
  return worst;
}

/* Points of a cylinder on a half space: those of quadrants move with it, the lowest of a rim rolls
 * along. In both orders of the shapes. */
static void rims_roll_on_planes(void **state) {
  (void)state;
  enum { THROWS = 200 };
  int rolling = 0, fixed = 0;
  double worst = 0.0;
  for (int n = 0; n < THROWS; ++n) {
    const int own = n % 2;
    shape_pair b;
    draw(&b, own ? LIMPET_SHAPE_PLANE : LIMPET_SHAPE_CYLINDER,
         own ? LIMPET_SHAPE_CYLINDER : LIMPET_SHAPE_PLANE, 1.0);
    limpet_manifold manifold;
    limpet_shape_contact(&manifold, &b.shape[0], &b.shape[1], 10.0, false);
    for (int i = 0; i < manifold.count; ++i) {
      const limpet_contact_point *point = &manifold.point[i];
      double away[3], P[3];
      limpet_plane_core core;
      limpet_vec3_scale(away, own ? 1.0 : -1.0, point->normal);
      random_vector(&seed, P, 3, 2.0);
      if (!limpet_plane_core_make(&b.shape[own], own ? point->on_b : point->on_a, point->feature,
                                  away, 1e-4, &core))
        continue;
      worst = fmax(worst, rim_error(b.shape, own, P, point, &core));
      rolling += core.rolls, fixed += !core.rolls;
    }
    for (int s = 0; s < 2; ++s) free((void *)b.hull[s]);
  }
  printf("rims: %d points roll, %d are fixed, worst %.2g\n", rolling, fixed, worst);
  assert_true(rolling > THROWS && fixed > THROWS && worst < 1e-8);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rates_are_differences),
                                     cmocka_unit_test(what_has_no_rates_is_told),
                                     cmocka_unit_test(rims_roll_on_planes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
