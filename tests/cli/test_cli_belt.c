/* tests/cli/test_cli_belt.c: a belt driven from a table of controls is logged, and the log runs
 * again to the same bits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "command_line.h"

static const char belt_text[] =
    "<mujoco xmlns:limpet=\"limpet\"><worldbody>\n"
    "<geom name=\"belt\" type=\"box\" size=\"2 .3 .05\" friction=\".5\" "
    "limpet:surface_velocity=\"1 0 0\"/>\n"
    "<body pos=\"0 0 .15\"><freejoint/><geom type=\"box\" size=\".1 .1 .1\" mass=\"1\" "
    "friction=\".5\"/></body></worldbody>\n"
    "<actuator><general name=\"drive\" limpet:surface=\"belt\" ctrlrange=\"-1 "
    "1\"/></actuator></mujoco>\n";

static void a_belt_runs_from_a_table_and_again_from_its_log(void **state) {
  (void)state;
  text_save("belt.xml", belt_text);
  text_save("belt.csv", "time,drive\n0,0.2\n0.5,0.6\n");
  limpet("run belt.xml --controls belt.csv --time 1 --log belt.h5 --quiet");
  assert_int_equal(command_code, 0);
  limpet("run --from belt.h5");
  assert_int_equal(command_code, 0);
  expect_text(command_output, "bit-identical");

  // the table moved it: 0.6 m/s at the end and never more
  limpet("run belt.xml --controls belt.csv --time 1 --json --quiet");
  json_t *moving = output_json();
  limpet("run belt.xml --time 1 --json --quiet");
  json_t *standing = output_json();
  const double kinetic = 0.5 * 1.0 * 0.6 * 0.6;
  assert_true(fabs(number_at(moving, "energy/end/kinetic") - kinetic) < 1e-4 * kinetic);
  assert_true(number_at(standing, "energy/end/kinetic") < 1e-9);
  json_decref(moving);
  json_decref(standing);
}

static void info_shows_the_drive(void **state) {
  (void)state;
  limpet("info belt.xml");
  assert_int_equal(command_code, 0);
  expect_text(command_output, "surface belt");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_belt_runs_from_a_table_and_again_from_its_log),
      cmocka_unit_test(info_shows_the_drive),
  };
  return cmocka_run_group_tests(tests, command_scene_open, command_scene_close);
}
