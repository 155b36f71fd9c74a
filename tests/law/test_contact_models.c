/* tests/law/test_contact_models.c: every contact model as a function of one velocity: against the
 * golden table, the duals of friction, no pull, and the slope and curvature on a ray. Derivatives,
 * curl and convexity: test_normal_laws.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "contact_settings.h"
#include "law/contact_model_list.h"
#include "shared_data.h"

static double number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : INFINITY;
}

static void golden_model_table(void **state) {
  (void)state;
  if (!shared_exists("golden/contact/problems/model_table.json")) skip();
  json_t *root = json_read(shared_path("golden/contact/problems/model_table.json"));
  size_t i;
  json_t *row;
  int compared = 0;
  json_array_foreach(json_object_get(root, "rows"), i, row) {
    const char *key = json_string_value(json_object_get(row, "model"));
    const char *fixed = strstr(key, "_fixed_eps");
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(fixed ? fixed - key : (long)strlen(key)), key);
    if (!limpet_contact_model_find(name)) continue;
    const limpet_compliant_model *model =
        limpet_compliant_model_of(limpet_contact_model_find(name));
    const json_t *p = json_object_get(row, "parameters");
    limpet_contact_constants constants = {
        .dt = number(p, "time_step"),
        .friction = number(p, "friction"),
        .stiffness = number(p, "stiffness"),
        .dissipation = number(p, "dissipation"),
        .elastic_force = -number(p, "stiffness") * number(p, "phi"),
        .normal_speed = number(p, "normal_speed_0"),
        .distance = number(p, "phi"),
        .relaxation_time = number(p, "relaxation_time"),
        .delassus = number(p, "delassus_w")};
    const limpet_contact_settings settings = test_contact_settings(
        number(p, "stiction_tolerance"), fixed ? 0.0 : number(p, "friction_regularization_sigma"),
        number(p, "near_rigid_threshold"));
    model->head.prepare(&constants, &settings);
    double v[3], gamma[3], G[6], impulse[3], hessian[9];
    json_numbers(json_object_get(row, "v_c"), v, 3);
    json_numbers(json_object_get(row, "impulse"), impulse, 3);
    json_numbers(json_object_get(row, "hessian"), hessian, 9);
    const double cost = model->evaluate(&constants, 1, v, gamma);
    model->hessian(&constants, 1, v, NULL, G);
    const double full[9] = {G[0], G[1], G[3], G[1], G[2], G[4], G[3], G[4], G[5]};

    // closed formulas in doubles: a few units in the last place of the largest term, which v_n k
    // dt^2 can exceed the result by
    double scale = fabs(constants.dt * constants.elastic_force) +
                   constants.dt * constants.dt * constants.stiffness * fabs(v[2]);
    scale = fmax(scale * (1.0 + constants.dissipation * fabs(v[2])), 1e-300);
    for (int k = 0; k < 3; ++k)
      assert_true(fabs(gamma[k] - impulse[k]) <= 1e-12 * fmax(scale, fabs(impulse[k])));
    for (int k = 0; k < 9; ++k) {
      const double size = fmax(fabs(hessian[0]), fmax(fabs(hessian[4]), fabs(hessian[8])));
      assert_true(fabs(full[k] - hessian[k]) <= 1e-11 * size + 1e-300);
    }
    const double expected = number(row, "cost");
    assert_true(fabs(cost - expected) <= 1e-12 * (fabs(expected) + scale * fmax(fabs(v[2]), 1e-3)));
    ++compared;
  }
  printf("golden_model_table: %d rows compared\n", compared);
  json_decref(root);
  assert_true(compared > 0);
}

// Constants and a velocity that visit every regime: sticking, sliding, open, deep, separating,
// before touch.
static limpet_contact_constants random_constants(unsigned long *seed,
                                                 const limpet_compliant_model *model, double v[3]) {
  limpet_contact_constants constants = {
      .dt = pow(10.0, random_uniform(seed, -4.0, -2.0)),
      .friction = random_uniform(seed, 0.0, 1.5),
      .stiffness = pow(10.0, random_uniform(seed, 3.0, 8.0)),
      .dissipation = random_uniform(seed, 0.0, 1.0) < 0.2 ? 0.0 : random_uniform(seed, 0.0, 100.0),
      .normal_speed = random_uniform(seed, -0.5, 0.1),
      .delassus = pow(10.0, random_uniform(seed, -2.0, 2.0))};
  const double phi = random_uniform(seed, -1e-3, 2e-4);
  constants.elastic_force = -constants.stiffness * phi;
  constants.distance = phi;
  constants.relaxation_time = random_uniform(seed, 0.0, 1e-2);
  const limpet_contact_settings settings = test_contact_settings(1e-4, 1e-3, 0.1);
  model->head.prepare(&constants, &settings);
  if (model->coupled) {  // the convex passes: the coupled law has no potential
    const bool shifted = random_uniform(seed, 0.0, 1.0) < 0.5;
    constants.compliant.friction_form = shifted ? LIMPET_FRICTION_SHIFTED : LIMPET_FRICTION_BOUNDED;
    constants.compliant.lagged_impulse = random_uniform(seed, 0.0, 1.0);
    constants.compliant.friction_shift =
        constants.compliant.slip_speed * random_uniform(seed, 0.0, 10.0);
  }
  const double scale = constants.compliant.slip_speed > 0.0 ? constants.compliant.slip_speed : 1e-4;
  const double slip = scale * pow(10.0, random_uniform(seed, -2.0, 3.0)),
               angle = random_uniform(seed, -3.2, 3.2);
  v[0] = slip * cos(angle), v[1] = slip * sin(angle);
  v[2] = random_uniform(seed, -1.2, 1.2) * (fabs(phi) / constants.dt + 0.01);
  return constants;
}

/* Primal-dual Hessians stay positive semidefinite along Newton steps of any size, since the dual
 * stays within the unit disc. */
