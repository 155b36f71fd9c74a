/* tests/law/test_normal_laws.c: every contact model with every normal law it takes, at random
 * states of every regime: gradient and Hessian against finite differences, no curl, convexity; and
 * the laws in closed form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "contact_settings.h"
#include "effort.h"
#include "law/contact_model_list.h"
#include "law/normal_law.h"
#include "math/vec3.h"
#include "shared_data.h"

enum { STATES = TEST_WATCHED ? 1000 : 10000 };

/* A law of the user: exponential spring f = F exp(-phi/length), which acts at any distance. The
 * struct goes on with data of its own. */
typedef struct exponential_law {
  limpet_normal_law law;
  double force, length;  // [N], [m]
} exponential_law;

static double exponential_impulse(const limpet_normal_law *law, const limpet_normal_point *p,
                                  double v, double *curvature, double *integral) {
  const exponential_law *own = (const exponential_law *)law;
  const double f = own->force * exp(-(p->distance + p->dt * v) / own->length);
  *curvature = p->dt * p->dt * f / own->length;
  if (integral) *integral = -own->length * f;
  return p->dt * f;
}

static const exponential_law users_law = {
    .law = {.descriptor = {.name = "exponential"}, .impulse = exponential_impulse},
    .force = 3.0,
    .length = 1e-4};

static const limpet_normal_law *law_at(int index) {
  for (int i = 0; limpet_normal_laws()[i]; ++i)
    if (i == index) return limpet_normal_laws()[i];
  int count = 0;
  while (limpet_normal_laws()[count]) ++count;
  return index == count ? &users_law.law : NULL;
}

static double parameter[LIMPET_NORMAL_PARAMETERS];

// One contact and a velocity: sticking, sliding, open, deep, parting faster than 1/d, before touch.
static limpet_contact_constants random_state(unsigned long *seed,
                                             const limpet_compliant_model *model,
                                             const limpet_normal_law *normal, double v[3]) {
  const bool barrier = normal->range != NULL;
  for (int i = 0; i < normal->descriptor.parameter_count; ++i)
    parameter[i] = normal->descriptor.parameters[i].value;
  limpet_contact_constants law = {
      .dt = pow(10.0, random_uniform(seed, -4.0, -2.0)),
      .friction = random_uniform(seed, 0.0, 1.5),
      .stiffness = pow(10.0, random_uniform(seed, 3.0, 8.0)),
      .dissipation = random_uniform(seed, 0.0, 1.0) < 0.2 ? 0.0 : random_uniform(seed, 0.0, 100.0),
      .relaxation_time = random_uniform(seed, 0.0, 1e-2),
      .normal_speed = random_uniform(seed, -0.5, 0.1),
      .delassus = pow(10.0, random_uniform(seed, -2.0, 2.0)),
      .normal =
          model->head.normal_law || normal == &limpet_normal_law_hunt_crossley ? NULL : normal,
      .normal_parameter = parameter};
  law.distance =
      barrier ? pow(10.0, random_uniform(seed, -7.0, -2.5)) : random_uniform(seed, -1e-3, 2e-4);
  law.elastic_force = -law.stiffness * law.distance;
  const limpet_contact_settings settings = test_contact_settings(1e-4, 1e-3, 0.1);
  model->head.prepare(&law, &settings);
  if (model->coupled) {  // the convex passes: the coupled law has no potential
    const bool shifted = random_uniform(seed, 0.0, 1.0) < 0.5;
    law.compliant.friction_form = shifted ? LIMPET_FRICTION_SHIFTED : LIMPET_FRICTION_BOUNDED;
    law.compliant.lagged_impulse = random_uniform(seed, 0.0, 1.0);
    law.compliant.friction_shift = law.compliant.slip_speed * random_uniform(seed, 0.0, 10.0);
  }
  const double scale = law.compliant.slip_speed > 0.0 ? law.compliant.slip_speed : 1e-4;
  double slip = scale * pow(10.0, random_uniform(seed, -2.0, 3.0));
  const double angle = random_uniform(seed, -3.2, 3.2);
  v[2] = random_uniform(seed, -1.2, 1.2) * (fabs(law.distance) / law.dt + 0.01);
  if (barrier) {  // within the barrier, also for z = v_n - mu |v_t|
    v[2] = law.distance / law.dt * (pow(10.0, random_uniform(seed, -3.0, 1.0)) - 1.0);
    slip = fmin(slip, 0.5 * (law.distance / law.dt + v[2]) / (law.friction + 1e-3));
  }
  v[0] = slip * cos(angle), v[1] = slip * sin(angle);
  return law;
}

