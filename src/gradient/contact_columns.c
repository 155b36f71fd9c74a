// gradient/contact_columns.c: see contact_columns.h.
#include "gradient/contact_columns.h"

#include <assert.h>
#include <string.h>

#include "gradient/contact_motion.h"
#include "gradient/patch_columns.h"
#include "gradient/patch_sides.h"
#include "math/dense.h"
#include "math/dense_table.h"
#include "math/spatial.h"
#include "model/trees.h"

// Of the patches of one body, and of all that hangs on it; rows are those of the wrench.
typedef struct composite {
  bool any, weighs;
  double f[6];
  double W[36], V[36], V0[36], A[36];
  double E[6][36];  // last: set where it weighs
} composite;

// What poses and velocities multiply.
typedef struct dof_change {
  double S[6], V[6], p[6], q[6];  // axis, P x S, P0 x S, q of contact_motion.h
  double D[36];                   // 2 crm(S) D_j; where there are Delassus estimates
} dof_change;

// S_i . dF by weights of Delassus estimates and by the acceleration of the centre of mass, of all
// patches of a tree.
typedef struct tree_rows {
  bool any, weighs;
  int end;                // of the velocities, within the tree, that have rows
  double *weight, *bend;  // (weights x n), (3 x n)
} tree_rows;

typedef struct composite_writer {
  const limpet_column_writer *w;
  limpet_contact_motion motion;
  composite *body;                 // (body_count)
  dof_change *dof;                 // (nv)
  int *path;                       // (nv)  velocities before a body, the nearest first
  tree_rows *rows;                 // (tree_count)
  const limpet_tree_change *tree;  // the one whose columns are written
  tree_rows *own;                  // its rows
} composite_writer;

// -------------------------------------------------------------------------- which patches

// Whether a contact of the patch may stand at a switch.
static bool may_switch(const limpet_column_writer *w, int island, const limpet_patch *patch) {
  const limpet_smooth_island *smooth = &w->probe->residual->smooth[island];
  const limpet_contact_records *records = &w->probe->residual->solved->records;
  const limpet_contact_problem *problem = &w->probe->residual->solved->problem;
  const int first = patch->contact - smooth->base.island->contact;
  for (int c = patch->contact; c < patch->contact + patch->contact_count; ++c) {
    const limpet_contact_record *record = &records->record[problem->contact_source[c]];
    const limpet_pair_material *material = &records->pair[record->pair].material;
    if (material->friction_static > material->friction) return true;
  }
  for (int i = 0; i < smooth->weak_count; ++i)
    if (smooth->weak[i].kind != LIMPET_WEAK_ROW && smooth->weak[i].index >= first &&
        smooth->weak[i].index < first + patch->contact_count)
      return true;
  return false;
}

/* The tree of a patch of one known tree, with itself or with what does not move; LIMPET_NONE: it
 * has another form. */
static int single_tree(const limpet_column_writer *w, int island, const limpet_patch *patch) {
  int unit[LIMPET_SIDES];
  limpet_patch_units(w, patch, unit);
  const int a = w->probe->model->body_tree[unit[LIMPET_SIDE_A]],
            b = w->probe->model->body_tree[unit[LIMPET_SIDE_B]], tree = a >= 0 ? a : b;
  if ((a >= 0 && b >= 0 && a != b) || tree < 0 || !w->tree[tree].known ||
      may_switch(w, island, patch))
    return LIMPET_NONE;
  return tree;
}

// -------------------------------------------------------------------------- one side of a patch

static void begin(composite *c, bool weighs) {
  if (!c->any) memset(c, 0, offsetof(composite, E));
  c->any = true;
  if (!weighs || c->weighs) return;
  memset(c->E, 0, sizeof c->E);
  c->weighs = true;
}

// E of a patch about the tree's origin.
static void shift_weights(const limpet_patch_view *p, double sign, const double lever[3],
                          double E[6][36]) {
  memset(E, 0, 6 * sizeof *E);
  for (int r = 0; r < 6; ++r) limpet_side_shift_matrix(E[r], sign, p->law.by_D[r], lever);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    for (int e = 0; e < 36; e += 6) {
      limpet_spatial_addmul(E[i] + e, lever[j], E[3 + k] + e);
      limpet_spatial_addmul(E[i] + e, -lever[k], E[3 + j] + e);
    }
  }
}

// W += motion x* rows
static void add_turned_rows(double W[36], const double motion[6], const double rows[36]) {
  for (int r = 0; r < 36; r += 6) limpet_side_add_turned(W + r, 1.0, motion, rows + r);
}

// What the wrench gets from the motions of one side, about a point that both have in common.
typedef struct side_matrices {
  double W[36], V[36], V0[36], A[36];
  double D[36];  // what W has besides for velocities of this side alone, by Delassus estimates
} side_matrices;

