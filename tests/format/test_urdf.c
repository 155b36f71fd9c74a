/* tests/format/test_urdf.c: what URDF says becomes what the model holds; what is wrong is refused
 * with its place, what is left out is noted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "limpet/dynamics.h"
#include "limpet/format.h"
#include "math/vec3.h"
#include "shared_data.h"

#define INERTIA "<inertial><mass value='2'/><inertia ixx='.1' iyy='.2' izz='.25'/></inertial>"
#define LINK(name) "<link name='" name "'>" INERTIA "</link>"
#define JOINT(name, type, parent, child, inside)                                          \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child \
  "'/>" inside "</joint>"

static limpet_model *load_with(const char *text, limpet_load_options options, limpet_error *error) {
  limpet_builder *builder = limpet_builder_create();
  const limpet_status status =
      limpet_urdf_read_text(builder, text, strlen(text), "robot.urdf", &options, error);
  limpet_model *model = status == LIMPET_OK ? limpet_builder_compile(builder, error) : NULL;
  limpet_builder_destroy(builder);
  return model;
}

static limpet_model *load(const char *body) {
  char text[8192];
  limpet_error error = {0};
  snprintf(text, sizeof text, "<robot name='r'>%s</robot>", body);
  limpet_model *model = load_with(text, limpet_load_options_default(), &error);
  if (!model) fail_msg("%s", error.message);
  return model;
}

static void refuses(const char *body, const char *expected) {
  char text[8192];
  limpet_error error = {0};
  snprintf(text, sizeof text, "<robot name='r'>%s</robot>", body);
  limpet_model *model = load_with(text, limpet_load_options_default(), &error);
  assert_null(model);
  if (!strstr(error.message, expected)) fail_msg("'%s' lacks '%s'", error.message, expected);
  assert_non_null(strstr(error.message, "robot.urdf:"));
}

static bool noted(const limpet_model *model, const char *text, bool unsupported) {
  for (int i = 0; i < model->note_count; ++i)
    if (model->note[i].unsupported == unsupported && strstr(model->note[i].text, text)) return true;
  return false;
}

static int joint_named(const limpet_model *model, const char *name) {
  const int j = limpet_model_find(model, LIMPET_OBJECT_JOINT, name);
  if (j < 0) fail_msg("no joint '%s'", name);
  return j;
}

// --------------------------------------------------------------------------------- the tree

/* The last of three links overlaps with the first and with one on another branch in the reference
 * pose; within the limits of its joint (odd k) it touches neither. From k = 2 on the base is fixed,
 * and branches are trees of their own. */
#define BOXED(name, geometry) \
  "<link name='" name "'>" INERTIA "<collision>" geometry "</collision></link>"
static void links_that_overlap_are_left_out_on_request(void **state) {
  (void)state;
  static const char *const text =
      "<robot name='r'>" BOXED("base", "<geometry><box size='1 1 1'/></geometry>")
          BOXED("arm", "<geometry><sphere radius='.01'/></geometry>")
              BOXED("hand", "<origin xyz='0 0 .4'/><geometry><sphere radius='.2'/></geometry>")
                  BOXED("twin", "<origin xyz='0 0 .4'/><geometry><sphere radius='.2'/></geometry>")
                      JOINT("a", "continuous", "base", "arm", "<axis xyz='0 0 1'/>")
                          JOINT("b", "prismatic", "arm", "hand",
                                "<axis xyz='0 0 1'/><limit lower='%s' upper='2' effort='1' "
                                "velocity='1'/>") JOINT("c", "continuous", "base", "twin",
                                                        "<axis xyz='0 0 1'/>") "</robot>";
  for (int k = 0; k < 4; ++k) {
    char robot[4096];
    limpet_error error;
    limpet_load_options options = limpet_load_options_default();
    options.fix_base = k >= 2;
    snprintf(robot, sizeof robot, text, k % 2 ? "0.5" : "0");
    limpet_model *model = load_with(robot, options, &error);
    assert_non_null(model);
    const int before = model->exclude_count;  // neighbours of what is fixed
    limpet_model_destroy(model);

    limpet_builder *builder = limpet_builder_create();
    int excluded = -1;
    assert_int_equal(
        limpet_urdf_read_text(builder, robot, strlen(robot), "r.urdf", &options, &error),
        LIMPET_OK);
    assert_int_equal(limpet_builder_exclude_overlaps(builder, &excluded, &error), LIMPET_OK);
    assert_int_equal(excluded, k % 2 ? 0 : 2);
    model = limpet_builder_compile(builder, &error);
    assert_int_equal(model->exclude_count - before, excluded);
    if (k % 2 == 0) {
      const int *pair = model->exclude_body + 2 * before;
      assert_string_equal(limpet_model_name(model, LIMPET_OBJECT_BODY, pair[0]), "base");
      assert_string_equal(limpet_model_name(model, LIMPET_OBJECT_BODY, pair[1]), "hand");
      assert_true(noted(model, "'base' and 'hand' overlap by 300 mm", false));
      assert_true(noted(model, "'hand' and 'twin' overlap by 400 mm", false));
    }
    limpet_model_destroy(model);
    limpet_builder_destroy(builder);
  }
}

