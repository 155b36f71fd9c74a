/* tests/cli/test_cli_parameters.c: --param and --gravity change the model of every command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>

#include <cmocka.h>

#include "command_line.h"

// total mass of scene.xml by `limpet info` with these options
static double mass_with(const char *options) {
  limpet("info scene.xml --json %s", options);
  json_t *root = output_json();
  const double mass = number_at(root, "total_mass");
  json_decref(root);
  return mass;
}

static void a_mass_is_set_with_its_unit(void **state) {
  (void)state;
  const double before = mass_with(""), grams = mass_with("--param body:crate.mass=250g");
  // sums of a few masses of kilograms
  assert_true(fabs(mass_with("--param body:crate.mass=0.25") - grams) < 1e-14);
  assert_true(fabs(before - grams) > 0.01);
}

static void without_gravity_nothing_falls(void **state) {
  (void)state;
  limpet("run scene.xml --time 0.2s --gravity 0 --json");
  json_t *root = output_json();
  assert_true(number_at(root, "energy/end/potential") == 0.0);
  json_decref(root);
}

static void what_is_not_understood_is_told(void **state) {
  (void)state;
  limpet("run scene.xml --param crate.fricton=1");
  expect_error(2, "--param 'crate.fricton': there is no field 'fricton'; did you mean 'friction'?");
  limpet("run scene.xml --param crate.qwertyuiop=1");
  expect_error(2, "friction_torsional");
  limpet("compare scene.xml --param crat*.friction=2kg");
  expect_error(2, "is a mass; expected a pure number");
  limpet("run scene.xml --param crate");
  expect_error(2, "NAME.FIELD=VALUE");
  limpet("run scene.xml --param 'zzzzzz*.friction=1'");
  expect_error(2, "names are ");
  limpet("run scene.xml --param crate.friction=-1");
  expect_error(2, "out of range");
  limpet("check scene.xml --gravity x");
  expect_error(2, "X,Y,Z");
  limpet("check missing.xml --gravity x");
  expect_error(1, "missing.xml");
  limpet("run scene.xml --gravity 1,2");
  expect_error(2, "X,Y,Z");
}

static void a_log_runs_again_with_the_same_parameters(void **state) {
  (void)state;
  limpet("run scene.xml --time 0.1s --quiet --param crate.friction=0.2 --log param.h5");
  assert_int_equal(command_code, 0);
  limpet("run --from param.h5 --param crate.friction=0.2 --json");
  assert_int_equal(command_code, 0);
  limpet("run --from param.h5 --json");
  assert_int_equal(command_code, 1);  // another model
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mass_is_set_with_its_unit),
      cmocka_unit_test(without_gravity_nothing_falls),
      cmocka_unit_test(what_is_not_understood_is_told),
      cmocka_unit_test(a_log_runs_again_with_the_same_parameters),
  };
  return cmocka_run_group_tests(tests, command_scene_open, command_scene_close);
}