// D (6 x 6), sum of motions C W', about a point that is `offset` from the origin.
static void shift_motions(double D[36], const double offset[3]) {
  for (int i = 0; i < 36; i += 6) {
    double row[6];
    limpet_spatial_copy(row, D + i);
    limpet_spatial_shift_motion(D + i, row, offset);
  }
  for (int i = 0; i < 3; ++i) {
    const int a = (i + 1) % 3, b = (i + 2) % 3;
    limpet_spatial_addmul(D + 6 * (3 + i), offset[b], D + 6 * a);
    limpet_spatial_addmul(D + 6 * (3 + i), -offset[a], D + 6 * b);
  }
}

/* D of that: by the twist of the body, of which A sees the others turn. Those of the velocities
 * that a pose does not move are taken back: dof_change.D. */
static void see_weights(const composite_writer *s, const limpet_patch_view *p, int side,
                        const double offset[3], double E[6][36], double D[36]) {
  double all[36], turned[6];
  memcpy(all, s->motion.body[p->unit[side]].D, sizeof all);
  if (side == LIMPET_SIDE_A)
    for (int k = 0; k < LIMPET_SIDES; ++k) {
      const double *other = s->motion.body[p->unit[k]].D;
      for (int e = 0; e < 36 && p->path[k].count > 0; ++e) all[e] -= other[e];
    }
  for (int e = 0; e < 36 && side == LIMPET_SIDE_A && p->meets != LIMPET_NONE; ++e)
    all[e] += 2.0 * s->motion.body[p->meets].D[e];
  shift_motions(all, offset);
  for (int r = 0; r < 6; ++r) {
    limpet_side_all_turned(all, E[r], turned);
    limpet_spatial_copy(D + 6 * r, turned);
  }
}

// The rows of a law, as factors of the motions of both sides about the patch's point.
typedef struct patch_rows {
  double xi[36], dV[36], dV0[36], dA[36];
} patch_rows;

static void find_rows(const limpet_patch_view *p, patch_rows rows[LIMPET_SIDES]) {
  for (int r = 0; r < 6; ++r) {
    limpet_side_factors all[LIMPET_SIDES];
    double axis[6] = {0.0};
    axis[r] = 1.0;
    limpet_patch_sides(p, p->law.K + LIMPET_LAW_WIDTH * r, all);
    limpet_side_add_turned(all[LIMPET_SIDE_A].xi, -1.0, axis, p->law.F);
    for (int side = 0; side < LIMPET_SIDES; ++side) {
      limpet_spatial_copy(rows[side].xi + 6 * r, all[side].xi);
      limpet_spatial_copy(rows[side].dV + 6 * r, all[side].dV);
      limpet_spatial_copy(rows[side].dV0 + 6 * r, all[side].dV0);
      limpet_spatial_copy(rows[side].dA + 6 * r, all[side].dA);
    }
  }
}

// Where a patch is seen from.
typedef struct patch_place {
  double sign;           // of all
  const double *lever;   // (3)  [m]  from the point of the matrices to that of the patch
  const double *offset;  // (3)  [m]  from the tree's origin to the point of the matrices
  double (*E)[36];       // (6 x 36)  of the patch, there; read where it weighs
} patch_place;

static void side_of(const composite_writer *s, const limpet_patch_view *p, int side,
                    const patch_rows *rows, const patch_place *at, side_matrices *to) {
  const limpet_body_motion *motion = &s->motion.body[p->unit[side]];
  double V[6], V0[6], A[6];
  memset(to, 0, sizeof *to);
  limpet_spatial_shift_motion(V, motion->V, at->offset);
  limpet_side_shift_matrix(to->W, at->sign, rows->xi, at->lever);
  limpet_side_shift_matrix(to->V, at->sign, rows->dV, at->lever);
  add_turned_rows(to->W, V, to->V);
  if (p->law.weighs) see_weights(s, p, side, at->offset, at->E, to->D);
  if (!p->curved && !p->law.has_0) return;
  limpet_spatial_shift_motion(V0, motion->V0, at->offset);
  limpet_spatial_shift_motion(A, motion->A, at->offset);
  limpet_side_shift_matrix(to->V0, at->sign, rows->dV0, at->lever);
  limpet_side_shift_matrix(to->A, at->sign, rows->dA, at->lever);
  add_turned_rows(to->W, V0, to->V0);
  add_turned_rows(to->W, A, to->A);
  add_turned_rows(to->V0, V0, to->A);
}

static void add_rows(double to[36], const double rows[36]) {
  for (int r = 0; r < 36; r += 6) limpet_spatial_addmul(to + r, 1.0, rows + r);
}

static void lever_of(const composite_writer *s, const limpet_patch_view *p, double lever[3]) {
  limpet_vec3_sub(
      lever, p->patch->point,
      s->w->probe->data->tree_origin + 3 * s->w->probe->model->dof_tree[s->tree->first]);
}

