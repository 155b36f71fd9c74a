/* tests/geometry/test_pressure_deep.c: bodies that lie deep in a half space, so deep that its
 * pressure is above that of their core.
 *
 * The force is (E/H) times the volume below the plane in which the body's pressure is the higher
 * one (the divergence theorem: on the surface both are equal, on the plane both are zero). That
 * region is convex, and is summed here over columns. Where it is empty the body is swallowed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "effort.h"
#include "geometry/pressure.h"
#include "math/extremes.h"
#include "math/vec3.h"
#include "pressure_shapes.h"
#include "random_models.h"

enum { COLUMNS = 120, HALVINGS = 36 };
/* [-]  of the force: few are off by more than `usual`, where what is left of the body is a flat
 * lens under the plane, and rays graze it. */
static const double worst = 0.25, usual = 0.02;

typedef struct deep {
  limpet_shape_kind kind;
  double size[3], depth, modulus, ground, slab;  // [m], [Pa]
  double radius;                                 // [m]  around the body
  test_pose pose;                                // over the plane z = 0
  limpet_pressure_field *field;
} deep;

static deep draw(unsigned long *seed) {
  static const limpet_shape_kind kinds[] = {LIMPET_SHAPE_SPHERE, LIMPET_SHAPE_ELLIPSOID,
                                            LIMPET_SHAPE_CAPSULE, LIMPET_SHAPE_CYLINDER};
  deep d = {.kind = kinds[(int)random_uniform(seed, 0.0, 3.999)],
            .modulus = random_log(seed, 1e4, 1e8)};
  const double scale = random_log(seed, 1e-3, 1.0);
  for (int i = 0; i < 3; ++i) d.size[i] = scale * random_log(seed, 0.3, 1.0);
  d.ground = d.modulus * random_log(seed, 0.2, 5.0), d.slab = scale * random_log(seed, 0.2, 3.0);
  random_turn(seed, d.pose.rotation, 3.0);
  const double *s = d.size;
  d.radius = d.kind == LIMPET_SHAPE_SPHERE      ? s[0]
             : d.kind == LIMPET_SHAPE_ELLIPSOID ? limpet_max(s[0], limpet_max(s[1], s[2]))
             : d.kind == LIMPET_SHAPE_CAPSULE   ? s[0] + s[1]
                                                : sqrt(s[0] * s[0] + s[1] * s[1]);
  limpet_vec3_zero(d.pose.position);
  d.pose.position[2] = d.radius * random_uniform(seed, -1.0, 0.6);
  limpet_pressure_material material = limpet_pressure_material_default();
  material.modulus = d.modulus;
  d.field = limpet_pressure_field_of_shape(d.kind, d.size, NULL, &material, NULL);
  assert_non_null(d.field);
  return d;
}

// Pressure of the body less that of the ground, which is 0 above it.
static double gap(const deep *d, double x, double y, double z) {
  const double at[3] = {x - d->pose.position[0], y - d->pose.position[1], z - d->pose.position[2]};
  double own[3];
  int piece;
  limpet_mat3_tmul_vec(own, d->pose.rotation, at);
  return limpet_pressure_closed_form(d->field, own, NULL, &piece) + d->ground * z / d->slab;
}

// The edge of the positive part of a column between two heights, of which the first is positive.
static double edge(const deep *d, double x, double y, double in, double out) {
  for (int k = 0; k < HALVINGS; ++k) {
    const double middle = 0.5 * (in + out);
    if (gap(d, x, y, middle) > 0.0) in = middle;
    else out = middle;
  }
  return in;
}

// Length of the part of a column below the plane where the gap, which is concave, is positive.
static double column(const deep *d, double x, double y) {
  const double bottom = d->pose.position[2] - d->radius;
  double low = bottom, high = 0.0;
  for (int k = 0; k < 2 * HALVINGS; ++k) {
    const double third = (high - low) / 3.0;
    if (gap(d, x, y, low + third) < gap(d, x, y, high - third)) low += third;
    else high -= third;
  }
  if (!(gap(d, x, y, low) > 0.0)) return 0.0;
  const double top = gap(d, x, y, 0.0) > 0.0 ? 0.0 : edge(d, x, y, low, 0.0);
  return top - edge(d, x, y, low, bottom - d->radius);
}

static double expected_force(const deep *d) {
  const double cell = 2.0 * d->radius / COLUMNS;
  double volume = 0.0;
  for (int i = 0; i < COLUMNS; ++i)
    for (int j = 0; j < COLUMNS; ++j) {
      const double x = (i + 0.5) * cell - d->radius, y = (j + 0.5) * cell - d->radius;
      volume += column(d, x, y) * cell * cell;
    }
  return d->ground / d->slab * volume;
}

// [N]  and whether the body is swallowed.
static double force_of(const deep *d, bool *swallowed) {
  static const double origin[3] = {0.0, 0.0, 0.0}, upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  limpet_pressure_material material = limpet_pressure_material_default();
  material.modulus = d->ground, material.slab_thickness = d->slab;
  limpet_pressure_field *ground = limpet_pressure_field_of_shape(
      LIMPET_SHAPE_PLANE, (const double[3]){0.0, 0.0, 0.0}, NULL, &material, NULL);
  assert_non_null(ground);
  const limpet_pressure_body a = {ground, origin, upright},
                             b = {d->field, d->pose.position, d->pose.rotation};
  const limpet_pressure_query query = limpet_pressure_query_default();
  limpet_pressure_surface *surface = limpet_pressure_surface_create(NULL);
  assert_non_null(surface);
  assert_int_equal(limpet_pressure_surface_compute(surface, &a, &b, &query), LIMPET_OK);
  const double force = fabs(surface->force[2]);
  *swallowed = limpet_pressure_is_swallowed(surface);
  limpet_pressure_surface_destroy(surface);
  limpet_pressure_field_destroy(ground);
  return force;
}

static void bodies_deep_in_soft_ground_float(void **state) {
  (void)state;
  unsigned long seed = 77;
  const int cases = test_effort(150, 10);
  int pressed = 0, swallowed_bodies = 0, unusual = 0;
  for (int k = 0; k < cases; ++k) {
    deep d = draw(&seed);
    const double expected = expected_force(&d), largest = d.ground / d.slab * pow(d.radius, 3.0);
    bool swallowed;
    const double force = force_of(&d, &swallowed);
    if (expected > 1e-3 * largest) {
      const double off = fabs(force - expected) / expected;
      if (off > worst)
        fail_msg("case %d, shape %d, size %g %g %g m at %g m, E %g on %g Pa/%g m: %g N for %g\n", k,
                 (int)d.kind, d.size[0], d.size[1], d.size[2], d.pose.position[2], d.modulus,
                 d.ground, d.slab, force, expected);
      assert_false(swallowed);
      ++pressed, unusual += off > usual;
    } else if (expected == 0.0 && d.pose.position[2] < 0.0) {
      assert_true(swallowed);
      assert_true(force <= 1e-6 * largest);
      ++swallowed_bodies;
    }
    limpet_pressure_field_destroy(d.field);
  }
  print_message("%d pressed, %d off by more than usual, %d swallowed\n", pressed, unusual,
                swallowed_bodies);
  assert_true(pressed > cases / 3 && (swallowed_bodies > 0 || cases < 100));
  assert_true(unusual <= 1 + pressed / 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bodies_deep_in_soft_ground_float)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
