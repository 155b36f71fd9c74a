/* tests/law/test_new_contact_model.c: what adding a contact model takes, as CONTRIBUTING shows it:
 * one constant of the type of its family, and one line in law/contact_model_list.h for lists and
 * the command. Here the model is of the test alone, so its line is missing.
 *
 * Frictionless contact on a linear spring, implicit in the step:
 *   cost     l(v_n) = k/2 x^2,  x = (-phi0 - dt v_n)+        overlap [m] at the end of the step
 *   impulse  gamma_n = -dl/dv_n = dt k x,   Hessian  d2l/dv_n2 = dt^2 k where x > 0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "law/contact_model.h"
#include "mjcf_world.h"

// ---------------------------------------------------------------- the file of the model: src/law

static double overlap(const limpet_contact_constants *c, double v_n) {
  return fmax(-c->distance - c->dt * v_n, 0.0);
}

static void prepare(limpet_contact_constants *constants, const limpet_contact_settings *settings) {
  (void)settings;
  constants->compliant = (limpet_compliant_constants){0};
}

static double evaluate(const limpet_contact_constants *constants, int count, const double *v,
                       double *gamma) {
  double cost = 0.0;
  for (int i = 0; i < count; ++i) {
    const limpet_contact_constants *c = &constants[i];
    const double x = overlap(c, v[3 * i + 2]);
    gamma[3 * i] = gamma[3 * i + 1] = 0.0;
    gamma[3 * i + 2] = c->dt * c->stiffness * x;
    cost += 0.5 * c->stiffness * x * x;
  }
  return cost;
}

static void hessian(const limpet_contact_constants *constants, int count, const double *v,
                    const double *dual, double *G) {
  (void)dual;
  for (int i = 0; i < count; ++i, G += LIMPET_HESSIAN_SIZE) {
    const limpet_contact_constants *c = &constants[i];
    for (int k = 0; k < LIMPET_HESSIAN_SIZE; ++k) G[k] = 0.0;
    if (overlap(c, v[3 * i + 2]) > 0.0) G[5] = c->dt * c->dt * c->stiffness;
  }
}

static bool sticks(const limpet_contact_constants *constants, const double gamma[3]) {
  (void)constants, (void)gamma;
  return false;
}

static double energy(const limpet_contact_constants *constants, double phi) {
  return 0.5 * constants->stiffness * fmin(phi, 0.0) * fmin(phi, 0.0);
}

static const limpet_parameter parameters[] = {LIMPET_PARAMETER_STIFFNESS};

static const limpet_compliant_model frictionless = {
    .head = {.descriptor = {.name = "frictionless",
                            .text = "A linear spring without damping or friction.",
                            .reference = "tests/law/test_new_contact_model.c",
                            .parameter_count = sizeof parameters / sizeof parameters[0],
                            .parameters = parameters},
             .family = LIMPET_CONTACT_COMPLIANT,
             .prepare = prepare,
             .sticks = sticks,
             .slip_speed = limpet_contact_model_no_slip_speed,
             .energy = energy},
    .evaluate = evaluate,
    .hessian = hessian,
};

// ------------------------------------------------------------------------- its test: tests/law

static const char *scene =
    "<mujoco><option gravity='1 0 -10' timestep='0.001'/><worldbody>"
    "<geom type='plane' size='1 1 1'/>"
    "<body pos='0 0 0.1'><freejoint/><geom type='sphere' size='0.1' mass='2'/></body>"
    "</worldbody></mujoco>";

/* A ball of 2 kg that is pulled along by 1 m/s^2 slips as on ice, and the force on it is its weight
 * on average: 20 N. Newton's method needs one or two steps for a quadratic with one kink. */
static void a_ball_slides_as_on_ice(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(scene, NULL);
  w.settings.contact_model = &frictionless.head;
  w.settings.rigid_stiffness = 1e4;
  double sum = 0.0;
  const int steps = 1000;
  for (int i = 0; i < steps; ++i) {
    mjcf_world_step(&w);
    assert_true(w.data->info.iterations <= 3);
    for (int c = 0; c < w.data->contact_count; ++c) {
      assert_true(w.data->contact_force[3 * c] == 0.0 && w.data->contact_force[3 * c + 1] == 0.0);
      sum += w.data->contact_force[3 * c + 2] / steps;
    }
  }
  // 1 s of 1 m/s^2; momentum along z is what the spring left of it: implicit Euler damps it
  assert_true(fabs(w.data->v[0] - 1.0) < 1e-9);
  assert_true(fabs(sum - 20.0) < 0.1);
  mjcf_world_destroy(&w);
}

// Impulse and Hessian are the derivatives of the cost.
static void derivatives_agree(void **state) {
  (void)state;
  const limpet_contact_constants c = {.dt = 1e-3, .stiffness = 1e4, .distance = -1e-3};
  const double step = 1e-4;
  for (double v = -2.0; v < 2.0; v += 0.13) {
    const double at[3] = {0.3, 0.1, v}, low[3] = {0.3, 0.1, v - step},
                 high[3] = {0.3, 0.1, v + step};
    double gamma[3], before[3], after[3], G[LIMPET_HESSIAN_SIZE];
    evaluate(&c, 1, at, gamma);
    const double slope =
        (evaluate(&c, 1, high, after) - evaluate(&c, 1, low, before)) / (2.0 * step);
    hessian(&c, 1, at, NULL, G);
    assert_true(fabs(gamma[2] + slope) < 1e-9);
    assert_true(fabs(G[5] + (after[2] - before[2]) / (2.0 * step)) < 1e-6);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_slides_as_on_ice),
      cmocka_unit_test(derivatives_agree),
  };
  return cmocka_run_group_tests_name("new_contact_model", tests, NULL, NULL);
}
