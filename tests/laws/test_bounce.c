/* tests/laws/test_bounce.c: restitution in the model coulomb: heights, energy, rest. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mjcf_text.h"
#include "math/vec3.h"
#include "mjcf_world.h"
#include "random_models.h"

static mjcf_world ball(double e, double height) {
  char text[512];
  snprintf(text, sizeof text,
           MODEL("<default><geom limpet:restitution='%.17g'/></default><worldbody>"
                 "<geom type='plane' size='5 5 .1'/><body pos='0 0 %.17g'><freejoint/>"
                 "<geom size='.05'/></body></worldbody>"),
           e, 0.05 + height);
  return mjcf_world_of(text, "coulomb");
}

// Height [m] of the ball's lowest point at the top of its first bounce.
static double first_bounce(double e, double height) {
  mjcf_world world = ball(e, height);
  double apex = 0.0;
  for (bool up = false; world.data->time < 5.0;) {
    mjcf_world_step(&world);
    up = up || world.data->v[2] > 1e-6;
    if (up) apex = fmax(apex, world.data->q[2] - 0.05);
    if (up && world.data->v[2] < 0.0) break;
  }
  mjcf_world_destroy(&world);
  return apex;
}

// Within the larger of 1 % of e^2 h and 0.1 mm, for ten heights from 3 cm to 3 m, at 2 ms.
static void heights_are_those_of_the_coefficient(void **state) {
  (void)state;
  static const double e[] = {0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0};
  double worst = 0.0;
  for (int k = 0; k < 7; ++k)
    for (int i = 0; i < 10; ++i) {
      const double height = 0.03 * pow(100.0, i / 9.0) + 1.3e-4 * i;
      const double expected = e[k] * e[k] * height, got = first_bounce(e[k], height);
      const double error = fabs(got - expected) / fmax(0.01 * expected, 1e-4);
      worst = fmax(worst, error);
      if (!(error < 1.0)) printf("e %g, height %g: %g, not %g\n", e[k], height, got, expected);
    }
  printf("worst error over what is allowed: %.3g\n", worst);
  assert_true(worst < 1.0);
}

/* A box with e = 0.5 that is dropped on an edge comes to rest. Its energy is never above that of
 * the three steps before: an impact takes two steps, three where two corners hit one after the
 * other, and what the last gives back the first has stored. */
static void energy_falls_to_rest(void **state) {
  (void)state;
  mjcf_world world = mjcf_world_of(
      MODEL("<default><geom limpet:restitution='.5'/></default><worldbody>"
            "<geom type='plane' size='5 5 .1'/><body pos='0 0 .3' euler='20 35 0'><freejoint/>"
            "<geom type='box' size='.05 .07 .04'/></body></worldbody>"),
      "coulomb");
  world.settings.energy = true;
  double before[3] = {INFINITY, INFINITY, INFINITY}, rise = 0.0;
  while (world.data->time < 3.0) {
    mjcf_world_step(&world);
    const double energy = world.data->info.kinetic_energy + world.data->info.potential_energy;
    rise = fmax(rise, energy - fmax(before[0], fmax(before[1], before[2])));
    before[2] = before[1], before[1] = before[0], before[0] = energy;
  }
  double speed = 0.0;
  for (int i = 0; i < 6; ++i) speed = fmax(speed, fabs(world.data->v[i]));
  printf("energy rose by %.3g J at most, speed at the end %.3g\n", rise, speed);
  assert_true(rise < 1e-9);
  assert_true(speed < 1e-6);
  mjcf_world_destroy(&world);
}

// Kinetic, potential and stored energy [J] at the end of a step.
static double energy_of(const limpet_data *data) {
  const limpet_step_info *info = &data->info;
  return info->kinetic_energy + info->potential_energy + info->contact_energy;
}

// A rod [1 kg] without weight that lands on its end, in a slide and with a spin.
typedef struct rod {
  double e, friction, angle, v[3], spin;  // [-], [-], [rad], [m/s], [rad/s]
} rod;