// A patch with what does not move.
static void add_patch(composite_writer *s, const limpet_patch_view *p, int side) {
  static const double none[3] = {0.0};
  const double sign = limpet_patch_signs[side];
  composite *to = &s->body[p->unit[side]];
  double lever[3], f[6], E[6][36];
  side_matrices own;
  patch_rows rows[LIMPET_SIDES];
  find_rows(p, rows);
  lever_of(s, p, lever);
  if (p->law.weighs) shift_weights(p, sign, lever, E);
  side_of(s, p, side, &rows[side], &(patch_place){sign, lever, none, E}, &own);
  begin(to, p->law.weighs);
  limpet_side_shift_force(f, p->law.F, lever);
  limpet_spatial_addmul(to->f, sign, f);
  add_rows(to->W, own.W);
  add_rows(to->W, own.D);
  add_rows(to->V, own.V);
  add_rows(to->V0, own.V0);
  add_rows(to->A, own.A);
  for (int r = 0; r < 6 && p->law.weighs; ++r) add_rows(to->E[r], E[r]);
}

// -------------------------------------------------------------------------- velocities

// y (6) = M x
static void multiply_add(double y[6], const double M[36], const double x[6]) {
  for (int i = 0; i < 6; ++i) y[i] += limpet_spatial_dot(M + 6 * i, x);
}

// y (6) += M' x
static void multiply_transposed_add(double y[6], const double M[36], const double x[6]) {
  for (int i = 0; i < 6; ++i) limpet_spatial_addmul(y, x[i], M + 6 * i);
}

static double dot_36(const double *a, const double *b) {
  double sum = 0.0;
  for (int e = 0; e < 36; e += 6) sum += limpet_spatial_dot(a + e, b + e);
  return sum;
}

// D += C_k W_k'
static void add_outer(double D[36], const double C[6], const double W[6]) {
  for (int i = 0; i < 6; ++i) limpet_spatial_addmul(D + 6 * i, C[i], W);
}

/* Whether pose j moves C of velocity k of the same joint: body_path.h. */
static bool moves_steady(const composite_writer *s, int j, int k) {
  const limpet_model *model = s->w->probe->model;
  const bool together = limpet_dofs_turn_together(model, j, k);
  if (together && !limpet_contact_motion_whole_joints(&s->motion) &&
      model->joint_kind[model->dof_joint[j]] == LIMPET_JOINT_FREE)
    return false;
  return together || k > j;
}

// 2 crm(S_j) D_j of a joint; D (36): before it.
static void turn_weights(composite_writer *s, int first, int end, const double D[36]) {
  for (int j = first; j < end; ++j) {
    dof_change *to = &s->dof[j];
    double still[36];
    memcpy(still, D, sizeof still);
    for (int k = first; k < end; ++k)
      if (!moves_steady(s, j, k)) add_outer(still, s->motion.dof[k].C, s->motion.dof[k].W);
    // (S x columns of D) row by row
    memset(to->D, 0, sizeof to->D);
    const double *w = to->S, *u = to->S + 3;
    for (int i = 0; i < 3; ++i) {
      const int a = (i + 1) % 3, b = (i + 2) % 3;
      limpet_spatial_addmul(to->D + 6 * i, 2.0 * w[a], still + 6 * b);
      limpet_spatial_addmul(to->D + 6 * i, -2.0 * w[b], still + 6 * a);
      double *low = to->D + 6 * (3 + i);
      limpet_spatial_addmul(low, 2.0 * w[a], still + 6 * (3 + b));
      limpet_spatial_addmul(low, -2.0 * w[b], still + 6 * (3 + a));
      limpet_spatial_addmul(low, 2.0 * u[a], still + 6 * b);
      limpet_spatial_addmul(low, -2.0 * u[b], still + 6 * a);
    }
  }
}

// What the velocities of a tree multiply.
static void make_changes(composite_writer *s) {
  const limpet_model *model = s->w->probe->model;
  const limpet_tree_change *tree = s->tree;
  for (int d = tree->first; d < tree->first + tree->n; ++d) {
    const limpet_dof_motion *m = &s->motion.dof[d];
    dof_change *to = &s->dof[d];
    limpet_spatial_copy(to->S, s->w->probe->data->dof_axis + 6 * d);
    limpet_spatial_cross_motion(to->V, m->P, to->S);
    limpet_spatial_copy(to->p, m->p);
    limpet_spatial_copy(to->q, m->q);
  }
  if (!s->motion.weighs) return;
  for (int d = tree->first, end; d < tree->first + tree->n; d = end) {
    const int joint = model->dof_joint[d], body = model->dof_body[d],
              parent = model->body_parent[body];
    end = d + limpet_joint_kind_nv(model->joint_kind[joint]);
    double D[36] = {0.0};
    if (model->body_tree[parent] >= 0) memcpy(D, s->motion.body[parent].D, sizeof D);
    for (int k = model->joint_v[model->body_joint[body]]; k < d; ++k)
      add_outer(D, s->motion.dof[k].C, s->motion.dof[k].W);
    turn_weights(s, d, end, D);
  }
}

