/* tests/laws/test_heavy_loads.c: light things that carry heavy ones: contacts, limits of joints and
 * tendons, and servos are as hard as what they carry asks for.
 *
 * A near-rigid contact that carries itself gives way by g (beta dt/2 pi)^2, and what carries a load
 * by at most a thousand times that, whatever the masses: 10 um at 2 ms. With the stiffness of its
 * own weight a part of 1 g gives way under 1 t by 10 mm, and a joint at its limit by 40 mm. What
 * only lies on something heavy is as hard as it was. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_world.h"

enum { DRAWS = 24 };
static const double gravity = 9.81, light = 1e-3;  // [m/s^2], [kg]

static unsigned long seed = 11;

static double uniform(double lower, double upper) {
  seed = (seed * 1103515245UL + 12345UL) & 0x7fffffffUL;
  return lower + (upper - lower) * (double)seed / 0x7fffffff;
}

static double log_uniform(double lower, double upper) {
  return lower * pow(upper / lower, uniform(0.0, 1.0));
}

// [m]  by which a contact gives way that carries itself.
static double own_way(double dt) {
  const double period = 0.1 * dt / (2.0 * 3.14159265358979);
  return gravity * period * period;
}

static double deepest(const mjcf_world *w) {
  double deep = 0.0;
  for (int i = 0; i < w->data->contact_count; ++i) deep = fmax(deep, -w->data->contact_distance[i]);
  return deep;
}

static mjcf_world world_of(const char *bodies, double dt) {
  static char text[4096];
  snprintf(text, sizeof text,
           "<mujoco><compiler angle='radian' autolimits='true'/><option timestep='%.17g' "
           "gravity='0 0 -%g'/>%s</mujoco>",
           dt, gravity, bodies);
  return mjcf_world_of(text, NULL);
}

// A box on three light ones of the mass m, on the floor.
static void boxes(char *text, size_t size, double m, double load) {
  int at = snprintf(text, size, "<worldbody><geom type='plane' size='2 2 .1'/>");
  for (int i = 0; i < 3; ++i)
    at += snprintf(text + at, size - (size_t)at,
                   "<body pos='%g %g .05'><freejoint/><geom type='box' size='.03 .03 .05' "
                   "mass='%.17g'/></body>",
                   i == 0 ? 0.2 : -0.2,
                   i == 0   ? 0.0
                   : i == 1 ? 0.2
                            : -0.2,
                   m);
  snprintf(text + at, size - (size_t)at,
           "<body pos='0 0 .2'><freejoint/><geom type='box' size='.4 .4 .1' mass='%.17g'/></body>"
           "</worldbody>",
           load);
}

// A light leg, at the end of its joint, that carries a heavy body on a slide.
static void leg(char *text, size_t size, double m, double load) {
  snprintf(text, size,
           "<worldbody><geom type='plane' size='2 2 .1'/><body pos='0 0 .02'><joint type='slide' "
           "axis='0 0 1'/><inertial mass='%.17g' pos='0 0 0' diaginertia='1 1 1'/><body><joint "
           "axis='0 1 0' range='-.02 0'/><inertial mass='%.17g' pos='.05 0 0' diaginertia='%.17g "
           "%.17g %.17g'/><geom type='sphere' size='.02' pos='.1 0 0' mass='0'/></body></body>"
           "</worldbody>",
           load, m, m * 1e-4, m * 1e-3, m * 1e-3);
}

// A light plate on a rope that is taut, with a heavy ball on it.
static void swing(char *text, size_t size, double m, double load) {
  snprintf(text, size,
           "<worldbody><site name='w' pos='0 0 1'/><body><joint type='slide' axis='0 0 1'/><geom "
           "type='box' size='.1 .1 .01' mass='%.17g'/><site name='s'/></body><body pos='0 0 .06'>"
           "<joint type='slide' axis='0 0 1'/><geom type='sphere' size='.05' mass='%.17g'/></body>"
           "</worldbody><tendon><spatial range='0 1'><site site='w'/><site site='s'/></spatial>"
           "</tendon>",
           m, load);
}

/* Ways in which contacts and limits give way, over that of a contact that carries itself, at rest.
 * A limit gives way twice as far as a contact of its mass, and its lever is a part of that. */
