/* tests/geometry/test_pressure_stated.c: surfaces that are asked for quickly, as steps do, state
 * their error: force, its integral and area are off by three times that at most.
 *
 * Random pairs of shapes of which one is curved: sizes, moduli, poses, depths from a thousandth to
 * 0.3 of the size, tolerances from 1e-4 to 1e-2, against the same surface at 1e-7. The first six
 * have a corner between two panels of the quick sweep, and were off by 5 to 35 times. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "effort.h"
#include "hull_shapes.h"
#include "limpet/distance.h"
#include "math/vec3.h"
#include "pressure_potential.h"
#include "pressure_shapes.h"
#include "shared_data.h"

enum { CORNERS = 6, PAIRS = TEST_WATCHED ? 14 : 36, KINDS = 7 };

static double by_log(unsigned long *seed, double low, double high) {
  return low * exp(random_uniform(seed, 0.0, log(high / low)));
}

typedef struct pair {
  limpet_shape_kind kind[2];
  double size[2][3];  // [m]
  limpet_pressure_field *field[2];
  test_pose pose[2];
  double way[3];
} pair;

static limpet_pressure_body body_of(const pair *p, int k) {
  return (limpet_pressure_body){p->field[k], p->pose[k].position, p->pose[k].rotation};
}

static bool put(pair *p, double far) {
  limpet_vec3_addmul(p->pose[1].position, p->pose[0].position, far, p->way);
  const limpet_pressure_body a = body_of(p, 0), b = body_of(p, 1);
  return test_potential_overlap(&a, &b);
}

// One side of a pair; rigid: its boundary alone.
static void make(pair *p, int k, bool rigid, int number, unsigned long *seed) {
  const double base = by_log(seed, 0.02, 0.1);
  for (int i = 0; i < 3; ++i) p->size[k][i] = base * by_log(seed, 0.5, 2.0);
  limpet_pressure_material material = limpet_pressure_material_default();
  material.modulus = rigid ? INFINITY : by_log(seed, 1e5, 1e8);
  unsigned long shape = 7UL + (unsigned long)number;
  limpet_hull *hull = NULL;
  if (p->kind[k] == LIMPET_SHAPE_MESH)
    hull = test_hull_random(&shape, 6 + (int)random_uniform(seed, 0.0, 20.0), p->size[k]);
  if (p->kind[k] == LIMPET_SHAPE_PLANE) p->size[k][0] = 0.05;
  p->field[k] = limpet_pressure_field_of_shape(p->kind[k], p->size[k], hull, &material, NULL);
  free(hull);
  assert_non_null(p->field[k]);
}

static bool is_linear(limpet_shape_kind kind) {
  return kind == LIMPET_SHAPE_BOX || kind == LIMPET_SHAPE_MESH || kind == LIMPET_SHAPE_PLANE;
}

// A pair with the given number, and a tolerance for it. False: no shape is curved.
static bool draw(int number, pair *p, double *tolerance) {
  static const limpet_shape_kind kinds[KINDS] = {
      LIMPET_SHAPE_SPHERE,   LIMPET_SHAPE_ELLIPSOID, LIMPET_SHAPE_BOX,  LIMPET_SHAPE_CAPSULE,
      LIMPET_SHAPE_CYLINDER, LIMPET_SHAPE_MESH,      LIMPET_SHAPE_PLANE};
  unsigned long seed = 100UL + (unsigned long)number * 7919UL;
  for (int k = 0; k < 5; ++k) random_uniform(&seed, 0.0, 1.0);
  p->kind[0] = kinds[(int)random_uniform(&seed, 0.0, 5.999)];
  p->kind[1] = kinds[(int)random_uniform(&seed, 0.0, 6.999)];
  const int rigid = (int)random_uniform(&seed, 0.0, 2.999);
  for (int k = 0; k < 2; ++k) make(p, k, rigid == k + 1, number, &seed);
  for (int k = 0; k < 2; ++k) test_random_rotation(&seed, p->pose[k].rotation);
  for (int i = 0; i < 3; ++i)
    p->pose[0].position[i] = 0.0, p->way[i] = random_uniform(&seed, -1.0, 1.0);
  limpet_vec3_normalize(p->way);
  for (int i = 0; p->kind[1] == LIMPET_SHAPE_PLANE && i < 3; ++i)
    p->way[i] = -p->pose[1].rotation[3 * i + 2];
  const double small = fmin(fmin(p->size[0][0], p->size[0][1]), p->size[0][2]),
               sunk = small * by_log(&seed, 1e-3, 0.3);
  *tolerance = by_log(&seed, 1e-4, 1e-2);
  if (is_linear(p->kind[0]) && is_linear(p->kind[1])) return false;
  double low = 0.0, high = 0.8;
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    if (put(p, middle)) low = middle;
    else high = middle;
  }
  put(p, low - sunk);
  return true;
}

// How far a quick surface is off, over what it states; negative: the bodies do not touch.
static double off_over_stated(const pair *p, double tolerance, limpet_pressure_surface *truth,
                              limpet_pressure_surface *quick) {
  const limpet_pressure_body a = body_of(p, 0), b = body_of(p, 1);
  limpet_pressure_query query = limpet_pressure_query_default();
  query.tolerance = 1e-7;
  assert_int_equal(limpet_pressure_surface_compute(truth, &a, &b, &query), LIMPET_OK);
  query.tolerance = tolerance;
  assert_int_equal(limpet_pressure_surface_compute(quick, &a, &b, &query), LIMPET_OK);
  const double N = truth->pressure_integral;
  if (!(N > 0.0)) return -1.0;
  const double off =
      fmax(limpet_vec3_distance(quick->force, truth->force) / N,
           fmax(fabs(quick->pressure_integral / N - 1.0), fabs(quick->area / truth->area - 1.0)));
  return off / (quick->error + truth->error + 1e-7);
}

static void quick_surfaces_state_their_error(void **state) {
  (void)state;
  static const int corners[CORNERS] = {147, 166, 438, 467, 480, 532};
  limpet_pressure_surface *truth = limpet_pressure_surface_create(NULL),
                          *quick = limpet_pressure_surface_create(NULL);
  double worst = 0.0;
  int checked = 0, failed = 0;
  for (int i = 0; i < PAIRS; ++i) {
    const int number = i < CORNERS ? corners[i] : i;
    pair p;
    double tolerance, ratio = -1.0;
    if (draw(number, &p, &tolerance)) ratio = off_over_stated(&p, tolerance, truth, quick);
    worst = fmax(worst, ratio), checked += ratio >= 0.0;
    if (ratio > 3.0) {
      ++failed;
      printf("%d, %s in %s: tolerance %.2g, stated %.2g, off by %.3g times that\n", number,
             limpet_shape_kind_word(p.kind[0]), limpet_shape_kind_word(p.kind[1]), tolerance,
             quick->error, ratio);
    }
    limpet_pressure_field_destroy(p.field[0]), limpet_pressure_field_destroy(p.field[1]);
  }
  printf("%d surfaces, off by %.2g times what they state at most\n", checked, worst);
  assert_true(checked > PAIRS / 2);
  assert_int_equal(failed, 0);
  limpet_pressure_surface_destroy(truth), limpet_pressure_surface_destroy(quick);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(quick_surfaces_state_their_error)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
