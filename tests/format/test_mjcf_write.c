/* tests/format/test_mjcf_write.c: a model that is written as MJCF and read again is the same:
 * sizes, mass matrix, bias, forces of springs and actuators in a random state; what cannot be
 * written is told. test_convert_mujoco.py asks MuJoCo. */
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
#include "mjcf_text.h"
#include "shared_data.h"

static const char *const text =
    "<mujoco model='a &lt;b&gt;' xmlns:limpet='l'><compiler angle='radian'/><option "
    "timestep='0.003' "
    "gravity='0 1 -9'><flag damper='disable'/></option><asset><mesh name='m' scale='1 -1 2' "
    "vertex='0 "
    "0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody><geom type='plane' size='0 0 1'/><body "
    "name='one' pos='0 0 1' quat='1 2 3 4'><freejoint/><geom type='mesh' mesh='m'/><body pos='1 0 "
    "0'><joint name='h' axis='0 1 1' pos='0 .1 0' ref='.2' range='-1 2' stiffness='3' "
    "springref='.5' damping='2' armature='.1' frictionloss='.3'/><geom type='capsule' size='.1 .2' "
    "limpet:stiffness='1e4'/><site name='s' pos='0 0 .3'/><body><joint name='p' type='slide' "
    "axis='1 0 0'/><geom size='.1'/></body></body></body><body pos='3 0 0'><joint type='ball' "
    "name='b'/><geom type='box' size='.1 .2 .3'/></body><body mocap='true' name='mc'/></worldbody>"
    "<contact><exclude body1='one' body2='mc'/></contact><tendon><fixed name='t' "
    "stiffness='7'><joint "
    "joint='h' coef='2'/><joint joint='p' coef='-1'/></fixed></tendon><equality><joint joint1='h' "
    "joint2='p' polycoef='0 1 2'/><weld body1='one' body2='mc'/></equality><actuator><position "
    "joint='h' kp='5' kv='1' ctrlrange='-1 1'/><motor tendon='t' gear='3'/><general site='s' "
    "gear='1 "
    "0 0 0 2 0' dyntype='filter' dynprm='.1'/></actuator><keyframe><key name='k' time='2' ctrl='1 "
    "2 "
    "3'/></keyframe></mujoco>";

static int told;
static void count_told(void *context, const char *words) {
  assert_ptr_equal(context, &told);
  assert_true(strlen(words) > 5);
  ++told;
}

// a state that is the same for both
static void randomize(const limpet_model *model, limpet_data *data) {
  unsigned long seed = 3;
  double *step = data->v;
  for (int i = 0; i < model->nv; ++i) step[i] = random_uniform(&seed, -1.0, 1.0);
  double q[64];
  memcpy(q, data->q, (size_t)model->nq * sizeof *q);
  limpet_integrate_position(model, data->q, q, step, 0.4, false);
  for (int i = 0; i < model->nu; ++i) data->control[i] = random_uniform(&seed, -1.0, 1.0);
  for (int i = 0; i < model->na; ++i) data->activation[i] = random_uniform(&seed, -1.0, 1.0);
  limpet_forward_dynamics(model, data);
}

static void same(const char *what, const double *a, const double *b, int count, double tolerance) {
  if (!arrays_agree(what, a, b, count, tolerance)) fail_msg("%s differs", what);
}

static void a_written_model_is_the_same(void **state) {
  (void)state;
  static const char *const path = "limpet_mjcf_write.xml";
  limpet_error error = {0};
  limpet_model *model = mjcf_load(text);
  told = 0;
  if (limpet_mjcf_write(model, path, count_told, &told, &error) != LIMPET_OK)
    fail_msg("%s", error.message);
  assert_int_equal(told, 1);  // the stiffness
  limpet_model *again = limpet_load(path, NULL, &error);
  remove(path);
  if (!again) fail_msg("%s", error.message);
  assert_string_equal(again->name, "a <b>");
  assert_int_equal(again->nq, model->nq);
  assert_int_equal(again->nu, model->nu);
  assert_int_equal(again->na, model->na);
  assert_int_equal(again->loop_count, model->loop_count);
  assert_int_equal(again->coupler_count, model->coupler_count);
  assert_int_equal(again->exclude_count, model->exclude_count);
  assert_int_equal(again->collider_count, model->collider_count);
  assert_int_equal(again->options.disabled, model->options.disabled);
  assert_true(again->options.time_step == model->options.time_step);
  limpet_data *a = limpet_data_create(model), *b = limpet_data_create(again);
  randomize(model, a), randomize(again, b);
  const double tolerance = 1e-12;  // inertias are turned to principal axes and back
  same("q", b->q, a->q, model->nq, 1e-15);
  same("poses", b->body_position, a->body_position, 3 * model->body_count, tolerance);
  same("M", b->mass_matrix, a->mass_matrix, model->mass_size, tolerance);
  same("bias", b->bias, a->bias, model->nv, tolerance);
  same("passive", b->passive_force, a->passive_force, model->nv, tolerance);
  same("actuators", b->actuator_joint_force, a->actuator_joint_force, model->nv, tolerance);
  // a mesh is written with its surface as its weight, which gives it another frame
  for (int g = 0; g < model->geom_count; ++g)
    if (model->geom_kind[g] != LIMPET_SHAPE_MESH)
      same("geoms", again->geom_position + 3 * g, model->geom_position + 3 * g, 3, 0.0);
  same("loops", again->loop_position, model->loop_position, 6 * model->loop_count, tolerance);
  same("ranges", again->joint_range + 2, model->joint_range + 2, 2, 0.0);
  same("control", again->keyframe_control, model->keyframe_control, model->nu, 0.0);
  limpet_data_destroy(a), limpet_data_destroy(b);
  limpet_model_destroy(model), limpet_model_destroy(again);
}

static void a_place_that_cannot_be_written_is_an_error(void **state) {
  (void)state;
  limpet_error error = {0};
  limpet_model *model = mjcf_load(text);
  assert_int_equal(limpet_mjcf_write(model, "nowhere/a.xml", NULL, NULL, &error),
                   LIMPET_ERROR_FILE);
  assert_non_null(strstr(error.message, "nowhere/a.xml"));
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_written_model_is_the_same),
                                     cmocka_unit_test(a_place_that_cannot_be_written_is_an_error)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
