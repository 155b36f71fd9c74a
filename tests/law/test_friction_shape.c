/* tests/law/test_friction_shape.c: an isotropic law on scaled tangents is equation (31), for Lagged
 * and Similar. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contact_settings.h"
#include "law/contact_model_list.h"
#include "shared_data.h"

/* gamma_t = -bound mu v~/sqrt(|v~|^2 + eps^2), v~ = mu v_t, in axes turned by a random angle to the
 * principal ones. bound: the lagged impulse, or the normal one of the same evaluation. eps = m
 * eps_s. Round-off: 1e-12 of the bound. */
static void compare(const limpet_compliant_model *model, bool lagged) {
  unsigned long seed = 17;
  int sliding = 0, creeping = 0;
  for (int n = 0; n < 10000; ++n) {
    const double m = random_uniform(&seed, 0.05, 1.5), s = random_uniform(&seed, 0.01, 1.0),
                 turn = random_uniform(&seed, -3.2, 3.2);
    const limpet_contact_settings settings = test_contact_settings(1e-4, 1e-3, 0.1);
    limpet_contact_constants constants = {
        .dt = 2e-3, .friction = m, .stiffness = 1e5, .dissipation = 10.0, .delassus = 1.0};
    constants.distance = random_uniform(&seed, -1e-3, 1e-4);
    constants.elastic_force = -constants.stiffness * constants.distance;
    constants.normal_speed = random_uniform(&seed, -0.5, 0.05);
    model->head.prepare(&constants, &settings);
    const double slip = pow(10.0, random_uniform(&seed, -7.0, 1.0)),
                 heading = random_uniform(&seed, -3.2, 3.2);
    const double v_t[2] = {slip * cos(heading), slip * sin(heading)}, c = cos(turn), sn = sin(turn);

    // rows e1, s e2: velocities in, forces out
    const double rows[2][2] = {{c, sn}, {-s * sn, s * c}};
    double v[3] = {rows[0][0] * v_t[0] + rows[0][1] * v_t[1],
                   rows[1][0] * v_t[0] + rows[1][1] * v_t[1], random_uniform(&seed, -0.5, 0.1)};
    double gamma[3];
    model->evaluate(&constants, 1, v, gamma);
    const double force[2] = {rows[0][0] * gamma[0] + rows[1][0] * gamma[1],
                             rows[0][1] * gamma[0] + rows[1][1] * gamma[1]};

    // (31)
    const double M[3] = {m * (c * c + s * sn * sn), m * (1.0 - s) * c * sn,
                         m * (sn * sn + s * c * c)};
    const double w[2] = {M[0] * v_t[0] + M[1] * v_t[1], M[1] * v_t[0] + M[2] * v_t[1]};
    const double eps = m * constants.compliant.slip_speed,
                 bound = lagged ? constants.compliant.lagged_impulse : gamma[2];
    const double pull = -bound / sqrt(w[0] * w[0] + w[1] * w[1] + eps * eps);
    const double expected[2] = {pull * (M[0] * w[0] + M[1] * w[1]),
                                pull * (M[1] * w[0] + M[2] * w[1])};
    assert_true(hypot(force[0] - expected[0], force[1] - expected[1]) <= 1e-12 * bound);
    if (bound > 0.0) ++*(slip > 10.0 * constants.compliant.slip_speed ? &sliding : &creeping);
  }
  assert_true(sliding > 1000 && creeping > 1000);
}

static void scaled_tangents_are_equation_31(void **state) {
  (void)state;
  compare(&limpet_contact_model_lagged, true);
  compare(&limpet_contact_model_similar, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(scaled_tangents_are_equation_31)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