static void duals_keep_the_hessian_positive(void **state) {
  (void)state;
  unsigned long seed = 5;
  for (int m = 0; limpet_contact_models()[m]; ++m) {
    if (limpet_contact_models()[m]->family != LIMPET_CONTACT_COMPLIANT) continue;
    const limpet_compliant_model *model = limpet_compliant_model_of(limpet_contact_models()[m]);
    if (!model->dual_step) continue;
    for (int round = 0; round < 1000; ++round) {
      double v[3], dv[3], dual[2] = {0.0, 0.0}, G[LIMPET_HESSIAN_SIZE];
      const limpet_contact_constants constants = random_constants(&seed, model, v);
      for (int step = 0; step < 5; ++step) {
        for (int k = 0; k < 3; ++k)
          dv[k] = random_uniform(&seed, -10.0, 10.0) * constants.compliant.slip_speed;
        model->dual_step(&constants, 1, v, dv, dual);
        assert_true(hypot(dual[0], dual[1]) <= 1.0 + 1e-14);
        for (int k = 0; k < 3; ++k) v[k] += dv[k];
        model->hessian(&constants, 1, v, dual, G);
        const double size = fabs(G[0]) + fabs(G[2]);
        assert_true(G[0] >= -1e-14 * size && G[2] >= -1e-14 * size &&
                    G[0] * G[2] - G[1] * G[1] >= -1e-14 * size * size);
      }
    }
  }
}

/* Surfaces that are apart and part exert nothing: without friction, or without slip. (With both,
 * models with gliding push across a gap.) */
