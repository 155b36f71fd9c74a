/* tests/step/test_solid_turning.c: stiff solids of the law linear-corotated that turn while they
 * touch gain no energy by the rotations of the start of the step, and those of nonlinear laws are
 * solved, too. */
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

typedef struct solid {
  const char *shape, *ground, *law;
  double young, poisson, density, damping, size[3], friction, step;
  double v[3], w[3];
} solid;

typedef struct tally {
  int steps, touched, unsolved, rounds;
  double worst;  // [-]  energy gained in a step in which it touched, over that before
} tally;

static solid random_solid(unsigned long *seed, int i) {
  solid s = {.shape = i % 2 ? "ellipsoid" : "box",
             .law = "linear-corotated",
             .ground = i % 4 < 2 ? "<geom type='plane' size='9 9 .1' friction='%g'/>"
                                 : "<body pos='0 0 -.1'><freejoint/><geom type='box' "
                                   "size='1 1 .1' density='4000' friction='%g'/></body>",
             .young = random_log(seed, 1e7, 1e9),
             .poisson = random_uniform(seed, 0.0, 0.45),
             .density = random_log(seed, 100.0, 4000.0),
             .damping = i % 3 == 0 ? random_log(seed, 1e-4, 1e-2) : 0.0,
             .friction = random_log(seed, 0.1, 1.2),
             .step = random_log(seed, 1e-3, 5e-3)};
  for (int k = 0; k < 3; ++k) s.size[k] = random_log(seed, 0.01, 0.05);
  random_vector(seed, s.v, 2, 2.0);
  s.v[2] = -random_log(seed, 0.1, 3.0);
  random_vector(seed, s.w, 3, 20.0);
  return s;
}

static mjcf_world solid_world(const solid *s, const char *contact, unsigned long *seed) {
  char ground[256], text[1024];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(ground, sizeof ground, s->ground, s->friction);
#pragma GCC diagnostic pop
  double turn[3];
  random_vector(seed, turn, 3, 180.0);
  snprintf(text, sizeof text,
           "<mujoco><worldbody>%s<limpet:deformable type='%s' size='%g %g %g' cells='2 2 2' "
           "law='%s' young='%g' poisson='%g' density='%g' damping='%g' friction='%g' "
           "pos='0 0 .1' euler='%g %g %g'/></worldbody></mujoco>",
           ground, s->shape, s->size[0], s->size[1], s->size[2], s->law, s->young, s->poisson,
           s->density, s->damping, s->friction, turn[0], turn[1], turn[2]);
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.time_step = s->step;
  w.settings.energy = true;
  limpet_step_settings_contact_model(&w.settings, limpet_contact_model_find(contact));
  return w;
}

// It starts a little above the ground; returns its energy.
static double throw_solid(const mjcf_world *w, const solid *s) {
  const limpet_fem_body *body = w->model->deformable_body[0];
  double *q = w->data->vertex_position, *v = w->data->vertex_velocity, lowest = INFINITY;
  for (int i = 0; i < w->model->vertex_count; ++i) lowest = fmin(lowest, q[3 * i + 2]);
  for (int i = 0; i < w->model->vertex_count; ++i) q[3 * i + 2] -= lowest - 2e-3;
  const limpet_fem_state rest = limpet_fem_body_state(body, q, NULL, NULL);
  for (int i = 0; i < w->model->vertex_count; ++i) {
    double r[3], turn[3];
    limpet_vec3_sub(r, q + 3 * i, rest.centre);
    limpet_vec3_cross(turn, s->w, r);
    limpet_vec3_add(v + 3 * i, s->v, turn);
  }
  return limpet_fem_body_state(body, q, v, NULL).kinetic;
}

static bool touches(const mjcf_world *w) {
  for (int i = 0; i < 3 * w->model->vertex_count; ++i)
    if (w->data->vertex_force[i] != 0.0) return true;
  return false;
}

static void tumble(const solid *s, const char *contact, bool linearised, unsigned long *seed,
                   tally *t) {
  mjcf_world w = solid_world(s, contact, seed);
  w.settings.linearised_elasticity = linearised;
  const double whole = throw_solid(&w, s);
  for (int i = 0; i < 60; ++i) {
    const bool solved = limpet_step(w.model, w.data, &w.settings) == LIMPET_OUTCOME_SOLVED;
    ++t->steps, t->unsolved += !solved;
    t->rounds += w.data->info.elastic_rounds;
    if (!touches(&w)) continue;
    ++t->touched;
    if (solved) t->worst = fmax(t->worst, w.data->info.energy_rise / whole);
  }
  mjcf_world_destroy(&w);
}

