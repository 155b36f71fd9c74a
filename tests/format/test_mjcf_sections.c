/* tests/format/test_mjcf_sections.c: actuators, tendons, couplers, pairs, keyframes, names, and
 * models made of several files.
 *
 * Expected numbers are worked out by hand from the MJCF reference, or measured with MuJoCo 4.0.1
 * where the reference is silent. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_text.h"

static const double pi = 3.14159265358979323846;

#define HINGE "<worldbody><body><joint name='j' range='-90 90'/>" GEOM "</body></worldbody>"

// -------------------------------------------------------------------------------- actuators

static void actuator_kinds_become_gain_and_bias(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(MODEL(
      HINGE
      "<actuator><motor joint='j' gear='3'/><position joint='j' kp='3' kv='2'/>"
      "<position joint='j' kp='3' timeconst='.2'/><velocity joint='j' kv='4'/>"
      "<damper joint='j' kv='2' ctrlrange='0 1'/><cylinder joint='j' diameter='2' bias='1 2 3'/>"
      "<general joint='j' gaintype='affine' gainprm='1 2 3' biastype='affine' biasprm='4 5 6'/>"
      "<intvelocity joint='j' kp='2' inheritrange='1'/></actuator>"));
  CLOSE(m->actuator_gain, 1, 0, 0, 3, 0, 0, 3, 0, 0, 4, 0, 0, 0, 0, -2, pi, 0, 0, 1, 2, 3, 2, 0, 0);
  CLOSE(m->actuator_bias, 0, 0, 0, 0, -3, -2, 0, -3, 0, 0, 0, -4, 0, 0, 0, 1, 2, 3, 4, 5, 6, 0, -2,
        0);
  assert_int_equal(m->actuator_activation[2], LIMPET_ACTIVATION_FILTER_EXACT);
  CLOSE(m->actuator_activation_time + 2, 0.2);
  assert_int_equal(m->actuator_activation[5], LIMPET_ACTIVATION_FILTER);
  assert_int_equal(m->actuator_activation[7], LIMPET_ACTIVATION_INTEGRATOR);
  assert_true(m->actuator_activation_limited[7]);
  CLOSE(m->actuator_activation_range + 14, -0.5 * pi, 0.5 * pi);
  CLOSE(m->actuator_gear, 3);
  limpet_model_destroy(m);
}

static void actuator_kinds_share_their_defaults(void **state) {
  (void)state;
  limpet_model *m =
      mjcf_load(MODEL("<default><position kp='5' kv='2' forcerange='-1 1'/><default "
                      "class='g'><motor gear='3'/></default></default>" HINGE
                      "<actuator><general joint='j'/><position joint='j' kp='3'/><motor "
                      "joint='j'/><motor class='g' joint='j'/>"
                      "<velocity class='g' joint='j'/></actuator>"));
  CLOSE(m->actuator_gain, 5, 0, 0, 3, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0);
  CLOSE(m->actuator_bias, 0, -5, -2, 0, -3, -2, 0, 0, 0, 0, 0, 0, 0, 0, -1);
  CLOSE(m->actuator_gear + 18, 3);
  for (int i = 0; i < 5; ++i) assert_true(m->actuator_force_limited[i]);
  limpet_model_destroy(m);
}

/* Numbers of MuJoCo 4.0.1: classes of other kinds between leave the law of a kind alone, but reach
 * it through a later <general>. */
static void a_law_passes_by_other_kinds(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(MODEL(
      "<default><default class='p'><position kp='5' kv='2'/><default class='m'><motor "
      "ctrlrange='-1 1'/><default class='v'><velocity kv='3'/></default></default><default "
      "class='g'><velocity kv='4'/><default class='h'><general gainprm='7'/></default></default>"
      "</default></default>" HINGE
      "<actuator><position class='m' joint='j'/><position class='v' joint='j'/><general "
      "class='m' joint='j'/><general class='v' joint='j'/><position class='g' joint='j'/>"
      "<position class='h' joint='j'/></actuator>"));
  CLOSE(m->actuator_gain, 5, 0, 0, 5, 0, 0, 1, 0, 0, 3, 0, 0, 5, 0, 0, 7, 0, 0);
  CLOSE(m->actuator_bias, 0, -5, -2, 0, -5, -2, 0, 0, 0, 0, 0, -3, 0, -5, -2, 0, -7, -4);
  for (int i = 0; i < 4; ++i) assert_true(m->actuator_control_limited[i]);
  limpet_model_destroy(m);
}

