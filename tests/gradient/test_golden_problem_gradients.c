/* tests/gradient/test_golden_problem_gradients.c: derivatives of the velocities of a contact
 * problem by v* and by friction, stiffness, dissipation or relaxation time, distance and normal
 * speed of every contact, against the implicit function theorem in 50 digits
 * (../shared/golden/gradient/problems; lagged, similar, sap).
 *
 *   dv = -H^-1 dr,   dr in closed form: gradient/smooth_contact.c
 * Tolerance: 1e-9 of the largest entry of a block (README of the values), 1e-8 for the stiff
 * problems; nearer than 1e-4 to a switch left out. */
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
#include "gradient/contact_change.h"

static const double tolerance = 1e-9;        // [-]
static const double stiff_tolerance = 1e-8;  // [-]  condition of H times round-off, near 1e12 N/m
static const double least_margin = 1e-4;     // [-]
static const double least_entry = 1e-12;     // a block of zeros

typedef enum parameter { MU, K, D, TAU, PHI, VN0, PARAMETERS } parameter;
static const char *const words[PARAMETERS] = {"mu", "k", "d", "tau", "phi", "vn0"};

static const limpet_contact_parameter kinds[PARAMETERS] = {
    LIMPET_CHANGE_FRICTION,        LIMPET_CHANGE_STIFFNESS, LIMPET_CHANGE_DISSIPATION,
    LIMPET_CHANGE_RELAXATION_TIME, LIMPET_CHANGE_DISTANCE,  LIMPET_CHANGE_START_SPEED};

// The step that was solved.
typedef struct world {
  golden_problem *base;
  limpet_model model;  // of which nv is read
  limpet_solved_step solved;
  limpet_residual residual;
  limpet_arena arena;
} world;

static bool begin(world *w, const json_t *root, const char *key) {
  golden_problem_load(w->base, root);
  limpet_arena_create(&w->arena, 1 << 20);
  if (!golden_problem_prepare(w->base, root, key)) return false;
  limpet_solve_settings settings = {.newton = limpet_newton_settings_default(),
                                    .dense_limit = GOLDEN_PROBLEM_SIZE};
  settings.newton.tolerance = 1e-15, settings.newton.iteration_limit = 500;
  settings.newton.line_search_tolerance = 1e-8;
  const limpet_solve_start start = {.v = w->base->v_guess};
  assert_int_equal(limpet_problem_partition(&w->base->problem, &w->base->arena), 0);
  w->solved = (limpet_solved_step){.problem = w->base->problem};
  assert_int_equal(limpet_problem_solve(&w->solved.problem, &settings, &start, NULL,
                                        &w->base->arena, &w->solved.solution),
                   LIMPET_OK);
  w->model.nv = w->base->nv;
  limpet_gradient counts = {0};
  return limpet_residual_begin(&w->residual, &w->model, &w->solved, w->solved.solution.v, 1e-12,
                               &w->arena, &counts) == LIMPET_RESIDUAL_DONE;
}

// By a parameter of contact `contact` of the file.
static void column_of(world *w, parameter which, int contact, double *dv) {
  const limpet_contact_problem *problem = &w->solved.problem;
  double *change = calloc((size_t)w->residual.size, sizeof *change);
  for (int k = 0; k < problem->island_count; ++k)
    for (int p = problem->island[k].patch;
         p < problem->island[k].patch + problem->island[k].patch_count; ++p) {
      const limpet_patch *patch = &problem->patch[p];
      if (problem->contact_source[patch->contact] != contact) continue;
      assert_true(limpet_smooth_contact_change(&w->residual.smooth[k], patch, patch->contact,
                                               kinds[which], 0, change + w->residual.at[k]));
    }
  limpet_residual_forward(&w->residual, change, -1, dv);
  free(change);
}

// By v*_i: the momentum changes by column i of A.
static void column_of_start(world *w, int i, double *dv) {
  double *change = calloc((size_t)w->residual.size, sizeof *change);
  const int nv = w->base->nv;
  for (int k = 0; k < nv; ++k)
    change[limpet_residual_slot(&w->residual, k)] = -w->base->A[k * nv + i];
  limpet_residual_forward(&w->residual, change, -1, dv);
  free(change);
}

typedef struct totals {
  int blocks, failed, left_out;
  double worst;
} totals;

// A contact begins the step exactly at touch: the bound of lagged friction has a kink there, of
// which the values have the mean of both sides.
static bool touches(const world *w) {
  int count = 0;
  for (int k = 0; k < w->solved.problem.island_count; ++k)
    count += w->residual.smooth[k].weak_count;
  return count > 0;
}

static void compare_block(world *w, const json_t *root, const char *key, const char *word,
                          const json_t *columns, totals *sum) {
  static double golden[GOLDEN_PROBLEM_SIZE], own[GOLDEN_PROBLEM_SIZE];
  double worst = 0.0, largest = least_entry;
  int which = 0;
  while (which < PARAMETERS && strcmp(words[which], word) != 0) ++which;
  for (int i = 0; i < (int)json_array_size(columns); ++i) {
    json_numbers(json_array_get(columns, (size_t)i), golden, w->base->nv);
    if (which == PARAMETERS) column_of_start(w, i, own);
    else column_of(w, (parameter)which, i, own);
    for (int k = 0; k < w->base->nv; ++k) {
      largest = fmax(largest, fabs(golden[k]));
      worst = fmax(worst, fabs(golden[k] - own[k]));
    }
  }
  if (which == PHI && touches(w)) {
    ++sum->left_out;
    return;
  }
  ++sum->blocks;
  sum->worst = fmax(sum->worst, worst / largest);
  const char *name = json_string_value(json_object_get(root, "name"));
  if (worst / largest <= (strncmp(name, "stiff", 5) == 0 ? stiff_tolerance : tolerance)) return;
  ++sum->failed;
  printf("%s %s by %s: %.3g of %.3g\n", name, key, word, worst, largest);
}

static void golden_problems(void **state) {
  (void)state;
  if (!shared_exists("golden/gradient/problems")) skip();
  file_list files = file_list_find(shared_path("golden/gradient/problems"), ".json");
  world w = {.base = malloc(sizeof(golden_problem))};
  totals sum = {0};
  for (int i = 0; i < files.count; ++i) {
    json_t *values = json_read(files.path[i]);
    char path[256];
    snprintf(path, sizeof path, "golden/contact/problems/%s.json",
             json_string_value(json_object_get(values, "problem")));
    json_t *root = json_read(shared_path(path)), *entry, *columns;
    const char *key, *word;
    json_object_foreach(json_object_get(values, "models"), key, entry) {
      if (golden_problem_number(entry, "switch_margin") < least_margin) {
        ++sum.left_out;
        continue;
      }
      if (begin(&w, root, key)) {
        json_object_foreach(json_object_get(entry, "jacobian"), word, columns)
            compare_block(&w, root, key, word, columns, &sum);
      } else {
        printf("%s %s: no derivative\n", path, key);
        ++sum.failed;
      }
      limpet_arena_destroy(&w.arena);
      limpet_arena_destroy(&w.base->arena);
    }
    json_decref(root);
    json_decref(values);
  }
  printf(
      "golden gradients of problems: %d blocks, %d beyond 1e-9, worst %.3g; %d left out near "
      "kinks\n",
      sum.blocks, sum.failed, sum.worst, sum.left_out);
  free(w.base);
  file_list_free(&files);
  assert_true(sum.blocks > 0);
  assert_int_equal(sum.failed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(golden_problems)};
  return cmocka_run_group_tests_name("golden_problem_gradients", tests, NULL, NULL);
}