// `laws`: (3)  one after the other
static tally tumble_all(const char *const *laws, bool linearised) {
  static const char *const contacts[] = {"coulomb", "lagged", "coulomb", "similar", "sap"};
  unsigned long seed = 20261130;
  tally t = {0};
  for (int i = 0; i < test_effort(40, 8); ++i) {
    solid s = random_solid(&seed, i);
    s.law = laws[i / 2 % 3];
    tumble(&s, contacts[i % 5], linearised, &seed, &t);
  }
  print_message("%d of %d steps unsolved, %d touch, %d rounds, at most %.2g gained\n", t.unsolved,
                t.steps, t.touched, t.rounds, t.worst);
  return t;
}

static const char *const linear[3] = {"linear-corotated", "linear-corotated", "linear-corotated"};

static void stiff_solids_that_turn(void **state) {
  (void)state;
  const tally t = tumble_all(linear, false);
  assert_true(t.touched > t.steps / 4 && t.rounds > 0);
  assert_true(500 * t.unsolved <= t.steps);
  assert_true(t.worst < 1e-2);
}

/* 22 of 2400 steps are not solved where rounds go straight from one rotation to the next, 2 where
 * the last rounds are not combined along turned ways. */
static void nonlinear_solids_that_turn(void **state) {
  (void)state;
  static const char *const laws[3] = {"corotated", "neo-hookean", "neo-hookean-log"};
  const tally t = tumble_all(laws, false);
  assert_true(t.touched > t.steps / 4 && t.rounds > 0);
  assert_int_equal(t.unsolved, 0);
  assert_true(t.worst < 1e-2);
}

// The published linearisation is another problem, by its own name: the check above can fail.
static void the_linearisation_gains(void **state) {
  (void)state;
  const tally t = tumble_all(linear, true);
  assert_int_equal(t.rounds, 0);
  assert_true(t.worst > 0.1);
}

// What turns by little in a step keeps its linear forces.
static void soft_solids_need_no_round(void **state) {
  (void)state;
  unsigned long seed = 1;
  const solid soft = {.shape = "box",
                      .ground = "<geom type='plane' size='9 9 .1' friction='%g'/>",
                      .law = "linear-corotated",
                      .young = 1e5,
                      .poisson = 0.4,
                      .density = 1000.0,
                      .damping = 1e-3,
                      .size = {0.03, 0.03, 0.03},
                      .friction = 0.5,
                      .step = 1e-3,
                      .v = {0.2, 0.0, -0.3},
                      .w = {0.5, 0.5, 0.0}};
  tally t = {0};
  tumble(&soft, "coulomb", false, &seed, &t);
  assert_true(t.touched > 10);
  assert_int_equal(t.rounds + t.unsolved, 0);
}

/* A bent bar that a rod holds springs back in its free motion, by linear forces with a gain of
 * energy; held by the rod it stays, and its forces are right as they are. */
static void what_holds_a_bent_bar_keeps_its_forces_linear(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><option timestep='.01' gravity='0 0 0'/><worldbody>"
      "<body pos='.03 0 .0121'><joint name='push' type='slide' axis='0 0 -1' damping='20'/>"
      "<geom type='capsule' size='.01 .02' euler='90 0 0' mass='1'/></body>"
      "<limpet:deformable type='box' size='.05 .01 .002' cells='16 3 1' young='2.5e6' "
      "poisson='.4' damping='.01'><limpet:tie body='world' box='-1 -1 -1 -.0499 1 1'/>"
      "</limpet:deformable></worldbody>"
      "<actuator><motor joint='push' ctrlrange='0 100'/></actuator></mujoco>",
      NULL);
  w.data->control[0] = 1.0;
  mjcf_world_run(&w, 0.7);
  double lowest = 0.0;
  for (int i = 0; i < w.model->vertex_count; ++i)
    lowest = fmin(lowest, w.data->vertex_position[3 * i + 2]);
  int rounds = 0, iterations = 0;
  for (int i = 0; i < 30; ++i) {
    mjcf_world_step(&w);
    rounds += w.data->info.elastic_rounds, iterations += w.data->info.iterations;
  }
  if (!(lowest < -0.03 && rounds == 0 && iterations <= 5 * 30))
    fail_msg("bent by %g m: %d rounds, %d iterations in 30 steps", -lowest, rounds, iterations);
  mjcf_world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_holds_a_bent_bar_keeps_its_forces_linear),
      cmocka_unit_test(stiff_solids_that_turn), cmocka_unit_test(nonlinear_solids_that_turn),
      cmocka_unit_test(the_linearisation_gains), cmocka_unit_test(soft_solids_need_no_round)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