// What is differentiated: a model's impulses, or those of the model (11) of the paper.
typedef void (*impulse_function)(const limpet_compliant_model *model,
                                 const limpet_contact_constants *law, const double v[3],
                                 double gamma[3]);

static void impulse_of_model(const limpet_compliant_model *model,
                             const limpet_contact_constants *law, const double v[3],
                             double gamma[3]) {
  model->evaluate(law, 1, v, gamma);
}

// (11): regularised Coulomb friction with the normal impulse of the same instant, no potential.
static void impulse_unmodified(const limpet_compliant_model *model,
                               const limpet_contact_constants *law, const double v[3],
                               double gamma[3]) {
  (void)model;
  double curvature;
  gamma[2] = limpet_normal_impulse(law, v[2], &curvature);
  const double share =
      -law->friction * gamma[2] /
      sqrt(v[0] * v[0] + v[1] * v[1] + law->compliant.slip_speed * law->compliant.slip_speed);
  gamma[0] = share * v[0], gamma[1] = share * v[1];
}

// Round-off of impulses [N s]: that of the distance and of the velocity, times the Hessian.
static double roundoff_of(const limpet_compliant_model *model, const limpet_contact_constants *law,
                          const double v[3]) {
  double G[6], size = 0.0;
  model->hessian(law, 1, v, NULL, G);
  for (int k = 0; k < 6; ++k) size = fmax(size, fabs(G[k]));
  return 1e-15 * size * (fabs(law->distance) / law->dt + fabs(v[0]) + fabs(v[1]) + fabs(v[2]));
}

/* Circulation of the impulse around a circle in a random plane, over the sum of |gamma . dv|. The
 * trapezium rule converges faster than any power on circles, if the impulse is smooth inside; two
 * numbers of points tell whether it is. NAN: it is not. */
static double circulation(impulse_function impulse, const limpet_compliant_model *model,
                          const limpet_contact_constants *law, const double v[3], double radius,
                          const double a[3], const double b[3]) {
  double mean[2], size = 0.0;
  for (int round = 0; round < 2; ++round) {
    const int points = round ? 64 : 40;
    double sum = 0.0;
    for (int i = 0; i < points; ++i) {
      const double angle = 2.0 * LIMPET_PI * i / points, c = cos(angle), s = sin(angle);
      double x[3], gamma[3];
      for (int k = 0; k < 3; ++k) x[k] = v[k] + radius * (a[k] * c + b[k] * s);
      impulse(model, law, x, gamma);
      for (int k = 0; k < 3; ++k) {
        const double part = gamma[k] * (b[k] * c - a[k] * s);
        sum += part / points;
        if (round) size += fabs(part) / points;
      }
    }
    mean[round] = sum;
  }
  const double roundoff = roundoff_of(model, law, v);
  if (fabs(mean[0] - mean[1]) > 1e-13 * size + roundoff) return NAN;
  return fabs(mean[1]) > roundoff ? mean[1] / size : 0.0;
}

// Two orthonormal vectors.
static void random_plane(unsigned long *seed, double a[3], double b[3]) {
  double dot = 0.0;
  for (int k = 0; k < 3; ++k)
    a[k] = random_uniform(seed, -1.0, 1.0), b[k] = random_uniform(seed, -1.0, 1.0);
  double norm = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  for (int k = 0; k < 3; ++k) a[k] /= norm, dot += a[k] * b[k];
  for (int k = 0; k < 3; ++k) b[k] -= dot * a[k];
  norm = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
  for (int k = 0; k < 3; ++k) b[k] /= norm;
}

// By how much z of the model is faster than v_n - mu |v_t|, over mu.
static double shift_of(const limpet_contact_constants *law) {
  return law->compliant.friction_form == LIMPET_FRICTION_SHIFTED ? law->compliant.friction_shift
                                                                 : 0.0;
}

/* Radius of circles: a part of the slip speed, and of the way to where the normal impulse bends or
 * a barrier is. */