/* Numbers of MuJoCo 4.0.1: a class passes on the law of the last kind in it, not of those before,
 * and no limit that a kind asks of its own elements. */
static void the_last_kind_of_a_class_counts(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(MODEL(
      "<default><position kp='7' kv='.7'/><general gainprm='3'/><motor gear='2'/>"
      "<default class='a'><position kp='9' kv='.9'/><default class='b'><position kp='8'/><velocity "
      "kv='5'/></default><default class='c'><motor/><position kp='6'/></default></default>"
      "<default class='i'><intvelocity kp='11'/></default></default>" HINGE
      "<actuator><position joint='j'/><position class='a' joint='j'/><position class='b' "
      "joint='j'/>"
      "<position class='c' joint='j'/><velocity joint='j'/><general class='i' joint='j'/>"
      "<general class='c' joint='j'/></actuator>"));
  CLOSE(m->actuator_gain, 1, 0, 0, 9, 0, 0, 9, 0, 0, 6, 0, 0, 1, 0, 0, 11, 0, 0, 6, 0, 0);
  CLOSE(m->actuator_bias, 0, -1, 0, 0, -9, -0.9, 0, -9, -0.9, 0, -6, -0.9, 0, 0, -1, 0, -11, 0, 0,
        -6, -0.9);
  assert_false(m->actuator_activation_limited[5]);
  limpet_model_destroy(m);
}

/* Numbers of MuJoCo 4.0.1: a kind takes a law from its own kind and from <general> with a
 * fixed gain, but not from another kind. */
static void a_law_does_not_pass_between_kinds(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(MODEL(
      "<default><default class='p'><position kp='5' kv='2'/></default><default class='c'><cylinder "
      "area='3' bias='1 2 3'/>"
      "</default><default class='d'><damper kv='3' ctrlrange='0 1'/></default>"
      "<default class='g'><general gainprm='7 2 3' biastype='affine' biasprm='1 -2 "
      "-3'/></default></default>" HINGE
      "<actuator><intvelocity class='p' joint='j' kp='9' actrange='-1 1'/><velocity class='p' "
      "joint='j'/>"
      "<cylinder class='p' joint='j'/><position class='c' joint='j'/><damper class='d' joint='j'/>"
      "<position class='g' joint='j'/><cylinder class='g' joint='j'/></actuator>"));
  CLOSE(m->actuator_gain, 9, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, -3, 7, 0, 0, 7, 0, 0);
  CLOSE(m->actuator_bias, 0, -9, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, -7, -3, 1, -2, -3);
  assert_int_equal(m->actuator_activation[3], LIMPET_ACTIVATION_NONE);
  limpet_model_destroy(m);
}

// As in MuJoCo 4.0.1: by the square of the gear.
static void an_actuator_gives_armature_and_damping_to_its_tendon(void **state) {
  (void)state;
  limpet_model *m =
      mjcf_load(MODEL(
          HINGE "<tendon><fixed name='t' armature='.3' damping='.2 .1'><joint joint='j' coef='2'/>"
                "</fixed></tendon><actuator><motor tendon='t' gear='3' armature='.5' "
                "damping='.7 .6 .5'/></actuator>"));
  CLOSE(m->tendon_armature, 0.3 + 9 * 0.5);
  CLOSE(m->tendon_damping, 0.2 + 9 * 0.7);
  CLOSE(m->tendon_damping_growth, 0.1 + 9 * 0.6, 9 * 0.5);
  assert_int_equal(m->note_count, 0);
  limpet_model_destroy(m);
}

// MuJoCo loads it, too.
static void sites_of_one_body_hold_nothing(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<worldbody><body><joint/>" GEOM "<site name='a'/><site name='b' pos='1 0 0'/>"
            "</body></worldbody><equality><connect site1='a' site2='b'/></equality>"));
  assert_int_equal(m->loop_count, 0);
  assert_int_equal(m->note_count, 1);
  limpet_model_destroy(m);
}

