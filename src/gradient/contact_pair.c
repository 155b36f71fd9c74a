// gradient/contact_pair.c: see contact_pair.h.
#include "gradient/contact_pair.h"

#include <string.h>

#include "math/dense.h"
#include "math/dense_table.h"
#include "math/spatial.h"

// One velocity on the way to a side of a patch, about the patch's point.
typedef struct pair_row {
  int dof, side;  // side: LIMPET_SIDES: both
  limpet_pose_motion at;
  limpet_rate_motion rate;
  double S[6], turned[6];  // S, S x* F with the other sign than its side
} pair_row;

// Changes of the wrench by pose and velocity, and two zeros each.
typedef struct wrench_change {
  double q[8], v[8];
} wrench_change;

/* Two bodies of one tree, or of two. About the patch's point: about the tree's origin, far away,
 * the rotation of what is near to the point would cancel. */
typedef struct tree_pair {
  const limpet_patch_view *view;
  double offset[LIMPET_SIDES][3];  // of that point from the origins of both trees
  const limpet_tree_change *tree[LIMPET_SIDES];
  limpet_contact_side side[LIMPET_SIDES];
  limpet_contact_side both_sides;  // their sum
  int count, both;      // velocities of one side, which are rows; of both, which follow them
  pair_row *row;        // (count + both)
  int *slot;            // (count)  entries of r
  wrench_change *less;  // (count + both)  -dF
  double *less_q, *less_v, *turns;  // (count + both x count)  of columns, rows
} tree_pair;

static void put_row(const limpet_composite_writer *s, tree_pair *pair, int dof, int side) {
  const limpet_dof_motion *motion = &s->motion.dof[dof];
  const limpet_pose_motion *x = &motion->pose;
  const double *offset = pair->offset[side == LIMPET_SIDES ? LIMPET_SIDE_A : side];
  pair_row *row = &pair->row[pair->count + pair->both];
  const double sign = side < LIMPET_SIDES ? -limpet_patch_signs[side] : 0.0;
  row->dof = dof, row->side = side;
  limpet_spatial_shift_motion(row->at.S, x->S, offset);
  limpet_spatial_shift_motion(row->at.V, x->V, offset);
  limpet_spatial_shift_motion(row->at.p, x->p, offset);
  limpet_spatial_shift_motion(row->at.q, x->q, offset);
  limpet_spatial_copy(row->rate.S, row->at.S);
  limpet_spatial_shift_motion(row->rate.rate, motion->rate.rate, offset);
  for (int i = 0; i < 6; ++i) row->S[i] = sign * row->at.S[i];
  limpet_spatial_cross_force(row->turned, row->S, pair->view->law.F);
}

