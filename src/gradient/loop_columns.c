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

// A velocity that moves one of the bodies, about the origins of both trees.
typedef struct loop_row {
  double xi[LIMPET_SIDES][6];  // factors of S of each body, through da of places and axes
  double turned[6];            // S x* F of its own
  double less[6];              // less the factors of S of what moves both
} loop_row;

// Factors of poses and rates of the velocities of each part, about the origins of their trees.
typedef struct loop_factors {
  double pose[LIMPET_LOOP_PARTS][LIMPET_POSE_WIDTH];
  double rate[LIMPET_LOOP_PARTS][LIMPET_RATE_WIDTH];
} loop_factors;

enum { ROW = sizeof(loop_row) / sizeof(double) };

typedef struct loop_writer {
  const limpet_column_writer *w;
  const limpet_loop_view *view;
  int parts;                           // of weights
  loop_row *row;                       // (velocities that move one body)
  loop_factors law[LIMPET_LOOP_ROWS];  // of each row of the loop
  double weight[LIMPET_LOOP_ROWS][2];  // less the factors of w of each part
  limpet_range pushed;                 // entries of a column
  double *a;                           // (rows of the loop x entries)
  double *dgamma;  // (rows of the loop x nv)  along velocities of the trees of both sides
  double *entry;  // (sides x parts x weights of its tree)  less what w has of each, where it weighs
  double *z;      // (parts x nv)  w along velocities
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

limpet_status limpet_loops_find(limpet_column_writer *w, limpet_row_probe *laws,
                                limpet_loops *loops) {
  const limpet_model *model = w->probe->model;
  loops->count = 0;
  if (model->loop_count == 0) return LIMPET_OK;
  loops->view = LIMPET_TAKE(w->arena, limpet_loop_view, model->loop_count);
  if (!loops->view || limpet_contact_motion_new(w) ||
      limpet_loop_views_make(w->motion, laws, w->arena, loops->view, &loops->count))
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
  const int tree = view->body[side].tree;
  return tree >= 0 ? &w->tree[tree] : NULL;
}

/* Whether the acceleration of the centre of mass of a side counts. Both ends of a loop within a
 * tree have the same. */
static bool bends(const limpet_column_writer *w, const limpet_loop_view *view, int side) {
  const limpet_tree_change *tree = tree_of(w, view, side);
  return tree && tree != tree_of(w, view, 1 - side);
}

// The wrench on a side, about the origin of its tree.
static void wrench_of(const limpet_loop_view *view, int side, double F[6]) {
  double f[6];
  limpet_loop_wrench(view, view->gamma, side, f);
  limpet_side_shift_force(F, f, view->body[side].lever);
  for (int i = 0; i < 6; ++i) F[i] *= limpet_patch_signs[side];
}

/* Factors of one side, of its own velocities and of those of both: for y of a change d
 *   dV = S x (V - P), of both S x U,  dV0 = S x V0 + p,  dA = S x A + q + p x V0
 * as in contact_motion.h. */
static void see_side(const limpet_loop_view *view, int side, const limpet_loop_factors *by,
                     loop_factors *to) {
  const limpet_loop_body *body = &view->body[side];
  const limpet_body_motion *motion = &view->motion->body[body->unit];
  const limpet_side_factors *own = &by->side[side];
  double *pose = to->pose[side], *rate = to->rate[side], *both = to->pose[LIMPET_LOOP_BOTH],
         *both_rate = to->rate[LIMPET_LOOP_BOTH], turned[6], with_U[6], lever[3];
  limpet_vec3_scale(lever, -1.0, body->lever);
  limpet_side_shift_force(pose, own->xi, body->lever);
  limpet_side_shift_force(pose + 6, own->dV, body->lever);
  limpet_side_shift_force(pose + 12, own->dV0, body->lever);
  limpet_side_shift_force(pose + 18, own->dA, body->lever);
  limpet_side_shift_force(rate, by->by_v[side], body->lever);
  limpet_spatial_copy(rate + 6, pose + 18);
  limpet_spatial_zero(turned);
  limpet_side_add_turned(turned, 1.0, motion->V0, pose + 12);
  limpet_side_add_turned(turned, 1.0, motion->A, pose + 18);
  limpet_spatial_addmul(pose, 1.0, turned);
  limpet_side_add_turned(pose, 1.0, motion->V, pose + 6);
  limpet_spatial_cross_force(with_U, motion->V0, pose + 18);
  limpet_spatial_addmul(pose + 12, 1.0, with_U);
  limpet_spatial_addmul(rate, 1.0, with_U);
  if (view->from[LIMPET_LOOP_PARTS] == view->from[LIMPET_LOOP_BOTH]) return;
  limpet_spatial_shift_motion(with_U, body->U, lever);
  limpet_side_add_turned(turned, 1.0, with_U, pose + 6);
  limpet_spatial_addmul(both, 1.0, turned);
  limpet_spatial_addmul(both + 12, 1.0, pose + 12);
  limpet_spatial_addmul(both + 18, 1.0, pose + 18);
  limpet_spatial_addmul(both_rate, 1.0, rate);
  limpet_spatial_addmul(both_rate + 6, 1.0, rate + 6);
}

static void see(const limpet_loop_view *view, const limpet_loop_factors *by, loop_factors *to) {
  double *both = to->pose[LIMPET_LOOP_BOTH];
  memset(both, 0, sizeof to->pose[0]);
  memset(to->rate[LIMPET_LOOP_BOTH], 0, sizeof to->rate[0]);
  limpet_side_shift_force(both, by->shared, view->body[0].lever);
  for (int side = 0; side < LIMPET_SIDES; ++side)
    if (view->body[side].tree >= 0) see_side(view, side, by, to);
}

// Factors of S of each side about the origin of its tree, of minus da gamma with the motions X.
static void see_wrench(const limpet_loop_view *view, const double X[LIMPET_SIDES][6],
                       double xi[LIMPET_SIDES][6]) {
  double about[LIMPET_SIDES][6];
  limpet_loop_wrench_factors(view, X, about);
  for (int side = 0; side < LIMPET_SIDES; ++side)
    limpet_side_shift_force(xi[side], about[side], view->body[side].lever);
}

// The end of the velocities side by side from place k on, of a part.
static int run_end(const limpet_loop_view *view, int part, int k) {
  for (++k; k < view->from[part + 1] && view->dof[k] == view->dof[k - 1] + 1;) ++k;
  return k;
}

// Whether S of the velocity at place k moves with that at place j of the same part.
static bool moves(const limpet_loop_view *view, int j, int k) {
  return k > j ||
         limpet_dofs_turn_together(view->motion->w->probe->model, view->dof[j], view->dof[k]);
}

// -------------------------------------------------------------------------- columns

static void make_laws(loop_writer *l) {
  for (int i = 0; i < l->view->count; ++i) {
    double y[LIMPET_LOOP_ROWS] = {0.0};
    limpet_loop_factors by;
    y[i] = 1.0;
    limpet_loop_factors_of(l->w->probe, l->view, y, &by);
    see(l->view, &by, &l->law[i]);
    for (int part = 0; part < 2; ++part) l->weight[i][part] = -by.weight[part];
  }
}

static void make_rows(loop_writer *l) {
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    double F[6], X[LIMPET_SIDES][6] = {{0.0}};
    wrench_of(l->view, side, F);
    for (int k = l->view->from[side]; k < l->view->from[side + 1]; ++k) {
      loop_row *row = &l->row[k];
      const double *S = l->view->motion->dof[l->view->dof[k]].pose.S;
      limpet_spatial_shift_motion(X[side], S, l->view->body[side].lever);
      see_wrench(l->view, (const double(*)[6])X, row->xi);
      limpet_spatial_cross_force(row->turned, S, F);
      for (int i = 0; i < 6; ++i) row->less[i] = row->turned[i] - row->xi[0][i] - row->xi[1][i];
    }
  }
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

// What w has of the entries of A_JJ^-1, those of the velocities of a side.
static void make_entries(loop_writer *l, int side, int part, double *entry) {
  const limpet_tree_change *tree = tree_of(l->w, l->view, side);
  memset(entry, 0, (size_t)tree->weights * sizeof *entry);
  for (int k = l->view->from[side]; k < l->view->from[side + 1]; ++k) {
    const int dof = l->view->dof[k] - tree->first, local = tree->local[dof];
    for (int i = 0; i <= local; ++i)
      entry[limpet_tree_weight(tree, dof, i)] -=
          (i < local ? 2.0 : 1.0) * limpet_loop_by_weight(l->view, part, k, k - local + i);
  }
}

static limpet_status weights_begin(loop_writer *l) {
  size_t room = 0;
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const limpet_tree_change *tree = tree_of(l->w, l->view, side);
    if (tree && tree->known) room += (size_t)(l->parts * tree->weights);
  }
  l->z = LIMPET_TAKE(l->w->arena, double, l->parts * l->w->probe->model->nv);
  double *entry = l->entry = LIMPET_TAKE(l->w->arena, double, room);
  if (!l->z || !l->entry) return LIMPET_ERROR_MEMORY;
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const limpet_tree_change *tree = tree_of(l->w, l->view, side);
    for (int part = 0; part < l->parts && tree && tree->known; ++part, entry += tree->weights)
      make_entries(l, side, part, entry);
  }
  return LIMPET_OK;
}