/* A servo on a rotation takes the shorter way round: 4 rad about z of a ball joint at 0 is 4 - 2
 * pi; so it is with a gear of 2 and 8, on the joint and from site to site, but not where the gains
 * are those of no position servo. */
static void servos_on_rotations_take_the_shorter_way(void **state) {
  (void)state;
  limpet_model *m =
      mjcf_load(MODEL("<worldbody><site name='w'/><body><joint name='j' type='ball'/>" GEOM
                      "<site name='s'/></body></worldbody>"
                      "<actuator><position joint='j' gear='0 0 1' kp='10'/><position "
                      "jointinparent='j' gear='0 0 2' kp='10'/>"
                      "<position site='s' refsite='w' gear='0 0 0 0 0 1' kp='10'/><position "
                      "joint='j' gear='0 0 1' kp='10'/>"
                      "<general joint='j' gear='0 0 1' gainprm='10' biastype='affine' biasprm='0 "
                      "-9 0'/></actuator>"));
  limpet_data *data = limpet_data_create(m);
  const double control[5] = {4, 8, 4, 3, 4};
  memcpy(data->control, control, sizeof control);
  limpet_kinematics(m, data);
  limpet_velocity_kinematics(m, data);
  limpet_tendon_kinematics(m, data);
  limpet_passive_forces(m, data);
  limpet_actuation(m, data);
  CLOSE(data->actuator_force, 40 - 20 * pi, 80 - 40 * pi, 40 - 20 * pi, 30, 40);

  // the step agrees: it turns the body backwards
  memset(data->control, 0, sizeof control);
  data->control[0] = 4.0;
  const limpet_step_settings settings = limpet_step_settings_default(m);
  limpet_step(m, data, &settings);
  assert_true(data->v[2] < 0.0);
  limpet_data_destroy(data);
  limpet_model_destroy(m);
}

/* Numbers of MuJoCo 4.0.1: the filter of a servo on a rotation takes the shorter way from the
 * activation to the control, modulo 2 pi sqrt 5; one without the law of a servo does not. */
static void filters_of_servos_take_the_shorter_way(void **state) {
  (void)state;
#define FILTER(kind, law) \
  "<general joint='j' gear='1 2 0' dynprm='.1' gainprm='10' dyntype='" kind "'" law "/>"
#define SERVO " biastype='affine' biasprm='0 -10 0'"
  limpet_model *m = mjcf_load(MODEL("<worldbody><body><joint name='j' type='ball'/>" GEOM
                                    "</body></worldbody><actuator>" FILTER("filter", SERVO)
                                        FILTER("filterexact", SERVO) FILTER("filter", "")
                                            FILTER("integrator", SERVO) "</actuator>"));
#undef FILTER
#undef SERVO
  limpet_data *data = limpet_data_create(m);
  for (int i = 0; i < 4; ++i) data->activation[i] = -4.0, data->control[i] = 5.0;
  limpet_forward_dynamics(m, data);
  CLOSE(data->activation_rate, 90 - 20 * pi * sqrt(5), 90 - 20 * pi * sqrt(5), 90, 5);
  limpet_data_destroy(data);
  limpet_model_destroy(m);
}

// Gravity compensation by actuators needs actuators that are not switched off.
static void compensation_by_actuators_needs_actuators(void **state) {
  (void)state;
#define MOTOR "<actuator><motor joint='j' gear='0'/></actuator>"
  static const char *const rest[] = {"", MOTOR,
                                     MOTOR "<option><flag actuation='disable'/></option>"};
#undef MOTOR
  for (int i = 0; i < 3; ++i) {
    char text[1024];
    snprintf(
        text, sizeof text,
        MODEL("<worldbody><body gravcomp='1'><joint name='j' type='slide' actuatorgravcomp='true'/>"
              "<geom size='1' mass='2'/></body></worldbody>%s"),
        rest[i]);
    limpet_model *m = mjcf_load(text);
    limpet_data *data = limpet_data_create(m);
    limpet_kinematics(m, data);
    limpet_velocity_kinematics(m, data);
    limpet_tendon_kinematics(m, data);
    limpet_passive_forces(m, data);
    limpet_actuation(m, data);
    CLOSE(data->gravity_compensation_force, 2 * 9.81);
    CLOSE(data->passive_force, 0);
    CLOSE(data->actuator_joint_force, i == 1 ? 2 * 9.81 : 0.0);
    limpet_data_destroy(data);
    limpet_model_destroy(m);
  }
}

