/* tests/laws/test_anisotropic_friction.c: friction that depends on the direction of slip, against
 * equation (31),
 *   f_t = -f_n mu v~/sqrt(|v~|^2 + (m eps_s)^2),  v~ = mu v_t,  mu symmetric with the larger
 *                                                 coefficient m,
 * and against the differential equation of a sliding point. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/step.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "mjcf_text.h"
#include "mjcf_world.h"
#include "shared_data.h"

static const double g0 = 9.81;

// y = M x of a symmetric matrix (xx, xy, yy)
static void multiply(double y[2], const double M[3], const double x[2]) {
  const double a = M[0] * x[0] + M[1] * x[1], b = M[1] * x[0] + M[2] * x[1];
  y[0] = a, y[1] = b;
}

// m (e e' + ratio c c') for e at `angle` to x and c across it
static void friction_matrix(double M[3], double m, double ratio, double angle) {
  const double c = cos(angle), s = sin(angle);
  M[0] = m * (c * c + ratio * s * s), M[1] = m * (1.0 - ratio) * c * s,
  M[2] = m * (s * s + ratio * c * c);
}

#define ON_PLANE(plane, body, joint)                                                \
  "<mujoco xmlns:limpet='limpet'><worldbody><geom type='plane' size='1 1 1' " plane \
  "/><body pos='0 0 .05'>" joint "<geom mass='1' " body "/></body></worldbody></mujoco>"
#define SLIDES                                                                               \
  "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/><joint type='slide' " \
  "axis='0 0 1'/>"

// --------------------------------------------------------------------------------- the law

/* Force of a step against (31) at its velocity, from slips far below the stiction speed to far
 * above. The step begins at rest in the normal direction, so that the normal force of the lag,
 * which bounds friction in Lagged, is that of the step. */
static void compare_with_the_law(const char *contact_model, double ratio, double angle,
                                 bool on_body) {
  char attributes[200], text[800];
  snprintf(attributes, sizeof attributes,
           "limpet:friction_ratio='%.17g' limpet:friction_axis='%.17g %.17g .3'", ratio, cos(angle),
           sin(angle));
  snprintf(text, sizeof text, ON_PLANE("friction='0.4' %s", "size='.05' friction='0.4' %s", SLIDES),
           on_body ? "" : attributes, on_body ? attributes : "");
  mjcf_world w = mjcf_world_of(text, contact_model);
  w.settings.stiction_speed = 0.05;
  w.settings.friction_regularization = 0.0;
  w.settings.tolerance = 1e-12;
  for (int i = 0; i < 300; ++i) mjcf_world_step(&w);

  double M[3], rest[3];
  limpet_vec3_copy(rest, w.data->q);
  friction_matrix(M, 0.4, ratio, angle);
  unsigned long seed = 5;
  for (int n = 0; n < 40; ++n) {
    const double speed = exp(random_uniform(&seed, log(1e-3), log(1.0))),
                 heading = random_uniform(&seed, 0.0, 6.28);
    w.data->v[0] = speed * cos(heading), w.data->v[1] = speed * sin(heading), w.data->v[2] = 0.0;
    limpet_vec3_copy(w.data->q, rest);
    mjcf_world_step(&w);
    assert_int_equal(w.data->contact_count, 1);

    // results are physical: unit frame, momentum balance in the world
    const double *R = w.data->contact_frame, *f = w.data->contact_force,
                 *v = w.data->contact_velocity;
    double force[3] = {0}, velocity[3] = {0};
    for (int e = 0; e < 3; ++e) {
      assert_true(fabs(limpet_vec3_norm(R + 3 * e) - 1.0) < 1e-14);
      limpet_vec3_addmul(force, force, f[e], R + 3 * e);
      limpet_vec3_addmul(velocity, velocity, v[e], R + 3 * e);
    }
    double cross[3];
    limpet_vec3_cross(cross, R, R + 3);
    assert_true(limpet_vec3_distance(cross, R + 6) < 1e-14);
    assert_true(limpet_vec3_distance(velocity, w.data->v) < 1e-9);

    double slip[2], expected[2];
    multiply(slip, M, w.data->v);
    const double largest = 0.4 * fmax(1.0, ratio), eps = largest * 0.05;
    multiply(expected, M, slip);
    for (int i = 0; i < 2; ++i)
      expected[i] *= -force[2] / sqrt(slip[0] * slip[0] + slip[1] * slip[1] + eps * eps);
    if (hypot(force[0] - expected[0], force[1] - expected[1]) > 1e-5 * g0)
      fail_msg("%s, ratio %g, angle %g, v = (%g, %g): (%g, %g) N instead of (%g, %g)",
               contact_model, ratio, angle, w.data->v[0], w.data->v[1], force[0], force[1],
               expected[0], expected[1]);
  }
  mjcf_world_destroy(&w);
}