static double radius_at(const limpet_contact_constants *law, const double v[3]) {
  const double slip =
      hypot(v[0], v[1]) + (law->compliant.slip_speed > 0.0 ? law->compliant.slip_speed
                                                           : law->compliant.R_tangent * 1e-3);
  const double gap = law->distance / law->dt + v[2],
               gap_of_z = gap - law->friction * (hypot(v[0], v[1]) - shift_of(law));
  return 0.05 * fmin(slip, fmin(fabs(gap), fabs(gap_of_z)));
}

static void no_curl(void **state) {
  (void)state;
  for (int m = 0; limpet_contact_models()[m]; ++m)
    for (int l = 0; law_at(l); ++l) {
      if (limpet_contact_models()[m]->family != LIMPET_CONTACT_COMPLIANT) continue;
      const limpet_compliant_model *model = limpet_compliant_model_of(limpet_contact_models()[m]);
      if (model->head.normal_law && model->head.normal_law != law_at(l)) continue;
      unsigned long seed = 11;
      int smooth = 0, curled = 0, unmodified = 0;
      double worst = 0.0;
      for (int n = 0; n < STATES; ++n) {
        double v[3], a[3], b[3];
        const limpet_contact_constants law = random_state(&seed, model, law_at(l), v);
        random_plane(&seed, a, b);
        const double radius = radius_at(&law, v);
        const double curl = circulation(impulse_of_model, model, &law, v, radius, a, b);
        if (!isnan(curl)) {
          ++smooth;
          worst = fmax(worst, fabs(curl));
          curled += fabs(curl) > 1e-11;
        }
        const double other = circulation(impulse_unmodified, model, &law, v, radius, a, b);
        unmodified += !model->head.normal_law && !isnan(other) && fabs(other) > 1e-9;
      }
      printf(
          "%s, %s: %d smooth circles, largest circulation %.2g of its terms; unmodified model: %d "
          "with a curl\n",
          model->head.descriptor.name, law_at(l)->descriptor.name, smooth, worst, unmodified);
      assert_true(smooth > STATES / 2);
      assert_int_equal(curled, 0);
      if (!model->head.normal_law) assert_true(unmodified > STATES / 5);
    }
}

// Largest -eigenvalue of the symmetric G over its largest entry, by Jacobi rotations.
static double smallest_eigenvalue(const double G[6]) {
  double A[3][3] = {{G[0], G[1], G[3]}, {G[1], G[2], G[4]}, {G[3], G[4], G[5]}};
  for (int sweep = 0; sweep < 30; ++sweep)
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        if (A[p][q] == 0.0) continue;
        const double theta = 0.5 * atan2(2.0 * A[p][q], A[q][q] - A[p][p]), c = cos(theta),
                     s = sin(theta);
        for (int k = 0; k < 3; ++k) {
          const double x = A[k][p], y = A[k][q];
          A[k][p] = c * x - s * y, A[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 3; ++k) {
          const double x = A[p][k], y = A[q][k];
          A[p][k] = c * x - s * y, A[q][k] = s * x + c * y;
        }
      }
  return fmin(A[0][0], fmin(A[1][1], A[2][2]));
}

typedef struct stencil {
  double cost[2], gamma[2][3];  // at x - step, x + step
} stencil;

static stencil difference(const limpet_compliant_model *model, const limpet_contact_constants *law,
                          const double v[3], int k, double step) {
  stencil s;
  for (int side = 0; side < 2; ++side) {
    double x[3] = {v[0], v[1], v[2]};
    x[k] += side ? step : -step;
    s.cost[side] = model->evaluate(law, 1, x, s.gamma[side]);
  }
  return s;
}

/* Central differences at two step sizes: where they agree the law is smooth, and Richardson's
 * combination of them has an error of fourth order. Returns whether all of it was smooth; the worst
 * relative differences into worst. */
