/* tests/control: an update allocates nothing; each allocation of making a controller is refused
 * once, and it says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "allocator.h"
#include "limpet/limpet.h"
#include "mjcf_text.h"

static const char arm_text[] =
    "<mujoco><worldbody><body><joint name='a' axis='0 1 0'/><geom size='.1'/><body pos='0 0 "
    ".5'><joint name='b' axis='0 1 0'/>"
    "<geom size='.1'/><body pos='0 0 .4' name='hand'><joint name='c' axis='1 0 0'/><geom "
    "size='.1'/>"
    "<body><joint name='d' axis='0 0 1'/><geom pos='.1 0 0' "
    "size='.05'/></body></body></body></body></worldbody>"
    "<actuator><motor joint='a'/><motor joint='b'/><position joint='c' "
    "kp='50'/></actuator></mujoco>";

static const char json[] =
    "{\"controllers\": [{\"kind\": \"cartesian\", \"joints\": [\"a\", \"b\"], "
    "\"natural_frequency\": 10, \"body\": \"hand\", "
    "\"rotation\": false, \"posture\": [0.5, 0.5], "
    "\"path\": {\"kind\": \"line\", \"times\": [0, 1], \"positions\": [[0.3, 0, 0.6], [0.5, 0, "
    "0.3]]}},\n"
    "{\"kind\": \"joint-position\", \"joints\": [\"c\"], \"trajectory\": {\"kind\": \"waypoints\", "
    "\"times\": [0, 1], "
    "\"positions\": "
    "[[0], [1]]}}]}";

static void an_update_allocates_nothing(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(arm_text);
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_error error;
  limpet_controller *c = limpet_controller_create(model, json, NULL, &error);
  if (!c) printf("%s\n", error.message);
  assert_non_null(c);
  for (int i = 0; i < 5; ++i) limpet_step(model, data, &settings);
  long calls = 0;
  for (int i = 0; i < 200; ++i) {
    allocator_reset(-1);
    limpet_controller_update(c, model, data, settings.time_step);
    calls += allocator_calls();
    limpet_step(model, data, &settings);
  }
  assert_int_equal(calls, 0);
  limpet_controller_destroy(c);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static void refuse_each(const char *text) {
  limpet_model *model = mjcf_load(arm_text);
  int refused = 0;
  for (long n = 0;; ++n) {
    limpet_error error = {0};
    allocator_reset(n);
    limpet_controller *c = limpet_controller_create(model, text, "c.json", &error);
    const long refusals = allocator_refusals();
    allocator_reset(-1);
    if (!c) assert_non_null(strstr(error.message, "memory"));
    limpet_controller_destroy(c);
    if (refusals == 0) break;
    ++refused;
  }
  assert_true(refused > 20);
  limpet_model_destroy(model);
}

static void no_memory_is_an_error(void **state) {
  (void)state;
  static char precomputed[2000];
  const char *at = strstr(json, "\"rotation\"");
  snprintf(precomputed, sizeof precomputed, "%.*s\"precomputed\": true, %s", (int)(at - json), json,
           at);
  refuse_each(json);
  refuse_each(precomputed);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(an_update_allocates_nothing),
                                     cmocka_unit_test(no_memory_is_an_error)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
