// gradient/contact_columns.c: see contact_columns.h.
#include "gradient/contact_columns.h"

#include <assert.h>
#include <string.h>

#include "gradient/contact_pair.h"
#include "gradient/contact_weights.h"
#include "gradient/patch_columns.h"
#include "math/dense_table.h"
#include "math/spatial.h"

// -------------------------------------------------------------------------- which patches

// Whether a contact of the patch may stand at a switch.
static bool may_switch(const limpet_column_writer *w, int island, const limpet_patch *patch) {
  const limpet_smooth_island *smooth = &w->probe->residual->smooth[island];
  const limpet_contact_records *records = &w->probe->residual->solved->records;
  const limpet_contact_problem *problem = &w->probe->residual->solved->problem;
  const int first = patch->contact - smooth->base.island->contact;
  for (int c = patch->contact; c < patch->contact + patch->contact_count; ++c) {
    const limpet_contact_record *record = &records->record[problem->contact_source[c]];
    const limpet_pair_material *material = &records->pair[record->pair].material;
    if (material->friction_static > material->friction) return true;
  }
  for (int i = 0; i < smooth->weak_count; ++i)
    if (smooth->weak[i].kind != LIMPET_WEAK_ROW && smooth->weak[i].index >= first &&
        smooth->weak[i].index < first + patch->contact_count)
      return true;
  return false;
}

/* Whether a patch has a form of its own, of known trees that have no contact at a switch; into tree
 * those of both sides, LIMPET_NONE where nothing moves. */
static bool has_form(const limpet_column_writer *w, int island, const limpet_patch *patch,
                     int tree[LIMPET_SIDES]) {
  int unit[LIMPET_SIDES];
  bool moves = false;
  limpet_patch_units(w, patch, unit);
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const int of = w->probe->model->body_tree[unit[side]];
    tree[side] = of >= 0 ? of : LIMPET_NONE;
    if (of < 0) continue;
    if (!w->tree[of].known) return false;
    moves = true;
  }
  return moves && !may_switch(w, island, patch);
}

// -------------------------------------------------------------------------- one patch

// Kinks along the velocities of one side.
static void flag_kinks(const limpet_composite_writer *s, const limpet_patch_view *p, int side) {
  const limpet_model *model = s->w->probe->model;
  const int first = p->meets == LIMPET_NONE ? 0 : model->body_last_dof[p->meets] + 1;
  double lever[3], S[6];
  if (!p->law.kinked || p->path[side].count == 0) return;
  limpet_composite_lever(p, side, lever);
  for (int d = model->body_last_dof[p->unit[side]]; d >= first; d = model->dof_parent[d]) {
    limpet_spatial_shift_motion(S, s->motion.dof[d].pose.S, lever);
    if (limpet_patch_law_meets_kink(&p->law, S)) s->w->columns->kinked_q[d] = true;
  }
}

// The bodies of both sides, and all before them.
static void reach_units(limpet_composite_writer *s, const limpet_patch *patch) {
  int unit[LIMPET_SIDES];
  limpet_patch_units(s->w, patch, unit);
  for (int side = 0; side < LIMPET_SIDES; ++side)
    if (s->w->probe->model->body_tree[unit[side]] >= 0)
      limpet_contact_motion_reach(&s->motion, unit[side]);
}