static void inheritrange_scales_the_joint_range_about_its_middle(void **state) {
  (void)state;
  limpet_model *m =
      mjcf_load(MODEL("<worldbody><body><joint name='j' range='0 90'/>" GEOM "</body></worldbody>"
                      "<actuator><position joint='j' inheritrange='.5'/></actuator>"));
  assert_true(m->actuator_control_limited[0]);
  CLOSE(m->actuator_control_range, pi / 8, 3 * pi / 8);
  limpet_model_destroy(m);
}

static void dampratio_becomes_critical_damping_of_the_reflected_inertia(void **state) {
  (void)state;
  // a mass of 2 kg on a slide: kv = 2 zeta sqrt(kp m)
  limpet_model *m = mjcf_load(MODEL(
      "<worldbody><body><joint name='j' type='slide'/><geom size='1' mass='2'/></body></worldbody>"
      "<actuator><position joint='j' kp='8' dampratio='0.5'/></actuator>"));
  assert_true(fabs(m->actuator_bias[2] + 4.0) < 1e-12);
  limpet_model_destroy(m);
}

static void armature_of_an_actuator_goes_to_its_joint_through_the_gear(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<worldbody><body><joint name='j' armature='1' damping='1'/>" GEOM "</body></worldbody>"
            "<actuator><motor joint='j' armature='2' damping='3' gear='3'/></actuator>"));
  CLOSE(m->dof_armature, 19);
  CLOSE(m->dof_damping, 28);
  limpet_model_destroy(m);

  // springdamper takes the place of the joint's damping alone: 2 m/tau of a mass of 2 kg
  m = mjcf_load(
      MODEL("<worldbody><body><joint name='j' type='slide' damping='1' springdamper='.5 1'/>"
            "<geom size='1' mass='2'/></body></worldbody>"
            "<actuator><motor joint='j' damping='3' gear='3'/></actuator>"));
  CLOSE(m->dof_damping, 8 + 27);
  limpet_model_destroy(m);
}

static void unnamed_actuators_and_keyframes_get_names(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<worldbody><body><joint name='j'/><site name='s'/>" GEOM "</body></worldbody>"
            "<tendon><fixed name='t'><joint joint='j' coef='2'/></fixed></tendon>"
            "<actuator><motor joint='j'/><motor tendon='t'/><motor joint='j'/><motor site='s'/>"
            "<motor name='j_1' joint='j'/></actuator><keyframe><key/><key "
            "name='home'/><key/></keyframe>"));
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_ACTUATOR), "j t j_2 s j_1");
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_KEYFRAME), "0 home 2");
  limpet_model_destroy(m);
}

static void what_is_not_simulated_keeps_its_place_and_gives_no_force(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<worldbody><body name='b'><joint name='j'/><site name='s'/>" GEOM
            "</body><site name='w'/></worldbody>"
            "<tendon><spatial name='t'><site site='s'/><site site='w'/></spatial></tendon>"
            "<actuator><plugin joint='j'/><motor tendon='t'/><general joint='j' dyntype='user' "
            "actdim='3'/><motor joint='j'/></actuator>"
            "<sensor><jointpos joint='j'/></sensor><keyframe><key ctrl='1 2 3 4'/></keyframe>"));
  assert_int_equal(m->nu, 4);
  assert_int_equal(m->na, 0);
  assert_int_equal(m->tendon_count, 1);
  assert_true(m->actuator_gain[0] * m->actuator_gear[0] == 0.0);
  assert_true(m->actuator_gain[3 * 2] * m->actuator_gear[6 * 2] == 0.0);
  assert_int_equal(m->note_count, 2);
  for (int i = 0; i < 2; ++i) assert_true(m->note[i].unsupported && m->note[i].place.line == 2);
  limpet_model_destroy(m);
}

// --------------------------------------------------------- tendons, couplers, pairs, keyframes

