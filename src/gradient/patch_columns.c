/* gradient/patch_columns.c: see patch_columns.h.
 *
 *   dr -= S_k . dF + dS_k . F        over the velocities k that move one of the bodies
 *   dF     of the patch about its point (patch_law.h), with what the pose does to both of its
 * bodies (body_path.h):  xi = xi_B - xi_A,  dF = xi_A x* F + K [xi; dV - xi_A x V; ...]
 *   dS_k = S_j x S_k where j moves k
 * Cost: for each patch 36 multiply-adds a matrix for each velocity on its two paths, and 6 for each
 * of them and each velocity of their trees. */
#include "gradient/patch_columns.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "gradient/patch_sides.h"
#include "math/dense_table.h"
#include "math/spatial.h"

static const double small_slip = 1e-7;  // [m/s]  of a unit, that moves nothing from rest

// Changes of the wrench by the velocities of one tree.
typedef struct tree_wrench {
  const limpet_tree_change *tree;
  double *q, *v;       // (n x 6)  dF by pose and velocity; v: NULL where there are no such columns
  double *by_weights;  // (n x 6)  likewise by the velocity, through weights alone; NULL: not wanted
  bool *moves;         // (n)  a path has the velocity
} tree_wrench;

typedef struct patch_writer {
  const limpet_column_writer *w;
  limpet_patch_view view;
  double *force_turn[LIMPET_SIDES];  // (path x 6)  S_k x* F
  // (paths x 6 x 6)  dF by the entries of A_JJ^-1 that step k has with its joint's up to it
  double *push;
  double *carry;  // (paths x 6)  dF through D by what moves a path from step k on
  int wrench_count;
  tree_wrench wrench[LIMPET_SIDES];          // of the trees that are known
  limpet_side_factors row[LIMPET_SIDES][6];  // of the rows of dF
  double *change;                            // (6 x longest path)  -dF
} patch_writer;

static int steps_of(const patch_writer *p) {
  return p->view.path[LIMPET_SIDE_A].count + p->view.path[LIMPET_SIDE_B].count;
}

static int place_of(const patch_writer *p, int side, int k) {
  return side == LIMPET_SIDE_A ? k : p->view.path[LIMPET_SIDE_A].count + k;
}

static void multiply_add(double y[6], const double K[36], const double x[6]) {
  for (int i = 0; i < 6; ++i) y[i] += limpet_spatial_dot(K + 6 * i, x);
}

// The velocities first .. first + n of an island that a side of a patch moves, and J of them.
typedef struct side_columns {
  int first, n;
  double *J;  // (6 x n)
} side_columns;

static limpet_status take_side(const patch_writer *p, const limpet_patch_side *side,
                               side_columns *to) {
  int end = to->first = side->dof[0];
  for (int c = 0; c < side->count; ++c) {
    if (side->dof[c] < to->first) to->first = side->dof[c];
    if (side->dof[c] >= end) end = side->dof[c] + 1;
  }
  to->n = end - to->first;
  to->J = LIMPET_TAKE_ZERO(p->w->arena, double, 6 * to->n);
  if (!to->J) return LIMPET_ERROR_MEMORY;
  for (int c = 0; c < side->count; ++c)
    for (int i = 0; i < 6; ++i)
      to->J[i * to->n + side->dof[c] - to->first] = side->column[6 * c + i];
  return LIMPET_OK;
}

// columns -= J' dF of `count` velocities of a tree from `dof` on.
static void push_dofs(const patch_writer *p, const side_columns *side, int dof, int count,
                      const double *dF, double *columns) {
  const limpet_residual *residual = p->w->probe->residual;
  double *to = limpet_column_of(p->w, columns, dof) + residual->at[p->view.island];
  limpet_dense()->sub_mul(count, side->n, 6, dF, 6, 1, side->J, side->n, to + side->first,
                          residual->size);
}