static limpet_status begin(loop_writer *l) {
  const int nv = l->w->probe->model->nv;
  l->parts = l->view->kind == LIMPET_LOOP_WELD ? 2 : 1;
  l->row = LIMPET_TAKE(l->w->arena, loop_row, l->view->from[LIMPET_LOOP_BOTH]);
  l->dgamma = LIMPET_TAKE(l->w->arena, double, l->view->count *nv);
  if (!l->row || !l->dgamma || (l->view->weighs && weights_begin(l))) return LIMPET_ERROR_MEMORY;
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

// dgamma along the velocities of all parts, which nothing was added to yet.
static void put_paths(const loop_writer *l, bool rates) {
  const int width = rates ? LIMPET_RATE_WIDTH : LIMPET_POSE_WIDTH;
  for (int part = 0; part < LIMPET_LOOP_PARTS; ++part)
    for (int k = l->view->from[part], end; k < l->view->from[part + 1]; k = end) {
      const int first = l->view->dof[k];
      const limpet_dof_motion *dof = &l->view->motion->dof[first];
      end = run_end(l->view, part, k);
      for (int i = 0; i < l->view->count; ++i)
        limpet_dense()->mul_vec(
            end - k, width, rates ? dof->rate.S : dof->pose.S, LIMPET_DOF_STRIDE,
            rates ? l->law[i].rate[part] : l->law[i].pose[part], dgamma_of(l, i) + first);
    }
}

// dgamma -= that by the acceleration of the centre of mass, by (3 x n), of a side.
static void add_bend(const loop_writer *l, int side, const double *by) {
  enum { LINEAR = LIMPET_RATE_WIDTH - 3 };
  const limpet_tree_change *tree = tree_of(l->w, l->view, side);
  for (int i = 0; i < l->view->count; ++i)
    for (int c = 0; c < 3; ++c)
      limpet_axpy(tree->n, -l->law[i].rate[side][LINEAR + c], by + c * tree->n,
                  dgamma_of(l, i) + tree->first);
}

// z += w by the weights of the velocities of a side, along those of its tree, by `steady`.
static void weigh_entries(const loop_writer *l, const limpet_tree_change *tree, const double *entry,
                          const double *steady) {
  for (int k = 0, end; k < tree->weights; k = end) {
    while (k < tree->weights && entry[k] == 0.0) ++k;
    for (end = k; end < tree->weights && entry[end] != 0.0;) ++end;
    if (end == k) return;
    limpet_dense()->sub_mul(l->parts, tree->n, end - k, entry + k, tree->weights, 1,
                            steady + k * tree->n, tree->n, l->z + tree->first,
                            l->w->probe->model->nv);
  }
}

static bool has_dof(const limpet_tree_change *tree, int dof) {
  return dof >= tree->first && dof < tree->first + tree->n;
}

/* dgamma += `share` of what w has along the velocities of a tree: by q through the weights and
 * through poses, by v (`rates`) through the weights alone. */
static void add_weights(const loop_writer *l, const limpet_tree_change *tree, bool rates,
                        double share) {
  const limpet_loop_view *view = l->view;
  const int nv = l->w->probe->model->nv;
  const double *entry = l->entry;
  double by[LIMPET_LOOP_ROWS][2];
  if (rates && !tree->by_middle && !tree->flight) return;  // weights are those of the start
  for (int part = 0; part < l->parts; ++part)
    memset(l->z + part * nv + tree->first, 0, (size_t)tree->n * sizeof *l->z);
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const limpet_tree_change *own = tree_of(l->w, view, side);
    if (!own || !own->known) continue;
    if (own == tree) weigh_entries(l, tree, entry, rates ? tree->steady_v : tree->steady_q);
    entry += l->parts * own->weights;
  }
  for (int k = 0; k < view->from[LIMPET_LOOP_PARTS] && !rates; ++k)
    for (int part = 0; part < l->parts && has_dof(tree, view->dof[k]); ++part)
      l->z[part * nv + view->dof[k]] += view->dw[2 * k + part];
  for (int i = 0; i < view->count; ++i)
    for (int part = 0; part < 2; ++part) by[i][part] = share * l->weight[i][part];
  limpet_dense()->sub_mul(view->count, tree->n, l->parts, by[0], 2, 1, l->z + tree->first, nv,
                          l->dgamma + tree->first, nv);
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

// columns -= da gamma: of places, and of axes that poses carry. Poses that move one body.
static void turn_alone(const loop_writer *l, int side, double *columns) {
  const limpet_loop_view *view = l->view;
  const bool all = view->kind == LIMPET_LOOP_WELD || view->kind == LIMPET_LOOP_DISTANCE;
  const int end = view->from[side + 1];
  for (int j = view->from[side]; j < end; ++j) {
    const double *S = view->motion->dof[view->dof[j]].pose.S;
    double *column = limpet_column_of(l->w, columns, view->dof[j]);
    for (int k = view->from[side]; k < end; ++k) {
      double sum = limpet_spatial_dot(S, l->row[k].xi[side]);
      if (moves(view, j, k)) sum -= limpet_spatial_dot(S, l->row[k].turned);
      column[l->w->slot[view->dof[k]]] += sum;
    }
    const int other = 1 - side;
    for (int k = view->from[other]; k < view->from[other + 1] && all; ++k)
      column[l->w->slot[view->dof[k]]] += limpet_spatial_dot(S, l->row[k].xi[side]);
  }
}

// Poses that move both.
static void turn_both(const loop_writer *l, double *columns) {
  const limpet_loop_view *view = l->view;
  for (int j = view->from[LIMPET_LOOP_BOTH], j_end; j < view->from[LIMPET_LOOP_PARTS]; j = j_end) {
    const int first = view->dof[j];
    j_end = run_end(view, LIMPET_LOOP_BOTH, j);
    for (int side = 0; side < LIMPET_SIDES; ++side)
      for (int k = view->from[side], end; k < view->from[side + 1]; k = end) {
        end = run_end(view, side, k);
        limpet_dense()->sub_mul_t(j_end - j, end - k, 6, view->motion->dof[first].pose.S,
                                  LIMPET_DOF_STRIDE, l->row[k].less, ROW,
                                  limpet_column_of(l->w, columns, first) + l->w->slot[view->dof[k]],
                                  l->w->probe->residual->size);
      }
  }
}

static bool bends_known(const loop_writer *l, int side) {
  const limpet_tree_change *tree = tree_of(l->w, l->view, side);
  return bends(l->w, l->view, side) && tree->known && tree->bend_q;
}

// Whether the tree of a side is known, and is not that of the side before.
static bool is_next_known(const loop_writer *l, int side) {
  const limpet_tree_change *tree = tree_of(l->w, l->view, side);
  return tree && tree->known && (side == 0 || tree != tree_of(l->w, l->view, 0));
}

// By the pose.
static void write_poses(const loop_writer *l) {
  double *columns = l->w->columns->q;
  clear(l);
  put_paths(l, false);
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const limpet_tree_change *tree = tree_of(l->w, l->view, side);
    if (bends_known(l, side)) add_bend(l, side, tree->bend_q);
    if (!is_next_known(l, side)) continue;
    if (l->view->weighs) add_weights(l, tree, false, 1.0);
  }
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const limpet_tree_change *tree = tree_of(l->w, l->view, side);
    if (tree && tree->known) turn_alone(l, side, columns);
  }
  const limpet_tree_change *tree = tree_of(l->w, l->view, LIMPET_SIDE_A);
  if (tree && tree->known) turn_both(l, columns);
  push(l, columns);
}

