/* tests/format/test_sdformat_loops.c: joints of SDFormat that close loops, and gearboxes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/dynamics.h"
#include "limpet/format.h"
#include "limpet/step.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "sdformat_text.h"

#define LINK(name, pose)                             \
  "<link name='" name "'><pose>" pose                \
  "</pose><inertial><pose>.01 .02 -.03 0 0 0</pose>" \
  "<mass>2</mass><inertia><ixx>.01</ixx><iyy>.02</iyy><izz>.025</izz></inertia></inertial></link>"
#define JOINT(name, type, parent, child, inside)                                    \
  "<joint name='" name "' type='" type "'><parent>" parent "</parent><child>" child \
  "</child>" inside "</joint>"
#define AXIS(xyz) \
  "<axis><xyz expressed_in='__model__'>" xyz "</xyz><limit><effort>0</effort></limit></axis>"

static limpet_model *read_text(const char *body, limpet_error *error) {
  char text[8192];
  snprintf(text, sizeof text, "<sdf version='1.9'><model name='m'>%s</model></sdf>", body);
  return sdformat_load_with(text, error);
}

static limpet_model *load(const char *body) {
  limpet_error error = {0};
  limpet_model *model = read_text(body, &error);
  if (!model) fail_msg("%s", error.message);
  return model;
}

static void refuses(const char *body, const char *expected) {
  limpet_error error = {0};
  assert_null(read_text(body, &error));
  if (!strstr(error.message, expected)) fail_msg("'%s' lacks '%s'", error.message, expected);
  assert_non_null(strstr(error.message, "model.sdf:1:"));
}

static int body(const limpet_model *model, const char *name) {
  const int b = limpet_model_find(model, LIMPET_OBJECT_BODY, name);
  if (b < 0) fail_msg("no body '%s'", name);
  return b;
}

static double coordinate(const limpet_model *model, const limpet_data *data, const char *name) {
  const int j = limpet_model_find(model, LIMPET_OBJECT_JOINT, name);
  if (j < 0) fail_msg("no joint '%s'", name);
  return data->q[model->joint_q[j]];
}

static limpet_data *run(const limpet_model *model, double seconds, double time_step) {
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.time_step = time_step;
  while (data->time < seconds - 0.5 * time_step) {
    limpet_step(model, data, &settings);
    assert_int_equal(data->info.outcome, LIMPET_OUTCOME_SOLVED);
  }
  limpet_kinematics(model, data);
  return data;
}

// ------------------------------------------------------------------------------------ loops

#define CRANK LINK("a", "0 0 1 0 0 0") LINK("b", ".1 0 1.2 0 .3 0") LINK("c", ".5 0 1 0 0 0")
#define THREE                                         \
  JOINT("i", "revolute", "world", "a", AXIS("0 1 0")) \
  JOINT("j", "revolute", "a", "b", AXIS("0 1 0"))     \
  JOINT("k", "revolute", "world", "c", AXIS("0 1 0"))

/* A four-bar linkage whose last hinge is a joint, or Drake's ball constraint in its place, which in
 * a plane is the same; with half the step they differ by half. */
static void a_four_bar_linkage_moves_as_with_a_constraint(void **state) {
  (void)state;
  limpet_model *joined = load(CRANK THREE JOINT(
      "l", "revolute", "b", "c", "<pose relative_to='c'>0 0 .3 0 0 0</pose>" AXIS("0 1 0")));
  limpet_model *tied =
      load(CRANK THREE
           "<frame name='p' attached_to='c'><pose>0 0 .3 0 0 0</pose></frame>"
           "<drake:ball_constraint><drake:ball_constraint_body_A>c</drake:ball_constraint_body_A>"
           "<drake:ball_constraint_body_B>b</drake:ball_constraint_body_B>"
           "<drake:ball_constraint_p_AP>0 0 .3</drake:ball_constraint_p_AP>"
           "<drake:ball_constraint_p_BQ>.352582574984 0 .213741731577</drake:ball_constraint_p_BQ>"
           "</drake:ball_constraint>");
  assert_int_equal(joined->nv, 4);
  assert_int_equal(tied->nv, 3);
  assert_true(fabs(joined->total_mass - 6.0) < 1e-12);
  double difference[2];
  for (int i = 0; i < 2; ++i) {
    const double time_step = i ? 5e-4 : 1e-3;
    limpet_data *one = run(joined, 0.5, time_step), *two = run(tied, 0.5, time_step);
    assert_true(one->info.loop_gap < 1e-5);
    difference[i] = limpet_vec3_distance(one->body_position + 3 * body(joined, "b"),
                                         two->body_position + 3 * body(tied, "b"));
    // it has moved, and the coordinate of the last hinge is that of its links
    assert_true(fabs(coordinate(joined, one, "i")) > 0.1);
    const double turn = coordinate(joined, one, "k") - coordinate(joined, one, "i") -
                        coordinate(joined, one, "j") - coordinate(joined, one, "l");
    assert_true(fabs(turn) < 1e-5);
    limpet_data_destroy(one), limpet_data_destroy(two);
  }
  assert_true(difference[0] < 2e-4);
  assert_true(difference[1] < 0.6 * difference[0]);
  limpet_model_destroy(joined), limpet_model_destroy(tied);
}

