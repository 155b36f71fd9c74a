/* tests/laws/test_normal_laws_at_rest.c: bodies on normal laws: where they rest, in closed form;
 * barriers are not crossed; a law of the user by the public headers alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_text.h"

static const double radius = 0.025, mass = 0.5, weight = 0.5 * 9.81;

// A sphere of the paper, its centre at the height z; stiffness of the sphere, the floor is rigid.
static limpet_model *sphere_at(double z, double stiffness) {
  char text[640];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 "
           "%.17g'><freejoint/><geom size='%g' mass='%g' "
           "limpet:stiffness='%.17g' limpet:relaxation_time='0'/></body></worldbody></mujoco>",
           z, radius, mass, stiffness);
  return mjcf_load(text);
}

// Gap below the sphere after it has come to rest, by the law; lowest gap on the way into *lowest.
static double rest_gap(const limpet_model *model, const char *contact_model,
                       const limpet_normal_law *law, const double *parameter, double time,
                       double *lowest) {
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_step_settings_contact_model(&settings, limpet_contact_model_find(contact_model));
  limpet_step_settings_normal_law(&settings, law);
  for (int i = 0; parameter && i < law->descriptor.parameter_count; ++i)
    settings.normal_parameter[i] = parameter[i];
  settings.tolerance = 1e-10;
  *lowest = INFINITY;
  while (data->time < time) {
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
    *lowest = fmin(*lowest, data->q[2] - radius);
  }
  assert_true(fabs(data->v[2]) < 1e-9);
  const double gap = data->q[2] - radius;
  limpet_data_destroy(data);
  return gap;
}

static const char *const models[] = {"lagged", "similar"};

// Hertz: delta = (3 m g/(4 E sqrt R))^(2/3) with k = 4/3 E sqrt(R depth), for any depth; 2.383e-7 m
// for the paper's sphere of steel.
static void hertz_sinks_as_elasticity_says(void **state) {
  (void)state;
  const double E = 2e11, expected = pow(3.0 * weight / (4.0 * E * sqrt(radius)), 2.0 / 3.0);
  assert_true(fabs(expected - 2.383e-7) < 1e-10);
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 2; ++k) {
      const double depth = k ? 1e-4 : 1e-6;
      limpet_model *model = sphere_at(radius, 4.0 / 3.0 * E * sqrt(radius * depth));
      double lowest;
      const double gap =
          rest_gap(model, models[i], limpet_normal_law_find("hertz"), &depth, 1.0, &lowest);
      printf("hertz, %s, depth %g m: sinks %.6g um, elasticity %.6g um\n", models[i], depth,
             -1e6 * gap, 1e6 * expected);
      assert_true(fabs(-gap / expected - 1.0) < 1e-6);
      limpet_model_destroy(model);
    }
}

static void springs_sink_by_weight_over_stiffness(void **state) {
  (void)state;
  static const char *const laws[] = {"hunt-crossley", "kelvin-voigt"};
  limpet_model *model = sphere_at(radius, 1e5);
  for (int i = 0; i < 2; ++i)
    for (int l = 0; l < 2; ++l) {
      double lowest;
      const double gap =
          rest_gap(model, models[i], limpet_normal_law_find(laws[l]), NULL, 2.0, &lowest);
      assert_true(fabs(-gap / (weight / 1e5) - 1.0) < 1e-6);
    }
  limpet_model_destroy(model);
}

/* Barriers: kappa/phi = m g; the force of the other is found by bisection. A sphere that falls 2
 * cm, one that starts inside, and in between never is the floor touched by what did not start
 * inside. */
static void barriers_hold_at_a_distance(void **state) {
  (void)state;
  static const double log_parameter[] = {1e-5, 1e-3, 1e-8}, ipc_parameter[] = {1e5, 1e-3, 1e-6};
  double low = 1e-9, high = 1e-3;
  for (int i = 0; i < 200; ++i) {
    const double phi = sqrt(low * high), g = 1e-3 - phi;
    if (1e5 * g * (g / phi - 2.0 * log(phi / 1e-3)) > weight) low = phi;
    else high = phi;
  }
  const double expected[2] = {1e-5 / weight, low};
  const double starts[3] = {radius + 0.02, radius + 1e-5, radius - 5e-6};
  for (int i = 0; i < 2; ++i)
    for (int l = 0; l < 2; ++l)
      for (int s = 0; s < 3; ++s) {
        limpet_model *model = sphere_at(starts[s], 1e6);
        const limpet_normal_law *law = limpet_normal_law_find(l ? "ipc-barrier" : "log-barrier");
        double lowest;
        const double gap =
            rest_gap(model, models[i], law, l ? ipc_parameter : log_parameter, 4.0, &lowest);
        printf("%s, %s, start %g mm: rests at %.6g um, closed form %.6g um; lowest %.4g um\n",
               law->descriptor.name, models[i], 1e3 * (starts[s] - radius), 1e6 * gap,
               1e6 * expected[l], 1e6 * lowest);
        assert_true(fabs(gap / expected[l] - 1.0) < 1e-6);
        if (s < 2) assert_true(lowest > 0.0);
        limpet_model_destroy(model);
      }
}

// An exponential spring F exp(-phi/L), whose constants follow the struct.
typedef struct soft_skin {
  limpet_normal_law law;
  double force, length;  // [N], [m]
} soft_skin;

static double skin_impulse(const limpet_normal_law *law, const limpet_normal_point *point, double v,
                           double *curvature, double *integral) {
  const soft_skin *skin = (const soft_skin *)law;
  const double f = skin->force * exp(-(point->distance + point->dt * v) / skin->length);
  *curvature = point->dt * point->dt * f / skin->length;
  if (integral) *integral = -skin->length * f;
  return point->dt * f;
}

static double skin_range(const limpet_normal_law *law, const double *parameter) {
  (void)parameter;
  return 20.0 * ((const soft_skin *)law)->length;
}

static void a_law_of_the_user(void **state) {
  (void)state;
  const soft_skin skin = {
      .law = {.descriptor = {.name = "soft skin"}, .impulse = skin_impulse, .range = skin_range},
      .force = 100.0,
      .length = 1e-4};
  limpet_model *model = sphere_at(radius + 1e-3, 1e6);
  for (int i = 0; i < 2; ++i) {
    double lowest;
    const double gap = rest_gap(model, models[i], &skin.law, NULL, 20.0, &lowest);
    assert_true(fabs(gap / (1e-4 * log(100.0 / weight)) - 1.0) < 1e-6);
  }
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hertz_sinks_as_elasticity_says),
      cmocka_unit_test(springs_sink_by_weight_over_stiffness),
      cmocka_unit_test(barriers_hold_at_a_distance),
      cmocka_unit_test(a_law_of_the_user),
  };
  return cmocka_run_group_tests_name("normal_laws_at_rest", tests, NULL, NULL);
}