// Of all velocities that change the wrench: those on the two paths, all where Delassus estimates
// do.
static void push_tree(const patch_writer *p, const tree_wrench *one, const side_columns *side,
                      const double *dF, double *columns) {
  const int first = one->tree->first, n = one->tree->n;
  if (p->view.law.weighs) {
    push_dofs(p, side, first, n, dF, columns);
    return;
  }
  for (int k = 0, end; k < n; k = end) {
    for (end = k; end < n && one->moves[end]; ++end) continue;
    if (end > k) push_dofs(p, side, first + k, end - k, dF + 6 * k, columns);
    else ++end;
  }
}

// dF by the pose, or the velocity, along `dof`; NULL: of a tree that is not known.
static double *wrench_of(const patch_writer *p, int dof, bool by_v) {
  for (int i = 0; i < p->wrench_count; ++i) {
    const limpet_tree_change *tree = p->wrench[i].tree;
    if (dof >= tree->first && dof < tree->first + tree->n) {
      double *all = by_v ? p->wrench[i].v : p->wrench[i].q;
      return all ? all + 6 * (dof - tree->first) : NULL;
    }
  }
  return NULL;
}

// That of a tree; NULL: there is none.
static tree_wrench *find_wrench(patch_writer *p, const limpet_tree_change *tree) {
  for (int i = 0; i < p->wrench_count; ++i)
    if (p->wrench[i].tree == tree) return &p->wrench[i];
  return NULL;
}

// The tree of a side; NULL: it has none.
static const limpet_tree_change *tree_of(const patch_writer *p, int side) {
  const limpet_body_path *path = &p->view.path[side];
  return path->count > 0 ? &p->w->tree[p->w->probe->model->dof_tree[path->step[0].dof]] : NULL;
}

// column -= dS_k . F of what moves with step j.
static void turn_column(const patch_writer *p, int side, int j, double *column) {
  const limpet_body_path *path = &p->view.path[side];
  for (int k = j > 2 ? j - 2 : 0; k < path->count; ++k) {
    if (path->step[k].shared || (k <= j && !limpet_body_path_moves(path, j, k))) continue;
    column[p->w->slot[path->step[k].dof]] -=
        limpet_patch_signs[side] * limpet_spatial_dot(path->step[j].S, p->force_turn[side] + 6 * k);
  }
}

// Factors of the rows of dF.
static void find_rows(patch_writer *p) {
  for (int i = 0; i < 6; ++i) {
    limpet_side_factors side[LIMPET_SIDES];
    double axis[6] = {0.0};
    axis[i] = 1.0;
    limpet_patch_sides(&p->view, p->view.law.K + LIMPET_LAW_WIDTH * i, side);
    limpet_side_add_turned(side[LIMPET_SIDE_A].xi, -1.0, axis, p->view.law.F);
    for (int s = 0; s < LIMPET_SIDES; ++s) p->row[s][i] = side[s];
  }
}

enum {
  STEP = sizeof(limpet_path_dof) / sizeof(double),
  ROW = sizeof(limpet_side_factors) / sizeof(double)
};

// Where the changes of a weak contact go; rates of slip at rest become flags.
typedef struct switch_column {
  int at;  // in each column; of slip: LIMPET_NONE
  double *columns;
  bool *kinked;
} switch_column;

static void add_rate(const patch_writer *p, const switch_column *to, int dof, double rate) {
  if (to->at != LIMPET_NONE) limpet_column_of(p->w, to->columns, dof)[to->at] += rate;
  else if (fabs(rate) > small_slip) to->kinked[dof] = true;
}

// What the acceleration of the centre of mass does.
static void add_bend_rates(const patch_writer *p, const limpet_side_factors *own, int side,
                           const switch_column *q, const switch_column *v) {
  const limpet_tree_change *tree = tree_of(p, side);
  for (int k = 0; k < tree->n && tree->bend_q && p->view.curved; ++k)
    for (int c = 0; c < 3; ++c) {
      add_rate(p, q, tree->first + k, -own->dA[3 + c] * tree->bend_q[c * tree->n + k]);
      if (v->columns)
        add_rate(p, v, tree->first + k, -own->dA[3 + c] * tree->bend_v[c * tree->n + k]);
    }
}

