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

#include "gradient/patch_view.h"
#include "math/dense_table.h"
#include "math/spatial.h"

// What the pose or a velocity does to one body of a patch.
typedef struct body_change {
  double xi[6], dV[6], dV0[6], dA[6];
} body_change;

// Changes of the wrench by the velocities of one tree.
typedef struct tree_wrench {
  const limpet_tree_change *tree;
  double *q, *v;  // (n x 6)  dF by pose and velocity; v: NULL where there are no such columns
} tree_wrench;

typedef struct patch_writer {
  const limpet_column_writer *w;
  limpet_patch_view view;
  double *force_turn[LIMPET_SIDES];  // (path x 6)  S_k x* F
  double *push;                      // (paths x 6)  dF by 1/A_kk of step k
  double *carry;  // (paths x 6)  dF through D by what moves a path from step k on
  int wrench_count;
  tree_wrench wrench[LIMPET_SIDES];  // of the trees that are known
} patch_writer;

// Whether something turns the body that b is seen from.
static bool slower_turns(const patch_writer *p) {
  return p->view.path[limpet_patch_view_slower(&p->view)].count > 0;
}

static const double small_part = 1e-7;  // [-]  of a twist, that meets no kink

static int steps_of(const patch_writer *p) {
  return p->view.path[LIMPET_SIDE_A].count + p->view.path[LIMPET_SIDE_B].count;
}

static int place_of(const patch_writer *p, int side, int k) {
  return side == LIMPET_SIDE_A ? k : p->view.path[LIMPET_SIDE_A].count + k;
}

// What the change of one body does to b, the turn of the slower one left out. moved [m]: of its
// origin.
static void body_bias_change(const patch_writer *p, int side, const body_change *c, double share,
                             double db[6], double moved[3]) {
  const limpet_body_path *path = &p->view.path[side];
  double turn[3], arm[3], v[3], dv[3], term[3];
  limpet_spatial_addmul(db, share, c->dA);
  limpet_patch_view_origin(path, p->view.patch->point, arm, v);
  limpet_vec3_cross(moved, c->xi, arm);
  limpet_vec3_add(moved, moved, c->xi + 3);
  limpet_vec3_cross(dv, c->dV0, arm);
  limpet_vec3_add(dv, dv, c->dV0 + 3);
  limpet_vec3_cross(term, path->V0, moved);
  limpet_vec3_add(dv, dv, term);
  limpet_vec3_cross(turn, c->dV0, v);
  limpet_vec3_addmul(db + 3, db + 3, share, turn);
  limpet_vec3_cross(turn, path->V0, dv);
  limpet_vec3_addmul(db + 3, db + 3, share, turn);
}

// Its change by bodies first .. end.
static void path_bias_change(const patch_writer *p, const body_change change[LIMPET_SIDES],
                             int first, int end, double dt, double db[6]) {
  double apart[3], moved_apart[3] = {0.0}, turn[3], arm[3], term[3];
  limpet_spatial_zero(db);
  for (int side = first; side < end; ++side) {
    double moved[3];
    body_bias_change(p, side, &change[side], 0.5 * dt * limpet_patch_signs[side], db, moved);
    limpet_vec3_addmul(moved_apart, moved_apart, -limpet_patch_signs[side], moved);
  }
  if (!slower_turns(p)) return;
  const int slower = limpet_patch_view_slower(&p->view);
  const double *omega = p->view.path[slower].V0, *domega = change[slower].dV0;
  limpet_vec3_sub(apart, p->view.path[LIMPET_SIDE_A].origin, p->view.path[LIMPET_SIDE_B].origin);
  limpet_vec3_cross(turn, omega, apart);
  limpet_vec3_cross(term, domega, turn);
  limpet_vec3_addmul(db + 3, db + 3, 0.5 * dt, term);
  limpet_vec3_cross(turn, domega, apart);
  limpet_vec3_cross(arm, omega, moved_apart);
  limpet_vec3_add(turn, turn, arm);
  limpet_vec3_cross(term, omega, turn);
  limpet_vec3_addmul(db + 3, db + 3, 0.5 * dt, term);
}

static void multiply_add(double y[6], const double K[36], const double x[6]) {
  for (int i = 0; i < 6; ++i) y[i] += limpet_spatial_dot(K + 6 * i, x);
}

// y += K_j x for six columns of the law from j on.
static void add_law(double y[6], const limpet_patch_law *law, int j, const double x[6]) {
  for (int i = 0; i < 6; ++i) y[i] += limpet_spatial_dot(law->K + LIMPET_LAW_WIDTH * i + j, x);
}

