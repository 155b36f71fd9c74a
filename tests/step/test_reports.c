/* tests/step/test_reports.c: how true a step says it was, each with a control that must alarm. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "law/contact_model_list.h"
#include "limpet/dynamics.h"
#include "mjcf_world.h"
#include "shared_data.h"
#include "random_models.h"

static const double gravity = 9.81;  // [m/s^2]

// What was worst, or summed up, in a run.
typedef struct run_report {
  double departure, missing, loose, overlap, rise, kinetic;
  int missed;  // steps with the outcome friction missed
} run_report;

static run_report run(mjcf_world *w, double time) {
  run_report report = {0};
  const limpet_step_info *info = &w->data->info;
  w->settings.energy = true;
  const int steps = (int)lround(time / w->settings.time_step);
  for (int i = 0; i < steps; ++i) {
    const limpet_outcome outcome = limpet_step(w->model, w->data, &w->settings);
    assert_false(limpet_outcome_failed(outcome));
    report.missed += outcome == LIMPET_OUTCOME_FRICTION_MISSED;
    report.departure = fmax(report.departure, info->friction_departure);
    report.missing = fmax(report.missing, info->friction_missing);
    report.loose += info->friction_loose;
    report.overlap = fmax(report.overlap, info->overlap_made);
    report.rise += info->energy_rise;
    report.kinetic = fmax(report.kinetic, info->kinetic_energy);
    assert_true(info->friction_departure == 0.0 ||
                (info->friction_contact >= 0 && info->friction_contact < w->data->contact_count));
    assert_true(info->overlap_made == 0.0 ||
                (info->overlap_contact >= 0 && info->overlap_contact < w->data->contact_count));
  }
  return report;
}

// ----------------------------------------------------------------------------------- friction

// A flat box lands at 1 m/s down and 1.2 m/s along: it slides from the first touch on.
static mjcf_world landing(const char *contact_model) {
  mjcf_world w = mjcf_world_of(
      "<mujoco><option timestep='0.002'/><worldbody>"
      "<geom type='plane' size='9 9 1' friction='.2'/><body pos='0 0 .006'><freejoint/>"
      "<geom type='box' size='.05 .05 .005' mass='.1' friction='.2'/></body>"
      "</worldbody></mujoco>",
      contact_model);
  w.data->v[0] = 1.2, w.data->v[2] = -1.0;
  return w;
}

/* `lagged` bounds friction by the normal force of the step before, which is none: it lacks friction
 * in the impact. Models whose bound is of the same step have it, within the 0.5 % by which
 * regularised friction stays below its bound. */
static void friction_of_an_impact(void **state) {
  (void)state;
  mjcf_world w = landing("lagged");
  const run_report lagged = run(&w, 0.05);
  printf("lagged: departure %.3g, missing %.3g\n", lagged.departure, lagged.missing);
  assert_true(lagged.departure > 0.5 && lagged.missing > 0.5);
  assert_int_equal(lagged.missed, 0);  // it promises nothing
  mjcf_world_destroy(&w);

  const char *const models[] = {"coulomb", "similar"};
  for (int m = 0; m < 2; ++m) {
    w = landing(models[m]);
    const run_report one = run(&w, 0.05);
    printf("%s: departure %.3g, missing %.3g\n", models[m], one.departure, one.missing);
    assert_true(one.departure < 0.01 && one.missing < 0.01 && one.loose == 0.0);
    assert_int_equal(one.missed, 0);
    mjcf_world_destroy(&w);
  }
}

// The same impact by a model that promises what it does not keep: the step says so, and moves on.
static void a_broken_promise_has_a_name(void **state) {
  (void)state;
  limpet_compliant_model model = limpet_contact_model_lagged;
  model.head.promises_friction = true;
  mjcf_world w = landing("lagged");
  w.settings.contact_model = &model.head;
  const run_report report = run(&w, 0.05);
  assert_true(report.missed > 0);
  assert_int_equal(w.data->warning_count[LIMPET_OUTCOME_FRICTION_MISSED], report.missed);
  assert_true(fabs(w.data->time - 0.05) < 1e-12);
  mjcf_world_destroy(&w);
}

// ------------------------------------------------------------------------------------- energy

