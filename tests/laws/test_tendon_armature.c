/* tests/laws/test_tendon_armature.c: a string with armature keeps energy while it turns, and moves
 * what it joins as its inertia says.
 *
 * Balls on slides and arms of hinges hang on spatial tendons with a spring and an armature of 0.1
 * to 10 times their mass, and swing through half a second. Nothing takes energy, so what a run
 * gains or loses is of the first order in the step: a quarter of the step leaves at most half of
 * it. Without the force m a (a' v) of the string, which has no part in still poses, it does not
 * shrink. Some strings join two trees, whose mass matrices know nothing of each other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/dynamics.h"
#include "mjcf_world.h"
#include "random_models.h"

enum { WORLDS = 40 };

static unsigned long seed;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }

/* A ball on three slides, or an arm of two hinges; a string to its end from the world, or from a
 * second ball on slides: `joins`. */
static void write_model(char *text, size_t size, bool arm, bool joins, bool spring) {
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
  char other[512] = "";
  const double y = uniform(-0.3, 0.3), z = uniform(0.2, 0.6);
  if (joins)
    snprintf(other, sizeof other,
             "<body pos='0 %g %g'><joint type='slide' axis='1 0 0'/>"
             "<joint type='slide' axis='0 1 0'/><joint type='slide' axis='0 0 1'/>"
             "<geom size='.05' mass='%g'/><site name='fixed'/></body>",
             y, z, mass * pow(10.0, uniform(-1.0, 1.0)));
  else snprintf(other, sizeof other, "<site name='fixed' pos='0 %g %g'/>", y, z);
  snprintf(text, size,
           "<mujoco><option gravity='0 0 %g'><flag contact='disable'/></option><worldbody>%s<body "
           "pos='.5 0 0'>%s</body>"
           "</worldbody><tendon><spatial stiffness='%g' springlength='.3' armature='%g'>"
           "<site site='fixed'/><site site='end'/></spatial></tendon></mujoco>",
           joins ? 0.0 : -9.81, other, body, spring ? mass * uniform(5.0, 50.0) : 0.0, armature);
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
    double v[6], scale;
    seed = 977 + (unsigned long)i;
    write_model(text, sizeof text, i % 2 == 1, i % 4 >= 2, true);
    random_vector(&seed, v, 6, 1.5);
    const double coarse = fabs(gain(text, v, 1e-3, &scale)),
                 fine = fabs(gain(text, v, 2.5e-4, &scale));
    worst = fmax(worst, fine / scale);
    if (fine > 0.05 * scale || (coarse > 1e-3 * scale && fine > 0.5 * coarse))
      fail_msg("world %d: gains %g J at 1 ms, %g J at 0.25 ms, of %g J:\n%s", i, coarse, fine,
               scale, text);
  }
  printf("%d strings, 0.25 ms: energy off by %.2g of the kinetic at worst\n", WORLDS, worst);
}

/* Without a spring, which is implicit, a tree on a string has M and bias of the middle of the step,
 * and its energy swings by the square of the step. */
static void trees_on_strings_fly(void **state) {
  (void)state;
  double worst = 0.0, worst_coarse = 0.0;
  for (int i = 0; i < WORLDS; ++i) {
    char text[2048];
    double v[6], scale;
    seed = 391 + (unsigned long)i;
    write_model(text, sizeof text, i % 2 == 1, false, false);
    random_vector(&seed, v, 6, 1.5);
    const double coarse = fabs(gain(text, v, 1e-3, &scale)),
                 fine = fabs(gain(text, v, 2.5e-4, &scale));
    worst = fmax(worst, fine / scale);
    worst_coarse = fmax(worst_coarse, coarse / scale);
  }
  printf("%d strings without a spring, 1 and 0.25 ms: energy off by %.2g and %.2g at worst\n",
         WORLDS, worst_coarse, worst);
  assert_true(worst_coarse < 1e-3 && worst < 1e-4);  // 0.035 and 0.0084 with the row at the start
}

/* Two sliders of masses m1, m2 [kg] in a tree each, and a tendon of length c1 x1 + c2 x2 with the
 * armature a. Under constant forces f the accelerations solve
 *   (m1 + a c1^2)  x1'' + a c1 c2 x2'' = f1,   and 1, 2 exchanged,
 * and steps of constant acceleration have its velocities to round-off. */