static void nothing_pulls(void **state) {
  (void)state;
  unsigned long seed = 3;
  for (int m = 0; limpet_contact_models()[m]; ++m)
    for (int round = 0; round < 200; ++round) {
      if (limpet_contact_models()[m]->family != LIMPET_CONTACT_COMPLIANT) continue;
      const limpet_compliant_model *model = limpet_compliant_model_of(limpet_contact_models()[m]);
      double v[3], gamma[3];
      limpet_contact_constants constants = random_constants(&seed, model, v);
      constants.distance = 1e-3,
      constants.elastic_force = -constants.stiffness * constants.distance;
      if (round % 4 > 0) constants.friction = 0.0;
      if (round % 2 == 0) v[0] = v[1] = 0.0;
      v[2] = 0.1;
      const limpet_contact_settings settings = test_contact_settings(1e-4, 1e-3, 0.1);
      model->head.prepare(&constants, &settings);
      model->evaluate(&constants, 1, v, gamma);
      for (int k = 0; k < 3; ++k) assert_true(gamma[k] == 0.0);
    }
}

static void ray_agrees_with_gradient_and_hessian(void **state) {
  (void)state;
  unsigned long seed = 7;
  for (int m = 0; limpet_contact_models()[m]; ++m) {
    if (limpet_contact_models()[m]->family != LIMPET_CONTACT_COMPLIANT) continue;
    const limpet_compliant_model *model = limpet_compliant_model_of(limpet_contact_models()[m]);
    for (int n = 0; n < 1000; ++n) {
      double v[3], x[3], gamma[3], G[6], slope = 0.0, curvature = 0.0;
      const limpet_contact_constants constants = random_constants(&seed, model, v);
      const double alpha = random_uniform(&seed, 0.0, 1.5), speed = constants.compliant.slip_speed;
      const double dv[3] = {random_uniform(&seed, -speed, speed),
                            random_uniform(&seed, -speed, speed), random_uniform(&seed, -0.1, 0.1)};
      for (int k = 0; k < 3; ++k) x[k] = v[k] + alpha * dv[k];
      model->evaluate(&constants, 1, x, gamma);
      model->hessian(&constants, 1, x, NULL, G);
      limpet_compliant_model_along(model, &constants, 1, v, dv, alpha, &slope, &curvature);
      const double first = -(gamma[0] * dv[0] + gamma[1] * dv[1] + gamma[2] * dv[2]);
      const double second = G[0] * dv[0] * dv[0] + 2.0 * G[1] * dv[0] * dv[1] +
                            G[2] * dv[1] * dv[1] + G[5] * dv[2] * dv[2] +
                            2.0 * (G[3] * dv[0] + G[4] * dv[1]) * dv[2];
      // the same closed formulas in another order: round-off of their terms
      const double size = fabs(gamma[0] * dv[0]) + fabs(gamma[1] * dv[1]) + fabs(gamma[2] * dv[2]);
      assert_true(fabs(slope - first) <= 1e-12 * size + 1e-300);
      assert_true(fabs(curvature - second) <= 1e-9 * fabs(second) + 1e-300);
    }
  }
}

/* What is said to stick: 98 % of friction's bound does, 99.5 % does not, whichever way friction
 * points. Regularised friction that creeps at ten times eps_s is at 99.5 %. */
static void contacts_stick_below_the_bound(void **state) {
  (void)state;
  const limpet_contact_constants constants = {.friction = 0.5};
  for (int i = 0; i < 12; ++i) {
    const double angle = 0.5 * i, below = 0.98 * 0.5 * 3.0, above = 0.995 * 0.5 * 3.0;
    const double holds[3] = {below * cos(angle), below * sin(angle), 3.0},
                 slips[3] = {above * cos(angle), above * sin(angle), 3.0};
    assert_true(limpet_contact_model_sticks(&constants, holds));
    assert_false(limpet_contact_model_sticks(&constants, slips));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_stick_below_the_bound),       cmocka_unit_test(golden_model_table),
      cmocka_unit_test(duals_keep_the_hessian_positive),      cmocka_unit_test(nothing_pulls),
      cmocka_unit_test(ray_agrees_with_gradient_and_hessian),
  };
  return cmocka_run_group_tests_name("contact_models", tests, NULL, NULL);
}
