/* tests/gradient/test_core_change.c: rates of the contact point of balls and capsules against
 * differences of the shapes' own contact, for sizes from 1 mm to 1 m, touching with their cylinders
 * and with their ends, in every order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gradient/core_change.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "random_models.h"

enum { PAIRS = 3000, NUMBERS = 10, KINDS = 4 };  // on_a, on_b, normal, distance

static unsigned long seed = 8;

typedef struct shapes {
  double size[2][3], position[2][3], rotation[2][9];
  limpet_shape shape[2];
} shapes;

static double by_log(double low, double high) {
  return exp(random_uniform(&seed, log(low), log(high)));
}

static void turn_by(double R[9], double angle) {
  double turn[3], quaternion[4];
  for (int i = 0; i < 3; ++i) turn[i] = angle * random_uniform(&seed, -1.0, 1.0);
  limpet_quaternion_exp(quaternion, turn);
  limpet_quaternion_to_matrix(R, quaternion);
}

// kinds: bit 0: A is a capsule, bit 1: B.
static void point_to(shapes *b, int kinds) {
  for (int s = 0; s < 2; ++s) {
    b->shape[s] =
        (limpet_shape){.kind = kinds >> s & 1 ? LIMPET_SHAPE_CAPSULE : LIMPET_SHAPE_SPHERE};
    b->shape[s].position = b->position[s], b->shape[s].rotation = b->rotation[s];
    b->shape[s].size = b->size[s];
  }
}

// Two of them near each other, or inside.
static bool draw(shapes *b, int kinds, limpet_manifold *manifold, double *scale) {
  *scale = by_log(1e-3, 1.0);
  for (int s = 0; s < 2; ++s) {
    for (int i = 0; i < 2; ++i) b->size[s][i] = *scale * by_log(0.2, 2.0);
    turn_by(b->rotation[s], 3.0);
    for (int i = 0; i < 3; ++i) b->position[s][i] = *scale * random_uniform(&seed, -1.5, 1.5);
  }
  point_to(b, kinds);
  limpet_shape_contact(manifold, &b->shape[0], &b->shape[1], 0.3 * *scale, false);
  return manifold->count == 1;
}

static void move(const shapes *from, int kinds, const double P[3], int k, double by, shapes *to) {
  *to = *from;
  point_to(to, kinds);

  if (k >= 3) {
    to->position[1][k - 3] += by;
    return;
  }
  double turn[3] = {0.0}, quaternion[4], R[9], arm[3];
  turn[k] = by;
  limpet_quaternion_exp(quaternion, turn);
  limpet_quaternion_to_matrix(R, quaternion);
  limpet_mat3_mul(to->rotation[1], R, from->rotation[1]);
  limpet_vec3_sub(arm, from->position[1], P);
  limpet_mat3_mul_vec(to->position[1], R, arm);
  limpet_vec3_add(to->position[1], to->position[1], P);
}

static bool numbers_at(const shapes *from, int kinds, const double P[3], int k, double by,
                       double margin, uint64_t feature, double numbers[NUMBERS]) {
  shapes moved;
  limpet_manifold manifold;
  move(from, kinds, P, k, by, &moved);
  limpet_shape_contact(&manifold, &moved.shape[0], &moved.shape[1], margin, false);
  for (int i = 0; i < manifold.count; ++i) {
    const limpet_contact_point *p = &manifold.point[i];
    if (p->feature != feature) continue;
    limpet_vec3_copy(numbers, p->on_a), limpet_vec3_copy(numbers + 3, p->on_b);
    limpet_vec3_copy(numbers + 6, p->normal);
    numbers[9] = p->distance;
    return true;
  }
  return false;
}

/* Largest error of a point's rates along twist k against differences of a width (of the scale),
 * lengths over `scale`; INFINITY: its name is lost. */
