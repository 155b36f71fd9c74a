/* tests/record/test_live.c: a live view without a browser: what pages ask is checked, a dragged
 * body follows its spring, and a world that nobody watches goes on as without a view. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/dynamics.h"
#include "limpet/live.h"
#include "record/live_command.h"
#include "record/live_drag.h"
#include "small_models.h"

// a free ball of 2 kg without gravity, and a motor on a hinge
static limpet_model *ball_model(void) {
  limpet_builder *builder = limpet_builder_create();
  memset(limpet_builder_options(builder)->gravity, 0, 3 * sizeof(double));
  const int ball = small_body(builder, "ball", 0, 0, 0, 1),
            arm = small_body(builder, "arm", 0, 2, 0, 1);
  small_joint(builder, NULL, ball, LIMPET_JOINT_FREE, 0, 0, 1);
  const int hinge = small_joint(builder, "hinge", arm, LIMPET_JOINT_REVOLUTE, 0, 0, 1);
  small_sphere(builder, ball, 2.0, 0.1);
  small_sphere(builder, arm, 1.0, 0.1);
  limpet_actuator_description motor = limpet_actuator_description_default();
  motor.target = hinge;
  limpet_builder_add_actuator(builder, &motor);
  return small_compile(builder);
}

static void only_commands_of_this_model_are_believed(void **state) {
  (void)state;
  limpet_model *model = ball_model();
  limpet_live_command command;
  assert_true(limpet_live_command_read("{\"do\":\"step\",\"count\":3}", model, &command));
  assert_int_equal(command.verb, LIMPET_LIVE_STEP);
  assert_int_equal(command.number, 3);
  assert_true(limpet_live_command_read(
      "{\"do\":\"drag\",\"body\":1,\"point\":[0,0,0.1],\"target\":[1,2,3]}", model, &command));
  assert_true(command.number == 1 && command.point[2] == 0.1 && command.target[1] == 2.0);
  assert_true(limpet_live_command_read("{\"do\":\"control\",\"actuator\":0,\"value\":-1}", model,
                                       &command));
  static const char *const wrong[] = {
      "",
      "play",
      "[]",
      "{}",
      "{\"do\":\"fly\"}",
      "{\"do\":1}",
      "{\"do\":\"step\"}",
      "{\"do\":\"step\",\"count\":-1}",
      "{\"do\":\"step\",\"count\":1000000000}",
      "{\"do\":\"speed\",\"value\":0}",
      "{\"do\":\"speed\",\"value\":1e9}",
      "{\"do\":\"control\",\"actuator\":1,\"value\":0}",
      "{\"do\":\"control\",\"actuator\":0,\"value\":\"1\"}",
      "{\"do\":\"drag\",\"body\":0,\"point\":[0,0,0],\"target\":[0,0,0]}",
      "{\"do\":\"drag\",\"body\":9,\"point\":[0,0,0],\"target\":[0,0,0]}",
      "{\"do\":\"drag\",\"body\":1,\"point\":[0,0],\"target\":[0,0,0]}",
      "{\"do\":\"drag\",\"body\":1,\"point\":[0,0,0],\"target\":[0,0,1e300]}"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    if (limpet_live_command_read(wrong[i], model, &command)) fail_msg("believed: %s", wrong[i]);
  limpet_model_destroy(model);
}

/* A ball that is held at its centre follows x'' = w^2 (1 - x) - 2 w x': x = 1 - (1 + w t) exp(-w
 * t). With the force constant over steps of h = 1e-4 s the error is of the order of w h / 2
 * = 7.5e-4. */
static void a_held_body_follows_its_spring(void **state) {
  (void)state;
  limpet_model *model = ball_model();
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.time_step = 1e-4;
  limpet_live_drag drag = {.body = 1, .target = {1.0, 0.0, 1.0}};
  const double w = 15.0;
  for (int step = 0; step < 4000; ++step) {
    limpet_live_drag_apply(&drag, model, data);
    limpet_step(model, data, &settings);
    const double t = data->time, expected = 1.0 - (1.0 + w * t) * exp(-w * t);
    assert_true(fabs(data->q[0] - expected) < 7.5e-4);
  }
  limpet_live_drag_release(&drag, data);
  for (int k = 0; k < 6; ++k) assert_true(fabs(data->applied_wrench[6 + k]) < 1e-9);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// the wrenches of a caller stay what they are, beside that of a drag
static void a_drag_adds_to_what_the_caller_applies(void **state) {
  (void)state;
  limpet_model *model = ball_model();
  limpet_data *data = limpet_data_create(model);
  limpet_live_drag drag = {.body = 1, .point = {0.0, 0.1, 0.0}, .target = {1.0, 0.1, 1.0}};
  data->applied_wrench[6 + 3] = 5.0;
  limpet_live_drag_apply(&drag, model, data);
  // 450 N along x, 0.1 m aside of the centre of mass
  assert_true(fabs(drag.force[0] - 2.0 * 15.0 * 15.0) < 1e-9);
  assert_true(fabs(data->applied_wrench[6 + 3] - 455.0) < 1e-9);
  assert_true(fabs(data->applied_wrench[6 + 2] + 45.0) < 1e-9);
  limpet_live_drag_release(&drag, data);
  assert_true(fabs(data->applied_wrench[6 + 3] - 5.0) < 1e-9);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static void nobody_watching_changes_nothing(void **state) {
  (void)state;
  if (!limpet_live_available()) skip();
  limpet_model *model = ball_model();
  limpet_data *data = limpet_data_create(model), *alone = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_error error;
  limpet_live *live = limpet_live_create(model, data, &settings, NULL, &error);
  assert_non_null(live);
  assert_non_null(strstr(limpet_live_address(live), "http://127.0.0.1:"));
  assert_int_equal(limpet_live_watchers(live), 0);
  data->v[0] = alone->v[0] = 1.0;
  for (int step = 0; step < 100; ++step) {
    limpet_step(model, data, &settings);
    assert_int_equal(limpet_live_show(live), LIMPET_OK);
    limpet_step(model, alone, &settings);
  }
  assert_true(limpet_data_state_hash(model, data) == limpet_data_state_hash(model, alone));
  limpet_live_destroy(live);
  limpet_data_destroy(data);
  limpet_data_destroy(alone);
  limpet_model_destroy(model);
}

static void a_port_that_is_taken_is_an_error(void **state) {
  (void)state;
  if (!limpet_live_available()) skip();
  limpet_model *model = ball_model();
  limpet_data *data = limpet_data_create(model);
  limpet_error error;
  limpet_live *live = limpet_live_create(model, data, NULL, NULL, &error);
  assert_non_null(live);
  limpet_live_options options = limpet_live_options_default();
  assert_int_equal(sscanf(limpet_live_address(live), "http://127.0.0.1:%d", &options.port), 1);
  assert_null(limpet_live_create(model, data, NULL, &options, &error));
  assert_int_equal(error.status, LIMPET_ERROR_FILE);
  assert_non_null(strstr(error.message, "another port"));
  limpet_live_destroy(live);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_commands_of_this_model_are_believed),
      cmocka_unit_test(a_held_body_follows_its_spring),
      cmocka_unit_test(a_drag_adds_to_what_the_caller_applies),
      cmocka_unit_test(nobody_watching_changes_nothing),
      cmocka_unit_test(a_port_that_is_taken_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
