// gradient/contact_columns.c: see contact_columns.h.
#include "gradient/contact_columns.h"

#include <assert.h>
#include <string.h>

#include "gradient/contact_side.h"
#include "gradient/patch_columns.h"
#include "gradient/patch_sides.h"
#include "math/dense.h"
#include "math/dense_table.h"
#include "math/nonzero.h"
#include "math/spatial.h"
#include "model/trees.h"

/* What a pose multiplies, CHANGE numbers side by side. The matrices of wrenches have the same
 * order, [W V V0 A -E], so that rows and columns are products of them; what laws without Delassus
 * estimates have ends before E. */
enum { PLAIN = 24, WEIGHT = 36, CHANGE = PLAIN + WEIGHT, AT_V0 = 12, AT_A = 18 };

// Of the patches of one body, and of all that hangs on it; rows are those of the wrench.
typedef struct composite {
  bool any, weighs;
  double f[6];
  double M[6 * CHANGE];
} composite;

typedef struct dof_change {
  double S[6], V[6], p[6], q[6];  // axis, P x S, P0 x S, q of contact_motion.h
  double D[WEIGHT];               // 2 crm(S) D_j; where there are Delassus estimates
} dof_change;

typedef struct dof_rate {
  double S[6], rate[6];
} dof_rate;

// S_i . dF by weights of Delassus estimates and by the acceleration of the centre of mass, of all
// patches of a tree.
typedef struct tree_rows {
  bool any, weighs;
  int end;                // of the velocities, within the tree, that have rows
  double *weight, *bend;  // (weights x n), (3 x n)
  double *outer;          // (weights x 36)  C_k C_l', twice where l is not k
} tree_rows;

typedef struct composite_writer {
  const limpet_column_writer *w;
  limpet_contact_motion motion;
  composite *body;                 // (body_count)
  dof_change *dof;                 // (nv)
  dof_rate *rate;                  // (nv)
  int run_count;                   // velocities before a body, the nearest first
  limpet_range *run;               // (nv)
  double *product;                 // (the most weights of a tree)
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
  if (!c->any) memset(c, 0, sizeof *c);
  c->any = true;
  c->weighs = c->weighs || weighs;
}

static int width_of(bool weighs) { return weighs ? CHANGE : PLAIN; }

// M += the matrix of one of the things that it multiplies.
static void add_matrix(double M[6 * CHANGE], int at, double share, const double rows[36]) {
  for (int r = 0; r < 6; ++r) limpet_spatial_addmul(M + CHANGE * r + at, share, rows + 6 * r);
}

static void add_plain(double M[6 * CHANGE], const limpet_contact_side *own) {
  add_matrix(M, 0, 1.0, own->W);
  add_matrix(M, 6, 1.0, own->V);
  add_matrix(M, AT_V0, 1.0, own->V0);
  add_matrix(M, AT_A, 1.0, own->A);
}

// And what velocities of one side alone have besides.
static void add_weights(double M[6 * CHANGE], const limpet_contact_side *own, double E[6][36]) {
  add_matrix(M, 0, 1.0, own->D);
  for (int r = 0; r < 6; ++r)
    for (int e = 0; e < WEIGHT; e += 6)
      limpet_spatial_addmul(M + CHANGE * r + PLAIN + e, -1.0, E[r] + e);
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
  limpet_contact_side own;
  limpet_contact_rows rows[LIMPET_SIDES];
  limpet_contact_rows_of(p, rows);
  lever_of(s, p, lever);
  if (p->law.weighs) limpet_contact_shift_weights(p, sign, lever, E);
  limpet_contact_side_of(&s->motion, p, side, &rows[side],
                         &(limpet_contact_place){sign, lever, none, E}, &own);
  begin(to, p->law.weighs);
  limpet_side_shift_force(f, p->law.F, lever);
  limpet_spatial_addmul(to->f, sign, f);
  add_plain(to->M, &own);
  if (p->law.weighs) add_weights(to->M, &own, E);
}

// -------------------------------------------------------------------------- velocities

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

// C_k C_l' (6 x 6)
static void set_outer(double to[36], double share, const double k[6], const double l[6]) {
  for (int i = 0; i < 6; ++i) {
    limpet_spatial_zero(to + 6 * i);
    limpet_spatial_addmul(to + 6 * i, share * k[i], l);
  }
}

