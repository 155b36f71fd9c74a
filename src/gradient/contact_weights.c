/* gradient/contact_weights.c: see contact_weights.h.
 *
 * A patch has few weights w_i, one or two a contact: dF = sum of f_i dw_i, dw = <B_i, dD>. Along
 * all velocities of the tree
 *   dw_i   S_j . sum of 2 C_k x* B W_k over what pose j moves, less that over all for A, which sees
 *          the others turn;   C_k . B C_l by the entries of A_JJ^-1
 *   dr     - a_i dw_i,  a_i = J' f_i
 * over the velocities k, l that move one of the two bodies. B = P'C P, with P the motion of one
 * point, or rotation: only that of C_k and W_k counts. Cost: for each weight 100 flops a velocity
 * on the two paths, and six times the square of the velocities of the tree. */
#include "gradient/contact_weights.h"

#include <string.h>

#include "math/dense.h"
#include "math/dense_table.h"
#include "math/spatial.h"

enum {
  NEAR = 2,  // rotations of one joint around one
  KEPT = 24  // weights
};

// A velocity that moves one body of the patch.
typedef struct weight_dof {
  int dof;
  bool odd;                       // own is not all 0
  signed char own[2 * NEAR + 1];  // of those near it: 1 or -1: joint's own that it moves, or not
  double s[3], c[3], w[3];        // P S, P C, P W
  double turned[6];               // -C x* B W of one weight, about its point
} weight_dof;

typedef struct weight_writer {
  const limpet_composite_writer *s;
  const limpet_patch_view *view;
  limpet_contact_weights *to;
  double lever[3];                    // the patch's point, from the tree's origin
  int count, from[LIMPET_SIDES + 1];  // velocities of each side, the nearest to its body first
  weight_dof *dof;                    // (count)
} weight_writer;

limpet_status limpet_contact_weights_take(const limpet_column_writer *w,
                                          limpet_contact_weights *to) {
  int n = 0, entries = 0;
  *to = (limpet_contact_weights){.tree = NULL};
  for (int t = 0; t < w->probe->model->tree_count; ++t) {
    const limpet_tree_change *tree = &w->tree[t];
    if (!tree->known) continue;
    if (tree->n > n) n = tree->n;
    if (tree->weights > entries) entries = tree->weights;
  }
  to->a = LIMPET_TAKE(w->arena, double, KEPT *(3 * n + entries));
  to->has = LIMPET_TAKE(w->arena, bool, entries);
  if (!to->a || !to->has) return LIMPET_ERROR_MEMORY;
  to->turn = to->a + KEPT * n, to->dw = to->turn + KEPT * n, to->entry = to->dw + KEPT * n;
  return LIMPET_OK;
}

// -------------------------------------------------------------------------- velocities of a patch

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
    const bool moves = limpet_contact_motion_moves_steady(&p->s->motion, to->dof, p->dof[k].dof);
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
    for (int l = 0; l <= tree->local[dof]; ++l) p->to->has[limpet_tree_weight(tree, dof, l)] = true;
  }
}

static limpet_status find_dofs(weight_writer *p) {
  const limpet_model *model = p->s->w->probe->model;
  const int meets = p->view->meets == LIMPET_NONE ? -1 : model->body_last_dof[p->view->meets];
  p->dof = LIMPET_TAKE(p->s->w->arena, weight_dof, 2 * p->s->tree->n);
  if (!p->dof) return LIMPET_ERROR_MEMORY;
  limpet_composite_lever(p->s, p->view, p->lever);
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    p->from[side] = p->count;
    if (p->view->path[side].count == 0) continue;
    for (int d = model->body_last_dof[p->view->unit[side]]; d > meets; d = model->dof_parent[d])
      p->dof[p->count++].dof = d;
  }
  p->from[LIMPET_SIDES] = p->count;
  for (int side = 0; side < LIMPET_SIDES; ++side)
    for (int j = p->from[side]; j < p->from[side + 1]; ++j) find_own(p, side, j);
  return LIMPET_OK;
}