static void carries(const char *name, void (*scene)(char *, size_t, double, double), double limit) {
  double worst_contact = 0.0, worst_limit = 0.0;
  for (int i = 0; i < DRAWS; ++i) {
    char text[3072];
    const double m = log_uniform(1e-4, 1e-2), load = m * log_uniform(1.0, 1e6);
    const double dt = log_uniform(5e-4, 5e-3);
    scene(text, sizeof text, m, load);
    mjcf_world w = world_of(text, dt);
    mjcf_world_run(&w, 0.5);
    const double way = own_way(dt);
    worst_contact = fmax(worst_contact, deepest(&w) / way);
    if (limit > 0.0) {
      const double beyond = scene == leg ? 0.1 * fmax(0.0, fmax(w.data->q[1], -0.02 - w.data->q[1]))
                                         : fmax(0.0, -w.data->q[0]);
      worst_limit = fmax(worst_limit, beyond / way);
    }
    mjcf_world_destroy(&w);
  }
  printf("%s: contacts give way by %.0f, limits by %.0f times that of their own weight\n", name,
         worst_contact, worst_limit);
  assert_true(worst_contact < 1050.0);
  assert_true(worst_limit < limit * 1000.0 || limit == 0.0);
}

static void parts_are_as_hard_as_their_load(void **state) {
  (void)state;
  carries("boxes", boxes, 0.0);
  carries("leg", leg, 10.0);
  carries("swing", swing, 2.1);
}

/* A servo holds what lies on its light link as softly as its gain says: a hundredth of a radian.
 * Gains are softened to what is near-rigid for the link with its load, not for the link alone. */
static void servos_keep_their_gain(void **state) {
  (void)state;
  for (int decade = 0; decade < 6; ++decade) {
    const double load = light * pow(10.0, decade), moment = load * gravity * 0.15;
    char text[1024];
    snprintf(text, sizeof text,
             "<worldbody><body><joint name='j' axis='0 1 0'/><geom type='box' size='.1 .05 .01' "
             "pos='.1 0 0' mass='%g'/></body><body pos='.15 0 .06'><joint type='slide' "
             "axis='0 0 1'/><geom type='sphere' size='.05' mass='%g'/></body></worldbody>"
             "<actuator><position joint='j' kp='%.17g' kv='%.17g'/></actuator>",
             0.1 * light, load, moment / 0.01, moment / 0.2);
    mjcf_world w = world_of(text, 2e-3);
    mjcf_world_run(&w, 1.0);
    printf("servo: %g times its link gives way by %.5f rad\n", 10.0 * pow(10.0, decade),
           w.data->q[0]);
    assert_true(w.data->q[0] > 0.008 && w.data->q[0] < 0.0102);
    mjcf_world_destroy(&w);
  }
}

/* What lies on a heavy slab that floats carries itself alone, and gives way by as much as on the
 * floor: to round-off of its place, which is 1e-16 m. */
static void riders_are_as_they_were(void **state) {
  (void)state;
  double way[2];
  for (int slab = 0; slab < 2; ++slab) {
    mjcf_world w = world_of(
        slab ? "<worldbody><body pos='0 0 -.5' gravcomp='1'><freejoint/><geom type='box' "
               "size='2 2 .5' mass='1e6'/></body><body pos='0 0 .05'><freejoint/><geom type='box' "
               "size='.05 .05 .05' mass='.001'/></body></worldbody>"
             : "<worldbody><geom type='plane' size='2 2 .5'/><body pos='0 0 .05'><freejoint/>"
               "<geom type='box' size='.05 .05 .05' mass='.001'/></body></worldbody>",
        2e-3);
    mjcf_world_run(&w, 0.5);
    way[slab] = deepest(&w);
    mjcf_world_destroy(&w);
  }
  printf("a rider gives way by %.4g m on the floor, %.4g m on a slab\n", way[0], way[1]);
  assert_true(fabs(way[1] - way[0]) < 1e-3 * way[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_are_as_hard_as_their_load),
      cmocka_unit_test(servos_keep_their_gain),
      cmocka_unit_test(riders_are_as_they_were),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