// x seen from a frame that moves with xi.
static void see_from(double x[6], const double xi[6], const double vector[6]) {
  double turned[6];
  limpet_spatial_cross_motion(turned, xi, vector);
  limpet_spatial_addmul(x, -1.0, turned);
}

// Weak contacts, of changes seen from body A.
static void switch_change(const patch_writer *p, const double xi[6], const double dV[6],
                          const double db[6], double *column) {
  const limpet_residual *residual = p->w->probe->residual;
  double *weak = column + residual->at[p->view.island] + residual->smooth[p->view.island].n;
  for (int i = 0; i < p->view.law.switch_count; ++i) {
    const limpet_switch_change *s = &p->view.law.switching[i];
    weak[s->weak] += limpet_spatial_dot(s->by_twist, xi) + limpet_spatial_dot(s->by_V, dV) +
                     limpet_spatial_dot(s->by_b, db);
  }
}

// B - A of bodies first .. end, the others stay.
static void relative(const double *of_a, const double *of_b, int first, int end, double x[6]) {
  limpet_spatial_zero(x);
  if (end > LIMPET_SIDE_B) limpet_spatial_copy(x, of_b);
  if (first == LIMPET_SIDE_A) limpet_spatial_addmul(x, -1.0, of_a);
}

// dF of one column of the pose, of changes of bodies first .. end, what 1/A_kk does left out;
// carried (6): what D does; the changes of weak contacts into `column`.
static void pose_wrench(const patch_writer *p, const body_change change[LIMPET_SIDES], int first,
                        int end, const double *carried, double *column, double dF[6]) {
  const limpet_patch_law *law = &p->view.law;
  const double *base = first == LIMPET_SIDE_A ? change[LIMPET_SIDE_A].xi : NULL;
  const body_change *a = &change[LIMPET_SIDE_A], *b = &change[LIMPET_SIDE_B];
  double xi[6], dV[6], dV0[6], db[6] = {0.0}, turned[6];
  relative(a->xi, b->xi, first, end, xi);
  relative(a->dV, b->dV, first, end, dV);
  if (base) see_from(dV, base, law->V);
  if (p->view.curved) {
    path_bias_change(p, change, first, end, p->w->probe->settings->time_step, db);
    if (base) see_from(db, base, law->b);
    add_law(dF, law, LIMPET_BY_BIAS, db);
  }
  if (law->has_0) {
    relative(a->dV0, b->dV0, first, end, dV0);
    if (base) see_from(dV0, base, law->V0);
    add_law(dF, law, LIMPET_BY_START, dV0);
  }
  add_law(dF, law, LIMPET_BY_TWIST, xi);
  add_law(dF, law, LIMPET_BY_V, dV);
  if (carried) limpet_spatial_addmul(dF, 1.0, carried);
  if (base) {
    limpet_spatial_cross_force(turned, base, law->F);
    limpet_spatial_addmul(dF, 1.0, turned);
  }
  switch_change(p, xi, dV, db, column);
}

