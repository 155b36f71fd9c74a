/* gradient/contact_weights.c: see contact_weights.h.
 *
 * A patch has few weights w_i, one or two a contact: dF = sum of f_i dw_i, dw = <B_i, dD>. Along
 * all velocities of the tree
 *   dw_i   S_j . sum of 2 C_k x* B W_k over what pose j moves, less that over all for A, which sees
 *          the others turn;   C_k . B C_l by the entries of A_JJ^-1
 *   dr     - a_i dw_i,  a_i = J' f_i
 * over the velocities k, l that move one of the two bodies. Spatial vectors about the patch's
 * point. Cost: for each weight 200 flops a velocity on the two paths, and twice the square of the
 * velocities of the tree. */
#include "gradient/contact_weights.h"

#include <string.h>

#include "math/dense.h"
#include "math/dense_table.h"
#include "math/spatial.h"

enum { NEAR = 2 };  // rotations of one joint around one

// A velocity that moves one body of the patch.
typedef struct weight_dof {
  int dof;
  bool odd;                       // own is not all 0
  signed char own[2 * NEAR + 1];  // of those near it: 1 or -1: joint's own that it moves, or not
  double S[6];
} weight_dof;

typedef struct weight_writer {
  const limpet_composite_writer *s;
  const limpet_patch_view *view;
  int count, from[LIMPET_SIDES + 1];  // velocities of each side, the nearest to its body first
  weight_dof *dof;                    // (count)
  double *C, *W, *less;               // (count x 6), less: -B C, then -B W of one weight
  double *turned;                     // (count x 6)  -C x* B W
  double *a, *dw;                     // (weights x n)
  double *entry;                      // (weights x entries of A_JJ^-1)  minus what w has of each
  bool *has;                          // (entries)  one of the velocities' own
} weight_writer;

static void put_dof(weight_writer *p, int d, const double offset[3]) {
  const limpet_dof_motion *motion = &p->s->motion.dof[d];
  weight_dof *to = &p->dof[p->count++];
  to->dof = d;
  limpet_spatial_shift_motion(to->S, p->s->dof[d].S, offset);
  limpet_spatial_shift_motion(p->C + 6 * (p->count - 1), motion->C, offset);
  limpet_spatial_shift_motion(p->W + 6 * (p->count - 1), motion->W, offset);
}

// Which axes of its own joint a velocity moves though they are not behind it, or the other way
// round.
static void find_own(weight_writer *p, int side, int j) {
  const limpet_model *model = p->s->w->probe->model;
  weight_dof *to = &p->dof[j];
  memset(to->own, 0, sizeof to->own);
  to->odd = false;
  if (limpet_joint_kind_nv(model->joint_kind[model->dof_joint[to->dof]]) == 1) return;
  for (int k = j - NEAR; k <= j + NEAR; ++k) {
    if (k < p->from[side] || k >= p->from[side + 1]) continue;
    const bool moves = limpet_composite_moves_steady(p->s, to->dof, p->dof[k].dof);
    if (moves == (k < j)) continue;
    to->own[k - j + NEAR] = moves ? 1 : -1;
    to->odd = true;
  }
}

// Which entries of A_JJ^-1 the velocities have.
static void find_entries(const weight_writer *p) {
  const limpet_tree_change *tree = p->s->tree;
  for (int k = 0; k < p->count; ++k) {
    const int dof = p->dof[k].dof - tree->first;
    for (int l = 0; l <= tree->local[dof]; ++l) p->has[limpet_tree_weight(tree, dof, l)] = true;
  }
}

static limpet_status take(weight_writer *p) {
  const limpet_model *model = p->s->w->probe->model;
  limpet_arena *arena = p->s->w->arena;
  const int n = p->s->tree->n, weights = p->view->law.weight_count, entries = p->s->tree->weights;
  const int meets = p->view->meets == LIMPET_NONE ? -1 : model->body_last_dof[p->view->meets];
  double offset[3];
  p->dof = LIMPET_TAKE(arena, weight_dof, 2 * n);
  p->C = LIMPET_TAKE(arena, double, 60 * n);
  p->W = p->C + 12 * n, p->less = p->W + 12 * n, p->turned = p->less + 24 * n;
  p->a = LIMPET_TAKE_ZERO(arena, double, weights *n);
  p->dw = LIMPET_TAKE_ZERO(arena, double, weights *n);
  p->entry = LIMPET_TAKE_ZERO(arena, double, weights *entries);
  p->has = LIMPET_TAKE_ZERO(arena, bool, entries);
  if (!p->dof || !p->C || !p->a || !p->dw || !p->entry || !p->has) return LIMPET_ERROR_MEMORY;
  limpet_composite_lever(p->s, p->view, offset);
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    p->from[side] = p->count;
    if (p->view->path[side].count == 0) continue;
    for (int d = model->body_last_dof[p->view->unit[side]]; d > meets; d = model->dof_parent[d])
      put_dof(p, d, offset);
  }
  p->from[LIMPET_SIDES] = p->count;
  for (int side = 0; side < LIMPET_SIDES; ++side)
    for (int j = p->from[side]; j < p->from[side + 1]; ++j) find_own(p, side, j);
  find_entries(p);
  return LIMPET_OK;
}

