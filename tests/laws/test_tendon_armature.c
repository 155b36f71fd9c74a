/* tests/laws/test_tendon_armature.c: a string with armature keeps energy while it turns.
 *
 * Balls on slides and arms of hinges hang on spatial tendons with a spring and an armature of 0.1
 * to 10 times their mass, and swing through half a second. Nothing takes energy, so what a run
 * gains or loses is of the first order in the step: a quarter of the step leaves at most half of
 * it. Without the force m a (a' v) of the string, which has no part in still poses, it does not
 * shrink. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mjcf_world.h"
#include "random_models.h"

enum { WORLDS = 40 };

static unsigned long seed;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }

// A ball on three slides, or an arm of two hinges; a string from the world to its end.
static void write_model(char *text, size_t size, bool arm) {
  const double mass = pow(10.0, uniform(-1.0, 1.0)),
               armature = mass * pow(10.0, uniform(-1.0, 1.0));
  char body[512];
  if (arm)
    snprintf(
        body, sizeof body,
        "<joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .4 0 0' size='.03' mass='%g'/>"
        "<body pos='.4 0 0'><joint axis='0 1 0'/>"
        "<geom type='capsule' fromto='0 0 0 .4 0 0' size='.03' mass='%g'/>"
        "<site name='end' pos='.4 0 0'/></body>",
        mass, mass);
  else
    snprintf(body, sizeof body,
             "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
             "<joint type='slide' axis='0 0 1'/><geom size='.05' mass='%g'/><site name='end'/>",
             mass);
  snprintf(text, size,
           "<mujoco><worldbody><site name='fixed' pos='0 %g %g'/><body pos='.5 0 0'>%s</body>"
           "</worldbody><tendon><spatial stiffness='%g' springlength='.3' armature='%g'>"
           "<site site='fixed'/><site site='end'/></spatial></tendon></mujoco>",
           uniform(-0.3, 0.3), uniform(0.2, 0.6), body, mass * uniform(5.0, 50.0), armature);
}

static double energy(const limpet_data *data) {
  return data->info.kinetic_energy + data->info.potential_energy;
}

// [J]  gained in half a second; `scale`: the largest kinetic energy on the way.
static double gain(const char *text, const double *v, double dt, double *scale) {
  mjcf_world world = mjcf_world_of(text, NULL);
  world.settings.time_step = dt;
  world.settings.energy = true;
  memcpy(world.data->v, v, (size_t)world.model->nv * sizeof *v);
  mjcf_world_step(&world);
  const double start = energy(world.data);
  *scale = 0.0;
  while (world.data->time < 0.5) {
    mjcf_world_step(&world);
    *scale = fmax(*scale, world.data->info.kinetic_energy);
  }
  const double end = energy(world.data);
  mjcf_world_destroy(&world);
  return end - start;
}

static void energy_is_kept(void **state) {
  (void)state;
  double worst = 0.0;
  for (int i = 0; i < WORLDS; ++i) {
    char text[2048];
    double v[3], scale;
    seed = 977 + (unsigned long)i;
    write_model(text, sizeof text, i % 2 == 1);
    random_vector(&seed, v, 3, 1.5);
    const double coarse = fabs(gain(text, v, 1e-3, &scale)),
                 fine = fabs(gain(text, v, 2.5e-4, &scale));
    worst = fmax(worst, fine / scale);
    if (fine > 0.05 * scale || (coarse > 1e-3 * scale && fine > 0.5 * coarse))
      fail_msg("world %d: gains %g J at 1 ms, %g J at 0.25 ms, of %g J:\n%s", i, coarse, fine,
               scale, text);
  }
  printf("%d strings, 0.25 ms: energy off by %.2g of the kinetic at worst\n", WORLDS, worst);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(energy_is_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