// By the velocity at the start.
static void write_velocities(const loop_writer *l) {
  clear(l);
  put_paths(l, true);
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const limpet_tree_change *tree = tree_of(l->w, l->view, side);
    if (bends_known(l, side)) add_bend(l, side, tree->bend_v);
    if (is_next_known(l, side) && l->view->weighs) add_weights(l, tree, true, 1.0);
  }
  push(l, l->w->columns->v);
}

// By c, which moves the middle of the step by half of what a velocity does.
static void write_changes(const loop_writer *l) {
  clear(l);
  for (int side = 0; side < LIMPET_SIDES; ++side)
    if (is_next_known(l, side) && tree_of(l->w, l->view, side)->change)
      add_weights(l, tree_of(l->w, l->view, side), true, 0.5);
  push(l, l->w->columns->change);
}

limpet_status limpet_loop_columns_write(const limpet_column_writer *w,
                                        const limpet_loop_view *view) {
  const limpet_arena_mark mark = limpet_arena_mark_now(w->arena);
  loop_writer l = {.w = w, .view = view};
  if (begin(&l)) return LIMPET_ERROR_MEMORY;
  write_poses(&l);
  if (w->columns->v) write_velocities(&l);
  if (w->columns->change && view->weighs) write_changes(&l);
  limpet_arena_release(w->arena, mark);
  return LIMPET_OK;
}