// Changes of weak contacts by the steps of a side.
static void add_switches(const patch_writer *p, int side) {
  const limpet_residual *residual = p->w->probe->residual;
  const limpet_columns *columns = p->w->columns;
  const limpet_body_path *path = &p->view.path[side];
  const int weak = residual->at[p->view.island] + residual->smooth[p->view.island].n;
  for (int i = 0; i < p->view.law.switch_count; ++i) {
    const limpet_switch_change *s = &p->view.law.switching[i];
    const int at = s->weak == LIMPET_NONE ? LIMPET_NONE : weak + s->weak;
    const switch_column q = {at, columns->q, columns->kinked_q},
                        v = {at, columns->v, columns->kinked_v};
    limpet_side_factors all[LIMPET_SIDES];
    limpet_patch_sides(&p->view, s->change, all);
    const limpet_side_factors *own = &all[side];
    for (int k = 0; k < path->count; ++k) {
      const limpet_path_dof *step = &path->step[k];
      if (step->shared && !p->view.curved) continue;
      add_rate(p, &q, step->dof,
               limpet_spatial_dot(own->xi, step->S) + limpet_spatial_dot(own->dV, step->dV) +
                   limpet_spatial_dot(own->dV0, step->dV0) + limpet_spatial_dot(own->dA, step->dA));
      if (columns->v)
        add_rate(p, &v, step->dof,
                 limpet_spatial_dot(own->dV0, step->S) + limpet_spatial_dot(own->dA, step->dA_v));
    }
    add_bend_rates(p, own, side, &q, &v);
  }
}

// What both bodies share changes nothing but the bias of curved paths.
static bool counts(const patch_writer *p, const limpet_path_dof *step) {
  return !step->shared || p->view.curved;
}

// The wrenches of all steps of a side, from p->change.
static void add_changes(const patch_writer *p, const limpet_body_path *path, bool by_v) {
  for (int k = 0; k < path->count; ++k) {
    double *dF = wrench_of(p, path->step[k].dof, by_v);
    if (dF && counts(p, &path->step[k])) limpet_spatial_addmul(dF, -1.0, p->change + 6 * k);
  }
}

// dF by pose and velocity along all steps of a side.
static void add_wrenches(const patch_writer *p, int side) {
  const limpet_body_path *path = &p->view.path[side];
  const size_t size = 6 * (size_t)path->count * sizeof(double);
  memset(p->change, 0, size);
  limpet_dense()->sub_mul_t(path->count, 6, ROW, path->step->S, STEP, p->row[side]->xi, ROW,
                            p->change, 6);
  add_changes(p, path, false);
  if (!p->w->columns->v || !(p->view.curved || p->view.law.has_0)) return;
  memset(p->change, 0, size);
  limpet_dense()->sub_mul_t(path->count, 6, 6, path->step->S, STEP, p->row[side]->dV0, ROW,
                            p->change, 6);
  limpet_dense()->sub_mul_t(path->count, 6, 6, path->step->dA_v, STEP, p->row[side]->dA, ROW,
                            p->change, 6);
  add_changes(p, path, true);
}

/* dF by the acceleration of the centre of mass of a centred tree, along all of its velocities: the
 * paths of its points are about that. */
static void add_bend(const patch_writer *p, int side) {
  const limpet_tree_change *tree = tree_of(p, side);
  if (!tree || !tree->bend_q || !p->view.curved) return;
  double *q = wrench_of(p, tree->first, false), *v = wrench_of(p, tree->first, true), by_bend[18];
  const int n = tree->n;
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 6; ++i) by_bend[6 * c + i] = p->row[side][i].dA[3 + c];
  limpet_dense()->sub_mul(n, 6, 3, tree->bend_q, 1, n, by_bend, 6, q, 6);
  if (v) limpet_dense()->sub_mul(n, 6, 3, tree->bend_v, 1, n, by_bend, 6, v, 6);
}

