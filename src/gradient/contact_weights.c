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
  const limpet_contact_weights *to;
  limpet_weight_path path;
  limpet_weight_dof *dof;  // (count)
  int count;
} weight_writer;

limpet_status limpet_contact_weights_take(const limpet_column_writer *w,
                                          limpet_contact_weights *to) {
  int n = 0, entries = 0;
  *to = (limpet_contact_weights){.count = 0};
  for (int t = 0; t < w->probe->model->tree_count; ++t) {
    const limpet_tree_change *tree = &w->tree[t];
    if (!tree->known) continue;
    if (tree->n > n) n = tree->n;
    if (tree->weights > entries) entries = tree->weights;
  }
  const int trees = w->probe->model->tree_count > 1 ? 2 : 1;
  to->a = LIMPET_TAKE(w->arena, double, STRIDE *trees *(2 * n + entries));
  to->dw = LIMPET_TAKE(w->arena, double, 2 * KEPT * trees * n);
  to->has = LIMPET_TAKE(w->arena, bool, trees *entries);
  return to->a && to->dw && to->has ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

// -------------------------------------------------------------------------- velocities of a patch

/* Which axes of its own joint a velocity moves though they are not behind it, or the other way
 * round: rotations move each other, but where they count in world axes, which none of them moves.
 */
static void find_own(const weight_writer *p, int dof, limpet_weight_dof *to) {
  const limpet_model *model = p->s->w->probe->model;
  const int joint = model->dof_joint[dof];
  const limpet_joint_kind kind = model->joint_kind[joint];
  const int count = limpet_joint_kind_nv(kind), end = model->joint_v[joint] + count,
            first = kind == LIMPET_JOINT_FREE ? end - 3 : end - count;
  if (count == 1 || dof < first) return;
  const bool still =
      kind == LIMPET_JOINT_FREE && !limpet_contact_motion_whole_joints(&p->s->motion);
  to->odd = true;
  for (int other = first; other < end; ++other)
    if (still ? other > dof : other < dof) to->own[dof - other + LIMPET_NEAR] = still ? -1 : 1;
}

// `of`: whose velocity it is, of the trees that are kept.
static void put_dof(weight_writer *p, int of, int dof) {
  const limpet_contact_weights *to = p->to;
  const limpet_tree_change *tree = to->tree[of];
  const int local = dof - tree->first, entries = of > 0 ? to->tree[0]->weights : 0;
  p->dof[p->count++] = (limpet_weight_dof){.motion = &p->s->motion.dof[dof],
                                           .column = local + (of > 0 ? to->tree[0]->n : 0),
                                           .local = tree->local[local],
                                           .own_entry = entries + local,
                                           .pair_entry = entries + tree->n + tree->pair[local]};
  find_own(p, dof, &p->dof[p->count - 1]);
}

static limpet_status find_dofs(weight_writer *p) {
  const limpet_model *model = p->s->w->probe->model;
  const int meets = p->view->meets == LIMPET_NONE ? -1 : model->body_last_dof[p->view->meets],
            most = 2 * p->to->n;
  p->dof = LIMPET_TAKE(p->s->w->arena, limpet_weight_dof, most);
  p->path.work = LIMPET_TAKE(p->s->w->arena, double, LIMPET_WEIGHT_WORK *most);
  if (!p->dof || !p->path.work) return LIMPET_ERROR_MEMORY;
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const int tree = model->body_tree[p->view->unit[side]];
    p->path.from[side] = p->count;
    if (tree < 0) continue;
    const int of = p->to->tree[0] == &p->s->w->tree[tree] ? 0 : 1;
    limpet_composite_lever(p->view, side, p->path.lever[side]);
    for (int d = model->body_last_dof[p->view->unit[side]]; d > meets; d = model->dof_parent[d])
      put_dof(p, of, d);
  }
  p->path.from[LIMPET_SIDES] = p->count;
  p->path.dof = p->dof;
  return LIMPET_OK;
}

// -------------------------------------------------------------------------- weights

// The trees of both sides; the second one NULL where there is but one.
static void trees_of(const limpet_patch_view *view, const limpet_tree_change *tree[LIMPET_SIDES]) {
  const limpet_model *model = view->w->probe->model;
  const int a = model->body_tree[view->unit[LIMPET_SIDE_A]],
            b = model->body_tree[view->unit[LIMPET_SIDE_B]];
  tree[0] = &view->w->tree[a >= 0 ? a : b];
  tree[1] = a >= 0 && b >= 0 && a != b ? &view->w->tree[b] : NULL;
}

