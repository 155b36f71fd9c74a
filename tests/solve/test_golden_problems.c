/* tests/solve/test_golden_problems.c: the contact problem alone against an independent solver: A,
 * v*, J, parameters -> velocities, impulses, cost. A problem's contacts become patches whose
 * columns are the rows of J in the linear part and whose frames are the axes, so that every number
 * passes through the code that a step uses, dense and block-sparse. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden_problem.h"
#include "solve/solve.h"

enum { MOST = GOLDEN_PROBLEM_SIZE };

// Velocities and impulses within the tolerances stored with the problem; cost to 1e-9 (its terms
// cancel).
static bool compare(golden_problem *f, const char *name, const json_t *expected, int dense_limit) {
  double reference[MOST], gamma[MOST];
  limpet_solve_settings settings = {.newton = limpet_newton_settings_default(),
                                    .dense_limit = dense_limit};
  settings.newton.tolerance = 1e-15, settings.newton.iteration_limit = 500,
  settings.newton.line_search_tolerance = 1e-8;
  const limpet_solve_start start = {.v = f->v_guess};
  limpet_contact_solution solution;
  assert_int_equal(limpet_problem_partition(&f->problem, &f->arena), 0);
  assert_int_equal(limpet_problem_solve(&f->problem, &settings, &start, NULL, &f->arena, &solution),
                   LIMPET_OK);
  const double *v = solution.v;
  const limpet_solve_info info = solution.info;
  for (int i = 0; i < f->nc; ++i)
    memcpy(gamma + 3 * f->problem.contact_source[i], solution.gamma + 3 * i, 3 * sizeof *gamma);

  char what[256];
  bool good = true;
  const double scale_v = golden_problem_number(expected, "tolerance_v"),
               scale_impulse = golden_problem_number(expected, "tolerance_impulse");
  json_numbers(json_object_get(expected, "v"), reference, MOST);
  double worst_v = 0.0, worst_impulse = 0.0;
  for (int i = 0; i < f->nv; ++i) worst_v = fmax(worst_v, fabs(v[i] - reference[i]));
  json_numbers(json_object_get(expected, "impulses"), reference, MOST);
  for (int i = 0; i < 3 * f->nc; ++i)
    worst_impulse = fmax(worst_impulse, fabs(gamma[i] - reference[i]));
  snprintf(what, sizeof what, "%s (%s)", name, dense_limit ? "dense" : "sparse");
  if (!(worst_v <= scale_v) || !(worst_impulse <= scale_impulse)) {
    printf(
        "%s: v differs by %.3g (allowed %.3g), impulses by %.3g (allowed %.3g); outcome %d, %d "
        "iterations, residual %.3g\n",
        what, worst_v, scale_v, worst_impulse, scale_impulse, (int)info.outcome, info.iterations,
        info.residual);
    good = false;
  }
  if (info.outcome != LIMPET_OUTCOME_SOLVED) printf("%s: not solved\n", what), good = false;
  const double cost = golden_problem_number(expected, "cost");
  if (!(fabs(info.cost - cost) <= 1e-9 * fmax(1.0, fabs(cost)))) {
    printf("%s: cost %.15g, expected %.15g\n", what, info.cost, cost);
    good = false;
  }
  return good;
}

static void golden_problems_of_implemented_models(void **state) {
  (void)state;
  if (!shared_exists("golden/contact/problems")) skip();
  file_list files = file_list_find(shared_path("golden/contact/problems"), ".json");
  golden_problem *f = malloc(sizeof *f);
  int compared = 0, failed = 0;
  for (int i = 0; i < files.count; ++i) {
    json_t *root = json_read(files.path[i]);
    const char *format = json_string_value(json_object_get(root, "format"));
    if (format && strncmp(format, "contact-problem", 15) == 0) {
      const char *key;
      json_t *expected;
      json_object_foreach(json_object_get(root, "models"), key, expected) {
        for (int dense = 0; dense < 2; ++dense) {
          golden_problem_load(f, root);
          if (!golden_problem_prepare(f, root, key)) {
            limpet_arena_destroy(&f->arena);
            continue;
          }
          char name[256];
          snprintf(name, sizeof name, "%s %s", json_string_value(json_object_get(root, "name")),
                   key);
          failed += !compare(f, name, expected, dense ? MOST : 0);
          ++compared;
          limpet_arena_destroy(&f->arena);
        }
      }
    }
    json_decref(root);
  }
  printf("golden_problems: %d files, %d solutions compared, %d differ\n", files.count, compared,
         failed);
  free(f);
  file_list_free(&files);
  assert_true(compared > 0);
  assert_int_equal(failed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(golden_problems_of_implemented_models),
  };
  return cmocka_run_group_tests_name("golden_problems", tests, NULL, NULL);
}
