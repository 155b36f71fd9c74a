/* `limpet run` as users run it: options, units, messages, files, and the end of a run against steps
 * of the library. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "command_line.h"

static void library_steps(int count, double dt) {
  limpet_step_settings settings = limpet_step_settings_default(scene_model);
  settings.time_step = dt;
  for (int i = 0; i < count; ++i) limpet_step(scene_model, scene_data, &settings);
}

// The end of the run in the last output is that of `scene_data`, bit for bit.
static void expect_state(json_t *root) {
  char hash[20];
  snprintf(hash, sizeof hash, "%016llx",
           (unsigned long long)limpet_data_state_hash(scene_model, scene_data));
  assert_string_equal(text_at(root, "state_hash"), hash);
}

// -------------------------------------------------------------------------------- help, options

static void test_help_teaches(void **state) {
  (void)state;
  limpet("--version");
  assert_int_equal(command_code, 0);
  expect_text(command_output, "limpet " LIMPET_VERSION_STRING);
  limpet("--help");
  assert_int_equal(command_code, 0);
  static const char *const commands[] = {
      "run",      "compare",  "compute",  "info", "check",  "convert", "list",       "bench",
      "optimize", "identify", "gradient", "view", "render", "sweep",   "completion", "man"};
  enum { COUNT = (int)(sizeof commands / sizeof *commands) };
  for (int i = 0; i < COUNT; ++i) expect_text(command_output, commands[i]);
  expect_text(command_output, "Exit codes");
  limpet("help --help");
  assert_int_equal(command_code, 0);
  expect_text(command_output, "Commands:");
  for (int i = 0; i < COUNT; ++i) {
    limpet("%s --help", commands[i]);
    assert_int_equal(command_code, 0);
    expect_text(command_output, "Examples:");
    expect_text(command_output, "Options:");
    limpet("help %s", commands[i]);
    assert_int_equal(command_code, 0);
    expect_text(command_output, "Usage:");
  }
}

static void test_usage_errors_say_what_was_meant(void **state) {
  (void)state;
  static const struct {
    const char *arguments, *part;
  } cases[] = {
      {"", "no command"},
      {"rnu scene.xml", "did you mean 'run'?"},
      {"help chekc", "did you mean 'check'?"},
      {"run", "no model file"},
      {"run a.xml b.xml", "one model file"},
      {"run scene.xml --tiem 1s", "did you mean '--time'?"},
      {"run scene.xml --time", "needs a value"},
      {"run scene.xml --quiet=1", "takes no value"},
      {"run scene.xml --time 5N", "is a force; expected a time: s, ms"},
      {"run scene.xml --time 3parsec", "'parsec' after the number"},
      {"run scene.xml --time 3s5", "'s5' after the number"},
      {"run scene.xml --time nan", "not a number"},
      {"run scene.xml --time fast", "not a number"},
      {"run scene.xml --time -1s", "out of range"},
      {"run scene.xml --dt 0s", "out of range"},
      {"run scene.xml --threads 0", "whole number"},
      {"run scene.xml --threads 2s", "whole number"},
      {"run scene.xml --contact lagd", "did you mean 'lagged'?"},
      {"run scene.xml --scheme discreet", "did you mean 'discrete'?"},
      {"run scene.xml --preset dark", "did you mean 'drake'?"},
      {"run scene.xml --keyframe pu --log out.h5", "did you mean 'up'?"},
      {"run scene.xml --set servo=1 --set servo=2", "set twice"},
      {"run scene.xml --set servo", "expected ACTUATOR=VALUE"},
      {"run scene.xml --set srevo=1", "did you mean 'servo'?"},
      {"run scene.xml --set servo=5N", "is a force; expected an angle"},
      {"run scene.xml --set push=30deg", "is an angle; expected a force"},
      {"run --from out.h5 --dt 1ms", "--dt: not together with --from"},
      {"run --from out.h5 --no-warm-start", "--no-warm-start: not together with --from"},
      {"run scene.xml --log-period 1ms", "--log-period: there is no log"},
      {"run scene.xml --speculative-distance 1s", "is a time; expected a length"},
      {"run scene.xml --iteration-limit 0", "whole number between 1 and"},
      {"compute scene.xml", "expected: limpet compute FILE"},
      {"info", "expected: limpet info FILE"},
      {"check a b", "expected: limpet check FILE"},
      {"list modles", "did you mean 'models'?"},
      {"list term", "controllers, cost-terms, structs"},
      {"list models laws", "expected: limpet list"},
      {"run scene.xml --log-vertices 2", "--log-vertices: there is no log"},
      {"run scene.xml --contact sap --normal-law hertz", "coulomb, lagged and similar take any"},
      {"run scene.xml --contact anitescu --normal-law hertz", "'anitescu' has no normal law"},
      {"run scene.xml --scheme impulse --normal-law hertz", "'two-phase' has no normal law"},
      {"run scene.xml --accuracy 1mm", "is a length; expected a number in m and rad"},
      {"gradient scene.xml --samples 4", "--samples: only --smoothing random uses it"},
      {"gradient scene.xml --smoothing random --barrier-slip 1mm/s --barrier-range 1m",
       "--barrier-range: only --smoothing barrier uses it"},
      {"bench panda truth", "'limpet bench truth' stands alone"},
      {"sweep scene.xml --set servo=0,1 --track nobody", "--track nobody: there is no such body"},
      {"man chekc", "there is no command 'chekc'"},
      {"sweep scene.xml --set servo=1kg,2deg", "is a mass; expected an angle"},
      {"sweep scene.xml --set srevo=1,2", "did you mean 'servo'?"},
      {"bench pand", "did you mean 'panda'?"},
      {"bench --against bullet", "expected 'mujoco'"},
      {"bench --moving clutter", "did you mean 'clutter"},
      {"bench --steps 3", "belong to 'limpet bench --moving'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    limpet("%s", cases[i].arguments);
    expect_error(2, cases[i].part);
    assert_string_equal(command_output, "");
  }
}

// Steps that a run with these options makes, and its time step.
static void expect_steps(const char *options, double steps, double dt) {
  limpet("run scene.xml --json --quiet %s", options);
  json_t *root = output_json();
  assert_true(number_at(root, "steps") == steps);
  assert_true(fabs(number_at(root, "settings/time_step") - dt) < 1e-15);
  json_decref(root);
}

static void test_quantities_carry_units(void **state) {
  (void)state;
  expect_steps("--time 20ms", 10, 0.002);
  expect_steps("--time=0.02", 10, 0.002);
  expect_steps("--time '0.02 s' --dt 500us", 40, 0.0005);
  expect_steps("--time 2e4us --dt 0.001s", 20, 0.001);
  expect_steps("--time 0.001min --dt 10ms", 6, 0.01);
  expect_steps("--time 3ms", 2, 0.002);  // rounded up to whole steps
  expect_steps("--time 0s", 0, 0.002);

  limpet(
      "run scene.xml --json --quiet --time 0s --stiction-speed 3mm/s --tolerance 1e-9 "
      "--single-point --threads 2");
  json_t *root = output_json();
  assert_true(fabs(number_at(root, "settings/stiction_speed") - 3e-3) < 1e-18);
  assert_true(number_at(root, "settings/tolerance") == 1e-9);
  assert_true(json_is_true(json_at(root, "settings/single_point")));
  assert_true(number_at(root, "settings/threads") == 2);
  json_decref(root);
}

// ----------------------------------------------------------------------------------------- run

static void test_summary_in_words_has_units(void **state) {
  (void)state;
  limpet("run scene.xml --time 0.1s --profile");
  assert_int_equal(command_code, 0);
  static const char *const parts[] = {"simulated    0.1 s in 50 steps of 2 ms",
                                      "times real time",
                                      "contacts",
                                      "Newton iterations",
                                      "residual",
                                      "energy",
                                      " J at the end",
                                      "penetration",
                                      "creep",
                                      "warnings     none",
                                      "stages"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) expect_text(command_output, parts[i]);
  assert_string_equal(command_errors, "");  // no progress bar where stderr is no terminal
  limpet("run scene.xml --time 0.1s --quiet");
  assert_int_equal(command_code, 0);
  assert_string_equal(command_output, "");
}

static void test_summary_says_how_far_loops_are_closed(void **state) {
  (void)state;
  limpet("run " LIMPET_SOURCE_DIR "/scenes/linkage.xml --time 0.5s --set drive=6");
  assert_int_equal(command_code, 0);
  expect_text(command_output, "loops        2, closed to ");
  limpet("run " LIMPET_SOURCE_DIR "/scenes/linkage.xml --time 0.5s --set drive=6 --quiet --json");
  json_t *root = output_json();
  assert_true(number_at(root, "loop_gap/value") > 0.0 && number_at(root, "loop_gap/value") < 1e-5);
  assert_true(number_at(root, "loop_gap/time") < 0.1);     // where the crank starts with a jerk
  assert_true(number_at(root, "loop_turn/value") < 1e-6);  // the plate
  assert_true(number_at(root, "truth/loops_opened/gap/value") < 1e-3);
  json_decref(root);

  // one that starts open is named before, unless an author made it soft
  text_save("open.xml",
            "<mujoco><worldbody><body name='a'><freejoint/><geom size='.1'/><site name='s' pos='0 "
            "0 .3'/></body>"
            "<site name='t' pos='0 .4 0'/></worldbody><equality><connect name='chain' site1='s' "
            "site2='t'/>"
            "</equality></mujoco>");
  limpet("run open.xml --time 10ms");
  expect_text(command_errors, "1 loop is open at the start, loop \"chain\" by 0.5 m");
  text_save("soft.xml",
            "<mujoco><worldbody><body name='a'><freejoint/><geom size='.1'/><site name='s' pos='0 "
            "0 .3'/></body>"
            "<site name='t' pos='0 .4 0'/></worldbody><equality><connect site1='s' site2='t' "
            "solref='.1 1'/>"
            "</equality></mujoco>");
  limpet("run soft.xml --time 10ms");
  assert_string_equal(command_errors, "");

  // nothing is said where there are none
  limpet("run scene.xml --time 0.1s");
  assert_null(strstr(command_output, "loops"));
  limpet("run scene.xml --time 0.1s --quiet --json");
  root = output_json();
  assert_true(json_is_null(json_at(root, "loop_gap")));
  json_decref(root);
}

// A body on a hinge cannot turn to where a weld and a coupler want it: that is told.
static void test_summary_says_what_stays_open(void **state) {
  (void)state;
  text_save("turned.xml",
            "<mujoco><option gravity='0 0 0'/><worldbody>"
            "<body name='a'><joint name='x' axis='1 0 0'/><geom size='.1'/></body>"
            "<body pos='9 0 0'><joint name='y' axis='1 0 0'/><geom size='.1'/></body></worldbody>"
            "<equality><weld name='wrong' body1='a' relpose='0 0 0 1 0 0 .1'/>"
            "<joint joint1='y' polycoef='.3 0 0 0 0'/></equality></mujoco>");
  limpet("run turned.xml --time 0.5s");
  assert_int_equal(command_code, 0);
  expect_text(command_errors, "1 weld is open at the start, loop \"wrong\" by 0.199 rad");
  expect_text(command_output, "a weld stays open by an angle of 0.199 rad (at 0.5 s)");
  assert_null(strstr(command_output, "a coupler"));  // it closed
  limpet("run turned.xml --time 0.5s --quiet --json");
  json_t *root = output_json();
  assert_true(fabs(number_at(root, "loop_turn/value") - 2.0 * atan(0.1)) < 1e-6);
  assert_true(fabs(number_at(root, "coupler_error/value") - 0.3) < 1e-12);
  assert_true(number_at(root, "truth/loops_opened/coupler/value") < 1e-3);
  json_decref(root);
}

static void test_run_is_the_library_stepping(void **state) {
  (void)state;
  limpet("run scene.xml --time 0.3s --json");
  json_t *root = output_json();
  limpet_data_reset(scene_model, scene_data);
  library_steps(150, 0.002);
  expect_state(root);
  assert_string_equal(text_at(root, "ending"), "finished");
  assert_true(number_at(root, "contacts/most/value") >= 4.0);  // the crate stands on four corners
  assert_true(number_at(root, "penetration/value") > 0.0);
  assert_string_equal(text_at(root, "penetration/geom_a"), "floor");
  assert_string_equal(text_at(root, "penetration/geom_b"), "wood");
  json_decref(root);

  // keyframe and constant controls, the angle in degrees
  limpet("run scene.xml --time 0.2s --dt 1ms --keyframe up --set servo=30deg --json");
  root = output_json();
  limpet_data_reset_keyframe(scene_model, scene_data, 0);
  scene_data->control[0] = 30.0 * 0.017453292519943295;
  library_steps(200, 0.001);
  expect_state(root);
  json_decref(root);
}

// A control beyond its range acts as the end of it, and the summary says in how many steps.
static void test_clamped_controls_are_said(void **state) {
  (void)state;
  text_save("narrow.xml",
            "<mujoco><worldbody><body><joint name='x' type='slide'/><geom size='.1'/></body>"
            "</worldbody><actuator><motor joint='x' ctrlrange='-1 1'/></actuator></mujoco>");
  limpet("run narrow.xml --time 20ms --set x=3");
  assert_int_equal(command_code, 0);
  expect_text(command_output, "warnings     controls outside their range, clamped: 10");
  limpet("run narrow.xml --time 20ms --set x=1 --json");
  json_t *root = output_json();
  assert_true(number_at(root, "warnings/clamped_controls") == 0.0);
  json_decref(root);
}

static void test_energy_of_the_summary(void **state) {
  (void)state;
  limpet("run scene.xml --time 0.1s --json");
  json_t *root = output_json();
  limpet_data_reset(scene_model, scene_data);
  limpet_forward_dynamics(scene_model, scene_data);
  assert_true(number_at(root, "energy/start/kinetic") == 0.0);
  assert_true(number_at(root, "energy/start/potential") ==
              limpet_potential_energy(scene_model, scene_data));
  library_steps(50, 0.002);
  limpet_forward_dynamics(scene_model, scene_data);
  assert_true(number_at(root, "energy/end/kinetic") ==
              limpet_kinetic_energy(scene_model, scene_data));
  json_decref(root);
}

static void test_controls_are_interpolated_and_held(void **state) {
  (void)state;
  text_save("controls.csv", "\xef\xbb\xbftime, \"push\"\r\n0.02, 1\r\n\r\n0.06, 3\r\n");
  limpet("run scene.xml --time 0.1s --controls controls.csv --set servo=0.2 --json");
  json_t *root = output_json();
  limpet_data_reset(scene_model, scene_data);
  scene_data->control[0] = 0.2;
  for (int i = 0; i < 50; ++i) {
    // the same operations in the same order, for equal bits
    const double time = scene_data->time;
    scene_data->control[1] = time <= 0.02   ? 1.0
                             : time >= 0.06 ? 3.0
                                            : 1.0 + (time - 0.02) / (0.06 - 0.02) * (3.0 - 1.0);
    library_steps(1, 0.002);
  }
  expect_state(root);
  json_decref(root);
}

static void test_wrong_controls_leave_nothing_behind(void **state) {
  (void)state;
  static const struct {
    const char *text, *part;
  } cases[] = {
      {"", "controls.csv:1: the file is empty"},
      {"servo\n0\n", "controls.csv:1: there is no column 'time'"},
      {"time,servo\n", "there are no rows"},
      {"time,sero\n0,0\n",
       "controls.csv:1: column 'sero' is neither 'time' nor an actuator (did you mean 'servo'?)"},
      {"time,elbow\n0,0\n", "the actuators are: servo, push"},
      {"time,servo,servo\n0,0,0\n", "controls.csv:1: column 'servo' stands here twice"},
      {"time,time\n0,0\n", "column 'time' stands here twice"},
      {"time,servo\n0,1\n0,2\n", "controls.csv:3: time 0 s comes after 0 s"},
      {"time,servo\n1,1\n\n0,2\n", "controls.csv:4: time 0 s comes after 1 s"},
      {"time,servo\n0,nan\n", "controls.csv:2: 'nan' in column 'servo' is not a finite number"},
      {"time,servo\n0,inf\n", "not a finite number"},
      {"time,servo\n0,1x\n", "'1x' in column 'servo'"},
      {"time,servo\n0,\n", "'' in column 'servo'"},
      {"time,servo\n0\n", "controls.csv:2: 1 field, but the header has 2 columns"},
      {"time,servo\n0,1,2\n", "controls.csv:2: 3 fields, but the header has 2 columns"},
      {"time,servo\n0,1,2\n", "are there decimal commas"},
      {"time;servo\n0;1\n", "controls.csv:1: there is a ';' in the header"},
  };
  text_save("controls.csv", "");
  const int before = file_count();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    text_save("controls.csv", cases[i].text);
    limpet("run scene.xml --time 1s --controls controls.csv --log out.h5 --html out.html");
    expect_error(1, cases[i].part);
    assert_int_equal(file_count(), before);
  }
  text_save("controls.csv", "time,servo\n0,1\n");
  limpet("run scene.xml --controls controls.csv --set servo=1 --log out.h5");
  expect_error(2, "has a column in controls.csv too");
  limpet("run scene.xml --controls none.csv");
  expect_error(1, "none.csv: cannot be opened");
  assert_int_equal(file_count(), before);
}

static void test_wrong_files_leave_nothing_behind(void **state) {
  (void)state;
  mkdir(strcat(strcpy(command_output, command_folder), "/inside"), 0700);
  text_save("truncated.xml", "<mujoco><worldbody><body>");
  text_save("text.h5", "no log");
  text_save("log.h5", "\x89HDF\r\n");
  const int before = file_count();
  static const struct {
    const char *arguments, *part;
  } cases[] = {
      {"run none.xml --log out.h5", "none.xml: cannot be opened: No such file"},
      {"run scene --log out.h5", "scene: cannot be opened: No such file"},
      {"run inside --log out.h5", "this is a folder"},
      {"run '' --log out.h5", "the name of the model file is empty; give one"},
      {"check ''", "the name of the model file is empty; give one"},
      {"run log.h5", "this is an HDF5 file, not a model; 'limpet run --from' runs a log again"},
      {"check /dev/null", "there is nothing in it"},
      {"list >/dev/full 2>.err #", "the output could not be written: No space left on device"},
      {"info scene.xml --json >/dev/full 2>.err #",
       "could not be written: No space left on device"},
      {"run scene.xml --time 4ms --json >/dev/full 2>.err #",
       "could not be written: No space left on device"},
      {"run truncated.xml --log out.h5 --html out.html", "truncated.xml:1:"},
      {"run scene.xml --log none/out.h5", "there is no folder 'none'"},
      {"run scene.xml --html none/out.html --log out.h5", "there is no folder 'none'"},
      {"run scene.xml --log inside", "this is a folder"},
      {"run scene.xml --log scene.xml", "would overwrite an input"},
      {"run --from text.h5", "text.h5"},
      {"run --from none.h5", "none.h5: there is no such file"},
      {"run --from inside", "there is no such file"},
      {"run scene.xml --controls inside --log out.h5", "this is a folder"},
      {"compute scene.xml --states inside", "this is a folder"},
      {"compute scene.xml --states none.json", "limpet: none.json: cannot be opened: No such file"},
      {"view none.h5", "none.h5: cannot be opened: No such file"},
      {"compute none.xml --states scene.xml", "scene.xml:1:"},
      {"info none.xml", "none.xml"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    limpet("%s", cases[i].arguments);
    expect_error(1, cases[i].part);
    assert_int_equal(file_count(), before);
  }
  text_load(command_output, sizeof command_output, "scene.xml");
  assert_string_equal(command_output, scene_text);
}

// Settings of the run that a log in the folder holds.
static limpet_step_settings settings_logged(const char *name) {
  char path[512];
  limpet_error error;
  limpet_step_settings settings;
  snprintf(path, sizeof path, "%s/%s", command_folder, name);
  limpet_log_info *info = limpet_log_read(path, &error);
  assert_non_null(info);
  assert_int_equal(limpet_log_settings(info, scene_model, &settings, &error), LIMPET_OK);
  limpet_log_info_destroy(info);
  return settings;
}

static void test_options_set_their_fields(void **state) {
  (void)state;
  limpet("run scene.xml --time 4ms --quiet --log out.h5");
  limpet_step_settings expected = settings_logged("out.h5"), given;
  expected.friction_regularization = 1e-3;
  expected.near_rigid_ratio = 0.2;
  expected.constraint_ratio = 0.5;
  expected.equality_ratio = 0.3;
  expected.speculative_distance = 0.1;
  expected.iteration_limit = 7;
  expected.curved_paths = expected.warm_start = false;
  expected.compatibility.single_point = true;
  limpet(
      "run scene.xml --time 4ms --quiet --log out.h5 --friction-regularization 1e-3 "
      "--near-rigid-ratio=0.2 --constraint-ratio "
      "0.5 --equality-ratio 0.3 "
      "--speculative-distance 10cm --iteration-limit 7 --no-curved-paths --no-warm-start "
      "--single-point");
  assert_int_equal(command_code, 0);
  given = settings_logged("out.h5");
  // field by field: what lies between the fields is nobody's
  const limpet_field_table *table = limpet_step_settings_fields();
  for (int i = 0; i < table->count; ++i) {
    const limpet_field *field = &table->fields[i];
    assert_memory_equal((const char *)&given + field->offset,
                        (const char *)&expected + field->offset, field->size);
  }
}

static void test_a_rigid_contact_without_a_ratio_is_explained(void **state) {
  (void)state;
  limpet("run scene.xml --time 1s --quiet --strict --near-rigid-ratio 0");
  expect_error(3, "each contact needs a geom with a stiffness");
}

static void test_likely_mistakes_are_said(void **state) {
  (void)state;
  text_save("sunk.xml",
            "<mujoco><worldbody><geom name='floor' type='plane' size='0 0 1'/>"
            "<body pos='0 0 .07'><freejoint/><geom name='ball' size='.1'/></body>"
            "</worldbody></mujoco>");
  limpet("run sunk.xml --time 2ms");
  expect_text(command_errors, "geom \"floor\" and geom \"ball\" overlap by 30 mm");
  text_save("hand.xml",
            "<mujoco><worldbody><body mocap='true' pos='0 0 .5'><geom name='palm' type='box' "
            "size='.1 .1 .1'/></body><body mocap='true' pos='0 0 .4'><geom size='.1'/></body>"
            "<body pos='0 0 .63'><freejoint/><geom name='ball' size='.05'/></body></worldbody>"
            "<keyframe><key name='far' mpos='3 0 .5 6 0 .5'/></keyframe></mujoco>");
  limpet("run hand.xml --time 2ms");
  expect_text(command_errors, "geom \"palm\" and geom \"ball\" overlap by 20 mm");
  limpet("run hand.xml --time 2ms --keyframe far");
  assert_string_equal(command_errors, "");
  limpet("run sunk.xml --time 1s --dt 1s");
  expect_text(command_errors, "a time step of 1 s is long");
  text_save("millimetres.xml",
            "<mujoco><worldbody><body pos='0 0 300'><freejoint/><geom "
            "type='box' size='100 100 100'/></body></worldbody></mujoco>");
  limpet("run millimetres.xml --time 2ms");
  expect_text(command_errors, "are its lengths millimetres");
  text_save("grams.xml",
            "<mujoco><worldbody><body pos='0 0 3'><freejoint/><geom "
            "type='box' size='1 1 1' mass='2e5'/></body></worldbody></mujoco>");
  limpet("run grams.xml --time 2ms");
  expect_text(command_errors, "weighs 2e+05 kg: are lengths millimetres, or masses grams?");
  limpet("check grams.xml");
  expect_text(command_output, "grams.xml:1:20: doubtful: ");
  text_save("fine.xml",
            "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 .2'>"
            "<freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  limpet("run fine.xml --time 2ms");
  assert_string_equal(command_errors, "");
  text_save("radians.xml",
            "<mujoco><worldbody><body><joint range='-1.57 1.57'/><geom size='.1'/>"
            "</body></worldbody></mujoco>");
  limpet("check radians.xml");
  expect_text(command_output, "-1.57 to 1.57 degrees: are these radians");
  text_save("degrees.xml",
            "<mujoco><compiler angle='radian'/><worldbody><body><joint range='-90 "
            "90'/><geom size='.1'/></body></worldbody></mujoco>");
  limpet("check degrees.xml");
  expect_text(command_output, "are these degrees");
}

// What `limpet check` says of angles: radians under degrees and the reverse, in every format; and
// nothing of angles that are right.
static void test_units_of_angles_are_questioned(void **state) {
  (void)state;
#define MJCF(compiler, euler)                          \
  "<mujoco>" compiler "<worldbody><body euler='" euler \
  "'><joint range='-90 90'/><geom size='.1'/></body></worldbody></mujoco>"
#define RADIAN_MJCF(euler)                                           \
  "<mujoco><compiler angle='radian'/><worldbody><body euler='" euler \
  "'><joint range='-1.57 1.57'/><geom size='.1'/></body></worldbody></mujoco>"
#define URDF(rpy, upper)                                                     \
  "<robot name='r'><link name='world'/><link name='b'><inertial><mass "      \
  "value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link><joint "   \
  "name='j' type='revolute'><parent link='world'/><child link='b'/><origin " \
  "rpy='" rpy "'/><limit lower='0' upper='" upper "'/></joint></robot>"
#define SDF(pose, upper)                                                    \
  "<sdf version='1.9'><model name='m'><link name='b'/><joint name='j' "     \
  "type='revolute'><parent>world</parent><child>b</child><pose>0 0 0 " pose \
  "</pose><axis><xyz>0 0 1</xyz><limit><lower>0</lower><upper>" upper       \
  "</upper></limit></axis></joint></model></sdf>"
  static const struct {
    const char *file, *text;
    const char *part;  // NULL: it is right
  } cases[] = {{"e.xml", MJCF("", "0 1.57 0"), "1.57 degrees: are these radians"},
               {"e.xml", MJCF("", "0 3.14159 0"), "are these radians"},
               {"e.xml", MJCF("", "0 30 90"), NULL},
               {"e.xml", MJCF("<compiler angle='degree'/>", "0 1.57 0"), NULL},
               {"e.xml", RADIAN_MJCF("0 0 90"), "90 rad, more than a turn: are these degrees"},
               {"e.xml", RADIAN_MJCF("0 0 1.57"), NULL},
               {"e.urdf", URDF("0 0 90", "1"), "90 rad, more than a turn: is it in degrees"},
               {"e.urdf", URDF("0 0 1", "90"), "are they in degrees"},
               {"e.urdf", URDF("0 0 1.57", "1.57"), NULL},
               {"e.sdf", SDF("0 90 0", "1"), "is it in degrees"},
               {"e.sdf", SDF("0 1 0", "180"), "are they in degrees"},
               {"e.sdf", SDF("0 1.57 0", "3.1"), NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    text_save(cases[i].file, cases[i].text);
    limpet("check %s", cases[i].file);
    if (cases[i].part) expect_text(command_output, cases[i].part);
    else assert_null(strstr(command_output, "degrees"));
  }
}

static void test_controllers_far_from_their_path_are_said(void **state) {
  (void)state;
  text_save("far.xml",
            "<mujoco><worldbody><body><joint name='h' axis='0 1 0'/><geom size='.1'/></body>"
            "</worldbody><actuator><position joint='h' kp='50'/></actuator></mujoco>");
  text_save("far.json",
            "{\"kind\": \"joint-position\", \"joints\": [\"h\"], \"trajectory\": {\"kind\": "
            "\"constant\", \"position\": 1.2}}");
  limpet("run far.xml --controller far.json --time 4ms");
  expect_text(command_errors, "the controller starts far from its path: a joint stands 1.2 rad");
  text_save("far.json",
            "{\"kind\": \"joint-position\", \"joints\": [\"h\"], \"trajectory\": {\"kind\": "
            "\"constant\", \"position\": 0.1}}");
  limpet("run far.xml --controller far.json --time 4ms");
  assert_string_equal(command_errors, "");
}

static void test_a_start_outside_the_limits_is_said(void **state) {
  (void)state;
  text_save("outside.xml",
            "<mujoco><compiler angle='radian'/><worldbody><body><joint name='knee' range='0.5 "
            "1'/><geom size='.1'/></body>"
            "<body pos='1 0 0'><joint name='hip' range='-1 1'/><geom "
            "size='.1'/></body></worldbody></mujoco>");
  limpet("run outside.xml --time 2ms");
  assert_int_equal(command_code, 0);
  expect_text(command_errors,
              "1 joint is outside the limits at the start, joint \"knee\" by 0.5 rad");
  limpet("run outside.xml --time 2ms --quiet");
  assert_string_equal(command_errors, "");
}

static void test_replay_is_written_whole(void **state) {
  (void)state;
  const int before = file_count();
  limpet("run scene.xml --time 0.1s --html out.html --quiet");
  if (command_code != 0) {  // built without the viewer
    expect_error(1, "out.html");
    assert_int_equal(file_count(), before);
    return;
  }
  assert_true(file_exists("out.html"));
  assert_int_equal(file_count(), before + 1);
  text_load(command_output, sizeof command_output, "out.html");
  expect_text(command_output, "<html");
}

// `lagged` lacks friction in an impact and the command says so; `coulomb` has it.
static void test_missing_friction_is_warned_of(void **state) {
  (void)state;
  text_save("landing.xml",
            "<mujoco><worldbody><geom name='floor' type='plane' size='9 9 1' friction='.2'/>"
            "<body pos='0 0 .025'><freejoint/>"
            "<geom name='plate' type='box' size='.05 .05 .005' mass='.1' friction='.2' "
            "euler='0 20 0'/></body></worldbody></mujoco>");
  limpet("run landing.xml --time 0.1s --contact lagged");
  assert_int_equal(command_code, 0);
  expect_text(command_output, "warnings     friction off Coulomb's law by");
  expect_text(command_output, "between geom \"floor\" and geom \"plate\"");
  limpet("run landing.xml --time 0.1s --contact coulomb");
  expect_text(command_output, "warnings     none");
  limpet("compare landing.xml --time 0.1s --contact coulomb,lagged");
  expect_text(command_output, "lagged warns: friction off Coulomb's law by");
  assert_null(strstr(command_output, "coulomb warns"));
}

// A wheel in a free frame by the plain scheme makes energy of nothing.
static void test_risen_energy_is_warned_of(void **state) {
  (void)state;
  text_save(
      "wheel.xml",
      "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/>"
      "<inertial pos='0 0 0' mass='.1' diaginertia='.0003 .0003 .0003'/>"
      "<body><joint axis='0 0 1'/>"
      "<inertial pos='0 0 0' mass='.5' diaginertia='.0008 .0008 .0016'/></body></body>"
      "</worldbody><keyframe><key name='turning' qvel='0 0 0 1 0 0 300'/></keyframe></mujoco>");
  limpet("run wheel.xml --time 0.05s --dt 2ms --keyframe turning --plain-flight");
  expect_text(command_output, "warnings     energy rose without work: ");
  limpet("run wheel.xml --time 0.05s --dt 2ms --keyframe turning");
  assert_null(strstr(command_output, "energy rose"));
}

static void test_trouble_in_the_numbers_stops_the_run(void **state) {
  (void)state;
  limpet("run scene.xml --keyframe wild --json");
  expect_error(3, "v 6 'shoulder' is 1e+200, too large");
  expect_text(command_output, "\"ending\": \"stopped\"");
}

static void test_interrupt_ends_a_run_cleanly(void **state) {
  (void)state;
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(command_folder) != 0 || !freopen(".out", "w", stdout) ||
        !freopen(".err", "w", stderr))
      _exit(99);
    execl(LIMPET_BINARY_DIR "/limpet", "limpet", "run", "scene.xml", "--time", "100h", "--json",
          (char *)NULL);
    _exit(99);
  }
  int status = 0;
  usleep(500000);
  kill(child, SIGINT);
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 128 + SIGINT);
  text_load(command_output, sizeof command_output, ".out");
  expect_text(command_output, "\"ending\": \"interrupted\"");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_help_teaches),
      cmocka_unit_test(test_usage_errors_say_what_was_meant),
      cmocka_unit_test(test_quantities_carry_units),
      cmocka_unit_test(test_summary_in_words_has_units),
      cmocka_unit_test(test_summary_says_how_far_loops_are_closed),
      cmocka_unit_test(test_summary_says_what_stays_open),
      cmocka_unit_test(test_run_is_the_library_stepping),
      cmocka_unit_test(test_clamped_controls_are_said),
      cmocka_unit_test(test_energy_of_the_summary),
      cmocka_unit_test(test_controls_are_interpolated_and_held),
      cmocka_unit_test(test_wrong_controls_leave_nothing_behind),
      cmocka_unit_test(test_wrong_files_leave_nothing_behind),
      cmocka_unit_test(test_options_set_their_fields),
      cmocka_unit_test(test_a_rigid_contact_without_a_ratio_is_explained),
      cmocka_unit_test(test_likely_mistakes_are_said),
      cmocka_unit_test(test_units_of_angles_are_questioned),
      cmocka_unit_test(test_controllers_far_from_their_path_are_said),
      cmocka_unit_test(test_a_start_outside_the_limits_is_said),
      cmocka_unit_test(test_replay_is_written_whole),
      cmocka_unit_test(test_missing_friction_is_warned_of),
      cmocka_unit_test(test_risen_energy_is_warned_of),
      cmocka_unit_test(test_trouble_in_the_numbers_stops_the_run),
      cmocka_unit_test(test_interrupt_ends_a_run_cleanly),
  };
  return cmocka_run_group_tests(tests, command_scene_open, command_scene_close);
}
