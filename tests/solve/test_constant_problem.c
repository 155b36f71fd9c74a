/* tests/solve/test_constant_problem.c: a problem stays as it was assembled, whichever model solves
 * it; solving it again gives the same bits; what is said of all islands is what each of them says.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "mjcf_world.h"
#include "solve/method.h"
#include "step/prepared.h"

/* Three islands: an arm with a limit and dry friction, which one iteration does not solve; a ball
 * that hits the ground at 3 m/s; two boxes on each other that lie still. */
static const char *const scene =
    "<mujoco><option timestep='0.002'/><worldbody>"
    "<geom type='plane' size='5 5 1' friction='0.5'/>"
    "<body pos='3 0 0.5'><joint type='hinge' axis='0 1 0' range='-10 10' limited='true' "
    "frictionloss='0.1'/><geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.02' mass='1'/></body>"
    "<body pos='0 0 0.0999'><freejoint/><geom type='sphere' size='0.1' mass='1'/></body>"
    "<body pos='1 0 0.0999'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='2'/></body>"
    "<body pos='1 0.05 0.2997'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1'/></body>"
    "</worldbody></mujoco>";

static mjcf_world world_of(const limpet_contact_model *contact) {
  mjcf_world w = mjcf_world_of(scene, NULL);
  w.model->options.anchor_count = 32;
  limpet_data_destroy(w.data);
  w.data = limpet_data_create(w.model);
  assert_non_null(w.data);
  if (contact->family == LIMPET_CONTACT_IMPULSIVE)
    limpet_step_settings_scheme(&w.settings, limpet_scheme_find("impulse"));
  limpet_step_settings_contact_model(&w.settings, contact);
  w.data->v[1] = 2.0, w.data->v[3] = -3.0;  // of the ball
  return w;
}

#define ADD(array, count) hash = limpet_hash_bytes(hash, (array), (size_t)(count) * sizeof *(array))

// Of everything that the problem points at.
static uint64_t hash_of(const limpet_contact_problem *p) {
  uint64_t hash = LIMPET_HASH_START;
  for (int b = 0; b < p->block_count; ++b)
    ADD(p->block[b].matrix, p->block[b].size * p->block[b].size);
  ADD(p->block, p->block_count);
  ADD(p->momentum, p->nv);
  ADD(p->v_free, p->nv);
  ADD(p->constants, p->contact_count);
  ADD(p->contact_row, 18 * p->contact_count);
  ADD(p->patch, p->patch_count);
  if (p->contact_bias) ADD(p->contact_bias, LIMPET_CONTACT_BIAS * p->contact_count);
  if (p->carried) ADD(p->carried, 3 * p->contact_count);
  ADD(p->row, p->row_count);
  ADD(p->entry_dof, p->entry_count);
  ADD(p->entry_value, p->entry_count);
  ADD(p->island, p->island_count);
  for (int i = 0; i < p->patch_count; ++i)
    for (int s = 0; s < p->patch[i].side_count; ++s) {
      ADD(p->patch[i].side[s].dof, p->patch[i].side[s].count);
      ADD(p->patch[i].side[s].column, 6 * p->patch[i].side[s].count);
    }
  return hash;
}

static limpet_solve_settings settings_of(const limpet_step_settings *settings, int iterations) {
  limpet_solve_settings solver = {.newton = limpet_newton_settings_default(),
                                  .dense_limit = settings->dense_limit};
  solver.newton.tolerance = settings->tolerance;
  solver.newton.iteration_limit = iterations;
  return solver;
}

static void a_problem_stays_as_assembled(void **state) {
  (void)state;
  for (int m = 0; limpet_contact_models()[m]; ++m) {
    const limpet_contact_model *contact = limpet_contact_models()[m];
    mjcf_world w = world_of(contact);
    limpet_arena arena;
    assert_int_equal(limpet_arena_create(&arena, 1 << 16), 0);
    int changed = 0;
    for (int step = 0; step < 30; ++step) {
      limpet_step_prepared prepared;
      assert_int_equal(limpet_step_prepare(w.model, w.data, &w.settings, 2e-3, &prepared),
                       LIMPET_OUTCOME_SOLVED);
      const limpet_contact_problem *problem = &prepared.work->problem;
      const uint64_t before = hash_of(problem);
      const limpet_solve_settings settings = settings_of(&w.settings, 100);
      const limpet_solve_start start = {.v = prepared.work->v_start};
      limpet_contact_solution one, two;
      assert_int_equal(limpet_problem_solve(problem, &settings, &start, NULL, &arena, &one),
                       LIMPET_OK);
      assert_true(hash_of(problem) == before);
      assert_int_equal(limpet_problem_solve(problem, &settings, &start, NULL, &arena, &two),
                       LIMPET_OK);
      assert_memory_equal(one.v, two.v, (size_t)problem->nv * sizeof *one.v);
      assert_memory_equal(one.gamma, two.gamma,
                          3 * (size_t)problem->contact_count * sizeof *one.gamma);
      changed += memcmp(one.constants, problem->constants,
                        (size_t)problem->contact_count * sizeof *one.constants) != 0;
      limpet_step_result result;
      limpet_step_attempt(&prepared, &w.settings, &result);
      limpet_step_commit(w.model, w.data, &prepared, &result);
      limpet_arena_reset(&arena);
    }
    // what these change is in the solution
    const char *name = contact->descriptor.name;
    if (strcmp(name, "penalty") == 0 || strcmp(name, "coulomb") == 0) assert_true(changed > 0);
    limpet_arena_destroy(&arena);
    mjcf_world_destroy(&w);
  }
}

