/* tests/control: trajectories and paths: derivatives against differences, way points, rest at the
 * ends, limits of speed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/control.h"
#include "math/quaternion.h"
#include "shared_data.h"

enum { N = 2, POINTS = 4 };

static const double times[POINTS] = {0.5, 1.0, 2.2, 3.0};
static const double positions[POINTS * N] = {0.1, -1.0, 0.7, 0.2, -0.4, 0.3, 1.1, 0.0};
static const double velocities[POINTS * N] = {0.3, 0.0, -0.2, 0.5, 0.4, -1.0, 0.6, 0.1};

// Central differences with h = 1e-5 s: error h^2/6 q''' + 1e-16/h is below 1e-8 for third
// derivatives below 1e2.
static void expect_derivatives(const limpet_trajectory *t, double time) {
  const double h = 1e-5, tolerance = 1e-7;
  double q[3][N], v[3][N], a[3][N];
  for (int k = 0; k < 3; ++k) limpet_trajectory_at(t, time + (k - 1) * h, q[k], v[k], a[k]);
  for (int i = 0; i < N; ++i) {
    assert_true(fabs((q[2][i] - q[0][i]) / (2.0 * h) - v[1][i]) < tolerance);
    assert_true(fabs((v[2][i] - v[0][i]) / (2.0 * h) - a[1][i]) < tolerance * 10.0);
  }
}

static void sinusoid_is_the_formula(void **state) {
  (void)state;
  limpet_error error;
  const double offset[N] = {0.2, -1.0}, amplitude[N] = {0.5, 2.0}, frequency[N] = {0.7, 1.3},
               phase[N] = {0.1, -0.4};
  limpet_trajectory *t = limpet_trajectory_sinusoid(N, offset, amplitude, frequency, phase, &error);
  assert_non_null(t);
  double q[N], v[N], a[N];
  limpet_trajectory_at(t, 0.9, q, v, a);
  const double w = 2.0 * LIMPET_PI * 1.3;
  assert_true(fabs(q[1] - (-1.0 + 2.0 * sin(w * 0.9 - 0.4))) < 1e-14);
  for (int k = 0; k < 50; ++k) expect_derivatives(t, 0.1 * k);
  assert_true(isinf(limpet_trajectory_end(t)) && limpet_trajectory_count(t) == N);
  limpet_trajectory_destroy(t);
}

// Meets positions and velocities at the points from both sides; the quintic one also has no
// acceleration there.
static void expect_points(limpet_trajectory *t, const double *rate, bool quintic) {
  double q[N], v[N], a[N];
  assert_non_null(t);
  for (int p = 0; p < POINTS; ++p) {
    for (int side = -1; side <= 1; side += 2) {
      const bool outside = (p == 0 && side < 0) || (p == POINTS - 1 && side > 0);
      limpet_trajectory_at(t, times[p] + side * 1e-9, q, v, a);
      for (int i = 0; i < N; ++i) {
        const double wanted = outside || !rate ? 0.0 : rate[p * N + i];
        assert_true(fabs(q[i] - positions[p * N + i]) < 1e-8);
        assert_true(fabs(v[i] - wanted) < 1e-6);
        if (quintic) assert_true(fabs(a[i]) < 1e-5);
      }
    }
  }
  for (int k = 1; k < 40; ++k) expect_derivatives(t, 0.5 + 2.5 * k / 40.0 + 1e-3);
  limpet_trajectory_at(t, 99.0, q, v, a);
  assert_true(q[0] == positions[(POINTS - 1) * N] ||
              fabs(q[0] - positions[(POINTS - 1) * N]) < 1e-14);
  assert_true(v[0] == 0.0 && a[0] == 0.0 && limpet_trajectory_end(t) == 3.0);
  limpet_trajectory_destroy(t);
}

static void way_points_are_met(void **state) {
  (void)state;
  limpet_error error;
  expect_points(limpet_trajectory_quintic(N, POINTS, times, positions, NULL, &error), NULL, true);
  expect_points(limpet_trajectory_quintic(N, POINTS, times, positions, velocities, &error),
                velocities, true);
  expect_points(limpet_trajectory_cubic(N, POINTS, times, positions, NULL, &error), NULL, false);
  expect_points(limpet_trajectory_cubic(N, POINTS, times, positions, velocities, &error),
                velocities, false);
}

static void trapezoid_keeps_its_limits(void **state) {
  (void)state;
  limpet_error error;
  const double from[N] = {0.2, -0.1}, to[N] = {1.4, 0.2}, speed[N] = {0.8, 0.1},
               acceleration[N] = {3.0, 5.0};
  limpet_trajectory *t = limpet_trajectory_trapezoid(N, 0.3, from, to, speed, acceleration, &error);
  assert_non_null(t);
  const double end = limpet_trajectory_end(t);
  double q[N], v[N], a[N], fastest[N] = {0}, steepest[N] = {0};
  for (int k = 0; k <= 4000; ++k) {
    limpet_trajectory_at(t, (end + 0.3) * k / 4000.0, q, v, a);
    for (int i = 0; i < N; ++i)
      fastest[i] = fmax(fastest[i], fabs(v[i])), steepest[i] = fmax(steepest[i], fabs(a[i]));
  }
  // the second joint needs 0.3/0.1 = 3 s at its speed and decides; some limit is used up
  assert_true(fabs(fastest[1] - 0.1) < 1e-12 && fastest[0] <= 0.8 + 1e-12);
  assert_true(steepest[0] <= 3.0 + 1e-9 && steepest[1] <= 5.0 + 1e-9);
  assert_true(fmax(steepest[0] / 3.0, steepest[1] / 5.0) > 1.0 - 1e-9);
  assert_true(q[0] == 0.2 + 1.0 * (1.4 - 0.2) && fabs(q[1] - 0.2) < 1e-15 && v[0] == 0.0);
  for (int k = 1; k < 10; ++k) expect_derivatives(t, 0.3 + 0.3 * k + 0.0137);
  expect_derivatives(t, end - 0.05);  // it slows down for 0.13 s
  limpet_trajectory_destroy(t);

  // too short for the speed: a triangle of duration 2 sqrt(d/a)
  const double near[N] = {0.203, -0.1};
  t = limpet_trajectory_trapezoid(N, 0.0, from, near, speed, acceleration, &error);
  assert_true(fabs(limpet_trajectory_end(t) - 2.0 * sqrt(0.003 / 3.0)) < 1e-12);
  limpet_trajectory_destroy(t);
}

static void wrong_trajectories_are_refused(void **state) {
  (void)state;
  limpet_error error;
  const double backwards[POINTS] = {0.0, 1.0, 1.0, 2.0}, zero[N] = {0.0, 0.0}, nan[N] = {NAN, 0.0};
  assert_null(limpet_trajectory_cubic(N, POINTS, backwards, positions, NULL, &error));
  assert_non_null(strstr(error.message, "time 2"));
  assert_null(limpet_trajectory_quintic(N, 1, times, positions, NULL, &error));
  assert_null(limpet_trajectory_trapezoid(N, 0.0, zero, zero, zero, zero, &error));
  assert_null(limpet_trajectory_sinusoid(N, nan, zero, zero, zero, &error));
}

// Velocity and acceleration of a path against differences of its pose.
static void expect_path_derivatives(const limpet_path *path, double time) {
  const double h = 1e-5;
  limpet_pose pose[3];
  double velocity[3][6], acceleration[3][6], back[4], turn[4], w[3];
  for (int k = 0; k < 3; ++k)
    limpet_path_at(path, time + (k - 1) * h, &pose[k], velocity[k], acceleration[k]);
  limpet_quaternion_conjugate(back, pose[0].quaternion);
  limpet_quaternion_mul(turn, pose[2].quaternion, back);
  limpet_quaternion_log(w, turn);
  for (int i = 0; i < 3; ++i) {
    assert_true(fabs((pose[2].position[i] - pose[0].position[i]) / (2.0 * h) - velocity[1][3 + i]) <
                1e-7);
    assert_true(fabs(w[i] / (2.0 * h) - velocity[1][i]) < 1e-7);
  }
  for (int i = 0; i < 6; ++i)
    assert_true(fabs((velocity[2][i] - velocity[0][i]) / (2.0 * h) - acceleration[1][i]) < 1e-6);
}

static void line_leads_from_pose_to_pose(void **state) {
  (void)state;
  limpet_error error;
  const double when[3] = {0.0, 1.0, 2.5};
  limpet_pose points[3] = {{{0, 0, 1}, {1, 0, 0, 0}},
                           {{0.4, 0.1, 0.8}, {0.5, 0.5, -0.5, 0.5}},
                           {{0, 1, 1}, {-0.6, 0, 0, 0.8}}};
  limpet_path *path = limpet_path_line(3, when, points, &error);
  assert_non_null(path);
  limpet_pose pose;
  double velocity[6], acceleration[6];
  for (int p = 0; p < 3; ++p) {
    limpet_path_at(path, when[p], &pose, velocity, acceleration);
    double same = 0.0;
    for (int i = 0; i < 4; ++i) same += pose.quaternion[i] * points[p].quaternion[i];
    assert_true(fabs(fabs(same) - 1.0) < 1e-14);
    for (int i = 0; i < 3; ++i) assert_true(fabs(pose.position[i] - points[p].position[i]) < 1e-15);
    for (int i = 0; i < 6; ++i)
      assert_true(fabs(velocity[i]) < 1e-12 && fabs(acceleration[i]) < 1e-12);
  }
  for (int k = 1; k < 50; ++k) expect_path_derivatives(path, 2.5 * k / 50.0 + 1e-3);
  limpet_path_destroy(path);
}

static void circle_keeps_its_radius(void **state) {
  (void)state;
  limpet_error error;
  const limpet_pose start = {{0.5, 0.1, 0.4}, {1, 0, 0, 0}};
  const double centre[3] = {0.5, 0.0, 0.3}, axis[3] = {2, 0, 0};
  limpet_path *path =
      limpet_path_circle(&start, centre, axis, 4.0 * LIMPET_PI, 1.0, 5.0, true, &error);
  assert_non_null(path);
  limpet_pose pose;
  double velocity[6], acceleration[6];
  for (int k = 0; k <= 60; ++k) {
    const double time = 1.0 + 4.0 * k / 60.0;
    limpet_path_at(path, time, &pose, velocity, acceleration);
    const double radius = hypot(pose.position[1], pose.position[2] - 0.3);
    assert_true(fabs(radius - hypot(0.1, 0.1)) < 1e-14 && fabs(pose.position[0] - 0.5) < 1e-15);
    if (k > 0 && k < 60) expect_path_derivatives(path, time);
  }
  for (int i = 0; i < 3; ++i) assert_true(fabs(pose.position[i] - start.position[i]) < 1e-14);
  assert_true(limpet_path_end(path) == 5.0);
  limpet_path_destroy(path);
  assert_null(
      limpet_path_circle(&start, centre, (double[3]){0, 0, 0}, 1.0, 0.0, 1.0, false, &error));
  assert_null(limpet_path_circle(&start, centre, axis, 1.0, 1.0, 1.0, false, &error));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sinusoid_is_the_formula),
      cmocka_unit_test(way_points_are_met),
      cmocka_unit_test(trapezoid_keeps_its_limits),
      cmocka_unit_test(wrong_trajectories_are_refused),
      cmocka_unit_test(line_leads_from_pose_to_pose),
      cmocka_unit_test(circle_keeps_its_radius),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
