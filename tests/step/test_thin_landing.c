/* tests/step/test_thin_landing.c: sheets that land fast, by steps in which their vertices go
 * farther than a cell, gain no energy, and the step says so where their law is not met. No vertex
 * of a soft solid goes through the plane that others of it land on. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "math/vec3.h"
#include "mjcf_world.h"
#include "random_models.h"

enum { TEXT = 16384 };

typedef struct sheet {
  int n, m;                                    // cells
  double cell, thickness, young, density;      // [m], [m], [Pa], [kg/m^3]
  double poisson, damping, tilt, speed, step;  // [1], [s], [degrees], [m/s], [s]
} sheet;

typedef struct tally {
  int steps, unsolved, rounds, rounded;
  double worst;  // [-]  energy gained in a step, over that before landing
} tally;

// n x m cells, almost on their edge or tilted, above a plane.
static void describe(const sheet *s, char text[TEXT]) {
  int k = snprintf(text, TEXT,
                   "<mujoco><worldbody><geom type='plane' size='1 1 .1'/><limpet:deformable "
                   "type='direct' shell='true' thickness='%g' young='%g' density='%g' poisson='%g' "
                   "damping='%g' pos='0 0 %g' euler='%g 0 0' point='",
                   s->thickness, s->young, s->density, s->poisson, s->damping, 1.5 * s->n * s->cell,
                   s->tilt);
  for (int i = 0; i <= s->n; ++i)
    for (int j = 0; j <= s->m; ++j)
      k += snprintf(text + k, TEXT - (size_t)k, "%g %g %g ", s->cell * j, i % 2 ? .001 : 0.0,
                    s->cell * i);
  k += snprintf(text + k, TEXT - (size_t)k, "' faces='");
  for (int i = 0; i < s->n; ++i)
    for (int j = 0; j < s->m; ++j) {
      const int a = i * (s->m + 1) + j, b = a + s->m + 1;
      k += snprintf(text + k, TEXT - (size_t)k, "%d %d %d %d %d %d ", a, a + 1, b, a + 1, b + 1, b);
    }
  k += snprintf(text + k, TEXT - (size_t)k, "'/></worldbody></mujoco>");
  assert_true(k < TEXT);
}

// The sheet is thrown down; its energies until it has landed.
static void land(const sheet *s, const char *contact, tally *t) {
  char text[TEXT];
  describe(s, text);
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.time_step = s->step;
  w.settings.energy = true;
  limpet_step_settings_contact_model(&w.settings, limpet_contact_model_find(contact));
  for (int i = 0; i < w.model->vertex_count; ++i) {
    w.data->vertex_velocity[3 * i] = 0.1 * s->speed;
    w.data->vertex_velocity[3 * i + 2] = -s->speed;
  }
  const double mass = limpet_fem_body_information(w.model->deformable_body[0]).mass;
  const double whole = 0.5 * mass * s->speed * s->speed;
  const int count = 20 + (int)ceil(2.0 * s->n * s->cell / (s->speed * s->step));
  for (int i = 0; i < count; ++i) {
    const bool solved = limpet_step(w.model, w.data, &w.settings) == LIMPET_OUTCOME_SOLVED;
    const limpet_step_info *info = &w.data->info;
    ++t->steps, t->unsolved += !solved;
    t->rounds += info->elastic_rounds, t->rounded += info->elastic_rounds > 0;
    if (solved) assert_true(info->elastic_residual <= w.settings.tolerance);
    t->worst = fmax(t->worst, info->energy_rise / whole);
  }
  mjcf_world_destroy(&w);
}

static sheet random_sheet(unsigned long *seed) {
  return (sheet){
      .n = 2 + (int)random_uniform(seed, 0.0, 5.0),
      .m = 2 + (int)random_uniform(seed, 0.0, 3.0),
      .cell = 0.03,
      .thickness = random_log(seed, 3e-4, 3e-3),
      .young = random_log(seed, 1e5, 1e7),
      .density = random_log(seed, 200.0, 2000.0),
      .poisson = random_uniform(seed, 0.0, 0.45),
      .damping = random_uniform(seed, 0.0, 1.0) < 0.5 ? 0.0 : random_log(seed, 1e-4, 1e-2),
      .tilt = random_uniform(seed, -40.0, 40.0),
      .speed = random_uniform(seed, 5.0, 10.0),
      .step = random_uniform(seed, 5e-3, 1e-2)};
}

static void expect_no_gain(const char *what, const tally *t) {
  print_message("%s: %d of %d steps unsolved, %d rounds in %d steps, at most %.2g gained\n", what,
                t->unsolved, t->steps, t->rounds, t->rounded, t->worst);
  if (!(t->worst < 1e-3)) fail_msg("%s: %g of the energy gained in a step", what, t->worst);
}

static void random_sheets(void **state) {
  (void)state;
  static const char *const contacts[] = {"lagged", "coulomb", "similar", "sap"};
  unsigned long seed = 20261130;
  tally t = {0};
  for (int i = 0; i < test_effort(40, 8); ++i) {
    const sheet s = random_sheet(&seed);
    land(&s, contacts[i % 4], &t);
  }
  expect_no_gain("random sheets", &t);
  assert_true(t.rounded > 0 && 200 * t.unsolved <= t.steps);
}

// A straight rope of `cells` cells, tilted, thrown at a plane.
static void land_rope(unsigned long *seed, const char *contact, tally *t) {
  const int cells = 3 + (int)random_uniform(seed, 0.0, 6.0);
  const double cell = random_log(seed, 5e-3, 2e-2), young = random_log(seed, 1e6, 1e9),
               thickness = cell * random_log(seed, 0.05, 0.3), speed = random_log(seed, 0.3, 6.0),
               step = random_log(seed, 1e-3, 5e-3), tilt = random_uniform(seed, 0.0, 90.0);
  char text[TEXT];
  int k = snprintf(text, TEXT,
                   "<mujoco><worldbody><geom type='plane' size='1 1 .1'/><limpet:deformable "
                   "type='direct' thickness='%g' young='%g' pos='0 0 %g' euler='0 %g 0' point='",
                   thickness, young, 0.6 * cells * cell + 0.01, tilt);
  for (int i = 0; i <= cells; ++i)
    k += snprintf(text + k, TEXT - (size_t)k, "%g 0 0 ", cell * (i - 0.5 * cells));
  k += snprintf(text + k, TEXT - (size_t)k, "' segments='");
  for (int i = 0; i < cells; ++i) k += snprintf(text + k, TEXT - (size_t)k, "%d %d ", i, i + 1);
  snprintf(text + k, TEXT - (size_t)k, "'/></worldbody></mujoco>");
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.time_step = step;
  limpet_step_settings_contact_model(&w.settings, limpet_contact_model_find(contact));
  for (int i = 0; i < w.model->vertex_count; ++i) w.data->vertex_velocity[3 * i + 2] = -speed;
  for (int i = 0; i < 80; ++i) {
    ++t->steps;
    t->unsolved += limpet_step(w.model, w.data, &w.settings) != LIMPET_OUTCOME_SOLVED;
    t->rounds += w.data->info.elastic_rounds, t->rounded += w.data->info.elastic_rounds > 0;
  }
  mjcf_world_destroy(&w);
}

/* Segments that turn in a step are stretched by half the square of their angle where their nodes go
 * straight. With that stress in the stiffness of the rounds 325 of 16,000 steps are unsolved, and
 * rounds are 7.8 a step that needs some; without it 120, and 4.5; where far from solved ropes go by
 * their objective, not by their residual, 33, and 3.5. */
