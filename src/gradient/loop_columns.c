/* gradient/loop_columns.c: see loop_columns.h.
 *
 *   dr -= sum over rows of da_i gamma_i + a_i dgamma_i
 * along each velocity on the two paths, and along all velocities of their trees by 1/A_kk. dgamma
 * is found for all of them, by factors of each row (loop_change.h), before a' takes it to the
 * velocities: what near-rigid rows leave of round-off is along a, where they hold. Where a pose
 * carries a velocity that is pushed, its axis turns, too: less (S_j x S_k) . F. */
#include "gradient/loop_columns.h"

#include <string.h>

#include "gradient/loop_view.h"
#include "math/dense.h"
#include "math/dense_table.h"
#include "math/spatial.h"

// A velocity that the loop pushes.
typedef struct loop_row {
  double xi[2][6];   // factors of S, through da of places and axes
  double turned[6];  // S x* F
  int slot, place;   // entry of a column; step of its side's path
} loop_row;

enum {
  STEP = sizeof(limpet_path_dof) / sizeof(double),
  ROW = sizeof(loop_row) / sizeof(double),
  LAW = sizeof(limpet_loop_factors) / sizeof(double),
  FACTORS = sizeof(limpet_side_factors) / sizeof(double)
};

typedef struct loop_writer {
  const limpet_column_writer *w;
  const limpet_loop_view *view;
  int count, from[LIMPET_SIDES + 1];  // velocities that do not move both bodies, of each side
  loop_row *row;                      // (count)
  limpet_loop_factors law[LIMPET_LOOP_ROWS];  // of each row of the loop
  limpet_range pushed;                        // entries of a column
  double *a;                                  // (rows of the loop x entries)
  double *dgamma;  // (rows of the loop x nv)  along velocities of the trees of both sides
  double *less;    // (steps of a path x count, or rows of the loop)  workspace
} loop_writer;

// -------------------------------------------------------------------------- which loops

static bool is_tree(const limpet_column_writer *w, const limpet_block *block) {
  return block->dof < w->probe->model->nv;
}

// The weight of a loop may depend on all that hangs on it.
static void forget_island(const limpet_column_writer *w, const limpet_island *island) {
  const limpet_contact_problem *problem = &w->probe->residual->solved->problem;
  for (int b = island->block; b < island->block + island->block_count; ++b) {
    const limpet_block *block = &problem->block[problem->island_block[b]];
    if (is_tree(w, block)) w->tree[block->owner].known = false;
  }
}

// Whether a deformable body takes part, whose weight those of loops would have to know.
static bool has_body(const limpet_column_writer *w, const limpet_island *island) {
  const limpet_contact_problem *problem = &w->probe->residual->solved->problem;
  for (int b = island->block; b < island->block + island->block_count; ++b)
    if (!is_tree(w, &problem->block[problem->island_block[b]])) return true;
  return false;
}

limpet_status limpet_loops_find(const limpet_column_writer *w, limpet_row_probe *laws,
                                limpet_loops *loops) {
  const limpet_model *model = w->probe->model;
  loops->count = 0;
  if (model->loop_count == 0) return LIMPET_OK;
  loops->view = LIMPET_TAKE(w->arena, limpet_loop_view, model->loop_count);
  if (!loops->view ||
      limpet_loop_views_make(w->probe, laws, &w->delassus, w->arena, loops->view, &loops->count))
    return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < loops->count; ++i) {
    const limpet_island *island =
        &w->probe->residual->solved->problem.island[loops->view[i].island];
    if (!loops->view[i].known || has_body(w, island)) forget_island(w, island);
  }
  return LIMPET_OK;
}

// -------------------------------------------------------------------------- both uses

// The tree of a side; NULL: it has none.
static const limpet_tree_change *tree_of(const limpet_column_writer *w,
                                         const limpet_loop_view *view, int side) {
  const limpet_body_path *path = &view->path[side];
  return path->count > 0 ? &w->tree[w->probe->model->dof_tree[path->step[0].dof]] : NULL;
}

/* Whether the acceleration of the centre of mass of a side counts. Both ends of a loop within a
 * tree have the same. */
static bool bends(const limpet_column_writer *w, const limpet_loop_view *view, int side) {
  const limpet_tree_change *tree = tree_of(w, view, side);
  return tree && tree != tree_of(w, view, 1 - side);
}

