/* tests/dynamics/test_medium.c: forces of a medium: terminal velocities and other closed forms,
 * stability where drag is much stiffer than a step, and that the medium only takes energy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "limpet/dynamics.h"
#include "math/vec3.h"
#include "mjcf_text.h"
#include "mjcf_world.h"

#define BALL(option, fluid)                                 \
  MODEL("<option gravity='0 0 -10' timestep='.001' " option \
        "/><worldbody><body><freejoint/><geom size='.1' mass='2' " fluid "/></body></worldbody>")

// Stokes: 6 pi mu r v = m g. Reached to rounding after many time constants m/(6 pi mu r) of 53 ms.
static void slow_sphere_falls_as_stokes_says(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(BALL("viscosity='20'", "fluidshape='ellipsoid'"), NULL);
  mjcf_world_run(&w, 3.0);
  const double terminal = 2.0 * 10.0 / (6.0 * LIMPET_PI * 20.0 * 0.1);
  assert_true(fabs(w.data->v[2] + terminal) < 1e-9 * terminal);
  mjcf_world_destroy(&w);
}

// rho/2 b^2 v^2 = m g, b = 2 sqrt(3/5) r the edge of the box with the inertia of a ball.
static void fast_body_falls_as_its_box(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(BALL("density='50'", ""), NULL);
  const double half = sqrt(0.6) * 0.1;
  for (int k = 0; k < 3; ++k) assert_true(fabs(w.model->body_box[3 + k] - half) < 1e-15);
  mjcf_world_run(&w, 20.0);
  const double terminal = sqrt(2.0 * 20.0 / (50.0 * 4.0 * half * half));
  assert_true(fabs(w.data->v[2] + terminal) < 1e-9 * terminal);
  mjcf_world_destroy(&w);
}

// Half the displaced mass goes along with a ball; nothing with its turns.
static void added_volume_of_a_ball_is_half_of_its_own(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(BALL("density='1'", "fluidshape='ellipsoid'"));
  const double volume = 4.0 / 3.0 * LIMPET_PI * 1e-3;
  for (int k = 0; k < 3; ++k) {
    assert_true(fabs(model->geom_added_volume[k] - 0.5 * volume) < 1e-15 * volume);
    assert_true(model->geom_added_volume[3 + k] == 0.0);
  }
  limpet_model_destroy(model);
}

/* Lamb's disk: an ellipsoid that gets flat carries 8/3 a^3 of the medium along across its plane,
 * with an error of the order of its flatness. */
static void flat_ellipsoid_is_lambs_disk(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(
      MODEL("<worldbody><body><freejoint/><geom type='ellipsoid' size='.2 .2 .000002' mass='1' "
            "fluidshape='ellipsoid'/></body></worldbody>"));
  const double disk = 8.0 / 3.0 * 0.008;
  assert_true(fabs(model->geom_added_volume[2] - disk) < 1e-4 * disk);
  limpet_model_destroy(model);
}

// A time constant of 0.5 us in steps of 1 ms: the body goes with the wind, and nothing oscillates.
static void honey_does_not_explode(void **state) {
  (void)state;
  static const char *const shapes[] = {"", "fluidshape='ellipsoid'"};
  for (int i = 0; i < 2; ++i) {
    char text[1024];
    snprintf(text, sizeof text, BALL("viscosity='1e6' density='1e3' wind='1 2 3'", "%s"),
             shapes[i]);
    mjcf_world w = mjcf_world_of(text, NULL);
    w.data->v[0] = 100.0, w.data->v[4] = 200.0;
    mjcf_world_run(&w, 0.05);
    for (int k = 0; k < 3; ++k) assert_true(fabs(w.data->v[k] - (k + 1.0)) < 1e-3);
    assert_true(fabs(w.data->v[4]) < 1e-6);
    mjcf_world_destroy(&w);
  }
}

// Without wind and gravity the medium takes energy at every step, from chains, too.
static void still_medium_takes_energy(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      MODEL("<option gravity='0 0 0' timestep='.002' density='200' viscosity='.5'/><worldbody>"
            "<body><freejoint/><geom type='ellipsoid' size='.1 .05 .02' fluidshape='ellipsoid'/>"
            "<body pos='.1 0 0'><joint type='ball'/><geom type='box' size='.1 .04 .01' pos='.1 0 "
            "0'/><body pos='.2 0 0'><joint axis='0 1 0'/><geom type='capsule' size='.02 .1' "
            "fluidshape='ellipsoid' fluidcoef='.5 .25 1.5 1 1'/></body></body></body></worldbody>"),
      NULL);
  for (int d = 0; d < w.model->nv; ++d) w.data->v[d] = 1.0 + 0.3 * d;
  w.settings.energy = true;
  double before = INFINITY;
  for (int k = 0; k < 500; ++k) {
    mjcf_world_step(&w);
    assert_true(w.data->info.kinetic_energy < before);
    before = w.data->info.kinetic_energy;
  }
  mjcf_world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slow_sphere_falls_as_stokes_says),
      cmocka_unit_test(fast_body_falls_as_its_box),
      cmocka_unit_test(added_volume_of_a_ball_is_half_of_its_own),
      cmocka_unit_test(flat_ellipsoid_is_lambs_disk),
      cmocka_unit_test(honey_does_not_explode),
      cmocka_unit_test(still_medium_takes_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