static void fixed_tendons_and_couplers_are_read(void **state) {
  (void)state;
  limpet_model *m =
      mjcf_load(MODEL("<default><tendon stiffness='7'/><equality solref='.1 1'/></default>"
                      "<worldbody><body><joint name='a'/><joint name='b' axis='1 0 0'/>" GEOM
                      "</body></worldbody>"
                      "<tendon><fixed name='t' range='-1 2' springlength='.5' damping='3'><joint "
                      "joint='b' coef='2'/><joint joint='a' "
                      "coef='-1'/>"
                      "</fixed><fixed name='u'><joint joint='a' coef='1'/></fixed></tendon>"
                      "<equality><joint joint1='a' joint2='b' polycoef='1 2'/><tendon name='c' "
                      "tendon1='t' active='false'/></equality>"));
  CLOSE(m->tendon_range, -1, 2);
  CLOSE(m->tendon_stiffness, 7, 7);
  CLOSE(m->tendon_damping, 3, 0);
  CLOSE(m->tendon_spring_range, 0.5, 0.5, 0, 0);  // the second at its length in the reference pose
  assert_int_equal(m->tendon_joint[0], 1);
  CLOSE(m->tendon_coefficient, 2, -1, 1);
  CLOSE(m->coupler_coefficient, 1, 2, 0, 0, 0, 0, 1, 0, 0, 0);
  assert_int_equal(m->coupler_x[1], LIMPET_NONE);
  assert_true(m->coupler_active[0] && !m->coupler_active[1] && m->coupler_tendon[1] &&
              m->coupler_has_impedance[0]);
  limpet_model_destroy(m);
}

static void a_pair_takes_nothing_from_its_geoms(void **state) {
  (void)state;
  limpet_model *m =
      mjcf_load(MODEL("<default><pair margin='.5'/></default><worldbody>"
                      "<body><freejoint/><geom name='a' size='1' friction='.5' condim='1'/></body>"
                      "<body><freejoint/><geom name='b' size='1' priority='2'/></body></worldbody>"
                      "<contact><pair geom1='a' geom2='b'/><pair geom1='b' geom2='a' friction='2 "
                      "2' solref='.1'/></contact>"));
  CLOSE(m->pair_friction, 1, 1, 0.005, 0.0001, 0.0001, 2, 2, 0.005, 0.0001, 0.0001);
  CLOSE(m->pair_margin, .5, .5);
  assert_int_equal(m->pair_condim[0], 3);
  assert_true(!m->pair_has_impedance[0] && m->pair_has_impedance[1]);
  limpet_model_destroy(m);
}

static void keyframes_fill_the_state(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<worldbody><body mocap='true' pos='1 2 3'/><body><joint name='j' ref='90'/>" GEOM
            "</body></worldbody>"
            "<actuator><motor joint='j'/></actuator><keyframe><key name='k' time='2' qpos='.5' "
            "qvel='.25' ctrl='3'/>"
            "<key mpos='4 5 6'/></keyframe>"));
  CLOSE(m->keyframe_q, .5, pi / 2);
  CLOSE(m->keyframe_v, .25, 0);
  CLOSE(m->keyframe_control, 3, 0);
  CLOSE(m->keyframe_time, 2, 0);
  CLOSE(m->keyframe_mocap_position, 1, 2, 3, 4, 5, 6);
  limpet_model_destroy(m);
}

// the last note of a model, with its place
static const char *last_note(const limpet_model *m) {
  static char text[1024];
  const limpet_note *note = &m->note[m->note_count - 1];
  snprintf(text, sizeof text, "%d:%d: %s", note->place.line, note->place.column, note->text);
  return text;
}

