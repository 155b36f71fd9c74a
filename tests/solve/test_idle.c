/* tests/solve/test_idle.c: contacts that press on nothing are left out of a solve. What is solved
 * without them is a solution of the whole problem, and where one of them presses the whole problem
 * is solved, to the bit as if nothing had been left out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/threads.h"
#include "law/normal_law.h"
#include "mjcf_world.h"
#include "solve/coulomb.h"
#include "solve/idle.h"
#include "solve/island.h"
#include "step/prepared.h"

// Two feet on a slide, each tilted by a thousandth: one edge of each stands, the other is 0.1 mm
// up.
static const char *const tilted =
    "<mujoco><option timestep='0.002'/><worldbody>"
    "<geom type='plane' size='5 5 1' friction='0.5 0.01 0.001' condim='6'/>"
    "<body pos='0 0 0.1'><joint type='slide' axis='0 0 1'/><joint type='slide' axis='1 0 0'/>"
    "<geom type='box' size='0.05 0.05 0.05' pos='0 0 -0.04995' quat='1 0.0005 0 0' mass='1' "
    "friction='0.5 0.01 0.001' condim='6'/>"
    "<geom type='box' size='0.05 0.05 0.05' pos='0.3 0 -0.04995' quat='1 0.0005 0 0' mass='1'/>"
    "</body></worldbody></mujoco>";

// A box at rest, 0.1 mm above the ground.
static const char *const above =
    "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='5 5 1'/>"
    "<body pos='0 0 0.0501'><freejoint/><geom type='box' size='0.05 0.05 0.05' mass='1'/></body>"
    "</worldbody></mujoco>";

static limpet_solve_settings settings_of(const limpet_step_settings *settings) {
  limpet_solve_settings solver = {.newton = limpet_newton_settings_default(),
                                  .dense_limit = settings->dense_limit,
                                  .takes_later = true};
  solver.newton.tolerance = settings->tolerance;
  solver.newton.iteration_limit = settings->iteration_limit;
  return solver;
}

// The whole island, which is alone in the problem, with `limit` iterations.
static void solve_whole(limpet_island_solver *s, const limpet_contact_problem *problem,
                        limpet_solve_settings settings, const limpet_solve_start *start, int limit,
                        limpet_arena *arena) {
  assert_int_equal(problem->island_count, 1);
  settings.newton.iteration_limit = limit;
  assert_int_equal(limpet_island_solver_create(s, problem, 0, settings.dense_limit, arena), 0);
  assert_int_equal(limpet_coulomb_create(s, arena), LIMPET_OK);
  limpet_coulomb_solve(s, &settings.newton, start, false);
}

static bool is_left_out(const limpet_contact_problem *problem, limpet_arena *arena, int *rest) {
  limpet_idle idle;
  bool any;
  assert_int_equal(limpet_idle_leave_out(&idle, problem, 0, arena, &any), LIMPET_OK);
  *rest = any ? idle.rest.contact_count : problem->contact_count;
  return any;
}

// Each contact of a solution meets its law at its velocity, and momentum is met.
static void is_solution(const limpet_contact_problem *p, const limpet_contact_solution *solution) {
  const limpet_island *island = &p->island[0];
  double x[16], difference[16], A_difference[16], impulse[16], gradient = 0.0, scale = 0.0;
  double momentum[16], velocity[3 * 16], row[16], push[16], row_gamma[16] = {0};
  assert_true(island->size <= 16 && island->contact_count <= 16 && island->row_count == 0);
  limpet_island_gather(p, island, solution->v, x);
  limpet_island_gather(p, island, solution->impulse, push);
  limpet_island_gather(p, island, p->momentum, momentum);
  limpet_island_gather(p, island, p->v_free, difference);
  for (int i = 0; i < island->size; ++i) difference[i] = x[i] - difference[i];
  limpet_island_momentum(p, island, difference, A_difference);
  limpet_island_impulse(p, island, solution->gamma, row_gamma, impulse);
  limpet_island_speeds(p, island, x, velocity, row);
  for (int i = 0; i < island->size; ++i) {
    assert_true(fabs(push[i] - impulse[i]) < 1e-14);
    gradient += pow(A_difference[i] - impulse[i], 2);
    scale += pow(impulse[i], 2) + pow(momentum[i], 2);
  }
  assert_true(gradient <= 1e-12 * scale);
  for (int c = 0; c < p->contact_count; ++c) {
    const double *v = solution->velocity + 3 * c, *gamma = solution->gamma + 3 * c;
    double slope;
    for (int e = 0; e < 3; ++e) {
      const double bias =
          e < 2 && p->contact_bias ? p->contact_bias[LIMPET_CONTACT_BIAS * c + e] : 0.0;
      assert_true(fabs(v[e] - bias - velocity[3 * c + e]) < 1e-13);
    }
    const double n = limpet_normal_impulse(&p->constants[c], v[2], &slope);
    assert_true(fabs(gamma[2] - n) <= 1e-14);
    assert_true(hypot(gamma[0], gamma[1]) <= p->constants[c].friction * n * (1.0 + 1e-12));
  }
}

static void what_is_left_out_presses_on_nothing(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(tilted, NULL);
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, 1 << 16), 0);
  struct limpet_threads *threads = limpet_threads_create(2);
  assert_non_null(threads);
  int steps_left_out = 0;
  for (int step = 0; step < 40; ++step) {
    w.data->applied_force[1] = step < 20 ? 1.0 : 30.0;  // sticks, then slides
    limpet_step_prepared prepared;
    assert_int_equal(limpet_step_prepare(w.model, w.data, &w.settings, 2e-3, &prepared),
                     LIMPET_OUTCOME_SOLVED);
    const limpet_contact_problem *problem = &prepared.work->problem;
    const limpet_solve_settings settings = settings_of(&w.settings);
    const limpet_solve_start start = {.v = prepared.work->v_start};
    int rest;
    if (is_left_out(problem, &arena, &rest)) {
      assert_int_equal(problem->contact_count, 8);
      steps_left_out += rest == 4;
      limpet_contact_solution one, two;
      assert_int_equal(limpet_problem_solve(problem, &settings, &start, NULL, &arena, &one), 0);
      assert_int_equal(limpet_problem_solve(problem, &settings, &start, threads, &arena, &two), 0);
      assert_int_equal(one.info.outcome, LIMPET_OUTCOME_SOLVED);
      is_solution(problem, &one);
      assert_memory_equal(one.v, two.v, (size_t)problem->nv * sizeof *one.v);
      assert_memory_equal(one.gamma, two.gamma, 3 * 8 * sizeof *one.gamma);
      assert_memory_equal(one.velocity, two.velocity, 3 * 8 * sizeof *one.velocity);
      assert_memory_equal(one.constants, two.constants, 8 * sizeof *one.constants);
      assert_memory_equal(one.carried, two.carried, 3 * 8 * sizeof *one.carried);
      assert_memory_equal(one.torsion, two.torsion, 8 * sizeof *one.torsion);

      limpet_island_solver whole;
      solve_whole(&whole, problem, settings, &start, settings.newton.iteration_limit, &arena);
      for (int i = 0; i < problem->nv; ++i) assert_true(fabs(whole.x[i] - one.v[i]) < 1e-7);
      for (int c = 0; c < problem->contact_count; ++c) {
        assert_true(fabs(whole.contact_gamma[3 * c + 2] - one.gamma[3 * c + 2]) < 1e-7);
        for (int i = 0; i < whole.spins.count; ++i)
          if (!whole.spins.spin[i].rolling && whole.spins.spin[i].contact == c)
            assert_true(fabs(whole.spins.tau[2 * i] - one.torsion[c]) < 1e-8);
      }
    }
    limpet_step_result result;
    limpet_step_attempt(&prepared, &w.settings, &result);
    limpet_step_commit(w.model, w.data, &prepared, &result);
    assert_int_equal(w.data->contact_count, 8);
    limpet_arena_reset(&arena);
  }
  assert_true(steps_left_out > 30);
  limpet_threads_destroy(threads);
  limpet_arena_destroy(&arena);
  mjcf_world_destroy(&w);
}

static void what_presses_is_solved_whole(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(above, NULL);
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, 1 << 16), 0);
  w.data->applied_force[2] = -100.0;
  limpet_step_prepared prepared;
  assert_int_equal(limpet_step_prepare(w.model, w.data, &w.settings, 2e-3, &prepared),
                   LIMPET_OUTCOME_SOLVED);
  const limpet_contact_problem *problem = &prepared.work->problem;
  const limpet_solve_settings settings = settings_of(&w.settings);
  const limpet_solve_start start = {.v = prepared.work->v_start};
  int rest;
  assert_true(is_left_out(problem, &arena, &rest));
  assert_int_equal(rest, 0);
  limpet_contact_solution solution;
  assert_int_equal(limpet_problem_solve(problem, &settings, &start, NULL, &arena, &solution), 0);
  limpet_island_solver whole;
  const int limit = settings.newton.iteration_limit;
  solve_whole(&whole, problem, settings, &start, limit, &arena);
  assert_true(solution.gamma[2] > 0.0);
  assert_memory_equal(whole.x, solution.v, 6 * sizeof *whole.x);
  assert_memory_equal(whole.contact_gamma, solution.gamma, 12 * sizeof *solution.gamma);
  assert_memory_equal(whole.own_constants, solution.constants, 4 * sizeof *solution.constants);
  assert_true(solution.info.iterations >= whole.info.iterations);
  is_solution(problem, &solution);

  // few iterations are not shared by two solves
  limpet_solve_settings short_of = settings;
  short_of.newton.iteration_limit = 1;
  assert_int_equal(limpet_problem_solve(problem, &short_of, &start, NULL, &arena, &solution), 0);
  assert_int_equal(solution.info.iterations, 1);
  limpet_arena_destroy(&arena);
  mjcf_world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_left_out_presses_on_nothing),
      cmocka_unit_test(what_presses_is_solved_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
