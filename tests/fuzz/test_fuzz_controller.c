/* tests/fuzz/test_fuzz_controller.c: JSON of controllers changed at random is taken or refused with
 * a text that names the file; what is taken runs; nothing crashes, hangs or leaks (run it with the
 * sanitizers). */
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
#include "mutate.h"

enum { MUTATIONS = 6000, ROOM = 4096 };

static const char robot[] =
    "<mujoco><worldbody><body><joint name='a' axis='0 1 0'/><geom size='.1'/><body pos='0 0 "
    ".5'><joint name='b' axis='0 1 0'/>"
    "<geom size='.1'/><body pos='0 0 .4' name='hand'><joint name='c' axis='1 0 0'/><geom "
    "size='.1'/><site "
    "name='tip'/></body></body>"
    "</body></worldbody><actuator><motor joint='a'/><position joint='c' "
    "kp='50'/></actuator></mujoco>";

static const char *const seeds[] = {
    "{\"kind\":\"computed-torque\",\"joints\":[\"a\"],\"natural_frequency\":5,\"damping_ratio\":[0."
    "7],\"law\":\"feed-forward\","
    "\n"
    "\"trajectory\":{\"kind\":\"sinusoid\",\"offset\":[0.1],\"amplitude\":0.1,\"angular_"
    "frequency\":1,\"phase\":0}}",
    "{\"controllers\":[{\"kind\":\"joint-position\",\"feed_forward\":true,\"joints\":[\"c\"],"
    "\"trajectory\":{\"kind\":"
    "\"waypoints\","
    "\"interpolation\":\"cubic\",\"times\":[0,1],\"positions\":[[0],[1]],\"velocities\":[[0],[0.5]]"
    "}},\n"
    "{\"kind\":\"computed-torque\",\"joints\":[\"b\"],\"apply\":\"joint-force\",\"kp\":3,\"kd\":[2]"
    ",\"friction\":false,"
    "\"trajectory\":{\"kind\":\"trapezoid\",\"from\":0,\"to\":1,\"start\":0.1,\"speed\":2,"
    "\"acceleration\":3}}]}",
    "{\"kind\":\"cartesian\",\"drive\":\"computed-torque\",\"joints\":[\"a\"],\"kp\":100,\"kd\":20,"
    "\"site\":\"tip\",\"point\":["
    "0,0,0.1],"
    "\"posture\":[0.2],\"path\":{\"kind\":\"circle\",\"position\":[0,0,1],\"quaternion\":[1,0,0,0],"
    "\"centre\":[0,0,0],"
    "\"axis\":[0,1,0],\"angle\":1,\"start\":0,\"end\":2,\"turning\":true}}",
    "{\"kind\":\"cartesian\",\"joints\":[\"a\"],\"natural_frequency\":9,\"body\":\"hand\","
    "\"precomputed\":false,\"path\":{"
    "\"kind\":\"line\","
    "\"times\":[0,1],"
    "\"positions\":[[0,0,1],[1,0,0]],\"quaternions\":[[1,0,0,0],[0,1,0,0]]}}",
};

static const char *const words[] = {
    "{",     "}",          "[",      "]",       ",",      ":",      "\"",          "\\u0000",
    "\\n",   "null",       "true",   "1e308",   "-1e308", "1e-320", "99999999999", "\"kind\"",
    "\"a\"", "\"b\"",      "\"c\"",  "[[",      "0",      "-1",     "\"path\"",    "{}",
    "[]",    "\"joints\"", "\"kp\"", "\"tip\"", "\"kd\""};

static void controllers_never_crash(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(robot);
  limpet_data *data = limpet_data_create(model);
  static char text[ROOM];
  unsigned long seed = 3;
  int taken = 0, runs = 0;
  for (size_t s = 0; s < sizeof seeds / sizeof *seeds; ++s) {
    for (int i = 0; i < MUTATIONS; ++i, ++runs) {
      const size_t length = strlen(seeds[s]);
      memcpy(text, seeds[s], length);
      const size_t n =
          i ? mutate(&seed, text, length, ROOM - 1, words, (int)(sizeof words / sizeof *words))
            : length;
      char *exact = malloc(n + 1);
      assert_non_null(exact);
      memcpy(exact, text, n);
      exact[n] = '\0';
      limpet_error error = {0};
      limpet_controller *c = limpet_controller_create(model, exact, "fuzz.json", &error);
      if (!c) assert_true(strncmp(error.message, "fuzz.json:", 10) == 0);
      if (i == 0) assert_non_null(c);
      for (int k = 0; c && k < 2; ++k) limpet_controller_update(c, model, data, 1e-3);
      taken += c != NULL;
      limpet_controller_destroy(c);
      free(exact);
    }
  }
  printf("%d of %d taken\n", taken, runs);
  assert_in_range(taken, runs / 50, runs - runs / 50);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(controllers_never_crash)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