static mjcf_world wheel(bool plain) {
  mjcf_world w = mjcf_world_of(
      "<mujoco><option timestep='0.002' gravity='0 0 0'/><worldbody><body><freejoint/>"
      "<inertial pos='0 0 0' mass='.1' diaginertia='.0003 .0003 .0003'/>"
      "<body><joint axis='0 0 1'/>"
      "<inertial pos='0 0 0' mass='.5' diaginertia='.0008 .0008 .0016'/></body>"
      "</body></worldbody></mujoco>",
      NULL);
  w.settings.compatibility.plain_flight = plain;
  w.data->v[3] = 1.0, w.data->v[6] = 300.0;
  return w;
}

/* A wheel in a free frame at 300 rad/s has 72 J and keeps them; the plain scheme makes more of
 * them. */
static void energy_of_a_wheel(void **state) {
  (void)state;
  mjcf_world w = wheel(false);
  const run_report kept = run(&w, 0.3);
  mjcf_world_destroy(&w);
  w = wheel(true);
  const run_report plain = run(&w, 0.05);
  // what is not looked at is not said to be nothing
  w.settings.energy = false;
  limpet_step(w.model, w.data, &w.settings);
  assert_true(isnan(w.data->info.energy_rise));
  mjcf_world_destroy(&w);
  printf("wheel: risen %.3g J of %.3g J; plain %.3g J\n", kept.rise, kept.kinetic, plain.rise);
  assert_true(kept.kinetic > 70.0 && kept.rise < 1e-4 * kept.kinetic);
  assert_true(plain.rise > 1.0);  // in 50 ms: soon it has no numbers left
}

/* A ball of 1 kg falls 0.1 m on a spring of 1e5 N/m and rests: its weight squared over 2 k is what
 * the contact stores. A near-rigid contact stores nothing. Neither makes energy. */
static void energy_of_contacts(void **state) {
  (void)state;
  for (int soft = 0; soft < 2; ++soft) {
    mjcf_world w = mjcf_world_of(
        "<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='9 9 1'/>"
        "<body pos='0 0 .2'><freejoint/><geom type='sphere' size='.1' mass='1'/></body>"
        "</worldbody></mujoco>",
        "coulomb");
    const double k = 1e5;  // [N/m]
    // two geoms of 2 k in series
    for (int g = 0; soft && g < 2; ++g) w.model->geom_material[g].stiffness = 2.0 * k;
    const run_report report = run(&w, 3.0);
    const double stored = soft ? gravity * gravity / (2.0 * k) : 0.0;
    printf("ball: stores %.4g J, %.4g J expected; risen %.3g J\n", w.data->info.contact_energy,
           stored, report.rise);
    assert_true(fabs(w.data->info.contact_energy - stored) < 1e-3 * stored + 1e-15);
    assert_true(report.rise < 1e-4 * report.kinetic);
    mjcf_world_destroy(&w);
  }
}

/* The surface of a belt may turn about an axis along it, as that of a roller does. Its law knows
 * how it runs along the contact, not that it would rise: the normal force does no work. With work
 * of it the box would have 20 % more energy than was put in. */
static void a_surface_that_turns_lifts_nothing(void **state) {
  (void)state;
  for (int sign = -1; sign < 2; sign += 2) {
    mjcf_world w = mjcf_world_of(
        "<mujoco><option timestep='0.001'/><worldbody>"
        "<geom name='belt' type='box' size='9 9 .1' pos='0 0 -.1' friction='.05'/>"
        "<body pos='.5 .3 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1' "
        "friction='.05'/></body></worldbody></mujoco>",
        "coulomb");
    const int belt = limpet_model_find(w.model, LIMPET_OBJECT_GEOM, "belt");
    w.model->geom_material[belt].surface_angular_velocity[0] = 0.4 * sign;
    w.model->geom_material[belt].surface_angular_velocity[1] = -0.3 * sign;
    w.data->v[0] = 1.0;
    const run_report report = run(&w, 0.5);
    printf("turning belt: risen %.3g J of %.3g J\n", report.rise, report.kinetic);
    assert_true(report.rise < 1e-3 * report.kinetic);
    mjcf_world_destroy(&w);
  }
}

/* Work is no rise: a motor that turns a wheel, a force and a wrench on a free body, a belt that
 * takes a box along. Without its work each would be 100 % of the kinetic energy. */