// -------------------------------------------------------------------------- one weight

// The velocity at r that a motion has.
static void motion_at(double v[3], const double motion[6], const double r[3]) {
  limpet_vec3_cross(v, motion, r);
  limpet_vec3_add(v, v, motion + 3);
}

static void see_dofs(const weight_writer *p, const limpet_law_weight *weight) {
  double r[3];
  limpet_vec3_add(r, p->lever, weight->r);
  for (int k = 0; k < p->count; ++k) {
    weight_dof *to = &p->dof[k];
    const limpet_dof_motion *motion = &p->s->motion.dof[to->dof];
    if (weight->turns) {
      limpet_vec3_zero(to->s);
      limpet_vec3_copy(to->c, motion->C);
      limpet_vec3_copy(to->w, motion->W);
      continue;
    }
    motion_at(to->s, motion->pose.S, r);
    motion_at(to->c, motion->C, r);
    motion_at(to->w, motion->W, r);
  }
}

// The motion C and the force f at one point, or the torque f.
static void turn_force(const limpet_law_weight *weight, const double C[6], const double c[3],
                       const double f[3], double turned[6]) {
  limpet_vec3_cross(turned, weight->turns ? C : c, f);
  if (weight->turns) limpet_vec3_zero(turned + 3);
  else limpet_vec3_cross(turned + 3, C, f);
}

// a and entries of one weight, and what its columns C have.
static void make_weight(const weight_writer *p, const limpet_law_weight *weight) {
  const limpet_tree_change *tree = p->s->tree;
  double *a = p->to->a + p->to->count * tree->n - tree->first,
         *entry = p->to->entry + p->to->count * tree->weights, less[6];
  limpet_side_shift_force(less, weight->less, p->lever);
  for (int side = 0; side < LIMPET_SIDES; ++side)
    for (int k = p->from[side]; k < p->from[side + 1]; ++k) {
      weight_dof *own = &p->dof[k];
      const int dof = own->dof - tree->first, local = tree->local[dof];
      double f[3], g[3];
      a[own->dof] -=
          limpet_patch_signs[side] * limpet_spatial_dot(less, p->s->motion.dof[own->dof].pose.S);
      limpet_mat3_mul_vec(f, weight->C, own->w);
      limpet_vec3_scale(f, -1.0, f);
      turn_force(weight, p->s->motion.dof[own->dof].C, own->c, f, own->turned);
      // those of its joint before it follow it here
      limpet_mat3_mul_vec(g, weight->C, own->c);
      double *pair = entry + tree->n + tree->pair[dof];
      for (int l = 0; l < local; ++l) pair[l] -= 2.0 * limpet_vec3_dot(g, own[local - l].c);
      entry[dof] -= limpet_vec3_dot(g, own->c);
    }
}

// What one weight has of the axes that poses turn.
static void turn_weight(const weight_writer *p) {
  const limpet_tree_change *tree = p->s->tree;
  double *turn = p->to->turn + p->to->count * tree->n - tree->first, all[6] = {0.0};
  const bool both = p->from[LIMPET_SIDE_A + 1] > p->from[LIMPET_SIDE_A];
  for (int k = 0; k < p->count && both; ++k) limpet_spatial_addmul(all, 1.0, p->dof[k].turned);
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    double behind[6] = {0.0};
    for (int j = p->from[side]; j < p->from[side + 1]; ++j) {
      const weight_dof *dof = &p->dof[j];
      double sum[6];
      limpet_spatial_copy(sum, behind);
      for (int k = -NEAR; k <= NEAR && dof->odd; ++k)
        if (dof->own[k + NEAR] != 0)
          limpet_spatial_addmul(sum, dof->own[k + NEAR], p->dof[j + k].turned);
      if (side == LIMPET_SIDE_A) limpet_spatial_addmul(sum, -1.0, all);
      turn[dof->dof] -= 2.0 * (limpet_vec3_dot(p->s->motion.dof[dof->dof].pose.S, sum) +
                               limpet_vec3_dot(dof->s, sum + 3));
      limpet_spatial_addmul(behind, 1.0, dof->turned);
    }
  }
}

