// tests/support/golden_problem.c: see golden_problem.h.
#include "contact_settings.h"
#include "golden_problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

double golden_problem_number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : INFINITY;
}

static void read_trees(golden_problem *f, const json_t *root) {
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
static void read_contacts(golden_problem *f, const json_t *root, double dt) {
  const json_t *contacts = json_object_get(root, "contacts");
  for (int i = 0; i < f->nc; ++i) {
    const json_t *c = json_array_get(contacts, (size_t)i);
    const double k = golden_problem_number(c, "stiffness");
    f->constants[i] =
        (limpet_contact_constants){.dt = dt,
                                   .friction = golden_problem_number(c, "friction"),
                                   .stiffness = k,
                                   .dissipation = golden_problem_number(c, "dissipation"),
                                   .elastic_force = -k * golden_problem_number(c, "phi"),
                                   .normal_speed = golden_problem_number(c, "normal_speed_0"),
                                   .distance = golden_problem_number(c, "phi"),
                                   .relaxation_time = golden_problem_number(c, "relaxation_time"),
                                   .delassus = golden_problem_number(c, "delassus_w")};
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

void golden_problem_load(golden_problem *f, const json_t *root) {
  memset(f, 0, sizeof *f);
  limpet_arena_create(&f->arena, 1 << 20);
  f->nv = (int)json_integer_value(json_object_get(root, "nv"));
  f->nc = (int)json_integer_value(json_object_get(root, "nc"));
  assert_true(f->nv <= GOLDEN_PROBLEM_SIZE && 3 * f->nc <= GOLDEN_PROBLEM_SIZE);
  json_numbers(json_object_get(root, "A"), f->A, GOLDEN_PROBLEM_SIZE * GOLDEN_PROBLEM_SIZE);
  json_numbers(json_object_get(root, "J"), f->J, GOLDEN_PROBLEM_SIZE * GOLDEN_PROBLEM_SIZE);
  json_numbers(json_object_get(root, "v_star"), f->v_star, GOLDEN_PROBLEM_SIZE);
  json_numbers(json_object_get(root, "v_guess"), f->v_guess, GOLDEN_PROBLEM_SIZE);
  for (int i = 0; i < f->nv; ++i)
    for (int j = 0; j < f->nv; ++j) f->momentum[i] += f->A[i * f->nv + j] * f->v_star[j];
  read_trees(f, root);
  const double dt = golden_problem_number(root, "time_step");
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

const limpet_contact_model *golden_problem_prepare(golden_problem *f, const json_t *root,
                                                   const char *key) {
  const char *fixed = strstr(key, "_fixed_eps");
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)(fixed ? fixed - key : (long)strlen(key)), key);
  const limpet_contact_model *model = limpet_contact_model_find(name);
  if (!model) return NULL;
  f->problem.model = model;
  f->problem.settings = test_contact_settings(
      golden_problem_number(root, "stiction_tolerance"),
      fixed ? 0.0 : golden_problem_number(root, "friction_regularization_sigma"),
      golden_problem_number(root, "near_rigid_threshold"));
  for (int c = 0; c < f->nc; ++c) model->prepare(&f->constants[c], &f->problem.settings);
  return model;
}