static void wrench_of(const limpet_loop_view *view, int side, double F[6]) {
  limpet_loop_wrench(view, view->gamma, side, F);
  for (int i = 0; i < 6; ++i) F[i] *= limpet_patch_signs[side];
}

// -------------------------------------------------------------------------- columns

static void make_laws(loop_writer *l) {
  for (int i = 0; i < l->view->count; ++i) {
    double y[LIMPET_LOOP_ROWS] = {0.0};
    y[i] = 1.0;
    limpet_loop_factors_of(l->w->probe, l->view, y, &l->law[i]);
  }
}

// The velocities that the loop pushes, of each side the nearest to the root first.
static void make_rows(loop_writer *l) {
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const limpet_body_path *path = &l->view->path[side];
    double F[6], X[2][6] = {{0.0}};
    wrench_of(l->view, side, F);
    l->from[side] = l->count;
    for (int k = 0; k < path->count; ++k) {
      loop_row *row = &l->row[l->count];
      if (path->step[k].shared) continue;
      ++l->count;
      row->slot = l->w->slot[path->step[k].dof], row->place = k;
      limpet_spatial_copy(X[side], path->step[k].S);
      limpet_loop_wrench_factors(l->view, (const double(*)[6])X, row->xi);
      limpet_spatial_cross_force(row->turned, path->step[k].S, F);
    }
  }
  l->from[LIMPET_SIDES] = l->count;
}

static const limpet_constraint_row *row_of(const loop_writer *l, int i) {
  static const limpet_constraint_row none = {0};
  const limpet_contact_problem *problem = &l->w->probe->residual->solved->problem;
  return l->view->row[i] == LIMPET_NONE ? &none : &problem->row[l->view->row[i]];
}

// The rows as the solve has them, over the entries of the island that they push.
static limpet_status make_pushes(loop_writer *l) {
  const limpet_residual *residual = l->w->probe->residual;
  const limpet_contact_problem *problem = &residual->solved->problem;
  const int at = residual->at[l->view->island];
  int first = problem->island[l->view->island].size, end = 0;
  for (int i = 0; i < l->view->count; ++i) {
    const limpet_constraint_row *row = row_of(l, i);
    for (int e = row->entry; e < row->entry + row->entry_count; ++e) {
      if (problem->entry_dof[e] < first) first = problem->entry_dof[e];
      if (problem->entry_dof[e] >= end) end = problem->entry_dof[e] + 1;
    }
  }
  const int width = end > first ? end - first : 0;
  l->pushed = (limpet_range){at + first, at + first + width};
  l->a = LIMPET_TAKE_ZERO(l->w->arena, double, l->view->count *width + 1);
  for (int i = 0; i < l->view->count && l->a; ++i) {
    const limpet_constraint_row *row = row_of(l, i);
    for (int e = row->entry; e < row->entry + row->entry_count; ++e)
      l->a[i * width + problem->entry_dof[e] - first] = problem->entry_value[e];
  }
  return l->a ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

static limpet_status begin(loop_writer *l) {
  const limpet_body_path *path = l->view->path;
  const int steps = path[0].count + path[1].count, nv = l->w->probe->model->nv,
            rows = l->view->count > steps ? l->view->count : steps;
  l->row = LIMPET_TAKE(l->w->arena, loop_row, steps);
  l->less = LIMPET_TAKE(l->w->arena, double, steps *rows);
  l->dgamma = LIMPET_TAKE(l->w->arena, double, l->view->count *nv);
  if (!l->row || !l->less || !l->dgamma) return LIMPET_ERROR_MEMORY;
  make_laws(l);
  make_rows(l);
  return make_pushes(l);
}

static double *dgamma_of(const loop_writer *l, int row) {
  return l->dgamma + row * l->w->probe->model->nv;
}

static void clear(const loop_writer *l) {
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const limpet_tree_change *tree = tree_of(l->w, l->view, side);
    for (int i = 0; tree && i < l->view->count; ++i)
      memset(dgamma_of(l, i) + tree->first, 0, (size_t)tree->n * sizeof *l->dgamma);
  }
}

