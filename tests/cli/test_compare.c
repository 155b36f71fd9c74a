/* `limpet compare`: each run is that of `limpet run`, whoever takes part; gliding distances against
 * their closed forms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "command_line.h"
#include "shared_data.h"

/* A box dragged over a floor at 1 mm/s, after a second in which the speed grows: fast enough to
 * slide, slow enough that the gaps of all laws stay within the speculative distance (0.2 mm). */
static const char dragged_text[] =
    "<mujoco model='dragged'>\n"
    "  <worldbody>\n"
    "    <geom type='plane' size='0 0 1' friction='0.5'/>\n"
    "    <body name='box' pos='0 0 .05'>\n"
    "      <joint name='x' type='slide' axis='1 0 0'/><joint name='z' type='slide' axis='0 0 1'/>\n"
    "      <geom type='box' size='.1 .1 .05' mass='1' friction='0.5'/>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "  <actuator><velocity name='drag' joint='x' kv='1e6'/></actuator>\n"
    "</mujoco>\n";

static json_t *method_at(json_t *root, size_t index, const char *name) {
  json_t *method = json_array_get(json_at(root, "methods"), index);
  assert_non_null(method);
  assert_string_equal(text_at(method, "name"), name);
  return method;
}

// Contact models that the scheme `discrete` takes, which come first in the table.
static const char *model_name(int index) {
  return limpet_contact_model_descriptor(limpet_contact_models()[index])->name;
}

static int model_count(void) {
  int count = 0;
  while (limpet_contact_model_family(limpet_contact_models()[count]) != LIMPET_CONTACT_IMPULSIVE)
    ++count;
  return count;
}

// --------------------------------------------------------------------------------------- runs

// Methods of the scheme impulse beside one of discrete; each run is that of `limpet run`.
static void test_methods_of_other_schemes(void **state) {
  (void)state;
  limpet("compare scene.xml --contact lagged,impulse/two-phase,impulse/penalty --time 0.2s --json");
  json_t *all = output_json();
  assert_int_equal(json_array_size(json_at(all, "methods")), 3);
  assert_string_equal(text_at(method_at(all, 1, "impulse/two-phase"), "scheme"), "impulse");
  const char *const names[] = {"two-phase", "penalty"};
  for (int i = 0; i < 2; ++i) {
    limpet("run scene.xml --scheme impulse --contact %s --time 0.2s --json", names[i]);
    json_t *run = output_json();
    char name[64];
    snprintf(name, sizeof name, "impulse/%s", names[i]);
    assert_string_equal(text_at(method_at(all, (size_t)(i + 1), name), "state_hash"),
                        text_at(run, "state_hash"));
    json_decref(run);
  }
  json_decref(all);
  limpet("list models");
  expect_text(command_output, "schemes: impulse");
}

static void test_each_run_is_that_of_run(void **state) {
  (void)state;
  text_save("controls.csv", "time,servo\n0,0\n0.5,1\n");
  const char *how = "--keyframe up --controls controls.csv --set push=2 --time 0.6s --dt 1ms";
  limpet("compare scene.xml %s --json", how);
  json_t *all = output_json();
  assert_int_equal(json_array_size(json_at(all, "methods")), model_count());
  for (int i = 0; i < model_count(); ++i) {
    json_t *method = method_at(all, (size_t)i, model_name(i));
    limpet("run scene.xml %s --contact %s --json", how, model_name(i));
    json_t *run = output_json();
    assert_string_equal(text_at(method, "state_hash"), text_at(run, "state_hash"));
    assert_true(number_at(method, "steps") == number_at(run, "steps"));
    assert_true(number_at(method, "iterations_mean") == number_at(run, "iterations/mean"));
    assert_true(number_at(method, "iterations_worst") == number_at(run, "iterations/worst/value"));
    const double end = number_at(run, "energy/end/total");
    assert_true(fabs(number_at(method, "energy_end") - end) <
                1e-12 * fabs(end));  // summed in another order
    json_decref(run);
  }

  // in another order, by the name of a scheme, too
  const int last = model_count() - 1;
  limpet("compare scene.xml %s --json --contact %s --contact discrete/%s,%s", how, model_name(last),
         model_name(0), model_name(1));
  json_t *two = output_json();
  assert_int_equal(json_array_size(json_at(two, "methods")), 3);
  assert_string_equal(text_at(method_at(two, 0, model_name(last)), "state_hash"),
                      text_at(method_at(all, (size_t)last, model_name(last)), "state_hash"));
  char name[64];
  snprintf(name, sizeof name, "discrete/%s", model_name(0));
  assert_string_equal(text_at(method_at(two, 1, name), "state_hash"),
                      text_at(method_at(all, 0, model_name(0)), "state_hash"));
  json_decref(two);
  json_decref(all);
}