// Energy [-] after the bounce of a rod over that before; *most [-]: at any time; *held: steps with
// slower rebounds.
static double energy_left(const rod *r, double dt, double *most, int *held) {
  const double length = 0.2, radius = 0.01, half = 0.25 * LIMPET_PI - 0.5 * r->angle;
  char text[1024];
  snprintf(text, sizeof text,
           MODEL("<option timestep='%.17g' gravity='0 0 0'/><worldbody>"
                 "<geom type='plane' size='5 5 1' friction='%.17g'/>"
                 "<body pos='0 0 %.17g' quat='%.17g 0 %.17g 0'><freejoint/><geom type='capsule'"
                 " size='%.17g %.17g' mass='1' friction='%.17g' limpet:restitution='%.17g'/>"
                 "</body></worldbody>"),
           dt, r->friction, length * sin(r->angle) + radius + 0.06, cos(half), sin(half), radius,
           length, r->friction, r->e);
  mjcf_world world = mjcf_world_of(text, "coulomb");
  world.settings.energy = true;
  memcpy(world.data->v, r->v, sizeof r->v);
  world.data->v[4] = r->spin;
  double first = 0.0, rise = 0.0;
  *most = 0.0, *held = 0;
  while (world.data->time < 0.12) {
    mjcf_world_step(&world);
    if (first == 0.0) first = energy_of(world.data);
    *most = fmax(*most, energy_of(world.data) / first);
    *held += world.data->info.restrained_rebounds > 0;
    rise = fmax(rise, world.data->info.energy_rise);
  }
  assert_true(rise <= 1e-9 * first);
  const double left = world.data->info.kinetic_energy / first;
  mjcf_world_destroy(&world);
  return left;
}

/* Kane's paradox: by Newton's coefficient alone these rods have 1.12 and 1.33 times their energy
 * after the bounce. They bounce, and gain nothing, at any step. How much they keep depends on where
 * in a step they land, by up to a tenth: a part of the impact is left to the second step, and
 * friction turns round between them. */
static void rods_that_land_on_their_end_gain_nothing(void **state) {
  (void)state;
  static const rod rods[] = {{0.99, 0.81, 0.9, {0.5, 0.0, -0.73}, -4.79},
                             {0.95, 1.42, 0.93, {0.62, 0.0, -0.7}, 14.99}};
  for (int k = 0; k < 2; ++k) {
    double finest = 0.0, worst = 0.0;
    for (int i = 0; i < 6; ++i) {
      double most;
      int held;
      const double dt = 1e-3 * pow(0.5, 5 - i), left = energy_left(&rods[k], dt, &most, &held);
      printf("rod %d, %g ms: %.4f of its energy is left\n", k, 1e3 * dt, left);
      assert_true(most <= 1.0 + 1e-9);
      assert_true(held > 0);
      if (i == 0) finest = left;
      worst = fmax(worst, fabs(left - finest));
    }
    assert_true(finest > 0.3 && worst < 0.12);
  }
}

/* Bodies of all shapes and masses of three decades that are thrown at the floor and at each other,
 * e 0.05 to 1, friction 0.01 to 1.5, steps of 0.1 to 5 ms: their energy, with what impacts leave
 * for the rebound, is never above that at the start. */
