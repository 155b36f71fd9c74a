/* tests/gradient/test_smoothing.c: smoothed derivatives: the barrier's law by itself, its step and
 * the mean over scattered steps against differences; the simulation stays as it is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared_data.h"
#include "gradient/barrier_law.h"
#include "gradient/deviate.h"
#include "gradient/smoothing.h"
#include "gradient_world.h"
#include "limpet/format.h"
#include "limpet/rollout_gradient.h"
#include "mjcf_text.h"

enum { NV = 14, SIZE = 64 };

// An arm above a box that lies on the floor, 2 cm from touch; and a ball on a ball joint.
static const char *const arm_and_box = MODEL(
    "<compiler angle='radian'/><option timestep='0.005'/><worldbody><geom type='plane' size='5 5 "
    ".1' friction='.4' limpet:stiffness='5000'/>"
    "<body pos='0 0 .5'><joint name='a' axis='0 1 0' damping='.1'/><geom type='capsule' "
    "fromto='0 0 0 .4 0 0' size='.03' mass='1'/><body pos='.4 0 0'><joint name='b' axis='0 1 .2'/>"
    "<geom type='capsule' fromto='0 0 0 .02 0 -.3' size='.03' mass='.5' "
    "limpet:stiffness='5000'/></body></body>"
    "<body pos='.42 .01 .059'><freejoint/><geom type='ellipsoid' size='.08 .07 .06' mass='.4' "
    "friction='.5' limpet:stiffness='5000'/></body>"
    "<body pos='0 1 .5'><joint type='ball'/><geom type='capsule' fromto='0 0 0 .1 .05 -.2' "
    "size='.04' mass='.3'/></body><body pos='2 2 2'><joint type='slide' axis='0 0 1'/><geom "
    "type='sphere' size='.1' mass='1'/><joint type='slide' axis='1 0 0'/><joint type='slide' "
    "axis='0 1 0'/></body></worldbody>"
    "<actuator><motor joint='a'/><motor joint='b'/></actuator>");

static gradient_world world_open(const char *contact_model) {
  gradient_world w = gradient_world_open(mjcf_load(arm_and_box), "discrete", contact_model, 0.005);
  assert_int_equal(w.model->nv, NV);
  w.settings.tolerance = 1e-12;
  for (int i = 0; i < NV; ++i) w.data->v[i] = 0.1 * sin(1.0 + 2.0 * i);
  w.data->control[0] = -0.5, w.data->control[1] = 0.2;
  return w;
}

static limpet_gradient_settings wanted_of(limpet_smoothing_kind kind) {
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.smoothing.kind = kind;
  wanted.smoothing.samples = 6;
  wanted.smoothing.spread_position = 0.02;
  wanted.smoothing.spread_velocity = 0.1;
  wanted.smoothing.spread_control = 0.3;
  return wanted;
}

// ---------------------------------------------------------------------------------------- law

static void test_law(void **state) {
  (void)state;
  unsigned long seed = 7;
  for (int i = 0; i < 20000; ++i) {
    const double range = pow(10.0, random_uniform(&seed, -3.0, 0.0));
    const double parameter[LIMPET_NORMAL_PARAMETERS] = {pow(10.0, random_uniform(&seed, -6.0, 0.0)),
                                                        range};
    const limpet_normal_point p = {.dt = pow(10.0, random_uniform(&seed, -4.0, -1.0)),
                                   .distance = range * random_uniform(&seed, -1.0, 1.5),
                                   .stiffness = pow(10.0, random_uniform(&seed, 2.0, 7.0)),
                                   .dissipation = i % 3 ? random_uniform(&seed, 0.0, 20.0) : 0.0,
                                   .parameter = parameter};
    const double v = random_uniform(&seed, -1.0, 1.0) * range / p.dt, h = 1e-5 * range / p.dt;
    double curvature, unused, N[2], n[2];
    const double value = limpet_barrier_law.impulse(&limpet_barrier_law, &p, v, &curvature, NULL);
    for (int side = 0; side < 2; ++side)
      n[side] = limpet_barrier_law.impulse(&limpet_barrier_law, &p, v + (side ? h : -h), &unused,
                                           &N[side]);
    assert_true(value >= 0.0 && curvature >= 0.0);
    assert_true(n[0] >= n[1]);
    // the mean over the width lies between its ends, as the law falls
    const double scale = fmax(fabs(N[0]), fabs(N[1])), mean = (N[1] - N[0]) / (2.0 * h);
    const double slack = 1e-12 * scale / h + 1e-12 * value;
    assert_true(mean <= n[0] + slack && mean >= n[1] - slack);
    // the slope, away from where it jumps: at the range and at 1/d
    const double bend = fmin(range, sqrt(parameter[0] / p.stiffness)), small = 1e-4 * bend / p.dt;
    const double gap = p.distance + p.dt * v - range, ending = p.dissipation * v - 1.0;
    if (fabs(gap) < 2e-4 * bend || fabs(ending) < 2.0 * p.dissipation * small) continue;
    for (int side = 0; side < 2; ++side)
      n[side] = limpet_barrier_law.impulse(&limpet_barrier_law, &p, v + (side ? small : -small),
                                           &unused, NULL);
    assert_true(fabs((n[0] - n[1]) / (2.0 * small) - curvature) <=
                1e-3 * curvature + 1e-13 * value / small);
  }
}

static double force_at(double x, double stiffness, double energy, double range) {
  const double parameter[LIMPET_NORMAL_PARAMETERS] = {energy, range};
  const limpet_normal_point p = {
      .dt = 1e-9, .distance = -x, .stiffness = stiffness, .parameter = parameter};
  double curvature;
  return limpet_barrier_law.impulse(&limpet_barrier_law, &p, 0.0, &curvature, NULL) / p.dt;
}

// A spring deep inside, kappa/d far outside, nothing from the range on; the defining equation.
static void test_law_limits(void **state) {
  (void)state;
  const double k = 1e4, kappa = 1e-3, range = 10.0, c = kappa / range;
  assert_true(fabs(force_at(0.1, k, kappa, range) / (k * 0.1) - 1.0) < 1e-4);
  assert_true(fabs(force_at(-0.1, k, kappa, range) * 0.1 / kappa - 1.0) < 0.02);
  assert_true(force_at(-range, k, kappa, range) < 1e-12 * k);
  for (double x = -9.9; x < 1.0; x += 0.01) {
    const double f = force_at(x, k, kappa, range);
    assert_true(fabs(f / k - kappa / (f + c) - x) < 1e-9 * fmax(1.0, fabs(x)));
  }
}

// -------------------------------------------------------------------------------- differences

typedef struct mean_step {
  gradient_world *w;
  limpet_gradient_settings wanted;
  limpet_step_settings settings;
  double *state;  // at the start
  limpet_data *world, *reference;
} mean_step;

static mean_step mean_open(gradient_world *w, limpet_smoothing_kind kind) {
  mean_step m = {.w = w, .wanted = wanted_of(kind), .settings = w->settings};
  m.state = calloc((size_t)limpet_data_state_size(w->model), sizeof(double));
  m.world = limpet_data_create(w->model), m.reference = gradient_world_copy(w);
  assert_true(m.state && m.world && m.reference);
  limpet_data_state_read(w->model, w->data, m.state);
  if (kind == LIMPET_SMOOTHING_BARRIER)
    assert_null(limpet_gradient_smoothing_step(&m.wanted.smoothing, &w->settings, &m.settings));
  return m;
}

static void mean_close(mean_step *m) {
  free(m->state);
  limpet_data_destroy(m->world), limpet_data_destroy(m->reference);
}

/* Smoothed end of the step from the start moved by `by` along coordinate `index` of (q, v, u):
 * displacement of the pose from the reference's, and velocity (2 nv). */