// -------------------------------------------------------------------------- pairs of velocities

// Changes of the wrench by pose and velocity i.
typedef struct wrench_change {
  double q[6], v[6];
} wrench_change;

static void change_wrench(const composite_writer *s, const composite *c, int i, wrench_change *u) {
  const dof_change *x = &s->dof[i];
  memset(u, 0, sizeof *u);
  multiply_add(u->q, c->W, x->S);
  multiply_add(u->q, c->V, x->V);
  multiply_add(u->q, c->V0, x->p);
  multiply_add(u->q, c->A, x->q);
  for (int r = 0; r < 6 && c->weighs; ++r) u->q[r] -= dot_36(c->E[r], x->D);
  if (!s->w->columns->v) return;
  multiply_add(u->v, c->V0, x->S);
  multiply_add(u->v, c->A, s->motion.dof[i].rate);
}

// Row i of dr: what poses and velocities of bodies before its own are multiplied by.
typedef struct row_factors {
  double S[6], V[6], V0[6], A[6];
  double E[36];
} row_factors;

static void take_row(const composite_writer *s, const composite *c, int i, row_factors *g) {
  const double *S = s->dof[i].S;
  memset(g, 0, offsetof(row_factors, E));
  multiply_transposed_add(g->S, c->W, S);
  multiply_transposed_add(g->V, c->V, S);
  multiply_transposed_add(g->V0, c->V0, S);
  multiply_transposed_add(g->A, c->A, S);
  if (!c->weighs) return;
  memset(g->E, 0, sizeof g->E);
  for (int r = 0; r < 6; ++r)
    for (int e = 0; e < 36; e += 6) limpet_spatial_addmul(g->E + e, S[r], c->E[r] + e);
}

// Column j, row i -= x
static void subtract(const composite_writer *s, double *columns, int i, int j, double x) {
  limpet_column_of(s->w, columns, j)[s->w->slot[i]] -= x;
}

// Row i of the columns before its body.
static void write_row(const composite_writer *s, const composite *c, int i, const row_factors *g,
                      int before) {
  limpet_columns *columns = s->w->columns;
  double seen[6], turned[6];
  limpet_spatial_cross_force(turned, s->dof[i].S, c->f);
  limpet_spatial_copy(seen, g->S);
  limpet_spatial_addmul(seen, 1.0, turned);
  for (int k = 0; k < before; ++k) {
    const int j = s->path[k];
    const dof_change *x = &s->dof[j];
    double by_q = limpet_spatial_dot(seen, x->S) + limpet_spatial_dot(g->V, x->V) +
                  limpet_spatial_dot(g->V0, x->p) + limpet_spatial_dot(g->A, x->q);
    if (c->weighs) by_q -= dot_36(g->E, x->D);
    subtract(s, columns->q, i, j, by_q);
    if (columns->v)
      subtract(s, columns->v, i, j,
               limpet_spatial_dot(g->V0, x->S) + limpet_spatial_dot(g->A, s->motion.dof[j].rate));
  }
}

// Column i of the rows of its own body, first .. end, and before it.
static void write_column(const composite_writer *s, const composite *c, int i, int first, int end,
                         int before) {
  const limpet_model *model = s->w->probe->model;
  limpet_columns *columns = s->w->columns;
  wrench_change u;
  change_wrench(s, c, i, &u);
  double *q = limpet_column_of(s->w, columns->q, i),
         *v = columns->v ? limpet_column_of(s->w, columns->v, i) : NULL;
  for (int k = 0; k < before; ++k) {
    const int a = s->path[k], to = s->w->slot[a];
    q[to] -= limpet_spatial_dot(s->dof[a].S, u.q);
    if (v) v[to] -= limpet_spatial_dot(s->dof[a].S, u.v);
  }
  for (int a = first; a < end; ++a) {
    const int to = s->w->slot[a];
    q[to] -= limpet_spatial_dot(s->dof[a].S, u.q);
    if (v) v[to] -= limpet_spatial_dot(s->dof[a].S, u.v);
    // the axes that pose i moves
    if (a == i || (a < i && !limpet_dofs_turn_together(model, i, a))) continue;
    double turned[6];
    limpet_spatial_cross_force(turned, s->dof[a].S, c->f);
    q[to] -= limpet_spatial_dot(s->dof[i].S, turned);
  }
}

/* -S_i . dF by the entries of A_JJ^-1 that velocity k has with those of its joint up to it: weight
 * (weights x n). E (36): <E, C_k C_l'> is what the wrench gets, times S_i. */
static void weigh_row(const composite_writer *s, int i, int k, const double E[36]) {
  const limpet_tree_change *tree = s->tree;
  const int dof = k - tree->first, local = tree->local[dof];
  double h[6] = {0.0};
  multiply_add(h, E, s->motion.dof[k].C);
  for (int l = 0; l <= local; ++l)
    s->own->weight[limpet_tree_weight(tree, dof, l) * tree->n + i - tree->first] +=
        (l < local ? 2.0 : 1.0) * limpet_spatial_dot(s->motion.dof[k - local + l].C, h);
}

