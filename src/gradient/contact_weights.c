/* gradient/contact_weights.c: see contact_weights.h.
 *
 * A patch has few weights w_i, one or two a contact: dF = sum of f_i dw_i, dw = <B_i, dD>. Along
 * all velocities of the tree
 *   dw_i   S_j . sum of 2 C_k x* B W_k over what pose j moves, less that over all for A, which sees
 *          the others turn;   C_k . B C_l by the entries of A_JJ^-1
 *   dr     - a_i dw_i,  a_i = J' f_i
 * over the velocities k, l that move one of the two bodies. B = P'C P, with P the motion of one
 * point, or rotation: only that of C_k and W_k counts. Cost: for each weight 100 flops a velocity
 * on the two paths (contact_kernels.h), and six times the square of the velocities of the tree. */
#include "gradient/contact_weights.h"

#include <string.h>

#include "gradient/contact_kernels.h"
#include "math/dense.h"
#include "math/dense_table.h"
#include "math/spatial.h"

enum {
  KEPT = 24,                              // weights
  STRIDE = KEPT + LIMPET_WEIGHTS_AT_ONCE  // the last ones may be of none
};

typedef struct weight_writer {
  const limpet_composite_writer *s;
  const limpet_patch_view *view;
  limpet_weight_path path;
  limpet_weight_dof *dof;  // (count)
  int count;
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
  to->a = LIMPET_TAKE(w->arena, double, STRIDE *(2 * n + entries));
  to->dw = LIMPET_TAKE(w->arena, double, 2 * KEPT * n);
  to->has = LIMPET_TAKE(w->arena, bool, entries);
  return to->a && to->dw && to->has ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

// -------------------------------------------------------------------------- velocities of a patch

/* Which axes of its own joint a velocity moves though they are not behind it, or the other way
 * round: rotations move each other, but where they count in world axes, which none of them moves.
 */
static void find_own(const weight_writer *p, int dof, limpet_weight_dof *to) {
  const limpet_model *model = p->s->w->probe->model;
  const int joint = model->dof_joint[dof], kind = model->joint_kind[joint],
            count = limpet_joint_kind_nv(kind), end = model->joint_v[joint] + count,
            first = kind == LIMPET_JOINT_FREE ? end - 3 : end - count;
  if (count == 1 || dof < first) return;
  const bool still =
      kind == LIMPET_JOINT_FREE && !limpet_contact_motion_whole_joints(&p->s->motion);
  to->odd = true;
  for (int other = first; other < end; ++other)
    if (still ? other > dof : other < dof) to->own[dof - other + LIMPET_NEAR] = still ? -1 : 1;
}

static void put_dof(weight_writer *p, int dof) {
  const limpet_tree_change *tree = p->s->tree;
  const int column = dof - tree->first;
  p->dof[p->count++] = (limpet_weight_dof){.motion = &p->s->motion.dof[dof],
                                           .column = column,
                                           .local = tree->local[column],
                                           .own_entry = column,
                                           .pair_entry = tree->n + tree->pair[column]};
  find_own(p, dof, &p->dof[p->count - 1]);
}

static limpet_status find_dofs(weight_writer *p) {
  const limpet_model *model = p->s->w->probe->model;
  const int meets = p->view->meets == LIMPET_NONE ? -1 : model->body_last_dof[p->view->meets],
            most = 2 * p->s->tree->n;
  p->dof = LIMPET_TAKE(p->s->w->arena, limpet_weight_dof, most);
  p->path.work = LIMPET_TAKE(p->s->w->arena, double, LIMPET_WEIGHT_WORK *most);
  if (!p->dof || !p->path.work) return LIMPET_ERROR_MEMORY;
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    p->path.from[side] = p->count;
    if (p->view->path[side].count == 0) continue;
    for (int d = model->body_last_dof[p->view->unit[side]]; d > meets; d = model->dof_parent[d])
      put_dof(p, d);
  }
  p->path.from[LIMPET_SIDES] = p->count;
  p->path.dof = p->dof;
  return LIMPET_OK;
}

// -------------------------------------------------------------------------- weights

// Rows of zeros for weights.
static void clear(limpet_contact_weights *to, const limpet_tree_change *tree) {
  const size_t n = (size_t)tree->n, entries = (size_t)tree->weights;
  to->tree = tree;
  to->turn = to->a + STRIDE * n, to->entry = to->turn + STRIDE * n;
  memset(to->has, 0, entries * sizeof *to->has);
  memset(to->a, 0, STRIDE * (2 * n + entries) * sizeof *to->a);
}

// Which entries of A_JJ^-1 the velocities have.
static void find_entries(const weight_writer *p, bool *has) {
  for (int k = 0; k < p->count; ++k) {
    const limpet_weight_dof *dof = &p->dof[k];
    has[dof->own_entry] = true;
    for (int l = 0; l < dof->local; ++l) has[dof->pair_entry + l] = true;
  }
}

limpet_status limpet_contact_weights_add(const limpet_composite_writer *s,
                                         const limpet_patch_view *view,
                                         limpet_contact_weights *to) {
  const limpet_patch_law *law = &view->law;
  const limpet_arena_mark mark = limpet_arena_mark_now(s->w->arena);
  weight_writer p = {.s = s, .view = view, .path.stride = STRIDE};
  double lever[3];
  if (!law->weighs) return LIMPET_OK;
  if (to->tree != s->tree) limpet_contact_weights_write(s->w, to);
  if (find_dofs(&p)) return LIMPET_ERROR_MEMORY;
  limpet_composite_lever(s, view, lever);
  p.path.lever = lever;
  for (int i = 0, count; i < law->weight_count; i += count) {
    count = law->weight_count - i;
    if (count > LIMPET_WEIGHTS_AT_ONCE) count = LIMPET_WEIGHTS_AT_ONCE;
    if (to->count + count > KEPT) limpet_contact_weights_write(s->w, to);
    if (to->count == 0) clear(to, s->tree);
    p.path.a = to->a + to->count, p.path.turn = to->turn + to->count,
    p.path.entry = to->entry + to->count;
    find_entries(&p, to->has);
    limpet_contact_kernels_here()->weights(&p.path, count, law->weight + i);
    to->count += count;
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
      limpet_dense()->sub_mul(p->count, n, end - first, p->entry + STRIDE * first, 1, STRIDE,
                              steady + first * n, n, p->dw, n);
  }
}

// columns -= a dw of all velocities of the tree.
static void push(const limpet_column_writer *w, const limpet_contact_weights *p, double *columns) {
  const int n = p->tree->n, first = p->tree->first;
  limpet_dense()->sub_mul(n, n, p->count, p->dw, 1, n, p->dw + p->count * n, n,
                          limpet_column_of(w, columns, first) + w->slot[first],
                          w->probe->residual->size);
}

void limpet_contact_weights_write(const limpet_column_writer *w, limpet_contact_weights *p) {
  const limpet_columns *columns = w->columns;
  if (p->count == 0) return;
  const limpet_tree_change *tree = p->tree;
  const size_t size = (size_t)(p->count * tree->n) * sizeof *p->dw;
  limpet_dense()->transpose(tree->n, p->count, p->turn, STRIDE, p->dw, tree->n);
  limpet_dense()->transpose(tree->n, p->count, p->a, STRIDE, p->dw + p->count * tree->n, tree->n);
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
