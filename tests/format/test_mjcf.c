/* tests/format/test_mjcf.c: classes, angles, frames and the kinematic tree of MJCF, on small texts.
 *
 * Expected numbers are worked out by hand from the MJCF reference, or measured with
 * MuJoCo 4.0.1 where the reference is silent. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/dynamics.h"
#include "mjcf_text.h"

static const double pi = 3.14159265358979323846;

// --------------------------------------------------------------------------------- classes

static void classes_inherit_and_childclass_reaches_down(void **state) {
  (void)state;
  limpet_model *m =
      mjcf_load(MODEL("<default><geom size='1' friction='0.1'/>"
                      "  <default class='a'><geom size='2'/><default class='b'><geom "
                      "friction='0.3'/></default></default>"
                      "</default>"
                      "<worldbody>"
                      "  <geom name='plain'/><geom name='of_b' class='b'/>"
                      "  <body childclass='a'><geom name='child'/><geom name='own' class='main'/>"
                      "    <body><geom name='deep'/><frame childclass='b'><geom name='framed' "
                      "size='5'/></frame></body></body>"
                      "</worldbody>"));
  static const struct {
    const char *name;
    double size, friction;
  } expected[] = {{"plain", 1, 0.1}, {"of_b", 2, 0.3}, {"child", 2, 0.1},
                  {"own", 1, 0.1},   {"deep", 2, 0.1}, {"framed", 5, 0.3}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
    const int g = mjcf_index(m, LIMPET_OBJECT_GEOM, expected[i].name);
    CLOSE(m->geom_size + 3 * g, expected[i].size);
    CLOSE(&m->geom_material[g].friction, expected[i].friction);
  }
  limpet_model_destroy(m);
}

static void later_defaults_and_includes_win(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<default><geom size='3'/></default><default><geom size='4'/></default>"
            "<option timestep='0.001'/><option gravity='0 0 -1'/><worldbody><geom/></worldbody>"
            "<worldbody><geom size='7'/></worldbody>"));
  CLOSE(m->geom_size, 4);
  CLOSE(m->geom_size + 3, 7);
  CLOSE(&m->options.time_step, 0.001);
  CLOSE(m->options.gravity, 0, 0, -1);
  limpet_model_destroy(m);
}

static void impedance_counts_only_where_it_is_not_the_default(void **state) {
  (void)state;
  limpet_model *m =
      mjcf_load(MODEL("<default><default class='hard'><geom solimp='0.95 "
                      "0.99'/></default></default><worldbody>" GEOM
                      "<geom size='1' solref='0.02 1'/><geom size='1' class='hard'/><geom size='1' "
                      "solref='-100 -1'/></worldbody>"));
  assert_false(m->geom_material[0].has_impedance);
  assert_false(m->geom_material[1].has_impedance);
  assert_true(m->geom_material[2].has_impedance);
  CLOSE(m->geom_material[2].impedance.impedance, 0.95, 0.99, 0.001, 0.5, 2);
  assert_true(m->geom_material[3].has_impedance);
  limpet_model_destroy(m);
}

// ----------------------------------------------------------------------- angles and frames

#define JOINTS                                                                           \
  "<worldbody><body><joint range='-90 180' ref='45' springref='30' stiffness='2'/>" GEOM \
  "<body><joint type='slide' range='-1 2' ref='0.5'/>" GEOM                              \
  "<body><joint type='ball' range='0 90'/>"                                              \
  "<geom size='1'/></body></body></body></worldbody>"

static void angles_are_degrees_unless_the_compiler_says_radian(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(MODEL(JOINTS));
  CLOSE(m->joint_range, -0.5 * pi, pi, -1, 2, 0, 0.5 * pi);
  CLOSE(m->q_reference, 0.25 * pi, 0.5);
  CLOSE(m->q_spring, pi / 6);
  CLOSE(m->joint_stiffness, 2);
  limpet_model_destroy(m);
  m = mjcf_load(MODEL("<compiler angle='radian'/>" JOINTS));
  CLOSE(m->joint_range, -90, 180, -1, 2, 0, 90);
  limpet_model_destroy(m);
}

static void all_forms_of_a_rotation_agree(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<worldbody><site quat='2 2 0 0'/><site axisangle='3 0 0 90'/><site euler='90 0 0'/>"
            "<site xyaxes='2 0 0 1 0 1'/><site zaxis='0 -1 0'/></worldbody>"));
  const double half = sqrt(0.5);
  for (int i = 0; i < 5; ++i) CLOSE(m->site_quaternion + 4 * i, half, half, 0, 0);
  limpet_model_destroy(m);
}

// qpos0 of MuJoCo 4.0.1
static void axes_give_the_sign_of_mujoco(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<worldbody><body xyaxes='-.8660254037844387 0 .5 0 1 0'><freejoint/><geom size='1'/>"
            "</body></worldbody>"));
  CLOSE(m->q_reference + 3, -0.25881904510252074, 0, 0.9659258262890683, 0);
  limpet_model_destroy(m);
}

static void euler_sequences_move_or_stand(void **state) {
  (void)state;
  // 90 degrees about the first axis, then 90 about the second: products of (1 + i)/sqrt 2, (1 +
  // j)/sqrt 2, (1 + k)/sqrt 2
  static const struct {
    const char *sequence;
    double quaternion[4];
  } cases[] = {{"xyz", {0.5, 0.5, 0.5, 0.5}},
               {"XYZ", {0.5, 0.5, 0.5, -0.5}},
               {"zyx", {0.5, -0.5, 0.5, 0.5}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[500];
    snprintf(text, sizeof text,
             MODEL("<compiler eulerseq='%s'/><worldbody><site euler='90 90 0'/></worldbody>"),
             cases[i].sequence);
    limpet_model *m = mjcf_load(text);
    assert_true(mjcf_close(m->site_quaternion, cases[i].quaternion, 4));
    limpet_model_destroy(m);
  }
}

static void fromto_points_from_its_end_to_its_start(void **state) {
  (void)state;
  limpet_model *m =
      mjcf_load(MODEL("<worldbody><geom type='capsule' fromto='0 0 0 1 0 0' size='.1'/>"
                      "<geom type='box' fromto='0 0 3 0 0 1' size='.1 .2'/></worldbody>"));
  const double half = sqrt(0.5);
  CLOSE(m->geom_position, 0.5, 0, 0, 0, 0, 2);
  CLOSE(m->geom_quaternion, half, 0, -half, 0, 1, 0, 0, 0);
  CLOSE(m->geom_size, 0.1, 0.5);
  CLOSE(m->geom_size + 3, 0.1, 0.1, 1);
  limpet_model_destroy(m);
}

static void frames_move_what_they_enclose(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<worldbody><body name='b'><frame pos='1 0 0' euler='0 0 90'><joint axis='1 0 0' "
            "pos='0 1 0'/>" GEOM "<body name='c' pos='2 0 0'/><frame pos='0 0 5'><site name='s' "
            "pos='1 0 0'/></frame></frame></body>"
            "</worldbody>"));
  const double half = sqrt(0.5);
  CLOSE(m->joint_axis, 0, 1, 0);
  CLOSE(m->joint_position, 0, 0, 0);
  CLOSE(m->geom_position, 1, 0, 0);
  CLOSE(m->body_position + 6, 1, 2, 0);
  CLOSE(m->body_quaternion + 8, half, 0, 0, half);
  CLOSE(m->site_position, 1, 1, 5);
  limpet_model_destroy(m);
}

// -------------------------------------------------------------------------- replicate, attach

static void replicate_turns_as_it_goes_and_numbers_names(void **state) {
  (void)state;
  limpet_model *m =
      mjcf_load(MODEL("<worldbody><replicate count='3' offset='1 0 0' euler='0 0 90' sep='-'><body "
                      "name='b' pos='0 1 0'>"
                      "<joint name='j'/>" GEOM "</body></replicate></worldbody>"
                      "<actuator><motor name='m' joint='j'/></actuator>"));
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_BODY), "world b-0 b-1 b-2");
  CLOSE(m->body_position + 3, 0, 1, 0, 0, 0, 0, 1, 0, 0);  // measured with MuJoCo
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_ACTUATOR), "m-0 m-1 m-2");
  limpet_model_destroy(m);
}

// Numbers of MuJoCo 4.0.1: the angles grow from copy to copy, which about several axes is not the
// same as turning once more.
static void angles_of_copies_grow(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<worldbody><replicate count='3' offset='1 .2 .1' euler='10 20 30'><body><joint/>" GEOM
            "</body></replicate></worldbody>"));
  CLOSE(m->body_position + 6, 1, 0.2, 0.1, 1.75403043360335, 0.892155140294772, 0.051426684656404);
  CLOSE(m->body_quaternion + 8, 0.943714364147489, 0.127679440695781, 0.144878125417369,
        0.268535822751569, 0.771738678669279, 0.309726528772625, 0.21011026195306,
        0.514142555175383);
  limpet_model_destroy(m);
}

static void nested_replicates_put_the_inner_number_first(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(MODEL(
      "<worldbody><replicate count='2' offset='1 0 0'><replicate count='3' offset='0 1 0' sep='x'>"
      "<geom name='g' size='1'/></replicate></replicate></worldbody>"));
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_GEOM), "gx00 gx10 gx20 gx01 gx11 gx21");
  CLOSE(m->geom_position + 15, 1, 2, 0);
  limpet_model_destroy(m);
  m =
      mjcf_load(MODEL("<worldbody><replicate count='10' offset='1 0 0'><geom name='g' "
                      "size='1'/></replicate></worldbody>"));
  assert_non_null(strstr(mjcf_names(m, LIMPET_OBJECT_GEOM), "g00 g01"));
  limpet_model_destroy(m);
}

static void a_copy_may_refer_to_what_stands_beside_it(void **state) {
  (void)state;
  limpet_model *m =
      mjcf_load(MODEL("<worldbody><body name='q'><joint name='jq'/>" GEOM "</body>"
                      "<replicate count='2' offset='1 0 0'><body name='b'><joint name='j'/>" GEOM
                      "</body></replicate>"
                      "</worldbody><contact><exclude body1='b' body2='q'/></contact>"
                      "<equality><joint name='e' joint1='j' joint2='jq'/><joint name='own' "
                      "joint1='jq'/></equality>"));
  assert_int_equal(m->exclude_count, 2);
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_COUPLER), "own e0 e1");
  limpet_model_destroy(m);
}

static void a_model_can_attach_a_part_of_itself(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<worldbody><body name='leg' pos='0 1 0'><joint name='j' damping='2'/>" GEOM "</body>"
            "<frame pos='5 0 0'><attach body='leg' prefix='left_'/></frame></worldbody>"
            "<actuator><motor name='m' joint='j'/></actuator>"));
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_BODY), "world leg left_leg");
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_ACTUATOR), "m left_m");
  CLOSE(m->body_position + 6, 5, 1, 0);
  CLOSE(m->dof_damping, 2, 2);
  limpet_model_destroy(m);
}

// ------------------------------------------------------------------------------ joints, bodies

static void a_range_limits_where_autolimits_is_on(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<worldbody><body><joint range='0 1'/><joint axis='1 0 0' limited='false' range='0 1'/>"
            "<joint axis='0 1 0'/>" GEOM "</body></worldbody>"));
  assert_true(m->joint_limited[0]);
  assert_false(m->joint_limited[1]);
  assert_false(m->joint_limited[2]);
  limpet_model_destroy(m);
}

static void a_freejoint_has_no_class(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(MODEL(
      "<default><joint damping='3' armature='1' frictionloss='2'/></default><worldbody>"
      "<body><freejoint/>" GEOM "</body><body><joint type='free'/>" GEOM "</body></worldbody>"));
  CLOSE(m->dof_damping, 0, 0, 0, 0, 0, 0, 3);
  CLOSE(m->dof_armature, 0, 0, 0, 0, 0, 0, 1);
  assert_int_equal(m->dof_dry_friction_kind[6], LIMPET_DRY_FRICTION_SOFT);
  limpet_model_destroy(m);
}

static void inertials_come_in_two_forms(void **state) {
  (void)state;
  limpet_model *m =
      mjcf_load(MODEL("<worldbody><body><joint/><inertial pos='1 2 3' mass='4' diaginertia='1 2 "
                      "2.5' euler='0 0 90'/></body>"
                      "<body><joint/><inertial pos='0 0 0' mass='1' fullinertia='1 2 2.5 .1 .2 "
                      ".3'/></body></worldbody>"));
  CLOSE(m->body_mass, 0, 4, 1);
  CLOSE(m->body_com + 3, 1, 2, 3);
  CLOSE(m->body_inertia + 9, 2, 0, 0, 0, 1, 0, 0, 0, 2.5, 1, .1, .2, .1, 2, .3, .2, .3, 2.5);
  limpet_model_destroy(m);
}

// MuJoCo 4.0.1: the mass that a bound gives a body without any stands at 'pos' in its own frame.
static void a_bound_gives_mass_away_from_the_frame(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<compiler boundmass='.1' boundinertia='.2'/><worldbody><body pos='1 2 3'><joint/>" GEOM
            "<frame pos='1 0 0'><body pos='4 5 6'/></frame></body></worldbody>"));
  CLOSE(m->body_com + 3, 0, 0, 0, 4, 5, 6);
  CLOSE(m->body_mass + 2, 0.1);
  CLOSE(m->body_position + 6, 5, 5, 6);
  limpet_model_destroy(m);
}

static void switches_are_read(void **state) {
  (void)state;
  limpet_model *m =
      mjcf_load(MODEL("<option actuatorgroupdisable='1 4'><flag contact='disable' "
                      "passive='disable' gravity='disable'/>"
                      "<flag gravity='enable' warmstart='disable'/></option><worldbody/>"));
  assert_int_equal(m->options.disabled,
                   LIMPET_DISABLE_CONTACT | LIMPET_DISABLE_SPRING | LIMPET_DISABLE_DAMPER);
  assert_int_equal(m->options.disabled_actuator_groups, 1 << 1 | 1 << 4);
  assert_int_equal(m->note_count, 0);
  limpet_model_destroy(m);
}

// Numbers of MuJoCo 4.0.1: without springs and dampers there is no compensation of gravity and no
// drag either.
static void no_springs_and_dampers_is_nothing_passive(void **state) {
  (void)state;
  static const char *const flags[] = {"", "damper='disable'", "damper='disable' gravity='enable'"};
  static const double expected[] = {-12.35481626542249, -11.35481626542249, 0.0};
  for (int i = 0; i < 3; ++i) {
    char text[1024];
    snprintf(text, sizeof text,
             MODEL("<option density='1000' gravity='0 0 -10'><flag spring='%s' %s/></option>"
                   "<worldbody><body gravcomp='1'><joint axis='0 1 0' damping='1' stiffness='2'/>"
                   "<geom size='.1' pos='.3 0 0' density='1000'/></body></worldbody>"),
             i == 1 ? "enable" : "disable", flags[i]);
    limpet_model *m = mjcf_load(text);
    limpet_data *data = limpet_data_create(m);
    data->q[0] = 0.5, data->v[0] = 1.0;
    limpet_forward_dynamics(m, data);
    const double spring = i == 1 ? -2.0 * 0.5 : 0.0;
    assert_true(fabs(data->passive_force[0] - expected[i] - spring) <= 1e-12);
    if (i == 2) assert_true(data->gravity_compensation_force[0] == 0.0);
    limpet_data_destroy(data);
    limpet_model_destroy(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(classes_inherit_and_childclass_reaches_down),
      cmocka_unit_test(later_defaults_and_includes_win),
      cmocka_unit_test(impedance_counts_only_where_it_is_not_the_default),
      cmocka_unit_test(angles_are_degrees_unless_the_compiler_says_radian),
      cmocka_unit_test(all_forms_of_a_rotation_agree),
      cmocka_unit_test(axes_give_the_sign_of_mujoco),
      cmocka_unit_test(euler_sequences_move_or_stand),
      cmocka_unit_test(fromto_points_from_its_end_to_its_start),
      cmocka_unit_test(frames_move_what_they_enclose),
      cmocka_unit_test(replicate_turns_as_it_goes_and_numbers_names),
      cmocka_unit_test(angles_of_copies_grow),
      cmocka_unit_test(nested_replicates_put_the_inner_number_first),
      cmocka_unit_test(a_copy_may_refer_to_what_stands_beside_it),
      cmocka_unit_test(a_model_can_attach_a_part_of_itself),
      cmocka_unit_test(a_range_limits_where_autolimits_is_on),
      cmocka_unit_test(a_freejoint_has_no_class),
      cmocka_unit_test(inertials_come_in_two_forms),
      cmocka_unit_test(a_bound_gives_mass_away_from_the_frame),
      cmocka_unit_test(switches_are_read),
      cmocka_unit_test(no_springs_and_dampers_is_nothing_passive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
