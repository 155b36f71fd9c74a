/* gradient/state_columns.c: see state_columns.h.
 *
 *   dr = trees (tree_change.h) + patches (contact_columns.h) + rows (row_columns.h) + loops
 *        (loop_columns.h)
 * A contact or a row without a closed form makes its trees unknown. */
#include "gradient/state_columns.h"

#include <string.h>

#include "dynamics/activation.h"
#include "dynamics/tree.h"
#include "gradient/contact_columns.h"
#include "gradient/loop_columns.h"
#include "gradient/patch_law.h"
#include "gradient/patch_view.h"
#include "gradient/row_columns.h"
#include "gradient/tree_bend.h"
#include "gradient/tree_centre.h"
#include "math/dense_table.h"
#include "step/flight.h"

// The columns of a tree from its own block.
static void write_block(const limpet_column_writer *w, const limpet_tree_change *tree,
                        const double *block, double *columns) {
  double *to = limpet_column_of(w, columns, tree->first) + w->slot[tree->first];
  limpet_dense()->transpose(tree->n, tree->n, block, tree->n, to, w->probe->residual->size);
}

// The tree of a block; NULL: it is a deformable body.
static limpet_tree_change *tree_of(const limpet_probe *probe, const limpet_block *block,
                                   limpet_tree_change *trees) {
  return block->dof < probe->model->nv ? &trees[block->owner] : NULL;
}

static void forget_block(const limpet_probe *probe, const limpet_block *block,
                         limpet_tree_change *trees) {
  limpet_tree_change *tree = tree_of(probe, block, trees);
  if (tree) tree->known = false;
}

static void forget_patches(const limpet_probe *probe, limpet_tree_change *trees) {
  const limpet_contact_problem *problem = &probe->residual->solved->problem;
  for (int i = 0; i < problem->island_count; ++i) {
    const limpet_island *island = &problem->island[i];
    for (int k = island->patch; k < island->patch + island->patch_count; ++k) {
      const limpet_patch *patch = &problem->patch[k];
      const bool known = limpet_patch_law_known(probe, i, patch);
      for (int s = 0; s < patch->side_count && !known; ++s)
        forget_block(probe, &problem->block[patch->side[s].block], trees);
    }
  }
}

static bool parts(const limpet_contact_problem *problem, const limpet_patch *patch) {
  for (int c = patch->contact; c < patch->contact + patch->contact_count && problem->rebound; ++c)
    if (problem->rebound[c] > 0.0) return true;
  return false;
}

// Contacts that part do so at a speed that reads the free velocity, which forces change.
static void forget_forces(const limpet_column_writer *w, bool *differs) {
  const limpet_contact_problem *problem = &w->probe->residual->solved->problem;
  for (int k = 0; k < problem->patch_count; ++k) {
    const limpet_patch *patch = &problem->patch[k];
    for (int s = 0; s < patch->side_count && parts(problem, patch); ++s) {
      const limpet_tree_change *tree =
          tree_of(w->probe, &problem->block[patch->side[s].block], w->tree);
      for (int d = 0; tree && d < tree->n; ++d) differs[tree->first + d] = true;
    }
  }
}

static limpet_status take(limpet_column_writer *w) {
  const limpet_model *model = w->probe->model;
  w->tree = LIMPET_TAKE(w->arena, limpet_tree_change, model->tree_count);
  w->slot = LIMPET_TAKE(w->arena, int, model->nv);
  w->servo = LIMPET_TAKE_ZERO(w->arena, const limpet_row_view *, model->nu);
  const limpet_contact_problem *problem = &w->probe->residual->solved->problem;
  if (!w->tree || !w->slot || !w->servo ||
      limpet_problem_take_weights(problem, model, w->arena, &w->delassus))
    return LIMPET_ERROR_MEMORY;
  for (int d = 0; d < model->nv; ++d) w->slot[d] = limpet_residual_slot(w->probe->residual, d);
  limpet_problem_weigh(problem, model, w->probe->data, &w->delassus);
  return LIMPET_OK;
}

// Where the balance of a tree is known, and its momentum is kept, what impulses add to it is, too.
static void want_impulses(const limpet_column_writer *w) {
  const limpet_model *model = w->probe->model;
  const limpet_flight *flight = w->probe->residual->solved->motion.flight;
  limpet_columns *columns = w->columns;
  for (int t = 0; t < model->tree_count && columns->impulse_q; ++t) {
    const size_t at = 6 * (size_t)model->tree_dof[t];
    columns->impulse_known[t] =
        w->tree[t].known && flight->balance[t].kept && !limpet_flight_alone(flight, t);
    if (!columns->impulse_known[t]) continue;
    w->tree[t].impulse_q = columns->impulse_q + at;
    w->tree[t].impulse_v = columns->impulse_v + at;
  }
}

// Without the state no tree that flies is known.
static void want_flights(const limpet_column_writer *w) {
  const limpet_model *model = w->probe->model;
  for (int t = 0; t < model->tree_count; ++t) {
    if (!w->tree[t].known || !w->tree[t].flies) continue;
    w->tree[t].flight = &w->columns->flight[t];
    w->tree[t].flight_room = w->columns->flight_room + LIMPET_FLIGHT_ROOM * model->tree_dof[t];
  }
}

// Changes of velocity in the last step, where they are all of flight.
static void want_changes(const limpet_column_writer *w, double *block) {
  const limpet_model *model = w->probe->model;
  const limpet_flight *flight = w->probe->residual->solved->motion.flight;
  limpet_columns *columns = w->columns;
  for (int t = 0; t < model->tree_count; ++t) {
    columns->change_known[t] =
        w->tree[t].known && !limpet_flight_alone(flight, t) && flight->balance[t].share == 1.0;
    if (!columns->change_known[t]) continue;
    w->tree[t].change = block + model->tree_mass[t];
    w->tree[t].impulse_change =
        model->tree_dof_count[t] >= 6 ? columns->impulse_change + 6 * model->tree_dof[t] : NULL;
  }
}

