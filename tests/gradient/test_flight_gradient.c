/* tests/gradient/test_flight_gradient.c: derivatives of a step of a lone body in flight along
 * random changes of pose, velocity and forces, alone and together, against differences of steps
 * of fourth order.
 *
 * Bodies turn by 0, 1e-12 ... 0.4 rad in the step, or by 1 mrad less or more than n/2 rad, where
 * the step takes another number of parts: a derivative that compares one number with another is off
 * by its whole size. Their inertias differ by up to 1e4, torques are zero or change the spin by up
 * to 0.03 rad in a step; the centre of mass lies beside the origin or not, wrenches act or not.
 * Each derivative is compared with the best difference of five widths, 1e-3 to 1e-7 rad: their own
 * error is 1e-16 over the width, and its fourth power; a needle's angular momentum swings far over
 * 1e-5 rad. Closed forms: 1e-8. With wrenches, or a centre of mass beside the origin, columns come
 * from differences of 1e-7 rad: 1e-6. Of bodies that turn further than 0.45 rad: five times as
 * much. Nearer to another number of parts, 3 urad, than forces of differences move the body it
 * keeps the number of the step, and so does one that other bodies are welded to. In a medium mean
 * velocities are renewed, or not, as in the step. */
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
#include "step_differences.h"

enum { BODIES = 300, NEAR_BODIES = 60, MEDIUM_BODIES = 20, N = 6, Q = 7 };

static const double widest = 1e-3, narrowest = 1e-7;  // [rad]
static unsigned long seed = 815;

static double uniform(void) { return random_uniform(&seed, -1.0, 1.0); }

static double logarithmic(double low, double high) {
  return low * pow(high / low, random_uniform(&seed, 0.0, 1.0));
}

typedef struct flyer {
  limpet_model *model;
  limpet_data *data, *other;
  limpet_step_settings settings;
  double size, M[3];  // [m], [kg m^2]  of the body, about its centre of mass
} flyer;

static limpet_model *random_flyer(flyer *f) {
  char text[512];
  double spread[3], c[3] = {0.0};
  const double mass = logarithmic(1e-3, 1e3), size = f->size = logarithmic(1e-3, 1.0);
  for (int k = 0; k < 3; ++k) spread[k] = mass * size * size * logarithmic(1e-4, 1.0);
  const double draw = random_uniform(&seed, 0.0, 1.0);
  for (int k = 0; k < 3 && draw < 0.4; ++k) c[k] = size * uniform();
  if (draw > 0.9) spread[1] = spread[2] = spread[0];
  for (int k = 0; k < 3; ++k) f->M[k] = spread[(k + 1) % 3] + spread[(k + 2) % 3];
  snprintf(text, sizeof text,
           MODEL("<worldbody><body><freejoint/><inertial pos='%.17g %.17g %.17g' mass='%.17g' "
                 "diaginertia='%.17g %.17g %.17g'/></body></worldbody>"),
           c[0], c[1], c[2], mass, f->M[0], f->M[1], f->M[2]);
  return mjcf_load(text);
}

// Forces that turn the body by `share` rad in h^2, with the arm of the centre of mass at most.
static void fill_force(const flyer *f, double share, double *force) {
  const double h = f->settings.time_step, least = fmin(fmin(f->M[0], f->M[1]), f->M[2]);
  for (int k = 0; k < 3; ++k) force[k] = share * least / (f->size * h * h) * uniform();
  for (int k = 0; k < 3; ++k) force[3 + k] = share * f->M[k] / (h * h) * uniform();
}