// The same for all rows before a body, by velocity k of the body.
static void weigh_column(const composite_writer *s, const composite *c, int k, int before) {
  const limpet_tree_change *tree = s->tree;
  const int dof = k - tree->first, local = tree->local[dof];
  double h[6][6];
  memset(h, 0, sizeof h);
  for (int r = 0; r < 6; ++r) multiply_add(h[r], c->E[r], s->motion.dof[k].C);
  for (int l = 0; l <= local; ++l) {
    double push[6], *to = s->own->weight + limpet_tree_weight(tree, dof, l) * tree->n - tree->first;
    for (int r = 0; r < 6; ++r)
      push[r] = (l < local ? 2.0 : 1.0) * limpet_spatial_dot(s->motion.dof[k - local + l].C, h[r]);
    for (int i = 0; i < before; ++i)
      to[s->path[i]] += limpet_spatial_dot(s->dof[s->path[i]].S, push);
  }
}

// A velocity of the tree has a row.
static void reach(const composite_writer *s, int dof) {
  const int end = dof + 1 - s->tree->first;
  if (end > s->own->end) s->own->end = end;
}

static void write_body(composite_writer *s, int body) {
  const limpet_model *model = s->w->probe->model;
  const limpet_tree_change *tree = s->tree;
  const composite *c = &s->body[body];
  if (model->body_joint_count[body] == 0) return;
  const int first = model->joint_v[model->body_joint[body]], end = model->body_last_dof[body] + 1;
  int before = 0;
  reach(s, end - 1);
  for (int d = model->dof_parent[first]; d >= 0; d = model->dof_parent[d]) s->path[before++] = d;
  for (int i = first; i < end; ++i) {
    row_factors g;
    take_row(s, c, i, &g);
    write_row(s, c, i, &g, before);
    write_column(s, c, i, first, end, before);
    for (int a = 0; a < 3 && tree->bend_q; ++a)
      s->own->bend[a * tree->n + i - tree->first] -= g.A[3 + a];
    if (!c->weighs) continue;
    for (int k = 0; k < before; ++k) weigh_row(s, i, s->path[k], g.E);
    for (int k = first; k < end; ++k) weigh_row(s, i, k, g.E);
    weigh_column(s, c, i, before);
  }
}

static void pass_on(composite_writer *s, int body) {
  const int parent = s->w->probe->model->body_parent[body];
  const composite *c = &s->body[body];
  composite *to = &s->body[parent];
  if (s->w->probe->model->body_tree[parent] < 0) return;
  begin(to, c->weighs);
  limpet_spatial_addmul(to->f, 1.0, c->f);
  for (int e = 0; e < 36; e += 6) {
    limpet_spatial_addmul(to->W + e, 1.0, c->W + e);
    limpet_spatial_addmul(to->V + e, 1.0, c->V + e);
    limpet_spatial_addmul(to->V0 + e, 1.0, c->V0 + e);
    limpet_spatial_addmul(to->A + e, 1.0, c->A + e);
    for (int r = 0; r < 6 && c->weighs; ++r) limpet_spatial_addmul(to->E[r] + e, 1.0, c->E[r] + e);
  }
}

// -------------------------------------------------------------------------- a tree with itself

// One velocity on the way to a side of a patch, about the patch's point.
typedef struct pair_row {
  int dof, side;  // side: LIMPET_SIDES: both
  dof_change at;
  double rate[6];
  double turned[6];  // S x* F
} pair_row;

/* About the patch's point: about the tree's origin, far away, the rotation of what is near to the
 * point would cancel. */
typedef struct tree_pair {
  const limpet_patch_view *view;
  double offset[3];  // of that point from the tree's origin
  side_matrices side[LIMPET_SIDES];
  double E[6][36];
  int count, both;  // velocities of one side, which are rows; of both, which follow them
  pair_row *row;    // (count + both)
} tree_pair;

static void put_row(const composite_writer *s, tree_pair *pair, int dof, int side) {
  const dof_change *x = &s->dof[dof];
  pair_row *row = &pair->row[pair->count + pair->both];
  row->dof = dof, row->side = side;
  limpet_spatial_shift_motion(row->at.S, x->S, pair->offset);
  limpet_spatial_shift_motion(row->at.V, x->V, pair->offset);
  limpet_spatial_shift_motion(row->at.p, x->p, pair->offset);
  limpet_spatial_shift_motion(row->at.q, x->q, pair->offset);
  limpet_spatial_shift_motion(row->rate, s->motion.dof[dof].rate, pair->offset);
  limpet_spatial_cross_force(row->turned, row->at.S, pair->view->law.F);
  if (!pair->view->law.weighs || side == LIMPET_SIDES) return;
  memcpy(row->at.D, x->D, sizeof x->D);
  shift_motions(row->at.D, pair->offset);
}