static void barrier_end(mean_step *m, int index, double by, double *end) {
  const limpet_model *model = m->w->model;
  double d[NV] = {0.0};
  limpet_data_state_write(model, m->world, m->state);
  memcpy(m->world->control, m->w->data->control, (size_t)model->nu * sizeof(double));
  if (index < NV) {
    d[index] = by;
    limpet_integrate_position(model, m->world->q, m->world->q, d, 1.0, false);
  } else if (index < 2 * NV) {
    m->world->v[index - NV] += by;
  } else {
    m->world->control[index - 2 * NV] += by;
  }
  assert_int_equal(limpet_step(model, m->world, &m->settings), LIMPET_OUTCOME_SOLVED);
  limpet_difference_position(model, end, m->reference->q, m->world->q);
  memcpy(end + NV, m->world->v, NV * sizeof *end);
}

static double entry(const limpet_gradient *g, int row, int index, int nu) {
  const limpet_gradient_arrays *a = row < NV ? &g->dq : &g->dv;
  const int i = row % NV;
  if (index < NV) return a->q[i * NV + index];
  return index < 2 * NV ? a->v[i * NV + index - NV] : a->control[i * nu + index - 2 * NV];
}

// The barrier's derivatives are those of its step; the step itself has the bits of a plain one.
static void test_barrier(void **state) {
  (void)state;
  static const char *const models[] = {"coulomb", "lagged", "similar"};
  for (int k = 0; k < 3; ++k) {
    gradient_world w = world_open(models[k]);
    mean_step m = mean_open(&w, LIMPET_SMOOTHING_BARRIER);
    double low[2 * NV], high[2 * NV], worst = 0.0, most = 0.0;
    // steps are solved to some 1e-11 m/s, so wider differences are quieter
    const double h = 1e-5;
    assert_int_equal(limpet_gradient_step(w.model, w.data, &w.settings, &m.wanted, w.gradient),
                     LIMPET_OUTCOME_SOLVED);
    if (w.gradient->reason) fail_msg("%s", w.gradient->reason);
    limpet_step(w.model, m.reference, &w.settings);
    assert_memory_equal(m.reference->q, w.data->q, (size_t)w.model->nq * sizeof(double));
    assert_memory_equal(m.reference->v, w.data->v, NV * sizeof(double));
    // another point for the difference of poses: where the smoothed step ends
    barrier_end(&m, 0, 0.0, low);
    memcpy(m.reference->q, m.world->q, (size_t)w.model->nq * sizeof(double));
    for (int index = 0; index < 2 * NV + w.model->nu; ++index) {
      barrier_end(&m, index, -h, low), barrier_end(&m, index, h, high);
      for (int row = 0; row < 2 * NV; ++row) {
        const double difference = (high[row] - low[row]) / (2.0 * h);
        const double of_step = entry(w.gradient, row, index, w.model->nu);
        worst = fmax(worst, fabs(difference - of_step)), most = fmax(most, fabs(of_step));
      }
    }
    if (!(worst < 3e-6 * most)) fail_msg("%s: %g of %g", models[k], worst, most);
    mean_close(&m);
    gradient_world_close(&w);
  }
}

