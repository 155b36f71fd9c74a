/* tests/laws/test_laws.c: laws of physics at default settings, at random masses (1e-3 to 1e3 kg),
 * sizes (1 cm to 1 m) and steps (0.5 to 5 ms). Each tolerance is argued where it stands. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "limpet/format.h"
#include "limpet/step.h"
#include "math/vec3.h"
#include "shared_data.h"

static const double g0 = 9.81;

typedef struct world {
  limpet_model *model;
  limpet_data *data;
  limpet_step_settings settings;
} world;

static void add_ground(limpet_builder *builder, double mu) {
  limpet_geom_description g = limpet_geom_description_default();
  g.kind = LIMPET_SHAPE_PLANE;
  g.material.friction = mu;
  limpet_builder_add_geom(builder, &g);
}

// A free body with one geom; returns the body.
static int add_free(limpet_builder *builder, limpet_shape_kind kind, const double size[3],
                    double mass, const double position[3], double mu) {
  limpet_body_description b = limpet_body_description_default();
  limpet_vec3_copy(b.position, position);
  const int body = limpet_builder_add_body(builder, &b);
  limpet_joint_description j = limpet_joint_description_default();
  j.kind = LIMPET_JOINT_FREE;
  j.body = body;
  limpet_builder_add_joint(builder, &j);
  limpet_geom_description g = limpet_geom_description_default();
  g.body = body;
  g.kind = kind;
  limpet_vec3_copy(g.size, size);
  g.mass = mass;
  g.material.friction = mu;
  limpet_builder_add_geom(builder, &g);
  return body;
}

static world world_create(limpet_builder *builder, double dt) {
  world w;
  limpet_error error;
  limpet_builder_options(builder)->time_step = dt;
  w.model = limpet_builder_compile(builder, &error);
  if (!w.model) fail_msg("%s", error.message);
  limpet_builder_destroy(builder);
  w.data = limpet_data_create(w.model);
  assert_non_null(w.data);
  w.settings = limpet_step_settings_default(w.model);
  return w;
}

static void world_destroy(world *w) {
  limpet_data_destroy(w->data);
  limpet_model_destroy(w->model);
}

static void run(world *w, double time) {
  const int steps = (int)(time / w->settings.time_step + 0.5);
  for (int i = 0; i < steps; ++i) {
    if (limpet_step(w->model, w->data, &w->settings) == LIMPET_OUTCOME_SOLVED) continue;
    const limpet_step_info *info = &w->data->info;
    fail_msg("t = %g s: %s, %d iterations, residual %.3g, %d contacts", w->data->time,
             limpet_outcome_word(info->outcome), info->iterations, info->residual,
             info->contact_count);
  }
}

static double normal_force(const limpet_data *data) {
  double sum = 0.0;
  for (int i = 0; i < data->contact_count; ++i) sum += data->contact_force[3 * i + 2];
  return sum;
}

// A cube (or flat box) resting on the ground under gravity turned by `slope` towards `heading`.
static world box_on_slope(double mass, double half, double height, double mu, double slope,
                          double heading, double dt) {
  limpet_builder *builder = limpet_builder_create();
  double *gravity = limpet_builder_options(builder)->gravity;
  limpet_vec3_set(gravity, g0 * sin(slope) * cos(heading), g0 * sin(slope) * sin(heading),
                  -g0 * cos(slope));
  add_ground(builder, mu);
  add_free(builder, LIMPET_SHAPE_BOX, (double[3]){half, half, height}, mass,
           (double[3]){0, 0, height}, mu);
  return world_create(builder, dt);
}

/* Creep of a sticking box: v = eps_s s/sqrt(1 - s^2), s = tan(slope)/mu: all contacts share the
 * velocity and the slip speed eps_s = v_s, so their sum obeys the law of one. 1 %: the load shifts
 * between corners while the box settles. */