static limpet_status write_patch(limpet_composite_writer *s, int island, const limpet_patch *patch,
                                 limpet_contact_weights *weights) {
  limpet_arena *arena = s->w->arena;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  limpet_patch_view view;
  reach_units(s, patch);
  if (limpet_patch_view_make(s->w, island, patch, s->motion.body, s->motion.weighs, &view))
    return LIMPET_ERROR_MEMORY;
  assert(view.law.switch_count == 0);
  const bool moves_a = view.path[LIMPET_SIDE_A].count > 0,
             moves_b = view.path[LIMPET_SIDE_B].count > 0;
  for (int side = 0; side < LIMPET_SIDES; ++side) flag_kinks(s, &view, side);
  if (!moves_a || !moves_b)
    limpet_composite_add_patch(s, &view, moves_a ? LIMPET_SIDE_A : LIMPET_SIDE_B);
  else if (limpet_contact_pair_write(s, &view)) return LIMPET_ERROR_MEMORY;
  if (limpet_contact_weights_add(s, &view, weights)) return LIMPET_ERROR_MEMORY;
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

// -------------------------------------------------------------------------- whole trees

// columns -= by (rows x n)' to (rows x n), of the velocities `along` of a tree.
static void add_product(const limpet_composite_writer *s, int rows, limpet_range along,
                        const double *by, const double *to, double *columns) {
  const limpet_tree_change *tree = s->tree;
  limpet_dense()->sub_mul(
      along.end - along.first, s->own->end, rows, by + along.first, 1, tree->n, to, tree->n,
      limpet_column_of(s->w, columns, tree->first + along.first) + s->w->slot[tree->first],
      s->w->probe->residual->size);
}

// What the acceleration of the centre of mass does, along all velocities.
static void write_products(const limpet_composite_writer *s) {
  const limpet_tree_change *tree = s->tree;
  const limpet_range all = {0, tree->n};
  if (!tree->bend_q) return;
  add_product(s, 3, all, tree->bend_q, s->own->bend, s->w->columns->q);
  if (s->w->columns->v) add_product(s, 3, all, tree->bend_v, s->own->bend, s->w->columns->v);
}

static void write_tree(limpet_composite_writer *s) {
  const limpet_model *model = s->w->probe->model;
  const limpet_range bodies = limpet_tree_bodies(model, model->dof_tree[s->tree->first]);
  limpet_composite_make(s);
  for (int b = bodies.end - 1; b >= bodies.first; --b) {
    if (!s->body[b].any) continue;
    limpet_composite_write(s, b);
    limpet_composite_pass_on(s, b);
  }
  write_products(s);
}

static limpet_status take(limpet_composite_writer *s) {
  const limpet_model *model = s->w->probe->model;
  limpet_arena *arena = s->w->arena;
  s->body = LIMPET_TAKE(arena, limpet_composite, model->body_count);
  s->turned = LIMPET_TAKE(arena, double, 6 * model->nv);
  s->run = LIMPET_TAKE(arena, limpet_range, model->nv);
  s->table = LIMPET_TAKE(arena, limpet_dof_table, model->nv / 4 + 1);
  s->rows = LIMPET_TAKE_ZERO(arena, limpet_composite_rows, model->tree_count);
  if (!s->body || !s->turned || !s->run || !s->table || !s->rows) return LIMPET_ERROR_MEMORY;
  s->motion = *s->w->motion;
  for (int b = 0; b < model->body_count; ++b) s->body[b].any = false;
  return LIMPET_OK;
}

// What a tree needs, once; the last one is written.
static limpet_status turn_to(limpet_composite_writer *s, int tree) {
  if (tree == LIMPET_NONE) return LIMPET_OK;
  s->tree = &s->w->tree[tree];
  s->own = &s->rows[tree];
  if (s->own->any) return LIMPET_OK;
  s->own->any = true;
  s->own->bend = LIMPET_TAKE_ZERO(s->w->arena, double, 3 * s->tree->n);
  if (!s->own->bend) return LIMPET_ERROR_MEMORY;
  return LIMPET_OK;
}

limpet_status limpet_contact_columns_write(limpet_column_writer *w) {
  const limpet_contact_problem *problem = &w->probe->residual->solved->problem;
  const limpet_model *model = w->probe->model;
  const limpet_arena_mark mark = limpet_arena_mark_now(w->arena);
  limpet_composite_writer s = {.w = w};
  if (problem->patch_count == 0) return LIMPET_OK;
  limpet_contact_weights weights;
  if (take(&s) || limpet_contact_weights_take(w, &weights)) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < problem->island_count; ++i) {
    const limpet_island *island = &problem->island[i];
    for (int k = island->patch; k < island->patch + island->patch_count; ++k) {
      const limpet_patch *patch = &problem->patch[k];
      int tree[LIMPET_SIDES];
      if (!has_form(w, i, patch, tree)) {
        if (limpet_patch_columns_write(w, i, patch)) return LIMPET_ERROR_MEMORY;
      } else if (limpet_patch_view_matters(w, i, patch) &&
                 (turn_to(&s, tree[0]) || turn_to(&s, tree[1]) ||
                  write_patch(&s, i, patch, &weights))) {
        return LIMPET_ERROR_MEMORY;
      }
    }
  }
  limpet_contact_weights_write(w, &weights);
  for (int t = 0; t < model->tree_count; ++t) {
    if (!s.rows[t].any) continue;
    s.tree = &w->tree[t], s.own = &s.rows[t];
    write_tree(&s);
  }
  limpet_arena_release(w->arena, mark);
  return LIMPET_OK;
}