static void random_ropes(void **state) {
  (void)state;
  static const char *const contacts[] = {"lagged", "coulomb", "similar"};
  unsigned long seed = 20261201;
  tally t = {0};
  for (int i = 0; i < test_effort(200, 40); ++i) land_rope(&seed, contacts[i % 3], &t);
  print_message("random ropes: %d of %d steps unsolved, %d rounds in %d steps\n", t.unsolved,
                t.steps, t.rounds, t.rounded);
  assert_true(t.rounded > 0 && 300 * t.unsolved <= t.steps && 2 * t.rounds < 9 * t.rounded);
}

static void sheets_on_their_edge(void **state) {
  (void)state;
  const sheet cases[] = {{4, 2, .03, 1e-3, 2e6, 1600, .4, 0, 0, 9, 7e-3},
                         {6, 3, .03, 1e-3, 2e6, 1600, .4, 0, 0, 9, 7e-3}};
  for (int i = 0; i < 2; ++i) {
    tally t = {0};
    land(&cases[i], "lagged", &t);
    expect_no_gain("on the edge", &t);
    assert_int_equal(t.unsolved, 0);
  }
}

// What moves by a small part of a cell in a step keeps its linear forces.
static void slow_sheets_need_no_round(void **state) {
  (void)state;
  const sheet slow = {4, 2, .03, 1e-3, 2e6, 1600, .4, 1e-3, 20, 0.5, 1e-3};
  tally t = {0};
  land(&slow, "lagged", &t);
  assert_int_equal(t.unsolved + t.rounded, 0);
}

/* An ellipsoid of 1.4 kPa rolls over a plane: as its vertices land one after the other, it throws
 * down those that stood still. */
static void no_vertex_goes_through(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><worldbody><geom type='plane' size='5 5 .1' friction='.06'/><limpet:deformable "
      "type='ellipsoid' size='.06 .06 .05' cells='2 2 2' law='neo-hookean-log' young='1400' "
      "poisson='.11' density='900' friction='.06' pos='0 0 .06' euler='20 30 0'/></worldbody>"
      "</mujoco>",
      NULL);
  w.settings.time_step = 4e-3;
  limpet_step_settings_contact_model(&w.settings, limpet_contact_model_find("sap"));
  for (int i = 0; i < w.model->vertex_count; ++i) w.data->vertex_velocity[3 * i] = 1.6;
  int rounds = 0;
  double lowest = 0.0;
  for (int k = 0; k < 75; ++k) {
    mjcf_world_step(&w);
    rounds += w.data->info.crossing_rounds;
    for (int i = 0; i < w.model->vertex_count; ++i)
      lowest = fmin(lowest, w.data->vertex_position[3 * i + 2]);
  }
  print_message("lowest vertex: %.2g m, %d rounds\n", lowest, rounds);
  assert_true(rounds > 0 && lowest > -2e-4);
  mjcf_world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_sheets), cmocka_unit_test(random_ropes),
      cmocka_unit_test(sheets_on_their_edge), cmocka_unit_test(no_vertex_goes_through),
      cmocka_unit_test(slow_sheets_need_no_round)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