// All that the steps of a side do to the wrench, and how its axes turn.
static void add_side(const patch_writer *p, int side) {
  const limpet_columns *columns = p->w->columns;
  const limpet_body_path *path = &p->view.path[side];
  if (path->count == 0 || !wrench_of(p, path->step[0].dof, false)) return;
  add_wrenches(p, side);
  add_bend(p, side);
  add_switches(p, side);
  for (int k = 0; k < path->count; ++k) {
    const limpet_path_dof *step = &path->step[k];
    if (!counts(p, step)) continue;
    turn_column(p, side, k, limpet_column_of(p->w, columns->q, step->dof));
    if (step->shared) continue;
    if (p->view.law.weighs)
      limpet_spatial_addmul(wrench_of(p, step->dof, false), 1.0,
                            p->carry + 6 * place_of(p, side, k));
    if (limpet_patch_law_meets_kink(&p->view.law, step->S)) columns->kinked_q[step->dof] = true;
  }
}

// -------------------------------------------------------------------------- weights of a patch

/* dF by the entries of A_JJ^-1 of step k: C_k' by_D_i C_l, twice where l is not k. less (6 x 6):
 * -by_D_i C_k. */
static void push_weights(const patch_writer *p, int side, int k, const double less[36]) {
  const limpet_path_dof *step = &p->view.path[side].step[k];
  const limpet_model *model = p->w->probe->model;
  const int local =
      p->view.path[side].whole_joints ? step->dof - model->joint_v[model->dof_joint[step->dof]] : 0;
  double *push = p->push + 36 * place_of(p, side, k);
  for (int l = 0; l <= local; ++l)
    for (int i = 0; i < 6; ++i)
      push[6 * l + i] =
          (l < local ? -2.0 : -1.0) * limpet_spatial_dot(step[l - local].C, less + 6 * i);
}

/* What D gets from the columns C of a side: dF_i = t_ik . xi, t_ik = 2 C_k x* by_D_i W_k, of what
 * carries column k. */
static void weigh_columns(const patch_writer *p, int side, double *turned) {
  const limpet_body_path *path = &p->view.path[side];
  const int size = 36 * path->count;
  const double *by_D = p->view.law.by_D[0];
  if (size == 0) return;
  memset(turned, 0, 2 * (size_t)size * sizeof *turned);
  limpet_dense()->sub_mul_t(path->count, 36, 6, path->step->C, STEP, by_D, 6, turned, 36);
  limpet_dense()->sub_mul_t(path->count, 36, 6, path->step->W, STEP, by_D, 6, turned + size, 36);
  for (int k = 0; k < path->count; ++k) {
    const limpet_path_dof *step = &path->step[k];
    double *own = turned + 36 * k;
    if (step->shared) {
      memset(own, 0, 36 * sizeof *own);
      continue;
    }
    push_weights(p, side, k, own);
    for (int i = 0; i < 6; ++i) {
      double force[6];
      limpet_spatial_cross_force(force, step->C, turned + size + 36 * k + 6 * i);
      for (int r = 0; r < 6; ++r) own[6 * i + r] = -2.0 * force[r];
    }
  }
}

static void add_block(double to[36], double share, const double block[36]) {
  for (int i = 0; i < 6; ++i) limpet_spatial_addmul(to + 6 * i, share, block + 6 * i);
}

/* dF by the pose through D, for each step: by the columns C that it moves, seen from A. Sums from
 * the body on, but for rotations of one joint, of which some move each other and some do not. */
