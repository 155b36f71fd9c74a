/* tests/format/test_urdf_write.c: a model that is written as URDF and read again has the same
 * poses, masses, mass matrix and bias at the same coordinates; what cannot be said is counted. The
 * model has what URDF has not: several joints on a body, anchors, references, mirrored meshes.
 * test_convert_urdf_slow.py does it with robots. */
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
#include "math/quaternion.h"
#include "mjcf_text.h"
#include "random_models.h"

enum { TREES = 60, MOST_TOLD = 32 };

static const char *const file = "limpet_urdf_write.urdf", *const folder =
                                                              "limpet_urdf_write_meshes";

static unsigned long seed = 77;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }

typedef struct told {
  char text[MOST_TOLD][256];
  int count;
} told;

static void note(void *context, const char *text) {
  told *t = context;
  assert_true(t->count < MOST_TOLD);
  snprintf(t->text[t->count++], sizeof t->text[0], "%s", text);
}

static bool was_told(const told *t, const char *words) {
  for (int i = 0; i < t->count; ++i)
    if (strstr(t->text[i], words)) return true;
  return false;
}

static limpet_model *write_and_read(const limpet_model *model, told *t) {
  limpet_error error = {0};
  *t = (told){0};
  if (limpet_urdf_write(model, file, folder, note, t, &error) != LIMPET_OK)
    fail_msg("%s", error.message);
  limpet_model *copy = limpet_load(file, NULL, &error);
  if (!copy) fail_msg("%s", error.message);
  limpet_vec3_copy(copy->options.gravity, model->options.gravity);  // URDF has none
  return copy;
}

static void evaluate(const limpet_model *m, limpet_data *d) {
  limpet_kinematics(m, d);
  limpet_velocity_kinematics(m, d);
  limpet_mass_matrix(m, d);
  limpet_bias(m, d);
}

static double distance(const double *a, const double *b, int count) {
  double worst = 0.0;
  for (int i = 0; i < count; ++i) worst = fmax(worst, fabs(a[i] - b[i]));
  return worst;
}

// the worst difference at one random state, bodies by name
static double difference(const limpet_model *m, const limpet_model *n) {
  assert_int_equal(m->nq, n->nq);
  assert_int_equal(m->mass_size, n->mass_size);
  limpet_data *a = limpet_data_create(m), *b = limpet_data_create(n);
  random_vector(&seed, b->v, m->nv, 1.0);
  limpet_integrate_position(m, a->q, m->q_reference, b->v, 1.0, false);
  random_vector(&seed, a->v, m->nv, 2.0);
  memcpy(b->q, a->q, (size_t)m->nq * sizeof *b->q);
  memcpy(b->v, a->v, (size_t)m->nv * sizeof *b->v);
  evaluate(m, a), evaluate(n, b);
  double worst = distance(a->mass_matrix, b->mass_matrix, m->mass_size);
  worst = fmax(worst, distance(a->bias, b->bias, m->nv));
  for (int i = 1; i < m->body_count; ++i) {
    char name[64];
    const char *own = limpet_model_name(m, LIMPET_OBJECT_BODY, i);
    snprintf(name, sizeof name, "body_%d", i);
    const int k = limpet_model_find(n, LIMPET_OBJECT_BODY, own ? own : name);
    assert_true(k > 0);
    worst = fmax(worst, fabs(m->body_mass[i] - n->body_mass[k]));
    worst = fmax(worst, distance(a->body_position + 3 * i, b->body_position + 3 * k, 3));
    worst = fmax(worst, distance(a->body_rotation + 9 * i, b->body_rotation + 9 * k, 9));
  }
  limpet_data_destroy(a);
  limpet_data_destroy(b);
  return worst;
}

// ------------------------------------------------------------------------------ random trees

static void add_joint(limpet_builder *builder, int body, limpet_joint_kind kind) {
  limpet_joint_description joint = limpet_joint_description_default();
  joint.body = body, joint.kind = kind;
  if (uniform(0, 1) < 0.7) random_vector(&seed, joint.position, 3, 0.3);
  random_vector(&seed, joint.axis, 3, 1.0);
  joint.pitch = uniform(-1, 1);
  joint.reference = uniform(-2, 2);
  joint.armature = uniform(0, 1) < 0.5 ? uniform(0, 0.1) : 0.0;
  joint.damping = uniform(0, 1);
  limpet_builder_add_joint(builder, &joint);
}

