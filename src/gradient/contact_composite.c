// gradient/contact_composite.c: see contact_composite.h.
#include "gradient/contact_composite.h"

#include <string.h>

#include "math/dense.h"
#include "math/dense_table.h"
#include "math/spatial.h"

// -------------------------------------------------------------------------- one side of a patch

static void begin(limpet_composite *c) {
  if (!c->any) memset(c, 0, sizeof *c);
  c->any = true;
}

// M += the matrix of one of the things that it multiplies.
static void add_matrix(double M[6 * LIMPET_COMPOSITE_WIDTH], int at, double share,
                       const double rows[36]) {
  for (int r = 0; r < 6; ++r)
    limpet_spatial_addmul(M + LIMPET_COMPOSITE_WIDTH * r + at, share, rows + 6 * r);
}

void limpet_composite_add_plain(double M[6 * LIMPET_COMPOSITE_WIDTH],
                                const limpet_contact_side *own) {
  add_matrix(M, 0, 1.0, own->W);
  add_matrix(M, 6, 1.0, own->V);
  add_matrix(M, LIMPET_COMPOSITE_V0, 1.0, own->V0);
  add_matrix(M, LIMPET_COMPOSITE_A, 1.0, own->A);
}

void limpet_composite_lever(const limpet_composite_writer *s, const limpet_patch_view *p,
                            double lever[3]) {
  limpet_vec3_sub(
      lever, p->patch->point,
      s->w->probe->data->tree_origin + 3 * s->w->probe->model->dof_tree[s->tree->first]);
}

// A patch with what does not move.
void limpet_composite_add_patch(limpet_composite_writer *s, const limpet_patch_view *p, int side) {
  static const double none[3] = {0.0};
  const double sign = limpet_patch_signs[side];
  limpet_composite *to = &s->body[p->unit[side]];
  double lever[3], f[6];
  limpet_contact_side own;
  limpet_contact_rows rows[LIMPET_SIDES];
  limpet_contact_rows_of(p, rows);
  limpet_composite_lever(s, p, lever);
  limpet_contact_side_of(&s->motion, p, side, &rows[side],
                         &(limpet_contact_place){sign, lever, none}, &own);
  begin(to);
  limpet_side_shift_force(f, p->law.F, lever);
  limpet_spatial_addmul(to->f, sign, f);
  limpet_composite_add_plain(to->M, &own);
}

// -------------------------------------------------------------------------- pairs of velocities

// The wrench of M by the pose and velocity of x.
static void wrench_of(const double M[6 * LIMPET_COMPOSITE_WIDTH], const limpet_dof_motion *x,
                      limpet_wrench_change *u) {
  limpet_dense()->mul_vec(6, LIMPET_POSE_WIDTH, M, LIMPET_COMPOSITE_WIDTH, x->pose.S, u->q);
  limpet_dense()->mul_vec(6, LIMPET_RATE_WIDTH, M + LIMPET_COMPOSITE_V0, LIMPET_COMPOSITE_WIDTH,
                          x->rate.S, u->v);
}

// Row i of the columns before its body; g (LIMPET_COMPOSITE_WIDTH): S_i' M and S_i x* f.
static void write_row(const limpet_composite_writer *s, int i,
                      const double g[LIMPET_COMPOSITE_WIDTH]) {
  const limpet_columns *columns = s->w->columns;
  const int stride = s->w->probe->residual->size;
  for (int k = 0; k < s->run_count; ++k) {
    const int first = s->run[k].first, count = s->run[k].end - first;
    double *q = limpet_column_of(s->w, columns->q, first) + s->w->slot[i];
    const limpet_dof_motion *dof = &s->motion.dof[first];
    limpet_dense()->mul_vec(count, LIMPET_POSE_WIDTH, dof->pose.S, LIMPET_DOF_STRIDE, g,
                            s->product);
    for (int j = 0; j < count; ++j, q += stride) *q -= s->product[j];
    if (!columns->v) continue;
    double *v = limpet_column_of(s->w, columns->v, first) + s->w->slot[i];
    for (int j = 0; j < count; ++j, v += stride)
      *v -= limpet_spatial_dot(g + LIMPET_COMPOSITE_V0, dof[j].rate.S) +
            limpet_spatial_dot(g + LIMPET_COMPOSITE_A, dof[j].rate.rate);
  }
}

