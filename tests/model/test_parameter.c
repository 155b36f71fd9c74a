/* tests/model/test_parameter.c: numbers of a description by name: what a text means, what is set,
 * and what is told where a text means nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/format.h"
#include "limpet/parameter.h"

static const char scene[] =
    "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
    "<body name='cube' pos='0 0 1'><freejoint/><geom name='cube' type='box' size='.1 .2 .3'/>"
    "<geom name='cube.top' size='.05' density='500'/></body>"
    "<body name='arm'><inertial pos='0 0 0' mass='2' diaginertia='.1 .2 .25'/>"
    "<joint name='elbow' type='hinge' damping='1'/><joint name='rail' type='slide'/>"
    "<geom name='pad_left' size='.1'/><geom name='pad_right' size='.1' solref='0.01 1'/></body>"
    "</worldbody><actuator><position name='servo' joint='elbow' kp='50' kv='3'/>"
    "<motor name='elbow' joint='elbow'/></actuator></mujoco>";

static limpet_builder *builder_of_scene(void) {
  limpet_builder *builder = limpet_builder_create();
  limpet_error error;
  assert_int_equal(limpet_mjcf_read_text(builder, scene, strlen(scene), NULL, NULL, &error),
                   LIMPET_OK);
  return builder;
}

// finds and sets; the status, with the message in `error`
static limpet_status set(limpet_builder *builder, const char *text, double value,
                         limpet_error *error) {
  limpet_parameter_target target;
  limpet_status status = limpet_parameter_find(builder, text, &target, error);
  if (status == LIMPET_OK) status = limpet_parameter_assign(builder, &target, value, error);
  limpet_parameter_free(&target);
  return status;
}

static double geom_friction(limpet_builder *builder, const char *name) {
  return limpet_builder_geom(builder, limpet_builder_find(builder, LIMPET_OBJECT_GEOM, name))
      ->material.friction;
}

static void texts_are_taken_apart(void **state) {
  (void)state;
  limpet_parameter_name name;
  limpet_error error;
  assert_int_equal(limpet_parameter_read("body:a.b:c.mass", &name, &error), LIMPET_OK);
  assert_int_equal(name.object, LIMPET_OBJECT_BODY);
  assert_string_equal(name.pattern, "a.b:c");
  assert_string_equal(name.field, "mass");
  assert_int_equal(name.index, LIMPET_NONE);
  assert_int_equal(limpet_parameter_read("robot:hand.size[2]", &name, &error), LIMPET_OK);
  assert_int_equal(name.object, LIMPET_OBJECT_COUNT);
  assert_string_equal(name.pattern, "robot:hand");
  assert_int_equal(name.index, 2);
  static const char *const wrong[] = {"",
                                      "mass",
                                      ".mass",
                                      "cube.",
                                      "cube.size[",
                                      "cube.size[x]",
                                      "cube.size[-1]",
                                      "cube.size[1]x",
                                      "cube.size[99999]"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    assert_int_equal(limpet_parameter_read(wrong[i], &name, &error), LIMPET_ERROR_INPUT);
}

static void patterns_match_as_in_a_shell(void **state) {
  (void)state;
  static const struct {
    const char *pattern, *name;
    bool matches;
  } cases[] = {{"pad", "pad", true},    {"pad", "pads", false},
               {"pad*", "pad", true},   {"*pad", "left_pad", true},
               {"*a*b", "xaxab", true}, {"*a*b", "xaxba", false},
               {"p?d", "pad", true},    {"p?d", "pd", false},
               {"*", "", true},         {"", "", true},
               {"*", NULL, false},      {"a*a", "a", false},
               {"a**b", "ab", true},    {"*aab", "aaab", true},
               {"?*", "", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    assert_int_equal(limpet_parameter_matches(cases[i].pattern, cases[i].name), cases[i].matches);
}

static void a_pattern_sets_all_it_names_and_nothing_else(void **state) {
  (void)state;
  limpet_builder *builder = builder_of_scene();
  limpet_error error;
  assert_int_equal(set(builder, "pad_*.friction", 0.25, &error), LIMPET_OK);
  assert_true(geom_friction(builder, "pad_left") == 0.25);
  assert_true(geom_friction(builder, "pad_right") == 0.25);
  assert_true(geom_friction(builder, "floor") == 1.0);

  // names with dots; a body stands for its geoms where only geoms have the field
  assert_int_equal(set(builder, "cube.top.friction", 0.5, &error), LIMPET_OK);
  assert_true(geom_friction(builder, "cube.top") == 0.5 && geom_friction(builder, "cube") == 1.0);
  assert_int_equal(set(builder, "arm.friction", 0.75, &error), LIMPET_OK);
  assert_true(geom_friction(builder, "pad_left") == 0.75);
  limpet_builder_destroy(builder);
}

static void a_mass_takes_the_inertia_with_it(void **state) {
  (void)state;
  limpet_builder *builder = builder_of_scene();
  limpet_error error;
  limpet_model *before = limpet_builder_compile(builder, &error);
  assert_int_equal(set(builder, "arm.mass", 3.0, &error), LIMPET_OK);
  assert_int_equal(set(builder, "body:cube.mass", 5.0, &error), LIMPET_OK);
  limpet_model *after = limpet_builder_compile(builder, &error);
  static const char *const bodies[] = {"arm", "cube"};
  static const double mass[] = {3.0, 5.0};
  for (int i = 0; i < 2; ++i) {
    const int b = limpet_model_find(before, LIMPET_OBJECT_BODY, bodies[i]);
    // a sum of two products of three rounded numbers: a few units in the last place
    assert_true(fabs(after->body_mass[b] - mass[i]) <= 1e-14 * mass[i]);
    const double factor = mass[i] / before->body_mass[b];
    for (int k = 0; k < 9; ++k)
      assert_true(fabs(after->body_inertia[9 * b + k] - factor * before->body_inertia[9 * b + k]) <=
                  1e-13);
    for (int k = 0; k < 3; ++k)
      assert_true(fabs(after->body_com[3 * b + k] - before->body_com[3 * b + k]) <= 1e-14);
  }
  limpet_model_destroy(before);
  limpet_model_destroy(after);
  limpet_builder_destroy(builder);
}

static void a_servo_stays_a_servo(void **state) {
  (void)state;
  limpet_builder *builder = builder_of_scene();
  limpet_error error;
  assert_int_equal(set(builder, "servo.gain[0]", 80.0, &error), LIMPET_OK);
  const limpet_actuator_description *servo = limpet_builder_actuator(
      builder, limpet_builder_find(builder, LIMPET_OBJECT_ACTUATOR, "servo"));
  assert_true(servo->gain[0] == 80.0 && servo->bias[1] == -80.0 && servo->bias[2] == -3.0);
  limpet_builder_destroy(builder);
}

static void units_are_those_of_the_joint(void **state) {
  (void)state;
  limpet_builder *builder = builder_of_scene();
  static const struct {
    const char *text, *unit;
  } cases[] = {{"joint:elbow.damping", "N m s/rad"},
               {"rail.damping", "N s/m"},
               {"rail.armature", "kg"},
               {"joint:elbow.stiffness", "N m/rad"},
               {"floor.friction", "1"},
               {"cube.size[1]", "m"},
               {"servo.gain[0]", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    limpet_parameter_target target;
    limpet_error error;
    assert_int_equal(limpet_parameter_find(builder, cases[i].text, &target, &error), LIMPET_OK);
    const char *unit = limpet_parameter_unit(builder, &target);
    if (cases[i].unit) assert_string_equal(unit, cases[i].unit);
    else assert_null(unit);
    limpet_parameter_free(&target);
  }
  limpet_builder_destroy(builder);
}

// what is wrong, and a word of the message that helps
static void errors_say_what_there_is(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
    const char *says;
  } cases[] = {{"cube.mass", 1.0, "body:cube.mass"},      // a geom and a body
               {"flor.friction", 1.0, "'floor'"},         // the nearest name
               {"floor.fricton", 1.0, "friction"},        // the fields
               {"joint:floor.damping", 1.0, "no joint"},  // another kind
               {"cube.size", 1.0, "[2]"},                 // three numbers
               {"cube.size[3]", 1.0, "[2]"},
               {"floor.friction[1]", 1.0, "1 number"},
               {"floor.friction", -1.0, "it must be at least 0"},
               {"floor.restitution", 1.5, "between 0 and 1"},
               {"floor.friction", NAN, "out of range"},
               {"pad_right.dissipation", 1.0, "solref"},
               {"cube.com[0]", 1.0, "geoms"},
               {"world.mass", 1.0, "no mass"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    limpet_builder *builder = builder_of_scene();
    limpet_error error = {0};
    assert_int_equal(set(builder, cases[i].text, cases[i].value, &error), LIMPET_ERROR_INPUT);
    if (!strstr(error.message, cases[i].says))
      fail_msg("%s: '%s' does not say '%s'", cases[i].text, error.message, cases[i].says);
    limpet_builder_destroy(builder);
  }
}

static const char rig[] =
    "<mujoco><worldbody><site name='peg' pos='1 2 3'/><body name='a'><joint name='hinge'/>"
    "<geom name='ball' size='.1'/><site name='tip'/></body><body name='b' pos='1 0 0'>"
    "<joint name='slide' type='slide' springdamper='.1 1'/><geom name='soft' size='.1' "
    "solref='.01 1'/></body></worldbody><contact><pair name='both' geom1='ball' geom2='soft' "
    "friction='.5 .4 .01 .001 .002'/></contact><tendon><spatial name='cord' stiffness='3'><site "
    "site='peg'/><site site='tip'/></spatial></tendon><equality><connect name='pin' body1='a' "
    "anchor='0 0 1'/><joint name='mate' joint1='slide' polycoef='0.25 0 0 0 0' solref='.1 "
    "1'/></equality><actuator><muscle name='biceps' tendon='cord' force='7' lengthrange='.1 1'/>"
    "</actuator></mujoco>";

static limpet_builder *builder_of_rig(void) {
  limpet_builder *builder = limpet_builder_create();
  limpet_error error;
  assert_int_equal(limpet_mjcf_read_text(builder, rig, strlen(rig), NULL, NULL, &error), LIMPET_OK);
  return builder;
}

// Every kind has its numbers, and parts of descriptions have theirs behind a prefix.
static void all_that_is_described_has_numbers(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double value;
  } numbers[] = {{"peg.position[1]", 2.0},        {"cord.stiffness", 3.0},
                 {"both.friction[4]", 0.002},     {"pair:both.friction[0]", 0.5},
                 {"mate.coefficient[0]", 0.25},   {"mate.reference[0]", 0.1},
                 {"pin.position_a[2]", 1.0},      {"biceps.muscle_force", 7.0},
                 {"biceps.muscle_longest", 1.6},  {"soft.reference[0]", 0.01},
                 {"slide.spring_damper[0]", 0.1}, {"biceps.length_range[1]", 1.0}};
  limpet_builder *builder = builder_of_rig();
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    limpet_parameter_target target;
    limpet_error error = {0};
    double value = NAN;
    if (limpet_parameter_find(builder, numbers[i].name, &target, &error) ||
        limpet_parameter_value(builder, &target, &value, &error))
      fail_msg("%s: %s", numbers[i].name, error.message);
    assert_true(value == numbers[i].value);
    assert_int_equal(limpet_parameter_assign(builder, &target, 0.5 * value, &error), LIMPET_OK);
    assert_int_equal(limpet_parameter_value(builder, &target, &value, &error), LIMPET_OK);
    assert_true(value == 0.5 * numbers[i].value);
    limpet_parameter_free(&target);
  }
  limpet_builder_destroy(builder);
}

static void numbers_that_do_not_count_are_told(void **state) {
  (void)state;
  static const struct {
    const char *name, *told;
  } numbers[] = {{"soft.dissipation", "set the stiffness first"},
                 {"ball.impedance[0]", "set stiffness and dissipation"},
                 {"slide.stiffness", "spring_damper"},
                 {"hinge.spring_damper[0]", "stiffness and damping"},
                 {"hinge.limit_impedance[1]", "as stiff as the step resolves"},
                 {"hinge.pitch", "screws"},
                 {"biceps.motor_resistance", "no motor"},
                 {"biceps.muscle_scale", "muscle_force"},
                 {"biceps.crank_length", "slider-cranks"},
                 {"pin.length", "distances"},
                 {"pin.quaternion_a[0]", "welds"},
                 {"pin.position_b[0]", "follows"},
                 {"a.com[0]", "from its geoms"}};
  limpet_builder *builder = builder_of_rig();
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    limpet_error error = {0};
    assert_int_equal(set(builder, numbers[i].name, 0.5, &error), LIMPET_ERROR_INPUT);
    if (!strstr(error.message, numbers[i].told)) fail_msg("%s: %s", numbers[i].name, error.message);
  }
  limpet_builder_destroy(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_are_taken_apart),
      cmocka_unit_test(patterns_match_as_in_a_shell),
      cmocka_unit_test(a_pattern_sets_all_it_names_and_nothing_else),
      cmocka_unit_test(a_mass_takes_the_inertia_with_it),
      cmocka_unit_test(a_servo_stays_a_servo),
      cmocka_unit_test(units_are_those_of_the_joint),
      cmocka_unit_test(all_that_is_described_has_numbers),
      cmocka_unit_test(numbers_that_do_not_count_are_told),
      cmocka_unit_test(errors_say_what_there_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