static void work_is_no_rise(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><option timestep='0.001' gravity='0 0 -9.81'/><worldbody>"
      "<geom name='belt' type='box' size='9 9 .1' pos='0 0 -.1'/>"
      "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
      "<body pos='0 0 5'><joint name='axle' axis='0 0 1'/>"
      "<geom type='cylinder' size='.1 .02' mass='1'/></body>"
      "<body pos='3 0 9'><freejoint/><geom type='box' size='.1 .2 .3' mass='1'/></body>"
      "</worldbody><actuator><motor joint='axle'/></actuator></mujoco>",
      "coulomb");
  const int belt = limpet_model_find(w.model, LIMPET_OBJECT_GEOM, "belt");
  w.model->geom_material[belt].surface_velocity[0] = 1.0;
  w.data->control[0] = 0.5;
  w.data->applied_force[8] = 3.0;
  w.data->applied_wrench[6 * 3 + 1] = 0.02;
  const run_report report = run(&w, 0.5);
  printf("work: risen %.3g J of %.3g J\n", report.rise, report.kinetic);
  assert_true(w.data->v[0] > 0.9);  // the belt's speed
  assert_true(report.kinetic > 5.0 && report.rise < 1e-3 * report.kinetic);
  mjcf_world_destroy(&w);
}

#define LINK "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.02' mass='1'/>"

/* An arm whose servos lift it, and a weight on a spring: positions lead velocities by half a step,
 * and the energy swings by what weight and springs do in it. The sum of the swings would be a
 * fifth of the arm's kinetic energy at 2 ms. What is left is of second order. */
static void swings_of_servos_and_springs_are_no_rise(void **state) {
  (void)state;
  static const char *const texts[] = {
      "<mujoco><worldbody><body><joint name='a' axis='0 1 0'/>" LINK
      "</body></worldbody>"
      "<actuator><position joint='a' kp='200' kv='5'/></actuator></mujoco>",
      "<mujoco><worldbody><body><joint name='a' type='slide' axis='0 0 1' stiffness='50'/>" LINK
      "</body></worldbody><actuator><motor joint='a'/></actuator></mujoco>",
      "<mujoco><worldbody><body><joint name='a' type='slide' axis='0 0 1'/>" LINK
      "</body></worldbody><actuator><motor joint='a'/></actuator><tendon><fixed "
      "stiffness='50' springlength='0'><joint joint='a' coef='1'/></fixed></tendon></mujoco>"};
  for (int i = 0; i < 3; ++i)
    for (int fine = 0; fine < 2; ++fine) {
      mjcf_world w = mjcf_world_of(texts[i], "coulomb");
      w.settings.time_step = fine ? 5e-4 : 2e-3;
      run_report all = {0};
      while (w.data->time < 3.0) {
        if (i == 0) w.data->control[0] = 0.5 * sin(6.0 * w.data->time);
        const run_report one = run(&w, w.settings.time_step);
        all.rise += one.rise, all.kinetic = fmax(all.kinetic, one.kinetic);
      }
      printf("scene %d, %g ms: risen %.3g J of %.3g J\n", i, 1e3 * w.settings.time_step, all.rise,
             all.kinetic);
      assert_true(all.kinetic > 0.1 && all.rise < 1e-3 * all.kinetic);
      mjcf_world_destroy(&w);
    }
}

static double energy_of(mjcf_world *w) {
  limpet_kinematics(w->model, w->data);
  limpet_velocity_kinematics(w->model, w->data);
  limpet_mass_matrix(w->model, w->data);
  limpet_tendon_kinematics(w->model, w->data);
  return limpet_kinetic_energy(w->model, w->data) + limpet_potential_energy(w->model, w->data);
}