// Column i of the rows of its own body, first .. end, and before it.
static void write_column(const limpet_composite_writer *s, const limpet_composite *c, int i,
                         int first, int end) {
  const limpet_model *model = s->w->probe->model;
  limpet_columns *columns = s->w->columns;
  limpet_wrench_change u;
  wrench_of(c->M, &s->motion.dof[i], &u);
  double *q = limpet_column_of(s->w, columns->q, i),
         *v = columns->v ? limpet_column_of(s->w, columns->v, i) : NULL;
  for (int k = 0; k < s->run_count; ++k)
    for (int a = s->run[k].first; a < s->run[k].end; ++a) {
      q[s->w->slot[a]] -= limpet_spatial_dot(s->motion.dof[a].pose.S, u.q);
      if (v) v[s->w->slot[a]] -= limpet_spatial_dot(s->motion.dof[a].pose.S, u.v);
    }
  for (int a = first; a < end; ++a) {
    const int to = s->w->slot[a];
    q[to] -= limpet_spatial_dot(s->motion.dof[a].pose.S, u.q);
    if (v) v[to] -= limpet_spatial_dot(s->motion.dof[a].pose.S, u.v);
    // the axes that pose i moves
    if (a == i || (a < i && !limpet_dofs_turn_together(model, i, a))) continue;
    q[to] -= limpet_spatial_dot(s->motion.dof[i].pose.S, s->turned + 6 * a);
  }
}

// The velocities before one, in runs.
static void find_runs(limpet_composite_writer *s, int dof) {
  const int *parent = s->w->probe->model->dof_parent;
  s->run_count = 0;
  for (int d = parent[dof], end; d >= 0; d = parent[d]) {
    for (end = d + 1; parent[d] == d - 1 && d > 0;) --d;
    s->run[s->run_count++] = (limpet_range){d, end};
  }
}

// A velocity of the tree has a row.
void limpet_composite_reach(const limpet_composite_writer *s, int dof) {
  const int end = dof + 1 - s->tree->first;
  if (end > s->own->end) s->own->end = end;
}

void limpet_composite_write(limpet_composite_writer *s, int body) {
  const limpet_model *model = s->w->probe->model;
  const limpet_tree_change *tree = s->tree;
  const limpet_composite *c = &s->body[body];
  if (model->body_joint_count[body] == 0) return;
  const int first = model->joint_v[model->body_joint[body]], end = model->body_last_dof[body] + 1;
  limpet_composite_reach(s, end - 1);
  find_runs(s, first);
  for (int i = first; i < end; ++i)
    limpet_spatial_cross_force(s->turned + 6 * i, s->motion.dof[i].pose.S, c->f);
  for (int i = first; i < end; ++i) {
    double g[LIMPET_COMPOSITE_WIDTH];
    limpet_dense()->tmul_vec(6, LIMPET_COMPOSITE_WIDTH, c->M, LIMPET_COMPOSITE_WIDTH,
                             s->motion.dof[i].pose.S, g);
    limpet_spatial_addmul(g, 1.0, s->turned + 6 * i);
    write_row(s, i, g);
    write_column(s, c, i, first, end);
    for (int a = 0; a < 3 && tree->bend_q; ++a)
      s->own->bend[a * tree->n + i - tree->first] -= g[LIMPET_COMPOSITE_A + 3 + a];
  }
}

void limpet_composite_pass_on(limpet_composite_writer *s, int body) {
  const int parent = s->w->probe->model->body_parent[body];
  const limpet_composite *c = &s->body[body];
  limpet_composite *to = &s->body[parent];
  if (s->w->probe->model->body_tree[parent] < 0) return;
  begin(to);
  limpet_spatial_addmul(to->f, 1.0, c->f);
  for (int r = 0; r < 6; ++r)
    limpet_axpy(LIMPET_COMPOSITE_WIDTH, 1.0, c->M + LIMPET_COMPOSITE_WIDTH * r,
                to->M + LIMPET_COMPOSITE_WIDTH * r);
}
