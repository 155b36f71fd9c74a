/* tests/cli/test_cli_convert.c: `limpet convert` loses no body in silence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "command_line.h"

#define GRIPPER LIMPET_SOURCE_DIR "/scenes/soft/gripper.xml"

static size_t body_count(const char *file) {
  limpet("info %s --json", file);
  json_t *root = output_json();
  const size_t count = json_array_size(json_object_get(root, "bodies"));
  json_decref(root);
  return count;
}

static void soft_bodies_are_refused(const char *out) {
  limpet("convert " GRIPPER " %s", out);
  expect_error(1, "deformable bodies (1) cannot be written as URDF");
  assert_int_equal(access(out, F_OK), -1);
}

static size_t soft_count(const char *file) {
  limpet("info %s --json", file);
  json_t *root = output_json();
  const size_t count = json_array_size(json_object_get(root, "deformables"));
  json_decref(root);
  return count;
}

static void the_rest_is_written_on_request(const char *out) {
  limpet("convert " GRIPPER " %s --rigid-only", out);
  assert_int_equal(command_code, 0);
  assert_true(body_count(out) >= body_count(GRIPPER));  // URDF: links between joints
}

static void mjcf_has_soft_bodies(void **state) {
  (void)state;
  limpet("convert " GRIPPER " whole.xml");
  assert_int_equal(command_code, 0);
  assert_non_null(strstr(command_errors, "deformable bodies (1) are elements <limpet:deformable>"));
  assert_int_equal(soft_count("whole.xml"), 1);
  the_rest_is_written_on_request("rest.xml");
  assert_int_equal(soft_count("rest.xml"), 0);
}

static void urdf_tells_of_soft_bodies(void **state) {
  (void)state;
  soft_bodies_are_refused("rest.urdf");
  the_rest_is_written_on_request("rest.urdf");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mjcf_has_soft_bodies),
      cmocka_unit_test(urdf_tells_of_soft_bodies),
  };
  return cmocka_run_group_tests(tests, command_scene_open, command_scene_close);
}
