/* tests/contact/test_shear.c: the shear of a contact surface is a motion of its bodies, whatever
 * points the surface has. Points on a bowl-shaped patch creep by a random small motion: the field
 * that is kept has their stretch, and at the points of another set, of another number and in other
 * places, it is that motion, too. Force and moment of both sets agree as their sums do. A motion
 * along the normal of a flat patch, which no point feels, is not kept. What slides keeps the
 * direction of its slip and no more than friction's bound needs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "contact/shear.h"
#include "math/vec3.h"
#include "shared_data.h"

enum { MOST = 60 };

static const double dt = 2e-3, slip_speed = 1e-4, radius = 0.01;  // [s], [m/s], [m]  of the patch

typedef struct patch {
  limpet_contact_pair pair;
  limpet_contact_record record[MOST];
  limpet_contact_constants constants[MOST];
  double row[18 * MOST], gamma[3 * MOST], velocity[3 * MOST];
  int source[MOST];
  limpet_shear before;
  limpet_contact_records records;
  limpet_contact_problem problem;
} patch;

// Random points within the patch, whose normals lean by `bend` times their distance [1/m].
static patch *patch_create(int count, double bend, unsigned long *seed) {
  patch *p = calloc(1, sizeof *p);
  assert_non_null(p);
  p->pair.surface = true;
  for (int i = 0; i < count; ++i) {
    const double r = radius * sqrt(random_uniform(seed, 0.0, 1.0)),
                 angle = random_uniform(seed, 0.0, 2.0 * LIMPET_PI);
    const double x = r * cos(angle), y = r * sin(angle);
    double frame[9] = {0.0}, *n = frame + 6;
    limpet_vec3_set(p->record[i].position, 1.0 + x, 2.0 + y, 0.5 * bend * r * r);
    limpet_vec3_set(n, -bend * x, -bend * y, 1.0);
    limpet_vec3_normalize(n);
    limpet_vec3_tangents(frame, frame + 3, n);
    for (int e = 0; e < 3; ++e) {
      double *W = p->row + 18 * i + 6 * e, arm[3];
      limpet_vec3_sub(arm, p->record[i].position, (double[3]){1.0, 2.0, 0.0});
      limpet_vec3_cross(W, arm, frame + 3 * e);
      limpet_vec3_copy(W + 3, frame + 3 * e);
    }
    p->constants[i] = (limpet_contact_constants){
        .dt = dt, .friction = 0.5, .surface = true, .compliant = {.slip_speed = slip_speed}};
    p->gamma[3 * i + 2] = random_uniform(seed, 0.5, 2.0);
    p->source[i] = i;
  }
  p->records = (limpet_contact_records){
      .pair_count = 1, .count = count, .pair = &p->pair, .record = p->record};
  p->problem = (limpet_contact_problem){.model = limpet_contact_model_find("coulomb"),
                                        .dt = dt,
                                        .contact_count = count,
                                        .constants = p->constants,
                                        .contact_row = p->row,
                                        .contact_source = p->source,
                                        .shear = &p->before};
  return p;
}

// Slip of all points by a motion [m, rad] about (1, 2, 0) in a step.
static void slip_by(patch *p, const double turn[3], const double shift[3]) {
  for (int i = 0; i < p->problem.contact_count; ++i)
    for (int e = 0; e < 2; ++e) {
      const double *W = p->row + 18 * i + 6 * e;
      p->velocity[3 * i + e] = (limpet_vec3_dot(W, turn) + limpet_vec3_dot(W + 3, shift)) / dt;
    }
}

static bool next_of(patch *p, limpet_shear *next) {
  assert_true(limpet_shear_is_kept(&p->problem, &p->records, 0));
  assert_int_equal(limpet_shear_end(&p->problem, &p->records, 0), p->problem.contact_count);
  const double point[3] = {1.0, 2.0, 0.0};
  return limpet_shear_next(&p->problem, &p->records, point, 0, p->problem.contact_count, p->gamma,
                           p->velocity, next);
}

// The largest difference of a field to a motion, along the tangents at the points of a patch.
static double difference(const patch *p, const limpet_shear *shear, const double turn[3],
                         const double shift[3]) {
  double worst = 0.0;
  for (int i = 0; i < p->problem.contact_count; ++i) {
    double z[3];
    limpet_shear_at(shear, p->record[i].position, z);
    for (int e = 0; e < 2; ++e) {
      const double *W = p->row + 18 * i + 6 * e;
      const double wanted = limpet_vec3_dot(W, turn) + limpet_vec3_dot(W + 3, shift);
      worst = fmax(worst, fabs(limpet_vec3_dot(W + 3, z) - wanted));
    }
  }
  return worst;
}

static void random_motion(unsigned long *seed, double size, double turn[3], double shift[3]) {
  for (int i = 0; i < 3; ++i) {
    shift[i] = size * random_uniform(seed, -1.0, 1.0);
    turn[i] = size / radius * random_uniform(seed, -1.0, 1.0);
  }
}

static void other_points_have_the_same_shear(void **state) {
  (void)state;
  unsigned long seed = 3;
  for (int k = 0; k < 50; ++k) {
    const int count = 3 + (int)random_uniform(&seed, 0.0, MOST - 3.0);
    const double bend = pow(10.0, random_uniform(&seed, 0.0, 1.7)), size = 0.1 * dt * slip_speed;
    patch *p = patch_create(count, bend, &seed),
          *other = patch_create(3 + (int)random_uniform(&seed, 0.0, MOST - 3.0), bend, &seed);
    double turn[3], shift[3];
    random_motion(&seed, size, turn, shift);
    slip_by(p, turn, shift);
    limpet_shear next;
    assert_true(next_of(p, &next));
    // what no point feels is left out by a share of 1e-10 over that with which it is felt
    const double allowed = 1e-4 * size;
    assert_true(difference(p, &next, turn, shift) < allowed);
    if (count > 8) assert_true(difference(other, &next, turn, shift) < 10.0 * allowed);
    free(p), free(other);
  }
}

static void what_no_point_feels_is_not_kept(void **state) {
  (void)state;
  unsigned long seed = 5;
  patch *p = patch_create(20, 0.0, &seed);
  const double turn[3] = {1e-6, -2e-6, 0.0}, shift[3] = {0.0, 0.0, 1e-8};
  slip_by(p, turn, shift);
  limpet_shear next;
  assert_true(next_of(p, &next));
  for (int i = 0; i < 3; ++i)
    assert_true(fabs(next.turn[i]) < 1e-15 && fabs(next.shift[i]) < 1e-15);
  // without normal force there is nothing
  for (int i = 0; i < 20; ++i) p->gamma[3 * i + 2] = 0.0;
  assert_false(next_of(p, &next));
  free(p);
}

static void what_slides_keeps_its_direction(void **state) {
  (void)state;
  unsigned long seed = 7;
  patch *p = patch_create(30, 1.0, &seed);
  const double turn[3] = {0.0}, shift[3] = {3e-4, 4e-4, 0.0};  // 0.25 m/s
  slip_by(p, turn, shift);
  limpet_shear next;
  assert_true(next_of(p, &next));
  const double way = hypot(next.shift[0], next.shift[1]);
  assert_true(fabs(next.shift[0] / way - 0.6) < 1e-6 && fabs(next.shift[1] / way - 0.8) < 1e-6);
  // t = 0.997: about 13 times the slip of a step at eps_s
  assert_true(way > 10.0 * dt * slip_speed && way < 15.0 * dt * slip_speed);
  free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(other_points_have_the_same_shear),
                                     cmocka_unit_test(what_no_point_feels_is_not_kept),
                                     cmocka_unit_test(what_slides_keeps_its_direction)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