static bool is_same_point(const limpet_law_weight *a, const limpet_law_weight *b) {
  return a->turns == b->turns && memcmp(a->r, b->r, sizeof a->r) == 0;
}

// A row of zeros for one weight more.
static void begin(const weight_writer *p) {
  limpet_contact_weights *to = p->to;
  const limpet_tree_change *tree = p->s->tree;
  const size_t n = (size_t)tree->n, entries = (size_t)tree->weights, at = (size_t)to->count;
  if (to->count == 0) {
    to->tree = tree;
    memset(to->has, 0, entries * sizeof *to->has);
  }
  memset(to->a + at * n, 0, n * sizeof *to->a);
  memset(to->turn + at * n, 0, n * sizeof *to->turn);
  memset(to->entry + at * entries, 0, entries * sizeof *to->entry);
}

limpet_status limpet_contact_weights_add(const limpet_composite_writer *s,
                                         const limpet_patch_view *view,
                                         limpet_contact_weights *to) {
  const limpet_patch_law *law = &view->law;
  const limpet_arena_mark mark = limpet_arena_mark_now(s->w->arena);
  weight_writer p = {.s = s, .view = view, .to = to};
  if (!law->weighs) return LIMPET_OK;
  if (to->tree != s->tree) limpet_contact_weights_write(s->w, to);
  if (find_dofs(&p)) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < law->weight_count; ++i) {
    const limpet_law_weight *weight = &law->weight[i];
    if (to->count == KEPT) limpet_contact_weights_write(s->w, to);
    begin(&p);
    if (i == 0 || to->count == 0) find_entries(&p);
    if (i == 0 || !is_same_point(weight, weight - 1)) see_dofs(&p, weight);
    make_weight(&p, weight);
    turn_weight(&p);
    ++to->count;
  }
  limpet_arena_release(s->w->arena, mark);
  return LIMPET_OK;
}

// -------------------------------------------------------------------------- columns

// dw += what the entries of A_JJ^-1 have, by `steady` (rows of n) of the tree.
static void add_entries(const limpet_contact_weights *p, const double *steady) {
  const limpet_tree_change *tree = p->tree;
  const int n = tree->n;
  for (int first = 0, end; first < tree->weights; first = end) {
    while (first < tree->weights && !p->has[first]) ++first;
    for (end = first; end < tree->weights && p->has[end];) ++end;
    if (end > first)
      limpet_dense()->sub_mul(p->count, n, end - first, p->entry + first, tree->weights, 1,
                              steady + first * n, n, p->dw, n);
  }
}

// columns -= a dw of all velocities of the tree.
static void push(const limpet_column_writer *w, const limpet_contact_weights *p, double *columns) {
  const int n = p->tree->n, first = p->tree->first;
  limpet_dense()->sub_mul(n, n, p->count, p->dw, 1, n, p->a, n,
                          limpet_column_of(w, columns, first) + w->slot[first],
                          w->probe->residual->size);
}

void limpet_contact_weights_write(const limpet_column_writer *w, limpet_contact_weights *p) {
  const limpet_columns *columns = w->columns;
  if (p->count == 0) return;
  const limpet_tree_change *tree = p->tree;
  const size_t size = (size_t)(p->count * tree->n) * sizeof *p->dw;
  memcpy(p->dw, p->turn, size);
  add_entries(p, tree->steady_q);
  push(w, p, columns->q);
  if (columns->v && tree->by_middle) {
    memset(p->dw, 0, size);
    add_entries(p, tree->steady_v);
    push(w, p, columns->v);
    // by c, which moves the middle of the step by half of what a velocity does
    for (int i = 0; i < p->count * tree->n && tree->change; ++i) p->dw[i] *= 0.5;
    if (tree->change) push(w, p, columns->change);
  }
  p->count = 0;
}