// --------------------------------------------------------------------------------- quantities

/* A contact that slides at v glides at mu dt v (similar) or mu (dt + tau) v (sap) above the
 * surface, less what the near-rigid compliance yields under the weight: R_n m g dt (dt + tau) with
 * R_n = beta^2/(4 pi^2 m), which is 1e-6 of the 1e-4 m of sap, and g dt^2 beta^2/(4 pi^2) = 1e-8 m
 * of the 1e-6 m of similar. 3 % holds both. */
static void test_gliding_distances_are_those_of_the_laws(void **state) {
  (void)state;
  const double mu = 0.5, dt = 0.002, tolerance = 0.03;
  const double tau = 2.0 * limpet_material_default().relaxation_time;
  text_save("dragged.xml", dragged_text);
  text_save("drag.csv", "time,drag\n0,0\n1,0.001\n");
  limpet("compare dragged.xml --controls drag.csv --time 2s --contact lagged,similar,sap --json");
  json_t *root = output_json();
  assert_string_equal(text_at(root, "schema"), "limpet.compare/1");
  assert_string_equal(text_at(root, "ending"), "finished");
  const double expected[3] = {0.0, mu * dt, mu * (dt + tau)};
  static const char *const names[3] = {"lagged", "similar", "sap"};
  for (size_t i = 0; i < 3; ++i) {
    json_t *method = method_at(root, i, names[i]);
    const double speed = json_number_value(json_array_get(json_at(method, "v"), 0));
    const double gap = number_at(method, "gliding_distance");
    assert_true(fabs(speed - 0.001) < 1e-5);
    if (fabs(gap - expected[i] * speed) > tolerance * expected[i] * speed)
      print_message("%s: gap %g m, expected %g m\n", names[i], gap, expected[i] * speed);
    assert_true(fabs(gap - expected[i] * speed) <= tolerance * expected[i] * speed);
    assert_true(number_at(method, "unsolved_steps") == 0);

    // nothing sticks while the box slides, and one that glides does not touch
    assert_true(json_is_null(json_at(method, "slip_fastest")));
    assert_true(number_at(method, "penetration_deepest") < 1e-7);
    assert_true(number_at(method, "penetration_mean") <= number_at(method, "penetration_deepest"));
    assert_true(number_at(method, "step_time_least") > 0.0);
    assert_true(number_at(method, "step_time_least") <= number_at(method, "step_time_median"));
  }

  // bodies are apart by what they glide, and a little more by where the drag took them
  assert_true(json_is_null(json_at(method_at(root, 0, "lagged"), "position_difference")));
  const double apart = number_at(method_at(root, 2, "sap"), "position_difference");
  assert_true(apart > 0.9e-4 && apart < 1.3e-4);
  assert_true(number_at(method_at(root, 2, "sap"), "rotation_difference") == 0.0);
  json_decref(root);
}

// The gap is that at the end of a step: a box that slides from its first step on has it after that
// step already.
static void test_the_gap_is_that_after_the_step(void **state) {
  (void)state;
  text_save("dragged.xml", dragged_text);
  limpet("compare dragged.xml --set drag=1mm/s --time 2ms --contact similar --json");
  json_t *root = output_json(), *method = method_at(root, 0, "similar");
  assert_true(number_at(method, "steps") == 1);
  assert_true(fabs(number_at(method, "gliding_distance") - 0.5 * 0.002 * 0.001) < 0.03 * 1e-6);
  json_decref(root);
}

/* A crate at rest sticks, with the weight's near-rigid depth, and nothing else. Deepest: 4 contacts
 * share m g = 9.81 N, each with k = 4 pi^2/(beta^2 dt^2 w): some 1e-9 m; 1e-7 m bounds it. The arm
 * swings freely and loses energy by its damper alone. */
