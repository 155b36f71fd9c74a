/* tests/contact/test_point_kernels.c: rows and numbers of contact points, four at once, are those
 * of sums that are written out here for one, to the bit, with every instruction set of this machine
 * and whether the points are of one patch or of several. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contact/point_kernels.h"
#include "math/spatial.h"
#include "shared_data.h"

enum { POINTS = LIMPET_POINTS_AT_ONCE, DRAWS = 200 };

static double number_from(unsigned long *seed) {
  const double size = pow(10.0, random_uniform(seed, -6.0, 6.0));
  return random_uniform(seed, -size, size);
}

// D is symmetric; sizes over twelve decades.
static void sums_draw(unsigned long *seed, limpet_patch_sums *sums, double path[6]) {
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j <= i; ++j) sums->D[6 * i + j] = sums->D[6 * j + i] = number_from(seed);
    sums->V0[i] = number_from(seed), sums->V_free[i] = number_from(seed);
    sums->V_thrown[i] = number_from(seed), path[i] = number_from(seed);
  }
}

static void record_draw(unsigned long *seed, limpet_contact_record *record) {
  memset(record, 0, sizeof *record);
  for (int i = 0; i < 3; ++i) record->position[i] = number_from(seed);
  double *n = record->frame + 6;
  for (int i = 0; i < 3; ++i) n[i] = random_uniform(seed, -1.0, 1.0);
  limpet_vec3_normalize(n);
  limpet_vec3_tangents(record->frame, record->frame + 3, n);
}

static double turning_of(const double e[3], const double D[36]) {
  double sum = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) sum += e[i] * D[6 * i + j] * e[j];
  return sum;
}

// w as the norm of K, the part of D that moves the point r from the patch's point.
static double delassus_of(const double r[3], const double n[3], const double D[36],
                          double *normal) {
  double T[18], K[9], Kn[3], sum = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 6; ++j)
      T[6 * i + j] = D[6 * (3 + i) + j] + r[(i + 2) % 3] * D[6 * ((i + 1) % 3) + j] -
                     r[(i + 1) % 3] * D[6 * ((i + 2) % 3) + j];
  for (int i = 0; i < 3; ++i) {
    const double *t = T + 6 * i;
    K[3 * i] = t[3] + r[2] * t[1] - r[1] * t[2];
    K[3 * i + 1] = t[4] + r[0] * t[2] - r[2] * t[0];
    K[3 * i + 2] = t[5] + r[1] * t[0] - r[0] * t[1];
  }
  for (int i = 0; i < 9; ++i) sum += K[i] * K[i];
  limpet_mat3_mul_vec(Kn, K, n);
  *normal = limpet_vec3_dot(n, Kn);
  return sqrt(sum) / 3.0;
}

static void make_one(const limpet_point_view *view, double W[18], limpet_point_numbers *number) {
  const double *frame = view->record->frame;
  double r[3];
  limpet_vec3_sub(r, view->record->position, view->point);
  for (int e = 0; e < 3; ++e) {
    limpet_vec3_cross(W + 6 * e, r, frame + 3 * e);
    limpet_vec3_copy(W + 6 * e + 3, frame + 3 * e);
    number->bend[e] = limpet_spatial_dot(W + 6 * e, view->path_bias);
    number->about[e] = turning_of(frame + 3 * e, view->sums->D);
  }
  for (int e = 0; e < 2; ++e) number->slip[e] = limpet_spatial_dot(W + 6 * e, view->sums->V0);
  number->normal_speed = limpet_spatial_dot(W + 12, view->sums->V0);
  number->free_speed = limpet_spatial_dot(W + 12, view->sums->V_free);
  number->delassus = delassus_of(r, frame + 6, view->sums->D, &number->normal);
}

static void check(const limpet_point_kernels *kernels, const limpet_point_view view[POINTS],
                  bool turns) {
  double W[POINTS][18], one[18], *rows[POINTS];
  limpet_point_numbers number[POINTS], expected;
  for (int k = 0; k < POINTS; ++k) rows[k] = W[k];
  kernels->points(view, turns, rows, number);
  for (int k = 0; k < POINTS; ++k) {
    make_one(&view[k], one, &expected);
    if (!turns) memset(expected.about, 0, sizeof expected.about);
    assert_memory_equal(W[k], one, sizeof one);
    assert_memory_equal(&number[k], &expected, sizeof expected);
  }
}

static void four_points_are_as_one(void **state) {
  (void)state;
  const limpet_point_kernels *tables[2] = {&limpet_point_kernels_baseline,
                                           limpet_point_kernels_here()};
  unsigned long seed = 5;
  for (int draw = 0; draw < DRAWS; ++draw) {
    limpet_patch_sums sums[POINTS];
    limpet_contact_record record[POINTS];
    limpet_point_view view[POINTS];
    double path[POINTS][6], point[POINTS][3];
    const int patches = draw % 3 == 0 ? 1 : POINTS;
    for (int k = 0; k < POINTS; ++k) {
      sums_draw(&seed, &sums[k], path[k]);
      record_draw(&seed, &record[k]);
      for (int i = 0; i < 3; ++i) point[k][i] = number_from(&seed);
      const int p = k < patches ? k : 0;
      view[k] = (limpet_point_view){&record[k], point[p], &sums[p], path[p]};
    }
    for (int t = 0; t < 2; ++t) check(tables[t], view, draw % 2 == 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(four_points_are_as_one)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