static void friction_follows_equation_31(void **state) {
  (void)state;
  static const char *const models[] = {"lagged", "similar"};
  for (int k = 0; k < 2; ++k)
    for (int n = 0; n < 6; ++n) {
      static const double ratio[] = {0.3, 0.05, 1.0, 2.5, 0.3, 0.7},
                          angle[] = {0.0, 0.6, 1.0, -1.2, 2.9, 1.5707963267948966};
      compare_with_the_law(models[k], ratio[n], angle[n], n % 2);
    }
}

// ---------------------------------------------------------------------------------- motion

// v' = -g M M v/|M v|, x' = v by Runge-Kutta of order 4
static void point_rate(const double M[3], const double y[4], double rate[4]) {
  double slip[2], force[2];
  multiply(slip, M, y + 2);
  multiply(force, M, slip);
  const double s = hypot(slip[0], slip[1]);
  for (int i = 0; i < 2; ++i) rate[i] = y[2 + i], rate[2 + i] = s > 0.0 ? -g0 * force[i] / s : 0.0;
}

static void point_move(const double M[3], double y[4], double time) {
  enum { STEPS = 2000 };
  const double h = time / STEPS;
  for (int n = 0; n < STEPS; ++n) {
    double k[4][4], at[4];
    for (int stage = 0; stage < 4; ++stage) {
      const double share = stage == 0 ? 0.0 : stage == 3 ? h : 0.5 * h;
      for (int i = 0; i < 4; ++i) at[i] = y[i] + (stage ? share * k[stage - 1][i] : 0.0);
      point_rate(M, at, k[stage]);
    }
    for (int i = 0; i < 4; ++i)
      y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
  }
}

/* A free block on a plane with ratio 0.3 curves. Backward Euler of first order: the error at 2 ms,
 * and at half of it half as large. A block of uniform slip has no moment about the vertical,
 * whatever the axes, but what the load of the lag makes. */
static double curve_error(double dt, double *curved) {
  mjcf_world w = mjcf_world_of(
      ON_PLANE("friction='.5' limpet:friction_ratio='.3' limpet:friction_axis='1 0 0'",
               "type='box' size='.1 .1 .05' friction='0'", "<freejoint/>"),
      "lagged");
  w.settings.time_step = dt;
  const int steps = (int)(0.4 / dt + 0.5), settling = 100;
  for (int i = 0; i < settling; ++i) mjcf_world_step(&w);
  double y[4] = {w.data->q[0], w.data->q[1], 1.6, 1.2}, M[3];
  w.data->v[0] = 1.6, w.data->v[1] = 1.2;
  for (int i = 0; i < steps; ++i) mjcf_world_step(&w);
  friction_matrix(M, 0.5, 0.3, 0.0);
  point_move(M, y, 0.4);
  assert_true(fabs(w.data->v[5]) <
              2.5 * dt);  // the load of the lag shifts over the block: first order too
  *curved = fabs(atan2(w.data->v[1], w.data->v[0]) - atan2(1.2, 1.6));
  const double error = hypot(w.data->q[0] - y[0], w.data->q[1] - y[1]);
  mjcf_world_destroy(&w);
  return error;
}

static void a_block_curves_as_a_point_does(void **state) {
  (void)state;
  double curved;
  const double coarse = curve_error(2e-3, &curved), fine = curve_error(1e-3, &curved);
  assert_true(curved > 0.2);
  if (!(coarse < 5e-3 && fine < 0.6 * coarse))
    fail_msg("errors %g m at 2 ms, %g m at 1 ms", coarse, fine);
}