static double error_at(const shapes *b, int kinds, const double P[3], int k, double width,
                       double scale, const limpet_contact_point *point,
                       const limpet_box_point_change *change) {
  static const double places[4] = {-2.0, -1.0, 1.0, 2.0},
                      weights[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  const double E = (k < 3 ? 1.0 : scale) * width;
  double slope[NUMBERS] = {0.0}, own[NUMBERS], size = k < 3 ? scale : 1.0, worst = 0.0;
  for (int s = 0; s < 4; ++s) {
    double numbers[NUMBERS];
    if (!numbers_at(b, kinds, P, k, places[s] * E, 0.5 * scale, point->feature, numbers))
      return INFINITY;
    for (int i = 0; i < NUMBERS; ++i) slope[i] += weights[s] * numbers[i] / E;
  }
  limpet_vec3_copy(own, change->on_a), limpet_vec3_copy(own + 3, change->on_b);
  // the normal turns; about itself the frame may turn as it likes
  limpet_vec3_cross(own + 6, change->turn, point->normal);
  own[9] = change->distance;
  for (int i = 0; i < 6; ++i) size = fmax(size, fabs(own[i]));
  for (int i = 0; i < NUMBERS; ++i) {
    const double unit = i >= 6 && i < 9 ? fmax(k < 3 ? 1.0 : 1.0 / scale, size / scale) : size;
    worst = fmax(worst, fabs(own[i] - slope[i]) / unit);
  }
  return worst;
}

static void rates_are_differences(void **state) {
  (void)state;
  static const double near = 1e-3, width = 1e-5, allowed = 1e-8;  // [-]  of the scale; of rates
  int known[KINDS] = {0}, unknown = 0, wrong = 0;
  double worst = 0.0;
  for (int pair = 0; pair < PAIRS; ++pair) {
    shapes b;
    limpet_manifold manifold;
    limpet_box_point_change change[6];
    double scale, P[3];
    const int kinds = pair % KINDS;
    if (!draw(&b, kinds, &manifold, &scale)) continue;
    const limpet_contact_point *point = &manifold.point[0];
    for (int i = 0; i < 3; ++i) P[i] = b.position[0][i] + scale * random_uniform(&seed, -2.0, 2.0);
    // rates grow as one over the distance of the cores, where these nearly cross
    const double cores = point->distance + b.size[0][0] + b.size[1][0];
    if (!(cores > 0.05 * scale)) continue;
    if (!limpet_core_point_rates(&b.shape[0], &b.shape[1], point, P, near * scale, change)) {
      ++unknown;
      continue;
    }
    ++known[kinds];
    for (int k = 0; k < 6; ++k) {
      const double error = error_at(&b, kinds, P, k, width, scale, point, &change[k]);
      worst = fmax(worst, error);
      wrong += error > allowed;
      if (error > allowed)
        printf("pair %d, twist %d: off by %.2g (kinds %d, scale %g)\n", pair, k, error, kinds,
               scale);
    }
  }
  printf(
      "balls %d, capsule and ball %d, ball and capsule %d, capsules %d, %d unknown, worst %.2g\n",
      known[0], known[1], known[2], known[3], unknown, worst);
  for (int i = 0; i < KINDS; ++i) assert_true(known[i] > 100);
  assert_true(unknown < (known[1] + known[2] + known[3]) / 50);
  assert_int_equal(wrong, 0);
}

// Where a cylinder ends, where capsules are nearly parallel, and of other shapes nothing is told.
static void what_has_no_rates_is_told(void **state) {
  (void)state;
  static const double P[3] = {0.0}, near = 1e-3;
  shapes b = {.size = {{0.1, 0.2}, {0.1, 0.2}}, .position = {{0.0}, {0.15, 0.0, 0.2}}};
  limpet_manifold manifold;
  limpet_box_point_change change[6];
  for (int s = 0; s < 2; ++s) limpet_mat3_identity(b.rotation[s]);
  for (int parallel = 0; parallel < 2; ++parallel) {
    if (parallel) b.position[1][2] = 0.0;
    point_to(&b, parallel ? 3 : 1);
    limpet_shape_contact(&manifold, &b.shape[0], &b.shape[1], 0.1, false);
    assert_true(manifold.count > 0);
    assert_false(
        limpet_core_point_rates(&b.shape[0], &b.shape[1], &manifold.point[0], P, near, change));
  }
  point_to(&b, 1);
  limpet_shape_contact(&manifold, &b.shape[0], &b.shape[1], 0.1, false);
  assert_true(
      limpet_core_point_rates(&b.shape[0], &b.shape[1], &manifold.point[0], P, near, change));
  b.shape[1].kind = LIMPET_SHAPE_BOX;
  assert_false(
      limpet_core_point_rates(&b.shape[0], &b.shape[1], &manifold.point[0], P, near, change));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rates_are_differences),
                                     cmocka_unit_test(what_has_no_rates_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
