/* tests/gradient/test_load_gradient.c: derivatives where light things carry heavy ones: contacts,
 * limits and softened servos have the hardness of their load, which the state does not move. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gradient_world.h"
#include "limpet/limpet.h"
#include "mjcf_text.h"
#include "step_differences.h"

// A heavy ball on a light link: that lies on the floor, at its limit, on a stiff servo, on a rope.
static const char *const scenes[] = {
    "<geom type='plane' size='2 2 1'/><body pos='0 0 .01'><joint type='slide' axis='0 0 1'/><geom "
    "type='box' size='.1 .05 .01' mass='.001'/></body><body pos='.02 0 .07'><joint type='slide' "
    "axis='0 0 1'/><joint type='slide' axis='1 0 0'/><geom type='sphere' size='.05' mass='50'/>"
    "</body></worldbody>",
    "<body><joint axis='0 1 0' range='-1 0'/><geom type='box' size='.1 .05 .01' pos='.1 0 0' "
    "mass='.001'/></body><body pos='.15 0 .06'><joint type='slide' axis='0 0 1'/><geom "
    "type='sphere' size='.05' mass='50'/></body></worldbody>",
    "<body><joint name='j' axis='0 1 0'/><geom type='box' size='.1 .05 .01' pos='.1 0 0' "
    "mass='.0001'/></body><body pos='.15 0 .06'><joint type='slide' axis='0 0 1'/><geom "
    "type='sphere' size='.05' mass='50'/></body></worldbody><actuator><position joint='j' "
    "kp='1e6' kv='1e4'/></actuator>",
    "<site name='w' pos='0 0 1'/><body><joint type='slide' axis='0 0 1'/><geom type='box' "
    "size='.1 .1 .01' mass='.001'/><site name='s'/></body><body pos='0 0 .06'><joint type='slide' "
    "axis='0 0 1'/><geom type='sphere' size='.05' mass='50'/></body></worldbody><tendon><spatial "
    "range='0 1'><site site='w'/><site site='s'/></spatial></tendon>"};

static void of_loads(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
    char text[1024];
    snprintf(text, sizeof text,
             "<mujoco><compiler angle='radian' autolimits='true'/><worldbody>%s</mujoco>",
             scenes[i]);
    gradient_world w = gradient_world_open(mjcf_load(text), "discrete", "coulomb", 2e-3);
    w.settings.tolerance = 1e-12;
    for (int k = 0; k < 250; ++k) gradient_world_step(&w);
    w.data->v[w.model->nv - 1] += 1e-4;
    limpet_data *from = gradient_world_copy(&w);
    gradient_world_differentiate(&w);
    step_differences d;
    step_differences_open(&d, w.model, from, &w.settings);
    const int n = w.model->nv;
    const limpet_gradient *g = w.gradient;
    char name[32];
    snprintf(name, sizeof name, "scene %zu", i);
    assert_true(
        step_differences_agree(&d, name, step_move_q, n, g->dq.q, g->dv.q, g->kink.q, 1e-9, 1e-6));
    assert_true(
        step_differences_agree(&d, name, step_move_v, n, g->dq.v, g->dv.v, g->kink.v, 1e-6, 1e-6));
    printf("scene %zu: %d of %d columns at kinks\n", i, d.kinks, d.columns);
    assert_true(d.kinks == 0);
    step_differences_close(&d);
    limpet_data_destroy(from);
    gradient_world_close(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(of_loads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
