/* tests/constraint/test_limit_return.c: what starts outside of a limit is led back so that masses
 * move with 20 mm/s, whatever the joint or tendon, the masses and the step are.
 *
 * Masses over six decades, lengths over two, steps of 0.05 to 5 ms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mjcf_world.h"
#include "random_models.h"

static const double led = 0.02;  // [m/s]

static unsigned long seed;

static double between(double low, double high) { return random_log_uniform(&seed, low, high); }

enum { SLIDE, HINGE, BALL, FIXED, SPATIAL, KINDS };
static const char *const kind_names[KINDS] = {"slide", "hinge", "ball", "fixed tendon",
                                              "spatial tendon"};

/* %s: time step, gravity; lengths and masses of two links, with the tendon. The lower link of one
 * with a limit of its own is welded on. Limits are at a coordinate or length of 1 or less. */
static const char scene[] =
    "<mujoco><compiler angle='radian'/><option timestep='%.17g' gravity='0 0 %.17g'/><worldbody>"
    "<site name='a' pos='0 0 %.17g'/><body>%s"
    "<geom type='box' size='%.17g %.17g %.17g' pos='0 0 %.17g' mass='%.17g'/>"
    "<body pos='0 0 %.17g'>%s<geom type='sphere' size='%.17g' mass='%.17g'/>"
    "<site name='b' pos='%.17g 0 0'/></body></body></worldbody>%s</mujoco>";

typedef struct sample {
  int kind;
  double dt, length, mass[2], out;  // out [m]  by which it starts outside, on its length
} sample;

static sample sample_draw(int kind) {
  return (sample){.kind = kind,
                  .dt = between(5e-5, 5e-3),
                  .length = between(0.03, 3.0),
                  .mass = {between(1e-3, 1e3), between(1e-3, 1e3)},
                  .out = between(0.02, 0.3)};
}

static mjcf_world world_of(const sample *s, double gravity) {
  static const char *const joints[KINDS] = {
      "<joint type='slide' axis='0 0 1' range='0 9'/>", "<joint axis='0 1 0' range='0 3'/>",
      "<joint type='ball' range='0 %.17g'/>", "<joint name='j' axis='0 1 0'/>",
      "<joint axis='0 1 0'/>"};
  static const char *const tendons[KINDS] = {
      "", "", "",
      "<tendon><fixed range='0 9'><joint joint='j' coef='1'/>"
      "<joint joint='k' coef='.7'/></fixed></tendon>",
      "<tendon><spatial range='0 %.17g'><site site='a'/><site site='b'/></spatial></tendon>"};
  char joint[128], tendon[256], text[2048];
  const double r = s->length / 10.0, start = s->kind == BALL ? s->out : 0.0, L = s->length;
  snprintf(joint, sizeof joint, joints[s->kind], 1.0);
  // from 2 L above the axle to the side of the lower end: 3 L and more below it
  snprintf(tendon, sizeof tendon, tendons[s->kind], (2.5 - s->out) * L);
  snprintf(text, sizeof text, scene, s->dt, gravity, 2.0 * L, joint, r, r, 0.5 * L, -0.5 * L,
           s->mass[0], -L, s->kind >= FIXED ? "<joint name='k' axis='0 1 0' pos='0 0 .01'/>" : "",
           r, s->mass[1], 0.3 * L, tendon);
  mjcf_world w = mjcf_world_of(text, NULL);
  if (s->kind == BALL) {
    w.data->q[0] = cos(0.5 * (1.0 + start));
    w.data->q[1] = sin(0.5 * (1.0 + start));
  } else if (s->kind == SLIDE) {
    w.data->q[0] = -s->out * L;
  } else {
    w.data->q[0] = s->kind == SPATIAL ? 0.5 : -s->out;
  }
  w.settings.energy = true;
  return w;
}

