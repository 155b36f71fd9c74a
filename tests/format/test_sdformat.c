/* tests/format/test_sdformat.c: frames, models in models, worlds and includes of SDFormat; what is
 * wrong is refused with its place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "limpet/dynamics.h"
#include "limpet/format.h"
#include "math/vec3.h"
#include "sdformat_text.h"
#include "shared_data.h"

#define LINK(name, inside)                                        \
  "<link name='" name                                             \
  "'><inertial><mass>2</mass><inertia><ixx>.1</ixx><iyy>.1</iyy>" \
  "<izz>.1</izz></inertia></inertial>" inside "</link>"

static limpet_model *load(const char *body) {
  char text[8192];
  limpet_error error = {0};
  snprintf(text, sizeof text, "<sdf version='1.9'>%s</sdf>", body);
  limpet_model *model = sdformat_load_with(text, &error);
  if (!model) fail_msg("%s", error.message);
  return model;
}

static void refuses(const char *body, const char *expected) {
  char text[8192];
  limpet_error error = {0};
  snprintf(text, sizeof text, "<sdf version='1.9'>%s</sdf>", body);
  assert_null(sdformat_load_with(text, &error));
  if (!strstr(error.message, expected)) fail_msg("'%s' lacks '%s'", error.message, expected);
  assert_non_null(strstr(error.message, "model.sdf:"));
}

// world position of a body in the pose of the file
static void stands_at(const limpet_model *model, const char *name, double x, double y, double z) {
  const int b = limpet_model_find(model, LIMPET_OBJECT_BODY, name);
  if (b < 0) fail_msg("no body '%s'", name);
  limpet_data *data = limpet_data_create(model);
  limpet_kinematics(model, data);
  const double *p = data->body_position + 3 * b;
  if (fabs(p[0] - x) + fabs(p[1] - y) + fabs(p[2] - z) > 1e-14)
    fail_msg("%s stands at %g %g %g, not %g %g %g", name, p[0], p[1], p[2], x, y, z);
  limpet_data_destroy(data);
}

static void poses_are_relative_to_frames_joints_and_models(void **state) {
  (void)state;
  limpet_model *model = load(
      "<model name='m'><pose>0 0 1 0 0 0</pose>"
      "<frame name='f' attached_to='a'><pose>1 0 0 0 0 1.5707963267948966</pose></frame>"
      LINK("a", "<pose>0 0 2 0 0 0</pose>") LINK("b", "<pose relative_to='f'>1 0 0 0 0 0</pose>")
          LINK("c", "<pose degrees='true' relative_to='j'>0 0 1 0 0 90</pose>")
              "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz "
              "expressed_in='__model__'>1 0 0</xyz><limit><effort>0</effort></limit></axis></joint>"
              "<joint name='k' type='fixed'><parent>b</parent><child>c</child></joint></model>");
  stands_at(model, "a", 0, 0, 3);
  stands_at(model, "b", 1, 1, 3);
  stands_at(model, "c", 1, 1, 4);
  // x of the model is -y of the joint, which is turned by a quarter about z
  const int j = limpet_model_find(model, LIMPET_OBJECT_JOINT, "j");
  assert_true(fabs(model->joint_axis[3 * j + 1] + 1.0) < 1e-14);
  assert_int_equal(model->nu, 0);
  assert_int_equal(limpet_model_find(model, LIMPET_OBJECT_SITE, "f") >= 0, true);
  limpet_model_destroy(model);
}

// [m/rad]  of a screw with that element
static double advance_of(const char *element) {
  char text[2048];
  snprintf(text, sizeof text,
           "<model name='m'>" LINK("a", "") LINK("b", "") "<joint name='s' type='screw'>"
           "<parent>a</parent><child>b</child>%s<axis><xyz>0 0 1</xyz></axis></joint></model>",
           element);
  limpet_model *model = load(text);
  const int s = limpet_model_find(model, LIMPET_OBJECT_JOINT, "s");
  assert_int_equal(model->joint_kind[s], LIMPET_JOINT_SCREW);
  const double advance = model->joint_advance[s];
  limpet_model_destroy(model);
  return advance;
}

// The older element counts radians in a metre of a left-handed thread, as SDFormat 1.10 says.
static void screws_have_either_pitch(void **state) {
  (void)state;
  const double turn = 2.0 * LIMPET_PI;
  assert_true(advance_of("<screw_thread_pitch>0.25</screw_thread_pitch>") == 0.25 / turn);
  assert_true(fabs(advance_of("<thread_pitch>-8</thread_pitch>") - 0.125) < 1e-15);
  assert_true(fabs(advance_of("<thread_pitch>-8</thread_pitch><screw_thread_pitch>3"
                              "</screw_thread_pitch>") -
                   3.0 / turn) < 1e-15);
  assert_true(advance_of("") == 1.0 / turn);
}

static void worlds_scope_names_and_nested_models_join(void **state) {
  (void)state;
  limpet_model *model = load(
      "<world name='w'><gravity>0 0 -5</gravity><physics type='ode'><max_step_size>0.004"
      "</max_step_size></physics><model name='ground'><static>true</static>"
      LINK("l", "<collision name='c'><geometry><plane/></geometry></collision>")
      "</model><model name='robot'><pose>1 0 0 0 0 0</pose>" LINK("base", "")
      "<model name='hand' placement_frame='palm'><pose>0 0 1 0 0 0</pose>"
      LINK("palm", "<pose>0 1 0 0 0 0</pose>") "</model>"
      "<joint name='wrist' type='prismatic'><parent>base</parent><child>hand::palm</child><axis>"
      "<xyz>0 0 1</xyz><dynamics><damping>3</damping><friction>2</friction><spring_stiffness>5"
      "</spring_stiffness></dynamics></axis></joint></model></world>");
  assert_true(model->options.gravity[2] == -5.0 && model->options.time_step == 0.004);
  stands_at(model, "robot::hand::palm", 1, 0, 1);
  assert_int_equal(model->body_tree[limpet_model_find(model, LIMPET_OBJECT_BODY, "ground::l")], -1);
  const int j = limpet_model_find(model, LIMPET_OBJECT_JOINT, "robot::wrist");
  assert_true(j >= 0);
  assert_true(model->joint_stiffness[j] == 5.0);
  assert_true(model->dof_damping[model->joint_v[j]] == 3.0);
  assert_true(model->dof_dry_friction[model->joint_v[j]] == 2.0);
  assert_int_equal(model->nu, 1);  // no effort limit: it is driven, as in Drake
  limpet_model_destroy(model);
}

static void links_have_the_defaults_of_the_format(void **state) {
  (void)state;
  limpet_model *model = load(
      "<model name='m'><link name='a'><gravity>false</gravity></link>"
      "<link name='b'><inertial auto='true'/><collision name='c'><density>10</density><geometry>"
      "<box><size>1 1 1</size></box></geometry><surface><bounce><restitution_coefficient>0.5"
      "</restitution_coefficient></bounce><friction><ode><mu>0.9</mu><mu2>0.6</mu2></ode></"
      "friction>"
      "</surface></collision></link></model>");
  assert_true(model->body_mass[1] == 1.0 && model->body_inertia[9] == 1.0);
  assert_true(model->body_gravity_compensation[1] == 1.0);
  assert_true(fabs(model->body_mass[2] - 10.0) < 1e-12);
  const limpet_material *m = &model->geom_material[0];
  assert_true(m->friction == 0.6 && m->friction_static == 0.9 && m->restitution == 0.5);
  limpet_model_destroy(model);
}

static void mistakes_are_refused_with_their_place(void **state) {
  (void)state;
  refuses(
      "<model name='m'>" LINK(
          "a", "<pose relative_to='f'/>") "<frame name='f'><pose relative_to='a'/></frame></model>",
      "relative to itself");
  refuses("<model name='m'>" LINK("a", "") "<frame name='f' attached_to='g'/><frame name='g' "
          "attached_to='f'/></model>", "itself");
  refuses(
      "<model name='m'>" LINK("arm", "") LINK(
          "b",
          "") "<joint name='j' type='fixed'><parent>arn</parent><child>b</child></joint></model>",
      "did you mean 'arm'");
  refuses("<model name='m'>" LINK("a", "") LINK("a", "") "</model>", "used twice");
  refuses("<model name='m'>" LINK("a", "<pose>1 2 3</pose>") "</model>", "<pose>");
  refuses("<world name='w'><include><uri>model://nowhere</uri></include></world>", "tried ");
}

// Places and directions that are not finite are refused where they stand, gravity too.
static void infinite_numbers_are_refused(void **state) {
  (void)state;
  refuses("<world name='w'><gravity>0 inf 0</gravity></world>",
          "model.sdf:1:36: <gravity> is infinite");
  refuses("<model name='m'>" LINK(
              "a", "<pose rotation_format='quat_xyzw'>0 0 0 inf 0 0 1</pose>") "</model>",
          "<pose> is infinite");
}

// Directions whose square is not finite are no directions.
static void directions_too_large_are_refused(void **state) {
  (void)state;
  refuses("<model name='m'>" LINK(
              "a", "<pose rotation_format='quat_xyzw'>0 0 0 1e200 0 0 0</pose>") "</model>",
          "the quaternion of <pose> is too large; its length should be 1");
  refuses("<model name='m'><static>1</static>" LINK(
              "a",
              "<collision name='c'><geometry><plane><normal>0 1e200 0</normal></plane>"
              "</geometry></collision>") "</model>",
          "the normal of the plane is too large; give a direction");
  refuses("<model name='m'>" LINK("a", "<pose>0 0 1e300 0 0 0</pose>") "</model>",
          "its position is 1e+300, too large to reckon with");
}

static void models_are_included_and_rings_are_found(void **state) {
  (void)state;
  static const char *const model = "limpet_sdf_model.sdf", *const world = "limpet_sdf_world.sdf";
  limpet_error error;
  file_write(model, "<sdf version='1.9'><model name='ball'>" LINK("l", "") "</model></sdf>");
  file_write(world,
             "<sdf version='1.9'><world name='w'><include><uri>limpet_sdf_model.sdf</uri></include>"
             "<include><uri>limpet_sdf_model.sdf</uri><name>second</name><pose>0 0 2 0 0 0</pose>"
             "<static>true</static></include></world></sdf>");
  limpet_model *loaded = limpet_load(world, NULL, &error);
  if (!loaded) fail_msg("%s", error.message);
  stands_at(loaded, "ball::l", 0, 0, 0);
  stands_at(loaded, "second::l", 0, 0, 2);
  assert_int_equal(loaded->nv, 6);
  limpet_model_destroy(loaded);
  file_write(model,
             "<sdf version='1.9'><model name='ring'><include><uri>limpet_sdf_model.sdf</uri>"
             "</include></model></sdf>");
  assert_null(limpet_load(world, NULL, &error));
  assert_non_null(strstr(error.message, "does a model include itself"));
  remove(model), remove(world);
}

#define TURNED LINK("b", "<pose>0 0 0 0 0 1.5707963267948966</pose>")

/* The axis of a joint between turned links: in the frame of the joint, and of the model before 1.5
 * and where the file says so. So read by Drake 1.51, poses of the child agree. */
