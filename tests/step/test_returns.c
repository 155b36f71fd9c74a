/* tests/step/test_returns.c: what begins apart, inside or beyond a limit gets the energy that its
 * law states, all of it told as return_work, and springs of loops and limits give what they store.
 *
 * Masses over six decades, steps and gaps over two; mass points, so that closed forms hold. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "limpet/constraint.h"
#include "mjcf_world.h"
#include "random_models.h"

static unsigned long seed;

static double log_uniform(double low, double high) { return random_log_uniform(&seed, low, high); }

// What leads a ball of `mass` back over the gap [m].
enum { LOOP, LIMIT, CONTACT, KINDS };

static mjcf_world world_of(int kind, double mass, double gap, double dt, const char *gravity) {
  static const char *const texts[] = {
      // a site of the world and one of the ball
      "<mujoco><option timestep='%.17g' gravity='%s'/><worldbody><site name='a'/>"
      "<body pos='0 0 %.17g'><freejoint/><geom size='.1' mass='%.17g'/><site name='b'/></body>"
      "</worldbody><equality><connect site1='a' site2='b'/></equality></mujoco>",
      // beyond its lower limit
      "<mujoco><option timestep='%.17g' gravity='%s'/><worldbody>"
      "<body pos='0 0 %.17g'><joint type='slide' axis='0 0 1' limited='true' range='0 9'/>"
      "<geom size='.1' mass='%.17g'/></body></worldbody></mujoco>",
      // within the floor
      "<mujoco><option timestep='%.17g' gravity='%s'/><worldbody><geom type='plane' size='9 9 1'/>"
      "<body pos='0 0 %.17g'><freejoint/><geom type='sphere' size='9' mass='%.17g'/></body>"
      "</worldbody></mujoco>"};
  char text[1024];
  const double height = kind == LOOP ? -gap : kind == LIMIT ? 0.0 : 9.0 - gap;
  snprintf(text, sizeof text, texts[kind], dt, gravity, height, mass);
  mjcf_world w = mjcf_world_of(text, NULL);
  if (kind == LIMIT) w.data->q[0] = -gap;
  w.settings.energy = true;
  return w;
}

// [m/s]  at which it comes back: slides as contacts do.
static double speed_of(const mjcf_world *w, int kind) {
  return kind == LOOP ? w->settings.return_speed : 1.0 / 50.0;
}

/* Without weight: the first step gives mass v^2/2 at the speed v of the law, no other step gives
 * any, and nothing rises. */
static void a_return_has_the_energy_of_its_speed(void **state) {
  (void)state;
  double worst = 0.0;
  for (int trial = 0; trial < 90; ++trial) {
    const int kind = trial % KINDS;
    seed = 100 + (unsigned long)trial;
    const double mass = log_uniform(1e-3, 1e3), dt = log_uniform(1e-4, 1e-2),
                 gap = log_uniform(0.1, 1.0);
    mjcf_world w = world_of(kind, mass, gap, dt, "0 0 0");
    const limpet_step_info *info = &w.data->info;
    const double speed = speed_of(&w, kind), stated = 0.5 * mass * speed * speed;
    double sum = 0.0;
    for (int i = 0; i < 200; ++i) {
      mjcf_world_step(&w);
      sum += info->return_work;
      assert_true(info->kinetic_energy <= stated * (1.0 + 1e-5));
      if (!(info->energy_rise <= 1e-5 * stated))
        fail_msg("trial %d, step %d: rose by %g J of %g J", trial, i, info->energy_rise, stated);
      assert_true(info->constraint_energy == 0.0);
      // 1/(1 + c) of the speed, c = beta^2/(4 pi^2) of a limit 2.5e-4; contacts are softer
      if (i == 0) {
        worst = fmax(worst, 1.0 - info->return_work / stated);
        assert_true(fabs(info->return_work - info->kinetic_energy) <= 1e-5 * stated);
      }
    }
    assert_true(fabs(sum - stated) <= 0.01 * stated);
    mjcf_world_destroy(&w);
  }
  printf("returns: the first step has up to %.2g less than mass v^2/2\n", worst);
  assert_true(worst < 0.01);
}

/* What is lifted on its way back takes its weight times the way from what leads it. Positions lead
 * velocities by half a step then: that is told once, where the body is let go. */
