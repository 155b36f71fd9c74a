/* tests/cli/test_cli_controller.c: `--controller`: runs, logs and runs again from the log,
 * compares, and says what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "command_line.h"

static const char bare_text[] =
    "<mujoco><worldbody><body pos=\"0 0 1\"><joint name=\"hinge\" axis=\"0 1 0\"/><geom "
    "size=\".05\" pos=\".3 0 0\" "
    "mass=\"2\"/></body>\n"
    "</worldbody></mujoco>";
static const char push_text[] =
    "{\"kind\": \"computed-torque\", \"joints\": [\"hinge\"], \"apply\": \"joint-force\", "
    "\"natural_frequency\": 20,\n"
    " \"trajectory\": {\"kind\": \"sinusoid\", \"amplitude\": 0.4, \"frequency\": 0.5}}\n";
static const char servo_text[] =
    "{\"kind\": \"computed-torque\", \"joints\": [\"elbow\"], \"natural_frequency\": 20,\n"
    " \"trajectory\": {\"kind\": \"constant\", \"position\": 0.4}}\n";
static const char motor_xml[] =
    "<mujoco><worldbody><body pos=\"0 0 1\"><joint name=\"elbow\" axis=\"0 1 0\"/><geom "
    "size=\".05\" pos=\".3 0 0\" "
    "mass=\"2\"/></body>\n"
    "</worldbody><actuator><motor name=\"drive\" joint=\"elbow\"/></actuator></mujoco>";

// Applied forces are in no column of the log: the controller itself is run again.
static void joint_forces_run_again_from_the_log(void **state) {
  (void)state;
  text_save("bare.xml", bare_text);
  text_save("push.json", push_text);
  limpet("run bare.xml --controller push.json --time 1 --log push.h5 --json --quiet");
  json_t *told = output_json();
  assert_true(number_at(told, "controller/tracking_worst") < 0.07 &&
              number_at(told, "controller/tracking_end") < 1e-3);
  assert_true(number_at(told, "controller/updates") == 500.0);
  json_decref(told);
  text_save("push.json", "gone");  // the log has its own copy
  limpet("run --from push.h5");
  assert_int_equal(command_code, 0);
  expect_text(command_output, "bit-identical");
  expect_text(command_output, "controller   farthest");
  text_save("push.json", push_text);

  // the negative control: without the controller it falls elsewhere
  limpet("run bare.xml --time 1 --json --quiet");
  told = output_json();
  assert_true(number_at(told, "energy/end/kinetic") > 1.0);
  json_decref(told);
}

static void actuators_run_again_from_the_log(void **state) {
  (void)state;
  text_save("motor.xml", motor_xml);
  text_save("motor.json", servo_text);
  limpet("run motor.xml --controller motor.json --time 2 --log motor.h5 --log-period 50ms");
  assert_int_equal(command_code, 0);
  limpet("run --from motor.h5");
  expect_text(command_output, "bit-identical");
}

static void comparison_has_a_controller_for_each(void **state) {
  (void)state;
  limpet("compare motor.xml --controller motor.json --time 1 --contact sap,lagged --json --quiet");
  json_t *told = output_json();
  json_decref(told);
  limpet("compare motor.xml --controller motor.json --time 1 --contact sap,lagged");
  expect_text(command_output, "All methods have every body at the same place");
}

static void mistakes_are_named(void **state) {
  (void)state;
  text_save("wrong.json",
            "{\"kind\": \"computed-torque\",\n \"joints\": [\"elbo\"], \"natural_frequency\": 20}");
  limpet("run motor.xml --controller wrong.json");
  expect_error(1, "wrong.json:2: joints[0]: the model has no joint 'elbo' (did you mean 'elbow'?)");
  limpet("run motor.xml --controller none.json");
  expect_error(1, "none.json: there is no such file");
  limpet("run motor.xml --controller motor.json --set drive=1");
  expect_error(2, "the controller drives actuator 'drive', and so does --set");
  text_save("motor.csv", "time,drive\n0,1\n");
  limpet("run motor.xml --controller motor.json --controls motor.csv");
  expect_error(2, "and so does motor.csv");
  limpet("run --from motor.h5 --controller motor.json");
  expect_error(2, "--controller: not together with --from");
  limpet("run motor.xml --controller motor.json --log motor.json");
  assert_int_not_equal(command_code, 0);
  limpet("compare motor.xml --controller none.json");
  expect_error(1, "none.json: there is no such file");
}

static void list_tells_of_the_kinds(void **state) {
  (void)state;
  limpet("list controllers");
  assert_int_equal(command_code, 0);
  expect_text(command_output, "computed-torque");
  expect_text(command_output, "cartesian");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joint_forces_run_again_from_the_log),
      cmocka_unit_test(actuators_run_again_from_the_log),
      cmocka_unit_test(comparison_has_a_controller_for_each),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(list_tells_of_the_kinds),
  };
  return cmocka_run_group_tests(tests, command_scene_open, command_scene_close);
}
