/* tests/laws/test_torqued_flight.c: how a lone body flies under torques and forces, against
 * Runge-Kutta steps of a thousandth.
 *
 *   c'' = F/m,   (R I w)' = T,   R' = R [w]
 *   F = a + f + m g,   T = R (t - c x R'a) + n     a, t: applied_force, n, f: wrench; c: centre of
 * mass in the body. With s = h |w|, k = h^2 |I^-1 T| and r = min(s, 1/2), since what turns by more
 * is divided, the local error of pose and of h w is third order in h:
 *   error <= C (s r^2 + s k + k^2) + round-off                       C = 1: 0.5 at worst in 4,000
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "mjcf_text.h"
#include "shared_data.h"

enum { BODIES = 1000, FINE = 1000 };

static unsigned long seed = 1712;

static double logarithmic(double low, double high) {
  return low * pow(high / low, random_uniform(&seed, 0.0, 1.0));
}

static void direction(double x[3]) {
  do {
    for (int k = 0; k < 3; ++k) x[k] = random_uniform(&seed, -1.0, 1.0);
  } while (limpet_vec3_norm(x) > 1.0 || limpet_vec3_norm(x) < 0.1);
  limpet_vec3_scale(x, 1.0 / limpet_vec3_norm(x), x);
}

typedef struct load {
  double force[6];   // applied_force
  double wrench[6];  // applied_wrench
} load;

typedef struct thrown {
  limpet_model *model;
  limpet_data *data;
  limpet_step_settings settings;
  double I[3], c[3], mass;
  load load;
  double s, k, K;  // [rad]  see above
} thrown;

// What nature does: c, V, orientation and w.
typedef struct motion {
  double com[3], V[3], rotation[4], w[3];
} motion;

// In body axes.
static void torque_of(const thrown *b, const double rotation[4], double torque[3]) {
  double R[9], moment[3], pull[3], steady[3];
  limpet_quaternion_to_matrix(R, rotation);
  limpet_mat3_tmul_vec(pull, R, b->load.force);
  limpet_vec3_cross(moment, b->c, pull);
  limpet_mat3_tmul_vec(steady, R, b->load.wrench);
  for (int k = 0; k < 3; ++k) torque[k] = b->load.force[3 + k] - moment[k] + steady[k];
}

static void derivative(const thrown *b, const motion *m, motion *rate) {
  const double w[4] = {0.0, m->w[0], m->w[1], m->w[2]};
  double torque[3], L[3], gyration[3], twice[4];
  torque_of(b, m->rotation, torque);
  for (int k = 0; k < 3; ++k) L[k] = b->I[k] * m->w[k];
  limpet_vec3_cross(gyration, m->w, L);
  limpet_quaternion_mul(twice, m->rotation, w);
  for (int k = 0; k < 3; ++k) {
    rate->w[k] = (torque[k] - gyration[k]) / b->I[k];
    rate->com[k] = m->V[k];
    rate->V[k] = (b->load.force[k] + b->load.wrench[3 + k]) / b->mass;
  }
  for (int k = 0; k < 4; ++k) rate->rotation[k] = 0.5 * twice[k];
}

static void add(motion *to, const motion *from, double by, const motion *rate) {
  const double *a = (const double *)from, *r = (const double *)rate;
  double *x = (double *)to;
  for (size_t i = 0; i < sizeof *to / sizeof *x; ++i) x[i] = a[i] + by * r[i];
}

static void runge_kutta(const thrown *b, double h, motion *m) {
  motion k[4], at = *m;
  derivative(b, &at, &k[0]);
  add(&at, m, 0.5 * h, &k[0]);
  derivative(b, &at, &k[1]);
  add(&at, m, 0.5 * h, &k[1]);
  derivative(b, &at, &k[2]);
  add(&at, m, h, &k[2]);
  derivative(b, &at, &k[3]);
  for (int i = 0; i < 4; ++i) add(m, m, h * (i % 3 ? 1.0 / 3.0 : 1.0 / 6.0), &k[i]);
  limpet_quaternion_normalize(m->rotation);
}

// The motion that the world has.
static motion motion_of(const thrown *b) {
  motion m;
  const double *q = b->data->q, *v = b->data->v;
  double R[9], arm[3], beside[3];
  limpet_quaternion_copy(m.rotation, q + 3);
  limpet_quaternion_to_matrix(R, m.rotation);
  limpet_vec3_copy(m.w, v + 3);
  limpet_mat3_mul_vec(arm, R, b->c);
  limpet_vec3_add(m.com, q, arm);
  limpet_vec3_cross(beside, m.w, b->c);
  limpet_mat3_mul_vec(arm, R, beside);
  limpet_vec3_add(m.V, v, arm);
  return m;
}

static limpet_model *random_body(thrown *b) {
  char text[512];
  double spread[3];  // [kg m^2]  of points along the axes: any such inertia exists
  b->mass = logarithmic(1e-3, 1e3);
  const double size = logarithmic(1e-3, 1.0);
  for (int k = 0; k < 3; ++k) spread[k] = b->mass * size * size * logarithmic(1e-4, 1.0);
  for (int k = 0; k < 3; ++k) b->I[k] = spread[(k + 1) % 3] + spread[(k + 2) % 3];
  const bool beside = random_uniform(&seed, 0.0, 1.0) < 0.5;
  for (int k = 0; k < 3; ++k) b->c[k] = beside ? random_uniform(&seed, -size, size) : 0.0;
  snprintf(text, sizeof text,
           MODEL("<option gravity='0 0 0'/><worldbody><body><freejoint/><inertial pos='%.17g "
                 "%.17g %.17g' mass='%.17g' diaginertia='%.17g %.17g %.17g'/></body></worldbody>"),
           b->c[0], b->c[1], b->c[2], b->mass, b->I[0], b->I[1], b->I[2]);
  return mjcf_load(text);
}

// A load whose torque turns the body by k [rad] in h^2.
static void push(thrown *b, double h, double k) {
  double torque[3];
  double *force = b->load.force, *wrench = b->load.wrench;
  const double arm = fmax(limpet_vec3_norm(b->c), 1e-3);
  for (int i = 0; i < 6; ++i) {
    force[i] = random_uniform(&seed, 0.0, 1.0) < 0.7 ? random_uniform(&seed, -1.0, 1.0) : 0.0;
    wrench[i] = random_uniform(&seed, 0.0, 1.0) < 0.7 ? random_uniform(&seed, -1.0, 1.0) : 0.0;
    if (i < 3) force[i] /= arm;
    else wrench[i] /= arm;
  }
  torque_of(b, b->data->q + 3, torque);
  const double whole = limpet_vec3_norm(torque);
  for (int i = 0; i < 3; ++i) torque[i] /= b->I[i];
  const double size = limpet_vec3_norm(torque), share = size > 0.0 ? k / (h * h * size) : 0.0;
  b->K = h * h * share * whole / fmin(fmin(b->I[0], b->I[1]), b->I[2]);
  for (int i = 0; i < 6; ++i) force[i] *= share, wrench[i] *= share;
  memcpy(b->data->applied_force, force, sizeof b->load.force);
  memcpy(b->data->applied_wrench + 6, wrench, sizeof b->load.wrench);
}

static thrown random_throw(void) {
  thrown b = {.s = 0.0};
  b.model = random_body(&b);
  b.data = limpet_data_create(b.model);
  b.settings = limpet_step_settings_default(b.model);
  const double h = b.settings.time_step = logarithmic(5e-5, 5e-3);
  double way[3];
  for (int k = 0; k < 4; ++k) b.data->q[3 + k] = random_uniform(&seed, -1.0, 1.0);
  limpet_quaternion_normalize(b.data->q + 3);
  direction(way);
  const double draw = random_uniform(&seed, 0.0, 1.0);
  limpet_vec3_scale(b.data->v + 3, draw < 0.2 ? 0.0 : logarithmic(1e-12, 1e3), way);
  b.s = h * limpet_vec3_norm(b.data->v + 3);
  b.k = draw > 0.9 ? 0.0 : logarithmic(1e-14, 0.3);
  push(&b, h, b.k);
  return b;
}

static void close_throw(thrown *b) {
  limpet_data_destroy(b->data);
  limpet_model_destroy(b->model);
}

// Errors of the pose [rad], of h W [rad], of the centre of mass [m] and h its velocity.
typedef struct miss {
  double turn, spin, com, velocity;
} miss;

static miss miss_of(const motion *is, const motion *due, double h) {
  double back[4], between[4], angle[3], R[9], W[3], other[3];
  limpet_quaternion_conjugate(back, due->rotation);
  limpet_quaternion_mul(between, back, is->rotation);
  limpet_quaternion_log(angle, between);
  limpet_quaternion_to_matrix(R, is->rotation);
  limpet_mat3_mul_vec(W, R, is->w);
  limpet_quaternion_to_matrix(R, due->rotation);
  limpet_mat3_mul_vec(other, R, due->w);
  return (miss){limpet_vec3_norm(angle), h * limpet_vec3_distance(W, other),
                limpet_vec3_distance(is->com, due->com), h * limpet_vec3_distance(is->V, due->V)};
}

static motion reference(const thrown *b, const motion *start, double time) {
  motion m = *start;
  for (int n = 0; n < FINE; ++n) runge_kutta(b, time / FINE, &m);
  return m;
}

static void a_step_has_an_error_of_third_order(void **state) {
  (void)state;
  double worst = 0.0;
  for (int i = 0; i < BODIES; ++i) {
    thrown b = random_throw();
    const double h = b.settings.time_step, r = fmin(b.s, 0.5);
    const motion start = motion_of(&b), due = reference(&b, &start, h);
    assert_int_equal(limpet_step(b.model, b.data, &b.settings), LIMPET_OUTCOME_SOLVED);
    const motion is = motion_of(&b);
    const miss m = miss_of(&is, &due, h);
    const double scale = b.s * r * r + (b.s + b.k) * b.K;
    // a thousand steps of the yardstick leave 2e-13 of round-off
    const double error = fmax(m.turn, m.spin) - 5e-13 * (1.0 + b.s);
    if (error > 0.0) worst = fmax(worst, error / scale);
    if (error > 0.5 * scale)
      fail_msg("throw %d: off by %g and %g rad of %g", i, m.turn, m.spin, scale);
    // forces are constant: a parabola
    const double way = h * limpet_vec3_norm(start.V) + limpet_vec3_distance(due.com, start.com);
    if (m.com + m.velocity > 1e-12 * (way + limpet_vec3_norm(b.c)))
      fail_msg("throw %d: centre of mass off by %g and %g m of %g", i, m.com, m.velocity, way);
    close_throw(&b);
  }
  printf("worst error of a step: %.3g of its third order\n", worst);
}

// Error of pose and h w after eight steps, or after sixteen of half the length.
static double error_after(thrown *b, const double *state, int halves, const motion *due) {
  const double h = b->settings.time_step;
  limpet_data_state_write(b->model, b->data, state);
  memcpy(b->data->applied_force, b->load.force, sizeof b->load.force);
  memcpy(b->data->applied_wrench + 6, b->load.wrench, sizeof b->load.wrench);
  b->settings.time_step = h / halves;
  for (int n = 0; n < 8 * halves; ++n) limpet_step(b->model, b->data, &b->settings);
  b->settings.time_step = h;
  const motion is = motion_of(b);
  const miss m = miss_of(&is, due, h);
  return fmax(m.turn, m.spin);
}

static void error_falls_as_the_square_of_the_step(void **state) {
  (void)state;
  int counted = 0, least = 0;
  double sum = 0.0;
  for (int i = 0; i < BODIES; ++i) {
    thrown b = random_throw();
    double kept[64];
    assert_true(limpet_data_state_size(b.model) <= 64);
    limpet_data_state_read(b.model, b.data, kept);
    const motion start = motion_of(&b), due = reference(&b, &start, 8.0 * b.settings.time_step);
    const double whole = error_after(&b, kept, 1, &due), half = error_after(&b, kept, 2, &due);
    close_throw(&b);
    // what turns faster is divided, with whole steps more than with halves
    if (!(whole > 1e-9 && b.s + 8.0 * b.k < 0.4)) continue;
    ++counted;
    least += whole / half < 3.5;
    sum += log2(whole / half);
  }
  printf("%d errors fall by 2^%.3f at half the step, %d by less than 3.5\n", counted, sum / counted,
         least);
  assert_true(counted > BODIES / 5);
  assert_true(fabs(sum / counted - 2.0) < 0.05);
}

/* Torques that turn with the body do the work that half of them does at either end, to round-off;
 * those that stay do it to third order of the step, as the mean of power at both ends has it:
 *   h |T| (s + k)/h ((s + k) s + K) of the kinetic energy. */