static void test_a_crate_at_rest_sticks(void **state) {
  (void)state;
  text_save("rest.xml",
            "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 .1'><freejoint/>"
            "<geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody></mujoco>");
  limpet("compare rest.xml --contact lagged,similar --time 0.5s --json");
  json_t *root = output_json();
  for (size_t i = 0; i < 2; ++i) {
    json_t *method = json_array_get(json_at(root, "methods"), i);
    const double mean = number_at(method, "penetration_mean"),
                 deepest = number_at(method, "penetration_deepest");
    assert_true(mean > 0.0 && mean <= deepest && deepest < 1e-7);
    assert_true(number_at(method, "slip_fastest") < 1e-6 &&
                number_at(method, "slip_mean") <= number_at(method, "slip_fastest"));
    assert_true(fabs(number_at(method, "energy_end") - 0.981) < 1e-6);  // m g h
    assert_true(number_at(method, "energy_rise") < 1e-7);
    // but for the first step of lagged, which knows no normal force yet to bound friction by
    json_t *gap = json_at(method, "gliding_distance");
    assert_true(i == 0 ? json_number_value(gap) == 0.0 : json_is_null(gap));
  }
  json_decref(root);
}

/* A crate that starts 1 mm deep is out before the last half begins: Hunt-Crossley's damping lets it
 * out at 1/d = 0.02 m/s, in 0.05 s of 0.5 s. What it rests on then is some nanometres. */
static void test_penetration_is_that_of_the_last_half(void **state) {
  (void)state;
  text_save("deep.xml",
            "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 .099'><freejoint/>"
            "<geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody></mujoco>");
  limpet("run deep.xml --time 0.5s --json");
  json_t *run = output_json();
  assert_true(fabs(number_at(run, "penetration/value") - 1e-3) < 1e-12);
  limpet("compare deep.xml --time 0.5s --json --contact lagged");
  json_t *root = output_json();
  assert_true(number_at(method_at(root, 0, "lagged"), "penetration_deepest") < 1e-7);
  json_decref(run);
  json_decref(root);
}

// Tumbling boxes part ways; how far and by which angle is computed here from the coordinates,
// angles as 2 acos |a.b|.
static void test_differences_are_those_of_the_coordinates(void **state) {
  (void)state;
  text_save("tumble.xml",
            "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 .5' euler='20 30 "
            "0'><freejoint/>"
            "<geom type='box' size='.1 .07 .05' mass='1'/></body></worldbody>"
            "<keyframe><key name='spin' qpos='0 0 .5 .8 .6 0 0' qvel='1 0 0 3 5 "
            "2'/></keyframe></mujoco>");
  limpet("compare tumble.xml --keyframe spin --time 0.6s --contact lagged,sap --json");
  json_t *root = output_json(), *first = method_at(root, 0, "lagged"),
         *second = method_at(root, 1, "sap");
  double a[7], b[7], cosine = 0.0;
  assert_int_equal(json_numbers(json_at(first, "q"), a, 7), 7);
  assert_int_equal(json_numbers(json_at(second, "q"), b, 7), 7);
  for (int k = 3; k < 7; ++k) cosine += a[k] * b[k];
  const double distance = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]),
               angle = 2.0 * acos(fabs(cosine));
  print_message("apart: %g m, %g rad\n", distance, angle);
  assert_true(distance > 1e-3 && angle > 5e-4);
  assert_true(fabs(number_at(second, "position_difference") - distance) < 1e-9);
  assert_true(fabs(number_at(second, "rotation_difference") - angle) < 1e-6);
  json_decref(root);
}

// A cart without friction: all its energy is the motor's work, F^2 t^2/(2 m) = 2 J, and none rose
// by itself.
// A world of deformable bodies alone differs where their vertices do.
static void test_soft_bodies_differ_by_their_vertices(void **state) {
  (void)state;
  text_save("slab.xml",
            "<mujoco><worldbody><geom type='plane' size='1 1 .1' euler='20 0 0'/>"
            "<limpet:deformable type='box' size='.05 .05 .05' cells='1 1 1' pos='0 0 .06' "
            "euler='20 0 0' young='1e5' friction='.3'/></worldbody></mujoco>");
  limpet("compare slab.xml --time 0.2s --contact lagged,sap");
  assert_int_equal(command_code, 0);
  expect_text(command_output, "At the end no body is farther than ");
}