static limpet_model *random_tree(void) {
  static const limpet_joint_kind kinds[] = {LIMPET_JOINT_REVOLUTE, LIMPET_JOINT_PRISMATIC,
                                            LIMPET_JOINT_BALL, LIMPET_JOINT_SCREW};
  limpet_builder *builder = limpet_builder_create();
  const int count = 1 + (int)uniform(0, 7.99);
  for (int b = 1; b <= count; ++b) {
    const limpet_body_description description = random_body(&seed, (int)uniform(0, b - 1e-9));
    const int body = limpet_builder_add_body(builder, &description);
    const bool floats = description.parent == 0 && uniform(0, 1) < 0.4;
    if (floats) add_joint(builder, body, LIMPET_JOINT_FREE);
    for (int k = floats ? 0 : (int)uniform(0, 3.49); k > 0; --k)
      add_joint(builder, body, kinds[(int)uniform(0, 3.99)]);
  }
  limpet_error error = {0};
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) fail_msg("%s", error.message);
  limpet_builder_destroy(builder);
  return model;
}

static void trees_come_back(void **state) {
  (void)state;
  double worst = 0.0;
  told t;
  for (int i = 0; i < TREES; ++i) {
    limpet_model *model = random_tree(), *copy = write_and_read(model, &t);
    worst = fmax(worst, difference(model, copy));
    limpet_model_destroy(model);
    limpet_model_destroy(copy);
  }
  printf("URDF written and read, %d random trees: M, bias, poses differ by %.2g\n", TREES, worst);
  assert_true(worst < 1e-9);
}

// --------------------------------------------------------------------------------- one model

static const char *const text =
    "<mujoco model='a &lt;b&gt;'><compiler angle='radian'/><option gravity='0 0 -1'/><asset><mesh "
    "name='m/x' scale='1 -1 2' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody><geom "
    "type='plane' size='0 0 1'/><body name='one' pos='0 0 1' quat='1 2 3 4'><freejoint/><geom "
    "type='mesh' mesh='m/x' friction='0.3'/><body name='two' pos='1 0 0'><joint name='h' axis='0 1 "
    "1' pos='0 .1 0' ref='.2' range='-1 2' stiffness='3' damping='2' armature='.1' "
    "frictionloss='.3'/><geom type='capsule' size='.1 .2'/><site name='s' pos='0 0 .3' euler='0 "
    "1.5707963267948966 0.3'/><body><joint name='p' type='slide' axis='1 0 0' armature='.2' "
    "ref='1'/><geom type='ellipsoid' size='.1 .2 .3'/></body></body></body></worldbody><contact>"
    "<exclude body1='one' body2='two'/></contact><equality><joint joint1='p' joint2='h' "
    "polycoef='.5 3 0 0 0'/></equality><actuator><position joint='h' kp='5' kv='1' forcerange='-4 "
    "4'/></actuator><keyframe><key name='k'/></keyframe></mujoco>";

