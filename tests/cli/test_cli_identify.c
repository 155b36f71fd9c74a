/* tests/cli/test_cli_identify.c: `limpet identify` gets back the numbers with which a trajectory
 * was made; `limpet gradient` reports blocks, kinks and contacts; what is wrong is said. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "command_line.h"

#define PLANS LIMPET_SOURCE_DIR "/scenes/plans/"

// The states of a plan are a record; a pendulum of another mass and damping is fitted to it.
static void pendulum_gets_its_numbers_back(void **state) {
  (void)state;
  limpet("optimize " PLANS "pendulum.json --quiet --states swing.csv");
  assert_int_equal(command_code, 0);
  text_save("fit.json",
            "{\"model\": \"" PLANS
            "pendulum.xml\", \"time_step\": 0.02,\n"
            " \"parameters\": [{\"of\": \"geom:bob.mass\", \"start\": 0.7, \"minimum\": 0.1},\n"
            "   {\"of\": \"swing.damping\", \"start\": 0.1, \"minimum\": 0}],\n"
            " \"trajectories\": [\"swing.csv\"], \"noise\": 0.001}");
  limpet("identify fit.json --json");
  json_t *told = output_json(), *list = json_at(told, "parameters");
  const double mass = number_at(json_array_get(list, 0), "value"),
               damping = number_at(json_array_get(list, 1), "value");
  assert_true(fabs(mass - 1.0) < 1e-6 && fabs(damping - 0.05) < 1e-7);
  assert_true(number_at(told, "residual") < 1e-4);
  json_decref(told);
  limpet("identify fit.json");
  assert_int_equal(command_code, 0);
  expect_text(command_output, "swing.damping");
  expect_text(command_output, "+-");
}

// Ctrl-C keeps the values of the last iteration and claims no error bars for them. An iteration
// is some thousand steps, so that the signal comes before the last one.
static void an_interrupt_keeps_the_values(void **state) {
  (void)state;
  text_save("record.csv", "time,q0,v0\n0,0.3,0\n1,-0.2,0\n2,0.1,0\n");
  text_save("fit.json",
            "{\"model\": \"" PLANS
            "pendulum.xml\", \"time_step\": 0.001,\n"
            " \"parameters\": [{\"of\": \"geom:bob.mass\", \"start\": 0.7, \"minimum\": 0.1},\n"
            "   {\"of\": \"swing.damping\", \"start\": 0.3, \"minimum\": 0}],\n"
            " \"trajectories\": [\"record.csv\"], \"noise\": 0.001}");
  limpet_interrupt("\n        1 ", "identify fit.json");
  assert_int_equal(command_code, 128 + SIGINT);
  expect_text(command_output, "outcome      interrupted after ");
  expect_text(command_output, "swing.damping");
  assert_null(strstr(command_output, "+-"));
  assert_null(strstr(command_output, "warning"));
}

// A damping that its limits keep from the right one leaves more than the noise, and that is told.
static void what_is_left_is_told(void **state) {
  (void)state;
  limpet("optimize " PLANS "pendulum.json --quiet --states swing.csv");
  text_save("fit.json",
            "{\"model\": \"" PLANS
            "pendulum.xml\", \"time_step\": 0.02,\n"
            " \"parameters\": [{\"of\": \"swing.damping\", \"start\": 0.3, \"minimum\": 0.2}],\n"
            " \"trajectories\": [\"swing.csv\"], \"noise\": 0.001}");
  limpet("identify fit.json");
  assert_int_equal(command_code, 0);
  expect_text(command_output, "warning      what is left is far above the noise");
  text_save("fit.json", "{\"model\": \"" PLANS
                        "pendulum.xml\", \"time_step\": 0.02,\n"
                        " \"parameters\": [{\"of\": \"swing.damping\", \"minimum\": 0}],\n"
                        " \"trajectories\": [\"swing.csv\"], \"noise\": 0.001}");
  limpet("identify fit.json");
  assert_null(strstr(command_output, "warning"));
}

static void mistakes_of_fits_are_told(void **state) {
  (void)state;
  limpet("identify");
  expect_error(2, "expected: limpet identify FIT.json");
  text_save("bad.json", "{\"parameters\": []}");
  limpet("identify bad.json");
  expect_error(1, "\"model\" is missing");
  text_save("bad.json",
            "{\"model\": \"scene.xml\", \"parameters\": [{\"of\": \"crate.frction\"}],\n"
            " \"trajectories\": [\"bad.csv\"]}");
  limpet("identify bad.json");
  expect_error(1, "bad.json:1: parameters[0].of: ");
  text_save("fit2.json", "{\"model\": \"" PLANS
                         "pendulum.xml\", \"parameters\": [{\"of\": \"swing.damping\"}],\n"
                         " \"trajectories\": [\"bad.csv\"]}");
  text_save("bad.csv", "time,q0\n0,0\n0.01,x\n");
  limpet("identify fit2.json");
  expect_error(1, "bad.csv:3: field 2 (q0) is no finite number");
  text_save("bad.csv", "time,q0\n0,0\n0.01,0,1\n");
  limpet("identify fit2.json");
  expect_error(1, "bad.csv:3: has 3 fields, and the header has 2; are there decimal commas?");
  text_save("bad.csv", "time,q0\n\n0,0\n0.0101,0\n0.013,0\n");
  limpet("identify fit2.json");
  expect_error(1, "bad.csv:4: row 2 of 'bad.csv' at 0.0101 s lies between two steps");
  text_save("bad.csv", "time;q0\n0;0\n");
  limpet("identify fit2.json");
  expect_error(1, "bad.csv:1: there is a ';' in the header");
  text_save("bad.csv", "time\n0\n0.01\n");
  limpet("identify fit2.json");
  expect_error(1, "columns 'time' and 'q0' to 'q0' are needed");
}

static void gradient_reports(void **state) {
  (void)state;
  limpet("gradient " PLANS "kinova_push.xml --keyframe start --contact lagged --json");
  json_t *told = output_json();
  assert_true(number_at(told, "blocks/pose/columns") == 13.0);
  assert_true(number_at(told, "blocks/pose/error") < 1e-6);
  assert_true(number_at(told, "blocks/control/error") < 1e-6);
  assert_true(json_array_size(json_at(told, "contacts")) == 1);
  // the ball touches the floor without a force yet: lifting and pressing it differ
  json_t *kinks = json_at(told, "kinks");
  assert_true(json_array_size(kinks) >= 1);
  assert_string_equal(text_at(json_array_get(kinks, 0), "by"), "pose");
  assert_string_equal(text_at(json_array_get(kinks, 0), "name"), "joint \"ball\" (3 of 6)");
  json_decref(told);
  limpet("gradient " PLANS "kinova_push.xml --keyframe start");
  assert_int_equal(command_code, 0);
  expect_text(command_output, "geom \"floor\", geom \"ball\"");
  expect_text(command_output, "condition");
  limpet("gradient");
  expect_error(2, "expected: limpet gradient FILE");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum_gets_its_numbers_back),
      cmocka_unit_test(what_is_left_is_told),
      cmocka_unit_test(an_interrupt_keeps_the_values),
      cmocka_unit_test(mistakes_of_fits_are_told),
      cmocka_unit_test(gradient_reports),
  };
  return cmocka_run_group_tests(tests, command_scene_open, command_scene_close);
}