// What rises in truth is told in full: an arm with motors that do nothing, to which the explicit
// centrifugal forces of the plain scheme add energy.
static void a_true_rise_is_told(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><option timestep='.005'/><worldbody><body><joint name='a' axis='0 1 0'/>" LINK
      "<body pos='.3 0 0'><joint name='b' axis='0 1 0'/>" LINK
      "</body></body></worldbody>"
      "<actuator><motor joint='a'/><motor joint='b'/></actuator></mujoco>",
      "coulomb");
  w.data->v[0] = 12.0, w.data->v[1] = -20.0;
  w.settings.compatibility.plain_flight = true;
  const double start = energy_of(&w);
  const run_report arm = run(&w, 0.5);
  const double gained = energy_of(&w) - start;
  printf("arm: gained %.3g J, risen %.3g J of %.3g J\n", gained, arm.rise, arm.kinetic);
  assert_true(gained > 0.01 * arm.kinetic && arm.rise > gained - 0.02 * arm.kinetic);
  mjcf_world_destroy(&w);
}

// ------------------------------------------------------------------------------------ overlap

static void overlap_that_is_made(void **state) {
  (void)state;
  for (int soft = 0; soft < 2; ++soft) {
    mjcf_world w = mjcf_world_of(
        "<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='9 9 1'/>"
        "<body pos='0 0 .1'><freejoint/><geom type='sphere' size='.1' mass='1'/></body>"
        "<body pos='1 0 .1'><freejoint/><geom type='sphere' size='.1' mass='1'/></body>"
        "</worldbody></mujoco>",
        "coulomb");
    if (soft) w.model->geom_material[2].stiffness = 1e4;
    assert_true(run(&w, 0.5).overlap < 1e-6);

    // put 3 mm into the ground; that is noticed once
    w.data->q[7 + 2] = 0.097;
    const run_report report = run(&w, w.settings.time_step);
    const int contact = w.data->info.overlap_contact;
    if (soft) {
      assert_true(report.overlap < 1e-6);
    } else {
      assert_true(fabs(report.overlap - 3e-3) < 2e-6);  // less what it had sunk in before
      assert_int_equal(w.data->contact_geom[2 * contact + 1], 2);
    }
    assert_true(run(&w, w.settings.time_step).overlap < 1e-6);
    mjcf_world_destroy(&w);
  }
}

/* Cylinders spin into a cloth. Where an attempt ends in it the step gets a contact whose distance
 * leads to the gap of that end: it says how far the cylinder turns, 13 mm, and is no overlap. What
 * overlaps is among the contacts of the next step, 0.9 mm at most. */
static void what_turns_in_a_cloth_makes_no_overlap(void **state) {
  (void)state;
  unsigned long seed = 5;
  double worst = 0.0, deepest = 0.0;
  int rounds = 0;
  for (int k = 0; k < 8; ++k) {
    mjcf_world w = mjcf_world_of(
        "<mujoco><option timestep='.01'/><worldbody><body pos='0 0 .13'><freejoint/>"
        "<geom type='cylinder' size='.05 .03' density='500'/></body>"
        "<flexcomp name='cloth' type='grid' count='9 9 1' spacing='.05 .05 .05' dim='2' mass='.2' "
        "radius='1e-4'><elasticity young='1e5' poisson='.2' thickness='2e-3' elastic2d='both'/>"
        "<pin id='0 8 72 80'/></flexcomp></worldbody></mujoco>",
        "coulomb");
    random_quaternion(&seed, w.data->q + 3);
    random_vector(&seed, w.data->v + 3, 3, 60.0);
    w.data->v[2] = -3.0;
    for (int i = 0; i < 15; ++i) {
      limpet_step(w.model, w.data, &w.settings);
      worst = fmax(worst, w.data->info.overlap_made);
      deepest = fmax(deepest, w.data->info.deepest_penetration);
      rounds += w.data->info.crossing_rounds;
    }
    mjcf_world_destroy(&w);
  }
  printf("turning in a cloth: %.2g m made, %.2g m deep, %d rounds\n", worst, deepest, rounds);
  assert_true(rounds > 8);
  assert_true(worst < 1.5e-3 && deepest < 1.5e-3);
}

/* Boxes that land on a corner, tumble and come to rest only lose energy: what the lead of their
 * positions is when contact begins is no rise. */