static void test_work_of_actuators_is_no_rise(void **state) {
  (void)state;
  text_save("cart.xml",
            "<mujoco><worldbody><body><joint name='x' type='slide' axis='1 0 0'/>"
            "<geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody>"
            "<actuator><motor name='push' joint='x'/></actuator></mujoco>");
  limpet("compare cart.xml --contact sap --set push=2 --time 1s --json");
  json_t *root = output_json(), *method = method_at(root, 0, "sap");
  assert_true(fabs(number_at(method, "energy_end") - 2.0) < 1e-9);
  assert_true(number_at(method, "energy_rise") < 1e-12);
  static const char *const nothing[] = {"penetration_deepest", "penetration_mean",
                                        "slip_fastest",        "slip_mean",
                                        "gliding_distance",    "position_difference"};
  for (size_t i = 0; i < sizeof nothing / sizeof *nothing; ++i)
    assert_true(json_is_null(json_at(method, nothing[i])));
  json_decref(root);
}

// -------------------------------------------------------------------------------------- words

static void expect_narrow_lines(void) {
  for (const char *line = command_output; *line; line += strcspn(line, "\n") + 1)
    assert_true(strcspn(line, "\n") <= 100);
}

static void test_the_table_fits_and_says_what_is_true(void **state) {
  (void)state;
  text_save("dragged.xml", dragged_text);
  text_save("drag.csv", "time,drag\n0,0\n1,0.001\n");
  limpet("compare dragged.xml --controls drag.csv --time 2s --contact lagged,similar,sap");
  assert_int_equal(command_code, 0);
  assert_string_equal(command_errors, "");
  static const char *const parts[] = {"lagged",
                                      "similar",
                                      "sap",
                                      "gliding distance",
                                      "[um]",
                                      "keep a gap of up to ",
                                      " under sap, none under lagged"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) expect_text(command_output, parts[i]);
  expect_narrow_lines();

  // more methods than fit beside each other
  limpet(
      "compare dragged.xml --time 10ms --contact "
      "lagged,similar,sap,discrete/lagged,discrete/similar,discrete/sap");
  assert_int_equal(command_code, 0);
  expect_narrow_lines();
  expect_text(command_output, " discrete/similar ");

  // a box that only falls says nothing of gliding
  text_save("fall.xml",
            "<mujoco><worldbody><body pos='0 0 9'><freejoint/><geom "
            "size='.1'/></body></worldbody></mujoco>");
  limpet("compare fall.xml --time 0.1s");
  assert_int_equal(command_code, 0);
  assert_null(strstr(command_output, "keep a gap"));
  expect_text(command_output, "All methods have every body at the same place at the end.");
  limpet("compare fall.xml --time 0.1s --quiet");
  assert_string_equal(command_output, "");

  // every quantity is explained, and by its own line
  limpet("compare --help");
  static const char *const quantities[] = {"penetration, deepest", "slip in stiction, mean",
                                           "gliding distance",     "energy, largest rise",
                                           "steps not solved",     "body turned most"};
  for (size_t i = 0; i < sizeof quantities / sizeof *quantities; ++i)
    expect_text(command_output, quantities[i]);
}

static void test_replay_holds_every_run(void **state) {
  (void)state;
  const int before = file_count();
  limpet("compare scene.xml --time 0.1s --contact sap,lagged --html runs.html");
  if (!limpet_replay_available()) {
    expect_error(1, "without the viewer");
    assert_int_equal(file_count(), before);
    return;
  }
  assert_int_equal(command_code, 0);
  expect_text(command_output, "replay       runs.html");
  assert_int_equal(file_count(), before + 1);
  text_load(command_output, sizeof command_output, "runs.html");
  expect_text(command_output, "\"contact_model\":\"sap\"");
  expect_text(command_output, "\"contact_model\":\"lagged\"");
}

static void test_a_run_that_stops_is_told(void **state) {
  (void)state;
  limpet("compare scene.xml --keyframe wild --contact lagged,sap --json");
  assert_int_equal(command_code, 3);
  expect_text(command_errors, "stopped at 0 s");
  command_code = 0;
  json_t *root = output_json();
  assert_string_equal(text_at(root, "ending"), "stopped");
  assert_true(json_is_true(json_at(method_at(root, 0, "lagged"), "stopped")));
  assert_true(json_is_null(json_at(method_at(root, 1, "sap"), "position_difference")));
  json_decref(root);
}