// Rows of zeros for weights.
static void clear(limpet_contact_weights *to, const limpet_tree_change *const tree[LIMPET_SIDES]) {
  to->n = to->entries = 0;
  for (int k = 0; k < LIMPET_SIDES; ++k) {
    to->tree[k] = tree[k];
    if (tree[k]) to->n += tree[k]->n, to->entries += tree[k]->weights;
  }
  const size_t n = (size_t)to->n, entries = (size_t)to->entries;
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
  weight_writer p = {.s = s, .view = view, .to = to, .path.stride = STRIDE};
  if (!law->weighs) return LIMPET_OK;
  const limpet_tree_change *tree[LIMPET_SIDES];
  trees_of(view, tree);
  if (to->tree[0] != tree[0] || to->tree[1] != tree[1]) limpet_contact_weights_write(s->w, to);
  if (to->count == 0) clear(to, tree);
  if (find_dofs(&p)) return LIMPET_ERROR_MEMORY;
  for (int i = 0, count; i < law->weight_count; i += count) {
    count = law->weight_count - i;
    if (count > LIMPET_WEIGHTS_AT_ONCE) count = LIMPET_WEIGHTS_AT_ONCE;
    if (to->count + count > KEPT) limpet_contact_weights_write(s->w, to);
    if (to->count == 0) clear(to, tree);
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

// Where the velocities of a tree begin, of those that are kept.
static int first_of(const limpet_contact_weights *p, int tree) {
  return tree > 0 ? p->tree[0]->n : 0;
}

// dw += what the entries of A_JJ^-1 of a tree have, by `steady` (rows of n).
static void add_entries(const limpet_contact_weights *p, int of, const double *steady) {
  const limpet_tree_change *tree = p->tree[of];
  const int n = tree->n, begin = of > 0 ? p->tree[0]->weights : 0;
  const bool *has = p->has + begin;
  const double *entry = p->entry + STRIDE * begin;
  for (int first = 0, end; first < tree->weights; first = end) {
    while (first < tree->weights && !has[first]) ++first;
    for (end = first; end < tree->weights && has[end];) ++end;
    if (end > first)
      limpet_dense()->sub_mul(p->count, n, end - first, entry + STRIDE * first, 1, STRIDE,
                              steady + first * n, n, p->dw + first_of(p, of), p->n);
  }
}

// columns -= a dw of the velocities of a tree, in the rows of all.
static void push(const limpet_column_writer *w, const limpet_contact_weights *p, int of,
                 double *columns) {
  const int first = p->tree[of]->first;
  for (int k = 0; k < LIMPET_SIDES && p->tree[k]; ++k)
    limpet_dense()->sub_mul(p->tree[of]->n, p->tree[k]->n, p->count, p->dw + first_of(p, of), 1,
                            p->n, p->dw + p->count * p->n + first_of(p, k), p->n,
                            limpet_column_of(w, columns, first) + w->slot[p->tree[k]->first],
                            w->probe->residual->size);
}

void limpet_contact_weights_write(const limpet_column_writer *w, limpet_contact_weights *p) {
  const limpet_columns *columns = w->columns;
  if (p->count == 0) return;
  limpet_dense()->transpose(p->n, p->count, p->turn, STRIDE, p->dw, p->n);
  limpet_dense()->transpose(p->n, p->count, p->a, STRIDE, p->dw + p->count * p->n, p->n);
  for (int of = 0; of < LIMPET_SIDES && p->tree[of]; ++of) {
    add_entries(p, of, p->tree[of]->steady_q);
    push(w, p, of, columns->q);
  }
  memset(p->dw, 0, (size_t)(p->count * p->n) * sizeof *p->dw);
  for (int of = 0; of < LIMPET_SIDES && p->tree[of]; ++of) {
    const limpet_tree_change *tree = p->tree[of];
    if (!columns->v || !tree->by_middle) continue;
    add_entries(p, of, tree->steady_v);
    push(w, p, of, columns->v);
    // by c, which moves the middle of the step by half of what a velocity does
    for (int i = 0; i < p->count && tree->change; ++i)
      for (int k = 0; k < tree->n; ++k) p->dw[i * p->n + first_of(p, of) + k] *= 0.5;
    if (tree->change) push(w, p, of, columns->change);
  }
  p->count = 0;
}
