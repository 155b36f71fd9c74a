/* tests/gradient/test_box_change.c: rates of the contact points of two boxes against differences of
 * the boxes' own contact, for sizes from 1 mm to 1 m, faces, corners and crossing edges, at random
 * and at nearly aligned poses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gradient/box_change.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "random_models.h"

enum { PAIRS = 4000, NUMBERS = 10 };  // on_a, on_b, normal, distance

static unsigned long seed = 3;

typedef struct boxes {
  double size[2][3], position[2][3], rotation[2][9];
  limpet_shape shape[2];
} boxes;

static double by_log(double low, double high) {
  return exp(random_uniform(&seed, log(low), log(high)));
}

static void turn_by(double R[9], double angle) {
  double turn[3], quaternion[4];
  for (int i = 0; i < 3; ++i) turn[i] = angle * random_uniform(&seed, -1.0, 1.0);
  limpet_quaternion_exp(quaternion, turn);
  limpet_quaternion_to_matrix(R, quaternion);
}

static void shapes_of(boxes *b) {
  for (int s = 0; s < 2; ++s) {
    b->shape[s] = (limpet_shape){.kind = LIMPET_SHAPE_BOX};
    b->shape[s].position = b->position[s], b->shape[s].rotation = b->rotation[s];
    b->shape[s].size = b->size[s];
  }
}

// Two boxes, a little inside each other along the direction from one to the other.
static bool draw(boxes *b, limpet_manifold *manifold, double *scale) {
  double apart[3], tilt[9];
  *scale = by_log(1e-3, 1.0);
  for (int s = 0; s < 2; ++s)
    for (int i = 0; i < 3; ++i) b->size[s][i] = *scale * by_log(0.3, 3.0);
  turn_by(b->rotation[0], 3.0);
  turn_by(tilt, random_uniform(&seed, 0, 1) < 0.5 ? by_log(1e-6, 1e-1) : 3.0);
  limpet_mat3_mul(b->rotation[1], b->rotation[0], tilt);
  for (int i = 0; i < 3; ++i) {
    b->position[0][i] = *scale * random_uniform(&seed, -1.0, 1.0);
    apart[i] = random_uniform(&seed, -1.0, 1.0);
  }
  limpet_vec3_normalize(apart);
  shapes_of(b);
  const double depth = *scale * by_log(1e-6, 1e-2);
  double low = 0.0, high = 20.0 * *scale;
  for (int k = 0; k < 60; ++k) {  // where they touch
    const double middle = 0.5 * (low + high);
    limpet_vec3_addmul(b->position[1], b->position[0], middle, apart);
    limpet_shape_contact(manifold, &b->shape[0], &b->shape[1], 1e-300, false);
    if (manifold->count > 0) low = middle;
    else high = middle;
  }
  limpet_vec3_addmul(b->position[1], b->position[0], low - depth, apart);
  limpet_shape_contact(manifold, &b->shape[0], &b->shape[1], 0.1 * *scale, false);
  return manifold->count > 0;
}

static void move(const boxes *from, const double P[3], int k, double by, boxes *to) {
  *to = *from;
  shapes_of(to);
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

static bool numbers_at(const boxes *from, const double P[3], int k, double by, double margin,
                       uint64_t feature, double numbers[NUMBERS]) {
  boxes moved;
  limpet_manifold manifold;
  move(from, P, k, by, &moved);
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
static double error_at(const boxes *b, const double P[3], int k, double width, double scale,
                       const limpet_contact_point *point, const limpet_box_point_change *change) {
  static const double places[4] = {-2.0, -1.0, 1.0, 2.0},
                      weights[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  const double E = (k < 3 ? 1.0 : scale) * width;
  double slope[NUMBERS] = {0.0}, own[NUMBERS], size = k < 3 ? scale : 1.0, worst = 0.0;
  for (int s = 0; s < 4; ++s) {
    double numbers[NUMBERS];
    if (!numbers_at(b, P, k, places[s] * E, 0.1 * scale, point->feature, numbers)) return INFINITY;
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

// The least of three widths: another axis may win within them.
static double error_along(const boxes *b, const double P[3], int k, double scale,
                          const limpet_contact_point *point,
                          const limpet_box_point_change *change) {
  double least = INFINITY;
  for (double width = 1e-6; width > 1e-9 && least > 1e-7; width *= 0.1)
    least = fmin(least, error_at(b, P, k, width, scale, point, change));
  return least;
}

static void rates_are_differences(void **state) {
  (void)state;
  int faces = 0, edges = 0, unknown = 0, ties = 0, wrong = 0, corners[3] = {0};
  double worst = 0.0;
  for (int pair = 0; pair < PAIRS; ++pair) {
    boxes b;
    limpet_manifold manifold;
    limpet_box_meeting meeting;
    double scale, P[3];
    if (!draw(&b, &manifold, &scale)) continue;
    for (int i = 0; i < 3; ++i) P[i] = b.position[0][i] + scale * random_uniform(&seed, -2.0, 2.0);
    const double *normal = manifold.point[0].normal;
    if (!limpet_box_meeting_make(&b.shape[0], &b.shape[1], normal, &meeting)) {
      ++unknown;
      continue;
    }
    ties += meeting.tie;
    if (meeting.tie) continue;
    for (int i = 0; i < manifold.count; ++i) {
      limpet_box_point_change change[6];
      if (!limpet_box_point_rates(&meeting, &manifold.point[i], P, change)) {
        ++unknown;
        continue;
      }
      faces += meeting.owner >= 0, edges += meeting.owner < 0;
      if (meeting.owner >= 0) ++corners[manifold.point[i].feature >> 30 & 3];
      for (int k = 0; k < 6; ++k) {
        const double error = error_along(&b, P, k, scale, &manifold.point[i], &change[k]);
        worst = fmax(worst, error < 1e-6 ? error : 0.0);
        wrong += error > 1e-6;
        if (error > 1e-6)
          printf(
              "pair %d, point %d of %d, twist %d: off by %.2g (owner %d, feature %x, scale %g)\n",
              pair, i, manifold.count, k, error, meeting.owner, (unsigned)manifold.point[i].feature,
              scale);
      }
    }
  }
  printf(
      "%d points on faces (corners of A %d, of B %d, edges %d), %d of edges, %d unknown, %d ties, "
      "%d wrong, worst %.2g\n",
      faces, corners[0], corners[1], corners[2], edges, unknown, ties, wrong, worst);
  assert_true(faces > 1000 && edges > 200 && corners[0] > 100 && corners[1] > 100 &&
              corners[2] > 100);
  assert_true(unknown < (faces + edges) / 100);
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rates_are_differences)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
