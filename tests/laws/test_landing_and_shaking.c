/* tests/laws/test_landing_and_shaking.c: scenes in which friction is decided where contacts begin
 * or their load changes: a box thrown onto a heavy slab, a box on a slope that shakes, a box that
 * lands on an edge, and Painleve's rod. The default model, beside `similar`, and beside `lagged` as
 * what must fail: its bound on friction is of the step before. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "math/vec3.h"
#include "mjcf_text.h"
#include "mjcf_world.h"
#include "shared_data.h"

static const double g = 9.81;  // [m/s^2]

// ------------------------------------------------------------------------------------- thrown

/* A box of 0.1 x 0.1 x 0.08 m comes at 4 m/s along and 2 m/s down, mu = 1, onto a free slab of 1 t.
 * Cosine of the angle between its upper face at the end and at the start; *along [m]: how far it
 * came. */
static double thrown(const char *model, double dt, double *along) {
  mjcf_world w = mjcf_world_of(
      MODEL("<default><geom friction='1'/></default><worldbody>"
            "<geom type='plane' size='9 9 1'/><body pos='0 0 .1'><freejoint/>"
            "<geom type='box' size='5 2 .1' mass='1000'/></body><body pos='-3 0 .242'><freejoint/>"
            "<geom type='box' size='.05 .05 .04' mass='1'/></body></worldbody>"),
      model);
  w.settings.time_step = dt;
  w.data->v[6] = 4.0, w.data->v[8] = -2.0;
  mjcf_world_run(&w, 1.0);
  const double *q = w.data->q + 7;
  const double up = 1.0 - 2.0 * (q[4] * q[4] + q[5] * q[5]);
  *along = q[0] + 3.0;
  mjcf_world_destroy(&w);
  return up;
}

/* Friction takes mu 2 m/s off 4 m/s in the landing, and the rest within v^2/(2 mu g) = 0.204 m; it
 * touches after 1 ms. 3 %: the first contact may fall anywhere in a step of 5 ms. */
static void a_thrown_box_lies_where_similar_has_it(void **state) {
  (void)state;
  static const double dt[] = {5e-3, 2e-3, 1e-3, 5e-4};
  for (int k = 0; k < 4; ++k) {
    double along, of_similar;
    assert_true(thrown(NULL, dt[k], &along) > 1.0 - 1e-6);
    assert_true(thrown("similar", dt[k], &of_similar) > 1.0 - 1e-6);
    printf("%g ms: comes %.4f m along, similar %.4f m\n", 1e3 * dt[k], along, of_similar);
    assert_true(fabs(along / of_similar - 1.0) < 0.03);
  }
  double along;
  const double up = thrown("lagged", 2e-3, &along);
  printf("lagged: comes %.4f m along, up %.3f\n", along, up);
  assert_true(fabs(along - 0.204) > 0.1);
}

// -------------------------------------------------------------------------------- shaken slope

/* Speed [m/s] at which a box creeps down a slope at that share of the friction angle, mu = 0.5,
 * whose slab of 1000 t is shaken up and down with 0.5 g. Weight and load swell together, so below
 * the friction angle nothing may slip at any time. */
static double shaken_slope(const char *model, double share, double frequency) {
  static const double slab = 1e6, shake = 0.5, mu = 0.5;
  const double slope = atan(share * mu), omega = 2.0 * LIMPET_PI * frequency;
  const double down[2] = {sin(slope), -cos(slope)};  // x, z
  char text[1024];
  snprintf(text, sizeof text,
           MODEL("<option gravity='%.17g 0 %.17g'/><default><geom friction='%.17g'/></default>"
                 "<worldbody><body pos='0 0 -.1'><joint type='slide' axis='%.17g 0 %.17g'/>"
                 "<geom type='box' size='5 5 .1' mass='%.17g'/></body><body pos='0 0 .05'>"
                 "<freejoint/><geom type='box' size='.1 .1 .05' mass='1'/></body></worldbody>"),
           g * down[0], g * down[1], mu, -down[0], -down[1], slab);
  mjcf_world w = mjcf_world_of(text, model);
  limpet_data *data = w.data;
  data->v[0] = -shake * g / omega;  // of a slab that swings about its place
  data->v[1] = -down[0] * data->v[0], data->v[3] = -down[1] * data->v[0];
  double start = 0.0;
  while (data->time < 1.0 - 1e-9) {
    if (start == 0.0 && data->time > 0.5) start = data->q[1] + down[0] * data->q[0];
    const double middle = data->time + 0.5 * w.settings.time_step;
    data->applied_force[0] = slab * g * (1.0 + shake * sin(omega * middle));
    mjcf_world_step(&w);
  }
  const double speed = (data->q[1] + down[0] * data->q[0] - start) / 0.5;
  mjcf_world_destroy(&w);
  return speed;
}