static void sticking_box_creeps_as_regularisation_says(void **state) {
  (void)state;
  unsigned long seed = 11;
  double worst = 0.0;
  for (int n = 0; n < 12; ++n) {
    const double mu = random_uniform(&seed, 0.2, 1.0), s = random_uniform(&seed, 0.5, 0.93),
                 heading = random_uniform(&seed, 0, 6.28);
    const double half = n ? random_log_uniform(&seed, 0.01, 1.0) : 0.1,
                 mass = n ? random_log_uniform(&seed, 1e-3, 1e3) : 1.0;
    const double dt = n ? random_uniform(&seed, 5e-4, 5e-3) : 2e-3;
    const double slope = atan(mu * s);
    world w = box_on_slope(mass, half, 0.3 * half, mu, slope, heading, dt);
    w.settings.contact_model = limpet_contact_model_find("lagged");  // no bristles
    run(&w, 0.5);
    const double x0 = w.data->q[0], y0 = w.data->q[1];
    run(&w, 1.0);
    const double speed = hypot(w.data->q[0] - x0, w.data->q[1] - y0) / 1.0;
    const double expected = w.settings.stiction_speed * s / sqrt(1.0 - s * s);
    worst = fmax(worst, fabs(speed / expected - 1.0));
    if (fabs(speed / expected - 1.0) > 0.01)
      printf("mu %.3g s %.3g half %.3g mass %.3g dt %.3g: creep %.4g um/s, expected %.4g\n", mu, s,
             half, mass, dt, 1e6 * speed, 1e6 * expected);
    world_destroy(&w);
  }
  printf("creep: worst relative error %.3g\n", worst);
  assert_true(worst < 0.01);
}

/* Deceleration of a sliding box: g(sin - mu cos), to 1e-4 (slip speed over speed squared, and
 * the first-order step over the transient), and the same in all directions to 1e-6 at tolerance
 * 1e-12. */
static void sliding_box_decelerates_by_coulomb(void **state) {
  (void)state;
  unsigned long seed = 5;
  double worst = 0.0, worst_spread = 0.0;
  for (int n = 0; n < 6; ++n) {
    const double half = n ? random_log_uniform(&seed, 0.01, 1.0) : 0.1,
                 mass = n ? random_log_uniform(&seed, 1e-3, 1e3) : 1.0;
    const double dt = n ? random_uniform(&seed, 5e-4, 5e-3) : 2e-3,
                 mu = n ? random_uniform(&seed, 0.1, 0.6) : 0.5;
    const double slope = n ? random_uniform(&seed, 0.0, 0.4) : LIMPET_PI / 6;
    const double expected = g0 * (sin(slope) - mu * cos(slope));
    double low = INFINITY, high = -INFINITY;
    for (int direction = 0; direction < 8; ++direction) {
      const double heading = 2 * LIMPET_PI * direction / 8;
      world w = box_on_slope(mass, half, 0.3 * half, mu, 0.0, 0.0, dt);
      w.settings.tolerance = 1e-12;
      run(&w, 0.1);
      // speed and slope together, downhill
      double *gravity = (double *)w.model->options.gravity;
      limpet_vec3_set(gravity, g0 * sin(slope) * cos(heading), g0 * sin(slope) * sin(heading),
                      -g0 * cos(slope));
      w.data->v[0] = 4.0 * cos(heading), w.data->v[1] = 4.0 * sin(heading);
      run(&w, 0.1);
      const double v0 = hypot(w.data->v[0], w.data->v[1]), t0 = w.data->time;
      run(&w, 0.2);
      const double a = (hypot(w.data->v[0], w.data->v[1]) - v0) / (w.data->time - t0);
      low = fmin(low, a), high = fmax(high, a);
      worst = fmax(worst, fabs(a - expected) / fmax(fabs(expected), mu * g0));
      world_destroy(&w);
    }
    worst_spread = fmax(worst_spread, (high - low) / fmax(fabs(expected), mu * g0));
  }
  printf("sliding: worst error %.3g, spread over directions %.3g\n", worst, worst_spread);
  assert_true(worst < 1e-4);
  assert_true(worst_spread < 1e-6);
}

/* A box at 4 m/s stays in contact on every step, with its weight to 1 %: friction does not lift it;
 * the transient after the start dies within 50 ms. */