// The velocities up to the body where both ways meet move one side alone.
static limpet_status pair_rows(const composite_writer *s, tree_pair *pair) {
  const limpet_model *model = s->w->probe->model;
  const int meets = pair->view->meets == LIMPET_NONE ? -1 : model->body_last_dof[pair->view->meets];
  pair->row = LIMPET_TAKE(s->w->arena, pair_row, 2 * s->tree->n);
  if (!pair->row) return LIMPET_ERROR_MEMORY;
  for (int side = 0; side < LIMPET_SIDES; ++side)
    for (int d = model->body_last_dof[pair->view->unit[side]]; d > meets;
         d = model->dof_parent[d]) {
      put_row(s, pair, d, side);
      reach(s, d);
      ++pair->count;
    }
  for (int d = meets; d >= 0 && pair->view->curved; d = model->dof_parent[d]) {
    put_row(s, pair, d, LIMPET_SIDES);
    ++pair->both;
  }
  return LIMPET_OK;
}

// u += the changes of the wrench by pose and velocity of a row, as a motion of one side.
static void add_change(const side_matrices *m, const pair_row *row, wrench_change *u) {
  multiply_add(u->q, m->W, row->at.S);
  multiply_add(u->q, m->V, row->at.V);
  multiply_add(u->q, m->V0, row->at.p);
  multiply_add(u->q, m->A, row->at.q);
  multiply_add(u->v, m->V0, row->at.S);
  multiply_add(u->v, m->A, row->rate);
}

// The column of a velocity.
static void pair_column(const composite_writer *s, const tree_pair *pair, const pair_row *by,
                        const wrench_change *u) {
  const limpet_model *model = s->w->probe->model;
  double *q = limpet_column_of(s->w, s->w->columns->q, by->dof),
         *v = s->w->columns->v ? limpet_column_of(s->w, s->w->columns->v, by->dof) : NULL;
  for (int k = 0; k < pair->count; ++k) {
    const pair_row *row = &pair->row[k];
    const double sign = limpet_patch_signs[row->side];
    const int to = s->w->slot[row->dof];
    double by_q = limpet_spatial_dot(row->at.S, u->q);
    if ((by->side == LIMPET_SIDES || row->side == by->side) &&
        (row->dof > by->dof || limpet_dofs_turn_together(model, by->dof, row->dof)))
      by_q += limpet_spatial_dot(by->at.S, row->turned);
    q[to] -= sign * by_q;
    if (v) v[to] -= sign * limpet_spatial_dot(row->at.S, u->v);
  }
}

// By weights of a velocity of one side: as weigh_row, of all rows of the patch.
static void pair_weights(const composite_writer *s, const tree_pair *pair, int j) {
  const limpet_tree_change *tree = s->tree;
  const int dof = j - tree->first, local = tree->local[dof];
  double h[6][6], C[6];
  memset(h, 0, sizeof h);
  limpet_spatial_shift_motion(C, s->motion.dof[j].C, pair->offset);
  for (int r = 0; r < 6; ++r)
    for (int i = 0; i < 6; ++i) h[r][i] = limpet_spatial_dot(pair->E[r] + 6 * i, C);
  for (int l = 0; l <= local; ++l) {
    double push[6], *to = s->own->weight + limpet_tree_weight(tree, dof, l) * tree->n - tree->first;
    limpet_spatial_shift_motion(C, s->motion.dof[j - local + l].C, pair->offset);
    for (int r = 0; r < 6; ++r) push[r] = (l < local ? 2.0 : 1.0) * limpet_spatial_dot(C, h[r]);
    for (int k = 0; k < pair->count; ++k)
      to[pair->row[k].dof] +=
          limpet_patch_signs[pair->row[k].side] * limpet_spatial_dot(pair->row[k].at.S, push);
  }
}

static void pair_bend(const composite_writer *s, const tree_pair *pair) {
  const limpet_tree_change *tree = s->tree;
  for (int a = 0; a < 3 && tree->bend_q; ++a) {
    double by[6];
    for (int r = 0; r < 6; ++r)
      by[r] =
          pair->side[LIMPET_SIDE_A].A[6 * r + 3 + a] + pair->side[LIMPET_SIDE_B].A[6 * r + 3 + a];
    for (int k = 0; k < pair->count; ++k)
      s->own->bend[a * tree->n + pair->row[k].dof - tree->first] -=
          limpet_patch_signs[pair->row[k].side] * limpet_spatial_dot(pair->row[k].at.S, by);
  }
}