static void a_model_keeps_what_urdf_can_say(void **state) {
  (void)state;
  told t;
  limpet_model *model = mjcf_load(text), *copy = write_and_read(model, &t);
  assert_true(difference(model, copy) < 1e-12);
  const int h = limpet_model_find(copy, LIMPET_OBJECT_JOINT, "h"),
            p = limpet_model_find(copy, LIMPET_OBJECT_JOINT, "p");
  assert_true(copy->joint_range[2 * h] == -1.0 && copy->joint_range[2 * h + 1] == 2.0);
  assert_true(copy->dof_damping[copy->joint_v[h]] == 2.0);
  assert_true(copy->dof_dry_friction[copy->joint_v[h]] == 0.3);
  // y - 1 = .5 + 3 (x - .2)
  assert_int_equal(copy->coupler_count, 1);
  assert_true(copy->coupler_y[0] == p && copy->coupler_x[0] == h);
  assert_true(fabs(copy->coupler_coefficient[0] - 0.9) < 1e-15);
  // a servo within its force
  assert_int_equal(copy->nu, 1);
  assert_true(copy->actuator_gain[0] == 5.0 && copy->actuator_bias[2] == -1.0);
  assert_true(copy->actuator_force_range[1] == 4.0);
  // collisions with their friction, and the links that never touch
  assert_int_equal(copy->collider_count, 3);
  assert_true(copy->geom_material[copy->collider_geom[0]].friction == 0.3);
  assert_int_equal(copy->exclude_count, 1);
  // roll and yaw are one where the pitch is a quarter: their product still stands
  double turn[4], back[4], product[4];
  const int s = limpet_model_find(copy, LIMPET_OBJECT_SITE, "s");
  limpet_quaternion_copy(turn, copy->site_quaternion + 4 * s);
  limpet_quaternion_conjugate(back, model->site_quaternion);
  limpet_quaternion_mul(product, back, turn);
  assert_true(fabs(fabs(product[0]) - 1.0) < 1e-15 && fabs(product[2]) < 1e-12);
  limpet_model_destroy(model);
  limpet_model_destroy(copy);
}

static void what_urdf_cannot_say_is_counted(void **state) {
  (void)state;
  told t;
  limpet_model *model = mjcf_load(text), *copy = write_and_read(model, &t);
  assert_true(was_told(&t, "start coordinates of 2 joints"));
  assert_true(was_told(&t, "springs of 1 joints"));
  assert_true(was_told(&t, "armature of 1 joints"));
  assert_true(was_told(&t, "1 geoms: URDF has no planes"));
  assert_true(was_told(&t, "1 ellipsoids"));
  assert_true(was_told(&t, "1 keyframes"));
  assert_true(was_told(&t, "gravity"));
  assert_true(was_told(&t, "(4 colliders)"));
  assert_false(was_told(&t, "couplers"));
  assert_false(was_told(&t, "actuators"));
  limpet_model_destroy(model);
  limpet_model_destroy(copy);
}

// Gains that grow with length or speed are no servo and no motor; affine ones that do not, are.
static void gains_that_grow_are_told(void **state) {
  (void)state;
  told t;
  limpet_model *model = mjcf_load(
      "<mujoco><worldbody><body><joint name='h'/><geom size='.1'/></body></worldbody><actuator>"
      "<general joint='h' gaintype='affine' gainprm='5 0 0' biastype='affine' biasprm='0 -5 -1'/>"
      "<general joint='h' gaintype='affine' gainprm='5 1 0' biastype='affine' biasprm='0 -5 -1'/>"
      "<general joint='h' gaintype='affine' gainprm='1 0 0'/>"
      "<general joint='h' gaintype='affine' gainprm='1 0 .5'/></actuator></mujoco>");
  limpet_model *copy = write_and_read(model, &t);
  assert_true(was_told(&t, "force law of 2 actuators"));
  assert_int_equal(copy->nu, 4);
  assert_true(copy->actuator_gain[0] == 5.0 && copy->actuator_bias[1] == -5.0);
  assert_true(copy->actuator_gain[6] == 1.0 && copy->actuator_bias[7] == 0.0);
  limpet_model_destroy(model);
  limpet_model_destroy(copy);
}

static void a_place_that_cannot_be_written_is_an_error(void **state) {
  (void)state;
  limpet_error error = {0};
  limpet_model *model = mjcf_load(text);
  assert_int_equal(limpet_urdf_write(model, "/nowhere/a.urdf", "meshes", NULL, NULL, &error),
                   LIMPET_ERROR_FILE);
  assert_non_null(strstr(error.message, "/nowhere/meshes"));
  limpet_model_destroy(model);
}

static int clean(void **state) {
  (void)state;
  remove(file);
  remove("limpet_urdf_write_meshes/m_x_0.obj");
  rmdir(folder);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_come_back), cmocka_unit_test(a_model_keeps_what_urdf_can_say),
      cmocka_unit_test(what_urdf_cannot_say_is_counted), cmocka_unit_test(gains_that_grow_are_told),
      cmocka_unit_test(a_place_that_cannot_be_written_is_an_error)};
  return cmocka_run_group_tests(tests, NULL, clean);
}