// The rows of `outer` of a velocity, by those of its joint up to it.
static void put_outer(const composite_writer *s, int k) {
  const limpet_tree_change *tree = s->tree;
  const int dof = k - tree->first, local = tree->local[dof];
  for (int l = 0; l <= local; ++l)
    set_outer(s->own->outer + WEIGHT * limpet_tree_weight(tree, dof, l), l < local ? 2.0 : 1.0,
              s->motion.dof[k].C, s->motion.dof[k - local + l].C);
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
    limpet_spatial_copy(s->rate[d].S, to->S);
    limpet_spatial_copy(s->rate[d].rate, m->rate);
  }
  if (!s->motion.weighs) return;
  for (int d = tree->first; d < tree->first + tree->n; ++d) put_outer(s, d);
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

// Changes of the wrench by pose and velocity of what x and rate are.
typedef struct wrench_change {
  double q[6], v[6];
} wrench_change;

static void change_wrench(const double M[6 * CHANGE], bool weighs, const dof_change *x,
                          const dof_rate *rate, wrench_change *u) {
  limpet_dense()->mul_vec(6, width_of(weighs), M, CHANGE, x->S, u->q);
  for (int r = 0; r < 6; ++r) {
    const double *row = M + CHANGE * r;
    u->v[r] = limpet_spatial_dot(row + AT_V0, rate->S) + limpet_spatial_dot(row + AT_A, rate->rate);
  }
}

// Row i of the columns before its body; g (CHANGE): S_i' M and S_i x* f.
static void write_row(const composite_writer *s, const composite *c, int i,
                      const double g[CHANGE]) {
  const limpet_columns *columns = s->w->columns;
  const int stride = s->w->probe->residual->size;
  for (int k = 0; k < s->run_count; ++k) {
    const int first = s->run[k].first, count = s->run[k].end - first;
    double *q = limpet_column_of(s->w, columns->q, first) + s->w->slot[i];
    limpet_dense()->mul_vec(count, width_of(c->weighs), s->dof[first].S, CHANGE, g, s->product);
    for (int j = 0; j < count; ++j, q += stride) *q -= s->product[j];
    if (!columns->v) continue;
    double *v = limpet_column_of(s->w, columns->v, first) + s->w->slot[i];
    for (const dof_rate *x = s->rate + first; x < s->rate + first + count; ++x, v += stride)
      *v -= limpet_spatial_dot(g + AT_V0, x->S) + limpet_spatial_dot(g + AT_A, x->rate);
  }
}