static void tosses_gain_nothing(void **state) {
  (void)state;
  static const char *const shape[] = {"box", "capsule", "cylinder", "sphere", "ellipsoid"};
  unsigned long seed = 7;
  double worst = 0.0;
  int held = 0;
  for (int k = 0; k < 40; ++k) {
    char text[4096];
    const double dt = random_log(&seed, 1e-4, 5e-3), friction = random_log(&seed, 0.01, 1.5);
    int at = snprintf(text, sizeof text,
                      "<mujoco xmlns:limpet='limpet'><option timestep='%.17g' gravity='0 0 %g'/>"
                      "<default><geom friction='%.17g' limpet:restitution='%.17g'/></default>"
                      "<worldbody><geom type='plane' size='5 5 1'/>",
                      dt, k % 2 ? -9.81 : 0.0, friction, random_log(&seed, 0.05, 1.0));
    for (int b = 0; b < 1 + k % 3; ++b)
      at += snprintf(text + at, sizeof text - (size_t)at,
                     "<body pos='%g %g %g' euler='%g %g 20'><freejoint/>"
                     "<geom type='%s' size='%g %g %g' mass='%g'/></body>",
                     0.02 * b, -0.01 * b, 0.25 + 0.3 * b, random_log(&seed, 1.0, 90.0),
                     random_log(&seed, 1.0, 90.0), shape[(k + b) % 5], random_log(&seed, 0.01, 0.1),
                     random_log(&seed, 0.01, 0.1), random_log(&seed, 0.01, 0.1),
                     random_log(&seed, 0.01, 10.0));
    snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
    mjcf_world world = mjcf_world_of(text, "coulomb");
    world.settings.energy = true;
    for (int i = 0; i < world.model->nv; ++i)
      world.data->v[i] = (i % 2 ? 1.0 : -1.0) * random_log(&seed, 0.1, i % 6 < 3 ? 2.0 : 10.0);
    for (int i = 2; i < world.model->nv; i += 6) world.data->v[i] = -3.0;
    double first = 0.0;
    while (world.data->time < 0.4) {
      mjcf_world_step(&world);
      if (first == 0.0) first = energy_of(world.data);
      worst = fmax(worst, energy_of(world.data) / first - 1.0);
      held += world.data->info.restrained_rebounds > 0;
    }
    mjcf_world_destroy(&world);
  }
  printf("energy rose by %.3g of it at most; %d steps with slower rebounds\n", worst, held);
  assert_true(worst < 1e-9);
  assert_true(held > 0);
}

// A weight rises by a whole step at the speed of its rebound, which has paid for that: no rise.
static void a_bounce_tells_no_rise(void **state) {
  (void)state;
  mjcf_world world = ball(0.74, 0.4);
  world.settings.energy = true;
  double rise = 0.0, first = 0.0;
  while (world.data->time < 1.0) {
    mjcf_world_step(&world);
    if (first == 0.0) first = energy_of(world.data);
    rise = fmax(rise, world.data->info.energy_rise / first);
  }
  printf("energy that rose in a step, told: %.3g of it\n", rise);
  assert_true(rise < 1e-9);
  mjcf_world_destroy(&world);
}

/* A ball on a box, both with e = 0.3: they fall together, so that their own free motion tells of no
 * weight. Impacts of rest are none. */
static void a_ball_on_a_box_comes_to_rest(void **state) {
  (void)state;
  mjcf_world world = mjcf_world_of(
      MODEL("<option timestep='.0005'/><default><geom limpet:restitution='.3'/></default>"
            "<worldbody><geom type='plane' size='5 5 .1'/>"
            "<body pos='0 0 .3'><freejoint/><geom type='box' size='.05 .1 .02'/></body>"
            "<body pos='0 0 .6'><freejoint/><geom size='.04'/></body></worldbody>"),
      "coulomb");
  mjcf_world_run(&world, 1.0);
  double speed = 0.0;
  for (int k = 0; k < 10; ++k) {
    mjcf_world_step(&world);
    for (int i = 0; i < 12; ++i) speed = fmax(speed, fabs(world.data->v[i]));
  }
  printf("speed at the end %.3g\n", speed);
  assert_true(speed < 1e-8);
  mjcf_world_destroy(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heights_are_those_of_the_coefficient),
      cmocka_unit_test(energy_falls_to_rest),
      cmocka_unit_test(a_bounce_tells_no_rise),
      cmocka_unit_test(a_ball_on_a_box_comes_to_rest),
      cmocka_unit_test(rods_that_land_on_their_end_gain_nothing),
      cmocka_unit_test(tosses_gain_nothing),
  };
  return cmocka_run_group_tests_name("bounce", tests, NULL, NULL);
}