// l->less (steps x rows) -= what steps first .. end have: factors of each row, the first `width`,
// of what is at `of` in the first step of all.
static void multiply(const loop_writer *l, limpet_range steps, int width, const double *of,
                     const double *factors) {
  const int count = l->view->count;
  limpet_dense()->sub_mul_t(steps.end - steps.first, count, width, of + STEP * steps.first, STEP,
                            factors, LAW, l->less + steps.first * count, count);
}

static void begin_steps(const loop_writer *l, int side) {
  memset(l->less, 0, (size_t)(l->view->path[side].count * l->view->count) * sizeof *l->less);
}

// dgamma += that by the steps of a side, which l->less is less.
static void end_steps(const loop_writer *l, int side) {
  const limpet_body_path *path = &l->view->path[side];
  for (int i = 0; i < l->view->count; ++i) {
    double *to = dgamma_of(l, i);
    const double *less = l->less + i;
    for (int j = 0; j < path->count; ++j, less += l->view->count) to[path->step[j].dof] -= *less;
  }
}

// dgamma -= that by the acceleration of the centre of mass, by (3 x n), of a side.
static void add_bend(const loop_writer *l, int side, const double *by) {
  const limpet_tree_change *tree = tree_of(l->w, l->view, side);
  for (int i = 0; i < l->view->count; ++i)
    for (int c = 0; c < 3; ++c)
      limpet_axpy(tree->n, -l->law[i].side[side].dA[3 + c], by + c * tree->n,
                  dgamma_of(l, i) + tree->first);
}

// By w along the poses of a side, weights held.
static void add_pose_weights(const loop_writer *l, int side) {
  const limpet_body_path *path = &l->view->path[side];
  for (int i = 0; i < l->view->count; ++i) {
    const int part = limpet_loop_part(l->view, i);
    for (int k = 0; k < path->count; ++k)
      dgamma_of(l, i)[path->step[k].dof] +=
          l->law[i].weight[part] * l->view->dw[side][2 * k + part];
  }
}

/* By w through the weights of the velocities of a side, along all velocities of its tree, by
 * `steady` (rows of n). z (parts x n): workspace. */
static void add_tree_weights(const loop_writer *l, int side, double share, const double *steady,
                             double *z) {
  const limpet_tree_change *tree = tree_of(l->w, l->view, side);
  const limpet_body_path *path = &l->view->path[side];
  const int parts = l->view->kind == LIMPET_LOOP_WELD ? 2 : 1, n = tree->n;
  memset(z, 0, (size_t)(parts * n) * sizeof *z);
  for (int k = 0; k < path->count; ++k) {
    const int own = path->step[k].dof - tree->first, local = tree->local[own];
    for (int i = k - local; i <= k && !path->step[k].shared; ++i) {
      double dw[2];
      limpet_loop_by_weight(l->view, side, k, i, dw);
      for (int part = 0; part < parts; ++part)
        limpet_axpy(n, i < k ? 2.0 * dw[part] : dw[part],
                    steady + limpet_tree_weight(tree, own, local + i - k) * n, z + part * n);
    }
  }
  for (int i = 0; i < l->view->count; ++i) {
    const int part = limpet_loop_part(l->view, i);
    limpet_axpy(n, share * l->law[i].weight[part], z + part * n, dgamma_of(l, i) + tree->first);
  }
}

// columns -= a dgamma, of all velocities of the trees.
static void push(const loop_writer *l, double *columns) {
  const limpet_residual *residual = l->w->probe->residual;
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const limpet_tree_change *tree = tree_of(l->w, l->view, side);
    if (!tree || !tree->known || (side > 0 && tree == tree_of(l->w, l->view, 0))) continue;
    limpet_dense()->sub_mul(
        tree->n, l->pushed.end - l->pushed.first, l->view->count, l->dgamma + tree->first, 1,
        l->w->probe->model->nv, l->a, l->pushed.end - l->pushed.first,
        limpet_column_of(l->w, columns, tree->first) + l->pushed.first, residual->size);
  }
}