// The same of a velocity at the start.
static void velocity_wrench(const patch_writer *p, const body_change change[LIMPET_SIDES],
                            int first, int end, double *column, double dF[6]) {
  static const double none[6] = {0.0};
  double dV0[6], db[6] = {0.0};
  if (p->view.curved) {
    path_bias_change(p, change, first, end, p->w->probe->settings->time_step, db);
    add_law(dF, &p->view.law, LIMPET_BY_BIAS, db);
  }
  if (p->view.law.has_0) {
    relative(change[LIMPET_SIDE_A].dV0, change[LIMPET_SIDE_B].dV0, first, end, dV0);
    add_law(dF, &p->view.law, LIMPET_BY_START, dV0);
  }
  switch_change(p, none, none, db, column);
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

// columns -= J' dF of all velocities of a tree.
static void push_tree(const patch_writer *p, const limpet_tree_change *tree,
                      const side_columns *side, const double *dF, double *columns) {
  const limpet_residual *residual = p->w->probe->residual;
  double *to = limpet_column_of(p->w, columns, tree->first) + residual->at[p->view.island];
  limpet_dense()->sub_mul(tree->n, side->n, 6, dF, 6, 1, side->J, side->n, to + side->first,
                          residual->size);
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

// column -= dS_k . F of what moves with step j.
static void turn_column(const patch_writer *p, int side, int j, double *column) {
  const limpet_body_path *path = &p->view.path[side];
  for (int k = 0; k < path->count; ++k) {
    if (path->step[k].shared || !limpet_body_path_moves(path, j, k)) continue;
    column[p->w->slot[path->step[k].dof]] -=
        limpet_patch_signs[side] * limpet_spatial_dot(path->step[j].S, p->force_turn[side] + 6 * k);
  }
}

// Changes of the bodies by the pose along step k of a side.
static void pose_change(const patch_writer *p, int first, int end, int k,
                        body_change change[LIMPET_SIDES]) {
  for (int s = first; s < end; ++s) {
    const limpet_path_dof *step = &p->view.path[s].step[k];
    limpet_spatial_copy(change[s].xi, step->S);
    limpet_spatial_copy(change[s].dV, step->dV);
    limpet_spatial_copy(change[s].dV0, step->dV0);
    limpet_spatial_copy(change[s].dA, step->dA);
  }
}

static void velocity_change(const patch_writer *p, int first, int end, int k,
                            body_change change[LIMPET_SIDES]) {
  for (int s = first; s < end; ++s) {
    const limpet_path_dof *step = &p->view.path[s].step[k];
    limpet_spatial_zero(change[s].xi);
    limpet_spatial_copy(change[s].dV0, step->S);
    limpet_spatial_copy(change[s].dA, step->dA_v);
  }
}

// Whether a twist has a part along which the geometry has a kink.
static bool meets_kink(const patch_writer *p, const double xi[6]) {
  for (int k = 0; k < 6; ++k)
    if ((p->view.law.kinked >> k & 1) && fabs(xi[k]) > small_part * (k < 3 ? 1.0 : 0.1))
      return true;
  return false;
}

// Along all steps of a side; those that both have count once.
static void add_side(const patch_writer *p, int side) {
  const limpet_columns *columns = p->w->columns;
  const limpet_body_path *path = &p->view.path[side];
  const bool by_v = columns->v && (p->view.curved || p->view.law.has_0);
  for (int k = 0; k < path->count; ++k) {
    const limpet_path_dof *step = &path->step[k];
    double *dF = wrench_of(p, step->dof, false);
    if (!dF || (step->shared && (side == LIMPET_SIDE_A || !p->view.curved))) continue;
    const int first = step->shared ? LIMPET_SIDE_A : side,
              end = step->shared ? LIMPET_SIDES : side + 1;
    body_change change[LIMPET_SIDES];
    memset(change, 0, sizeof change);
    double *q = limpet_column_of(p->w, columns->q, step->dof);
    const double *carried =
        step->shared || !p->view.law.weighs ? NULL : p->carry + 6 * place_of(p, side, k);
    pose_change(p, first, end, k, change);
    pose_wrench(p, change, first, end, carried, q, dF);
    for (int s = first; s < end; ++s) turn_column(p, s, k, q);
    if (!step->shared && meets_kink(p, step->S)) columns->kinked_q[step->dof] = true;
    if (!by_v) continue;
    velocity_change(p, first, end, k, change);
    velocity_wrench(p, change, first, end, limpet_column_of(p->w, columns->v, step->dof),
                    wrench_of(p, step->dof, true));
  }
}

// -------------------------------------------------------------------------- weights of a patch

/* What D gets from the columns C of a side: dF_i = t_ik . xi, t_ik = share C_k x* by_D_i C_k, of
 * what carries column k, and dF by its share. */
static void weigh_columns(const patch_writer *p, int side, double *turned) {
  const limpet_body_path *path = &p->view.path[side];
  memset(turned, 0, 36 * (size_t)path->count * sizeof *turned);
  for (int k = 0; k < path->count; ++k) {
    const limpet_path_dof *step = &path->step[k];
    double *push = p->push + 6 * place_of(p, side, k);
    for (int i = 0; i < 6 && !step->shared; ++i) {
      double h[6] = {0.0}, force[6];
      multiply_add(h, p->view.law.by_D[i], step->C);
      push[i] = limpet_spatial_dot(step->C, h);
      limpet_spatial_cross_force(force, step->C, h);
      limpet_spatial_addmul(turned + 36 * k + 6 * i, 2.0 * p->w->inverse[step->dof], force);
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

// What 1/A_kk of the paths does, along all velocities of their trees. LIMPET_OK or
// LIMPET_ERROR_MEMORY.
static limpet_status add_weights(const patch_writer *p) {
  for (int side = 0; side < LIMPET_SIDES && p->view.law.weighs; ++side) {
    const limpet_body_path *path = &p->view.path[side];
    if (path->count == 0) continue;
    const limpet_tree_change *tree = &p->w->tree[p->w->probe->model->dof_tree[path->step[0].dof]];
    double *q = wrench_of(p, tree->first, false), *v = wrench_of(p, tree->first, true);
    if (!q) continue;
    assert(tree->steady_q);
    double *less = LIMPET_TAKE_ZERO(p->w->arena, double, 6 * tree->n);
    if (!less) return LIMPET_ERROR_MEMORY;
    for (int k = 0; k < path->count; ++k)
      if (!path->step[k].shared)
        limpet_spatial_addmul(less + 6 * (path->step[k].dof - tree->first), -1.0,
                              p->push + 6 * place_of(p, side, k));
    limpet_dense()->sub_mul(tree->n, 6, tree->n, tree->steady_q, 1, tree->n, less, 6, q, 6);
    if (v && tree->by_middle)
      limpet_dense()->sub_mul(tree->n, 6, tree->n, tree->steady_v, 1, tree->n, less, 6, v, 6);
  }
  return LIMPET_OK;
}

static limpet_status push_all(const patch_writer *p) {
  const limpet_columns *columns = p->w->columns;
  for (int s = 0; s < p->view.patch->side_count; ++s) {
    side_columns side;
    if (p->view.patch->side[s].count == 0) continue;
    if (take_side(p, &p->view.patch->side[s], &side)) return LIMPET_ERROR_MEMORY;
    for (int i = 0; i < p->wrench_count; ++i) {
      const tree_wrench *one = &p->wrench[i];
      push_tree(p, one->tree, &side, one->q, columns->q);
      if (one->v) push_tree(p, one->tree, &side, one->v, columns->v);
    }
  }
  return LIMPET_OK;
}

// Room for the changes by the trees of both paths.
static limpet_status take_wrenches(patch_writer *p) {
  const limpet_model *model = p->w->probe->model;
  const bool by_v = p->w->columns->v && (p->view.curved || p->view.law.has_0 || p->view.law.weighs);
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    if (p->view.path[side].count == 0) continue;
    const limpet_tree_change *tree = &p->w->tree[model->dof_tree[p->view.path[side].step[0].dof]];
    if (!tree->known || (p->wrench_count > 0 && p->wrench[0].tree == tree)) continue;
    tree_wrench *one = &p->wrench[p->wrench_count++];
    *one = (tree_wrench){.tree = tree, .q = LIMPET_TAKE_ZERO(p->w->arena, double, 6 * tree->n)};
    if (by_v) one->v = LIMPET_TAKE_ZERO(p->w->arena, double, 6 * tree->n);
    if (!one->q || (by_v && !one->v)) return LIMPET_ERROR_MEMORY;
  }
  return LIMPET_OK;
}

// -------------------------------------------------------------------------- one patch

static limpet_status patch_make(patch_writer *p) {
  limpet_arena *arena = p->w->arena;
  p->push = LIMPET_TAKE_ZERO(arena, double, 6 * steps_of(p));
  p->carry = LIMPET_TAKE_ZERO(arena, double, 6 * steps_of(p));
  double *turned = LIMPET_TAKE(arena, double, 36 * steps_of(p));
  if (!p->push || !p->carry || !turned) return LIMPET_ERROR_MEMORY;
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    p->force_turn[side] = LIMPET_TAKE(arena, double, 6 * p->view.path[side].count);
    if (!p->force_turn[side]) return LIMPET_ERROR_MEMORY;
    for (int k = 0; k < p->view.path[side].count; ++k)
      limpet_spatial_cross_force(p->force_turn[side] + 6 * k, p->view.path[side].step[k].S,
                                 p->view.law.F);
  }
  if (p->view.law.weighs) carry_columns(p, turned);
  return take_wrenches(p);
}

// Patches of which both trees are to be differentiated by differences are left out.
static bool is_needed(const limpet_column_writer *w, const limpet_patch *patch) {
  const limpet_contact_problem *problem = &w->probe->residual->solved->problem;
  for (int s = 0; s < patch->side_count; ++s)
    if (w->tree[problem->block[patch->side[s].block].owner].known) return true;
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
  if (add_weights(&p) || push_all(&p)) return LIMPET_ERROR_MEMORY;
  limpet_arena_release(w->arena, mark);
  return LIMPET_OK;
}