static void fast_sliding_box_stays_in_contact(void **state) {
  (void)state;
  unsigned long seed = 8;
  double worst = 0.0;
  int lost = 0;
  for (int n = 0; n < 8; ++n) {
    const double half = n ? random_log_uniform(&seed, 0.01, 1.0) : 0.1,
                 mass = n ? random_log_uniform(&seed, 1e-3, 1e3) : 1.0;
    const double dt = n ? random_uniform(&seed, 5e-4, 5e-3) : 2e-3,
                 mu = n ? random_uniform(&seed, 0.1, 0.8) : 0.5;
    world w = box_on_slope(mass, half, 0.3 * half, mu, 0.0, 0.0, dt);
    run(&w, 0.2);
    const double heading = random_uniform(&seed, 0, 6.28);
    w.data->v[0] = 4.0 * cos(heading), w.data->v[1] = 4.0 * sin(heading);
    run(&w, 0.05);
    double here = 0.0;
    int here_lost = 0;
    for (int i = 0; i < (int)(0.3 / dt); ++i) {
      run(&w, dt);
      const double f = normal_force(w.data) / (mass * g0);
      here = fmax(here, fabs(f - 1.0));
      here_lost += !(f > 0.0);
    }
    if (here > 0.01)
      printf("half %.3g mass %.3g dt %.3g mu %.3g: force error %.3g, %d steps without contact\n",
             half, mass, dt, mu, here, here_lost);
    worst = fmax(worst, here), lost += here_lost;
    world_destroy(&w);
  }
  printf("fast sliding: worst normal force error %.3g, %d steps without contact\n", worst, lost);
  assert_true(worst < 0.01);
  assert_int_equal(lost, 0);
}

/* A box that slides down a slope of 30 degrees at 4 m/s, tolerance 1e-12: its normal force is the
 * weight's on every step and ripples by less than 1e-9. What rested before is bent by its weight; a
 * box that is set down without overlap makes it in its first steps, by forces that are off by the
 * compliance of a near-rigid contact, 1/(dt^2 k w) = beta^2/(4 pi^2) = 2.5e-4, and is left out for
 * ten of them. */
static void sliding_force_does_not_ripple(void **state) {
  (void)state;
  static const double slope = LIMPET_PI / 6, compliance = 2.5e-4;
  for (int rests = 0; rests < 2; ++rests) {
    world w = box_on_slope(1.0, 0.1, 0.05, 0.5, rests ? 0.0 : slope, 0.0, 2e-3);
    w.settings.tolerance = 1e-12;
    if (rests) {
      double *gravity = (double *)w.model->options.gravity;
      gravity[2] = -g0 * cos(slope);
      run(&w, 0.5);
      gravity[0] = g0 * sin(slope);
    }
    w.data->v[0] = 4.0;
    double first = 0.0, ripple = 0.0;
    for (int i = 0; i < 500; ++i) {
      run(&w, w.settings.time_step);
      const double off = fabs(normal_force(w.data) / (g0 * cos(slope)) - 1.0);
      if (i < 10) first = fmax(first, off);
      else ripple = fmax(ripple, off);
    }
    printf("sliding %s: force off by %.2g in ten steps, then %.2g\n",
           rests ? "after rest" : "at once", first, ripple);
    assert_true(first < (rests ? 1e-8 : compliance));
    assert_true(ripple < 1e-9);
    world_destroy(&w);
  }
}

/* 1000 kg on 1 kg, 0.2 m cubes: the near-rigid stiffness follows the light body (w), so the sink is
 * (weight)/(k per contact): 1e4 N/(4 x 1e9 N/m). */
static void heavy_on_light_sinks_little(void **state) {
  (void)state;
  unsigned long seed = 2;
  for (int n = 0; n < 6; ++n) {
    const double half = n ? random_log_uniform(&seed, 0.01, 1.0) : 0.1,
                 light = n ? random_log_uniform(&seed, 1e-3, 1.0) : 1.0;
    const double dt = n ? random_uniform(&seed, 5e-4, 5e-3) : 2e-3;
    limpet_builder *builder = limpet_builder_create();
    add_ground(builder, 0.5);
    const double size[3] = {half, half, half};
    add_free(builder, LIMPET_SHAPE_BOX, size, light, (double[3]){0, 0, half}, 0.5);
    add_free(builder, LIMPET_SHAPE_BOX, size, 1000 * light, (double[3]){0, 0, 3 * half}, 0.5);
    world w = world_create(builder, dt);
    run(&w, 2.0);
    const double sink = 3 * half - w.data->q[9], sideways = hypot(w.data->q[7], w.data->q[8]);
    if (n == 0 || sink > 1e-4)
      printf(
          "1000:1, half %.3g m, light %.3g kg, dt %.3g ms: top sinks %.3g um, moves sideways %.3g "
          "um\n",
          half, light, 1e3 * dt, 1e6 * sink, 1e6 * sideways);
    assert_true(fabs(sink) < 1e-4);
    assert_true(sideways < 1e-4);
    world_destroy(&w);
  }
}

