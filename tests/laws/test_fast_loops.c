/* tests/laws/test_fast_loops.c: energy of floating loops that turn fast stays bounded.
 *
 * Loops of three to five bodies of 6 g to 450 kg on hinges and balls, in a plane or not, closed by
 * a `connect`, thrown at 1 to 1000 rad/s, with steps from 0.05 to 5 ms: up to radians in a step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mjcf_world.h"
#include "shared_data.h"

enum { LOOPS = 60, STEPS = 400, SETTLE = 3 };

static unsigned long seed;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }

static double log_uniform(double low, double high) {
  return low * pow(high / low, uniform(0.0, 1.0));
}

#define WRITE(at, ...) ((at) += sprintf((at), __VA_ARGS__))

static void write_loop(char *at) {
  const int count = 3 + (int)uniform(0.0, 2.999);
  const double tilt = uniform(0.0, 1.0) < 0.5 ? 0.0 : 0.3, angle = 2.0 * acos(-1.0) / count;
  WRITE(at, "<mujoco><option gravity='0 0 0'/><worldbody>");
  for (int i = 0; i < count; ++i) {
    const double mass = log_uniform(0.006, 450.0), inertia = mass * log_uniform(1e-3, 0.02);
    const double x = uniform(-tilt, tilt), y = uniform(-tilt, tilt);
    WRITE(at, "<body name='b%d' pos='%g %g 0'>", i, i ? 0.3 * cos(angle * i) : 0.0,
          i ? 0.3 * sin(angle * i) : 0.0);
    if (i == 0) WRITE(at, "<freejoint/>");
    else
      WRITE(at, "<joint type='%s' axis='%g %g 1'/>", uniform(0.0, 1.0) < 0.75 ? "hinge" : "ball", x,
            y);
    const double to_x = uniform(-0.1, 0.1), to_y = uniform(-0.1, 0.1);
    WRITE(at, "<inertial pos='%g %g 0' mass='%g' diaginertia='%g %g %g'/>", to_x, to_y, mass,
          inertia, 1.2 * inertia, 1.4 * inertia);
  }
  for (int i = 0; i < count; ++i) WRITE(at, "</body>");
  WRITE(at,
        "</worldbody><equality><connect body1='b0' body2='b%d' anchor='.05 .05 0'/></equality>"
        "</mujoco>",
        count - 1);
}

/* The first steps make velocities that were drawn fit the loop, which takes energy. What turns by
 * radians in a step is not followed: its energy may swing, but grows no further. */
static void energy_stays_bounded(void **state) {
  (void)state;
  double worst = 0.0;
  int up = 0;
  for (int k = 0; k < LOOPS; ++k) {
    static char text[8192];
    seed = 40 + (unsigned)k;
    for (int i = 0; i < 8; ++i) uniform(0.0, 1.0);
    write_loop(text);
    mjcf_world w = mjcf_world_of(text, NULL);
    w.settings.time_step = log_uniform(5e-5, 5e-3), w.settings.energy = true;
    const double rate = log_uniform(1.0, 1e3);
    for (int d = 3; d < w.model->nv; ++d) w.data->v[d] = rate * uniform(-1.0, 1.0);
    double start = 0.0, most = 0.0;
    for (int i = 0; i < STEPS; ++i) {
      assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_SOLVED);
      const double energy = w.data->info.kinetic_energy;
      if (i < SETTLE) start = energy;
      else most = fmax(most, energy);
    }
    if (most > 1.2 * start)
      printf("loop %d, %.3g ms, %.3g rad/s: %.3g J to %.3g J\n", k, 1e3 * w.settings.time_step,
             rate, start, most);
    up += most > 1.2 * start;
    worst = fmax(worst, most / start);
    mjcf_world_destroy(&w);
  }
  printf("loops: %d of %d up by more than a fifth, the worst to %.3g times its energy\n", up, LOOPS,
         worst);
  assert_true(worst < 30.0 && up <= LOOPS / 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(energy_stays_bounded)};
  return cmocka_run_group_tests_name("fast loops", tests, NULL, NULL);
}