static void axes_are_those_of_the_version(void **state) {
  (void)state;
  static const struct {
    const char *version, *inside;
    bool of_model;
  } cases[] = {
      {"1.2", "", true},  {"1.4", "", true},
      {"1.5", "", false}, {"1.6", "<use_parent_model_frame>true</use_parent_model_frame>", true},
      {"1.9", "", false}, {"1.10", "", false},
      {"1.12", "", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[2048];
    limpet_error error = {0};
    snprintf(text, sizeof text,
             "<sdf version='%s'><model name='m'>" LINK("a", "") TURNED
             "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>1 0 "
             "0</xyz>%s</axis></joint></model></sdf>",
             cases[i].version, cases[i].inside);
    limpet_model *model = sdformat_load_with(text, &error);
    if (!model) fail_msg("%s", error.message);
    const double *axis = model->joint_axis + 3;  // in the child, which is turned by 90 degrees
    const double x = cases[i].of_model ? 0.0 : 1.0, y = cases[i].of_model ? -1.0 : 0.0;
    assert_true(fabs(axis[0] - x) + fabs(axis[1] - y) + fabs(axis[2]) < 1e-14);
    limpet_model_destroy(model);
  }
}

static int notes_with(const limpet_model *model, const char *part) {
  int count = 0;
  for (int i = 0; i < model->note_count; ++i) count += strstr(model->note[i].text, part) != NULL;
  return count;
}

// Versions that there are not are told; attributes of what is not read are not.
static void unknown_versions_are_told(void **state) {
  (void)state;
  static const struct {
    const char *version;
    int notes;
  } cases[] = {{"version='1.12'", 0}, {"version='1.4'", 0}, {"version='1.13'", 1},
               {"version='2.0'", 1},  {"version='abc'", 1}, {"", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[2048];
    limpet_error error = {0};
    snprintf(text, sizeof text,
             "<sdf %s><model name='m'>" LINK("a", "<sensor name='s' type='imu'/>") "</model></sdf>",
             cases[i].version);
    limpet_model *model = sdformat_load_with(text, &error);
    if (!model) fail_msg("%s", error.message);
    assert_int_equal(notes_with(model, "is not known, 1.0 to 1.12 are"), cases[i].notes);
    assert_int_equal(notes_with(model, "sensors of SDFormat are not made"), 1);
    assert_int_equal(notes_with(model, "has no attribute"), 0);
    limpet_model_destroy(model);
  }
}

// Gazebo's joint of two hinges in turn, with any two axes: the first in the parent.
static void a_joint_of_two_hinges_turns_about_both(void **state) {
  (void)state;
  limpet_model *model = load("<model name='m'>" LINK("a", "") LINK(
      "b",
      "") "<joint name='h' type='fixed'><parent>"
          "world</parent><child>a</child></joint><joint name='j' type='revolute2'><parent>a"
          "</parent><child>b</child><axis><xyz>0 0 1</xyz></axis><axis2><xyz>3 0 4</xyz></axis2>"
          "</joint></model>");
  assert_int_equal(model->nv, 2);
  limpet_data *data = limpet_data_create(model);
  data->q[0] = 0.3, data->q[1] = 0.7;
  limpet_kinematics(model, data);
  // quaternions of both turns, the second one in axes that the first has turned
  const double a[4] = {cos(0.15), 0, 0, sin(0.15)},
               b[4] = {cos(0.35), 0.6 * sin(0.35), 0, 0.8 * sin(0.35)};
  const double w = a[0] * b[0] - a[3] * b[3], x = a[0] * b[1], y = a[3] * b[1],
               z = a[0] * b[3] + a[3] * b[0];
  const double *q = data->body_quaternion + 4 * limpet_model_find(model, LIMPET_OBJECT_BODY, "b");
  assert_true(fabs(fabs(q[0] * w + q[1] * x + q[2] * y + q[3] * z) - 1.0) < 1e-14);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* Drake's own joint is between two frames, which coincide at 0 wherever the file places the links:
 * f stands at (1, 0, 0), turned by 90 degrees about z, and c at (0, 0, 2) of b. */
static void joints_of_drake_are_between_frames(void **state) {
  (void)state;
  limpet_model *model = load("<model name='m'>" LINK("a", "") LINK(
      "b",
      "<pose>5 6 7 1 2 3</pose>") "<frame name='f' attached_to='a'><pose>1 0 0 0 0 "
                                  "1.5707963267948966</pose></frame>"
                                  "<frame name='c' attached_to='b'><pose>0 0 2 0 0 0</pose></frame>"
                                  "<joint name='h' "
                                  "type='fixed'><parent>world</parent><child>a</child></joint>"
                                  "<drake:joint name='p' "
                                  "type='planar'><drake:parent>f</drake:parent><drake:child>c"
                                  "</drake:child><drake:damping>1 2 "
                                  "3</drake:damping></drake:joint></model>");
  assert_int_equal(model->nv, 3);
  assert_true(model->dof_damping[0] == 1.0 && model->dof_damping[2] == 3.0);
  stands_at(model, "b", 1.0, 0.0, -2.0);
  limpet_data *data = limpet_data_create(model);
  data->q[0] = 0.25;  // along x of f, which is y of a
  limpet_kinematics(model, data);
  const double *p = data->body_position + 3 * limpet_model_find(model, LIMPET_OBJECT_BODY, "b");
  assert_true(fabs(p[0] - 1.0) + fabs(p[1] - 0.25) + fabs(p[2] + 2.0) < 1e-14);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  refuses("<model name='m'>" LINK("a", "") "<drake:joint name='p' type='planar'><drake:parent>world"
          "</drake:parent></drake:joint></model>",
          "<drake:joint> needs an element <drake:child>");
}

static void what_every_world_of_gazebo_includes_is_known(void **state) {
  (void)state;
  limpet_model *model = load(
      "<world name='w'><physics type='ode'><gravity>0 0 -3</gravity></physics>"
      "<include><uri>model://sun</uri></include><include><uri>https://fuel.gazebosim.org/1.0/"
      "OpenRobotics/models/Ground Plane</uri><pose>0 0 2 0 0 0</pose></include></world>");
  assert_int_equal(model->nv, 0);
  assert_true(model->options.gravity[2] == -3.0);
  int planes = 0;
  for (int g = 0; g < model->geom_count; ++g)
    planes += model->geom_kind[g] == LIMPET_SHAPE_PLANE && model->geom_contype[g];
  assert_int_equal(planes, 1);
  stands_at(model, "ground_plane::link", 0, 0, 2);
  assert_int_equal(notes_with(model, "cannot be found: "), 2);
  limpet_model_destroy(model);
  refuses("<world name='w'><include><uri>model://sunny</uri></include></world>", "tried ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(poses_are_relative_to_frames_joints_and_models),
      cmocka_unit_test(screws_have_either_pitch),
      cmocka_unit_test(worlds_scope_names_and_nested_models_join),
      cmocka_unit_test(links_have_the_defaults_of_the_format),
      cmocka_unit_test(mistakes_are_refused_with_their_place),
      cmocka_unit_test(infinite_numbers_are_refused),
      cmocka_unit_test(directions_too_large_are_refused),
      cmocka_unit_test(models_are_included_and_rings_are_found),
      cmocka_unit_test(axes_are_those_of_the_version),
      cmocka_unit_test(unknown_versions_are_told),
      cmocka_unit_test(a_joint_of_two_hinges_turns_about_both),
      cmocka_unit_test(joints_of_drake_are_between_frames),
      cmocka_unit_test(what_every_world_of_gazebo_includes_is_known)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
