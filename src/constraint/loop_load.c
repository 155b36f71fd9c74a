/* constraint/loop_load.c: see loop_load.h. Groups by union-find with the smallest tree as root. */
#include "constraint/loop_load.h"

#include <math.h>

#include "constraint/loop.h"
#include "math/vec3.h"

static int root_of(int *parent, int tree) {
  while (parent[tree] != tree) tree = parent[tree] = parent[parent[tree]];
  return tree;
}

// Trees of -1 are the world.
static void join(int *parent, int a, int b) {
  if (a < 0 || b < 0) return;
  a = root_of(parent, a), b = root_of(parent, b);
  if (a < b) parent[b] = a;
  else parent[a] = b;
}

static void join_trees(const limpet_model *model, const limpet_contact_problem *problem,
                       int *parent) {
  for (int t = 0; t < model->tree_count; ++t) parent[t] = t;
  for (int i = 0; i < model->loop_count; ++i) {
    const int *body = model->loop_body + 2 * i;
    if (limpet_loop_acts(model, model->loop_kind[i], i))
      join(parent, model->body_tree[body[0]], model->body_tree[body[1]]);
  }
  for (int i = 0; i < problem->patch_count; ++i) {
    const limpet_patch *patch = &problem->patch[i];
    if (patch->side_count == 2) join(parent, patch->side[0].block, patch->side[1].block);
  }
}

// A mass m [kg] at c [m] more: Steiner's theorem about the new centre.
static void add_mass(limpet_load_group *group, double m, const double c[3]) {
  const double all = group->mass + m;
  if (!(all > 0.0)) return;
  double arm[3];
  limpet_vec3_sub(arm, c, group->com);
  group->spread += group->mass * m / all * limpet_vec3_dot(arm, arm);
  limpet_vec3_addmul(group->com, group->com, m / all, arm);
  group->mass = all;
}

limpet_status limpet_loop_load_make(const limpet_model *model, const limpet_data *data,
                                    const limpet_contact_problem *problem, limpet_arena *arena,
                                    limpet_loop_load *load) {
  load->group_of = LIMPET_TAKE(arena, int, model->tree_count);
  load->group = LIMPET_TAKE_ZERO(arena, limpet_load_group, model->tree_count);
  if (!load->group_of || !load->group) return LIMPET_ERROR_MEMORY;
  join_trees(model, problem, load->group_of);
  for (int t = 0; t < model->tree_count; ++t) {
    const int root = load->group_of[t] = root_of(load->group_of, t);
    ++load->group[root].trees;
    const int first = model->tree_body[t], end = first + model->tree_body_count[t];
    for (int b = first; b < end; ++b)
      add_mass(&load->group[root], model->body_mass[b], data->body_com + 3 * b);
  }
  return LIMPET_OK;
}

double limpet_loop_load_weight(const limpet_loop_load *load, const limpet_model *model, int loop,
                               const double P[3], bool turns, double w) {
  const int *body = model->loop_body + 2 * loop;
  const int a = model->body_tree[body[0]], tree = a >= 0 ? a : model->body_tree[body[1]];
  if (tree < 0) return w;
  const limpet_load_group *group = &load->group[load->group_of[tree]];
  if (group->trees < 2) return w;
  double arm[3];
  limpet_vec3_sub(arm, group->com, P);
  const double inertia = group->spread + group->mass * limpet_vec3_dot(arm, arm);
  return 1.0 / fmax(1.0 / w, turns ? inertia : group->mass);
}
