/* contact/patch.c: grouping of contacts into patches, their columns and their inverse inertia: see
 * patch.h. */
#include "contact/patch.h"

#include <assert.h>
#include <string.h>

#include "dynamics/column_kernels.h"
#include "math/spatial.h"

static uint32_t slot_of(int a, int b, uint32_t mask) {
  return (uint32_t)(((uint64_t)(uint32_t)a * 0x9e3779b97f4a7c15ull +
                     (uint64_t)(uint32_t)b * 0xc2b2ae3d27d4eb4full) >>
                    33) &
         mask;
}

limpet_status limpet_patch_grouping_make(const limpet_model *model,
                                         const limpet_contact_records *records, limpet_arena *arena,
                                         limpet_patch_grouping *g) {
  const int n = records->count;
  uint32_t size = 16;
  while (size < 2u * (uint32_t)n) size *= 2;
  int *table = LIMPET_TAKE(arena, int, size);
  g->unit = LIMPET_TAKE(arena, int, 2 * n);
  g->count = LIMPET_TAKE(arena, int, n);
  g->patch_of = LIMPET_TAKE(arena, int, n);
  g->patch_count = 0;
  if (!table || !g->unit || !g->count || !g->patch_of) return LIMPET_ERROR_MEMORY;
  memset(table, 0xff, size * sizeof *table);

  for (int i = 0; i < n; ++i) {
    const limpet_geom_pair *geoms = &records->pair[records->record[i].pair].geoms;
    const int a = model->body_weld[model->geom_body[geoms->geom_a]],
              b = model->body_weld[model->geom_body[geoms->geom_b]];
    uint32_t slot = slot_of(a, b, size - 1);
    int patch = -1;
    const bool alone = records->record[i].link != NULL;
    while (!alone && (patch = table[slot]) >= 0 &&
           (g->unit[2 * patch] != a || g->unit[2 * patch + 1] != b))
      slot = (slot + 1) & (size - 1);
    if (patch < 0) {
      patch = g->patch_count++;
      if (!alone) table[slot] = patch;
      g->unit[2 * patch] = a, g->unit[2 * patch + 1] = b;
      g->count[patch] = 0;
    }
    g->patch_of[i] = patch;
    ++g->count[patch];
  }
  return LIMPET_OK;
}

limpet_status limpet_patch_columns(const limpet_contact_problem *problem, const limpet_model *model,
                                   const limpet_data *data, const int unit[2], limpet_arena *arena,
                                   limpet_patch *patch) {
  assert(problem && model && data && unit && patch);
  const int of[2] = {limpet_problem_block_of(problem, model, unit[0]),
                     limpet_problem_block_of(problem, model, unit[1])};
  patch->side_count = 0;
  for (int i = 0; i < 2; ++i) {
    if (of[i] == LIMPET_NONE || (i == 1 && of[0] == of[1])) continue;
    const limpet_block *block = &problem->block[of[i]];
    limpet_block_parts parts;
    for (int k = 0; k < 2; ++k) parts.part[k] = of[k] == of[i] ? unit[k] : LIMPET_NONE;
    const int room = block->kind->column_room(block, model, parts);
    limpet_patch_side *side = &patch->side[patch->side_count++];
    *side = (limpet_patch_side){.block = of[i],
                                .dof = LIMPET_TAKE(arena, int, room),
                                .column = LIMPET_TAKE(arena, double, 6 * room)};
    if (!side->dof || !side->column) return LIMPET_ERROR_MEMORY;
    side->count =
        block->kind->columns(block, model, data, parts, patch->point, side->dof, side->column);
  }
  return LIMPET_OK;
}

void limpet_patch_sums_compute(const limpet_contact_problem *problem, const limpet_model *model,
                               const limpet_data *data, const limpet_patch *patch,
                               const limpet_delassus_weights *weights, limpet_patch_sums *sums) {
  assert(problem && model && data && patch && sums);
  const double *v0 = problem->vertex_dof ? problem->v_start : data->v, *thrown = problem->v_thrown;
  double *const V[3] = {sums->V0, sums->V_free, sums->V_thrown};
  const double *const v[3] = {v0, problem->v_free, thrown};
  const limpet_column_kernels *kernels = limpet_column_kernels_here();
  *sums = (limpet_patch_sums){0};
  for (int s = 0; s < patch->side_count; ++s) {
    const limpet_patch_side *side = &patch->side[s];
    (thrown ? kernels->add_three : kernels->add_two)(side->count, side->dof, side->column, v, V);
    if (!weights) continue;
    problem->block[side->block].kind->add_delassus(model, data, side->count, side->dof,
                                                   side->column, weights, sums->D);
  }
  if (!thrown) limpet_spatial_copy(sums->V_thrown, sums->V0);
}