static void nothing_slips_on_a_shaken_slope(void **state) {
  (void)state;
  static const double frequency[] = {20.0, 30.0, 50.0, 70.0, 100.0}, share[] = {0.5, 0.8, 0.9};
  double worst = 0.0, lagged = 0.0;
  for (int s = 0; s < 3; ++s)
    for (int f = 0; f < 5; ++f) {
      worst = fmax(worst, fabs(shaken_slope(NULL, share[s], frequency[f])));
      lagged = fmax(lagged, shaken_slope("lagged", share[s], frequency[f]));
    }
  printf("shaken slope: fastest creep %.3g mm/s; of lagged %.3g mm/s\n", 1e3 * worst, 1e3 * lagged);
  assert_true(worst < 1e-5);
  assert_true(lagged > 1e-3);
}

// ------------------------------------------------------------------------- order of an impact

/* A box that leans by 0.5 rad or 0.9 rad lands on an edge with 1 m/s down, slips, spins down on its
 * face or goes on falling. Its slip keeps its direction: where slip turns within an impact, what it
 * ends with depends on how the impact falls on steps (docs/theory/coulomb.md). */
static void lands_on_edge(const char *model, double lean, double speed, double dt, double q[7]) {
  mjcf_world w = mjcf_world_of(
      MODEL("<default><geom friction='.2'/></default><worldbody><geom type='plane' size='9 9 1'/>"
            "<body pos='0 0 .1171'><freejoint/><geom type='box' size='.1 .06 .03' mass='1'/></body>"
            "</worldbody>"),
      model);
  w.settings.time_step = dt, w.settings.tolerance = 1e-10;
  w.data->q[3] = cos(0.5 * lean), w.data->q[5] = sin(0.5 * lean);
  w.data->v[0] = speed, w.data->v[2] = -1.0;
  mjcf_world_run(&w, 0.1);
  memcpy(q, w.data->q, 7 * sizeof *q);
  mjcf_world_destroy(&w);
}

// Distance [m] of the centre from where a fine step has it.
static double error_of(const char *model, double lean, double speed, double dt,
                       const double exact[7]) {
  double q[7];
  lands_on_edge(model, lean, speed, dt, q);
  return hypot(q[0] - exact[0], q[2] - exact[2]);
}

/* From 1 ms to 0.05 ms errors shrink at least as the 0.8th power of the step, and by ten times from
 * end to end: first order, up to where in a step the impact falls. */
static void impacts_converge_with_the_step(void **state) {
  (void)state;
  static const double dt[] = {1e-3, 5e-4, 2.5e-4, 1e-4, 5e-5}, lean[] = {0.5, 0.9},
                      speed[] = {1.0, 0.1};
  for (int k = 0; k < 2; ++k) {
    double exact[7], error[5];
    lands_on_edge(NULL, lean[k], speed[k], 2e-6, exact);
    printf("lean %g rad, 1 to 0.05 ms:", lean[k]);
    for (int i = 0; i < 5; ++i) {
      error[i] = error_of(NULL, lean[k], speed[k], dt[i], exact);
      printf(" %.4f", 1e3 * error[i]);
    }
    lands_on_edge("lagged", lean[k], speed[k], 2e-6, exact);
    const double lagged = error_of("lagged", lean[k], speed[k], 1e-4, exact);
    printf(" mm; lagged at 0.1 ms: %.3f mm\n", 1e3 * lagged);
    assert_true(error[0] < 3e-4);
    assert_true(error[4] < 0.1 * error[0]);
    assert_true(log(error[0] / error[4]) / log(dt[0] / dt[4]) > 0.8);
    assert_true(lagged > 3e-3);
  }
}

// -------------------------------------------------------------------------------- Painleve's rod

typedef struct jam {
  double peak;  // [N]
  double q[3], v[3];
  int steps, unsolved;
} jam;

typedef struct rod_start {
  double dt, speed, angle;  // [s], [m/s], [rad]
  int iteration_limit;
  double tolerance;
} rod_start;

/* A near-rigid rod slides on its end at 10 m/s, 30 degrees to the floor, mu = 2.3: friction turns
 * it into the floor until it jams and jumps. 0.15 s. */