static void sliders_follow_the_closed_form(void **state) {
  (void)state;
  enum { STEPS = 50 };
  double worst = 0.0;
  for (int k = 0; k < WORLDS; ++k) {
    seed = 31 + (unsigned long)k;
    const double m[2] = {pow(10.0, uniform(-2.0, 2.0)), pow(10.0, uniform(-2.0, 2.0))},
                 c[2] = {uniform(0.2, 2.0), uniform(-2.0, -0.2)},
                 f[2] = {uniform(-5.0, 5.0), uniform(-5.0, 5.0)}, a = pow(10.0, uniform(-3.0, 3.0));
    char text[1024];
    snprintf(
        text, sizeof text,
        "<mujoco><option gravity='0 0 0' timestep='%.17g'/><worldbody>"
        "<body><joint name='x' type='slide' axis='1 0 0'/><geom size='.1' mass='%.17g'/></body>"
        "<body pos='0 9 0'><joint name='y' type='slide' axis='1 0 0'/>"
        "<geom size='.1' mass='%.17g'/></body></worldbody><tendon><fixed armature='%.17g'>"
        "<joint joint='x' coef='%.17g'/><joint joint='y' coef='%.17g'/></fixed></tendon>"
        "</mujoco>",
        pow(10.0, uniform(-4.0, -2.0)), m[0], m[1], a, c[0], c[1]);
    mjcf_world w = mjcf_world_of(text, NULL);
    memcpy(w.data->applied_force, f, sizeof f);
    for (int i = 0; i < STEPS; ++i) mjcf_world_step(&w);
    const double M[3] = {m[0] + a * c[0] * c[0], a * c[0] * c[1], m[1] + a * c[1] * c[1]},
                 det = m[0] * m[1] + a * (m[0] * c[1] * c[1] + m[1] * c[0] * c[0]);
    const double v[2] = {w.data->time * (M[2] * f[0] - M[1] * f[1]) / det,
                         w.data->time * (M[0] * f[1] - M[1] * f[0]) / det};
    const double size = fmax(fabs(v[0]), fabs(v[1]));
    for (int i = 0; i < 2; ++i) worst = fmax(worst, fabs(w.data->v[i] - v[i]) / size);
    limpet_tendon_kinematics(w.model, w.data);
    limpet_mass_matrix(w.model, w.data);
    const double part[2] = {c[0] * w.data->v[0], c[1] * w.data->v[1]}, speed = part[0] + part[1],
                 parts = a * (part[0] * part[0] + part[1] * part[1]);  // which may cancel
    const double kinetic = 0.5 * (m[0] * w.data->v[0] * w.data->v[0] +
                                  m[1] * w.data->v[1] * w.data->v[1] + a * speed * speed);
    assert_true(fabs(limpet_kinetic_energy(w.model, w.data) - kinetic) <=
                1e-12 * (kinetic + parts));
    mjcf_world_destroy(&w);
  }
  printf("sliders: velocities off by %.2g at worst\n", worst);
  assert_true(worst < 1e-8);  // the condition of M is up to 1e7
}

/* A string with armature between two bodies that float keeps their momentum, to round-off, and
 * their angular momentum to the first order in the step. */
static void momentum_is_kept(void **state) {
  (void)state;
  double worst = 0.0;
  for (int k = 0; k < WORLDS / 2; ++k) {
    double turned[2];
    for (int fine = 0; fine < 2; ++fine) {
      seed = 77 + (unsigned long)k;
      char text[1024];
      snprintf(
          text, sizeof text,
          "<mujoco><option gravity='0 0 0' timestep='%g'><flag "
          "contact='disable'/></option><worldbody><body><freejoint/>"
          "<geom type='box' size='.1 .2 .05' mass='%g'/><site name='a' pos='.1 .2 .05'/></body>"
          "<body pos='.6 0 .3'><freejoint/><geom type='box' size='.1 .05 .1' mass='%g'/>"
          "<site name='b' pos='-.1 .05 .1'/></body></worldbody><tendon>"
          "<spatial armature='%g'><site site='a'/><site site='b'/></spatial></tendon></mujoco>",
          fine ? 2.5e-4 : 1e-3, pow(10.0, uniform(-1.0, 1.0)), pow(10.0, uniform(-1.0, 1.0)),
          pow(10.0, uniform(-1.0, 1.0)));
      mjcf_world w = mjcf_world_of(text, NULL);
      w.settings.tolerance = 1e-12;
      random_vector(&seed, w.data->v, 12, 1.0);
      double p[2][6], scale = 0.0;
      for (int end = 0; end < 2; ++end) {
        static const double origin[3] = {0.0};
        limpet_kinematics(w.model, w.data);
        limpet_velocity_kinematics(w.model, w.data);
        limpet_momentum(w.model, w.data, 0, origin, p[end]);
        for (int i = 0; end == 0 && i < 300 * (fine ? 4 : 1); ++i) mjcf_world_step(&w);
      }
      for (int i = 3; i < 6; ++i) scale = fmax(scale, fabs(p[0][i]));
      for (int i = 3; i < 6; ++i) worst = fmax(worst, fabs(p[1][i] - p[0][i]) / scale);
      turned[fine] = 0.0;
      for (int i = 0; i < 3; ++i)
        turned[fine] = fmax(turned[fine], fabs(p[1][i] - p[0][i]) / scale);
      mjcf_world_destroy(&w);
    }
    assert_true(turned[1] < 0.5 * turned[0] + 1e-9);
  }
  printf("two bodies on a string: momentum off by %.2g\n", worst);
  assert_true(worst < 1e-10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_is_kept), cmocka_unit_test(trees_on_strings_fly),
      cmocka_unit_test(sliders_follow_the_closed_form), cmocka_unit_test(momentum_is_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