// How the acceleration of the centre of mass of a centred tree changes: bend_q, bend_v.
static limpet_status find_bend(limpet_column_writer *w, int tree, limpet_bend_sums *sum) {
  limpet_tree_change *to = &w->tree[tree];
  const double m = w->probe->residual->solved->motion.flight->balance[tree].start.mass;
  to->bend_q = LIMPET_TAKE(w->arena, double, 6 * to->n);
  if (!to->bend_q) return LIMPET_ERROR_MEMORY;
  to->bend_v = to->bend_q + 3 * to->n;
  limpet_contact_motion_fill(w->motion, tree);
  limpet_bend_sums_make(w->motion, tree, sum);
  limpet_bend_columns(w->motion, tree, sum, 1.0 / m, to->bend_q, to->bend_v);
  return LIMPET_OK;
}

// Motions that contacts and loops read.
static limpet_status find_motions(limpet_column_writer *w, const limpet_loops *found) {
  const limpet_model *model = w->probe->model;
  if (w->probe->residual->solved->problem.patch_count == 0 && found->count == 0) return LIMPET_OK;
  limpet_bend_sums *sum = LIMPET_TAKE(w->arena, limpet_bend_sums, model->body_count);
  if (!sum || (!w->motion && limpet_contact_motion_new(w))) return LIMPET_ERROR_MEMORY;
  for (int t = 0; t < model->tree_count; ++t)
    if (w->tree[t].known && limpet_tree_is_centred(w->probe, t) && find_bend(w, t, sum))
      return LIMPET_ERROR_MEMORY;
  return LIMPET_OK;
}

// Columns of pose and velocity.
static limpet_status write_state(limpet_column_writer *w, const limpet_row_view *views,
                                 const limpet_loops *found) {
  const limpet_model *model = w->probe->model;
  const limpet_contact_problem *problem = &w->probe->residual->solved->problem;
  const size_t size = (size_t)model->nv * (size_t)w->probe->residual->size * sizeof(double);
  const bool weights = found->count > 0 || limpet_contacts_weigh(w->probe) ||
                       limpet_row_views_weigh(problem->row_count, views);
  if (limpet_tree_change_fill(w->probe, weights, w->arena, w->tree) || find_motions(w, found))
    return LIMPET_ERROR_MEMORY;
  memset(w->columns->q, 0, size);
  if (w->columns->v) memset(w->columns->v, 0, size);
  for (int t = 0; t < model->tree_count; ++t) {
    if (!w->tree[t].known) continue;
    write_block(w, &w->tree[t], w->tree[t].q, w->columns->q);
    if (w->columns->v) write_block(w, &w->tree[t], w->tree[t].v, w->columns->v);
    if (w->tree[t].change) write_block(w, &w->tree[t], w->tree[t].change, w->columns->change);
  }
  if (limpet_contact_columns_write(w)) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < problem->row_count; ++i) limpet_row_columns_write(w, &views[i]);
  for (int i = 0; i < found->count; ++i)
    if (limpet_loop_columns_write(w, &found->view[i])) return LIMPET_ERROR_MEMORY;
  return LIMPET_OK;
}

// -h at the velocity's own place: the middle of the step does not see forces where trees are held.
static void write_forces(const limpet_column_writer *w, const bool *differs) {
  const size_t size = (size_t)w->probe->residual->size;
  for (int d = 0; d < w->probe->model->nv; ++d) {
    double *column = limpet_column_of(w, w->columns->force, d);
    if (differs[d]) continue;
    memset(column, 0, size * sizeof *column);
    limpet_column_add_force(w, d, 1.0, column);
  }
}

limpet_status limpet_state_columns(limpet_probe *probe, double width, double control_share,
                                   limpet_arena *arena, limpet_columns *columns,
                                   limpet_differing *differs) {
  const limpet_model *model = probe->model;
  const int rows = probe->residual->solved->problem.row_count;
  limpet_column_writer w = {.probe = probe, .arena = arena, .columns = columns, .width = width};
  limpet_row_probe laws;
  limpet_row_view *views = LIMPET_TAKE(arena, limpet_row_view, rows);
  if (!views || take(&w) || limpet_row_probe_make(probe, arena, &laws)) return LIMPET_ERROR_MEMORY;
  if (limpet_tree_change_known(probe, arena, w.tree)) return LIMPET_ERROR_MEMORY;
  for (int t = 0; t < model->tree_count; ++t)
    w.tree[t].known = w.tree[t].known && !(w.tree[t].flies && !columns->flight);
  for (int d = 0; d < model->nv; ++d) differs->force[d] = !w.tree[model->dof_tree[d]].known;
  want_impulses(&w);
  want_flights(&w);
  forget_patches(probe, w.tree);
  forget_forces(&w, differs->force);
  limpet_row_views_make(&w, &laws, views);
  limpet_loops found;
  if (limpet_loops_find(&w, &laws, &found)) return LIMPET_ERROR_MEMORY;
  for (int d = 0; d < model->nv; ++d) differs->state[d] = !w.tree[model->dof_tree[d]].known;
  double *block = columns->change ? LIMPET_TAKE(arena, double, model->mass_size) : NULL;
  if (columns->change && !block) return LIMPET_ERROR_MEMORY;
  if (columns->change) want_changes(&w, block);
  if (columns->q && write_state(&w, views, &found)) return LIMPET_ERROR_MEMORY;
  if (columns->force) write_forces(&w, differs->force);
  return columns->control ? limpet_row_columns_control(&w, control_share, differs->control)
                          : LIMPET_OK;
}