static void what_lands_does_not_rise(void **state) {
  (void)state;
  unsigned long seed = 21;
  double worst = 0.0;
  for (int k = 0; k < 30; ++k) {
    mjcf_world w = mjcf_world_of(
        "<mujoco><option timestep='.002'/><worldbody><geom type='plane' size='9 9 1'/>"
        "<body pos='0 0 .25'><freejoint/><geom type='box' size='.05 .04 .03' mass='1'/></body>"
        "</worldbody></mujoco>",
        NULL);
    random_quaternion(&seed, w.data->q + 3);
    random_vector(&seed, w.data->v, 6, 0.5);
    const run_report one = run(&w, 1.0);
    worst = fmax(worst, one.rise / one.kinetic);
    mjcf_world_destroy(&w);
  }
  printf("landing: rises add up to %.2g of the kinetic energy\n", worst);
  assert_true(worst < 5e-4);
}

/* A soft ball in a plane, as deep as it is wide: the plane presses harder everywhere, and nothing
 * pushes. That is told in each step, also where balls throw each other and the
 * step looks again. */
static void what_is_swallowed_is_told(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco xmlns:limpet='limpet'><worldbody><geom type='plane' size='1 1 1' "
      "limpet:elastic_modulus='1e6' limpet:slab_thickness='.02'/><body pos='0 0 %s'><freejoint/>"
      "<geom type='sphere' size='.02' limpet:elastic_modulus='1e6'/></body>"
      "<body pos='.5 0 .05'><freejoint/><geom size='.05'/></body>"
      "<body pos='.6005 0 .05'><freejoint/><geom size='.05'/></body>"
      "<body pos='.7035 0 .05'><freejoint/><geom size='.05'/></body>"
      "</worldbody></mujoco>";
  static const char *const heights[2] = {"-.025", ".01"};
  int repeats = 0;
  for (int k = 0; k < 2; ++k) {
    char world[1024];
    snprintf(world, sizeof world, text, heights[k]);
    mjcf_world w = mjcf_world_of(world, NULL);
    w.data->v[6] = 5.0;
    for (int i = 0; i < 5; ++i) {
      mjcf_world_step(&w);
      repeats += w.data->info.repeats;
      assert_int_equal(w.data->info.swallowed_pairs, k == 0);
    }
    mjcf_world_destroy(&w);
  }
  assert_true(repeats > 0);
}

/* A capsule through a soft block, and a cube on the ground: the surface of the first is made of
 * parts and states that it may be off, that of the second is exact. */
static void what_surfaces_lack_is_told(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco xmlns:limpet='limpet'><default><geom limpet:elastic_modulus='1e6'/></default>"
      "<worldbody><geom name='ground' type='plane' size='1 1 1' limpet:slab_thickness='.1'/>"
      "<body pos='0 0 .0495'><freejoint/><geom name='cube' type='box' size='.05 .05 .05'/></body>"
      "<body pos='.5 0 .3'><freejoint/><geom name='block' type='box' size='.05 .08 .04'/></body>"
      "<body pos='.515 -.01 %s' euler='20 70 10'><freejoint/>"
      "<geom name='rod' type='capsule' size='.02 .09'/></body></worldbody></mujoco>";
  for (int k = 0; k < 2; ++k) {
    char world[1024];
    snprintf(world, sizeof world, text, k ? ".7" : ".31");
    mjcf_world w = mjcf_world_of(world, NULL);
    mjcf_world_step(&w);
    const limpet_step_info *info = &w.data->info;
    printf("surfaces: off by %.2g, %.3g N missing\n", info->surface_error, info->surface_missing);
    if (k == 1) {
      assert_true(info->surface_error == 0.0 && info->surface_missing == 0.0);
      assert_int_equal(info->surface_contact, LIMPET_NONE);
    } else {
      assert_true(info->surface_error > 1e-3 && info->surface_error < 0.2);
      assert_in_range(info->surface_contact, 0, w.data->contact_count - 1);
      const int *geom = w.data->contact_geom + 2 * info->surface_contact;
      assert_int_equal(geom[0], limpet_model_find(w.model, LIMPET_OBJECT_GEOM, "block"));
      assert_int_equal(geom[1], limpet_model_find(w.model, LIMPET_OBJECT_GEOM, "rod"));
      assert_int_equal(w.data->surface_count, 2);
      double most = 0.0;  // of the pressures of both
      for (int i = 0; i < w.data->contact_count; ++i)
        if (w.data->contact_geom[2 * i] == geom[0])
          most += fmax(0.0, w.data->contact_force[3 * i + 2]);
      assert_true(info->surface_missing > 0.0 && most > 0.0);
      assert_true(info->surface_missing < 2.0 * info->surface_error * most);
      assert_true(info->surface_missing > 0.2 * info->surface_error * most);
    }
    mjcf_world_destroy(&w);
  }
}