static void carry_columns(const patch_writer *p, double *turned) {
  double all[36] = {0.0};
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const limpet_body_path *path = &p->view.path[side];
    double moved[36] = {0.0};
    weigh_columns(p, side, turned);
    for (int j = path->count - 1; j >= 0; --j) {
      double sum[36];
      memcpy(sum, moved, sizeof sum);
      for (int k = j > 2 ? j - 2 : 0; k < path->count && k <= j + 2; ++k)
        if (limpet_body_path_moves_steady(path, j, k) != (k > j))
          add_block(sum, k > j ? -1.0 : 1.0, turned + 36 * k);
      if (!path->step[j].shared)
        multiply_add(p->carry + 6 * place_of(p, side, j), sum, path->step[j].S);
      add_block(moved, 1.0, turned + 36 * j);
    }
    add_block(all, 1.0, moved);
  }
  for (int k = 0; k < p->view.path[LIMPET_SIDE_A].count; ++k) {
    double seen[6] = {0.0};
    multiply_add(seen, all, p->view.path[LIMPET_SIDE_A].step[k].S);
    limpet_spatial_addmul(p->carry + 6 * place_of(p, LIMPET_SIDE_A, k), -1.0, seen);
  }
}

// less (weights x 6) -= dF by the weights of step k.
static void take_push(const patch_writer *p, const limpet_tree_change *tree, int side, int k,
                      double *less) {
  const int dof = p->view.path[side].step[k].dof - tree->first, local = tree->local[dof];
  const double *push = p->push + 36 * place_of(p, side, k);
  for (int l = 0; l <= local; ++l)
    limpet_spatial_addmul(less + 6 * limpet_tree_weight(tree, dof, l), -1.0, push + 6 * l);
}

// What weights of the paths do, along all velocities of their trees. LIMPET_OK or
// LIMPET_ERROR_MEMORY.
static limpet_status add_weights(patch_writer *p) {
  for (int side = 0; side < LIMPET_SIDES && p->view.law.weighs; ++side) {
    const limpet_body_path *path = &p->view.path[side];
    if (path->count == 0) continue;
    const limpet_tree_change *tree = &p->w->tree[p->w->probe->model->dof_tree[path->step[0].dof]];
    double *q = wrench_of(p, tree->first, false), *v = wrench_of(p, tree->first, true);
    if (!q) continue;
    assert(tree->steady_q);
    const int n = tree->n, weights = tree->weights;
    double *less = LIMPET_TAKE_ZERO(p->w->arena, double, 6 * weights);
    if (!less) return LIMPET_ERROR_MEMORY;
    for (int k = 0; k < path->count; ++k)
      if (!path->step[k].shared) take_push(p, tree, side, k, less);
    limpet_dense()->sub_mul(n, 6, weights, tree->steady_q, 1, n, less, 6, q, 6);
    if (!v || !tree->by_middle) continue;
    limpet_dense()->sub_mul(n, 6, weights, tree->steady_v, 1, n, less, 6, v, 6);
    double *by_weights = find_wrench(p, tree)->by_weights;
    if (by_weights)
      limpet_dense()->sub_mul(n, 6, weights, tree->steady_v, 1, n, less, 6, by_weights, 6);
  }
  return LIMPET_OK;
}

// By c, which moves the middle of the step by half of what a velocity does.
static void halve_changes(const patch_writer *p) {
  for (int i = 0; i < p->wrench_count; ++i)
    for (int k = 0; k < 6 * p->wrench[i].tree->n && p->wrench[i].by_weights; ++k)
      p->wrench[i].by_weights[k] *= 0.5;
}

static limpet_status push_all(const patch_writer *p) {
  const limpet_columns *columns = p->w->columns;
  for (int s = 0; s < p->view.patch->side_count; ++s) {
    side_columns side;
    if (p->view.patch->side[s].count == 0) continue;
    if (take_side(p, &p->view.patch->side[s], &side)) return LIMPET_ERROR_MEMORY;
    for (int i = 0; i < p->wrench_count; ++i) {
      const tree_wrench *one = &p->wrench[i];
      push_tree(p, one, &side, one->q, columns->q);
      if (one->v) push_tree(p, one, &side, one->v, columns->v);
      if (one->by_weights) push_tree(p, one, &side, one->by_weights, columns->change);
    }
  }
  return LIMPET_OK;
}