// -------------------------------------------------------------------------- products

/* by_q -= (S_j x S_k) . F x_k of what each pose of a part carries, x: dual. behind (6): sum of x_k
 * S_k of what is behind on this side, which grows. */
static void turn_product(const limpet_column_writer *w, const limpet_loop_view *view, int side,
                         int part, const double *dual, double behind[6], double *by_q) {
  double F[6], turned[6];
  wrench_of(view, side, F);
  for (int j = view->from[part + 1] - 1, first; j >= view->from[part]; --j) {
    // rotations of one joint turn each other
    const bool last = j == view->from[part + 1] - 1 || !moves(view, j + 1, j);
    for (first = j; first > view->from[part] && moves(view, j, first - 1);) --first;
    for (int k = j; k >= first && last && part == side; --k)
      limpet_spatial_addmul(behind, dual[w->slot[view->dof[k]]],
                            view->motion->dof[view->dof[k]].pose.S);
    limpet_spatial_cross_force(turned, behind, F);
    by_q[view->dof[j]] -= limpet_spatial_dot(view->motion->dof[view->dof[j]].pose.S, turned);
  }
}

// By w: along poses, and by the weights of the velocities that move one body.
static void weight_product(const limpet_loop_view *view, const double by_w[2],
                           const limpet_loop_products *to) {
  const limpet_model *model = view->motion->w->probe->model;
  const bool whole = limpet_contact_motion_whole_joints(view->motion);
  const int parts = view->kind == LIMPET_LOOP_WELD ? 2 : 1;
  for (int k = 0; k < view->from[LIMPET_LOOP_PARTS]; ++k) {
    const int dof = view->dof[k], joint = model->dof_joint[dof],
              count = whole ? limpet_joint_kind_nv(model->joint_kind[joint]) : 1,
              begin = whole ? k - (dof - model->joint_v[joint]) : k;
    to->by_q[dof] += by_w[0] * view->dw[2 * k] + by_w[1] * view->dw[2 * k + 1];
    for (int i = 0; i < count && k < view->from[LIMPET_LOOP_BOTH]; ++i)
      for (int part = 0; part < parts; ++part)
        to->by_weight[6 * dof + i] += by_w[part] * limpet_loop_by_weight(view, part, k, begin + i);
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

// Sums of x_k S_k of the velocities that move one body, of each about the point of the loop.
static void dual_motions(const limpet_column_writer *w, const limpet_loop_view *view,
                         const double *dual, double X[LIMPET_SIDES][6]) {
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    double sum[6] = {0.0};
    for (int k = view->from[side]; k < view->from[side + 1]; ++k)
      limpet_spatial_addmul(sum, dual[w->slot[view->dof[k]]],
                            view->motion->dof[view->dof[k]].pose.S);
    limpet_spatial_shift_motion(X[side], sum, view->body[side].lever);
  }
}

void limpet_loop_product_add(const limpet_column_writer *w, const limpet_loop_view *view,
                             const double *dual, const limpet_loop_products *to) {
  limpet_loop_factors by;
  loop_factors factors;
  double X[LIMPET_SIDES][6], xi[LIMPET_SIDES][6], y[LIMPET_LOOP_ROWS];
  dual_motions(w, view, dual, X);
  impulse_weights(w, view, dual, y);
  limpet_loop_factors_of(w->probe, view, y, &by);
  see(view, &by, &factors);
  see_wrench(view, (const double(*)[6])X, xi);
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    double behind[6] = {0.0};
    limpet_spatial_addmul(factors.pose[LIMPET_LOOP_BOTH], 1.0, xi[side]);
    if (view->body[side].tree < 0) continue;
    limpet_spatial_addmul(factors.pose[side], 1.0, xi[side]);
    turn_product(w, view, side, side, dual, behind, to->by_q);
    turn_product(w, view, side, LIMPET_LOOP_BOTH, dual, behind, to->by_q);
    if (!bends(w, view, side)) continue;
    double *bend = to->bend + 3 * view->body[side].tree;
    limpet_vec3_sub(bend, bend, by.side[side].dA + 3);
  }
  for (int part = 0; part < LIMPET_LOOP_PARTS; ++part)
    for (int k = view->from[part]; k < view->from[part + 1]; ++k) {
      const limpet_dof_motion *dof = &view->motion->dof[view->dof[k]];
      to->by_q[view->dof[k]] += limpet_dot(LIMPET_POSE_WIDTH, factors.pose[part], dof->pose.S);
      to->by_v[view->dof[k]] += limpet_dot(LIMPET_RATE_WIDTH, factors.rate[part], dof->rate.S);
    }
  if (view->weighs) weight_product(view, by.weight, to);
}