// A normal law is for the models that take one; another one makes another run.
static void test_a_normal_law_is_for_those_that_take_it(void **state) {
  (void)state;
  json_t *runs[2];
  for (int i = 0; i < 2; ++i) {
    limpet("compare scene.xml --time 0.2s --json --contact lagged,sap %s",
           i ? "--normal-law log-barrier" : "");
    runs[i] = output_json();
  }
  assert_string_not_equal(text_at(method_at(runs[0], 0, "lagged"), "state_hash"),
                          text_at(method_at(runs[1], 0, "lagged"), "state_hash"));
  assert_string_equal(text_at(method_at(runs[0], 1, "sap"), "state_hash"),
                      text_at(method_at(runs[1], 1, "sap"), "state_hash"));
  for (int i = 0; i < 2; ++i) json_decref(runs[i]);
}

static void test_errors_say_what_was_meant(void **state) {
  (void)state;
  static const struct {
    int code;
    const char *arguments, *part;
  } cases[] = {
      {2, "compare", "no model file"},
      {2, "compare a.xml b.xml", "one model file"},
      {2, "compare scene.xml --contact lagd", "did you mean 'lagged'?"},
      {2, "compare scene.xml --contact lagged,spa", "did you mean 'sap'?"},
      {2, "compare scene.xml --contact lagged,", "there is no ''"},
      {2, "compare scene.xml --contact ,sap", "there is no ''"},
      {2, "compare scene.xml --contact discreet/lagged", "did you mean 'discrete'?"},
      {2, "compare scene.xml --contact sap --contact lagged,sap", "'sap' is named twice"},
      {2, "compare scene.xml --contact lagged,pgs",
       "--contact pgs: the scheme 'discrete' does not take this model; add '--scheme"},
      {2, "compare scene.xml --contact impulse/lagged",
       "--contact lagged: the scheme 'impulse' does not take this model"},
      {2, "run scene.xml --scheme impulse --contact sap",
       "--contact sap: the scheme 'impulse' does not take this model"},
      {2, "run scene.xml --contact sap --friction-regularization 0",
       "with the contact model \"sap\" it must be at least 1e-12"},
      {2, "compare scene.xml --keyframe pu", "did you mean 'up'?"},
      {2, "compare scene.xml --set srevo=1", "did you mean 'servo'?"},
      {2, "compare scene.xml --contact sap --normal-law hertz", "built in"},
      {2, "compare scene.xml --preset dark", "did you mean 'drake'?"},
      {2, "compare scene.xml --log out.h5", "unknown option '--log'"},
      {1, "compare none.xml", "none.xml"},
      {1, "compare scene.xml --controls none.csv", "none.csv"},
      {1, "compare scene.xml --html nowhere/out.html", "there is no folder 'nowhere'"},
      {1, "compare scene.xml --html scene.xml", "would overwrite an input"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    limpet("%s", cases[i].arguments);
    expect_error(cases[i].code, cases[i].part);
    assert_string_equal(command_output, "");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_run_is_that_of_run),
      cmocka_unit_test(test_methods_of_other_schemes),
      cmocka_unit_test(test_gliding_distances_are_those_of_the_laws),
      cmocka_unit_test(test_the_gap_is_that_after_the_step),
      cmocka_unit_test(test_a_crate_at_rest_sticks),
      cmocka_unit_test(test_penetration_is_that_of_the_last_half),
      cmocka_unit_test(test_differences_are_those_of_the_coordinates),
      cmocka_unit_test(test_work_of_actuators_is_no_rise),
      cmocka_unit_test(test_the_table_fits_and_says_what_is_true),
      cmocka_unit_test(test_soft_bodies_differ_by_their_vertices),
      cmocka_unit_test(test_replay_holds_every_run),
      cmocka_unit_test(test_a_run_that_stops_is_told),
      cmocka_unit_test(test_a_normal_law_is_for_those_that_take_it),
      cmocka_unit_test(test_errors_say_what_was_meant),
  };
  return cmocka_run_group_tests(tests, command_scene_open, command_scene_close);
}