// Room for the changes by the trees of both paths.
static limpet_status take_wrenches(patch_writer *p) {
  const limpet_model *model = p->w->probe->model;
  const bool by_v = p->w->columns->v && (p->view.curved || p->view.law.has_0 || p->view.law.weighs);
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const limpet_body_path *path = &p->view.path[side];
    if (path->count == 0) continue;
    const limpet_tree_change *tree = &p->w->tree[model->dof_tree[path->step[0].dof]];
    if (!tree->known) continue;
    tree_wrench *one = find_wrench(p, tree);
    if (!one) {
      one = &p->wrench[p->wrench_count++];
      *one = (tree_wrench){.tree = tree,
                           .q = LIMPET_TAKE_ZERO(p->w->arena, double, 6 * tree->n),
                           .moves = LIMPET_TAKE_ZERO(p->w->arena, bool, tree->n)};
      const bool changes = tree->change && p->view.law.weighs;
      if (by_v) one->v = LIMPET_TAKE_ZERO(p->w->arena, double, 6 * tree->n);
      if (changes) one->by_weights = LIMPET_TAKE_ZERO(p->w->arena, double, 6 * tree->n);
      if (!one->q || !one->moves || (by_v && !one->v) || (changes && !one->by_weights))
        return LIMPET_ERROR_MEMORY;
    }
    for (int k = 0; k < path->count; ++k) one->moves[path->step[k].dof - tree->first] = true;
    for (int k = 0; k < tree->n && tree->bend_q && p->view.curved; ++k) one->moves[k] = true;
  }
  return LIMPET_OK;
}

// -------------------------------------------------------------------------- one patch

static limpet_status patch_make(patch_writer *p) {
  limpet_arena *arena = p->w->arena;
  p->push = LIMPET_TAKE_ZERO(arena, double, 36 * steps_of(p));
  p->carry = LIMPET_TAKE_ZERO(arena, double, 6 * steps_of(p));
  p->change = LIMPET_TAKE(arena, double, 6 * steps_of(p));
  double *turned = LIMPET_TAKE(arena, double, 72 * steps_of(p));
  if (!p->push || !p->carry || !p->change || !turned) return LIMPET_ERROR_MEMORY;
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    p->force_turn[side] = LIMPET_TAKE(arena, double, 6 * p->view.path[side].count);
    if (!p->force_turn[side]) return LIMPET_ERROR_MEMORY;
    for (int k = 0; k < p->view.path[side].count; ++k)
      limpet_spatial_cross_force(p->force_turn[side] + 6 * k, p->view.path[side].step[k].S,
                                 p->view.law.F);
  }
  find_rows(p);
  if (p->view.law.weighs) {
    limpet_patch_law_sum_weights(&p->view.law);
    carry_columns(p, turned);
  }
  return take_wrenches(p);
}

// Patches of which both trees are to be differentiated by differences are left out.
static bool is_needed(const limpet_column_writer *w, const limpet_patch *patch) {
  const limpet_contact_problem *problem = &w->probe->residual->solved->problem;
  for (int s = 0; s < patch->side_count; ++s) {
    const limpet_block *block = &problem->block[patch->side[s].block];
    if (block->dof < w->probe->model->nv && w->tree[block->owner].known) return true;
  }
  return false;
}

limpet_status limpet_patch_columns_write(limpet_column_writer *w, int island,
                                         const limpet_patch *patch) {
  const limpet_arena_mark mark = limpet_arena_mark_now(w->arena);
  patch_writer p = {.w = w};
  if (!is_needed(w, patch) || !limpet_patch_view_matters(w, island, patch)) return LIMPET_OK;
  if (limpet_patch_view_make(w, island, patch, NULL, true, &p.view) || patch_make(&p))
    return LIMPET_ERROR_MEMORY;
  for (int side = 0; side < LIMPET_SIDES; ++side) add_side(&p, side);
  if (add_weights(&p)) return LIMPET_ERROR_MEMORY;
  halve_changes(&p);
  if (push_all(&p)) return LIMPET_ERROR_MEMORY;
  limpet_arena_release(w->arena, mark);
  return LIMPET_OK;
}