/* Two joints between the same links leave what both leave: nothing of a hinge and a fixed joint, a
 * hinge of two hinges about one line, a slide along the axis of a slider and a cylinder's turn ...
 */
static void two_joints_between_two_links_leave_what_both_leave(void **state) {
  (void)state;
  static const struct {
    const char *first, *second;
    double turn, fall;  // of b after 0.1 s about x, along z; 0: held
  } cases[] = {{JOINT("i", "revolute", "world", "b", AXIS("1 0 0")),
                JOINT("j", "fixed", "world", "b", ""), 0.0, 0.0},
               {JOINT("i", "revolute", "world", "b", AXIS("1 0 0")),
                JOINT("j", "revolute", "world", "b",
                      "<pose relative_to='b'>.4 0 0 0 0 0</pose>" AXIS("-1 0 0")),
                1.0, 0.0},
               {JOINT("i", "ball", "world", "b", ""),
                JOINT("j", "revolute", "world", "b", AXIS("1 0 0")), 1.0, 0.0},
               {JOINT("i", "prismatic", "world", "b", AXIS("0 0 1")),
                JOINT("j", "prismatic", "world", "b", AXIS("0 0 -1")), 0.0, 1.0},
               {JOINT("i", "prismatic", "world", "b", AXIS("0 0 1")),
                JOINT("j", "revolute", "world", "b", AXIS("1 0 0")), 0.0, 0.0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[4096];
    snprintf(text, sizeof text, LINK("b", "0 0 1 0 0 0") "%s%s", cases[i].first, cases[i].second);
    limpet_model *model = load(text);
    assert_true(fabs(model->total_mass - 2.0) < 1e-12);
    limpet_data *data = run(model, 0.1, 1e-3);
    const int b = body(model, "b");
    const double *q = data->body_quaternion + 4 * b, fall = 1.0 - data->body_position[3 * b + 2];
    // a pendulum of 2 kg, .036 m: by m g r / I t^2 / 2 = 0.15 rad or so; a fall of 0.049 m
    if (cases[i].turn > 0.0) assert_true(fabs(q[1]) > 0.05 && fabs(q[2]) + fabs(q[3]) < 1e-6);
    else assert_true(fabs(q[1]) + fabs(q[2]) + fabs(q[3]) < 1e-6);
    if (cases[i].fall > 0.0) assert_true(fabs(fall - 0.5 * 9.81 * 0.01) < 1e-3);
    else assert_true(fabs(fall) < 1e-6);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

// A ring of four links that floats: linear and angular momentum, and energy, stay.
static void a_ring_without_a_root_floats(void **state) {
  (void)state;
  limpet_model *model = load(LINK("a", "0 0 0 0 0 0") LINK("b", "1 0 0 0 0 0") LINK(
      "c", "1 1 0 0 0 0") LINK("d", "0 1 0 0 0 0") JOINT("i", "revolute", "a", "b", AXIS("0 0 1"))
                                 JOINT("j", "revolute", "b", "c", AXIS("0 0 1"))
                                     JOINT("k", "revolute", "c", "d", AXIS("0 0 1"))
                                         JOINT("l", "revolute", "d", "a", AXIS("0 0 1")));
  assert_int_equal(model->nv, 10);
  assert_true(fabs(model->total_mass - 8.0) < 1e-12);
  limpet_data *data = run(model, 0.2, 1e-3);
  assert_true(fabs(data->q[2] + 0.5 * 9.81 * 0.04) < 2e-3);  // by first-order steps
  assert_true(data->info.loop_gap < 1e-6);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// -------------------------------------------------------------------------------- gearboxes

#define SHAFTS LINK("r", "0 0 1 0 0 0") LINK("p", "0 .2 1 .3 .1 .2") LINK("c", "0 .4 1 -.2 .4 .1")
#define HOUSED JOINT("h", "fixed", "world", "r", "")
#define BOX(inside)                                                                             \
  "<joint name='g' type='gearbox'><parent>p</parent><child>c</child>"                           \
  "<gearbox_reference_body>r</gearbox_reference_body><gearbox_ratio>.25</gearbox_ratio>" inside \
  "</joint>"
#define AXIS2(xyz) "<axis2><xyz expressed_in='__model__'>" xyz "</xyz></axis2>"

// angle of a body from its start about the y axis of the world  [rad]
static double angle_of(const limpet_model *model, const limpet_data *data, const char *name) {
  const int b = body(model, name);
  double start[4], turn[4];
  limpet_data *fresh = limpet_data_create(model);
  limpet_kinematics(model, fresh);
  limpet_quaternion_conjugate(start, fresh->body_quaternion + 4 * b);
  limpet_quaternion_mul(turn, data->body_quaternion + 4 * b, start);
  limpet_data_destroy(fresh);
  return 2.0 * atan2(turn[2], turn[0]);
}

/* theta_2 = -ratio theta_1 by the poses of the links, whichever link carries the other and wherever
 * axes point; theta about y is minus that about -y. */
static void gearboxes_hold_their_ratio(void **state) {
  (void)state;
  static const struct {
    const char *joints;
    double ratio;  // of the angles about y
  } cases[] = {
      {HOUSED JOINT("i", "revolute", "r", "p", AXIS("0 1 0"))
           JOINT("j", "revolute", "r", "c", AXIS("0 1 0")) BOX(AXIS("0 1 0") AXIS2("0 1 0")),
       -0.25},
      {HOUSED JOINT("i", "revolute", "r", "p", AXIS("0 -1 0"))
           JOINT("j", "continuous", "r", "c", AXIS("0 1 0")) BOX(AXIS("0 1 0") AXIS2("0 1 0")),
       -0.25},
      {HOUSED JOINT("i", "revolute", "r", "p", AXIS("0 1 0"))
           JOINT("j", "revolute", "r", "c", AXIS("0 1 0")) BOX(AXIS("0 1 0") AXIS2("0 -3 0")),
       0.25},
      {HOUSED JOINT("i", "revolute", "r", "p", AXIS("0 1 0"))
           JOINT("j", "revolute", "r", "c", AXIS("0 1 0")) BOX(AXIS("0 1 0")),
       -0.25}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[4096];
    snprintf(text, sizeof text, SHAFTS "%s", cases[i].joints);
    limpet_model *model = load(text);
    limpet_data *data = run(model, 0.3, 1e-3);
    const double one = angle_of(model, data, "p"), two = angle_of(model, data, "c");
    assert_true(fabs(one) > 0.02);
    assert_true(fabs(two - cases[i].ratio * one) < 1e-5);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }

  // the shaft p stands, the housing turns about it: angles are those against the housing
  limpet_model *model = load(
      SHAFTS JOINT("h", "fixed", "world", "p", "") JOINT("i", "revolute", "p", "r", AXIS("0 1 0"))
          JOINT("j", "revolute", "r", "c", AXIS("0 1 0")) BOX(AXIS("0 1 0") AXIS2("0 1 0")));
  limpet_data *data = run(model, 0.3, 1e-3);
  const double housing = angle_of(model, data, "r"), two = angle_of(model, data, "c");
  assert_true(fabs(housing) > 0.02);
  assert_true(fabs((two - housing) + 0.25 * (0.0 - housing)) < 1e-5);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// ----------------------------------------------------------------------------------- errors

static void what_is_no_mechanism_is_refused(void **state) {
  (void)state;
  refuses(SHAFTS HOUSED JOINT("i", "revolute", "r", "p", AXIS("0 1 0"))
              BOX(AXIS("0 1 0") AXIS2("0 1 0")),
          "gearbox 'g': no revolute joint connects link 'c' with the reference body 'r'");
  refuses(SHAFTS HOUSED JOINT("i", "revolute", "r", "p", AXIS("0 1 0"))
              JOINT("j", "revolute", "r", "c", AXIS("1 1 0")) BOX(AXIS("0 1 0") AXIS2("0 1 0")),
          "gearbox 'g': its <axis2> is not that of joint 'j'");
  refuses(SHAFTS HOUSED "<joint name='g' type='gearbox'><parent>p</parent><child>c</child></joint>",
          "needs <gearbox_reference_body>");
  refuses(
      LINK("a", "0 0 0 0 0 0") "<link name='b'><inertial><mass>0</mass></inertial></link>" JOINT(
          "i", "revolute", "a", "b", AXIS("0 1 0"))
          JOINT("j", "revolute", "world", "b", AXIS("0 1 0")),
      "needs an <inertial> with a mass");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_four_bar_linkage_moves_as_with_a_constraint),
      cmocka_unit_test(two_joints_between_two_links_leave_what_both_leave),
      cmocka_unit_test(a_ring_without_a_root_floats), cmocka_unit_test(gearboxes_hold_their_ratio),
      cmocka_unit_test(what_is_no_mechanism_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
