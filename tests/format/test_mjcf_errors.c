/* tests/format/test_mjcf_errors.c: every mistake is told where it is, what it is and what to
 * do; and nothing is dropped in silence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mjcf_text.h"

#define REFUSED(text, message) assert_true(mjcf_refused(text, message))

static void xml_that_is_not_well_formed(void **state) {
  (void)state;
  REFUSED("<mujoco>\n<worldbody>\n  <body",
          "robot.xml:3:3: the file ends in the middle of a tag; is it truncated?");
  REFUSED("<mujoco>\n<worldbody>\n",
          "robot.xml:3:1: the file ends before its XML is complete: <worldbody> of line 2 is still "
          "open; is the file truncated?");
  REFUSED("", "robot.xml:1:1: the file ends before its XML is complete: there is no element in it");
  REFUSED("<mujoco>\n<a></b></mujoco>",
          "robot.xml:2:6: the end tag does not fit: <a> of line 2 is open");
  REFUSED("<!DOCTYPE x [<!ENTITY a 'b'>]>\n<mujoco/>",
          "robot.xml:1:13: document type declarations are not read; remove <!DOCTYPE ...>");
  REFUSED("<robot name='x'/>",
          "robot.xml:1:1: this is not MJCF: the file begins with <robot>; MJCF begins with "
          "<mujoco>, URDF with <robot>, SDFormat with <sdf>");
}

static void directions_are_finite(void **state) {
  (void)state;
  REFUSED("<mujoco><worldbody><body quat='1 0 0 inf'/></worldbody></mujoco>",
          "robot.xml:1:26: attribute 'quat' of <body> is infinite; give finite numbers");
  REFUSED("<mujoco><worldbody><site zaxis='0 0 -inf'/></worldbody></mujoco>",
          "robot.xml:1:26: attribute 'zaxis' of <site> is infinite; give finite numbers");
  REFUSED("<mujoco><worldbody><body><joint axis='inf 0 0'/></body></worldbody></mujoco>",
          "robot.xml:1:33: attribute 'axis' of <joint> is infinite; give finite numbers");
}

// Numbers that overflow an energy fail at the file, not in the numbers of a step.
#define BODY(what) "<mujoco><worldbody><body>" what "</body></worldbody></mujoco>"

static void too_large(const char *text, const char *part) {
  limpet_error error = {0};
  assert_null(mjcf_load_with(text, NULL, &error));
  if (!strstr(error.message, part)) fail_msg("refused with: %s", error.message);
}

static void numbers_can_be_reckoned_with(void **state) {
  (void)state;
  REFUSED("<mujoco><worldbody><body pos='1e200 0 0'><geom size='1'/></body></worldbody></mujoco>",
          "robot.xml:1:20: body 1: its position is 1e+200, too large to reckon with; give at most "
          "1e+50");
  too_large(BODY("<geom size='1' pos='0 0 -1e300'/>"), "position is -1e+300, too large");
  too_large(BODY("<geom size='1'/><joint pos='0 1e300 0'/>"), "position is 1e+300, too large");
  too_large(BODY("<geom size='1'/><joint type='slide' ref='1e60'/>"), "reference is 1e+60, ");
  too_large(BODY("<geom size='1'/><site pos='1e300 0 0'/>"), "position is 1e+300, too large");
  too_large(BODY("<geom size='1' density='1e300'/>"), "density is 1e+300, too large");
  too_large(BODY("<geom size='1' mass='1e300'/>"), "has mass 1e+300 kg and density ");
  too_large("<mujoco><option gravity='0 0 -1e300'/></mujoco>", "(0, 0, -1e+300) is too large");
  too_large("<mujoco><option wind='1e300 0 0'/></mujoco>", "the wind (1e+300, 0, 0) m/s");
  too_large(
      "<mujoco><worldbody><frame pos='1e308 0 0'><frame pos='1e308 0 0'><geom size='1'/>"
      "</frame></frame></worldbody></mujoco>",
      "position is infinite; give a finite number");
  // unlimited, as files write it
  limpet_model *model = mjcf_load(BODY("<geom size='1'/><joint range='-1e300 1e300'/>"));
  limpet_model_destroy(model);
}

// Their lengths are beyond doubles.
static void directions_have_lengths(void **state) {
  (void)state;
  REFUSED("<mujoco><worldbody><body quat='1e200 1e200 0 0'/></worldbody></mujoco>",
          "robot.xml:1:26: 'quat' is too large; its length should be 1");
  REFUSED("<mujoco><worldbody><site zaxis='1e200 0 0'/></worldbody></mujoco>",
          "robot.xml:1:26: 'zaxis' needs a direction, but it is too large");
  REFUSED("<mujoco><worldbody><site xyaxes='1e200 0 0 0 1 0'/></worldbody></mujoco>",
          "robot.xml:1:26: 'xyaxes' needs a direction, but it is too large");
  REFUSED(
      "<mujoco><worldbody><body><geom size='1'/><joint axis='1e200 0 0'/></body></worldbody>"
      "</mujoco>",
      "robot.xml:1:42: joint 0: its axis is too large for a length; give a direction, for example "
      "0 0 1");
}

// Actuators and keyframes of a robot often lie in files of their own.
static void a_part_of_a_file_is_told(void **state) {
  (void)state;
  REFUSED("<mujoco><keyframe><key qpos='1 2'/></keyframe></mujoco>",
          "robot.xml:1:24: 'qpos' of the keyframe has 2 numbers, but the model has 0; there is no "
          "<worldbody>: is this file a part that another one includes?");
}

static void xml_in_other_letters(void **state) {
  (void)state;
  REFUSED("<mujoco model='m\xfc'/>",
          "robot.xml:1:17: the file is not UTF-8 here; save it as UTF-8, or begin it with <?xml "
          "version=\"1.0\" encoding=\"ISO-8859-1\"?>");
  REFUSED("<mujoco model='\xc3\xbc & a'/>",
          "robot.xml:1:19: not well-formed XML: a character that may not stand here; write &amp; "
          "for & and &lt; for <");
}

static void xml_nested_without_end(void **state) {
  (void)state;
  const size_t depth = 100000;
  char *text = malloc(7 * depth + 1);
  for (size_t i = 0; i < depth; ++i) memcpy(text + 7 * i, "<body >", 7);
  text[7 * depth] = '\0';
  limpet_error error;
  assert_null(mjcf_load_with(text, NULL, &error));
  assert_non_null(strstr(error.message, "elements are nested too deeply"));
  free(text);
}

static void unknown_names_get_a_suggestion(void **state) {
  (void)state;
  REFUSED("<mujoco>\n<worldbody>\n  <geom size='1'\n        frction='1'/></worldbody></mujoco>",
          "robot.xml:4:9: <geom> has no attribute 'frction'; did you mean 'friction'?");
  REFUSED(MODEL("<worldbody><boddy/></worldbody>"),
          "robot.xml:2:12: <worldbody> cannot hold an element <boddy>; did you mean 'body'?");
  REFUSED(MODEL("<worldbody><geom size='1' zzzzzz='2'/></worldbody>"),
          "robot.xml:2:27: <geom> has no attribute 'zzzzzz'");
  REFUSED(MODEL("<worldbody><body><joint damping='1' name='knee'/>" GEOM
                "</body></worldbody><actuator><motor joint='kne'/></actuator>"),
          "robot.xml:2:102: there is no joint 'kne'; did you mean 'knee'?");
  REFUSED(MODEL("<worldbody><geom size='1' type='bax'/></worldbody>"),
          "robot.xml:2:27: attribute 'type' of <geom> cannot be 'bax'; it takes one of: plane, "
          "hfield, sphere, capsule, ellipsoid, "
          "cylinder, box, mesh, sdf");
  REFUSED(MODEL("<worldbody><geom size='1' class='k'/></worldbody>"),
          "robot.xml:2:27: there is no default class 'k'");
}

static void names_that_are_used_twice(void **state) {
  (void)state;
  REFUSED(MODEL("<worldbody><geom name='a' size='1'/>\n<geom name='a' size='1'/></worldbody>"),
          "robot.xml:3:7: the name 'a' is used twice for a geom; the first is at robot.xml:2:12");
  REFUSED(MODEL("<worldbody><body name='world'/></worldbody>"),
          "robot.xml:2:18: the name 'world' is that of the world");
  REFUSED(MODEL("<default><default class='a'/><default class='a'/></default>"),
          "robot.xml:2:39: the default class 'a' is defined twice");
  REFUSED(MODEL("<worldbody><body><joint name='j'/>" GEOM "</body></worldbody>"
                "<actuator><motor name='m' joint='j'/><motor name='m' joint='j'/></actuator>"),
          "robot.xml:2:114: the name 'm' is used twice for an actuator; the first is at "
          "robot.xml:2:80");
}

static void numbers_that_are_none(void **state) {
  (void)state;
  REFUSED(MODEL("<worldbody><geom size='nan'/></worldbody>"),
          "robot.xml:2:18: attribute 'size' of <geom> has a NaN; give a number");
  REFUSED(MODEL("<worldbody><geom size='1x'/></worldbody>"),
          "robot.xml:2:18: attribute 'size' of <geom> needs numbers, but has '1x'");
  REFUSED(MODEL("<worldbody><geom size='1 2 3 4'/></worldbody>"),
          "robot.xml:2:18: attribute 'size' of <geom> has too many numbers; it takes at most 3");
  REFUSED(MODEL("<worldbody><geom size='1' pos='1 2'/></worldbody>"),
          "robot.xml:2:27: attribute 'pos' of <geom> has 2 numbers; it takes 3");
  REFUSED(MODEL("<worldbody><geom size='1' condim='2'/></worldbody>"),
          "robot.xml:2:27: 'condim' is 2; it can be 1, 3, 4 or 6");
  REFUSED(MODEL("<option timestep='0'/>"), "robot.xml:2:9: 'timestep' is 0 s; it must be positive");
  REFUSED(MODEL("<worldbody><geom type='box' size='1 1'/></worldbody>"),
          "robot.xml:2:29: number 3 of the size of a box must be positive, not 0");
  REFUSED(MODEL("<worldbody><geom size='1' quat='1 0 0 0' euler='0 0 0'/></worldbody>"),
          "robot.xml:2:42: <geom> has two orientations, 'quat' and 'euler'; keep one");
  REFUSED(MODEL("<worldbody><body><joint range='0 1' limited='true'/><joint axis='1 0 0' "
                "limited='true'/>" GEOM "</body></worldbody>"),
          "robot.xml:2:53: 'range' of <joint> is 0 0; the first number must be smaller than the "
          "second");
  REFUSED(MODEL("<compiler autolimits='false'/><worldbody><body><joint range='0 1'/>" GEOM
                "</body></worldbody>"),
          "robot.xml:2:55: 'range' is given, but not 'limited', and autolimits is off; write "
          "limited=\"true\" or \"false\"");
}

static void descriptions_that_make_no_sense(void **state) {
  (void)state;
  REFUSED(MODEL("<worldbody><joint/></worldbody>"),
          "robot.xml:2:12: the world cannot have <joint>; put it into a <body>");
  REFUSED(MODEL("<compiler coordinate='global'/>"),
          "robot.xml:2:11: global coordinates are no longer part of MJCF; load and save the model "
          "with MuJoCo 2.3.3 or older");
  REFUSED(
      MODEL("<worldbody><body><joint/><inertial mass='1' diaginertia='1 1 1'/></body></worldbody>"),
      "robot.xml:2:26: <inertial> needs the attribute 'pos'");
  REFUSED(MODEL("<worldbody><body><joint name='j'/>" GEOM
                "</body></worldbody><keyframe><key qpos='1 2'/></keyframe>"),
          "robot.xml:2:85: 'qpos' of the keyframe has 2 numbers, but the model has 1");
  REFUSED(MODEL("<worldbody><body><joint name='j'/>" GEOM
                "</body></worldbody><actuator><motor/></actuator>"),
          "robot.xml:2:80: <motor> needs a target: one of joint, jointinparent, tendon, site, "
          "cranksite");
  REFUSED(MODEL("<worldbody><geom type='mesh' mesh='m'/></worldbody>"),
          "robot.xml:2:30: there is no mesh 'm' in <asset>");
  REFUSED(MODEL("<worldbody><attach body='b' prefix='x'/></worldbody>"),
          "robot.xml:2:20: the model to attach has no body 'b'");
  limpet_error error;
  assert_null(mjcf_load_with(MODEL("<worldbody><body name='b'><joint/><inertial pos='0 0 0' "
                                   "mass='1' diaginertia='0 0 0'/></body></worldbody>"),
                             NULL, &error));
  assert_non_null(strstr(error.message, "robot.xml:2:"));
}

static void mesh_files_that_are_missing(void **state) {
  (void)state;
  REFUSED(MODEL("<asset><mesh file='no.stl'/></asset><worldbody><geom type='mesh' "
                "mesh='no'/></worldbody>"),
          "robot.xml:2:14: the file of mesh 'no' cannot be found; tried no.stl");
  REFUSED(
      MODEL("<compiler meshdir='m'/><asset><mesh file='no.stl'/></asset><worldbody><body><joint/>"
            "<geom type='mesh' mesh='no' contype='0' conaffinity='0'/></body></worldbody>"),
      "robot.xml:2:37: the file of mesh 'no' cannot be found; tried m/no.stl, no.stl");  // its mass
                                                                                         // would be
                                                                                         // missing

  // a visual geom is left out, and said so
  limpet_model *m =
      mjcf_load(MODEL("<asset><mesh file='no.stl'/></asset><worldbody>"
                      "<geom type='mesh' mesh='no' contype='0' conaffinity='0'/></worldbody>"));
  assert_int_equal(m->geom_count, 0);
  assert_int_equal(m->note_count, 1);
  assert_false(m->note[0].unsupported);
  limpet_model_destroy(m);
}

static void physics_that_is_not_simulated_is_noted_once_or_refused(void **state) {
  (void)state;
  const char *text = MODEL(
      "<option/>\n<worldbody><body><joint springyield='3'/><geom size='1'/>"
      "<joint damping='1 2' axis='1 0 0'/>"
      "<geom size='1' condim='6'/></body></worldbody>\n<sensor><user "
      "dim='1'/></sensor><custom><text name='a' "
      "data='b'/></custom>");
  limpet_model *m = mjcf_load(text);
  assert_int_equal(m->note_count, 2);
  assert_string_equal(
      m->note[0].text,
      "attribute 'springyield' of <joint>: springs that yield are not simulated yet");
  assert_int_equal(m->note[0].place.line, 3);
  assert_int_equal(m->note[0].place.column, 25);
  for (int i = 0; i < 2; ++i) assert_true(m->note[i].unsupported);
  limpet_model_destroy(m);

  limpet_error error;
  const limpet_load_options strict = {.strict = true};
  assert_null(mjcf_load_with(text, &strict, &error));
  assert_int_equal(error.status, LIMPET_ERROR_UNSUPPORTED);
  assert_string_equal(error.message,
                      "robot.xml:3:25: attribute 'springyield' of <joint>: springs that yield are "
                      "not simulated yet");
}

static void text_between_elements_is_noted(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(MODEL("<worldbody>\n  <geom size='1'/> /> </worldbody>"));
  assert_int_equal(m->note_count, 1);
  assert_false(m->note[0].unsupported);
  assert_string_equal(
      m->note[0].text,
      "there is text in <worldbody>, in line 3, column 20: it means nothing in MJCF");
  limpet_model_destroy(m);
}

static void replicates_without_measure_are_refused(void **state) {
  (void)state;
  REFUSED(
      MODEL("<worldbody><replicate count='2000000000' offset='1 0 0'/></worldbody>"),
      "robot.xml:2:12: the model has more than two million elements; is a <replicate> too large?");
  REFUSED(MODEL("<worldbody><body name='b'><attach body='b' prefix='x'/></body></worldbody>"),
          "robot.xml:2:27: models are attached to each other more than 50 deep; does one attach "
          "itself?");
}

static void methods_of_mujoco_are_accepted_in_silence(void **state) {
  (void)state;
  const limpet_load_options strict = {.strict = true};
  limpet_error error = {0};
  limpet_model *m = mjcf_load_with(
      MODEL("<option cone='elliptic' impratio='10' solver='CG' integrator='RK4' iterations='9' "
            "tolerance='1e-9' "
            "noslip_iterations='3'><flag multiccd='enable'/></option><size "
            "njmax='500'/><visual><map znear='1'/>"
            "</visual><statistic extent='2'/><worldbody><light/><camera name='c'/></worldbody>"),
      &strict, &error);
  if (!m) fail_msg("%s", error.message);
  assert_int_equal(m->note_count, 0);
  limpet_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(xml_that_is_not_well_formed),
      cmocka_unit_test(directions_are_finite),
      cmocka_unit_test(numbers_can_be_reckoned_with),
      cmocka_unit_test(directions_have_lengths),
      cmocka_unit_test(a_part_of_a_file_is_told),
      cmocka_unit_test(xml_in_other_letters),
      cmocka_unit_test(xml_nested_without_end),
      cmocka_unit_test(unknown_names_get_a_suggestion),
      cmocka_unit_test(names_that_are_used_twice),
      cmocka_unit_test(numbers_that_are_none),
      cmocka_unit_test(descriptions_that_make_no_sense),
      cmocka_unit_test(mesh_files_that_are_missing),
      cmocka_unit_test(physics_that_is_not_simulated_is_noted_once_or_refused),
      cmocka_unit_test(text_between_elements_is_noted),
      cmocka_unit_test(replicates_without_measure_are_refused),
      cmocka_unit_test(methods_of_mujoco_are_accepted_in_silence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