static void a_root_floats_unless_it_is_welded(void **state) {
  (void)state;
  limpet_error error;
  const char *text = "<robot name='r'>" LINK("base") "</robot>";
  limpet_model *model = load_with(text, limpet_load_options_default(), &error);
  assert_non_null(model);
  assert_int_equal(model->nq, 7);
  assert_true(noted(model, "--fix-base", false));
  limpet_model_destroy(model);
  limpet_load_options options = limpet_load_options_default();
  options.fix_base = true;
  model = load_with(text, options, &error);
  assert_int_equal(model->nq, 0);
  assert_int_equal(model->note_count, 0);
  limpet_model_destroy(model);
  model = load("<link name='world'/>" LINK("base") JOINT("j", "fixed", "world", "base", ""));
  assert_int_equal(model->nq, 0);
  limpet_model_destroy(model);
}

static void joints_have_limits_losses_and_axes(void **state) {
  (void)state;
  limpet_model *model = load(LINK("a") LINK("b") LINK("c") JOINT(
      "h", "revolute", "a", "b",
      "<origin xyz='0 0 1' rpy='0 0 1.5707963267948966'/><axis xyz='0 2 0'/>"
      "<limit lower='-1' upper='2' effort='3' velocity='4'/><dynamics damping='.5' "
      "friction='.7'/>") JOINT("s", "prismatic", "b", "c", "<limit lower='0' upper='.1'/>"));
  const int h = joint_named(model, "h"), s = joint_named(model, "s");
  assert_int_equal(model->joint_kind[h], LIMPET_JOINT_REVOLUTE);
  assert_true(model->joint_axis[3 * h + 1] == 1.0);
  assert_true(model->joint_range[2 * h] == -1.0 && model->joint_range[2 * h + 1] == 2.0);
  assert_true(model->dof_damping[model->joint_v[h]] == 0.5);
  assert_true(model->dof_dry_friction[model->joint_v[h]] == 0.7);
  assert_int_equal(model->dof_dry_friction_kind[model->joint_v[h]], LIMPET_DRY_FRICTION_COULOMB);
  assert_true(model->joint_axis[3 * s] == 1.0);  // URDF's default axis is x
  assert_int_equal(model->options.friction_rule, LIMPET_FRICTION_HARMONIC_MEAN);
  // the child's x is the parent's y
  const double *q = model->body_quaternion + 4 * model->joint_body[h];
  assert_true(fabs(q[0] - sqrt(0.5)) < 1e-15 && fabs(q[3] - sqrt(0.5)) < 1e-15);
  limpet_model_destroy(model);
}

