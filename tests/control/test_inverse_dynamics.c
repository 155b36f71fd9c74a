/* tests/control/test_inverse_dynamics.c: inverse dynamics is the inverse of forward dynamics: the
 * forces it names give the chosen joints the accelerations that were asked for, while what no
 * actuator moves swings and is pulled by forces of its own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "limpet/control.h"
#include "limpet/dynamics.h"
#include "small_models.h"

enum { LINKS = 4, STATES = 20 };

static void forward_dynamics_gives_what_was_asked_for(void **state) {
  (void)state;
  // a chain whose second and fourth joint are chosen; the others swing
  limpet_builder *builder = limpet_builder_create();
  int body = 0;
  for (int i = 0; i < LINKS; ++i) {
    body = small_body(builder, NULL, body, 0.3, 0.1, 0.2);
    small_joint(builder, NULL, body, LIMPET_JOINT_REVOLUTE, i % 3 == 0, i % 3 == 1, i % 3 == 2);
    small_box(builder, body, 1.0 + i, 0.1, 0.05, 0.02);
  }
  limpet_model *model = small_compile(builder);
  limpet_data *data = limpet_data_create(model);
  const int chosen[2] = {1, 3};
  limpet_inverse_dynamics *dynamics = limpet_inverse_dynamics_create(model, 2, chosen, NULL);
  assert_non_null(dynamics);

  for (int s = 0; s < STATES; ++s) {
    double a[2], tau[2];
    for (int i = 0; i < LINKS; ++i) {
      data->q[i] = sin(1.7 * i + s), data->v[i] = cos(2.3 * i - s);
      data->applied_force[i] = i % 2 ? 0.0 : 3.0 * sin(0.9 * s + i);
    }
    a[0] = 2.0 * cos(1.1 * s), a[1] = -3.0 * sin(0.7 * s);
    limpet_inverse_dynamics_forces(dynamics, data, NULL, NULL, a, NULL, tau);
    for (int i = 0; i < 2; ++i) data->applied_force[chosen[i]] = tau[i];
    limpet_forward_dynamics(model, data);
    // round-off of two solves with accelerations of up to 1e3 rad/s^2
    for (int i = 0; i < 2; ++i) assert_true(fabs(data->acceleration[chosen[i]] - a[i]) < 1e-9);
  }
  limpet_inverse_dynamics_destroy(dynamics);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(forward_dynamics_gives_what_was_asked_for)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