static flyer flyer_open(void) {
  flyer f;
  f.model = random_flyer(&f);
  f.data = limpet_data_create(f.model), f.other = limpet_data_create(f.model);
  f.settings = limpet_step_settings_default(f.model);
  const double h = f.settings.time_step = logarithmic(5e-5, 5e-3);
  double way[3], wrench[N];
  for (int k = 0; k < 4; ++k) f.data->q[3 + k] = uniform();
  limpet_quaternion_normalize(f.data->q + 3);
  for (int k = 0; k < 3; ++k) way[k] = uniform();
  const double draw = random_uniform(&seed, 0.0, 1.0);
  limpet_vec3_scale(f.data->v + 3, draw < 0.4 ? 0.0 : logarithmic(1e-12, 0.2) / h, way);
  if (draw > 0.8) {
    const double parts = ceil(random_uniform(&seed, 0.0, 6.0)), side = uniform() < 0.0 ? -1.0 : 1.0;
    limpet_vec3_scale(f.data->v + 3, (0.5 * parts + side * 1e-3) / h / limpet_vec3_norm(way), way);
  }
  if (uniform() > 0.0) fill_force(&f, logarithmic(1e-12, 0.03), f.data->applied_force);
  if (uniform() > 0.5) {
    fill_force(&f, logarithmic(1e-12, 1e-4), wrench);
    for (int k = 0; k < 3; ++k) {
      f.data->applied_wrench[6 + k] = wrench[3 + k];
      f.data->applied_wrench[9 + k] = wrench[k];
    }
  }
  return f;
}

/* A body, a ball that weighs as much as what is welded to it, 3 urad from another
 * number of parts. */
static flyer flyer_near(void) {
  flyer f = {.size = logarithmic(1e-2, 1.0)};
  char text[512];
  const double mass = logarithmic(1e-3, 1e3), s = f.size, unit = mass * s * s;
  const double place[3] = {s * uniform(), s * uniform(), s * uniform()};
  snprintf(
      text, sizeof text,
      MODEL("<worldbody><body><freejoint/><inertial pos='0 0 0' mass='%g' diaginertia='%g %g "
            "%g'/><body pos='%g %g %g'><inertial pos='0 0 0' mass='%g' diaginertia='%g %g %g'/>"
            "</body></body></worldbody>"),
      mass, 0.1 * unit, 0.1 * unit, 0.1 * unit, place[0], place[1], place[2], mass, 0.1 * unit,
      0.2 * unit, 0.25 * unit);
  for (int k = 0; k < 3; ++k) f.M[k] = unit;
  f.model = mjcf_load(text);
  f.data = limpet_data_create(f.model), f.other = limpet_data_create(f.model);
  f.settings = limpet_step_settings_default(f.model);
  const double h = f.settings.time_step = logarithmic(5e-5, 5e-3);
  const double parts = ceil(random_uniform(&seed, 0.0, 6.0)), side = uniform() < 0.0 ? -1.0 : 1.0;
  double way[3];
  for (int k = 0; k < 3; ++k) way[k] = uniform();
  limpet_vec3_scale(f.data->v + 3, (0.5 * parts + side * 3e-6) / h / limpet_vec3_norm(way), way);
  return f;
}

static void flyer_close(flyer *f) {
  limpet_data_destroy(f->data), limpet_data_destroy(f->other);
  limpet_model_destroy(f->model);
}

// A change of about a radian in pose or h w, and of the size of the body.
typedef struct change {
  double q[N], v[N], force[N];
} change;

static change random_change(const flyer *f, int kind) {
  const double h = f->settings.time_step;
  change x = {.q = {0.0}};
  for (int k = 0; k < N; ++k) {
    const double unit = k < 3 ? f->size : 1.0;
    if (kind == 0 || kind == 3) x.q[k] = unit * uniform();
    if (kind == 1 || kind == 3) x.v[k] = unit / h * uniform();
  }
  if (kind >= 2) fill_force(f, 1.0, x.force);
  return x;
}