static jam painleve_rod(const rod_start *start) {
  static const double half = 0.25, mass = 0.3, tip = 1e-6;
  char text[1024];
  snprintf(text, sizeof text,
           MODEL("<default><geom friction='2.3'/></default><worldbody>"
                 "<geom type='plane' size='1 1 .1'/><body><joint type='slide' axis='1 0 0'/>"
                 "<joint type='slide' axis='0 0 1'/><joint type='hinge' axis='0 1 0'/>"
                 "<inertial pos='0 0 0' mass='%g' diaginertia='1e-6 %.17g %.17g'/>"
                 "<geom size='%g' pos='%g 0 0'/><geom size='%g' pos='-%g 0 0'/></body>"
                 "</worldbody>"),
           mass, mass * half * half / 3.0, mass * half * half / 3.0, tip, half, tip, half);
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.time_step = start->dt, w.settings.tolerance = start->tolerance;
  w.settings.iteration_limit = start->iteration_limit;
  w.data->q[1] = half * sin(start->angle) + tip, w.data->q[2] = start->angle;
  w.data->v[0] = start->speed;
  jam result = {0};
  while (w.data->time < 0.15) {
    result.unsolved += limpet_step(w.model, w.data, &w.settings) != LIMPET_OUTCOME_SOLVED;
    ++result.steps;
    assert_true(w.data->info.friction_outside < 0.01);
    for (int i = 0; i < w.data->contact_count; ++i)
      result.peak = fmax(result.peak, w.data->contact_force[3 * i + 2]);
  }
  memcpy(result.q, w.data->q, sizeof result.q);
  memcpy(result.v, w.data->v, sizeof result.v);
  mjcf_world_destroy(&w);
  return result;
}

static bool agree(const jam *a, const jam *b, double share) {
  bool all = fabs(a->peak / b->peak - 1.0) < share;
  for (int i = 0; i < 3; ++i) all = all && fabs(a->q[i] - b->q[i]) < share;
  return all;
}

/* The same bits with 15 and with 400 iterations, since every step is solved, and the same answer to
 * what the tolerance leaves: a share of the momentum of a step, which grows 150 to 480 times on
 * the way into the jam. The jam is a force of some fifty weights and more. */
static void a_jammed_rod_has_one_answer(void **state) {
  (void)state;
  rod_start start = {2e-3, 10.0, LIMPET_PI / 6.0, 15, 1e-6};
  const jam short_one = painleve_rod(&start);
  start.iteration_limit = 400;
  const jam long_one = painleve_rod(&start);
  start.tolerance = 1e-8;
  const jam close = painleve_rod(&start);
  start.tolerance = 1e-12;
  const jam exact = painleve_rod(&start);
  assert_int_equal(short_one.unsolved, 0);
  printf(
      "Painleve's rod at 2 ms: peak force %.4f N, %.6f and %.6f N at tolerances 1e-8 and 1e-12\n",
      short_one.peak, close.peak, exact.peak);
  assert_memory_equal(&short_one, &long_one, sizeof short_one);
  assert_true(agree(&short_one, &exact, 512 * 1e-6));
  assert_true(agree(&close, &exact, 512 * 1e-8));
  assert_true(exact.peak > 50.0 * 0.3 * g);
}

/* A contact alone always has an impulse that meets the law (solve/coulomb_jam.c), also where the
 * rod comes back on a fold, and the branch that it was on has ended. */
static void a_jammed_rod_is_solved_at_any_step(void **state) {
  (void)state;
  unsigned long seed = 5;
  int steps = 0, unsolved = 0;
  for (int i = 0; i < 64; ++i) {
    const rod_start start = {
        .dt = i < 2 ? 1e-3 : exp(random_uniform(&seed, log(2e-4), log(4e-3))),
        .speed = i < 2 ? 10.0 : random_uniform(&seed, 5.0, 15.0),
        .angle = LIMPET_PI / 6.0 * (i < 2 ? 1.0 : random_uniform(&seed, 0.5, 2.5)),
        .iteration_limit = i == 1 ? 400 : 60,
        .tolerance = 1e-6};
    const jam one = painleve_rod(&start);
    steps += one.steps, unsolved += one.unsolved;
  }
  printf("jammed rods: %d of %d steps unsolved\n", unsolved, steps);
  assert_int_equal(unsolved, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_thrown_box_lies_where_similar_has_it),
      cmocka_unit_test(nothing_slips_on_a_shaken_slope),
      cmocka_unit_test(impacts_converge_with_the_step),
      cmocka_unit_test(a_jammed_rod_has_one_answer),
      cmocka_unit_test(a_jammed_rod_is_solved_at_any_step),
  };
  return cmocka_run_group_tests_name("landing_and_shaking", tests, NULL, NULL);
}
