/* tests/laws/test_light_bodies.c: light bodies on a heavy one that moves.
 *
 * Four grams-heavy boxes and cylinders land on a plate of 1,000 and 10,000 t at up to 10 m/s and
 * slide on it. The momentum of the plate is 1e9 times theirs, so a residual within 1e-6 of the
 * island's momentum says nothing about them: in each step, each one's own momentum has to change by
 * the impulses that act on it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_world.h"

enum { WORLDS = 30, STEPS = 60, RIDERS = 4 };
static const double mass = 1e-3, gravity = 9.81;
static const double allowed = 0.02;  // [-]  of the weight of one; 217 where nothing asks for it

static unsigned long seed = 7;

static double uniform(double lower, double upper) {
  seed = (seed * 1103515245UL + 12345UL) & 0x7fffffffUL;
  return lower + (upper - lower) * (double)seed / 0x7fffffff;
}

static mjcf_world random_world(void) {
  static const double plates[] = {1e6, 1e7};
  static const double steps[] = {4e-3, 1e-3, 2e-4};
  static char text[4096];
  int at = snprintf(text, sizeof text,
                    "<mujoco><worldbody><geom type='plane' size='9 9 1' friction='%g'/><body "
                    "pos='0 0 .1'><freejoint/><geom type='box' size='2 2 .1' mass='%g' "
                    "friction='.05'/></body>",
                    uniform(0.0, 1.0) < 0.5 ? 0.0 : 0.3, plates[uniform(0.0, 1.0) < 0.5]);
  for (int i = 0; i < RIDERS; ++i)
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "<body pos='%g 0 .2201'><freejoint/><geom %s mass='%g' friction='%.3g'/></body>",
                   0.3 * i,
                   uniform(0.0, 1.0) < 0.5 ? "type='box' size='.02 .015 .02'"
                                           : "type='cylinder' size='.02 .02'",
                   mass, uniform(0.1, 0.8));
  snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.time_step = steps[(int)uniform(0.0, 2.999)];
  double *v = w.data->v;
  v[0] = uniform(0.0, 10.0), v[1] = uniform(-1.0, 1.0), v[5] = uniform(-1.0, 1.0);
  for (int i = 1; i <= RIDERS; ++i) {
    v[6 * i] = v[0] + uniform(-1.5, 1.5), v[6 * i + 1] = uniform(-1.5, 1.5);
    v[6 * i + 5] = uniform(-4.0, 4.0);
  }
  return w;
}

// What the momenta of the riders miss in a step, of their weight.
static double step_misses(mjcf_world *w) {
  const double h = w->settings.time_step;
  double before[6 * (RIDERS + 1)], worst = 0.0;
  memcpy(before, w->data->v, sizeof before);
  mjcf_world_step(w);
  for (int i = 6; i < 6 * (RIDERS + 1); ++i) {
    if (i % 6 > 2) continue;
    const double force = mass * (w->data->v[i] - before[i]) / h + (i % 6 == 2) * mass * gravity;
    worst = fmax(worst, fabs(force - w->data->constraint_joint_force[i]));
  }
  return worst / (mass * gravity);
}

static void riders_keep_their_own_momentum(void **state) {
  (void)state;
  double worst = 0.0;
  for (int k = 0; k < WORLDS; ++k) {
    mjcf_world w = random_world();
    for (int i = 0; i < STEPS; ++i) worst = fmax(worst, step_misses(&w));
    mjcf_world_destroy(&w);
  }
  print_message("missing: %.3g of the weight at most\n", worst);
  assert_true(worst < allowed);
}

static double decade(double lower, double upper) {
  return lower * pow(upper / lower, uniform(0.0, 1.0));
}

/* A wheel or a slide with dry friction in a base that rests and weighs up to a million times as
 * much: friction slows it down by the same in each step, which is lost in the residual of the base.
 * It begins 200 steps above rest, where the row gives way. */
static void dry_friction_of_light_joints_is_kept(void **state) {
  (void)state;
  enum { TAKEN = 60 };
  double worst = 0.0;
  for (int k = 0; k < 200; ++k) {
    const double m = decade(1e-3, 1.0), I = 0.01 * m * decade(0.01, 1.0), rate = decade(0.1, 100.0),
                 dt = decade(1e-4, 5e-3);
    const bool slides = uniform(0.0, 1.0) < 0.5;
    char text[1024];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='%.17g'/><worldbody><geom type='plane' size='9 9 1'/>"
             "<body pos='0 0 .5'><freejoint/><geom type='box' size='1 1 .5' mass='%.17g'/>"
             "<body pos='0 0 1.2'><joint type='%s' axis='%s' frictionloss='%.17g'/>"
             "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/></body></body>"
             "</worldbody></mujoco>",
             dt, m * decade(100.0, 1e6), slides ? "slide" : "hinge", slides ? "1 0 0" : "0 0 1",
             rate * (slides ? m : I), m, I, I, I);
    mjcf_world w = mjcf_world_of(text, NULL);
    for (int i = 0; i < 20; ++i) mjcf_world_step(&w);
    const double loss = TAKEN * rate * dt, start = loss + 200.0 * rate * dt;
    w.data->v[6] = start;
    for (int i = 0; i < TAKEN; ++i) mjcf_world_step(&w);
    worst = fmax(worst, fabs(w.data->v[6] - start + loss) / loss);
    mjcf_world_destroy(&w);
  }
  print_message("dry friction: off by %.2g of what it takes in 60 steps\n", worst);
  assert_true(worst < 0.01);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(riders_keep_their_own_momentum),
                                     cmocka_unit_test(dry_friction_of_light_joints_is_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