// columns -= da gamma: of places, and of axes that poses carry.
static void turn_columns(const loop_writer *l, int side, double *columns) {
  const limpet_body_path *path = &l->view->path[side];
  const size_t size = (size_t)(path->count * l->count) * sizeof *l->less;
  if (size == 0 || !tree_of(l->w, l->view, side)->known) return;
  memset(l->less, 0, size);
  limpet_dense()->sub_mul_t(path->count, l->count, 6, path->step->S, STEP, l->row->xi[side], ROW,
                            l->less, l->count);
  for (int j = 0; j < path->count; ++j) {
    double *column = limpet_column_of(l->w, columns, path->step[j].dof);
    for (int k = 0; k < l->count; ++k) column[l->row[k].slot] -= l->less[j * l->count + k];
    for (int k = l->from[side]; k < l->from[side + 1]; ++k)
      if (limpet_body_path_moves(path, j, l->row[k].place))
        column[l->row[k].slot] -= limpet_spatial_dot(path->step[j].S, l->row[k].turned);
  }
}

static bool bends_known(const loop_writer *l, int side) {
  const limpet_tree_change *tree = tree_of(l->w, l->view, side);
  return bends(l->w, l->view, side) && tree->known && tree->bend_q;
}

// By the pose; z: workspace; NULL: no law reads a weight.
static void write_poses(const loop_writer *l, double *z) {
  clear(l);
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const limpet_tree_change *tree = tree_of(l->w, l->view, side);
    const limpet_side_factors *by = &l->law->side[side];
    const limpet_path_dof *step = l->view->path[side].step;
    if (!tree || !tree->known) continue;
    const int count = l->view->path[side].count, own = l->from[side + 1] - l->from[side];
    const limpet_range both = {0, count - own}, alone = {count - own, count};
    begin_steps(l, side);
    multiply(l, alone, FACTORS, step->S, by->xi);
    multiply(l, both, FACTORS - 6, step->dV, by->dV);
    if (side == 0) multiply(l, both, 6, step->S, l->law->shared);
    end_steps(l, side);
    if (bends_known(l, side)) add_bend(l, side, tree->bend_q);
    if (z) add_pose_weights(l, side), add_tree_weights(l, side, 1.0, tree->steady_q, z);
    turn_columns(l, side, l->w->columns->q);
  }
  push(l, l->w->columns->q);
}

// By the velocity at the start.
static void write_velocities(const loop_writer *l, double *z) {
  clear(l);
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const limpet_tree_change *tree = tree_of(l->w, l->view, side);
    const limpet_path_dof *step = l->view->path[side].step;
    if (!tree || !tree->known) continue;
    const limpet_range steps = {0, l->view->path[side].count};
    begin_steps(l, side);
    multiply(l, steps, 6, step->S, l->law->by_v[side]);
    multiply(l, steps, 6, step->dA_v, l->law->side[side].dA);
    end_steps(l, side);
    if (bends_known(l, side)) add_bend(l, side, tree->bend_v);
    if (z) add_tree_weights(l, side, 1.0, tree->steady_v, z);
  }
  push(l, l->w->columns->v);
}

// By c, which moves the middle of the step by half of what a velocity does.
static void write_changes(const loop_writer *l, double *z) {
  clear(l);
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const limpet_tree_change *tree = tree_of(l->w, l->view, side);
    if (tree && tree->known && tree->change) add_tree_weights(l, side, 0.5, tree->steady_v, z);
  }
  push(l, l->w->columns->change);
}

limpet_status limpet_loop_columns_write(const limpet_column_writer *w,
                                        const limpet_loop_view *view) {
  const limpet_arena_mark mark = limpet_arena_mark_now(w->arena);
  loop_writer l = {.w = w, .view = view};
  double *z = NULL;
  if (begin(&l)) return LIMPET_ERROR_MEMORY;
  if (view->weighs) {
    z = LIMPET_TAKE(w->arena, double, 2 * w->probe->model->nv);
    if (!z) return LIMPET_ERROR_MEMORY;
  }
  write_poses(&l, z);
  if (w->columns->v) write_velocities(&l, z);
  if (w->columns->change && z) write_changes(&l, z);
  limpet_arena_release(w->arena, mark);
  return LIMPET_OK;
}

// -------------------------------------------------------------------------- products