// what MuJoCo 4.0.1 makes of them
static void short_vectors_of_keyframes_are_filled_up(void **state) {
  (void)state;
#define TWO_JOINTS                                                                             \
  "<worldbody><body pos='7 8 9'><freejoint/>" GEOM "<body><joint name='j' ref='90'/>" GEOM     \
  "</body></body><body mocap='true' pos='1 2 3'/><body mocap='true' pos='4 5 6'/></worldbody>" \
  "<actuator><motor joint='j'/><motor joint='j'/></actuator>\n"
  limpet_model *m = mjcf_load(MODEL(TWO_JOINTS "<keyframe><key qpos='1 2'/></keyframe>"));
  CLOSE(m->keyframe_q, 1, 2, 9, 1, 0, 0, 0, pi / 2);
  assert_string_equal(last_note(m),
                      "3:16: 'qpos' of the keyframe has 2 numbers, but the model has 8: the others "
                      "are those of the reference pose, as in MuJoCo");
  limpet_model_destroy(m);
  m = mjcf_load(MODEL(TWO_JOINTS "<keyframe><key qvel='1 2 3' ctrl='4'/></keyframe>"));
  CLOSE(m->keyframe_v, 1, 2, 3, 0, 0, 0, 0);
  CLOSE(m->keyframe_control, 4, 0);
  assert_int_equal(m->note_count, 2);
  limpet_model_destroy(m);
  // of mocap bodies whole poses count
  m = mjcf_load(MODEL(TWO_JOINTS "<keyframe><key mpos='9 8 7 6 5' mquat='0 1 0 0'/></keyframe>"));
  CLOSE(m->keyframe_mocap_position, 9, 8, 7, 4, 5, 6);
  CLOSE(m->keyframe_mocap_quaternion, 0, 1, 0, 0, 1, 0, 0, 0);
  limpet_model_destroy(m);
  assert_true(mjcf_refused(MODEL(TWO_JOINTS "<keyframe><key qvel='1 2 3 4 5 6 7 8'/></keyframe>"),
                           "robot.xml:3:16: 'qvel' of the keyframe has 8 numbers, but the model "
                           "has 7"));
}

// MuJoCo 4.0.1 loads such a model and holds the ball; a hinge alone must have a range
static void a_ball_that_is_limited_without_a_range_is_held(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<default><joint limited='true'/></default>\n<worldbody><body><joint type='ball'/>"
            "<geom type='box' size='.1 .2 .3' pos='.3 0 0'/></body></worldbody>"));
  assert_true(m->joint_limited[0]);
  CLOSE(m->joint_range, 0, 0);
  assert_int_equal(m->note_count, 1);
  assert_string_equal(last_note(m),
                      "3:18: this ball joint is limited and no 'range' gives it an angle: it is "
                      "held in its reference pose, as in MuJoCo; give a range, or write "
                      "limited=\"false\"");
  // under gravity it would fall by 90 degrees in half a second; held, it turns by what one step
  // of falling and the limit's softness let through: MuJoCo says 8.4e-4 rad
  limpet_data *data = limpet_data_create(m);
  const limpet_step_settings settings = limpet_step_settings_default(m);
  while (data->time < 0.5) limpet_step(m, data, &settings);
  assert_true(2.0 * acos(fmin(fabs(data->q[0]), 1.0)) < 1e-3);
  limpet_data_destroy(data);
  limpet_model_destroy(m);
}

// ---------------------------------------------------------------------------- several files

static void write_file(const char *name, const char *text) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", LIMPET_BINARY_DIR, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static limpet_model *load_file(const char *name, limpet_error *error) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", LIMPET_BINARY_DIR, name);
  return limpet_load(path, NULL, error);
}

static void includes_stand_where_they_are_written(void **state) {
  (void)state;
  write_file(
      "test_mjcf_part.xml",
      "<mujocoinclude><body name='in'><joint name='j'/><geom size='1'/></body></mujocoinclude>");
  write_file("test_mjcf_whole.xml",
             "<mujoco><worldbody><body name='out'><include "
             "file='test_mjcf_part.xml'/><joint/><geom size='1'/>"
             "</body><body name='last'/></worldbody></mujoco>");
  limpet_error error;
  limpet_model *m = load_file("test_mjcf_whole.xml", &error);
  assert_non_null(m);
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_BODY), "world out in last");
  limpet_model_destroy(m);

  write_file("test_mjcf_whole.xml",
             "<mujoco><include file='test_mjcf_part.xml'/>\n <include "
             "file='test_mjcf_part.xml'/></mujoco>");
  assert_null(load_file("test_mjcf_whole.xml", &error));
  assert_non_null(strstr(
      error.message, "test_mjcf_whole.xml:2:11: 'test_mjcf_part.xml' is included a second time"));
}