// ----------------------------------------------------------------- two geoms, pairs of MJCF

// Friction matrix that acts on a body sliding towards x and then y, read off from forces at high
// slip: f = -f_n M M v/|M v|.
static void decelerations(const char *text, double along_x[2], double along_y[2]) {
  for (int k = 0; k < 2; ++k) {
    mjcf_world w = mjcf_world_of(text, "lagged");
    for (int i = 0; i < 100; ++i) mjcf_world_step(&w);
    for (int i = 0; i < 3; ++i) w.data->v[i] = 0.0;
    w.data->v[k] = 3.0;
    double before[2];
    for (int i = 0; i < 2; ++i) before[i] = w.data->v[i];
    for (int i = 0; i < 5; ++i) mjcf_world_step(&w);
    for (int i = 0; i < 2; ++i)
      (k ? along_y : along_x)[i] = (before[i] - w.data->v[i]) / (5.0 * w.settings.time_step * g0);
    mjcf_world_destroy(&w);
  }
}

static void expect(const char *name, const char *text, double x, double y) {
  double a[2], b[2];
  decelerations(text, a, b);
  if (fabs(a[0] - x) > 1e-4 || fabs(a[1]) > 1e-4 || fabs(b[1] - y) > 1e-4 || fabs(b[0]) > 1e-4)
    fail_msg("%s: (%g, %g) for slip along x, (%g, %g) along y; expected %g and %g", name, a[0],
             a[1], b[0], b[1], x, y);
}

static void ratios_of_two_geoms_multiply_along_equal_axes(void **state) {
  (void)state;
  expect("one",
         ON_PLANE("friction='.4' limpet:friction_ratio='.5'", "size='.05' friction='.1'", SLIDES),
         0.4, 0.2);
  expect("equal",
         ON_PLANE("friction='.4' limpet:friction_ratio='.5'",
                  "size='.05' friction='.1' limpet:friction_ratio='.5'", SLIDES),
         0.4, 0.1);
  expect(
      "crossed",
      ON_PLANE("friction='.4' limpet:friction_ratio='.5'",
               "size='.05' friction='.1' limpet:friction_ratio='.25' limpet:friction_axis='0 1 0'",
               SLIDES),
      0.1, 0.2);
  expect("beyond 1",
         ON_PLANE("friction='.4' limpet:friction_ratio='2'", "size='.05' friction='.1'", SLIDES),
         0.4, 0.8);
  expect("none across",
         ON_PLANE("friction='.4' limpet:friction_ratio='0'", "size='.05' friction='.1'", SLIDES),
         0.4, 0.0);
  expect(
      "opposed",
      ON_PLANE("friction='.4' limpet:friction_ratio='.5'",
               "size='.05' friction='.1' limpet:friction_ratio='.5' limpet:friction_axis='0 -3 0'",
               SLIDES),
      0.2, 0.2);
  expect("priority",
         ON_PLANE("friction='.4' limpet:friction_ratio='.5'",
                  "size='.05' friction='.3' priority='1'", SLIDES),
         0.3, 0.3);
  expect("turned geom",
         ON_PLANE("friction='.4' limpet:friction_ratio='.5' euler='0 0 90'",
                  "size='.05' friction='.1'", SLIDES),
         0.2, 0.4);
}

// Axes at 30 degrees to each other: the same friction whichever geom has which, and after a turn of
// the whole scene.
static void two_axes_combine_alike_from_both_sides(void **state) {
  (void)state;
  double a[2], b[2], c[2], d[2];
#define FIRST "limpet:friction_ratio='.5' limpet:friction_axis='1 0 0' "
#define SECOND "limpet:friction_ratio='.2' limpet:friction_axis='.8660254037844386 .5 0' "
  decelerations(ON_PLANE("friction='.4' " FIRST, "size='.05' friction='.4' " SECOND, SLIDES), a, b);
  decelerations(ON_PLANE("friction='.4' " SECOND, "size='.05' friction='.4' " FIRST, SLIDES), c, d);
  for (int i = 0; i < 2; ++i) assert_true(fabs(a[i] - c[i]) < 1e-6 && fabs(b[i] - d[i]) < 1e-6);
  assert_true(fabs(a[1]) > 0.01);  // they do not lie along x and y
}

