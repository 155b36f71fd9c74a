/* tests/geometry/test_pressure_through.c: bodies that lie through each other have surfaces that
 * fold back: no sheet of them is lost. Force and moment are compared with the gradient of the
 * potential U = int min(p_A, p_B) dV, which is integrated over the volume without any surface. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "effort.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "pressure_potential.h"
#include "pressure_shapes.h"
#include "hull_shapes.h"

typedef struct thing {
  limpet_shape_kind kind;
  double size[3];  // [m]
  double modulus;  // [Pa]
} thing;

typedef struct crossed {
  const char *name;
  thing a, b;
  double at[3];    // [m]  of B
  double turn[4];  // of B in A, a quaternion; 0: at random
} crossed;

static limpet_pressure_field *field_of(const thing *t) {
  limpet_pressure_material material = limpet_pressure_material_default();
  material.modulus = t->modulus;
  return limpet_pressure_field_of_shape(t->kind, t->size, NULL, &material, NULL);
}

/* How far force and moment are off, over the sum of pressures and 0.1 m; *stated: what the surface
 * says. */
static double off(limpet_pressure_surface *surface, const crossed *c, unsigned long *seed,
                  double tolerance, double *stated) {
  limpet_pressure_field *field[2] = {field_of(&c->a), field_of(&c->b)};
  test_pose pose[2] = {{.position = {0.0, 0.0, 0.0}}};
  for (int k = 0; k < 2; ++k) test_random_rotation(seed, pose[k].rotation);
  limpet_vec3_copy(pose[1].position, c->at);
  double turn[4];
  limpet_quaternion_copy(turn, c->turn);
  if (turn[0] > 0.0) {
    limpet_quaternion_normalize(turn);
    limpet_mat3_identity(pose[0].rotation);
    limpet_quaternion_to_matrix(pose[1].rotation, turn);
  }
  const limpet_pressure_body a = {field[0], pose[0].position, pose[0].rotation},
                             b = {field[1], pose[1].position, pose[1].rotation};
  limpet_pressure_query query = limpet_pressure_query_default();
  query.tolerance = tolerance;
  assert_int_equal(limpet_pressure_surface_compute(surface, &a, &b, &query), LIMPET_OK);
  const test_potential u = test_potential_compute(&a, &b, 1e-3);
  double df[3], dm[3];
  limpet_vec3_sub(df, u.force, surface->force);
  limpet_vec3_sub(dm, u.moment, surface->moment);
  for (int k = 0; k < 2; ++k) limpet_pressure_field_destroy(field[k]);
  *stated = surface->error;
  return fmax(limpet_vec3_norm(df), 10.0 * limpet_vec3_norm(dm)) / surface->pressure_integral;
}

static const crossed things[] = {
    {"capsules",
     {LIMPET_SHAPE_CAPSULE, {.03, .08, 0}, 1e6},
     {LIMPET_SHAPE_CAPSULE, {.03, .08, 0}, 1e6},
     {.01, .004, -.006},
     {0}},
    {"a capsule in a ball",
     {LIMPET_SHAPE_SPHERE, {.06, .06, .06}, 1e6},
     {LIMPET_SHAPE_CAPSULE, {.02, .09, 0}, 1e6},
     {.02, .01, .01},
     {0}},
    {"a cylinder in an ellipsoid",
     {LIMPET_SHAPE_ELLIPSOID, {.05, .08, .04}, 3e6},
     {LIMPET_SHAPE_CYLINDER, {.02, .09, 0}, 1e6},
     {.01, -.01, .02},
     {0}},
    {"a capsule in a box",
     {LIMPET_SHAPE_BOX, {.05, .08, .04}, 3e5},
     {LIMPET_SHAPE_CAPSULE, {.02, .09, 0}, 1e6},
     {.015, -.01, .01},
     {0}},
    {"a capsule through a rigid ball",
     {LIMPET_SHAPE_SPHERE, {.04, .04, .04}, INFINITY},
     {LIMPET_SHAPE_CAPSULE, {.03, .09, 0}, 1e6},
     {.01, -.01, .01},
     {0}},
};

// Within what a step asks for, and better where more is asked for.
static void no_sheet_is_lost(void **state) {
  (void)state;
  limpet_pressure_surface *surface = limpet_pressure_surface_create(NULL);
  unsigned long seed = 4;
  for (int i = 0; i < (int)(sizeof things / sizeof *things); ++i)
    for (int turn = 0; turn < test_effort(2, 1); ++turn) {
      const unsigned long same = seed;
      double stated[2];
      const double quick = off(surface, &things[i], &seed, 1e-3, &stated[0]);
      seed = same;
      const double finer = off(surface, &things[i], &seed, 2e-4, &stated[1]);
      print_message("%s: off by %.2g, %.2g; stated %.2g, %.2g\n", things[i].name, quick, finer,
                    stated[0], stated[1]);
      assert_true(quick < 1.5e-2);
      assert_true(finer < 3e-3);
    }
  limpet_pressure_surface_destroy(surface);
}

/* A ray that has left the surface may meet it again: rays that ended there were off by 3.8 and 5 %,
 * and stated a tenth of it. */
static const crossed again[] = {
    {"a rigid cylinder in an ellipsoid",
     {LIMPET_SHAPE_ELLIPSOID, {.2227, .1901, .07776}, 1.93e6},
     {LIMPET_SHAPE_CYLINDER, {.08404, .02668, 0}, INFINITY},
     {-.041237, .033109, .021389},
     {.21688, -.43815, .69183, -.53138}},
    {"a ball in a stiff cylinder",
     {LIMPET_SHAPE_CYLINDER, {.03447, .007161, 0}, 1.76e7},
     {LIMPET_SHAPE_SPHERE, {.09461, .09461, .09461}, 9.38e4},
     {-.068297, .027521, -.023164},
     {.49954, .25893, .53494, .63028}},
};

static void rays_go_on_where_the_surface_may(void **state) {
  (void)state;
  limpet_pressure_surface *surface = limpet_pressure_surface_create(NULL);
  unsigned long seed = 4;
  for (int i = 0; i < 2; ++i) {
    double stated;
    const double gap = off(surface, &again[i], &seed, 1e-3, &stated);
    print_message("%s: off by %.2g, stated %.2g\n", again[i].name, gap, stated);
    assert_true(gap < 2e-3);
  }
  limpet_pressure_surface_destroy(surface);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_sheet_is_lost),
                                     cmocka_unit_test(rays_go_on_where_the_surface_may)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