/* The information on a solve is the worst, the most and the sums of what single islands report: the
 * first one is stopped early, the last is easy. */
static void islands_are_summed_up(void **state) {
  (void)state;
  mjcf_world w = world_of(limpet_contact_model_find("lagged"));
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, 1 << 16), 0);
  limpet_step_prepared prepared;
  assert_int_equal(limpet_step_prepare(w.model, w.data, &w.settings, 2e-3, &prepared),
                   LIMPET_OUTCOME_SOLVED);
  const limpet_contact_problem *problem = &prepared.work->problem;
  const limpet_solve_settings settings = settings_of(&w.settings, 2);
  const limpet_solve_start start = {.v = prepared.work->v_start};
  limpet_contact_solution all, alone;
  assert_int_equal(limpet_problem_solve(problem, &settings, &start, NULL, &arena, &all), LIMPET_OK);
  assert_int_equal(limpet_problem_solve(problem, &settings, &start, NULL, &arena, &alone),
                   LIMPET_OK);
  assert_int_equal(problem->island_count, 3);

  const limpet_island_method *method = &limpet_compliant_method;
  limpet_island_report report[3];
  limpet_solve_info info = {0};
  double cost = 0.0;
  int most = 0, sum = 0;
  limpet_outcome outcome = LIMPET_OUTCOME_SOLVED;
  for (int i = 0; i < 3; ++i) {
    void *solver = limpet_arena_take(&arena, method->size);
    assert_int_equal(method->create(solver, problem, i, &settings, &arena), LIMPET_OK);
    method->solve(solver, &settings, &start);
    report[i] = method->statistics(solver, &settings, &arena, &info);
    cost += report[i].cost, sum += report[i].iterations;
    most = report[i].iterations > most ? report[i].iterations : most;
    outcome = report[i].outcome > outcome ? report[i].outcome : outcome;
  }
  const double worst = fmax(fmax(report[0].residual, report[1].residual), report[2].residual);
  assert_true(worst > 10.0 * report[2].residual);
  assert_true(all.info.residual == worst && all.info.cost == cost);
  assert_int_equal(all.info.iterations, most);
  assert_int_equal(all.info.iterations_total, sum);
  assert_int_equal(all.info.outcome, outcome);
  assert_int_equal(all.info.compliant.newton_iterations, sum);
  assert_int_equal(all.info.compliant.factorizations, info.compliant.factorizations);
  assert_int_equal(all.info.impulsive.sweeps + all.info.rigid.interior_iterations, 0);
  limpet_arena_destroy(&arena);
  mjcf_world_destroy(&w);
}

// Each family counts what it does, and nothing of what the others do.
static void families_count_their_own(void **state) {
  (void)state;
  static const char *const busy[] = {"lagged", "anitescu", "anitescu-cone", "lcp", "pgs"};
  for (int m = 0; limpet_contact_models()[m]; ++m) {
    const limpet_contact_model *contact = limpet_contact_models()[m];
    mjcf_world w = world_of(contact);
    limpet_arena arena;
    assert_int_equal(limpet_arena_create(&arena, 1 << 16), 0);
    limpet_step_prepared prepared;
    assert_int_equal(limpet_step_prepare(w.model, w.data, &w.settings, 2e-3, &prepared),
                     LIMPET_OUTCOME_SOLVED);
    const limpet_solve_settings settings = settings_of(&w.settings, 100);
    const limpet_solve_start start = {.v = prepared.work->v_start};
    limpet_contact_solution s;
    assert_int_equal(
        limpet_problem_solve(&prepared.work->problem, &settings, &start, NULL, &arena, &s),
        LIMPET_OK);
    const int compliant = s.info.compliant.newton_iterations,
              rigid = s.info.rigid.interior_iterations + s.info.rigid.active_set_changes,
              impulsive = s.info.impulsive.sweeps + s.info.impulsive.pivots +
                          s.info.impulsive.barrier_iterations;
    assert_int_equal(s.info.iterations_total, compliant + rigid + impulsive);
    const limpet_contact_family family = contact->family;
    // round-off at least, where a programme was solved
    if (family == LIMPET_CONTACT_RIGID)
      assert_true(s.info.residual > 0.0 && s.info.residual < 1e-8);
    assert_true(compliant == 0 || family == LIMPET_CONTACT_COMPLIANT);
    assert_true(rigid == 0 || family == LIMPET_CONTACT_RIGID);
    assert_true(impulsive == 0 || family == LIMPET_CONTACT_IMPULSIVE);
    const char *name = contact->descriptor.name;
    for (size_t i = 0; i < sizeof busy / sizeof *busy; ++i)
      assert_true(strcmp(name, busy[i]) != 0 || s.info.iterations_total > 0);
    limpet_arena_destroy(&arena);
    mjcf_world_destroy(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_problem_stays_as_assembled),
      cmocka_unit_test(islands_are_summed_up),
      cmocka_unit_test(families_count_their_own),
  };
  return cmocka_run_group_tests_name("constant_problem", tests, NULL, NULL);
}
