/* tests/gradient/test_pull_gradient.c: derivatives of steps with muscles, slider-cranks, adhesion,
 * surfaces that turn and armature of strings, against differences of steps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gradient_world.h"
#include "mjcf_text.h"
#include "random_models.h"
#include "step_differences.h"

#define ARM                                                                                      \
  "<mujoco><worldbody><site name='w' pos='0 0 .5'/><body><joint name='a' axis='0 1 0' "          \
  "range='-60 60'/><geom type='capsule' size='.02' fromto='0 0 0 .4 0 0'/><site name='p' "       \
  "pos='.3 0 .02'/><body pos='.4 0 0'><joint name='b' axis='0 1 0' range='-60 60'/>"             \
  "<geom type='capsule' size='.02' fromto='0 0 0 .3 0 0'/></body></body>"                        \
  "<body pos='1 0 0'><joint name='s' type='slide' axis='1 0 0'/><geom size='.05'/>"              \
  "<site name='q' euler='0 90 0'/></body></worldbody><tendon><spatial name='t'><site site='w'/>" \
  "<site site='p'/></spatial></tendon>"

static const char *const texts[] = {
    ARM
    "<actuator><muscle tendon='t' lengthrange='.2 .8' force='80'/><general joint='b' "
    "gaintype='muscle' gainprm='.7 1.2 3 200 .5 1.6 1.5 1.3 1.2' lengthrange='-1 1'/></actuator>"
    "</mujoco>",
    ARM
    "<actuator><motor cranksite='p' slidersite='q' cranklength='.9'/><position cranksite='p' "
    "slidersite='q' cranklength='.9' kp='9'/></actuator></mujoco>",
    "<mujoco><worldbody><geom type='box' size='1 1 .1' pos='0 0 .1' adhesion='4' gap='.01'/>"
    "<body pos='0 0 -.0492'><freejoint/><geom size='.05' mass='1' adhesion='12' "
    "limpet:stiffness='2e3'/></body>"
    "</worldbody></mujoco>",
    "<mujoco><worldbody><geom type='box' size='1 1 .1' pos='0 0 .1' gap='.01'/><body name='cup' "
    "pos='0 0 -.0492'><freejoint/><geom size='.05' mass='1' "
    "limpet:stiffness='2e3'/></body></worldbody><actuator>"
    "<adhesion body='cup' ctrlrange='0 2' gain='12'/></actuator></mujoco>",
    "<mujoco><worldbody><geom type='cylinder' size='1 .05' pos='0 0 -.05' surfacevel='.1 0 0 0 0 "
    "2'/><body pos='.3 .1 .0475'><freejoint/><geom type='sphere' size='.05' "
    "limpet:stiffness='2e3'/></body></worldbody>"
    "</mujoco>",
    "<mujoco><worldbody><body><joint name='a' axis='0 1 0'/><geom type='capsule' size='.02' "
    "fromto='0 0 0 .4 0 0'/><site name='p' pos='.3 0 .02'/></body><body pos='1 0 .3'>"
    "<joint type='slide' axis='1 0 0'/><joint axis='0 1 0'/><geom size='.05' pos='.1 0 0'/>"
    "<site name='q' pos='.1 0 .1'/></body></worldbody><tendon><spatial armature='.7'>"
    "<site site='p'/><site site='q'/></spatial></tendon><actuator><motor joint='a'/></actuator>"
    "</mujoco>",
    "<mujoco><worldbody><site name='w' pos='0 0 .5'/><body><freejoint/><geom size='.2'/>"
    "<site name='u' pos='0 .1 .2'/><body pos='.2 0 0'><joint name='b' axis='0 1 0'/>"
    "<geom type='capsule' size='.02' fromto='0 0 0 .4 0 0'/><site name='p' pos='.3 0 .02'/></body>"
    "</body></worldbody><tendon><spatial armature='.7'><site site='u'/><site site='p'/></spatial>"
    "</tendon></mujoco>"};

// relative to the largest entry: curvature of the differences; contact is as stiff as the step
// takes
static const double width = 1e-6, tolerance = 1e-4;

static void steps_of(const char *text) {
  unsigned long seed = 9;
  for (int n = 0; n < 3; ++n) {
    gradient_world w = gradient_world_open(mjcf_load(text), "discrete", "lagged", 2e-3);
    for (int i = 0; i < w.model->nv; ++i) w.data->v[i] = random_uniform(&seed, -0.05, 0.05);
    for (int i = 0; i < w.model->nu; ++i) w.data->control[i] = random_uniform(&seed, 0.4, 0.9);
    for (int i = 0; i < w.model->na; ++i) w.data->activation[i] = random_uniform(&seed, 0.2, 0.8);
    for (int i = 0; i < 3 + n; ++i) gradient_world_step(&w);
    limpet_data *from = gradient_world_copy(&w);
    gradient_world_differentiate(&w);
    const limpet_gradient *g = w.gradient;
    step_differences s;
    step_differences_open(&s, w.model, from, &w.settings);
    assert_true(step_differences_agree(&s, "q", step_move_q, w.model->nv, g->dq.q, g->dv.q,
                                       g->kink.q, width, tolerance));
    assert_true(step_differences_agree(&s, "v", step_move_v, w.model->nv, g->dq.v, g->dv.v,
                                       g->kink.v, width, tolerance));
    assert_true(step_differences_agree(&s, "control", step_move_control, w.model->nu, g->dq.control,
                                       g->dv.control, g->kink.control, width, tolerance));
    step_differences_close(&s);
    limpet_data_destroy(from);
    gradient_world_close(&w);
  }
}

static void muscles_and_cranks(void **state) {
  (void)state;
  steps_of(texts[0]);
  steps_of(texts[1]);
}

static void contacts_that_pull(void **state) {
  (void)state;
  steps_of(texts[2]);
  steps_of(texts[3]);
}

/* Corners of a box at rest are nanometres from where their pull ends. Differences of steps as
 * narrow as that tell slopes to 1e-7; where those of the assembly lost the pull, they were off by
 * 0.1 of the largest entry. */