// The open contact of arm and box: no plain derivative tells it, the barrier's does.
static void test_open_contact(void **state) {
  (void)state;
  double push[2];
  for (int smooth = 0; smooth < 2; ++smooth) {
    gradient_world w = world_open("similar");
    memset(w.data->v, 0, NV * sizeof(double));
    const limpet_gradient_settings wanted =
        wanted_of(smooth ? LIMPET_SMOOTHING_BARRIER : LIMPET_SMOOTHING_NONE);
    limpet_gradient_step(w.model, w.data, &w.settings, &wanted, w.gradient);
    assert_null(w.gradient->reason);
    push[smooth] = 0.0;
    for (int i = 2; i < 8; ++i)
      push[smooth] = fmax(push[smooth], fabs(w.gradient->dv.control[i * w.model->nu]));
    gradient_world_close(&w);
  }
  assert_true(push[0] == 0.0);
  assert_true(push[1] > 1e-9);
}

// ------------------------------------------------------------------------------------- random

// Mean end over the samples of a smoothed derivative, by moving the start of the plain step.
static void random_end(mean_step *m, const double *xi, int index, double by, double *end) {
  const limpet_model *model = m->w->model;
  const int samples = m->wanted.smoothing.samples, nu = model->nu, size = 2 * NV + nu;
  double one[2 * NV], d[NV] = {0.0};
  memset(end, 0, 2 * NV * sizeof *end);
  for (int s = 0; s < samples; ++s) {
    const double *at = xi + s * size;
    limpet_data_state_write(model, m->world, m->state);
    memset(d, 0, sizeof d);
    if (index < NV) d[index] = by;
    limpet_integrate_position(model, m->world->q, m->world->q, d, 1.0, false);
    limpet_integrate_position(model, m->world->q, m->world->q, at, 1.0, false);
    for (int i = 0; i < NV; ++i) m->world->v[i] += at[NV + i] + (index == NV + i ? by : 0.0);
    for (int i = 0; i < nu; ++i)
      m->world->control[i] =
          m->w->data->control[i] + at[2 * NV + i] + (index == 2 * NV + i ? by : 0.0);
    assert_int_equal(limpet_step(model, m->world, &m->settings), LIMPET_OUTCOME_SOLVED);
    limpet_difference_position(model, one, m->reference->q, m->world->q);
    memcpy(one + NV, m->world->v, NV * sizeof *one);
    for (int i = 0; i < 2 * NV; ++i) end[i] += one[i] / samples;
  }
}