static const char *const child =
    "<mujoco model='arm'><compiler angle='radian'/><option timestep='.01'/>"
    "<default><joint damping='3'/><default class='k'><joint damping='4'/><position "
    "kp='7'/></default></default>"
    "<worldbody><body name='b1'><joint name='j1' class='k'/><geom size='1'/></body>"
    "<frame name='f'><body name='b2' pos='0 1 0'><joint name='j2' range='0 1'/><geom "
    "size='1'/></body></frame></worldbody>"
    "<contact><exclude body1='b1' body2='b2'/></contact>"
    "<tendon><fixed name='t'><joint joint='j1' coef='1'/></fixed><fixed name='t12'><joint "
    "joint='j1' coef='1'/>"
    "<joint joint='j2' coef='1'/></fixed></tendon>"
    "<actuator><position name='a1' joint='j1' class='k'/><motor name='a2' joint='j2'/><motor "
    "name='at' "
    "tendon='t'/></actuator>"
    "<keyframe><key name='k' qpos='.1 .2' qvel='.3 .4' ctrl='1 2 3'/></keyframe></mujoco>";

static limpet_model *attach(const char *world) {
  char text[2000];
  limpet_error error = {0};
  write_file("test_mjcf_child.xml", child);
  snprintf(text, sizeof text,
           "<mujoco><default><joint damping='9'/></default><asset><model "
           "file='test_mjcf_child.xml'/></asset><worldbody>"
           "<body name='p'><joint name='pj' range='0 180'/><geom size='1'/></body>%s</worldbody>"
           "<actuator><motor name='pa' joint='pj'/></actuator></mujoco>",
           world);
  write_file("test_mjcf_parent.xml", text);
  limpet_model *m = load_file("test_mjcf_parent.xml", &error);
  if (!m) fail_msg("%s", error.message);
  return m;
}

// orders and names as MuJoCo 4.0.1 gives them
static void an_attached_model_keeps_its_rules_and_brings_its_sections(void **state) {
  (void)state;
  limpet_model *m = attach("<attach model='arm' prefix='X'/>");
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_BODY), "world p Xb1 Xb2");
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_ACTUATOR), "pa Xa1 Xa2 Xat");
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_TENDON), "Xt Xt12");
  CLOSE(m->dof_damping, 9, 4, 3);
  CLOSE(m->joint_range, 0, pi);
  CLOSE(m->joint_range + 4, 0, 1);
  CLOSE(&m->options.time_step, 0.002);
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_KEYFRAME), "Xk");
  CLOSE(m->keyframe_q, 0, .1, .2);
  CLOSE(m->keyframe_v, 0, .3, .4);
  CLOSE(m->keyframe_control, 0, 1, 2, 3);
  assert_int_equal(m->exclude_count, 1);
  limpet_model_destroy(m);

  // what refers to something that was not attached stays behind
  m = attach(
      "<frame pos='0 0 1'><attach model='arm' body='b2' prefix='X'/></frame><attach model='arm' "
      "body='b1' prefix='Y'/>");
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_BODY), "world p Xb2 Yb1");
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_ACTUATOR), "pa Xa2 Ya1 Yat");
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_TENDON), "Yt");
  CLOSE(m->body_position + 6, 0, 1, 1);
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_KEYFRAME), "Xk Yk");
  CLOSE(m->keyframe_q, 0, .2, 0, 0, 0, .1);
  CLOSE(m->keyframe_control, 0, 2, 0, 0, 0, 0, 1, 3);
  assert_int_equal(m->exclude_count, 0);
  limpet_model_destroy(m);
}

static void a_short_keyframe_of_an_attached_model_is_filled_up(void **state) {
  (void)state;
  char text[2000];
  limpet_error error = {0};
  write_file("test_mjcf_child.xml",
             "<mujoco model='c'><worldbody><body name='b' pos='0 0 5'><freejoint/><site name='s'/>"
             "<geom size='1'/></body></worldbody><actuator><motor site='s'/><motor site='s'/>"
             "</actuator><keyframe><key name='k' qpos='1 2' qvel='3' ctrl='4'/></keyframe>"
             "</mujoco>");
  snprintf(text, sizeof text,
           "<mujoco><asset><model name='c' file='test_mjcf_child.xml'/></asset><worldbody><body>"
           "<joint/><geom size='1'/></body><attach model='c' body='b' prefix='X'/></worldbody>"
           "</mujoco>");
  write_file("test_mjcf_parent.xml", text);
  limpet_model *m = load_file("test_mjcf_parent.xml", &error);
  if (!m) fail_msg("%s", error.message);
  CLOSE(m->keyframe_q, 0, 1, 2, 5, 1, 0, 0, 0);
  CLOSE(m->keyframe_v, 0, 3, 0, 0, 0, 0, 0);
  CLOSE(m->keyframe_control, 4, 0);
  assert_int_equal(m->note_count, 3);
  limpet_model_destroy(m);
}