/* An ellipsoid that comes to rest on a soft box: the first panels of its surface see nothing of it
 * as they meet, and errors over nothing are infinite. */
static void what_surfaces_lack_is_finite(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco xmlns:limpet='limpet'><default><geom limpet:elastic_modulus='1e6' "
      "limpet:dissipation='10'/></default><worldbody>"
      "<geom type='box' size='.03 .03 .03'/><body pos='0 0 .05'><freejoint/>"
      "<geom type='ellipsoid' size='.03 .02 .02' mass='.5'/></body></worldbody></mujoco>",
      NULL);
  double most = 0.0;
  for (int i = 0; i < 20; ++i) {
    mjcf_world_step(&w);
    most = fmax(most, w.data->info.surface_missing);
    assert_true(isfinite(w.data->info.surface_error));
  }
  assert_true(most > 0.0 && most < 1.0);  // [N]  of a weight of 4.9
  mjcf_world_destroy(&w);
}

/* Balls and boxes that swing on soft contacts, from half the depth at which they rest or from above
 * it: weight and contact lead by the same half of a step. With the lead of the weight alone more
 * would rise than there is. dt omega is 0.02 to 0.5, masses are of six decades. */
static void what_swings_on_soft_contacts_does_not_rise(void **state) {
  (void)state;
  unsigned long seed = 4711;
  double worst = 0.0;
  for (int trial = 0; trial < 60; ++trial) {
    char text[512];
    const bool box = trial % 2;
    const double mass = random_log_uniform(&seed, 1e-3, 1e3),
                 dt = random_log_uniform(&seed, 1e-4, 5e-3),
                 turn = random_log_uniform(&seed, 0.02, 0.5), tilt = random_uniform(&seed, 0, 0.01);
    const double k = mass * turn * turn / (dt * dt), rest = mass * gravity / k;
    snprintf(text, sizeof text,
             "<mujoco><compiler angle='radian'/><worldbody><geom type='plane' size='9 9 1'/>"
             "<body pos='0 0 %.17g' euler='%.17g 0 0'><freejoint/>"
             "<geom type='%s' size='.1 .1 .1' mass='%.17g'/></body></worldbody></mujoco>",
             0.1 - random_uniform(&seed, 0.0, 0.5) * rest, box ? tilt * rest / 0.1 : 0.0,
             box ? "box" : "sphere", mass);
    mjcf_world w = mjcf_world_of(text, NULL);
    w.settings.time_step = dt;
    for (int g = 0; g < 2; ++g) {
      w.model->geom_material[g].stiffness = 2.0 * k / (box ? 4.0 : 1.0);
      w.model->geom_material[g].dissipation = 0.0;
    }
    const run_report report = run(&w, 400 * dt);
    worst = fmax(worst, report.rise / report.kinetic);
    mjcf_world_destroy(&w);
  }
  printf("swings on soft contacts: risen %.3g of the kinetic energy at worst\n", worst);
  assert_true(worst < 0.03);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_of_an_impact),
      cmocka_unit_test(what_swings_on_soft_contacts_does_not_rise),
      cmocka_unit_test(a_broken_promise_has_a_name),
      cmocka_unit_test(energy_of_a_wheel),
      cmocka_unit_test(energy_of_contacts),
      cmocka_unit_test(work_is_no_rise),
      cmocka_unit_test(a_surface_that_turns_lifts_nothing),
      cmocka_unit_test(overlap_that_is_made),
      cmocka_unit_test(what_turns_in_a_cloth_makes_no_overlap),
      cmocka_unit_test(swings_of_servos_and_springs_are_no_rise),
      cmocka_unit_test(a_true_rise_is_told),
      cmocka_unit_test(what_lands_does_not_rise),
      cmocka_unit_test(what_is_swallowed_is_told),
      cmocka_unit_test(what_surfaces_lack_is_told),
      cmocka_unit_test(what_surfaces_lack_is_finite),
  };
  return cmocka_run_group_tests_name("reports", tests, NULL, NULL);
}