// Without weight the masses have m v^2/2 of 20 mm/s at most.
static void masses_move_as_contacts_come_out(void **state) {
  (void)state;
  double most[KINDS] = {0};
  for (int trial = 0; trial < 200; ++trial) {
    seed = 100 + (unsigned long)trial;
    const sample s = sample_draw(trial % KINDS);
    mjcf_world w = world_of(&s, 0.0);
    const double stated = 0.5 * (s.mass[0] + s.mass[1]) * led * led;
    for (int i = 0; i < 200; ++i) {
      mjcf_world_step(&w);
      most[s.kind] = fmax(most[s.kind], w.data->info.kinetic_energy / stated);
    }
    mjcf_world_destroy(&w);
  }
  for (int k = 0; k < KINDS; ++k)
    print_message("%s: at most %.4g of m v^2/2\n", kind_names[k], most[k]);
  for (int k = 0; k < KINDS; ++k) assert_true(most[k] < 1.01 && most[k] > 0.5);
}

/* Of a hinge, with a weight that pulls it out, until it has come back and rests: closed form, at
 * steps of 4 to 0.125 ms. It is off by what a step goes, and flies 20 um over the limit. */
static void motion_converges_with_the_step(void **state) {
  (void)state;
  const double length = 0.4, radius = 0.04, out = 0.05,
               arm = sqrt(length * length + 0.4 * radius * radius), speed = led / arm,
               over = 0.5 * led * led / (9.81 * length);
  double worst = 0.0;
  for (double dt = 4e-3; dt > 1e-4; dt *= 0.5) {
    char text[512];
    snprintf(text, sizeof text,
             "<mujoco><compiler angle='radian'/><option timestep='%.17g'/><worldbody><body>"
             "<joint axis='0 1 0' range='-3 0'/><geom type='sphere' size='%.17g' pos='%.17g 0 0' "
             "mass='2'/></body></worldbody></mujoco>",
             dt, radius, length);
    mjcf_world w = mjcf_world_of(text, NULL);
    double peak = 0.0;
    w.data->q[0] = out;
    w.settings.energy = true;
    while (w.data->time < 1.5 * out / speed) {
      mjcf_world_step(&w);
      peak = fmax(peak, w.data->info.kinetic_energy);
      const double expected = fmax(0.0, out - speed * w.data->time);
      worst = fmax(worst, (fabs(w.data->q[0] - expected) - over) / (dt * speed));
    }
    assert_true(peak < 1.01 * 0.5 * 2.0 * led * led && fabs(w.data->v[0]) < 1e-6);
    mjcf_world_destroy(&w);
  }
  print_message("off by %.3g steps' way at most\n", worst);
  assert_true(worst < 1.5);
}

/* A slide or hinge that is pulled out by what would make it 10 m/s faster in a step, 200 times its
 * weight at 5 ms and 10,000 times at 0.1 ms, is led back all the same. Half as much again counts as
 * a jam (step/restrain.c). */
static void loads_are_carried(void **state) {
  (void)state;
  double worst = 0.0;
  for (int trial = 0; trial < 100; ++trial) {
    seed = 400 + (unsigned long)trial;
    const sample s = sample_draw(trial % 2 == 0 ? SLIDE : HINGE);
    mjcf_world w = world_of(&s, 0.0);
    const double start = w.data->q[0], load = between(1.0, fmin(1e4, 10.0 / (9.81 * s.dt)));
    w.data->applied_force[0] =
        -load * 9.81 * (s.mass[0] + s.mass[1]) * (s.kind == HINGE ? s.length : 1.0);
    double last = start;
    for (int i = 0; i < 400; ++i) {
      mjcf_world_step(&w);
      // a step may give way to what begins to pull by what a near-rigid limit gives way
      worst = fmax(worst, (last - w.data->q[0]) / s.length), last = w.data->q[0];
    }
    if (!(last > start))
      fail_msg("%s, trial %d: sags by %g under %g", kind_names[s.kind], trial, start - last, load);
    mjcf_world_destroy(&w);
  }
  print_message("goes out by %.3g of its length in a step at most\n", worst);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(masses_move_as_contacts_come_out),
                                     cmocka_unit_test(motion_converges_with_the_step),
                                     cmocka_unit_test(loads_are_carried)};
  return cmocka_run_group_tests_name("limit_return", tests, NULL, NULL);
}