static void a_replicated_attachment_takes_prefix_and_suffix(void **state) {
  (void)state;
  limpet_model *m = attach(
      "<replicate count='2' offset='1 0 0'><attach model='arm' body='b1' prefix='X'/></replicate>");
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_BODY), "world p Xb10 Xb11");
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_ACTUATOR), "pa Xa10 Xat0 Xa11 Xat1");
  limpet_model_destroy(m);
}

static void builtin_meshes_have_the_volumes_of_their_shapes(void **state) {
  (void)state;
  const double half = sqrt(0.5);
  /* volumes of the polyhedra, by hand: octahedron 4/3, icosahedron of radius 1, half an octahedron,
   * pyramid and frustum on a square, and a square turned about an axis in four steps: four prisms
   * cut at 45 degrees */
  const struct {
    const char *builtin, *parameters;
    double volume;
  } cases[] = {{"hemisphere", "0", 2.0 / 3.0},
               {"cone", "4 0", 4.0 / 3.0},
               {"cone", "4 0.5", 2.0 / 3.0 * (2.0 + 0.5 + 1.0)},
               {"sphere", "0", 2.536150710},
               {"supersphere", "4 1 1", 2.0 / 3.0 * (half * (3.0 + sqrt(2.0)) + 1.0 - half)},
               {"supertorus", "4 0.2 1 1", 0.32}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[500];
    snprintf(text, sizeof text,
             MODEL("<asset><mesh name='m' builtin='%s' params='%s' inertia='exact'/></asset>"
                   "<worldbody><body><freejoint/><geom type='mesh' mesh='m' "
                   "density='1'/></body></worldbody>"),
             cases[i].builtin, cases[i].parameters);
    limpet_model *m = mjcf_load(text);
    if (fabs(m->body_mass[1] / cases[i].volume - 1.0) >
        1e-6)  // vertices are kept in single precision
      fail_msg("%s %s: %.9f, expected %.9f", cases[i].builtin, cases[i].parameters, m->body_mass[1],
               cases[i].volume);
    limpet_model_destroy(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(actuator_kinds_become_gain_and_bias),
      cmocka_unit_test(actuator_kinds_share_their_defaults),
      cmocka_unit_test(a_law_passes_by_other_kinds),
      cmocka_unit_test(a_law_does_not_pass_between_kinds),
      cmocka_unit_test(the_last_kind_of_a_class_counts),
      cmocka_unit_test(sites_of_one_body_hold_nothing),
      cmocka_unit_test(an_actuator_gives_armature_and_damping_to_its_tendon),
      cmocka_unit_test(servos_on_rotations_take_the_shorter_way),
      cmocka_unit_test(filters_of_servos_take_the_shorter_way),
      cmocka_unit_test(compensation_by_actuators_needs_actuators),
      cmocka_unit_test(inheritrange_scales_the_joint_range_about_its_middle),
      cmocka_unit_test(dampratio_becomes_critical_damping_of_the_reflected_inertia),
      cmocka_unit_test(armature_of_an_actuator_goes_to_its_joint_through_the_gear),
      cmocka_unit_test(unnamed_actuators_and_keyframes_get_names),
      cmocka_unit_test(what_is_not_simulated_keeps_its_place_and_gives_no_force),
      cmocka_unit_test(fixed_tendons_and_couplers_are_read),
      cmocka_unit_test(a_pair_takes_nothing_from_its_geoms),
      cmocka_unit_test(keyframes_fill_the_state),
      cmocka_unit_test(short_vectors_of_keyframes_are_filled_up),
      cmocka_unit_test(a_ball_that_is_limited_without_a_range_is_held),
      cmocka_unit_test(builtin_meshes_have_the_volumes_of_their_shapes),
      cmocka_unit_test(includes_stand_where_they_are_written),
      cmocka_unit_test(an_attached_model_keeps_its_rules_and_brings_its_sections),
      cmocka_unit_test(a_short_keyframe_of_an_attached_model_is_filled_up),
      cmocka_unit_test(a_replicated_attachment_takes_prefix_and_suffix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