// Displacements of all samples (samples x (2 nv + nu)) from the draws of the library.
static double *displacements(const mean_step *m) {
  const limpet_gradient_smoothing *s = &m->wanted.smoothing;
  const int nu = m->w->model->nu, size = 2 * NV + nu;
  double *xi = calloc((size_t)(s->samples * size), sizeof *xi);
  assert_non_null(xi);
  for (int k = 0; k < s->samples; ++k)
    for (int i = 0; i < size; ++i) {
      const double spread = i < NV       ? s->spread_position
                            : i < 2 * NV ? s->spread_velocity
                                         : s->spread_control;
      xi[k * size + i] = (k % 2 ? -1.0 : 1.0) * spread * limpet_deviate(s->seed, k / 2, i);
    }
  return xi;
}

static void test_random(void **state) {
  (void)state;
  gradient_world w = world_open("similar");
  mean_step m = mean_open(&w, LIMPET_SMOOTHING_RANDOM);
  double low[2 * NV], high[2 * NV], worst = 0.0, most = 0.0;
  double *xi = displacements(&m);
  const double h = 1e-6;
  limpet_gradient_step(w.model, w.data, &w.settings, &m.wanted, w.gradient);
  if (w.gradient->reason) fail_msg("%s", w.gradient->reason);
  limpet_step(w.model, m.reference, &w.settings);
  assert_memory_equal(m.reference->q, w.data->q, (size_t)w.model->nq * sizeof(double));
  for (int index = 0; index < 2 * NV + w.model->nu; ++index) {
    random_end(&m, xi, index, -h, low), random_end(&m, xi, index, h, high);
    for (int row = 0; row < 2 * NV; ++row) {
      const double of_step = entry(w.gradient, row, index, w.model->nu);
      worst = fmax(worst, fabs((high[row] - low[row]) / (2.0 * h) - of_step));
      most = fmax(most, fabs(of_step));
    }
  }
  if (!(worst < 1e-6 * most)) fail_msg("%g of %g", worst, most);
  free(xi);
  mean_close(&m);
  gradient_world_close(&w);
}

// Draws are those of a normal distribution, and pairs of them independent.
static void test_deviates(void **state) {
  (void)state;
  enum { COUNT = 40000 };
  double mean = 0.0, square = 0.0, fourth = 0.0, mixed = 0.0;
  for (int i = 0; i < COUNT; ++i) {
    const double x = limpet_deviate(3, i, 0), y = limpet_deviate(3, i, 1);
    mean += x / COUNT, square += x * x / COUNT, fourth += x * x * x * x / COUNT;
    mixed += x * y / COUNT;
  }
  // five standard deviations of each mean
  assert_true(fabs(mean) < 5.0 / sqrt(COUNT));
  assert_true(fabs(square - 1.0) < 5.0 * sqrt(2.0 / COUNT));
  assert_true(fabs(fourth - 3.0) < 5.0 * sqrt(96.0 / COUNT));
  assert_true(fabs(mixed) < 5.0 / sqrt(COUNT));
}

// ------------------------------------------------------------------------------ adjoint, reasons