static void a_return_lifts(void **state) {
  (void)state;
  int let_go = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const int kind = trial % KINDS;
    seed = 300 + (unsigned long)trial;
    const double mass = log_uniform(1e-3, 1e3), dt = log_uniform(1e-4, 1e-2),
                 gap = kind == LIMIT ? 0.02 * dt * log_uniform(3.0, 300.0) : log_uniform(0.1, 1.0),
                 weight = 9.81 * mass;
    mjcf_world w = world_of(kind, mass, gap, dt, "0 0 -9.81");
    const limpet_step_info *info = &w.data->info;
    const double start = weight * w.data->q[kind == LIMIT ? 0 : 2];
    double put_in = 0.0, risen = 0.0, magnitude = weight * gap;
    for (int i = 0; i < 20; ++i) {
      mjcf_world_step(&w);
      put_in += info->return_work;
      risen += info->energy_rise;
      magnitude = fmax(magnitude, info->kinetic_energy);
    }
    const double there = info->kinetic_energy + info->potential_energy - start,
                 lead = 0.5 * dt * weight * speed_of(&w, kind);
    const bool free = w.data->constraint_count + w.data->contact_count == 0;
    let_go += free;
    // a loop that has closed takes the speed again
    if (!(there - put_in <= 3e-5 * magnitude + 1.01 * lead &&
          (kind == LOOP || there - put_in >= -3e-5 * magnitude - 1.01 * lead) &&
          risen <= 3e-5 * magnitude + (free ? 1.01 * lead : 0.0)))
      fail_msg("trial %d: %g J there, %g J put in, %g J risen, lead %g J", trial, there, put_in,
               risen, lead);
    mjcf_world_destroy(&w);
  }
  assert_true(let_go > 0);
}

/* A cloth that begins in the floor by its radius is lifted by it: its vertices move by backward
 * Euler, so that contacts give their impulse times the speed of the end. */
static void a_return_lifts_a_cloth(void **state) {
  (void)state;
  for (int trial = 0; trial < 20; ++trial) {
    char text[512];
    seed = 500 + (unsigned long)trial;
    const double mass = log_uniform(1e-2, 1e2), dt = log_uniform(1e-3, 2e-2),
                 radius = log_uniform(3e-4, 3e-3), weight = 9.81 * mass;
    snprintf(text, sizeof text,
             "<mujoco><option timestep='%.9g'/><worldbody><geom type='plane' size='1 1 1'/>"
             "<flexcomp name='c' type='grid' dim='2' count='4 4 1' spacing='.05 .05 .05' "
             "radius='%.9g' mass='%.9g'><edge equality='true'/><contact selfcollide='none'/>"
             "</flexcomp></worldbody></mujoco>",
             dt, radius, mass);
    mjcf_world w = mjcf_world_of(text, NULL);
    const limpet_step_info *info = &w.data->info;
    w.settings.energy = true;
    double put_in = 0.0, risen = 0.0;
    const int steps = (int)(radius / (0.02 * dt)) + 4;  // at 20 mm/s
    for (int i = 0; i < steps; ++i) {
      mjcf_world_step(&w);
      put_in += info->return_work;
      risen += info->energy_rise;
    }
    if (!(risen <= 1e-6 * weight * radius && put_in >= 0.9 * weight * radius))
      fail_msg("trial %d: %g J put in, %g J risen, %g J lifted", trial, put_in, risen,
               weight * radius);
    mjcf_world_destroy(&w);
  }
}

// A loop or a limit that is a spring: it gives what it stores, no more, and nothing is led back.
static void a_spring_gives_what_it_stores(void **state) {
  (void)state;
  for (int trial = 0; trial < 60; ++trial) {
    const bool limit = trial % 2 == 1;
    seed = 500 + (unsigned long)trial;
    const double mass = log_uniform(1e-3, 1e3), dt = log_uniform(1e-4, 1e-2),
                 gap = log_uniform(1e-2, 1.0), turn = log_uniform(0.01, 0.3);
    mjcf_world w = world_of(limit ? LIMIT : LOOP, mass, gap, dt, "0 0 0");
    const limpet_impedance impedance = {.reference = {-turn * turn / (dt * dt), -1e-3 * turn / dt},
                                        .impedance = {0.5, 0.5, 1e-3, 0.5, 2.0}};
    if (limit) {
      w.model->joint_has_limit_impedance[0] = true;
      w.model->joint_limit_impedance[0] = impedance;
    } else {
      w.model->loop_has_impedance[0] = true;
      w.model->loop_impedance[0] = impedance;
    }
    const limpet_step_info *info = &w.data->info;
    // K = k/((1 - d) w) with the inverse weight w, d = 1/2, k = turn^2/dt^2 (law/impedance.h)
    const double K = 2.0 * turn * turn / (dt * dt) * mass, stored = 0.5 * K * gap * gap;
    double most = 0.0;
    for (int i = 0; i < 100; ++i) {
      mjcf_world_step(&w);
      const double energy = info->kinetic_energy + info->constraint_energy;
      if (i == 0 && !(energy > 0.7 * stored && energy <= stored * (1.0 + 1e-9)))
        fail_msg("trial %d: %g J of %g J", trial, energy, stored);
      most = fmax(most, info->kinetic_energy);
      assert_true(info->kinetic_energy <= stored * (1.0 + 1e-9));
      assert_true(info->return_work <= 1e-12 * stored);
      if (!(info->energy_rise <= 1e-9 * stored))
        fail_msg("trial %d, step %d: rose by %g J of %g J", trial, i, info->energy_rise, stored);
    }
    assert_true(most > 0.1 * stored);
    mjcf_world_destroy(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_return_has_the_energy_of_its_speed), cmocka_unit_test(a_return_lifts),
      cmocka_unit_test(a_return_lifts_a_cloth), cmocka_unit_test(a_spring_gives_what_it_stores)};
  return cmocka_run_group_tests_name("returns", tests, NULL, NULL);
}