static void what_rests_is_pulled(void **state) {
  (void)state;
  gradient_world w = gradient_world_open(
      mjcf_load("<mujoco><worldbody><geom type='plane' size='1 1 .1'/><body pos='0 0 .02'>"
                "<freejoint/><geom type='box' size='.05 .04 .02' pos='.01 0 0' mass='96' "
                "adhesion='8'/></body></worldbody></mujoco>"),
      "discrete", "coulomb", 1e-3);
  w.settings.tolerance = 1e-13;
  for (int i = 0; i < 200; ++i) gradient_world_step(&w);
  limpet_data *from = gradient_world_copy(&w);
  gradient_world_differentiate(&w);
  const limpet_gradient *g = w.gradient;
  const int nv = w.model->nv;
  double scale[2] = {1e-3, 1.0}, own[12], settled;
  step_differences s;
  step_differences_open(&s, w.model, from, &w.settings);
  for (int k = 0; k < 5; ++k) {
    assert_true(g->by_differences[k] && g->kink.q[k] == 0.0);
    for (int i = 0; i < nv; ++i) {
      own[i] = g->dq.q[i * nv + k], own[nv + i] = g->dv.q[i * nv + k];
      scale[0] = fmax(scale[0], fabs(own[i])), scale[1] = fmax(scale[1], fabs(own[nv + i]));
    }
    const double best = step_differences_nearest(&s, step_move_q, k, own, scale, &settled);
    printf("  resting, by q %d: %.2g of %.3g\n", k, best, scale[1]);
    assert_true(best < 1e-6);
  }
  step_differences_close(&s);
  limpet_data_destroy(from);
  gradient_world_close(&w);
}

static void surfaces_that_turn(void **state) {
  (void)state;
  steps_of(texts[4]);
}

static void armature_of_strings(void **state) {
  (void)state;
  steps_of(texts[5]);
  steps_of(texts[6]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(muscles_and_cranks),   cmocka_unit_test(contacts_that_pull),
      cmocka_unit_test(what_rests_is_pulled), cmocka_unit_test(surfaces_that_turn),
      cmocka_unit_test(armature_of_strings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