static void adjoint_check(limpet_smoothing_kind kind) {
  gradient_world w = world_open("similar");
  limpet_gradient_settings wanted = wanted_of(kind);
  double weight_q[NV], weight_v[NV];
  unsigned long seed = 11;
  for (int i = 0; i < NV; ++i) {
    weight_q[i] = random_uniform(&seed, -1.0, 1.0);
    weight_v[i] = random_uniform(&seed, -1.0, 1.0);
  }
  limpet_gradient_step(w.model, w.data, &w.settings, &wanted, w.gradient);
  assert_null(w.gradient->reason);
  assert_true(limpet_gradient_adjoint(w.gradient, weight_q, weight_v));
  for (int index = 0; index < 2 * NV + w.model->nu; ++index) {
    const limpet_gradient_arrays *a = &w.gradient->adjoint;
    const double there = index < NV       ? a->q[index]
                         : index < 2 * NV ? a->v[index - NV]
                                          : a->control[index - 2 * NV];
    double here = 0.0, size = 0.0;
    for (int i = 0; i < NV; ++i) {
      here += weight_q[i] * entry(w.gradient, i, index, w.model->nu) +
              weight_v[i] * entry(w.gradient, NV + i, index, w.model->nu);
      size += fabs(entry(w.gradient, NV + i, index, w.model->nu));
    }
    assert_true(fabs(here - there) <= 1e-9 * (size + fabs(here)));
  }
  // a step that was not differentiated is no step to take the adjoint of
  limpet_step(w.model, w.data, &w.settings);
  assert_false(limpet_gradient_adjoint(w.gradient, weight_q, weight_v));
  gradient_world_close(&w);
}

static void test_adjoint(void **state) {
  (void)state;
  adjoint_check(LIMPET_SMOOTHING_BARRIER);
  adjoint_check(LIMPET_SMOOTHING_RANDOM);
}

static void test_reasons(void **state) {
  (void)state;
  gradient_world w = world_open("sap");
  limpet_gradient_settings wanted = wanted_of(LIMPET_SMOOTHING_BARRIER);
  limpet_error error;
  limpet_gradient_step(w.model, w.data, &w.settings, &wanted, w.gradient);
  assert_non_null(strstr(w.gradient->reason, "normal law of its own"));
  assert_null(w.gradient->dv.q);
  wanted.smoothing.kind = LIMPET_SMOOTHING_RANDOM;
  limpet_gradient_step(w.model, w.data, &w.settings, &wanted, w.gradient);
  assert_null(w.gradient->reason);
  wanted.smoothing.samples = 3;
  assert_int_equal(limpet_gradient_smoothing_check(&wanted.smoothing, &error), LIMPET_ERROR_INPUT);
  assert_non_null(strstr(error.message, "samples is 3; an even number"));
  limpet_gradient_step(w.model, w.data, &w.settings, &wanted, w.gradient);
  assert_non_null(w.gradient->reason);
  gradient_world_close(&w);
}

// The adjoint of a rollout takes the smoothed derivative of each step: the arm feels the box.
static void test_rollout(void **state) {
  (void)state;
  enum { STEPS = 10 };
  gradient_world w = world_open("similar");
  memset(w.data->v, 0, NV * sizeof(double));
  double weight[(STEPS + 1) * NV] = {0.0}, felt[2];
  weight[STEPS * NV + 4] = 1.0;  // height of the box at the end
  limpet_gradient_smoothing smoothing = limpet_gradient_smoothing_default();
  smoothing.kind = LIMPET_SMOOTHING_BARRIER;
  const limpet_data *const start = w.data;
  for (int smooth = 0; smooth < 2; ++smooth) {
    limpet_data *data = gradient_world_copy(&w);
    limpet_rollout_gradient *g = limpet_rollout_gradient_create(w.model, STEPS, 0);
    limpet_rollout_gradient_request request = {.settings = &w.settings,
                                               .step_count = STEPS,
                                               .weight_q = weight,
                                               .smoothing = smooth ? &smoothing : NULL};
    if (!limpet_rollout_gradient_compute(g, w.model, data, &request)) fail_msg("%s", g->reason);
    felt[smooth] = fabs(g->by_control[0]);
    limpet_rollout_gradient_destroy(g);
    limpet_data_destroy(data);
  }
  assert_ptr_equal(start, w.data);
  assert_true(felt[0] == 0.0 && felt[1] > 1e-9);
  gradient_world_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_law),     cmocka_unit_test(test_law_limits),
      cmocka_unit_test(test_barrier), cmocka_unit_test(test_open_contact),
      cmocka_unit_test(test_random),  cmocka_unit_test(test_deviates),
      cmocka_unit_test(test_adjoint), cmocka_unit_test(test_reasons),
      cmocka_unit_test(test_rollout),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