// Pose and velocity after the step from the state moved by s x.
static void end_of(flyer *f, const double *state, const change *x, double s, double *q, double *v) {
  limpet_data *data = f->other;
  double move[N];
  limpet_data_state_write(f->model, data, state);
  for (int k = 0; k < N; ++k) {
    move[k] = s * x->q[k];
    data->v[k] += s * x->v[k];
    data->applied_force[k] = f->data->applied_force[k] + s * x->force[k];
    data->applied_wrench[6 + k] = f->data->applied_wrench[6 + k];
  }
  limpet_integrate_position(f->model, data->q, data->q, move, 1.0, false);
  limpet_step(f->model, data, &f->settings);
  memcpy(q, data->q, Q * sizeof *q), memcpy(v, data->v, N * sizeof *v);
}

static void difference_of(flyer *f, const double *state, const change *x, double width, double *dq,
                          double *dv) {
  static const double places[4] = {-2.0, -1.0, 1.0, 2.0}, shares[4] = {1.0, -8.0, 8.0, -1.0};
  double rest[Q], q[Q], v[N], moved[N];
  end_of(f, state, x, 0.0, rest, v);
  memset(dq, 0, N * sizeof *dq), memset(dv, 0, N * sizeof *dv);
  for (int i = 0; i < 4; ++i) {
    end_of(f, state, x, places[i] * width, q, v);
    limpet_difference_position(f->model, moved, rest, q);
    for (int k = 0; k < N; ++k) {
      dq[k] += shares[i] / (12.0 * width) * moved[k];
      dv[k] += shares[i] / (12.0 * width) * v[k];
    }
  }
}

static void product(const limpet_gradient_arrays *J, const change *x, double *y) {
  for (int i = 0; i < N; ++i) {
    y[i] = 0.0;
    for (int k = 0; k < N; ++k)
      y[i] +=
          J->q[N * i + k] * x->q[k] + J->v[N * i + k] * x->v[k] + J->force[N * i + k] * x->force[k];
  }
}

// Largest difference, of displacements in units of the body.
static double worst_of(const flyer *f, const double *a, const double *b, double unit) {
  double worst = 0.0;
  for (int k = 0; k < N; ++k)
    worst = fmax(worst, fabs(a[k] - b[k]) * unit / (k < 3 ? f->size : 1.0));
  return worst;
}

// The least error of pose and velocity along x over the widths.
static double error_along(flyer *f, const double *state, const limpet_gradient *g,
                          const change *x) {
  double best = INFINITY, dq[N], dv[N], q[N], v[N];
  product(&g->dq, x, q), product(&g->dv, x, v);
  for (double width = widest; width > 0.5 * narrowest; width *= 0.1) {
    difference_of(f, state, x, width, dq, dv);
    best = fmin(best, fmax(worst_of(f, q, dq, 1.0), worst_of(f, v, dv, f->settings.time_step)));
  }
  return best;
}

static void directions_agree_with_differences(void **state) {
  (void)state;
  static const char *const kinds[] = {"pose", "velocity", "force", "all"};
  static const double allowed[2] = {1e-8, 1e-6};
  const limpet_gradient_settings wanted = limpet_gradient_settings_default();
  double worst[2] = {0.0};
  int count[2] = {0};
  for (int i = 0; i < BODIES; ++i) {
    flyer f = flyer_open();
    limpet_gradient *g = limpet_gradient_create(f.model);
    double kept[64];
    assert_true(limpet_data_state_size(f.model) <= 64);
    limpet_data_state_read(f.model, f.data, kept);
    const double spin = f.settings.time_step * limpet_vec3_norm(f.data->v + 3);
    limpet_gradient_step(f.model, f.data, &f.settings, &wanted, g);
    assert_null(g->reason);
    const int by = g->by_differences[0];
    ++count[by];
    for (int kind = 0; kind < 4; ++kind) {
      const change x = random_change(&f, kind);
      const double error = error_along(&f, kept, g, &x);
      worst[by] = fmax(worst[by], error);
      if (!(error < (spin > 0.45 ? 5.0 : 1.0) * allowed[by]))
        fail_msg("body %d, h w %g rad, by %s: off by %g rad, %s", i, spin, kinds[kind], error,
                 by ? "by differences" : "in closed form");
    }
    limpet_gradient_destroy(g);
    flyer_close(&f);
  }
  printf("worst error %.2g of %d in closed form, %.2g of %d by differences\n", worst[0], count[0],
         worst[1], count[1]);
  assert_true(count[0] > BODIES / 4);
}