static bool compare_derivatives(const limpet_compliant_model *model,
                                const limpet_contact_constants *law, const double v[3],
                                double worst[2]) {
  double gamma[3], G[6];
  model->evaluate(law, 1, v, gamma);
  model->hessian(law, 1, v, NULL, G);
  const double full[9] = {G[0], G[1], G[3], G[1], G[2], G[4], G[3], G[4], G[5]};
  const double step = 1e-2 * radius_at(law, v);
  double size = 0.0, impulse = 0.0, found[2] = {0.0, 0.0};
  for (int k = 0; k < 9; ++k) size = fmax(size, fabs(full[k]));
  for (int k = 0; k < 3; ++k) impulse = fmax(impulse, fabs(gamma[k]));
  for (int k = 0; k < 3; ++k) {
    const stencil wide = difference(model, law, v, k, step),
                  narrow = difference(model, law, v, k, 0.5 * step);
    for (int j = 0; j < 3; ++j) {
      const double d1 = -(wide.gamma[1][j] - wide.gamma[0][j]) / (2.0 * step);
      const double d2 = -(narrow.gamma[1][j] - narrow.gamma[0][j]) / step;
      const double roundoff = (4e-15 * impulse + 2.0 * roundoff_of(model, law, v)) / step;
      if (fabs(d1 - d2) > 1e-6 * size + roundoff) return false;
      found[0] = fmax(found[0],
                      (fabs((4.0 * d2 - d1) / 3.0 - full[3 * j + k]) - roundoff) / (size + 1e-300));
    }
    const double s1 = -(wide.cost[1] - wide.cost[0]) / (2.0 * step),
                 s2 = -(narrow.cost[1] - narrow.cost[0]) / step;
    // the cost of friction is a difference of two terms of this size; the distance's round-off
    // works against the impulse
    const double friction = law->friction * law->compliant.lagged_impulse *
                            (hypot(v[0], v[1]) + law->compliant.slip_speed);
    const double work = impulse * (fabs(law->distance) / law->dt + fabs(v[2]));
    const double roundoff =
        4e-15 * (fabs(wide.cost[0]) + fabs(wide.cost[1]) + friction + work) / step;
    if (fabs(s1 - s2) > 1e-6 * impulse + roundoff) return false;
    found[1] =
        fmax(found[1], (fabs((4.0 * s2 - s1) / 3.0 - gamma[k]) - roundoff) / (impulse + 1e-300));
  }
  worst[0] = fmax(worst[0], found[0]);
  worst[1] = fmax(worst[1], found[1]);
  return true;
}

static void gradients_and_hessians_match_finite_differences(void **state) {
  (void)state;
  for (int m = 0; limpet_contact_models()[m]; ++m)
    for (int l = 0; law_at(l); ++l) {
      if (limpet_contact_models()[m]->family != LIMPET_CONTACT_COMPLIANT) continue;
      const limpet_compliant_model *model = limpet_compliant_model_of(limpet_contact_models()[m]);
      if (model->head.normal_law && model->head.normal_law != law_at(l)) continue;
      unsigned long seed = 12;
      int compared = 0;
      double worst[2] = {0.0, 0.0}, smallest = 0.0;
      for (int n = 0; n < STATES; ++n) {
        double v[3], G[6], size = 1e-300;
        const limpet_contact_constants law = random_state(&seed, model, law_at(l), v);
        compared += compare_derivatives(model, &law, v, worst);
        model->hessian(&law, 1, v, NULL, G);
        for (int k = 0; k < 6; ++k) size = fmax(size, fabs(G[k]));
        smallest = fmin(smallest, smallest_eigenvalue(G) / size);
      }
      printf(
          "%s, %s: %d states, Hessian %.2g, gradient %.2g from differences; smallest eigenvalue "
          "%.2g of the Hessian\n",
          model->head.descriptor.name, law_at(l)->descriptor.name, compared, worst[0], worst[1],
          smallest);
      assert_true(compared > STATES * 8 / 10);
      assert_true(worst[0] < 1e-6 && worst[1] < 1e-6);
      assert_true(smallest > -1e-15);  // the rotations' round-off
    }
}

// ------------------------------------------------------------------------------- closed forms

static double force_at(const limpet_normal_law *law, double stiffness, double phi) {
  double curvature;
  for (int i = 0; i < law->descriptor.parameter_count; ++i)
    parameter[i] = law->descriptor.parameters[i].value;
  const limpet_normal_point point = {.dt = 1e-3,
                                     .distance = phi,
                                     .elastic_force = -stiffness * phi,
                                     .stiffness = stiffness,
                                     .dissipation = 20.0,
                                     .relaxation_time = 0.01,
                                     .parameter = parameter};
  return law->impulse(law, &point, 0.0, &curvature, NULL) / point.dt;
}