/* A sphere that starts sliding at U0 rolls from t = 2 U0/(7 mu g) on with 5/7 U0: within one step,
 * and within 1e-6 of the speed: the stiction speed, 1 um/s, is 7e-7 of it. */
static void sphere_rolls_after_sliding(void **state) {
  (void)state;
  unsigned long seed = 4;
  for (int n = 0; n < 6; ++n) {
    const double r = n ? random_log_uniform(&seed, 0.01, 1.0) : 0.1,
                 mass = n ? random_log_uniform(&seed, 1e-3, 1e3) : 1.0;
    const double dt = n ? random_uniform(&seed, 5e-4, 5e-3) : 2e-3, mu = 0.3, U0 = 2.0;
    limpet_builder *builder = limpet_builder_create();
    add_ground(builder, mu);
    add_free(builder, LIMPET_SHAPE_SPHERE, (double[3]){r, 0, 0}, mass, (double[3]){0, 0, r}, mu);
    world w = world_create(builder, dt);
    run(&w, 0.2);
    w.data->v[0] = U0;
    const double start = w.data->time;
    double rolls = -1.0;
    for (int i = 0; i < (int)(0.6 / dt) && rolls < 0.0; ++i) {
      run(&w, dt);
      if (fabs(w.data->v[0] - w.data->v[4] * r) < 1e-3 * U0) rolls = w.data->time - start;
    }
    const double expected = 2 * U0 / (7 * mu * g0);
    run(&w, 0.5);
    printf("sphere rolls after %.5f s (%.5f, step %.5f), at %.9f of 5/7 U0\n", rolls, expected, dt,
           w.data->v[0] / (5.0 / 7.0 * U0));
    assert_true(fabs(rolls - expected) <= dt);
    assert_true(fabs(w.data->v[0] / (5.0 / 7.0 * U0) - 1.0) < 1e-6);
    world_destroy(&w);
  }
}

/* Ten cubes, exactly stacked, move less than 0.01 mm in 10 s, and creep by less than 1e-6 um/s in
 * the last five. */
static void ten_boxes_stay_stacked(void **state) {
  (void)state;
  for (int n = 0; n < 3; ++n) {
    const double half = n == 1 ? 0.01 : 0.05, mass = n == 1 ? 0.01 : 1.0, dt = n == 2 ? 5e-3 : 2e-3;
    limpet_builder *builder = limpet_builder_create();
    add_ground(builder, 0.5);
    for (int i = 0; i < 10; ++i)
      add_free(builder, LIMPET_SHAPE_BOX, (double[3]){half, half, half}, mass,
               (double[3]){0, 0, (2 * i + 1) * half}, 0.5);
    world w = world_create(builder, dt);
    double before[70], worst = 0.0, creep = 0.0;
    run(&w, 5.0);
    memcpy(before, w.data->q, sizeof before);
    run(&w, 5.0);
    for (int i = 0; i < 10; ++i) {
      const double *q = w.data->q + 7 * i;
      creep = fmax(creep, limpet_vec3_distance(q, before + 7 * i) / 5.0);
      worst = fmax(worst, sqrt(q[0] * q[0] + q[1] * q[1] + pow(q[2] - (2 * i + 1) * half, 2)));
    }
    printf("stack of ten, half %.3g m, dt %.3g ms: moved %.3g um in 10 s, creeps %.2g um/s\n", half,
           1e3 * dt, 1e6 * worst, 1e6 * creep);
    assert_true(worst < 1e-5);
    assert_true(creep < 1e-12);
    world_destroy(&w);
  }
}

/* Kinetic + gravity + stored contact energy of translating bodies never grows: the step is implicit
 * in contacts and exact in gravity's work. A sphere on three slide joints dropped on the ground,
 * frictionless and with friction. */