// A patch between two bodies of one tree, velocity by velocity.
static limpet_status write_pair(const composite_writer *s, const limpet_patch_view *p) {
  static const double none[3] = {0.0};
  tree_pair pair;
  patch_rows rows[LIMPET_SIDES];
  pair.view = p, pair.count = pair.both = 0;
  find_rows(p, rows);
  lever_of(s, p, pair.offset);
  if (p->law.weighs) memcpy(pair.E, p->law.by_D, sizeof pair.E);
  for (int side = 0; side < LIMPET_SIDES; ++side)
    side_of(s, p, side, &rows[side], &(patch_place){1.0, none, pair.offset, pair.E},
            &pair.side[side]);
  if (pair_rows(s, &pair)) return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < pair.count; ++k) {
    const pair_row *row = &pair.row[k];
    const side_matrices *own = &pair.side[row->side];
    wrench_change u = {{0.0}, {0.0}};
    add_change(own, row, &u);
    if (p->law.weighs) {
      multiply_add(u.q, own->D, row->at.S);
      for (int r = 0; r < 6; ++r) u.q[r] -= dot_36(pair.E[r], row->at.D);
      pair_weights(s, &pair, row->dof);
    }
    pair_column(s, &pair, row, &u);
  }
  // what both share changes nothing but the bias of curved paths
  for (int k = pair.count; k < pair.count + pair.both; ++k) {
    wrench_change u = {{0.0}, {0.0}};
    for (int side = 0; side < LIMPET_SIDES; ++side) add_change(&pair.side[side], &pair.row[k], &u);
    pair_column(s, &pair, &pair.row[k], &u);
  }
  pair_bend(s, &pair);
  return LIMPET_OK;
}

// -------------------------------------------------------------------------- one patch

// Kinks along the velocities of one side.
static void flag_kinks(const composite_writer *s, const limpet_patch_view *p, int side) {
  const limpet_model *model = s->w->probe->model;
  const int first = p->meets == LIMPET_NONE ? 0 : model->body_last_dof[p->meets] + 1;
  double lever[3], S[6];
  if (!p->law.kinked || p->path[side].count == 0) return;
  lever_of(s, p, lever);
  for (int d = model->body_last_dof[p->unit[side]]; d >= first; d = model->dof_parent[d]) {
    limpet_spatial_shift_motion(S, s->dof[d].S, lever);
    if (limpet_patch_law_meets_kink(&p->law, S)) s->w->columns->kinked_q[d] = true;
  }
}