static void forces_are_the_formulas(void **state) {
  (void)state;
  const double k = 1e6;
  for (double depth = 1e-7; depth < 1e-3; depth *= 3.0) {
    assert_true(fabs(force_at(&limpet_normal_law_hunt_crossley, k, -depth) / (k * depth) - 1.0) <
                1e-14);
    assert_true(fabs(force_at(&limpet_normal_law_kelvin_voigt, k, -depth) / (k * depth) - 1.0) <
                1e-14);
    assert_true(
        fabs(force_at(&limpet_normal_law_hertz, k, -depth) / (k * pow(depth, 1.5) / sqrt(1e-5)) -
             1.0) < 1e-14);
    assert_true(fabs(force_at(&limpet_normal_law_log_barrier, k, depth) / (1e-5 / depth) - 1.0) <
                1e-14);
    if (depth < 1e-6) continue;
    const double s = 1e-3,
                 expected = 1e5 * (s - depth) * ((s - depth) / depth - 2.0 * log(depth / s));
    assert_true(fabs(force_at(&limpet_normal_law_ipc_barrier, k, depth) / expected - 1.0) < 1e-13);
  }
  for (int i = 0; limpet_normal_laws()[i]; ++i)
    if (!limpet_normal_laws()[i]->range)
      assert_true(force_at(limpet_normal_laws()[i], k, 1e-9) == 0.0);
  assert_true(force_at(&limpet_normal_law_ipc_barrier, k, 1.0001e-3) == 0.0);
}

// The lagged impulse is dt f(phi0, v_n0), whatever the law's way over a step.
static void lagged_impulses_are_those_of_the_start(void **state) {
  (void)state;
  unsigned long seed = 3;
  const limpet_compliant_model *model = &limpet_contact_model_lagged;
  for (int n = 0; n < 1000; ++n) {
    double v[3];
    const limpet_contact_constants hertz = random_state(&seed, model, &limpet_normal_law_hertz, v);
    const double x = fmax(0.0, -hertz.distance),
                 damping = fmax(0.0, 1.0 - hertz.dissipation * hertz.normal_speed);
    double expected = hertz.dt * hertz.stiffness * x * sqrt(x / 1e-5) * damping;
    assert_true(fabs(hertz.compliant.lagged_impulse - expected) <= 1e-13 * expected);
    const limpet_contact_constants kelvin =
        random_state(&seed, model, &limpet_normal_law_kelvin_voigt, v);
    expected = kelvin.dt * kelvin.stiffness *
               fmax(0.0, -kelvin.distance - kelvin.relaxation_time * kelvin.normal_speed);
    assert_true(fabs(kelvin.compliant.lagged_impulse - expected) <= 1e-13 * expected);
    const limpet_contact_constants barrier =
        random_state(&seed, model, &limpet_normal_law_log_barrier, v);
    expected = barrier.dt * 1e-5 / barrier.distance;
    assert_true(fabs(barrier.compliant.lagged_impulse - expected) <= 1e-13 * expected);
  }
}

// Elastic energies are minus the work of the force: dE/dphi = -f.
static void energies_give_forces(void **state) {
  (void)state;
  for (int i = 0; limpet_normal_laws()[i]; ++i) {
    const limpet_normal_law *law = limpet_normal_laws()[i];
    for (int p = 0; p < law->descriptor.parameter_count; ++p)
      parameter[p] = law->descriptor.parameters[p].value;
    const double sign = law->range ? 1.0 : -1.0;
    for (double size = 1e-5; size < 8e-4; size *= 2.0) {
      const limpet_normal_point point = {.dt = 1e-3, .stiffness = 1e6, .parameter = parameter};
      const double step = 1e-4 * size, high = law->energy(law, &point, sign * size + step),
                   low = law->energy(law, &point, sign * size - step),
                   f = force_at(law, 1e6, sign * size);
      assert_true(fabs((low - high) / (2.0 * step) - f) < 1e-6 * f);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_and_hessians_match_finite_differences),
      cmocka_unit_test(no_curl),
      cmocka_unit_test(forces_are_the_formulas),
      cmocka_unit_test(lagged_impulses_are_those_of_the_start),
      cmocka_unit_test(energies_give_forces),
  };
  return cmocka_run_group_tests_name("normal_laws", tests, NULL, NULL);
}