// a and entries of one weight, and what its columns C have.
static void make_weight(const weight_writer *p, int i) {
  const limpet_tree_change *tree = p->s->tree;
  const limpet_law_weight *weight = &p->view->law.weight[i];
  double *a = p->a + i * tree->n - tree->first, *entry = p->entry + i * tree->weights;
  memset(p->less, 0, 12 * (size_t)p->count * sizeof *p->less);
  limpet_dense()->sub_mul(p->count, 6, 6, p->C, 6, 1, weight->by_D, 6, p->less, 6);
  limpet_dense()->sub_mul(p->count, 6, 6, p->W, 6, 1, weight->by_D, 6, p->less + 6 * p->count, 6);
  for (int side = 0; side < LIMPET_SIDES; ++side)
    for (int k = p->from[side]; k < p->from[side + 1]; ++k) {
      const weight_dof *own = &p->dof[k];
      const int dof = own->dof - tree->first, local = tree->local[dof];
      a[own->dof] -= limpet_patch_signs[side] * limpet_spatial_dot(weight->less, own->S);
      limpet_spatial_cross_force(p->turned + 6 * k, p->C + 6 * k, p->less + 6 * (p->count + k));
      // those of its joint before it follow it here
      const double *less = p->less + 6 * k, *C = p->C + 6 * (k + local);
      double *pair = entry + tree->n + tree->pair[dof];
      for (int l = 0; l < local; ++l, C -= 6) pair[l] += 2.0 * limpet_spatial_dot(less, C);
      entry[dof] += limpet_spatial_dot(less, C);
    }
}

// dw of one weight by the axes that poses turn.
static void turn_weight(const weight_writer *p, int i) {
  const limpet_tree_change *tree = p->s->tree;
  double *dw = p->dw + i * tree->n - tree->first, all[6] = {0.0};
  const bool both = p->from[LIMPET_SIDE_A + 1] > p->from[LIMPET_SIDE_A];
  for (int k = 0; k < p->count && both; ++k) limpet_spatial_addmul(all, 1.0, p->turned + 6 * k);
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    double behind[6] = {0.0};
    for (int j = p->from[side]; j < p->from[side + 1]; ++j) {
      const weight_dof *dof = &p->dof[j];
      double sum[6];
      limpet_spatial_copy(sum, behind);
      for (int k = -NEAR; k <= NEAR && dof->odd; ++k)
        if (dof->own[k + NEAR] != 0)
          limpet_spatial_addmul(sum, dof->own[k + NEAR], p->turned + 6 * (j + k));
      if (side == LIMPET_SIDE_A) limpet_spatial_addmul(sum, -1.0, all);
      dw[dof->dof] -= 2.0 * limpet_spatial_dot(dof->S, sum);
      limpet_spatial_addmul(behind, 1.0, p->turned + 6 * j);
    }
  }
}

// dw += what the entries of A_JJ^-1 have, by `steady` (rows of n) of the tree.
static void add_entries(const weight_writer *p, const double *steady) {
  const limpet_tree_change *tree = p->s->tree;
  const int n = tree->n, weights = p->view->law.weight_count;
  for (int first = 0, end; first < tree->weights; first = end) {
    while (first < tree->weights && !p->has[first]) ++first;
    for (end = first; end < tree->weights && p->has[end];) ++end;
    if (end > first)
      limpet_dense()->sub_mul(weights, n, end - first, p->entry + first, tree->weights, 1,
                              steady + first * n, n, p->dw, n);
  }
}

// columns -= share a dw of all velocities of the tree.
static void push(const weight_writer *p, double *columns) {
  const limpet_column_writer *w = p->s->w;
  const int n = p->s->tree->n, first = p->s->tree->first;
  limpet_dense()->sub_mul(n, n, p->view->law.weight_count, p->dw, 1, n, p->a, n,
                          limpet_column_of(w, columns, first) + w->slot[first],
                          w->probe->residual->size);
}

limpet_status limpet_contact_weights_write(const limpet_composite_writer *s,
                                           const limpet_patch_view *view) {
  const limpet_tree_change *tree = s->tree;
  const limpet_columns *columns = s->w->columns;
  const int weights = view->law.weight_count;
  const limpet_arena_mark mark = limpet_arena_mark_now(s->w->arena);
  weight_writer p = {.s = s, .view = view};
  if (!view->law.weighs) return LIMPET_OK;
  if (take(&p)) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < weights; ++i) make_weight(&p, i), turn_weight(&p, i);
  add_entries(&p, tree->steady_q);
  push(&p, columns->q);
  if (columns->v && tree->by_middle) {
    memset(p.dw, 0, (size_t)(weights * tree->n) * sizeof *p.dw);
    add_entries(&p, tree->steady_v);
    push(&p, columns->v);
    // by c, which moves the middle of the step by half of what a velocity does
    for (int i = 0; i < weights * tree->n; ++i) p.dw[i] *= 0.5;
    if (tree->change) push(&p, columns->change);
  }
  limpet_arena_release(s->w->arena, mark);
  return LIMPET_OK;
}
