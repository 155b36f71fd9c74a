/* `limpet compute`, `info`, `check`, `list`, `bench`: their numbers and texts against calls of the
 * library. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "command_line.h"
#include "shared_data.h"

// ------------------------------------------------------------------------------------- compute

static void expect_numbers(json_t *state_object, const char *key, const double *expected,
                           int count) {
  double values[256];
  assert_true(count <= 256);
  const int found = json_numbers(json_object_get(state_object, key), values, 256);
  if (found != count) print_message("%s has %d numbers, expected %d\n", key, found, count);
  assert_int_equal(found, count);
  for (int i = 0; i < count; ++i) {
    if (values[i] != expected[i])
      print_message("%s[%d] is %.17g, expected %.17g\n", key, i, values[i], expected[i]);
    assert_true(values[i] == expected[i]);  // 17 digits carry every bit
  }
}

static void expect_dynamics(json_t *object) {
  limpet_forward_dynamics(scene_model, scene_data);
  double dense[SCENE_NV * SCENE_NV] = {0}, com[3];
  for (int tree = 0; tree < scene_model->tree_count; ++tree) {
    const int first = scene_model->tree_dof[tree], count = scene_model->tree_dof_count[tree];
    for (int i = 0; i < count * count; ++i) {
      dense[(first + i / count) * SCENE_NV + first + i % count] =
          scene_data->mass_matrix[scene_model->tree_mass[tree] + i];
    }
  }
  limpet_centre_of_mass(scene_model, scene_data, 0, com);
  expect_numbers(object, "position", scene_data->body_position, 3 * scene_model->body_count);
  expect_numbers(object, "quaternion", scene_data->body_quaternion, 4 * scene_model->body_count);
  expect_numbers(object, "mass_matrix", dense, SCENE_NV * SCENE_NV);
  expect_numbers(object, "bias", scene_data->bias, SCENE_NV);
  expect_numbers(object, "passive_force", scene_data->passive_force, SCENE_NV);
  expect_numbers(object, "spring_force", scene_data->spring_force, SCENE_NV);
  expect_numbers(object, "damper_force", scene_data->damper_force, SCENE_NV);
  expect_numbers(object, "gravity_compensation_force", scene_data->gravity_compensation_force,
                 SCENE_NV);
  expect_numbers(object, "actuator_force", scene_data->actuator_joint_force, SCENE_NV);
  expect_numbers(object, "actuator_length", scene_data->actuator_length, SCENE_NU);
  expect_numbers(object, "actuator_velocity", scene_data->actuator_velocity, SCENE_NU);
  expect_numbers(object, "actuator_scalar_force", scene_data->actuator_force, SCENE_NU);
  expect_numbers(object, "tendon_length", scene_data->tendon_length, 1);
  expect_numbers(object, "tendon_velocity", scene_data->tendon_velocity, 1);
  expect_numbers(object, "acceleration", scene_data->acceleration, SCENE_NV);
  expect_numbers(object, "centre_of_mass", com, 3);
  assert_true(number_at(object, "kinetic_energy") ==
              limpet_kinetic_energy(scene_model, scene_data));
  assert_true(number_at(object, "potential_energy") ==
              limpet_potential_energy(scene_model, scene_data));

  // the tendon: rest length 0.5 * 0 + 2 * 0
  const double force = -3.0 * scene_data->tendon_length[0] - 0.2 * scene_data->tendon_velocity[0];
  assert_true(fabs(json_number_value(json_array_get(json_at(object, "tendon_force"), 0)) - force) <
              1e-12);
}

static void test_compute_is_the_library(void **state) {
  (void)state;
  static const double q[SCENE_NQ] = {0.1, -0.2, 0.09, 0.96, 0.0, 0.28, 0.0, 0.7, 0.03},
                      control[SCENE_NU] = {0.4, -2.0};
  static const double v[SCENE_NV] = {0.1, 0.2, -0.3, 1.0, -2.0, 0.5, 1.5, -0.7};
  text_save("in.json",
            "{\"states\": [{}, {\"q\": [0.1, -0.2, 0.09, 0.96, 0, 0.28, 0, 0.7, 0.03], \"v\": "
            "[0.1, 0.2, -0.3, 1, -2, 0.5, 1.5, "
            "-0.7], \"control\": [0.4, -2], \"activation\": []}]}");
  limpet("compute scene.xml --states in.json --out result.json");
  assert_int_equal(command_code, 0);
  assert_string_equal(command_output, "");
  text_load(command_output, sizeof command_output, "result.json");
  json_t *root = output_json(), *states = json_at(root, "states");
  assert_int_equal(json_array_size(states), 2);
  limpet_data_reset(scene_model, scene_data);
  expect_dynamics(json_array_get(states, 0));
  memcpy(scene_data->q, q, sizeof q);
  memcpy(scene_data->v, v, sizeof v);
  memcpy(scene_data->control, control, sizeof control);
  expect_dynamics(json_array_get(states, 1));

  // the crate is turned by 32.5 deg about y and 9 cm up: one edge is in the floor, at -0.1 (0.28 *
  // 1.92 + 0.8432) + 0.09
  const json_t *contacts = json_at(json_array_get(states, 1), "contacts");
  assert_true(json_array_size(contacts) >= 2);
  json_t *contact = json_array_get(contacts, 0);
  assert_string_equal(text_at(contact, "geom_a"), "floor");
  assert_string_equal(text_at(contact, "geom_b"), "wood");
  assert_true(number_at(contact, "geom_a_index") == 0 && number_at(contact, "geom_b_index") == 1);
  assert_true(json_number_value(json_array_get(json_at(contact, "normal"), 2)) ==
              1.0);  // from the floor to the crate
  const double sine = 2.0 * 0.96 * 0.28, cosine = 1.0 - 2.0 * 0.28 * 0.28;
  assert_true(fabs(number_at(contact, "distance") - (0.09 - 0.1 * (sine + cosine))) < 1e-12);
  json_decref(root);

  limpet("compute scene.xml --states - < in.json");
  text_load(command_errors, sizeof command_errors, "result.json");
  assert_string_equal(command_output, command_errors);
}

static void test_compute_refuses_wrong_states(void **state) {
  (void)state;
  static const struct {
    const char *text, *part;
  } cases[] = {
      {"{", "in.json:1:"},
      {"[]", "expected {\"states\""},
      {"{\"states\": [3]}", "state 0: must be an object"},
      {"{\"states\": [{}, {\"qpos\": []}]}", "state 1: 'qpos' is not a key"},
      {"{\"states\": [{\"q\": [1, 2]}]}", "state 0: 'q' has 2 numbers, the model needs 9"},
      {"{\"states\": [{\"v\": [\"a\"]}]}", "must be a list of 8 numbers"},
      {"{\"states\": [{\"q\": [0, 0, 0, 0, 0, 0, 0, 0, 0]}]}", "quaternion of zero length"},
  };
  text_save("in.json", "");
  remove(strcat(strcpy(command_output, command_folder), "/result.json"));
  const int before = file_count();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    text_save("in.json", cases[i].text);
    limpet("compute scene.xml --states in.json --out result.json");
    expect_error(1, cases[i].part);
    assert_int_equal(file_count(), before);
  }
}

// --------------------------------------------------------------------------- info, check, list

static void test_info_tells_offsets_and_inertia(void **state) {
  (void)state;
  limpet("info scene.xml --json");
  json_t *root = output_json();
  assert_true(number_at(root, "nq") == SCENE_NQ && number_at(root, "nv") == SCENE_NV &&
              number_at(root, "nu") == SCENE_NU);
  json_t *bodies = json_at(root, "bodies"), *joints = json_at(root, "joints");
  assert_int_equal(json_array_size(bodies), 4);
  assert_true(json_is_null(json_at(json_array_get(bodies, 0), "parent")));
  json_t *crate = json_array_get(bodies, 1), *hand = json_array_get(bodies, 3);
  assert_string_equal(text_at(crate, "name"), "crate");
  assert_true(number_at(crate, "mass") == 1.0);
  double inertia[9];
  assert_int_equal(json_numbers(json_at(crate, "inertia"), inertia, 9), 9);
  assert_true(fabs(inertia[4] - 1.0 / 12.0 * 2.0 * 0.04) <
              1e-12);  // m (a^2 + b^2) / 12 with edges of 0.2 m
  assert_string_equal(text_at(hand, "parent_name"), "arm");
  static const struct {
    const char *kind;
    int q, v;
  } expected[] = {{"free", 0, 0}, {"revolute", 7, 6}, {"prismatic", 8, 7}};
  for (int i = 0; i < 3; ++i) {
    json_t *joint = json_array_get(joints, (size_t)i);
    assert_string_equal(text_at(joint, "kind"), expected[i].kind);
    assert_true(number_at(joint, "q_offset") == expected[i].q &&
                number_at(joint, "v_offset") == expected[i].v);
  }
  json_t *actuators = json_at(root, "actuators");
  assert_string_equal(text_at(json_array_get(actuators, 0), "control_unit"), "rad");
  assert_string_equal(text_at(json_array_get(actuators, 1), "control_unit"), "N");
  assert_string_equal(
      json_string_value(json_at(json_array_get(json_at(root, "tendons"), 0), "name")), "both");
  assert_string_equal(
      json_string_value(json_at(json_array_get(json_at(root, "keyframes"), 0), "name")), "up");
  json_decref(root);

  limpet("info scene.xml");
  assert_int_equal(command_code, 0);
  static const char *const parts[] = {"crate",     "shoulder", "revolute", "servo",
                                      "both",      "kg m^2",   "wild",     "[revolute shoulder",
                                      "near-rigid"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) expect_text(command_output, parts[i]);
}

static void expect_last_line(const char *line) {
  size_t length = strlen(command_output);
  assert_true(length > 0 && command_output[length - 1] == '\n');
  command_output[length - 1] = '\0';
  const char *last = strrchr(command_output, '\n');
  assert_string_equal(last ? last + 1 : command_output, line);
}

static void test_info_tells_loops(void **state) {
  (void)state;
  limpet("info " LIMPET_SOURCE_DIR "/scenes/linkage.xml --json");
  json_t *root = output_json(), *loops = json_at(root, "loops");
  assert_int_equal(json_array_size(loops), 2);
  json_t *pin = json_array_get(loops, 0), *glue = json_array_get(loops, 1);
  assert_string_equal(text_at(pin, "kind"), "connect");
  assert_string_equal(text_at(pin, "body_a_name"), "coupler");
  double position[3];
  assert_int_equal(json_numbers(json_at(pin, "position_b"), position, 3), 3);
  assert_true(fabs(position[2] - 0.2470187) < 1e-6);  // the same point on the rocker
  assert_true(json_is_null(json_at(pin, "solref")) && json_is_null(json_at(pin, "torque_scale")));
  assert_string_equal(text_at(glue, "name"), "glue");
  assert_true(number_at(glue, "torque_scale") == 1.0);
  json_decref(root);
}

static void test_info_tells_point_clouds(void **state) {
  (void)state;
  limpet("info --json " LIMPET_SOURCE_DIR "/scenes/blob/blob.xml");
  assert_int_equal(command_code, 0);
  json_t *root = output_json(), *clouds = json_at(root, "clouds"),
         *cloud = json_array_get(clouds, 0);
  assert_int_equal(json_array_size(clouds), 1);
  assert_string_equal(text_at(cloud, "name"), "blob");
  assert_true(number_at(cloud, "points") == 992 &&
              number_at(cloud, "contact_points") == LIMPET_CLOUD_POINTS);
  json_t *geom = json_array_get(json_at(root, "geoms"), 2);
  assert_string_equal(text_at(geom, "kind"), "cloud");
  assert_true(number_at(geom, "cloud") == 0 && json_is_null(json_at(geom, "mesh")));
  json_decref(root);
  limpet("info " LIMPET_SOURCE_DIR "/scenes/blob/blob.xml");
  assert_non_null(strstr(command_output, "blob, 992 points"));
  assert_non_null(strstr(command_output, "1 point cloud"));
}

static void test_check_ends_with_a_verdict(void **state) {
  (void)state;
  limpet("check scene.xml");
  assert_int_equal(command_code, 0);
  expect_last_line("fully supported");

  // distance equalities are left out, as in MuJoCo
  text_save(
      "partly.xml",
      "<mujoco>\n<worldbody>\n<body name='a'><freejoint/><geom size='.1'/></body>\n</worldbody>\n"
      "<equality>\n<distance geom1='a' geom2='b'/>\n</equality>\n</mujoco>\n");
  limpet("check partly.xml");
  assert_int_equal(command_code, 0);
  expect_text(command_output, "partly.xml:6:");
  expect_text(command_output, "not simulated");
  expect_last_line("partly");
  limpet("run partly.xml --time 2ms");
  assert_int_equal(command_code, 0);
  expect_text(command_errors, "limpet: warning: ");
  expect_text(command_errors, "partly.xml:6:");
  limpet("run partly.xml --time 2ms --strict --log out2.h5");
  expect_error(1, "partly.xml:6:");
  assert_false(file_exists("out2.h5"));

  limpet("run --from scene.xml");
  expect_error(1, "scene.xml: this is not an HDF5 file");
  limpet("run scene.xml --fix-base --time 2ms");
  assert_int_equal(command_code, 0);
  expect_text(command_errors, "warning: scene.xml:1:1: fix_base (--fix-base) does nothing in MJCF");

  text_save("truncated.xml", "<mujoco><worldbody><body>");
  limpet("check truncated.xml");
  expect_error(1, "truncated.xml:1:");
  expect_last_line("rejected");
  limpet("check none.xml");
  expect_error(1, "none.xml");
  expect_last_line("rejected");
  limpet("check partly.xml --json");
  json_t *root = output_json();
  assert_string_equal(text_at(root, "verdict"), "partly");
  assert_true(json_is_true(json_at(json_array_get(json_at(root, "notes"), 0), "unsupported")));
  json_decref(root);
}

static void test_list_is_made_from_descriptors(void **state) {
  (void)state;
  limpet("list models");
  assert_int_equal(command_code, 0);
  expect_text(command_output, limpet_contact_model_descriptor(limpet_contact_models()[0])->name);
  limpet("list --json");
  json_t *root = output_json();
  int count = 0;
  while (limpet_schemes()[count]) ++count;
  assert_int_equal(json_array_size(json_at(root, "schemes")), count);
  for (count = 0; limpet_constraint_kinds()[count];) ++count;
  assert_int_equal(json_array_size(json_at(root, "constraints")), count);
  for (count = 0; limpet_shape_pairs()[count].name;) ++count;
  assert_int_equal(json_array_size(json_at(root, "shapes")), count);
  const limpet_descriptor *first = limpet_scheme_descriptor(limpet_schemes()[0]);
  json_t *scheme = json_array_get(json_at(root, "schemes"), 0);
  assert_string_equal(text_at(scheme, "name"), first->name);
  assert_int_equal(json_array_size(json_at(scheme, "parameters")), first->parameter_count);
  json_decref(root);
}

// --------------------------------------------------------------------------------------- bench

static void test_bench_times_a_step(void **state) {
  (void)state;
  const char *file = "models/menagerie/franka_emika_panda/panda.xml";
  if (!shared_exists(file)) skip();
  char root_folder[4096];
  snprintf(root_folder, sizeof root_folder, "%s", shared_path("."));
  setenv("LIMPET_SHARED", root_folder, 1);
  limpet("bench panda panda_grasp --json");
  json_t *root = output_json(), *scenes = json_at(root, "scenes");
  assert_int_equal(json_array_size(scenes), 2);
  for (size_t i = 0; i < 2; ++i) {
    json_t *entry = json_array_get(scenes, i);
    const double least = number_at(entry, "seconds_per_step");
    assert_true(least > 1e-8 && least <= number_at(entry, "seconds_per_step_median"));
    assert_int_equal(json_array_size(json_at(entry, "batches")), 15);
    assert_int_equal(json_object_size(json_at(entry, "stage_time")), LIMPET_STAGE_COUNT);
    assert_true(number_at(entry, "unsolved_steps") == 0);
  }
  assert_true(number_at(json_array_get(scenes, 0), "nv") == 9 &&
              number_at(json_array_get(scenes, 0), "contacts") == 0);
  assert_true(number_at(json_array_get(scenes, 1), "nv") == 15 &&
              number_at(json_array_get(scenes, 1), "contacts") >= 2);
  json_decref(root);
}

// A run of 40 steps; kept, and compared with itself.
static void test_bench_runs_what_moves(void **state) {
  (void)state;
  if (!shared_exists("scenes-peers/clutter40.xml")) skip();
  char root_folder[4096], before[4096];
  snprintf(root_folder, sizeof root_folder, "%s", shared_path("."));
  setenv("LIMPET_SHARED", root_folder, 1);
  limpet("bench --moving clutter40 --steps 40 --machine bench --json");
  json_t *root = output_json(), *scene = json_array_get(json_at(root, "scenes"), 0);
  assert_string_equal(text_at(root, "machine"), "bench");
  assert_true(number_at(scene, "nv") == 240 && number_at(scene, "steps") == 40);
  assert_true(number_at(scene, "seconds_per_step") > 1e-8 && number_at(scene, "pairs") > 0);
  assert_true(number_at(scene, "iterations") <= number_at(scene, "worst_iterations"));
  snprintf(before, sizeof before, "%s/before.json", command_folder);
  assert_int_equal(json_dump_file(root, before, 0), 0);
  json_decref(root);

  limpet("bench --moving clutter40 --steps 40 --machine bench --baseline before.json");
  expect_text(command_output, "the same final state");
  limpet("bench --moving clutter40 --steps 41 --machine other --baseline before.json");
  expect_text(command_output, "another final state");
  expect_text(command_errors, "of another machine");
}

static void test_bench_skips_what_is_not_there(void **state) {
  (void)state;
  char before[4096] = "";
  if (getenv("LIMPET_SHARED")) snprintf(before, sizeof before, "%s", getenv("LIMPET_SHARED"));
  setenv("LIMPET_SHARED", "/nowhere", 1);
  limpet("bench panda");
  assert_int_equal(command_code, 0);
  expect_text(command_errors, "panda: skipped: no file");
  limpet("bench --moving g1 --instructions --against mujoco");
  assert_int_equal(command_code, 0);
  expect_text(command_errors, "g1: skipped: no file");
  if (*before) setenv("LIMPET_SHARED", before, 1);
  else unsetenv("LIMPET_SHARED");
}

// ---------------------------------------------------------- what a contact model does not have

// Three geoms that turn with friction and one that bounces; the last one collides with nothing.
static const char turning_text[] =
    "<mujoco><worldbody><geom type='plane' size='5 5 .1'/><body pos='0 0 .1'><freejoint/>"
    "<geom size='.1' condim='6' friction='.5 .01 .001'/></body><body pos='1 0 .1'><freejoint/>"
    "<geom type='box' size='.1 .1 .1' condim='4'/></body><body pos='2 0 .1'><freejoint/>"
    "<geom size='.1' limpet:restitution='.5'/><geom size='.2' condim='6' contype='0' "
    "conaffinity='0'/></body></worldbody></mujoco>";

static void test_what_a_contact_model_ignores_is_told(void **state) {
  (void)state;
  text_save("turning.xml", turning_text);
  limpet("run turning.xml --time 0.02 --contact similar");
  assert_int_equal(command_code, 0);
  expect_text(command_output, "contact model similar ignores the torsional friction of 2 geoms\n");
  expect_text(command_output, "contact model similar ignores the rolling friction of 1 geom\n");
  expect_text(command_output, "contact model similar ignores the restitution of 1 geom\n");
  limpet("compare turning.xml --time 0.02 --contact coulomb,sap,anitescu");
  assert_int_equal(command_code, 0);
  expect_text(command_output, "sap warns: contact model sap ignores the torsional friction");
  expect_text(command_output, "anitescu warns: contact model anitescu ignores the rolling");
  assert_null(strstr(command_output, "coulomb ignores"));
  limpet("info turning.xml");
  expect_text(command_output,
              "rolling friction of 1 geom: contact models that ignore it: similar, sap,");

  // numbers for programs
  limpet("run turning.xml --time 0.02 --contact sap --json");
  json_t *root = output_json();
  assert_true(number_at(root, "truth/ignored/torsional friction") == 2.0);
  json_decref(root);
  limpet("run turning.xml --time 0.02 --json");
  root = output_json();
  assert_true(number_at(root, "truth/ignored/torsional friction") == 0.0);
  json_decref(root);
}

/* A sheet of 4 x 2 cells of 3 cm that falls 7 cm in the step in which it lands: its laws, where
 * they are kept linear during a step, gain energy there, in a step that is none of each 16. */
