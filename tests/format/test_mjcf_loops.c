/* tests/format/test_mjcf_loops.c: <connect> and <weld> of MJCF: frames on both bodies, as MuJoCo
 * 4.0.1 computes them (eq_data), what counts as near-rigid, names, copies, errors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mjcf_text.h"

#define REFUSED(text, message) assert_true(mjcf_refused(text, message))

#define BODIES                                                                                     \
  "<worldbody><body name='a' pos='.1 .2 .3' quat='.9 .1 .2 .3'><freejoint/><geom size='.1'/>"      \
  "<site name='sa' pos='.1 0 0' quat='0 0 1 0'/></body><body name='b' pos='.5 .1 .3' quat='.7 .3 " \
  ".2 .3'><freejoint/>"                                                                            \
  "<geom size='.1'/><site name='sb' pos='0 .1 0'/></body></worldbody>"
#define WITH(equalities) MODEL(BODIES "<equality>" equalities "</equality>")

// MuJoCo's numbers were printed with twelve digits.
static bool near(const double *numbers, const double *expected, int count) {
  for (int i = 0; i < count; ++i)
    if (!(fabs(numbers[i] - expected[i]) < 1e-11)) return false;
  return true;
}
#define NEAR(array, ...)                                   \
  assert_true(near((array), (const double[]){__VA_ARGS__}, \
                   (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double))))

static void the_point_of_a_connect_is_that_of_the_reference_pose(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      WITH("<connect body1='a' body2='b' anchor='.1 .2 .3'/><connect body1='a' anchor='.1 .2 .3'/>"
           "<connect site1='sa' site2='sb'/>"));
  assert_int_equal(m->loop_count, 3);
  for (int i = 0; i < 3; ++i)
    assert_true(m->loop_kind[i] == LIMPET_LOOP_CONNECT && m->loop_active[i]);
  NEAR(m->loop_position, .1, .2, .3, -0.00422535211268, 0.502816901408, -0.130985915493);
  NEAR(m->loop_position + 6, .1, .2, .3, .2, .4, .6);  // body2 is the world
  NEAR(m->loop_position + 12, .1, 0, 0, 0, .1, 0);
  const int *body = m->loop_body;
  assert_true(body[0] == 1 && body[1] == 2 && body[2] == 1 && body[3] == 0 && body[4] == 1 &&
              body[5] == 2);
  limpet_model_destroy(m);
}

static void the_frame_of_a_weld_is_relpose_or_that_of_the_reference_pose(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(WITH(
      "<weld body1='a' body2='b'/><weld body1='a' body2='b' anchor='.1 .2 .3'/>"
      "<weld body1='a' body2='b' anchor='.1 .2 .3' relpose='.4 .5 .6 0 0 2 0'/>"
      "<weld body1='a' body2='b' relpose='.4 .5 .6 0 0 0 0' torquescale='.3'/><weld body1='b'/>"
      "<weld site1='sa' site2='sb' torquescale='2'/>"));
  assert_int_equal(m->loop_count, 6);
  const double *p = m->loop_position, *q = m->loop_quaternion;
  NEAR(p, 0.229473684211, -0.289473684211, 0.183157894737, 0, 0, 0);
  NEAR(q, 0.961913709067, 0.243522457992, -0.0243522457992, 0.121761228996, 1, 0, 0, 0);
  NEAR(p + 6, 0.28090437361, -0.239214232765, 0.550348406227, .1, .2, .3);
  NEAR(p + 12, .4, .5, .6, .1, .2, .3);
  NEAR(q + 16, 0, 0, 1, 0, 1, 0, 0, 0);
  NEAR(p + 18, 0.229473684211, -0.289473684211, 0.183157894737, 0, 0,
       0);  // a quaternion of zeros: as without relpose
  NEAR(p + 24, -0.350704225352, -0.0661971830986, -0.471830985915, 0, 0, 0);
  NEAR(p + 30, .1, 0, 0, 0, .1, 0);
  NEAR(q + 40, 0, 0, 1, 0, 1, 0, 0, 0);
  CLOSE(m->loop_torque_scale, 1, 1, 1, .3, 1, 2);
  for (int i = 0; i < 6; ++i) assert_true(m->loop_kind[i] == LIMPET_LOOP_WELD);
  limpet_model_destroy(m);
}

// Near-rigid: MuJoCo's default, and what is stiffer and damped as much.
static void what_is_weaker_than_the_default_keeps_its_impedance(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<default><default class='soft'><equality solref='.1 1' "
            "active='false'/></default></default>" BODIES
            "<equality><connect body1='a' body2='b' anchor='0 0 0'/>"
            "<connect body1='a' body2='b' anchor='0 0 0' solref='.005 1'/>"
            "<connect body1='a' body2='b' anchor='0 0 0' solref='.005 1' solimp='.95 .99 .001'/>"
            "<weld body1='a' body2='b' solref='-1e6 -1e4'/>"
            "<connect body1='a' body2='b' anchor='0 0 0' solref='.021 1'/>"
            "<connect body1='a' body2='b' anchor='0 0 0' solimp='.9 .94'/>"
            "<connect body1='a' body2='b' anchor='0 0 0' solref='-1e6 0'/>"
            "<weld body1='a' body2='b' class='soft'/></equality>"));
  static const bool weaker[8] = {false, false, false, false, true, true, true, true};
  assert_int_equal(m->loop_count, 8);
  for (int i = 0; i < 8; ++i) assert_true(m->loop_has_impedance[i] == weaker[i]);
  CLOSE(m->loop_impedance[7].reference, .1, 1);
  assert_true(m->loop_active[6] && !m->loop_active[7]);
  assert_int_equal(m->note_count, 0);
  limpet_model_destroy(m);
}

static void copies_have_loops_of_their_own(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<worldbody><body name='post'/><replicate count='2' offset='1 0 0'><body name='b'>"
            "<freejoint/>" GEOM "</body></replicate></worldbody>"
            "<equality><weld name='w' body1='post' body2='b'/><connect name='c' body1='b' "
            "anchor='0 0 0'/></equality>"));
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_LOOP), "w0 c0 w1 c1");
  NEAR(m->loop_position + 12, 1, 0, 0, 0, 0, 0);
  limpet_model_destroy(m);
}

static void mistakes_are_told(void **state) {
  (void)state;
  REFUSED(MODEL("<worldbody><body name='a'><freejoint/>" GEOM
                "</body></worldbody>\n<equality><connect body1='a'/></equality>"),
          "robot.xml:3:11: <connect> needs the attribute 'anchor'");
  REFUSED(MODEL("<worldbody><body name='arm'><freejoint/>" GEOM
                "</body></worldbody>\n<equality><weld body1='arn'/></equality>"),
          "robot.xml:3:17: there is no body 'arn'; did you mean 'arm'?");
  REFUSED(WITH("\n<connect site1='sa' site2='sb' anchor='0 0 0'/>"),
          "robot.xml:3:32: <connect> has both sites and 'anchor'; give site1 and site2, or bodies");
  REFUSED(WITH("\n<weld site1='sa'/>"), "robot.xml:3:1: <weld> needs the attribute 'site2'");
  REFUSED(WITH("\n<connect body2='b' anchor='0 0 0'/>"),
          "robot.xml:3:1: <connect> needs the attribute 'body1'");
  REFUSED(WITH("\n<weld body1='a' body2='a'/>"),
          "robot.xml:3:1: loop 0 holds body 'a' to itself; name two different bodies");
  REFUSED(WITH("\n<weld body1='a' torquescale='-1'/>"),
          "robot.xml:3:1: loop 0: its torque scale is -1; give zero or more");
}

// A body that may have been one of a composite is noted, not refused.
static void loops_of_what_was_left_out_are_noted(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<worldbody><composite prefix='f' type='cable' count='4 1 1' size='1'><geom "
            "type='capsule' size='.01'/></composite></worldbody><equality><connect body1='fB_1' "
            "anchor='0 0 0'/></equality>"));
  assert_int_equal(m->loop_count, 0);
  assert_int_equal(m->note_count, 2);
  assert_true(m->note[1].unsupported);
  limpet_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_point_of_a_connect_is_that_of_the_reference_pose),
      cmocka_unit_test(the_frame_of_a_weld_is_relpose_or_that_of_the_reference_pose),
      cmocka_unit_test(what_is_weaker_than_the_default_keeps_its_impedance),
      cmocka_unit_test(copies_have_loops_of_their_own),
      cmocka_unit_test(mistakes_are_told),
      cmocka_unit_test(loops_of_what_was_left_out_are_noted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
