/* tests/geometry/test_pressure_switch.c: the force of a contact surface does not jump where a body
 * that moves slowly through another one comes from one method (rays, parts) to the other, nor where
 * rays begin or end to look for more than one stretch of the surface.
 *
 * Random pairs, by their numbers: without that their forces jump by 0.02 to 0.41 of themselves,
 * where parts run out or rays end where they leave the surface. A is moved through B in equal
 * steps. Where the method changes between two of them, or the force changes by far more than
 * beside, the place is found by halving; what is left of the difference is the jump. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "effort.h"
#include "geometry/pressure_contact.h"
#include "hull_shapes.h"
#include "math/vec3.h"
#include "pressure_shapes.h"
#include "random_models.h"

enum { STEPS = 40, KINDS = 7 };
static const double allowed = 0.012;  // [-]  of the force, twice of what quick parts are off by
static const double counts = 0.03;    // [-]  of the largest force: less is not looked at
static const double farthest = 0.4;   // [m]  bodies do not touch there

typedef struct pair {
  limpet_shape_kind kind[2];
  limpet_pressure_field *field[2];
  test_pose pose[2];
  double way[3], reach;
} pair;

typedef struct found {
  double force[3], pressed;  // [N], [N]
  bool parts, points;
} found;

static found at(limpet_pressure_surface *surface, const pair *p, double far) {
  double x[3];
  limpet_vec3_addmul(x, p->pose[0].position, far, p->way);
  const limpet_pressure_body a = {p->field[0], p->pose[0].position, p->pose[0].rotation},
                             b = {p->field[1], x, p->pose[1].rotation};
  limpet_pressure_query query = limpet_pressure_query_default();
  query.reach = p->reach;
  assert_int_equal(limpet_pressure_surface_compute(surface, &a, &b, &query), LIMPET_OK);
  found f = {.pressed = surface->pressure_integral,
             .parts = surface->workspace->face_count > 0,
             .points = surface->point_count > 0};
  limpet_vec3_copy(f.force, surface->force);
  return f;
}

static pair draw(int number) {
  static const limpet_shape_kind kinds[KINDS] = {
      LIMPET_SHAPE_SPHERE, LIMPET_SHAPE_ELLIPSOID, LIMPET_SHAPE_CAPSULE, LIMPET_SHAPE_CYLINDER,
      LIMPET_SHAPE_BOX,    LIMPET_SHAPE_MESH,      LIMPET_SHAPE_PLANE};
  unsigned long seed = 1000UL + 7919UL * (unsigned long)number, shape = 7UL + (unsigned long)number;
  for (int k = 0; k < 5; ++k) random_uniform(&seed, 0.0, 1.0);
  pair p = {.reach = 0.0};
  p.kind[0] = kinds[(int)random_uniform(&seed, 0.0, 3.999)];
  p.kind[1] = kinds[(int)random_uniform(&seed, 0.0, 6.999)];
  const int rigid = (int)random_uniform(&seed, 0.0, 3.999);
  for (int k = 0; k < 2; ++k) {
    const double base = random_log(&seed, 0.02, 0.1);
    double size[3];
    for (int i = 0; i < 3; ++i) size[i] = base * random_log(&seed, 0.3, 2.0);
    limpet_pressure_material material = limpet_pressure_material_default();
    material.modulus = rigid == k + 1 ? INFINITY : random_log(&seed, 1e5, 1e7);
    limpet_hull *hull = NULL;
    if (p.kind[k] == LIMPET_SHAPE_MESH) hull = test_hull_random(&shape, 12, size);
    p.field[k] = limpet_pressure_field_of_shape(p.kind[k], size, hull, &material, NULL);
    free(hull);
    assert_non_null(p.field[k]);
    test_random_rotation(&seed, p.pose[k].rotation);
  }
  for (int i = 0; i < 3; ++i)
    p.pose[0].position[i] = 0.0, p.way[i] = random_uniform(&seed, -1.0, 1.0);
  limpet_vec3_normalize(p.way);
  return p;
}

// Where the bodies come apart.
static double touch(limpet_pressure_surface *surface, const pair *p) {
  double low = 0.0, high = farthest;
  for (int k = 0; k < 22; ++k) {
    const double middle = 0.5 * (low + high);
    if (at(surface, p, middle).pressed > 0.0) low = middle;
    else high = middle;
  }
  return low;
}

static double apart(const found *a, const found *b) {
  return limpet_vec3_distance(a->force, b->force);
}

// What is left of the difference between two places, over the force there.
static double jump(limpet_pressure_surface *surface, const pair *p, double low, double high,
                   found a, found b) {
  const bool changes = a.parts != b.parts;
  for (int k = 0; k < 30; ++k) {
    const double middle = 0.5 * (low + high);
    const found m = at(surface, p, middle);
    const bool left = changes ? m.parts != a.parts : apart(&a, &m) > apart(&m, &b);
    if (left) high = middle, b = m;
    else low = middle, a = m;
  }
  return apart(&a, &b) / fmax(a.pressed, b.pressed);
}

// The largest jump of a pair; changes: how often the method does.
static double largest_jump(limpet_pressure_surface *surface, const pair *p, double from, double to,
                           int *changes) {
  found f[STEPS + 1];
  double most = 0.0, worst = 0.0;
  for (int k = 0; k <= STEPS; ++k) {
    f[k] = at(surface, p, from + (to - from) * k / STEPS);
    most = fmax(most, f[k].pressed);
  }
  for (int k = 0; k < STEPS; ++k) {
    const double step = apart(&f[k], &f[k + 1]), before = k > 0 ? apart(&f[k - 1], &f[k]) : step,
                 after = k + 2 <= STEPS ? apart(&f[k + 1], &f[k + 2]) : step;
    const bool changed = f[k].parts != f[k + 1].parts && f[k].points && f[k + 1].points;
    *changes += changed;
    if (!changed && step < 1.5 * fmax(before, after) + 1e-3 * most) continue;
    if (fmax(f[k].pressed, f[k + 1].pressed) < counts * most) continue;
    worst = fmax(worst, jump(surface, p, from + (to - from) * k / STEPS,
                             from + (to - from) * (k + 1) / STEPS, f[k], f[k + 1]));
  }
  return worst;
}

static void methods_agree_where_they_meet(void **state) {
  (void)state;
  static const struct {
    int number;
    bool deep;  // from the middle of the other body on
  } pairs[] = {{40, true}, {6, true}};
  limpet_pressure_surface *surface = limpet_pressure_surface_create(NULL);
  assert_non_null(surface);
  int changes = 0, failed = 0;
  const int count = test_effort((int)(sizeof pairs / sizeof *pairs), 1);
  for (int i = 0; i < count; ++i) {
    pair p = draw(pairs[i].number);
    double depth = INFINITY;
    for (int k = 0; k < 2; ++k)
      if (p.kind[k] != LIMPET_SHAPE_PLANE)
        depth = fmin(depth, limpet_pressure_field_info(p.field[k]).depth);
    const double end = touch(surface, &p);
    p.reach = 1e-3 * depth;
    const double worst =
        largest_jump(surface, &p, pairs[i].deep ? 0.0 : end - depth, end, &changes);
    print_message("%d, %s and %s: jump of %.2g of the force\n", pairs[i].number,
                  limpet_shape_kind_word(p.kind[0]), limpet_shape_kind_word(p.kind[1]), worst);
    failed += !(worst < allowed);
    limpet_pressure_field_destroy(p.field[0]), limpet_pressure_field_destroy(p.field[1]);
  }
  print_message("the method changes %d times\n", changes);
  assert_int_equal(failed, 0);
  assert_true(changes > 0 || count < 2);
  limpet_pressure_surface_destroy(surface);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(methods_agree_where_they_meet)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