static void test_energy_of_fast_soft_things_is_looked_at(void **state) {
  (void)state;
  char text[4096];
  int n = snprintf(text, sizeof text,
                   "<mujoco><option timestep='0.007'/><worldbody><geom type='plane' "
                   "size='1 1 .1'/><limpet:deformable type='direct' shell='true' thickness='.001' "
                   "young='2e6' density='1600' pos='0 0 4.05' point='");
  for (int i = 0; i <= 4; ++i)
    for (int j = 0; j <= 2; ++j)
      n += snprintf(text + n, sizeof text - (size_t)n, "%g %g %g ", .03 * j, i % 2 ? .001 : 0.0,
                    .03 * i);
  n += snprintf(text + n, sizeof text - (size_t)n, "' faces='");
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j) {
      const int a = 3 * i + j;
      n += snprintf(text + n, sizeof text - (size_t)n, "%d %d %d %d %d %d ", a, a + 1, a + 3, a + 1,
                    a + 4, a + 3);
    }
  snprintf(text + n, sizeof text - (size_t)n, "'/></worldbody></mujoco>");
  text_save("sheet.xml", text);
  limpet("run sheet.xml --time 1 --linearised-elasticity --json");
  json_t *root = output_json();
  assert_true(number_at(root, "truth/energy_rise/value") > 0.01);
  json_decref(root);
  limpet("run sheet.xml --time 1 --linearised-elasticity");
  expect_text(command_output, "energy rose without work");
  limpet("run sheet.xml --time 1 --json");
  root = output_json();
  assert_true(number_at(root, "truth/energy_rise/value") < 1e-3);
  json_decref(root);
}

