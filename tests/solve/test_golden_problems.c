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

#include "contact/problem.h"
#include "shared_data.h"
#include "solve/solve.h"

enum { MOST = 512 };

typedef struct fixture {
  limpet_arena arena;
  limpet_contact_problem problem;
  int nv, nc;
  limpet_block block[MOST];
  int dof_block[MOST];
  double A[MOST * MOST], J[MOST * MOST], blocks[MOST * MOST];
  double v_star[MOST], v_guess[MOST], momentum[MOST];
  limpet_contact_constants constants[MOST];
  double row[18 * MOST];
  int source[MOST];
  limpet_patch patch[MOST];
} fixture;

static double number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : INFINITY;
}

static void read_trees(fixture *f, const json_t *root) {
  const json_t *blocks = json_object_get(root, "blocks");
  int dof = 0, matrix = 0;
  f->problem.block_count = (int)json_array_size(blocks);
  for (int t = 0; t < f->problem.block_count; ++t) {
    const int n = (int)json_integer_value(json_array_get(blocks, (size_t)t));
    f->block[t] = (limpet_block){.kind = &limpet_block_tree,
                                 .dof = dof,
                                 .size = n,
                                 .matrix = f->blocks + matrix,
                                 .island = -1};
    for (int i = 0; i < n; ++i) {
      f->dof_block[dof + i] = t;
      for (int j = 0; j < n; ++j) f->blocks[matrix + i * n + j] = f->A[(dof + i) * f->nv + dof + j];
    }
    dof += n, matrix += n * n;
  }
  assert_int_equal(dof, f->nv);
}

// One patch per contact: columns are the rows of J, in the trees that they touch.
static void read_contacts(fixture *f, const json_t *root, double dt) {
  const json_t *contacts = json_object_get(root, "contacts");
  for (int i = 0; i < f->nc; ++i) {
    const json_t *c = json_array_get(contacts, (size_t)i);
    const double k = number(c, "stiffness");
    f->constants[i] = (limpet_contact_constants){.dt = dt,
                                                 .friction = number(c, "friction"),
                                                 .stiffness = k,
                                                 .dissipation = number(c, "dissipation"),
                                                 .elastic_force = -k * number(c, "phi"),
                                                 .normal_speed = number(c, "normal_speed_0"),
                                                 .distance = number(c, "phi"),
                                                 .relaxation_time = number(c, "relaxation_time"),
                                                 .delassus = number(c, "delassus_w")};
    limpet_patch *patch = &f->patch[i];
    *patch = (limpet_patch){.contact = i, .contact_count = 1};
    for (int t = 0; t < f->problem.block_count; ++t) {
      int any = 0;
      for (int r = 0; r < 3; ++r)
        for (int k2 = 0; k2 < f->block[t].size; ++k2)
          any |= f->J[(3 * i + r) * f->nv + f->block[t].dof + k2] != 0.0;
      if (!any) continue;
      assert_true(patch->side_count < 2);
      limpet_patch_side *side = &patch->side[patch->side_count++];
      *side = (limpet_patch_side){.block = t, .count = f->block[t].size};
      side->dof = LIMPET_TAKE(&f->arena, int, side->count);
      side->column = LIMPET_TAKE_ZERO(&f->arena, double, 6 * side->count);
      for (int k2 = 0; k2 < side->count; ++k2) {
        side->dof[k2] = f->block[t].dof + k2;
        for (int r = 0; r < 3; ++r)
          side->column[6 * k2 + 3 + r] = f->J[(3 * i + r) * f->nv + side->dof[k2]];
      }
    }
    for (int r = 0; r < 3; ++r) f->row[18 * i + 6 * r + 3 + r] = 1.0;
    f->source[i] = i;
  }
}

static void load(fixture *f, const json_t *root) {
  memset(f, 0, sizeof *f);
  limpet_arena_create(&f->arena, 1 << 20);
  f->nv = (int)json_integer_value(json_object_get(root, "nv"));
  f->nc = (int)json_integer_value(json_object_get(root, "nc"));
  assert_true(f->nv <= MOST && 3 * f->nc <= MOST);
  json_numbers(json_object_get(root, "A"), f->A, MOST * MOST);
  json_numbers(json_object_get(root, "J"), f->J, MOST * MOST);
  json_numbers(json_object_get(root, "v_star"), f->v_star, MOST);
  json_numbers(json_object_get(root, "v_guess"), f->v_guess, MOST);
  for (int i = 0; i < f->nv; ++i)
    for (int j = 0; j < f->nv; ++j) f->momentum[i] += f->A[i * f->nv + j] * f->v_star[j];
  read_trees(f, root);
  const double dt = number(root, "time_step");
  read_contacts(f, root, dt);
  f->problem.dt = dt, f->problem.nv = f->nv;
  f->problem.block = f->block, f->problem.dof_block = f->dof_block;
  f->problem.momentum = f->momentum, f->problem.v_free = f->v_star;
  f->problem.patch_count = f->problem.contact_count = f->nc;
  f->problem.patch = f->patch, f->problem.constants = f->constants, f->problem.contact_row = f->row,
  f->problem.contact_source = f->source;
  for (int i = 0; i < f->nc; ++i)
    if (f->patch[i].side_count == 0) fail_msg("contact without a tree");
}

// Velocities and impulses within the tolerances stored with the problem; cost to 1e-9 (its terms
// cancel).
static bool compare(fixture *f, const char *name, const json_t *expected, int dense_limit) {
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
  const double scale_v = number(expected, "tolerance_v"),
               scale_impulse = number(expected, "tolerance_impulse");
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
  const double cost = number(expected, "cost");
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
  fixture *f = malloc(sizeof *f);
  int compared = 0, failed = 0;
  for (int i = 0; i < files.count; ++i) {
    json_t *root = json_read(files.path[i]);
    const char *format = json_string_value(json_object_get(root, "format"));
    if (format && strncmp(format, "contact-problem", 15) == 0) {
      const char *key;
      json_t *expected;
      json_object_foreach(json_object_get(root, "models"), key, expected) {
        // "lagged_fixed_eps" is the same law without regularisation
        const char *fixed = strstr(key, "_fixed_eps");
        char model_name[64];
        snprintf(model_name, sizeof model_name, "%.*s",
                 (int)(fixed ? fixed - key : (long)strlen(key)), key);
        const limpet_contact_model *model = limpet_contact_model_find(model_name);
        if (!model) continue;
        for (int dense = 0; dense < 2; ++dense) {
          load(f, root);
          f->problem.model = model;
          const limpet_contact_settings settings = {
              number(root, "stiction_tolerance"),
              fixed ? 0.0 : number(root, "friction_regularization_sigma"),
              number(root, "near_rigid_threshold"),
              2.0,
              0.2,
              1e-6,
              1e-6};
          for (int c = 0; c < f->nc; ++c) model->prepare(&f->constants[c], &settings);
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
