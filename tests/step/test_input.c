/* tests/step/test_input.c: inputs that are no numbers are named and change nothing; controls that
 * are clamped are counted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_text.h"

// Controls of both kinds of clamping, a free body, a mocap body.
static const char *const world = MODEL(
    "<worldbody><body name='hand' mocap='true'><geom size='.01' contype='0' conaffinity='0'/>"
    "</body><body name='arm'><joint name='x' type='slide'/><joint name='y' type='slide' "
    "axis='0 1 0'/><geom size='.1' mass='1'/></body><body name='box' pos='0 0 5'><freejoint/>"
    "<geom size='.1'/></body></worldbody><actuator><motor joint='x'/><position name='grip' "
    "joint='y' kp='10' ctrlrange='-1 2' ctrllimited='true'/></actuator>");

static limpet_model *model;

static int open_model(void **state) {
  (void)state;
  model = mjcf_load(world);
  return !model;
}

static int close_model(void **state) {
  (void)state;
  limpet_model_destroy(model);
  return 0;
}

static void is_refused(limpet_data *data, double *input, const char *text) {
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  static const char *const words[] = {"nan", "inf", "-inf"};
  const limpet_step_settings settings = limpet_step_settings_default(model);
  const double good = *input;
  char expected[160], said[LIMPET_INPUT_TEXT_SIZE];
  for (int i = 0; i < 3; ++i) {
    const uint64_t before = limpet_data_state_hash(model, data);  // mocap poses are part of it
    *input = bad[i];
    const int64_t count = data->warning_count[LIMPET_OUTCOME_BAD_INPUT];
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_BAD_INPUT);
    limpet_bad_input_text(data, said, sizeof said);
    snprintf(expected, sizeof expected, "%s is %s", text, words[i]);
    assert_string_equal(said, expected);
    assert_int_equal(data->warning_count[LIMPET_OUTCOME_BAD_INPUT], count + 1);
    *input = good;
    assert_true(limpet_data_state_hash(model, data) == before);
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
    assert_string_equal(limpet_bad_input_text(data, said, sizeof said), "");
  }
}

static void what_is_no_number_is_named(void **state) {
  (void)state;
  limpet_data *data = limpet_data_create(model);
  is_refused(data, data->control, "control 0 'x'");
  is_refused(data, data->control + 1, "control 1 'grip'");
  is_refused(data, data->applied_force + 1, "applied_force 1 'y'");
  is_refused(data, data->applied_force + 4, "applied_force 4 of body 'box'");
  is_refused(data, data->applied_wrench + 6 * 3 + 5, "applied_wrench 23 'box'");
  is_refused(data, data->mocap_position + 2, "mocap_position 2 'hand'");
  is_refused(data, data->mocap_quaternion, "mocap_quaternion 0 'hand'");
  assert_string_equal(limpet_outcome_word(LIMPET_OUTCOME_BAD_INPUT), "bad input");
  limpet_data_destroy(data);
}

// A state that is no number holds its tree, and is named; the other trees move on.
static void a_state_that_is_no_number_is_named(void **state) {
  (void)state;
  const struct {
    int q, v;
    const char *text;
  } cases[] = {{1, -1, "q 1 'y' is nan"},
               {5, -1, "q 5 of body 'box' is nan"},
               {-1, 0, "v 0 'x' is nan"},
               {-1, 7, "v 7 of body 'box' is nan"}};
  const limpet_step_settings settings = limpet_step_settings_default(model);
  for (int i = 0; i < 4; ++i) {
    limpet_data *data = limpet_data_create(model);
    char text[LIMPET_INPUT_TEXT_SIZE];
    if (cases[i].q >= 0) data->q[cases[i].q] = NAN;
    if (cases[i].v >= 0) data->v[cases[i].v] = NAN;
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_ISLAND_FAILED);
    assert_string_equal(limpet_bad_input_text(data, text, sizeof text), cases[i].text);
    limpet_data_destroy(data);
  }
}

// Coordinates that make no pose: a quaternion without a direction, what is too large to be squared.
static void a_state_without_a_pose_is_named(void **state) {
  (void)state;
  limpet_model *loose = mjcf_load(MODEL(
      "<worldbody><body name='box' pos='0 0 5'><freejoint/><geom size='.1'/></body>"
      "<body name='head' pos='3 0 5'><joint name='neck' type='ball'/><geom size='.1' pos='0 0 1'/>"
      "</body><body name='slider' pos='6 0 5'><joint name='x' type='slide'/><geom "
      "size='.1'/></body>"
      "<body name='arm' pos='9 0 5'><joint name='hinge'/><geom size='.1' pos='1 0 0'/></body>"
      "<body name='other' pos='0 4 5'><freejoint/><geom size='.1'/></body></worldbody>"));
  const struct {
    int q, count;
    double value;
    const char *text;
  } cases[] = {{3, 4, 0.0, "q 3 of body 'box' begins a quaternion without a direction"},
               {3, 4, 1e300, "q 3 of body 'box' is 1e+300, too large"},
               {3, 4, 1e-300, "q 3 of body 'box' begins a quaternion without a direction"},
               {0, 1, 1e300, "q 0 of body 'box' is 1e+300, too large"},
               {0, 3, -1e200, "q 0 of body 'box' is -1e+200, too large"},
               {7, 4, 0.0, "q 7 'neck' begins a quaternion without a direction"},
               {8, 1, 1e160, "q 8 'neck' is 1e+160, too large"},
               {11, 1, 1e300, "q 11 'x' is 1e+300, too large"},
               {12, 1, -1e300, "q 12 'hinge' is -1e+300, too large"}};
  limpet_step_settings settings = limpet_step_settings_default(loose);
  for (int k = 0; limpet_schemes()[k]; ++k) {
    settings.scheme = limpet_schemes()[k];
    const limpet_contact_model *const *contact = limpet_contact_models();
    while (!limpet_scheme_takes(settings.scheme, *contact)) ++contact;
    settings.contact_model = *contact;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
      limpet_data *data = limpet_data_create(loose);
      char text[LIMPET_INPUT_TEXT_SIZE];
      const int first = cases[i].q, count = cases[i].count;
      for (int n = 0; n < count; ++n) data->q[first + n] = cases[i].value;
      assert_int_equal(limpet_step(loose, data, &settings), LIMPET_OUTCOME_ISLAND_FAILED);
      assert_string_equal(limpet_bad_input_text(data, text, sizeof text), cases[i].text);
      assert_int_equal(data->info.failed_islands, 1);
      for (int n = 0; n < count; ++n) assert_true(data->q[first + n] == cases[i].value);
      assert_true(data->time > 0.0);
      limpet_data_destroy(data);
    }
  }
  limpet_model_destroy(loose);
}

// A mocap body cannot be held, for nothing moves it: the step is refused.
static void a_mocap_body_without_a_pose_is_refused(void **state) {
  (void)state;
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  char text[LIMPET_INPUT_TEXT_SIZE];
  data->mocap_quaternion[0] = 0.0;
  assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_BAD_INPUT);
  assert_string_equal(limpet_bad_input_text(data, text, sizeof text),
                      "mocap_quaternion 0 'hand' begins a quaternion without a direction");
  data->mocap_quaternion[0] = 2.0;
  data->mocap_position[1] = 1e155;
  assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_BAD_INPUT);
  assert_string_equal(limpet_bad_input_text(data, text, sizeof text),
                      "mocap_position 1 'hand' is 1e+155, too large");
  data->mocap_position[1] = 0.0;
  assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
  limpet_data_destroy(data);
}

// A text that does not fit is cut off.
static void the_text_is_cut_where_there_is_no_room(void **state) {
  (void)state;
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  char text[8];
  data->control[1] = NAN;
  limpet_step(model, data, &settings);
  assert_string_equal(limpet_bad_input_text(data, text, sizeof text), "control");
  limpet_data_destroy(data);
}

static void clamped_controls_are_counted(void **state) {
  (void)state;
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  static const double control[] = {-1.0, 2.0, 2.1, -5.0, 0.0};
  static const int clamped[] = {0, 0, 1, 1, 0};
  for (int i = 0; i < 5; ++i) {
    data->control[0] = 100.0;  // has no range
    data->control[1] = control[i];
    limpet_step(model, data, &settings);
    assert_int_equal(data->info.clamped_controls, clamped[i]);
  }
  assert_int_equal(data->clamped_count, 2);
  limpet_data_reset(model, data);
  assert_int_equal(data->clamped_count, 0);
  limpet_data_destroy(data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_no_number_is_named),
      cmocka_unit_test(a_state_that_is_no_number_is_named),
      cmocka_unit_test(a_state_without_a_pose_is_named),
      cmocka_unit_test(a_mocap_body_without_a_pose_is_refused),
      cmocka_unit_test(the_text_is_cut_where_there_is_no_room),
      cmocka_unit_test(clamped_controls_are_counted),
  };
  return cmocka_run_group_tests(tests, open_model, close_model);
}