// by_q -= (S_j x S_k) . F x_k of what each pose carries, x: dual.
static void turn_product(const limpet_column_writer *w, const limpet_loop_view *view, int side,
                         const double *dual, double *by_q) {
  const limpet_body_path *path = &view->path[side];
  double F[6], behind[6] = {0.0}, turned[6];
  wrench_of(view, side, F);
  for (int j = path->count - 1; j >= 0; --j) {
    // rotations of one joint turn each other
    const bool last = j == path->count - 1 || !limpet_body_path_moves(path, j + 1, j);
    for (int k = j; k >= 0 && last && (k == j || limpet_body_path_moves(path, j, k)); --k)
      if (!path->step[k].shared)
        limpet_spatial_addmul(behind, dual[w->slot[path->step[k].dof]], path->step[k].S);
    limpet_spatial_cross_force(turned, behind, F);
    by_q[path->step[j].dof] -= limpet_spatial_dot(path->step[j].S, turned);
  }
}

// By w: along the poses of a side, and by the weights of its velocities.
static void weight_product(const limpet_column_writer *w, const limpet_loop_view *view, int side,
                           const double by_w[2], const limpet_loop_products *to) {
  const limpet_body_path *path = &view->path[side];
  const limpet_model *model = w->probe->model;
  double dw[2];
  for (int k = 0; k < path->count; ++k) {
    const int dof = path->step[k].dof, first = model->joint_v[model->dof_joint[dof]],
              count = path->whole_joints
                          ? limpet_joint_kind_nv(model->joint_kind[model->dof_joint[dof]])
                          : 1,
              begin = path->whole_joints ? k - (dof - first) : k;
    const double *own = view->dw[side] + 2 * k;
    to->by_q[dof] += by_w[0] * own[0] + by_w[1] * own[1];
    for (int i = 0; i < count && !path->step[k].shared; ++i) {
      limpet_loop_by_weight(view, side, k, begin + i, dw);
      to->by_weight[6 * dof + i] += by_w[0] * dw[0] + by_w[1] * dw[1];
    }
  }
}

// -a x of each row.
static void impulse_weights(const limpet_column_writer *w, const limpet_loop_view *view,
                            const double *dual, double y[LIMPET_LOOP_ROWS]) {
  const limpet_residual *residual = w->probe->residual;
  const limpet_contact_problem *problem = &residual->solved->problem;
  for (int i = 0; i < LIMPET_LOOP_ROWS; ++i) {
    y[i] = 0.0;
    if (view->row[i] == LIMPET_NONE) continue;
    const limpet_constraint_row *row = &problem->row[view->row[i]];
    for (int e = row->entry; e < row->entry + row->entry_count; ++e)
      y[i] -= problem->entry_value[e] * dual[residual->at[view->island] + problem->entry_dof[e]];
  }
}

void limpet_loop_product_add(const limpet_column_writer *w, const limpet_loop_view *view,
                             const double *dual, const limpet_loop_products *to) {
  static const double none[6] = {0.0};
  limpet_loop_factors by;
  double X[2][6] = {{0.0}}, xi[2][6], y[LIMPET_LOOP_ROWS];
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < view->path[side].count; ++k) {
      const limpet_path_dof *step = &view->path[side].step[k];
      if (!step->shared) limpet_spatial_addmul(X[side], dual[w->slot[step->dof]], step->S);
    }
  impulse_weights(w, view, dual, y);
  limpet_loop_factors_of(w->probe, view, y, &by);
  limpet_loop_wrench_factors(view, (const double(*)[6])X, xi);
  for (int side = 0; side < 2; ++side) {
    const limpet_side_factors *own = &by.side[side];
    for (int k = 0; k < view->path[side].count; ++k) {
      const limpet_path_dof *step = &view->path[side].step[k];
      const double *of_S = !step->shared ? own->xi : side == 0 ? by.shared : none;
      to->by_q[step->dof] +=
          limpet_spatial_dot(of_S, step->S) + limpet_spatial_dot(xi[side], step->S) +
          limpet_spatial_dot(own->dV, step->dV) + limpet_spatial_dot(own->dV0, step->dV0) +
          limpet_spatial_dot(own->dA, step->dA);
      to->by_v[step->dof] +=
          limpet_spatial_dot(by.by_v[side], step->S) + limpet_spatial_dot(own->dA, step->dA_v);
    }
    turn_product(w, view, side, dual, to->by_q);
    if (view->weighs) weight_product(w, view, side, by.weight, to);
    if (!bends(w, view, side)) continue;
    double *bend = to->bend + 3 * (tree_of(w, view, side) - w->tree);
    limpet_vec3_sub(bend, bend, own->dA + 3);
  }
}