// With lagged a bar that starts outside of its limit is led back at 2 rad/s, by the first step.
static void test_energy_of_single_steps_is_told(void **state) {
  (void)state;
  text_save(
      "bar.xml",
      "<mujoco><compiler angle='radian'/><option timestep='0.00025' gravity='0 0 0'/>"
      "<worldbody><body><joint axis='0 1 0' limited='true' range='.5 1'/><geom type='capsule' "
      "size='.02' fromto='0 0 0 1 0 0' mass='1'/></body></worldbody></mujoco>");
  limpet("run bar.xml --time 0.1 --contact lagged");
  expect_text(command_output, "what began apart or inside was led back: ");
  limpet("run bar.xml --time 0.1 --contact lagged --json");
  json_t *root = output_json();
  const double put_in = number_at(root, "truth/returned_work"),
               gained = number_at(root, "energy/end/total") - number_at(root, "energy/start/total");
  json_decref(root);
  if (!(gained > 0.05) || !(fabs(put_in - gained) < 1e-3 * gained))
    fail_msg("%g J put in, %g J gained", put_in, gained);
}

// Descriptors that were closed are those of no file: they lead to /dev/null, where writing fails.
static void test_closed_descriptors_belong_to_no_file(void **state) {
  (void)state;
  limpet("check /proc/self/fd/0 <&-");
  expect_error(1, "there is nothing in it");
  limpet("check /proc/self/fd/1 >&- 2>.err #");
  expect_error(1, "there is nothing in it");
  limpet("list >&- 2>.err #");
  expect_error(1, "the output could not be written: Bad file descriptor");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_energy_of_fast_soft_things_is_looked_at),
      cmocka_unit_test(test_energy_of_single_steps_is_told),
      cmocka_unit_test(test_compute_is_the_library),
      cmocka_unit_test(test_compute_refuses_wrong_states),
      cmocka_unit_test(test_info_tells_offsets_and_inertia),
      cmocka_unit_test(test_info_tells_loops),
      cmocka_unit_test(test_info_tells_point_clouds),
      cmocka_unit_test(test_check_ends_with_a_verdict),
      cmocka_unit_test(test_list_is_made_from_descriptors),
      cmocka_unit_test(test_what_a_contact_model_ignores_is_told),
      cmocka_unit_test(test_bench_skips_what_is_not_there),
      cmocka_unit_test(test_bench_times_a_step),
      cmocka_unit_test(test_bench_runs_what_moves),
      cmocka_unit_test(test_closed_descriptors_belong_to_no_file),
  };
  return cmocka_run_group_tests(tests, command_scene_open, command_scene_close);
}