static void parts_are_held(void **state) {
  (void)state;
  const limpet_gradient_settings wanted = limpet_gradient_settings_default();
  double worst = 0.0;
  for (int i = 0; i < NEAR_BODIES; ++i) {
    flyer f = flyer_near();
    limpet_gradient *g = limpet_gradient_create(f.model);
    double kept[64];
    assert_true(limpet_data_state_size(f.model) <= 64);
    limpet_data_state_read(f.model, f.data, kept);
    limpet_gradient_step(f.model, f.data, &f.settings, &wanted, g);
    assert_null(g->reason);
    for (int kind = 0; kind < 4; ++kind) {
      const change x = random_change(&f, kind);
      const double error = error_along(&f, kept, g, &x);
      worst = fmax(worst, error);
      if (!(error < 1e-6)) fail_msg("body %d by kind %d: off by %g rad", i, kind, error);
    }
    limpet_gradient_destroy(g);
    flyer_close(&f);
  }
  printf("worst error %.2g of %d near another number of parts\n", worst, NEAR_BODIES);
}

/* What flies in a medium renews its mean velocity where that misses by a microradian, and turns
 * otherwise then. Differences along torques are ten times as wide: they hold what the step did. */
static void renewals_are_held(void **state) {
  (void)state;
  enum { TORQUES = 3 };
  const limpet_gradient_settings wanted = limpet_gradient_settings_default();
  double worst = 0.0;
  for (int i = 0; i < MEDIUM_BODIES; ++i) {
    char text[512];
    const double size = logarithmic(1e-2, 0.1), mass = logarithmic(1e-3, 1.0);
    snprintf(text, sizeof text,
             MODEL("<option density='1.2' viscosity='2e-5'/><worldbody><body><freejoint/>"
                   "<geom type='ellipsoid' size='%.17g %.17g %.17g' mass='%.17g'/></body>"
                   "</worldbody>"),
             size, 0.7 * size, 0.5 * size, mass);
    limpet_model *model = mjcf_load(text);
    limpet_data *data = limpet_data_create(model), *from = limpet_data_create(model);
    limpet_gradient *g = limpet_gradient_create(model);
    limpet_step_settings settings = limpet_step_settings_default(model);
    for (int d = 0; d < N; ++d) data->v[d] = 2.0 * uniform();
    for (int k = 0; k < 3; ++k) limpet_step(model, data, &settings);
    limpet_data_state_copy(data, from);
    limpet_gradient_step(model, data, &settings, &wanted, g);
    assert_null(g->reason);
    step_differences s;
    step_differences_open(&s, model, from, &settings);
    for (int c = N - TORQUES; c < N; ++c) {
      double own[2 * N], scale[2] = {0.0}, settled;
      for (int d = 0; d < N; ++d) {
        own[d] = g->dq.force[d * N + c], own[N + d] = g->dv.force[d * N + c];
        scale[0] = fmax(scale[0], fabs(own[d])), scale[1] = fmax(scale[1], fabs(own[N + d]));
      }
      assert_true(g->kink.force[c] == 0.0);
      worst = fmax(worst, step_differences_nearest(&s, step_move_force, c, own, scale, &settled));
    }
    step_differences_close(&s);
    limpet_gradient_destroy(g);
    limpet_data_destroy(data), limpet_data_destroy(from);
    limpet_model_destroy(model);
  }
  printf("worst error %.2g of %d in a medium\n", worst, MEDIUM_BODIES);
  assert_true(worst < 1e-8);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(directions_agree_with_differences),
                                     cmocka_unit_test(parts_are_held),
                                     cmocka_unit_test(renewals_are_held)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