/* What near-rigid contacts have stored [J]: no energy of the world, and so not reported, but what
 * they push out again comes from it. */
static double stored_by_near_rigid_contacts(const world *w) {
  const limpet_data *data = w->data;
  double stored = 0.0;
  for (int i = 0; i < data->contact_count && data->info.contact_energy == 0.0; ++i) {
    const double phi =
        data->contact_distance[i] + w->settings.time_step * data->contact_velocity[3 * i + 2];
    if (phi < 0.0) stored += 0.5 * data->contact_stiffness[i] * phi * phi;
  }
  return stored;
}

static void energy_never_grows(void **state) {
  (void)state;
  unsigned long seed = 6;
  double worst = 0.0;
  for (int n = 0; n < 12; ++n) {
    const double r = random_log_uniform(&seed, 0.01, 1.0),
                 mass = random_log_uniform(&seed, 1e-3, 1e3),
                 dt = random_uniform(&seed, 5e-4, 5e-3);
    limpet_builder *builder = limpet_builder_create();
    add_ground(builder, n % 2 ? 0.5 : 0.0);
    limpet_body_description b = limpet_body_description_default();
    b.position[2] = r;
    const int body = limpet_builder_add_body(builder, &b);
    for (int axis = 0; axis < 3; ++axis) {
      limpet_joint_description j = limpet_joint_description_default();
      j.kind = LIMPET_JOINT_PRISMATIC;
      j.body = body;
      limpet_vec3_set(j.axis, axis == 0, axis == 1, axis == 2);
      limpet_builder_add_joint(builder, &j);
    }
    limpet_geom_description g = limpet_geom_description_default();
    g.body = body, g.kind = LIMPET_SHAPE_SPHERE, g.size[0] = r, g.mass = mass;
    if (n % 3 == 0)
      g.material.stiffness = mass * random_log_uniform(&seed, 1e3, 1e6),
      g.material.dissipation = n % 4 ? 0.0 : 1.0;
    limpet_builder_add_geom(builder, &g);
    world w = world_create(builder, dt);
    w.settings.energy = true;
    w.settings.tolerance = 1e-12;
    w.data->q[2] = random_uniform(&seed, 0.05, 0.5), w.data->v[0] = random_uniform(&seed, -2, 2);
    // energy above the ground: a rest on the ground is zero
    const double start = 0.5 * mass * w.data->v[0] * w.data->v[0] + mass * g0 * w.data->q[2];
    double last = start;
    const double height0 = -mass * g0 * r;
    for (int i = 0; i < (int)(1.0 / dt); ++i) {
      run(&w, dt);
      const limpet_step_info *info = &w.data->info;
      const double energy = info->kinetic_energy + info->potential_energy + height0 +
                            info->contact_energy + stored_by_near_rigid_contacts(&w);
      worst = fmax(worst, (energy - last) / start);
      last = energy;
    }
    world_destroy(&w);
  }
  printf("energy: largest growth in a step %.3g of the start value\n", worst);
  assert_true(worst <= 1e-9);
}

// Linear momentum of a free spinning body: the solve has no force to change it; round-off only.
static void free_body_keeps_linear_momentum(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  limpet_vec3_zero(limpet_builder_options(builder)->gravity);
  add_free(builder, LIMPET_SHAPE_BOX, (double[3]){0.1, 0.2, 0.3}, 2.0, (double[3]){0, 0, 1}, 0.5);
  world w = world_create(builder, 2e-3);
  const double v0[6] = {0.1, 0.2, 0.3, 3.0, -5.0, 2.0};
  memcpy(w.data->v, v0, sizeof v0);
  run(&w, 10.0);
  double worst = 0.0;
  for (int i = 0; i < 3; ++i) worst = fmax(worst, fabs(w.data->v[i] - v0[i]));
  printf("free body: linear velocity changed by %.3g m/s in 10 s\n", worst);
  assert_true(worst < 1e-12);
  world_destroy(&w);
}

