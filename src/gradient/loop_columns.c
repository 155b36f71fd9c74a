/* gradient/loop_columns.c: see loop_columns.h.
 *
 *   dr -= sum over rows of da_i gamma_i + a_i dgamma_i
 * along each velocity on the two paths, and along all velocities of their trees by 1/A_kk. Cost:
 * the square of the lengths of the paths. */
#include "gradient/loop_columns.h"

#include <math.h>

// column -= a dgamma over both paths, and da gamma where something moves.
static void push(const limpet_column_writer *w, const limpet_loop_view *view,
                 const limpet_loop_change *change, const double dgamma[LIMPET_LOOP_ROWS],
                 double *column) {
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < view->path[side].count; ++k) {
      const limpet_path_dof *step = &view->path[side].step[k];
      double sum = 0.0;
      if (step->shared) continue;
      for (int i = 0; i < view->count; ++i) {
        if (view->row[i] == LIMPET_NONE) continue;
        sum += limpet_loop_entry(view, i, side, k) * dgamma[i];
        if (change) sum += limpet_loop_entry_change(view, change, i, side, k) * view->gamma[i];
      }
      column[w->slot[step->dof]] -= sum;
    }
}

static bool is_known(const limpet_column_writer *w, int dof) {
  return w->tree[w->probe->model->dof_tree[dof]].known;
}

// Along the pose and the velocity at place k of a path.
static void write_step(const limpet_column_writer *w, const limpet_loop_view *view, int side,
                       int k) {
  const int dof = view->path[side].step[k].dof;
  limpet_loop_change change;
  limpet_loop_change_pose(w->probe, view, side, k, &change);
  push(w, view, &change, change.dgamma, limpet_column_of(w, w->columns->q, dof));
  if (!w->columns->v) return;
  limpet_loop_change_velocity(w->probe, view, side, k, &change);
  push(w, view, NULL, change.dgamma, limpet_column_of(w, w->columns->v, dof));
}

// What the weight between places k and l of a path does, of one joint.
static void write_weight(const limpet_column_writer *w, const limpet_loop_view *view, int side,
                         int k, int l) {
  const int dof = view->path[side].step[k].dof;
  const limpet_tree_change *tree = &w->tree[w->probe->model->dof_tree[dof]];
  const int own = dof - tree->first, row = limpet_tree_weight(tree, own, tree->local[own] + l - k);
  double by_weight[LIMPET_LOOP_ROWS], dgamma[LIMPET_LOOP_ROWS];
  limpet_loop_change_weight(view, side, k, l, by_weight);
  for (int j = 0; j < tree->n; ++j) {
    const int place = row * tree->n + j;
    const double by[] = {tree->steady_q[place], tree->steady_v[place], 0.5 * tree->steady_v[place]};
    double *const columns[] = {w->columns->q, w->columns->v,
                               tree->change ? w->columns->change : NULL};
    for (int group = 0; group < 3; ++group) {
      if (by[group] == 0.0 || !columns[group]) continue;
      for (int i = 0; i < view->count; ++i) dgamma[i] = by[group] * by_weight[i];
      push(w, view, NULL, dgamma, limpet_column_of(w, columns[group], tree->first + j));
    }
  }
}

static bool weighs(const limpet_loop_view *view) {
  for (int i = 0; i < view->count; ++i)
    if (view->law[i].rho_by_w != 0.0) return true;
  return false;
}

// The tree of a side; NULL: it has none.
static const limpet_tree_change *tree_of(const limpet_column_writer *w,
                                         const limpet_loop_view *view, int side) {
  const limpet_body_path *path = &view->path[side];
  return path->count > 0 ? &w->tree[w->probe->model->dof_tree[path->step[0].dof]] : NULL;
}

/* By the acceleration of the centre of mass of a centred tree, along all of its velocities. Both
 * ends of a loop within it have the same. */
static void write_bend(const limpet_column_writer *w, const limpet_loop_view *view, int side) {
  const limpet_tree_change *tree = tree_of(w, view, side);
  if (!tree || !tree->known || !tree->bend_q || tree == tree_of(w, view, 1 - side)) return;
  const double *by[2] = {tree->bend_q, tree->bend_v};
  double *const columns[2] = {w->columns->q, w->columns->v};
  for (int group = 0; group < 2; ++group)
    for (int k = 0; k < tree->n && columns[group]; ++k) {
      double dbend[3], dgamma[LIMPET_LOOP_ROWS];
      for (int i = 0; i < 3; ++i) dbend[i] = by[group][i * tree->n + k];
      limpet_loop_change_bend(w->probe, view, side, dbend, dgamma);
      push(w, view, NULL, dgamma, limpet_column_of(w, columns[group], tree->first + k));
    }
}

void limpet_loop_columns_write(const limpet_column_writer *w, const limpet_loop_view *view) {
  const bool heavy = weighs(view);
  for (int side = 0; side < 2; ++side) write_bend(w, view, side);
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < view->path[side].count; ++k) {
      const limpet_path_dof *step = &view->path[side].step[k];
      if (!is_known(w, step->dof)) continue;
      if (!step->shared || side == 1) write_step(w, view, side, k);
      const limpet_tree_change *tree = &w->tree[w->probe->model->dof_tree[step->dof]];
      if (!heavy || step->shared) continue;
      for (int l = k - tree->local[step->dof - tree->first]; l <= k; ++l)
        write_weight(w, view, side, k, l);
    }
}