static void momentum_and_work_are_told(void **state) {
  (void)state;
  double gained = 0.0, turning = 0.0, steady = 0.0;
  for (int i = 0; i < BODIES; ++i) {
    thrown b = random_throw();
    const bool turns = i % 2;
    b.settings.energy = true;
    for (int k = 0; k < 6 && turns; ++k) {
      b.data->applied_wrench[6 + k] = 0.0;
      if (k < 3) b.data->applied_force[k] = 0.0;
    }
    limpet_step(b.model, b.data, &b.settings);
    const limpet_step_info *info = &b.data->info;
    const motion is = motion_of(&b);
    double L[3], spun = 0.0, kinetic = 0.5 * b.mass * limpet_vec3_dot(is.V, is.V);
    for (int k = 0; k < 3; ++k) {
      L[k] = b.I[k] * b.data->v[3 + k];
      spun += 0.5 * L[k] * b.data->v[3 + k];
    }
    const double third = b.K * (b.s + b.K / (b.s + b.k + 1e-300));
    kinetic += spun;
    if (limpet_vec3_norm(L) > 0.0)
      gained = fmax(gained, info->angular_momentum_gained / limpet_vec3_norm(L));
    const double error =
        fmax(info->flight_error, kinetic > 0.0 ? info->energy_rise / kinetic : 0.0);
    if (turns) turning = fmax(turning, error);
    else if (b.s < 0.5) steady = fmax(steady, (error - 1e-12) * kinetic / (spun * third + 1e-300));
    close_throw(&b);
  }
  printf("momentum gained %.2g, work missed %.2g, and %.2g of its third order\n", gained, turning,
         steady);
  assert_true(gained < 1e-12);
  assert_true(turning < 1e-12);
  assert_true(steady < 1.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_step_has_an_error_of_third_order),
                                     cmocka_unit_test(error_falls_as_the_square_of_the_step),
                                     cmocka_unit_test(momentum_and_work_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
