/* tests/cli/test_cli_optimize.c: `limpet optimize`: the plans of scenes/plans reach their goals,
 * the cost never rises, `limpet run` repeats a plan bit by bit from the controls that were written,
 * and what is wrong is said with file and line. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "command_line.h"
#include "effort.h"

#define PLANS LIMPET_SOURCE_DIR "/scenes/plans/"

// Runs a plan; its result, with a cost that never rises.
static json_t *optimized(const char *plan, const char *options) {
  limpet("optimize " PLANS "%s --json --quiet %s", plan, options);
  json_t *told = output_json(), *log = json_at(told, "log");
  for (size_t i = 1; i < json_array_size(log); ++i)
    assert_true(number_at(json_array_get(log, i), "cost") <=
                number_at(json_array_get(log, i - 1), "cost"));
  return told;
}

static double end_of(json_t *told, const char *key, size_t i) {
  return json_number_value(json_array_get(json_at(told, key), i));
}

static void pendulum_is_repeated_by_run(void **state) {
  (void)state;
  json_t *told = optimized("pendulum.json",
                           "--controls u.csv --states s.csv --iterations i.csv --html plan.html");
  assert_true(fabs(end_of(told, "end_q", 0) - 3.14159265) < 1e-2);
  assert_true(fabs(end_of(told, "end_v", 0)) < 1e-2);
  assert_true(file_exists("s.csv") && file_exists("i.csv") && file_exists("plan.html"));
  limpet("run " PLANS "pendulum.xml --dt 20ms --time 2.5s --controls u.csv --json --quiet");
  json_t *again = output_json();
  assert_string_equal(text_at(again, "state_hash"), text_at(told, "state_hash"));
  json_decref(again);
  json_decref(told);
}

static void cart_pole_swings_up_within_its_limits(void **state) {
  (void)state;
  if (TEST_WATCHED) skip();  // tests of the library run the same
  json_t *told = optimized("cart_pole.json", "");
  assert_true(fabs(end_of(told, "end_q", 0)) < 0.05);
  assert_true(fabs(end_of(told, "end_q", 1) - 3.14159265) < 0.05);
  json_decref(told);
}

// The finger starts apart from the box, and nothing says where to push. 45 degrees: 0.3927 rad
// half.
static void box_is_turned_from_a_start_without_contact(void **state) {
  (void)state;
  if (TEST_WATCHED) skip();
  json_t *told = optimized("turn_box.json", "");
  const double half_turn = atan2(end_of(told, "end_q", 8), end_of(told, "end_q", 5));
  assert_true(fabs(half_turn + 0.3927) < 0.02);
  json_decref(told);
}

// The arm finds that it can roll the ball: nothing says when or where to touch it.
static void kinova_pushes_the_ball(void **state) {
  (void)state;
  if (TEST_WATCHED) skip();
  json_t *told = optimized("kinova_push.json", "--threads 2");
  const double y = end_of(told, "end_q", 8);
  assert_true(number_at(told, "cost") < 1.8 * 1.05);  // 1.80: Drake's, on its own geometry
  assert_true(y > 0.09 && y < 0.15);  // which of its local minima is left to round-off
  json_decref(told);
}

// Cost and the sum over time of its gradient by the torque, where the torque is the same
// throughout.
static double pushed(double torque, double *slope) {
  char plan[1024], table[8192];
  snprintf(
      plan, sizeof plan,
      "{\"model\": \"" PLANS
      "pendulum.xml\", \"duration\": 0.5, \"time_step\": 0.02, \"hold\": 2,"
      "\"control\": {\"initial\": [%.9g]}, \"solver\": {\"iterations\": 0}, \"cost\": [{\"kind\": "
      "\"position\", \"frame\": \"bob\", \"running\": 1, \"final\": 2}, {\"kind\": \"control\", "
      "\"running\": 0.1}]}",
      torque);
  text_save("pushed.json", plan);
  limpet("optimize pushed.json --json --quiet --gradient g.csv");
  json_t *told = output_json();
  const double cost = number_at(told, "cost");
  json_decref(told);
  text_load(table, sizeof table, "g.csv");
  *slope = 0.0;
  for (const char *row = strchr(table, '\n'); row && row[1]; row = strchr(row + 1, '\n'))
    *slope += strtod(strchr(row, ',') + 1, NULL);
  return cost;
}

// 1e-7: differences over 1e-4 leave 1e-8 of a smooth cost.
static void gradient_is_that_of_the_cost(void **state) {
  (void)state;
  double slope, unused;
  pushed(1.0, &slope);
  const double difference = (pushed(1.0001, &unused) - pushed(0.9999, &unused)) / 2e-4;
  assert_true(fabs(slope - difference) <= 1e-7 * fabs(difference));
}

// Ctrl-C ends the gradient, too: nothing is written of it, and the plan is kept.
static void an_interrupt_leaves_no_half_of_a_gradient(void **state) {
  (void)state;
  text_save("long.json", "{\"model\": \"" PLANS
                         "pendulum.xml\", \"duration\": 400, \"time_step\": 0.005, \"hold\": 10,"
                         "\"solver\": {\"iterations\": 0}, \"cost\": [{\"kind\": \"control\", "
                         "\"running\": 0.1}]}");
  limpet_interrupt("\n        0 ", "optimize long.json --controls long.csv --gradient half.csv");
  assert_int_equal(command_code, 128 + SIGINT);
  expect_text(command_errors, "interrupted after 0 iterations");
  assert_null(strstr(command_errors, "derivative"));
  assert_true(file_exists("long.csv"));
  assert_false(file_exists("half.csv"));
}

static void words_tell_iterations_and_terms(void **state) {
  (void)state;
  limpet("optimize " PLANS "pendulum.json");
  assert_int_equal(command_code, 0);
  static const char *const parts[] = {"iteration", "outcome", "converged",
                                      "upright",   "torque",  "derivatives of steps"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) expect_text(command_output, parts[i]);
  limpet("list cost-terms");
  expect_text(command_output, "angular-velocity");
  limpet("optimize --help");
  expect_text(command_output, "Examples:");
}

static void mistakes_are_told(void **state) {
  (void)state;
  limpet("optimize");
  expect_error(2, "expected: limpet optimize PLAN.json");
  limpet("optimize none.json");
  expect_error(1, "none.json");
  limpet("optimize " PLANS "pendulum.xml");
  expect_error(1, "is XML, such as a model; JSON is expected here");
  text_save("bad.json", "{\"duration\": 1}");
  limpet("optimize bad.json");
  expect_error(1, "\"model\" is missing");
  text_save("bad.json", "{\"model\": \"scene.xml\",\n \"duration\": 1,\n \"cots\": []}");
  limpet("optimize bad.json");
  expect_error(1, "bad.json:3: cots: is not known here (did you mean 'cost'?)");
#define BAD_PLAN(rest)   \
  "{\"model\": \"" PLANS \
  "pendulum.xml\",\n \"cost\": [{\"kind\": \"joint-position\", \"final\": 1}],\n" rest "}"
  text_save("bad.json", BAD_PLAN("\"duration\": 1, \"time_step\": 1e300"));
  limpet("optimize bad.json");
  expect_error(1, "bad.json:3: duration: is 1 s, no part of a knot of 1e+300 s");
  text_save("bad.json", BAD_PLAN("\"duration\": 1, \"contact_model\": \"\""));
  limpet("optimize bad.json");
  expect_error(1, "bad.json:3: contact_model: '' is no contact model");
  text_save("bad.json", BAD_PLAN("\"duration\": 1, \"start\": {\"joints\": {\"swing\": 1e300}}"));
  limpet("optimize bad.json");
  expect_error(3, "a step of knot 0 fails with the controls of the guess");
#undef BAD_PLAN
  limpet("optimize " PLANS "pendulum.json --controls a.csv --states a.csv");
  expect_error(2, "both name 'a.csv'");
  limpet("optimize " PLANS "pendulum.json --html no/such/folder.html");
  expect_error(1, "--html");
}

// a file that cannot be written costs neither the others nor the result in words
static void what_was_found_is_kept_where_a_file_fails(void **state) {
  (void)state;
  struct rlimit limit, small;
  getrlimit(RLIMIT_FSIZE, &limit);
  small = limit;
  small.rlim_cur = 8000;  // bytes: controls fit, states and the page do not
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  limpet("optimize " PLANS "pendulum.json --states big.csv --controls little.csv --html page.html");
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, SIG_DFL);
  expect_error(1, "big.csv: cannot be written: File too large");
  expect_error(1, "page.html: cannot be written: File too large");
  expect_text(command_output, "converged after");
  assert_true(file_exists("little.csv"));
  assert_false(file_exists("big.csv"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum_is_repeated_by_run),
      cmocka_unit_test(cart_pole_swings_up_within_its_limits),
      cmocka_unit_test(box_is_turned_from_a_start_without_contact),
      cmocka_unit_test(kinova_pushes_the_ball),
      cmocka_unit_test(gradient_is_that_of_the_cost),
      cmocka_unit_test(an_interrupt_leaves_no_half_of_a_gradient),
      cmocka_unit_test(words_tell_iterations_and_terms),
      cmocka_unit_test(mistakes_are_told),
      cmocka_unit_test(what_was_found_is_kept_where_a_file_fails),
  };
  return cmocka_run_group_tests(tests, command_scene_open, command_scene_close);
}
