/* tests/laws/test_pressure_rolls_slow.c: round bodies on pressure fields stay where they are put,
 * and go on where they roll: spheres, capsules and cylinders on their sides, rigid or soft, on
 * planes and blocks that are soft or rigid; sizes, moduli, frictions and steps drawn over decades.
 * The contact model `coulomb` keeps the shear of a surface from step to step: a part of the points
 * with more of it than others would turn them.
 *
 * At rest: put down evenly from a hundredth of the radius, after 1 s the middle and the rim move
 * along the ground by less than 1e-6 m/s. They may still sink.
 * Rolling: nothing drives what rolls. The share of its speed that a ball or a cylinder has after
 * half a second is at most that with `lagged`, whose friction is regularised more, and not below
 * that with `lagged` at a slip of 1e-8 m/s, within 1 % of the speed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "mjcf_world.h"
#include "shared_data.h"

enum { WORLDS = 8, ROLLS = 3 };

static double by_log(unsigned long *seed, double low, double high) {
  return exp(random_uniform(seed, log(low), log(high)));
}

typedef struct world_of_one {
  int kind;  // of kinds
  bool soft, soft_floor, block;
  double radius, half, floor_depth;    // [m]
  double modulus, floor_modulus;       // [Pa]
  double friction, mass, height, yaw;  // [-], [kg], [m], [rad]
} world_of_one;

static mjcf_world make(const world_of_one *w) {
  static const char *const kinds[] = {"sphere", "capsule", "cylinder"};
  char text[1000], floor[300], own[60] = "", under[120] = "";
  if (w->soft) snprintf(own, sizeof own, "limpet:elastic_modulus='%.9g'", w->modulus);
  if (w->soft_floor)
    snprintf(under, sizeof under, "limpet:elastic_modulus='%.9g' limpet:slab_thickness='%.9g'",
             w->floor_modulus, w->floor_depth);
  if (w->block)
    snprintf(floor, sizeof floor, "type='box' size='1.5 1.4 %.9g' pos='.01 .02 %.9g'",
             w->floor_depth, -w->floor_depth);
  else snprintf(floor, sizeof floor, "type='plane' size='1 1 .1'");
  const double h = sqrt(0.5), c = h * cos(0.5 * w->yaw), s = h * sin(0.5 * w->yaw);
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom %s friction='%.9g' %s/><body pos='0 0 %.12g' "
           "quat='%.12g %.12g %.12g %.12g'><freejoint/><geom type='%s' size='%.9g %.9g' "
           "mass='%.9g' friction='%.9g' %s/></body></worldbody></mujoco>",
           floor, w->friction, under, w->height, c, c, s, s, kinds[w->kind], w->radius, w->half,
           w->mass, w->friction, own);
  return mjcf_world_of(text, NULL);
}

static void draw(unsigned long *seed, int number, world_of_one *w) {
  for (int k = 0; k < 5; ++k) random_uniform(seed, 0.0, 1.0);
  *w = (world_of_one){.kind = number % 3};
  const int soft = (int)random_uniform(seed, 0.0, 2.999);
  w->soft = soft != 0, w->soft_floor = soft != 1;
  w->block = random_uniform(seed, 0.0, 1.0) < 0.5;
  w->radius = by_log(seed, 0.01, 0.2), w->half = w->radius * by_log(seed, 0.3, 2.0);
  w->floor_depth = w->radius * by_log(seed, 0.5, 3.0);
  w->modulus = by_log(seed, 1e5, 1e8), w->floor_modulus = by_log(seed, 1e5, 1e8);
  w->friction = by_log(seed, 0.05, 1.5);
  w->yaw = random_uniform(seed, -1.5, 1.5);
  // of water's density, or what sinks in by about a tenth of the radius
  const double R = w->radius, softest = fmin(w->soft ? w->modulus : INFINITY,
                                             w->soft_floor ? w->floor_modulus : INFINITY);
  w->mass = fmin(6.0e3 * R * R * (R + w->half), 0.01 * softest * R * R / 9.81);
  w->height = 1.01 * R;
}

static void what_is_put_down_stays(void **state) {
  (void)state;
  double worst = 0.0;
  int failed = 0;
  for (int i = 0; i < WORLDS; ++i) {
    unsigned long seed = 300UL + (unsigned long)i;
    world_of_one w;
    draw(&seed, i, &w);
    mjcf_world world = make(&w);
    world.settings.time_step = by_log(&seed, 1.5e-3, 1e-2);
    for (int k = 0; k < (int)(1.0 / world.settings.time_step); ++k) mjcf_world_step(&world);
    const double *v = world.data->v;
    const double turn = sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]),
                 speed = fmax(hypot(v[0], v[1]), turn * w.radius);
    worst = fmax(worst, speed);
    if (!(speed < 1e-6)) {
      ++failed;
      printf("world %d, kind %d, %s on %s, step %.2g s: %.3g m/s\n", i, w.kind,
             w.soft ? "soft" : "rigid", w.soft_floor ? "soft" : "rigid", world.settings.time_step,
             speed);
    }
    mjcf_world_destroy(&world);
  }
  printf("at rest: worst %.2g m/s\n", worst);
  assert_int_equal(failed, 0);
}

// The share of its speed that is left.
static double rolled(const world_of_one *w, const char *contact, double sharp, double speed,
                     double dt) {
  mjcf_world world = make(w);
  limpet_step_settings_contact_model(&world.settings, limpet_contact_model_find(contact));
  world.settings.time_step = dt;
  if (sharp > 0.0)
    world.settings.stiction_speed = sharp, world.settings.friction_regularization = 0.0;
  world.data->v[0] = speed, world.data->v[5] = -speed / w->radius;
  for (int i = 0; i < (int)(0.5 / dt); ++i) mjcf_world_step(&world);
  const double left = world.data->v[0] / speed;
  mjcf_world_destroy(&world);
  return left;
}

static void what_rolls_goes_on(void **state) {
  (void)state;
  for (int i = 0; i < ROLLS; ++i) {
    unsigned long seed = 900UL + (unsigned long)i;
    world_of_one w;
    draw(&seed, 2 * i, &w);
    w.yaw = 0.0, w.block = false;
    if (i % 4 == 0) w.soft_floor = true;
    if (w.kind == 1) w.kind = 2;
    // at the depth that its weight asks for, about
    const double R = w.radius,
                 slope = w.soft_floor ? w.floor_modulus / w.floor_depth : w.modulus / R,
                 depth = R * by_log(&seed, 3e-4, 1e-2);
    if (w.soft_floor) w.soft = false;
    w.mass = w.kind == 0 ? slope * 3.14159265 * R * depth * depth / 9.81
                         : slope * w.half * 8.0 / 3.0 * sqrt(2.0 * R) * pow(depth, 1.5) / 9.81;
    w.height = R - depth;
    const double speed = by_log(&seed, 1e-3, 0.3), dt = by_log(&seed, 1e-3, 5e-3);
    const double own = rolled(&w, "coulomb", 0.0, speed, dt),
                 lagged = rolled(&w, "lagged", 0.0, speed, dt),
                 sharp = rolled(&w, "lagged", 1e-8, speed, dt);
    if (!(own < lagged + 0.01 && own > sharp - 0.01))
      fail_msg("%d: %.5f of the speed is left, with lagged %.5f, with sharp friction %.5f", i, own,
               lagged, sharp);
    printf("%.4f of the speed is left, with lagged %.4f, with sharp friction %.4f\n", own, lagged,
           sharp);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_put_down_stays),
                                     cmocka_unit_test(what_rolls_goes_on)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