static limpet_status write_patch(composite_writer *s, int island, const limpet_patch *patch) {
  limpet_arena *arena = s->w->arena;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  limpet_patch_view view;
  if (limpet_patch_view_make(s->w, island, patch, s->motion.body, s->motion.weighs, &view))
    return LIMPET_ERROR_MEMORY;
  assert(view.law.switch_count == 0);
  const bool moves_a = view.path[LIMPET_SIDE_A].count > 0,
             moves_b = view.path[LIMPET_SIDE_B].count > 0;
  s->own->weighs = s->own->weighs || view.law.weighs;
  for (int side = 0; side < LIMPET_SIDES; ++side) flag_kinks(s, &view, side);
  if (!moves_a || !moves_b) add_patch(s, &view, moves_a ? LIMPET_SIDE_A : LIMPET_SIDE_B);
  else if (write_pair(s, &view)) return LIMPET_ERROR_MEMORY;
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

// -------------------------------------------------------------------------- whole trees

// columns -= by (rows x n)' to (rows x n), of the velocities `along` of a tree.
static void add_product(const composite_writer *s, int rows, limpet_range along, const double *by,
                        const double *to, double *columns) {
  const limpet_tree_change *tree = s->tree;
  limpet_dense()->sub_mul(
      along.end - along.first, s->own->end, rows, by + along.first, 1, tree->n, to, tree->n,
      limpet_column_of(s->w, columns, tree->first + along.first) + s->w->slot[tree->first],
      s->w->probe->residual->size);
}

// Where a row of n is not zero.
static limpet_range row_range(int n, const double *row) {
  limpet_range range = {0, n};
  while (range.first < n && row[range.first] == 0.0) ++range.first;
  while (range.end > range.first && row[range.end - 1] == 0.0) --range.end;
  return range;
}

/* The next rows of weights, from rows->end on, that some velocity has, and along which poses: most
 * depend on what is behind their joint alone. Rows whose ranges have more than half in common go
 * together. False: there are none. */
static bool next_weights(const composite_writer *s, const double *by, limpet_range *rows,
                         limpet_range *along) {
  const int n = s->tree->n, weights = s->tree->weights;
  *along = (limpet_range){0, 0};
  for (rows->first = rows->end; rows->first < weights; ++rows->first) {
    *along = row_range(n, by + rows->first * n);
    if (along->end > along->first && !limpet_is_zero(n, s->own->weight + rows->first * n)) break;
  }
  for (rows->end = rows->first + 1; rows->end < weights; ++rows->end) {
    const limpet_range one = row_range(n, by + rows->end * n);
    const int first = one.first < along->first ? one.first : along->first,
              end = one.end > along->end ? one.end : along->end;
    if (end - first > 2 * (one.end - one.first) || end - first > 2 * (along->end - along->first) ||
        limpet_is_zero(n, s->own->weight + rows->end * n))
      break;
    *along = (limpet_range){first, end};
  }
  return rows->first < weights;
}

// columns -= by' weights
static void add_weighed(const composite_writer *s, const double *by, double *columns) {
  const int n = s->tree->n;
  limpet_range rows = {0, 0}, along;
  while (next_weights(s, by, &rows, &along))
    add_product(s, rows.end - rows.first, along, by + rows.first * n,
                s->own->weight + rows.first * n, columns);
}

static void weigh_columns(const composite_writer *s) {
  const limpet_tree_change *tree = s->tree;
  const limpet_columns *columns = s->w->columns;
  assert(tree->steady_q);
  add_weighed(s, tree->steady_q, columns->q);
  if (!columns->v || !tree->by_middle) return;
  add_weighed(s, tree->steady_v, columns->v);
  if (!tree->change) return;
  // by c, which moves the middle of the step by half of what a velocity does
  for (int k = 0; k < tree->weights * tree->n; ++k) s->own->weight[k] *= 0.5;
  add_weighed(s, tree->steady_v, columns->change);
}

// What weights and the acceleration of the centre of mass do, along all velocities.
static void write_products(const composite_writer *s) {
  const limpet_tree_change *tree = s->tree;
  if (s->own->weighs) weigh_columns(s);
  const limpet_range all = {0, tree->n};
  if (!tree->bend_q) return;
  add_product(s, 3, all, tree->bend_q, s->own->bend, s->w->columns->q);
  if (s->w->columns->v) add_product(s, 3, all, tree->bend_v, s->own->bend, s->w->columns->v);
}

static void write_tree(composite_writer *s) {
  const limpet_model *model = s->w->probe->model;
  const limpet_range bodies = limpet_tree_bodies(model, model->dof_tree[s->tree->first]);
  for (int b = bodies.end - 1; b >= bodies.first; --b) {
    if (!s->body[b].any) continue;
    write_body(s, b);
    pass_on(s, b);
  }
  write_products(s);
}

static limpet_status take(composite_writer *s) {
  const limpet_model *model = s->w->probe->model;
  limpet_arena *arena = s->w->arena;
  s->body = LIMPET_TAKE(arena, composite, model->body_count);
  s->dof = LIMPET_TAKE(arena, dof_change, model->nv);
  s->path = LIMPET_TAKE(arena, int, 2 * model->nv);
  s->rows = LIMPET_TAKE_ZERO(arena, tree_rows, model->tree_count);
  if (!s->body || !s->dof || !s->path || !s->rows || limpet_contact_motion_take(s->w, &s->motion))
    return LIMPET_ERROR_MEMORY;
  for (int b = 0; b < model->body_count; ++b) s->body[b].any = s->body[b].weighs = false;
  return LIMPET_OK;
}

// `tree` is the one that is written; what it needs, once.
static limpet_status turn_to(composite_writer *s, int tree) {
  s->tree = &s->w->tree[tree];
  s->own = &s->rows[tree];
  if (s->own->any) return LIMPET_OK;
  const int n = s->tree->n, weights = s->motion.weighs ? s->tree->weights : 0;
  s->own->any = true;
  s->own->weight = LIMPET_TAKE_ZERO(s->w->arena, double, weights *n);
  s->own->bend = LIMPET_TAKE_ZERO(s->w->arena, double, 3 * n);
  if (!s->own->weight || !s->own->bend) return LIMPET_ERROR_MEMORY;
  limpet_contact_motion_fill(&s->motion, tree);
  make_changes(s);
  return LIMPET_OK;
}

limpet_status limpet_contact_columns_write(limpet_column_writer *w) {
  const limpet_contact_problem *problem = &w->probe->residual->solved->problem;
  const limpet_model *model = w->probe->model;
  const limpet_arena_mark mark = limpet_arena_mark_now(w->arena);
  composite_writer s = {.w = w};
  if (problem->patch_count == 0) return LIMPET_OK;
  if (take(&s)) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < problem->island_count; ++i) {
    const limpet_island *island = &problem->island[i];
    for (int k = island->patch; k < island->patch + island->patch_count; ++k) {
      const limpet_patch *patch = &problem->patch[k];
      const int tree = single_tree(w, i, patch);
      if (tree == LIMPET_NONE) {
        if (limpet_patch_columns_write(w, i, patch)) return LIMPET_ERROR_MEMORY;
      } else if (limpet_patch_view_matters(w, i, patch) &&
                 (turn_to(&s, tree) || write_patch(&s, i, patch))) {
        return LIMPET_ERROR_MEMORY;
      }
    }
  }
  for (int t = 0; t < model->tree_count; ++t) {
    if (!s.rows[t].any) continue;
    s.tree = &w->tree[t], s.own = &s.rows[t];
    write_tree(&s);
  }
  limpet_arena_release(w->arena, mark);
  return LIMPET_OK;
}