// The velocities up to the body where both ways meet move one side alone.
static limpet_status pair_rows(const limpet_composite_writer *s, tree_pair *pair) {
  const limpet_model *model = s->w->probe->model;
  const int meets = pair->view->meets == LIMPET_NONE ? -1 : model->body_last_dof[pair->view->meets];
  const int most = pair->tree[LIMPET_SIDE_A]->n + pair->tree[LIMPET_SIDE_B]->n;
  pair->row = LIMPET_TAKE(s->w->arena, pair_row, most);
  pair->slot = LIMPET_TAKE(s->w->arena, int, most);
  if (!pair->row || !pair->slot) return LIMPET_ERROR_MEMORY;
  for (int side = 0; side < LIMPET_SIDES; ++side)
    for (int d = model->body_last_dof[pair->view->unit[side]]; d > meets;
         d = model->dof_parent[d]) {
      put_row(s, pair, d, side);
      pair->slot[pair->count] = s->w->slot[d];
      if (pair->tree[LIMPET_SIDE_A] == pair->tree[LIMPET_SIDE_B]) limpet_composite_reach(s, d);
      ++pair->count;
    }
  for (int d = meets; d >= 0 && pair->view->curved; d = model->dof_parent[d]) {
    put_row(s, pair, d, LIMPET_SIDES);
    ++pair->both;
  }
  const size_t columns = (size_t)(pair->count + pair->both), size = columns * (size_t)pair->count;
  pair->less = LIMPET_TAKE_ZERO(s->w->arena, wrench_change, columns);
  pair->less_q = LIMPET_TAKE_ZERO(s->w->arena, double, 3 * size);
  pair->less_v = pair->less_q + size, pair->turns = pair->less_v + size;
  return pair->less && pair->less_q ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

enum { ROW = sizeof(pair_row) / sizeof(double), BY = sizeof(wrench_change) / sizeof(double) };

// less of the velocities from `first` on, of one side or of both, by their matrices.
static void find_wrenches(const tree_pair *pair, const limpet_contact_side *side, int first,
                          int count) {
  const pair_row *row = pair->row + first;
  wrench_change *to = pair->less + first;
  if (count == 0) return;
  limpet_dense()->sub_mul(count, 8, LIMPET_POSE_WIDTH, row->at.S, ROW, 1, side->T[0], 8, to->q, BY);
  limpet_dense()->sub_mul(count, 8, LIMPET_RATE_WIDTH, row->rate.S, ROW, 1,
                          side->T[LIMPET_COMPOSITE_V0], 8, to->v, BY);
}

// What the columns have: q and v of -S_k . dF, and S_j . S_k x* F, with the signs of sides.
static void pair_products(const tree_pair *pair) {
  const int rows = pair->count, columns = rows + pair->both;
  const pair_row *row = pair->row;
  limpet_dense()->sub_mul_t(columns, rows, 6, pair->less->q, BY, row->S, ROW, pair->less_q, rows);
  limpet_dense()->sub_mul_t(columns, rows, 6, pair->less->v, BY, row->S, ROW, pair->less_v, rows);
  limpet_dense()->sub_mul_t(columns, rows, 6, row->at.S, ROW, row->turned, ROW, pair->turns, rows);
}

// less_q -= what velocity j turns: rows of its side behind it, or of its joint.
static void add_turns(const limpet_model *model, const tree_pair *pair, int j) {
  const pair_row *by = &pair->row[j];
  double *less_q = pair->less_q + j * pair->count;
  const double *turns = pair->turns + j * pair->count;
  int first = 0, end = pair->count;  // of a velocity of both all rows are behind it
  if (by->side < LIMPET_SIDES) {
    for (first = end = j; first > 0 && pair->row[first - 1].side == by->side;) --first;
    for (int k = j; k < pair->count && limpet_dofs_turn_together(model, by->dof, pair->row[k].dof);
         ++k)
      less_q[k] -= turns[k];
  }
  for (int k = first; k < end; ++k) less_q[k] -= turns[k];
}

// The column of velocity j of the pair.
static void pair_column(const limpet_composite_writer *s, const tree_pair *pair, int j) {
  const pair_row *by = &pair->row[j];
  const double *less_q = pair->less_q + j * pair->count, *less_v = pair->less_v + j * pair->count;
  double *q = limpet_column_of(s->w, s->w->columns->q, by->dof),
         *v = s->w->columns->v ? limpet_column_of(s->w, s->w->columns->v, by->dof) : NULL;
  add_turns(s->w->probe->model, pair, j);
  for (int k = 0; k < pair->count; ++k) q[pair->slot[k]] += less_q[k];
  for (int k = 0; k < pair->count && v; ++k) v[pair->slot[k]] += less_v[k];
}

// S . dF of all rows by the acceleration of the centre of mass, by `by` (3 x 8) of T.
static double bend_of(const tree_pair *pair, int k, const limpet_contact_side *side, int axis) {
  return limpet_spatial_dot(pair->row[k].S, side->T[LIMPET_COMPOSITE_A + 3 + axis]);
}

// Within one tree both sides have the same.
static void pair_bend(const limpet_composite_writer *s, const tree_pair *pair) {
  const limpet_tree_change *tree = s->tree;
  for (int a = 0; a < 3 && tree->bend_q; ++a)
    for (int k = 0; k < pair->count; ++k)
      s->own->bend[a * tree->n + pair->row[k].dof - tree->first] +=
          bend_of(pair, k, &pair->both_sides, a);
}

// That of the tree of one side, along all its velocities.
static void side_bend(const limpet_composite_writer *s, const tree_pair *pair, int side) {
  const limpet_tree_change *tree = pair->tree[side];
  const limpet_columns *columns = s->w->columns;
  for (int a = 0; a < 3 && tree->bend_q && pair->view->curved; ++a)
    for (int k = 0; k < pair->count; ++k) {
      const double by = bend_of(pair, k, &pair->side[side], a);
      const int slot = pair->slot[k];
      for (int j = 0; j < tree->n; ++j) {
        const int dof = tree->first + j, at = a * tree->n + j;
        limpet_column_of(s->w, columns->q, dof)[slot] -= tree->bend_q[at] * by;
        if (columns->v) limpet_column_of(s->w, columns->v, dof)[slot] -= tree->bend_v[at] * by;
      }
    }
}

// A patch between two bodies, velocity by velocity.
limpet_status limpet_contact_pair_write(const limpet_composite_writer *s,
                                        const limpet_patch_view *p) {
  static const double none[3] = {0.0};
  tree_pair pair;
  pair.view = p, pair.count = pair.both = 0;
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    pair.tree[side] = &s->w->tree[s->w->probe->model->body_tree[p->unit[side]]];
    limpet_composite_lever(p, side, pair.offset[side]);
    limpet_contact_side_of(&s->motion, p, side,
                           &(limpet_contact_place){1.0, none, pair.offset[side]}, &pair.side[side]);
  }
  if (pair_rows(s, &pair)) return LIMPET_ERROR_MEMORY;
  // what both share changes nothing but the bias of curved paths
  pair.both_sides = pair.side[LIMPET_SIDE_A];
  limpet_axpy(LIMPET_POSE_WIDTH * 8, 1.0, pair.side[LIMPET_SIDE_B].T[0], pair.both_sides.T[0]);
  int of_a = 0;
  while (of_a < pair.count && pair.row[of_a].side == LIMPET_SIDE_A) ++of_a;
  find_wrenches(&pair, &pair.side[LIMPET_SIDE_A], 0, of_a);
  find_wrenches(&pair, &pair.side[LIMPET_SIDE_B], of_a, pair.count - of_a);
  find_wrenches(&pair, &pair.both_sides, pair.count, pair.both);
  pair_products(&pair);
  for (int k = 0; k < pair.count + pair.both; ++k) pair_column(s, &pair, k);
  if (pair.tree[LIMPET_SIDE_A] == pair.tree[LIMPET_SIDE_B]) pair_bend(s, &pair);
  else
    for (int side = 0; side < LIMPET_SIDES; ++side) side_bend(s, &pair, side);
  return LIMPET_OK;
}