// Two links joined by a hinge, flying: linear momentum to first order in dt: halving the step
// halves the error.
static double articulated_momentum_error(double dt) {
  limpet_builder *builder = limpet_builder_create();
  limpet_vec3_zero(limpet_builder_options(builder)->gravity);
  const int first = add_free(builder, LIMPET_SHAPE_BOX, (double[3]){0.1, 0.05, 0.05}, 1.0,
                             (double[3]){0, 0, 1}, 0.5);
  limpet_body_description b = limpet_body_description_default();
  b.parent = first;
  b.position[0] = 0.15;
  limpet_joint_description j = limpet_joint_description_default();
  j.body = limpet_builder_add_body(builder, &b);
  j.kind = LIMPET_JOINT_REVOLUTE;
  limpet_vec3_set(j.axis, 0, 1, 0);
  limpet_builder_add_joint(builder, &j);
  limpet_geom_description g = limpet_geom_description_default();
  g.body = j.body, g.kind = LIMPET_SHAPE_BOX, g.mass = 2.0;
  limpet_vec3_set(g.size, 0.05, 0.1, 0.1), limpet_vec3_set(g.position, 0.15, 0, 0);
  limpet_builder_add_geom(builder, &g);
  world w = world_create(builder, dt);
  w.settings.compatibility.plain_flight = true;
  const double v0[7] = {0.1, -0.2, 0.3, 0.4, 0.6, -0.5, 2.0}, origin[3] = {0};
  memcpy(w.data->v, v0, sizeof v0);
  double before[6], after[6];
  limpet_kinematics(w.model, w.data), limpet_velocity_kinematics(w.model, w.data);
  limpet_momentum(w.model, w.data, 0, origin, before);
  run(&w, 1.0);
  limpet_kinematics(w.model, w.data), limpet_velocity_kinematics(w.model, w.data);
  limpet_momentum(w.model, w.data, 0, origin, after);
  world_destroy(&w);
  return limpet_vec3_distance(before + 3, after + 3) / limpet_vec3_norm(before + 3);
}

static void plain_flight_keeps_momentum_to_first_order(void **state) {
  (void)state;
  const double coarse = articulated_momentum_error(2e-3), fine = articulated_momentum_error(1e-3);
  printf("articulated: linear momentum error %.3g at 2 ms, %.3g at 1 ms\n", coarse, fine);
  assert_true(coarse < 0.05);
  assert_true(fine < 0.6 * coarse);
}

/* MuJoCo's particle scene: a thousand spheres fall in a lattice and meet at 4 m/s with a step of 10
 * ms, in which they move by most of their diameter, so that overlaps appear which no speculation
 * foresaw. Every step is solved, and nothing is thrown out: no speed exceeds twice that of the
 * fall. */
static void fast_impacts_are_solved(void **state) {
  (void)state;
  if (!shared_exists("models/mjcf/model/replicate/particle.xml")) skip();
  limpet_error error;
  world w = {
      .model = limpet_load(shared_path("models/mjcf/model/replicate/particle.xml"), NULL, &error)};
  if (!w.model) fail_msg("%s", error.message);
  w.data = limpet_data_create(w.model);
  w.settings = limpet_step_settings_default(w.model);
  run(&w, TEST_WATCHED ? 0.45 : 0.6);
  double fastest = 0.0;
  for (int i = 0; i < w.model->nv; ++i) fastest = fmax(fastest, fabs(w.data->v[i]));
  printf("fast impacts: %d contacts, fastest %.3g m/s\n", w.data->contact_count, fastest);
  assert_true(fastest < 2.0 * g0 * 0.6);
  world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sticking_box_creeps_as_regularisation_says),
      cmocka_unit_test(sliding_box_decelerates_by_coulomb),
      cmocka_unit_test(fast_sliding_box_stays_in_contact),
      cmocka_unit_test(sliding_force_does_not_ripple),
      cmocka_unit_test(heavy_on_light_sinks_little),
      cmocka_unit_test(sphere_rolls_after_sliding),
      cmocka_unit_test(ten_boxes_stay_stacked),
      cmocka_unit_test(energy_never_grows),
      cmocka_unit_test(free_body_keeps_linear_momentum),
      cmocka_unit_test(plain_flight_keeps_momentum_to_first_order),
      cmocka_unit_test(fast_impacts_are_solved),
  };
  return cmocka_run_group_tests_name("laws", tests, NULL, NULL);
}