#define PAIR_WORLD(geom, body, friction)                                        \
  "<mujoco><worldbody><geom name='a' type='plane' size='1 1 1' " geom           \
  "/><body pos='0 0 .05'>" SLIDES "<geom name='b' mass='1' " body               \
  "/></body></worldbody><contact><pair geom1='a' geom2='b' friction='" friction \
  "'/></contact>"                                                               \
  "</mujoco>"

/* MuJoCo's first tangent on a level plane is y; for a capsule on a plane the capsule's axis. No
 * note is left. */
static void pairs_have_the_axes_of_mujoco(void **state) {
  (void)state;
  expect("pair", PAIR_WORLD("", "size='.05'", ".2 .6"), 0.6, 0.2);
  expect("turned plane", PAIR_WORLD("euler='0 0 35'", "size='.05'", ".2 .6"), 0.6, 0.2);
  expect("capsule", PAIR_WORLD("", "type='capsule' size='.05 .1' euler='0 90 0'", ".2 .6"), 0.2,
         0.6);
  expect("no friction along y", PAIR_WORLD("", "size='.05'", "0 .6"), 0.6, 0.0);
  limpet_model *model = mjcf_load(PAIR_WORLD("", "size='.05'", ".2 .6"));
  assert_int_equal(model->note_count, 0);
  limpet_model_destroy(model);
}

// A friction axis along the normal leaves one direction with the ratio, and no NaN.
static void an_axis_along_the_normal_is_harmless(void **state) {
  (void)state;
  double a[2], b[2];
  decelerations(ON_PLANE("friction='.4' limpet:friction_ratio='.5' limpet:friction_axis='0 0 1'",
                         "size='.05' friction='.1'", SLIDES),
                a, b);
  const double low = fmin(a[0], b[1]), high = fmax(a[0], b[1]);
  assert_true(fabs(low - 0.2) < 1e-4 && fabs(high - 0.4) < 1e-4);
}

/* Slip is that against the belt in both directions: a block is carried with a belt that runs across
 * the axes. And the contacts of a block lie at its corners: 100 mm from its middle, to the 10 nm
 * that it sinks in. */
static void a_block_rides_on_an_anisotropic_belt(void **state) {
  (void)state;
  mjcf_world w =
      mjcf_world_of(ON_PLANE("friction='.8' limpet:friction_ratio='.3' limpet:friction_axis='2 1 "
                             "0' limpet:surface_velocity='.3 .4 0'",
                             "type='box' size='.1 .1 .05' friction='0'", "<freejoint/>"),
                    "lagged");
  for (int i = 0; i < 500; ++i) mjcf_world_step(&w);
  const double *q = w.data->q, *v = w.data->v;
  if (fabs(v[0] - 0.3) > 1e-5 || fabs(v[1] - 0.4) > 1e-5)
    fail_msg("rides at (%g, %g) m/s", v[0], v[1]);
  assert_int_equal(w.data->contact_count, 4);
  for (int i = 0; i < 4; ++i) {
    const double *at = w.data->contact_position + 3 * i, dt = w.settings.time_step;
    double corner[3], local[3], R[9];
    limpet_quaternion_to_matrix(R, q + 3);
    for (int k = 0; k < 3; ++k)
      corner[k] = at[k] - (q[k] - dt * v[k]);  // contacts are those of the step's start
    limpet_mat3_tmul_vec(local, R, corner);
    for (int k = 0; k < 3; ++k) assert_true(fabs(fabs(local[k]) - (k < 2 ? 0.1 : 0.05)) < 1e-6);
  }
  mjcf_world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_follows_equation_31),
      cmocka_unit_test(a_block_curves_as_a_point_does),
      cmocka_unit_test(ratios_of_two_geoms_multiply_along_equal_axes),
      cmocka_unit_test(two_axes_combine_alike_from_both_sides),
      cmocka_unit_test(pairs_have_the_axes_of_mujoco),
      cmocka_unit_test(an_axis_along_the_normal_is_harmless),
      cmocka_unit_test(a_block_rides_on_an_anisotropic_belt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