// One limit alone has 0 beside it, as URDF says; none at all bounds nothing.
static void a_limit_that_is_not_given_is_zero(void **state) {
  (void)state;
  static const struct {
    const char *given, *note;
    bool limited;
    double lower, upper;
  } cases[] = {{"upper='0.8'", "joint 'j' has no 'lower' limit: it is 0", true, 0.0, 0.8},
               {"lower='-2'", "joint 'j' has no 'upper' limit: it is 0", true, -2.0, 0.0},
               {"velocity='1'", "neither 'lower' nor 'upper'", false, 0.0, 0.0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    for (int slides = 0; slides < 2; ++slides) {
      char text[2048];
      snprintf(text, sizeof text,
               LINK("a") LINK("b") "<joint name='j' type='%s'><parent link='a'/><child link='b'/>"
                                   "<limit effort='1' %s/></joint>",
               slides ? "prismatic" : "revolute", cases[i].given);
      limpet_model *model = load(text);
      const int j = joint_named(model, "j");
      assert_true(noted(model, cases[i].note, false));
      assert_int_equal(model->joint_limited[j], cases[i].limited);
      if (cases[i].limited) {
        assert_true(model->joint_range[2 * j] == cases[i].lower);
        assert_true(model->joint_range[2 * j + 1] == cases[i].upper);
      }
      limpet_model_destroy(model);
    }
}

// A planar joint moves its child by x, y along the frame on the parent, then turns it.
static void planar_and_universal_joints_follow_their_layout(void **state) {
  (void)state;
  limpet_model *model = load(LINK("a") LINK("b") LINK("c")  //
                             JOINT("w", "fixed", "world", "a", "") JOINT(
      "p", "planar", "a", "b", "<axis xyz='0 0 1'/><dynamics damping='1 2 3'/>")
                                 "<drake:joint name='u' type='universal'><parent link='b'/><child "
                                 "link='c'/></drake:joint>");
  assert_int_equal(model->nq, 5);
  limpet_data *data = limpet_data_create(model);
  const double x = 0.3, y = -0.2, theta = 0.7, one = 0.4, two = -0.9;
  const double q[5] = {x, y, theta, one, two};
  memcpy(data->q, q, sizeof q);
  limpet_kinematics(model, data);
  const int b = limpet_model_find(model, LIMPET_OBJECT_BODY, "b"),
            c = limpet_model_find(model, LIMPET_OBJECT_BODY, "c");
  assert_true(fabs(data->body_position[3 * b] - x) < 1e-15);
  assert_true(fabs(data->body_position[3 * b + 1] - y) < 1e-15);
  assert_true(fabs(data->body_quaternion[4 * b + 3] - sin(0.5 * theta)) < 1e-15);
  // Rz(theta) Rx(one) Ry(two) takes z to Rz Rx (sin two, 0, cos two)
  double R[9];
  const double *quaternion = data->body_quaternion + 4 * c;
  const double w = quaternion[0], i = quaternion[1], j = quaternion[2], k = quaternion[3];
  R[2] = 2 * (i * k + w * j), R[5] = 2 * (j * k - w * i), R[8] = 1 - 2 * (i * i + j * j);
  const double turned[3] = {sin(two), -sin(one) * cos(two), cos(one) * cos(two)};
  assert_true(fabs(R[2] - (cos(theta) * turned[0] - sin(theta) * turned[1])) < 1e-14);
  assert_true(fabs(R[5] - (sin(theta) * turned[0] + cos(theta) * turned[1])) < 1e-14);
  assert_true(fabs(R[8] - turned[2]) < 1e-14);
  const int first = model->joint_v[joint_named(model, "p_x")];
  for (int d = 0; d < 3; ++d) assert_true(model->dof_damping[first + d] == d + 1.0);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static void a_screw_advances_with_its_turn(void **state) {
  (void)state;
  limpet_model *model = load(LINK("a") LINK("b") JOINT(
      "w", "fixed", "world", "a",
      "") "<drake:joint name='s' type='screw'><parent link='a'/><child link='b'/><origin xyz='0 0 "
          "1'/><axis xyz='0 0 1'/><drake:screw_thread_pitch value='0.5'/><limit lower='-20' "
          "upper='30' effort='7'/></drake:joint><transmission name='t'><joint name='s'/>"
          "<actuator name='m'/></transmission>");
  const int s = joint_named(model, "s"), b = limpet_model_find(model, LIMPET_OBJECT_BODY, "b");
  assert_int_equal(model->joint_kind[s], LIMPET_JOINT_SCREW);
  assert_true(model->joint_range[2 * s + 1] == 30.0 && model->nu == 1);
  limpet_data *data = limpet_data_create(model);
  data->q[0] = 3.0 * LIMPET_PI;
  limpet_kinematics(model, data);
  assert_true(fabs(data->body_position[3 * b + 2] - 1.75) < 1e-15);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  refuses(LINK("a") LINK("b") JOINT("s", "screw", "a", "b", ""), "drake:screw_thread_pitch");
}

static void a_floating_joint_between_links_has_six_velocities(void **state) {
  (void)state;
  limpet_model *model = load(LINK("a") LINK("b") JOINT("w", "fixed", "world", "a", "")
                                 JOINT("f", "floating", "a", "b", "<origin xyz='1 0 0'/>"));
  assert_int_equal(model->nq, 7);
  assert_int_equal(model->nv, 6);
  assert_int_equal(model->joint_kind[joint_named(model, "f_turn")], LIMPET_JOINT_BALL);
  limpet_model_destroy(model);
}

static void mimics_and_transmissions_drive_joints(void **state) {
  (void)state;
  limpet_model *model = load(LINK("a") LINK("b") LINK("c") JOINT(
      "h", "revolute", "a", "b", "<limit lower='-1' upper='1' effort='3'/>")
                                 JOINT("m", "revolute", "b", "c",
                                       "<limit lower='-1' upper='1' effort='0'/><mimic joint='h' "
                                       "multiplier='-2' offset='.1'/>") "<transmission name='t'>"
                                       "<joint name='h'/><actuator name='motor'>"
                                       "<drake:rotor_inertia "
                                       "value='.01'/><drake:gear_ratio value='10'/></actuator>"
                                       "</transmission><transmission name='z'><joint name='m'/>"
                                       "</transmission>");
  assert_int_equal(model->nu, 1);
  assert_string_equal(limpet_model_name(model, LIMPET_OBJECT_ACTUATOR, 0), "motor");
  assert_true(model->actuator_force_range[1] == 3.0);
  assert_true(model->dof_armature[model->joint_v[joint_named(model, "h")]] == 1.0);
  assert_int_equal(model->coupler_count, 1);
  assert_true(model->coupler_coefficient[0] == 0.1 && model->coupler_coefficient[1] == -2.0);
  assert_true(noted(model, "effort limit is 0", false));
  limpet_model_destroy(model);
}

static void drake_tags_become_materials_filters_and_loops(void **state) {
  (void)state;
  limpet_model *model = load(
      "<link name='a'>" INERTIA
      "<collision><geometry><sphere radius='.1'/></geometry><drake:proximity_properties>"
      "<drake:mu_dynamic value='.4'/><drake:mu_static value='.6'/><drake:point_contact_stiffness "
      "value='1e4'/><drake:hunt_crossley_dissipation value='2'/><drake:relaxation_time value='.3'/>"
      "<drake:compliant_hydroelastic/><drake:hydroelastic_modulus value='5e6'/>"
      "<drake:mesh_resolution_hint value='.01'/></drake:proximity_properties></collision></link>"
      LINK("b") "<drake:collision_filter_group name='g'><drake:member link='a'/><drake:member "
      "link='b'/><drake:ignored_collision_filter_group name='g'/></drake:collision_filter_group>"
      "<drake:linear_spring_damper><drake:linear_spring_damper_body_A name='a'/>"
      "<drake:linear_spring_damper_p_AP value='0 0 1'/>"
      "<drake:linear_spring_damper_body_B name='b'/>"
      "<drake:linear_spring_damper_p_BQ value='0 1 0'/><drake:linear_spring_damper_free_length "
      "value='.5'/><drake:linear_spring_damper_stiffness value='7'/>"
      "<drake:linear_spring_damper_damping value='8'/></drake:linear_spring_damper>");
  const limpet_material *m = &model->geom_material[0];
  assert_true(m->friction == 0.4 && m->friction_static == 0.6 && m->stiffness == 1e4);
  assert_true(m->dissipation == 2.0 && m->relaxation_time == 0.3);
  assert_true(m->elastic_modulus == 5e6 && m->field_size == 0.01);
  assert_int_equal(model->exclude_count, 1);
  assert_int_equal(model->loop_count, 1);
  assert_int_equal(model->loop_kind[0], LIMPET_LOOP_DISTANCE);
  assert_true(model->loop_length[0] == 0.5 && model->loop_stiffness[0] == 7.0);
  limpet_model_destroy(model);
}

// --------------------------------------------------------------------------------- mistakes

static void mistakes_are_refused_with_their_place(void **state) {
  (void)state;
  refuses(LINK("a") LINK("a"), "used twice for a link");
  refuses(
      "<link name='a'><visual><origin quat_xyzw='1e200 0 0 0'/><geometry><sphere radius='1'/>"
      "</geometry></visual></link>",
      "'quat_xyzw' is too large; its length should be 1");
  refuses(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<origin xyz='0 1e300 0'/>"),
          "its position is 1e+300, too large to reckon with");
  refuses(LINK("arm") LINK("b") JOINT("j", "fixed", "arn", "b", ""), "did you mean 'arm'");
  refuses(LINK("a") LINK("b") JOINT("i", "fixed", "a", "b", "") JOINT("j", "fixed", "b", "a", ""),
          "hangs on itself");
  refuses(LINK("a") LINK("b") LINK("c") JOINT("i", "fixed", "a", "c", "")
              JOINT("j", "fixed", "b", "c", ""),
          "must form a tree");
  refuses(LINK("a") LINK("b") JOINT("j", "hinge", "a", "b", ""), "no joint type 'hinge'");
  refuses(LINK("a") LINK("b") JOINT("j", "prismatic", "a", "b", "<axis xyz='1e200 0 0'/>"),
          "the axis is too large; give a direction");
  refuses("<link name='a'>" INERTIA
          "<collision><geometry><mesh "
          "filename='package://nowhere/x.stl'/></geometry></collision></link>",
          "tried ");
  refuses("<link name='a'>" INERTIA
          "<collision><geometry><box size='1 1'/></geometry></collision>"
          "</link>",
          "<box>");
  refuses("<link name='a'>" INERTIA
          "<collision><origin rpy='0 inf 0'/><geometry><sphere "
          "radius='1'/></geometry></collision></link>",
          "attribute 'rpy' of <origin> is infinite");
  refuses("<link name='a'>" INERTIA
          "<collision><geometry><sphere radius='1'/></geometry><drake:proximity_properties>"
          "<drake:mu_dynamic value='1'/><drake:mu_static value='inf'/></drake:proximity_properties>"
          "</collision></link>",
          "its static friction is infinite");
  limpet_error error;
  assert_null(load_with("<robot name='r' xmlns:xacro='x'><xacro:macro name='m'/></robot>",
                        limpet_load_options_default(), &error));
  assert_non_null(strstr(error.message, "xacro FILE.xacro"));
}

static void oddities_are_noted(void **state) {
  (void)state;
  limpet_model *model = load(
      LINK("a") LINK("b") "<lnik name='x'/>" JOINT(
          "j", "revolute", "a", "b", "<limit lower='-180' upper='180' velocity='1'/>")
          "<gazebo reference='a'><mu1>0.2</mu1></gazebo>");
  assert_true(noted(model, "did you mean 'link'", true));
  assert_true(noted(model, "are they in degrees", false));
  assert_true(noted(model, "limits of velocity", false));
  assert_true(noted(model, "<mu1> of <gazebo>", true));
  limpet_model_destroy(model);
  model = load("<link name='a'>" INERTIA
               "<collision><geometry><box size='1 1 1'/><sphere radius='1'/></geometry></collision>"
               "<collision><geometry><drake:capsule radius='1' length='1'/><drake:capsule "
               "radius='2' length='1'/></geometry></collision></link>");
  assert_true(noted(model, "<geometry> holds <box> and <sphere>, but takes one shape", false));
  assert_true(noted(model, "<drake:capsule>", false));
  assert_int_equal(model->geom_kind[0], LIMPET_SHAPE_BOX);
  assert_true(model->geom_size[3] == 1.0);
  limpet_model_destroy(model);
}

// ---------------------------------------------------------------------------------- packages

// A link, a joint, and two mistakes of the joint: all are told, though the names are one.
static void notes_on_one_name_are_all_told(void **state) {
  (void)state;
  limpet_model *model = load(LINK("arm") LINK("b") JOINT(
      "arm", "revolute", "arm", "b", "<limit lower='1' upper='-1'/><mimic joint='nothing'/>"));
  assert_true(noted(model, "link 'arm' floats", false));
  assert_true(noted(model, "the lower limit of joint 'arm' is 1, above its upper one", false));
  assert_true(noted(model, "there is no joint 'nothing', which joint 'arm' is to follow", false));
  limpet_model_destroy(model);
}

static void packages_are_found_by_option_variable_and_upwards(void **state) {
  (void)state;
  char folder[] = "limpet_urdf_XXXXXX", path[256], options_text[256];
  assert_non_null(mkdtemp(folder));
  static const char *const folders[] = {"robots", "robots/urdf", "robots/meshes", "other"};
  for (int i = 0; i < 4; ++i) {
    snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
    assert_int_equal(mkdir(path, 0777), 0);
  }
  snprintf(path, sizeof path, "%s/robots/meshes/t.obj", folder);
  file_write(path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  snprintf(path, sizeof path, "%s/robots/package.xml", folder);
  file_write(path, "<package><name>my_robot</name></package>");
  static const char *const robot =
      "<robot name='r'><link name='a'>" INERTIA
      "<collision><geometry><mesh filename='package://%s/meshes/t.obj' scale='1 -1 1'/></geometry>"
      "</collision></link></robot>";
  char text[1024];
  limpet_error error;

  // upwards, by the name in package.xml
  snprintf(text, sizeof text, robot, "my_robot");
  snprintf(path, sizeof path, "%s/robots/urdf/r.urdf", folder);
  file_write(path, text);
  limpet_model *model = limpet_load(path, NULL, &error);
  if (!model) fail_msg("%s", error.message);
  assert_true(model->mesh[0].volume > 0.0);  // the mirror has turned the faces
  limpet_model_destroy(model);

  // by another name, its path below a folder above: a guess that is told
  snprintf(text, sizeof text, robot, "renamed");
  file_write(path, text);
  model = limpet_load(path, NULL, &error);
  if (!model) fail_msg("%s", error.message);
  assert_true(
      noted(model, "the package of 'package://renamed/meshes/t.obj' cannot be found", false));
  limpet_model_destroy(model);
  limpet_load_options strict = limpet_load_options_default();
  strict.strict = true;
  assert_null(limpet_load(path, &strict, &error));

  // elsewhere: not found, then by the variable, then by the option
  snprintf(text, sizeof text, robot, "my_robot");
  snprintf(path, sizeof path, "%s/other/r.urdf", folder);
  file_write(path, text);
  assert_null(limpet_load(path, NULL, &error));
  assert_non_null(strstr(error.message, "/other/my_robot/meshes/t.obj"));
  snprintf(options_text, sizeof options_text, "my_robot=%s/robots", folder);
  setenv("LIMPET_PACKAGE_PATH", options_text, 1);
  model = limpet_load(path, NULL, &error);
  unsetenv("LIMPET_PACKAGE_PATH");
  assert_non_null(model);
  limpet_model_destroy(model);
  limpet_load_options options = limpet_load_options_default();
  options.packages = options_text;
  model = limpet_load(path, &options, &error);
  assert_non_null(model);
  limpet_model_destroy(model);
  snprintf(text, sizeof text, "rm -r %s", folder);
  assert_int_equal(system(text), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(links_that_overlap_are_left_out_on_request),
      cmocka_unit_test(a_root_floats_unless_it_is_welded),
      cmocka_unit_test(joints_have_limits_losses_and_axes),
      cmocka_unit_test(a_limit_that_is_not_given_is_zero),
      cmocka_unit_test(planar_and_universal_joints_follow_their_layout),
      cmocka_unit_test(a_screw_advances_with_its_turn),
      cmocka_unit_test(a_floating_joint_between_links_has_six_velocities),
      cmocka_unit_test(mimics_and_transmissions_drive_joints),
      cmocka_unit_test(drake_tags_become_materials_filters_and_loops),
      cmocka_unit_test(mistakes_are_refused_with_their_place),
      cmocka_unit_test(oddities_are_noted),
      cmocka_unit_test(notes_on_one_name_are_all_told),
      cmocka_unit_test(packages_are_found_by_option_variable_and_upwards)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