// Column i of the rows of its own body, first .. end, and before it.
static void write_column(const composite_writer *s, const composite *c, int i, int first, int end) {
  const limpet_model *model = s->w->probe->model;
  limpet_columns *columns = s->w->columns;
  wrench_change u;
  change_wrench(c->M, c->weighs, &s->dof[i], &s->rate[i], &u);
  double *q = limpet_column_of(s->w, columns->q, i),
         *v = columns->v ? limpet_column_of(s->w, columns->v, i) : NULL;
  for (int k = 0; k < s->run_count; ++k)
    for (int a = s->run[k].first; a < s->run[k].end; ++a) {
      q[s->w->slot[a]] -= limpet_spatial_dot(s->rate[a].S, u.q);
      if (v) v[s->w->slot[a]] -= limpet_spatial_dot(s->rate[a].S, u.v);
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

// weight, rows first .. end of `outer` and column i, -= their products with E (36): -S_i . E.
static void weigh_rows(const composite_writer *s, int i, limpet_range rows, const double E[36]) {
  const int n = s->tree->n;
  limpet_dense()->mul_vec(rows.end - rows.first, WEIGHT, s->own->outer + WEIGHT * rows.first,
                          WEIGHT, E, s->product);
  for (int k = rows.first; k < rows.end; ++k)
    s->own->weight[k * n + i - s->tree->first] -= s->product[k - rows.first];
}

/* -S_i . dF by the entries of A_JJ^-1 that some velocities, whole joints, have with those of their
 * joints. E (36): <E, C_k C_l'> is what the wrench loses, times S_i. */
static void weigh_row(const composite_writer *s, int i, limpet_range dofs, const double E[36]) {
  const limpet_tree_change *tree = s->tree;
  const int first = dofs.first - tree->first, last = dofs.end - 1 - tree->first;
  weigh_rows(s, i, (limpet_range){first, last + 1}, E);
  const limpet_range pairs = {tree->n + tree->pair[first],
                              tree->n + tree->pair[last] + tree->local[last]};
  if (pairs.end > pairs.first) weigh_rows(s, i, pairs, E);
}

// The same for all rows before a body, by velocity k of the body.
static void weigh_column(const composite_writer *s, const composite *c, int k) {
  const limpet_tree_change *tree = s->tree;
  const int dof = k - tree->first, local = tree->local[dof];
  for (int l = 0; l <= local && s->run_count > 0; ++l) {
    const int row = limpet_tree_weight(tree, dof, l);
    double push[6], *to = s->own->weight + row * tree->n - tree->first;
    limpet_dense()->mul_vec(6, WEIGHT, c->M + PLAIN, CHANGE, s->own->outer + WEIGHT * row, push);
    for (int r = 0; r < s->run_count; ++r)
      for (int i = s->run[r].first; i < s->run[r].end; ++i)
        to[i] -= limpet_spatial_dot(s->rate[i].S, push);
  }
}

// The velocities before one, in runs.
static void find_runs(composite_writer *s, int dof) {
  const int *parent = s->w->probe->model->dof_parent;
  s->run_count = 0;
  for (int d = parent[dof], end; d >= 0; d = parent[d]) {
    for (end = d + 1; parent[d] == d - 1 && d > 0;) --d;
    s->run[s->run_count++] = (limpet_range){d, end};
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
  reach(s, end - 1);
  find_runs(s, first);
  for (int i = first; i < end; ++i) {
    double g[CHANGE], turned[6];
    limpet_dense()->tmul_vec(6, width_of(c->weighs), c->M, CHANGE, s->dof[i].S, g);
    limpet_spatial_cross_force(turned, s->dof[i].S, c->f);
    limpet_spatial_addmul(g, 1.0, turned);
    write_row(s, c, i, g);
    write_column(s, c, i, first, end);
    for (int a = 0; a < 3 && tree->bend_q; ++a)
      s->own->bend[a * tree->n + i - tree->first] -= g[AT_A + 3 + a];
    if (!c->weighs) continue;
    for (int k = 0; k < s->run_count; ++k) weigh_row(s, i, s->run[k], g + PLAIN);
    weigh_row(s, i, (limpet_range){first, end}, g + PLAIN);
    weigh_column(s, c, i);
  }
}

static void pass_on(composite_writer *s, int body) {
  const int parent = s->w->probe->model->body_parent[body];
  const composite *c = &s->body[body];
  composite *to = &s->body[parent];
  if (s->w->probe->model->body_tree[parent] < 0) return;
  begin(to, c->weighs);
  limpet_spatial_addmul(to->f, 1.0, c->f);
  for (int r = 0; r < 6; ++r)
    limpet_axpy(width_of(c->weighs), 1.0, c->M + CHANGE * r, to->M + CHANGE * r);
}

// -------------------------------------------------------------------------- a tree with itself

// One velocity on the way to a side of a patch, about the patch's point.
typedef struct pair_row {
  int dof, side;  // side: LIMPET_SIDES: both
  dof_change at;
  dof_rate rate;
  double turned[6];  // S x* F
} pair_row;

/* About the patch's point: about the tree's origin, far away, the rotation of what is near to the
 * point would cancel. */
typedef struct tree_pair {
  const limpet_patch_view *view;
  double offset[3];  // of that point from the tree's origin
  limpet_contact_side side[LIMPET_SIDES];
  double E[6][36];
  double M[LIMPET_SIDES + 1][6 * CHANGE];  // of velocities of each side, and of both
  int count, both;    // velocities of one side, which are rows; of both, which follow them
  pair_row *row;      // (count + both)
  wrench_change *by;  // (count + both)
  double *less_q, *less_v, *turns;  // (count + both x count)  of columns, rows
} tree_pair;

static void put_row(const composite_writer *s, tree_pair *pair, int dof, int side) {
  const dof_change *x = &s->dof[dof];
  pair_row *row = &pair->row[pair->count + pair->both];
  row->dof = dof, row->side = side;
  limpet_spatial_shift_motion(row->at.S, x->S, pair->offset);
  limpet_spatial_shift_motion(row->at.V, x->V, pair->offset);
  limpet_spatial_shift_motion(row->at.p, x->p, pair->offset);
  limpet_spatial_shift_motion(row->at.q, x->q, pair->offset);
  limpet_spatial_copy(row->rate.S, row->at.S);
  limpet_spatial_shift_motion(row->rate.rate, s->motion.dof[dof].rate, pair->offset);
  limpet_spatial_cross_force(row->turned, row->at.S, pair->view->law.F);
  if (!pair->view->law.weighs || side == LIMPET_SIDES) return;
  memcpy(row->at.D, x->D, sizeof x->D);
  limpet_contact_shift_motions(row->at.D, pair->offset);
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
  const size_t columns = (size_t)(pair->count + pair->both), size = columns * (size_t)pair->count;
  pair->by = LIMPET_TAKE(s->w->arena, wrench_change, columns);
  pair->less_q = LIMPET_TAKE_ZERO(s->w->arena, double, 3 * size);
  pair->less_v = pair->less_q + size, pair->turns = pair->less_v + size;
  return pair->by && pair->less_q ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

// What the columns have: q and v of -S_k . dF, and -S_j . S_k x* F.
static void pair_products(const tree_pair *pair) {
  enum { ROW = sizeof(pair_row) / sizeof(double), BY = sizeof(wrench_change) / sizeof(double) };
  const int rows = pair->count, columns = rows + pair->both;
  const pair_row *row = pair->row;
  limpet_dense()->sub_mul_t(columns, rows, 6, pair->by->q, BY, row->at.S, ROW, pair->less_q, rows);
  limpet_dense()->sub_mul_t(columns, rows, 6, pair->by->v, BY, row->at.S, ROW, pair->less_v, rows);
  limpet_dense()->sub_mul_t(columns, rows, 6, row->at.S, ROW, row->turned, ROW, pair->turns, rows);
}

// The column of velocity j of the pair.
static void pair_column(const composite_writer *s, const tree_pair *pair, int j) {
  const limpet_model *model = s->w->probe->model;
  const pair_row *by = &pair->row[j];
  const double *less_q = pair->less_q + j * pair->count, *less_v = pair->less_v + j * pair->count,
               *turns = pair->turns + j * pair->count;
  double *q = limpet_column_of(s->w, s->w->columns->q, by->dof),
         *v = s->w->columns->v ? limpet_column_of(s->w, s->w->columns->v, by->dof) : NULL;
  for (int k = 0; k < pair->count; ++k) {
    const pair_row *row = &pair->row[k];
    const double sign = limpet_patch_signs[row->side];
    const int to = s->w->slot[row->dof];
    const bool turns_row =
        (by->side == LIMPET_SIDES || row->side == by->side) &&
        (row->dof > by->dof || limpet_dofs_turn_together(model, by->dof, row->dof));
    q[to] += sign * (turns_row ? less_q[k] + turns[k] : less_q[k]);
    if (v) v[to] += sign * less_v[k];
  }
}

// By weights of a velocity of one side: as weigh_row, of all rows of the patch.
static void pair_weights(const composite_writer *s, const tree_pair *pair, int j) {
  const limpet_tree_change *tree = s->tree;
  const int dof = j - tree->first, local = tree->local[dof];
  double own[6], C[6], outer[36], push[6];
  limpet_spatial_shift_motion(own, s->motion.dof[j].C, pair->offset);
  for (int l = 0; l <= local; ++l) {
    double *to = s->own->weight + limpet_tree_weight(tree, dof, l) * tree->n - tree->first;
    limpet_spatial_shift_motion(C, s->motion.dof[j - local + l].C, pair->offset);
    set_outer(outer, l < local ? 2.0 : 1.0, own, C);
    limpet_dense()->mul_vec(6, WEIGHT, pair->E[0], WEIGHT, outer, push);
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
  limpet_contact_rows rows[LIMPET_SIDES];
  pair.view = p, pair.count = pair.both = 0;
  limpet_contact_rows_of(p, rows);
  lever_of(s, p, pair.offset);
  if (p->law.weighs) memcpy(pair.E, p->law.by_D, sizeof pair.E);
  for (int side = 0; side < LIMPET_SIDES; ++side)
    limpet_contact_side_of(&s->motion, p, side, &rows[side],
                           &(limpet_contact_place){1.0, none, pair.offset, pair.E},
                           &pair.side[side]);
  if (pair_rows(s, &pair)) return LIMPET_ERROR_MEMORY;
  memset(pair.M, 0, sizeof pair.M);
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    add_plain(pair.M[side], &pair.side[side]);
    if (p->law.weighs) add_weights(pair.M[side], &pair.side[side], pair.E);
    // what both share changes nothing but the bias of curved paths
    add_plain(pair.M[LIMPET_SIDES], &pair.side[side]);
  }
  for (int k = 0; k < pair.count + pair.both; ++k) {
    const pair_row *row = &pair.row[k];
    const bool weighs = p->law.weighs && row->side != LIMPET_SIDES;
    change_wrench(pair.M[row->side], weighs, &row->at, &row->rate, &pair.by[k]);
    if (weighs) pair_weights(s, &pair, row->dof);
  }
  pair_products(&pair);
  for (int k = 0; k < pair.count + pair.both; ++k) pair_column(s, &pair, k);
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
  enum { ASIDE = 8 };
  limpet_range range = {0, n};
  while (range.first + ASIDE <= n && !limpet_any_nonzero(row + range.first, ASIDE))
    range.first += ASIDE;
  while (range.first < n && row[range.first] == 0.0) ++range.first;
  while (range.end - ASIDE > range.first && !limpet_any_nonzero(row + range.end - ASIDE, ASIDE))
    range.end -= ASIDE;
  while (range.end > range.first && row[range.end - 1] == 0.0) --range.end;
  return range;
}

// A row of weights that some velocity has, and the poses along which its entry changes.
static limpet_range weighed_range(const composite_writer *s, const double *by, int row) {
  const int n = s->tree->n;
  return limpet_any_nonzero(s->own->weight + row * n, n) ? row_range(n, by + row * n)
                                                         : (limpet_range){0, 0};
}

/* columns -= by' weights. Most entries depend on the poses behind their joint alone: rows whose
 * ranges have half in common go together. */
static void add_weighed(const composite_writer *s, const double *by, double *columns) {
  const int n = s->tree->n, weights = s->tree->weights;
  limpet_range next = weighed_range(s, by, 0);
  for (int first = 0, end; first < weights; first = end) {
    limpet_range along = next;
    for (end = first + 1; end < weights; ++end) {
      next = weighed_range(s, by, end);
      const limpet_range both = {next.first < along.first ? next.first : along.first,
                                 next.end > along.end ? next.end : along.end};
      const int size = both.end - both.first;
      if (size > 2 * (next.end - next.first) || size > 2 * (along.end - along.first)) break;
      along = both;
    }
    if (along.end > along.first)
      add_product(s, end - first, along, by + first * n, s->own->weight + first * n, columns);
  }
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

// Of products: velocities of a tree, or its weights.
static int most_rows(const composite_writer *s) {
  const limpet_model *model = s->w->probe->model;
  int most = model->nv;
  for (int t = 0; t < model->tree_count; ++t)
    if (s->w->tree[t].known && s->w->tree[t].steady_q && s->w->tree[t].weights > most)
      most = s->w->tree[t].weights;
  return most;
}

static limpet_status take(composite_writer *s) {
  const limpet_model *model = s->w->probe->model;
  limpet_arena *arena = s->w->arena;
  s->body = LIMPET_TAKE(arena, composite, model->body_count);
  s->dof = LIMPET_TAKE(arena, dof_change, model->nv);
  s->rate = LIMPET_TAKE(arena, dof_rate, model->nv);
  s->run = LIMPET_TAKE(arena, limpet_range, model->nv);
  s->product = LIMPET_TAKE(arena, double, (size_t)most_rows(s));
  s->rows = LIMPET_TAKE_ZERO(arena, tree_rows, model->tree_count);
  if (!s->body || !s->dof || !s->rate || !s->run || !s->product || !s->rows ||
      limpet_contact_motion_take(s->w, &s->motion))
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
  s->own->outer = LIMPET_TAKE(s->w->arena, double, WEIGHT *weights);
  if (!s->own->weight || !s->own->bend || !s->own->outer) return LIMPET_ERROR_MEMORY;
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
