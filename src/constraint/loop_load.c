/* constraint/loop_load.c: see loop_load.h. Groups are sets of blocks, by their smallest one. */
#include "constraint/loop_load.h"

#include <math.h>

#include "constraint/loop.h"
#include "math/extremes.h"
#include "math/forest.h"
#include "math/vec3.h"

// LIMPET_NONE: the world, or what keeps its velocity.
static void join(int *parent, int a, int b) {
  if (a == LIMPET_NONE || b == LIMPET_NONE) return;
  limpet_forest_join(parent, a, b);
}

// Blocks of both sides of a loop, or LIMPET_NONE.
static void blocks_of(const limpet_contact_problem *problem, const limpet_model *model, int loop,
                      int block[2]) {
  for (int side = 0; side < 2; ++side)
    block[side] = limpet_problem_block_of(problem, model, model->loop_body[2 * loop + side]);
}

static void join_blocks(const limpet_model *model, const limpet_contact_problem *problem,
                        int *parent) {
  for (int b = 0; b < problem->block_count; ++b) parent[b] = b;
  for (int i = 0; i < model->loop_count; ++i) {
    int block[2];
    if (!limpet_loop_acts(model, model->loop_kind[i], i)) continue;
    blocks_of(problem, model, i, block);
    join(parent, block[0], block[1]);
  }
  for (int i = 0; i < problem->patch_count; ++i) {
    const limpet_patch *patch = &problem->patch[i];
    if (patch->side_count == 2) join(parent, patch->side[0].block, patch->side[1].block);
  }
}

limpet_status limpet_loop_load_make(const limpet_model *model, const limpet_data *data,
                                    const limpet_contact_problem *problem, limpet_arena *arena,
                                    limpet_loop_load *load) {
  load->problem = problem;
  load->group_of = LIMPET_TAKE(arena, int, problem->block_count);
  load->group = LIMPET_TAKE_ZERO(arena, limpet_load_group, problem->block_count);
  if (!load->group_of || !load->group) return LIMPET_ERROR_MEMORY;
  join_blocks(model, problem, load->group_of);
  for (int b = 0; b < problem->block_count; ++b) {
    const limpet_block *block = &problem->block[b];
    limpet_load_group *group =
        &load->group[load->group_of[b] = limpet_forest_root(load->group_of, b)];
    ++group->blocks;
    block->kind->add_mass(block, model, data, &group->sum);
  }
  return LIMPET_OK;
}

double limpet_loop_load_weight(const limpet_loop_load *load, const limpet_model *model, int loop,
                               const double P[3], bool turns, double w) {
  int block[2];
  blocks_of(load->problem, model, loop, block);
  const int of = block[0] != LIMPET_NONE ? block[0] : block[1];
  if (of == LIMPET_NONE) return w;
  const limpet_load_group *group = &load->group[load->group_of[of]];
  if (group->blocks < 2) return w;
  double arm[3];
  limpet_vec3_sub(arm, group->sum.com, P);
  const double m = group->sum.mass, inertia = group->sum.spread + m * limpet_vec3_dot(arm, arm);
  return 1.0 / limpet_max(1.0 / w, turns ? inertia : m);
}
