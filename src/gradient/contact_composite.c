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

void limpet_composite_lever(const limpet_patch_view *p, int side, double lever[3]) {
  const limpet_probe *probe = p->w->probe;
  limpet_vec3_sub(lever, p->patch->point,
                  probe->data->tree_origin + 3 * probe->model->body_tree[p->unit[side]]);
}

// A patch with what does not move.
void limpet_composite_add_patch(limpet_composite_writer *s, const limpet_patch_view *p, int side) {
  static const double none[3] = {0.0};
  const double sign = limpet_patch_signs[side];
  limpet_composite *to = &s->body[p->unit[side]];
  double lever[3], f[6];
  limpet_contact_side own;
  limpet_composite_lever(p, side, lever);
  limpet_contact_side_of(&s->motion, p, side, &(limpet_contact_place){sign, lever, none}, &own);
  begin(to);
  limpet_side_shift_force(f, p->law.F, lever);
  limpet_spatial_addmul(to->f, sign, f);
  limpet_contact_kernels_here()->join(&own, to->M);
}

// -------------------------------------------------------------------------- pairs of velocities

void limpet_composite_make(limpet_composite_writer *s) {
  limpet_contact_kernels_here()->tables(s->tree->n, &s->motion.dof[s->tree->first], s->table);
}

// Row and column i before its body.
static void write_before(const limpet_composite_writer *s, int i,
                         const limpet_row_factors *factors) {
  const limpet_columns *columns = s->w->columns;
  for (int k = 0; k < s->run_count; ++k) {
    const int first = s->run[k].first, row = s->w->slot[i], own = s->w->slot[first];
    const limpet_column_run run = {
        .first = first - s->tree->first,
        .count = s->run[k].end - first,
        .table = s->table,
        .stride = s->w->probe->residual->size,
        .q = limpet_column_of(s->w, columns->q, first) + row,
        .v = columns->v ? limpet_column_of(s->w, columns->v, first) + row : NULL,
        .own_q = limpet_column_of(s->w, columns->q, i) + own,
        .own_v = columns->v ? limpet_column_of(s->w, columns->v, i) + own : NULL};
    limpet_contact_kernels_here()->cross(factors, &run);
  }
}

// Column i of the rows of its own body, first .. end.
static void write_own(const limpet_composite_writer *s, int i, const limpet_row_factors *factors,
                      int first, int end) {
  const limpet_model *model = s->w->probe->model;
  limpet_columns *columns = s->w->columns;
  double *q = limpet_column_of(s->w, columns->q, i),
         *v = columns->v ? limpet_column_of(s->w, columns->v, i) : NULL;
  for (int a = first; a < end; ++a) {
    const int to = s->w->slot[a];
    q[to] -= limpet_spatial_dot(s->motion.dof[a].pose.S, factors->q);
    if (v) v[to] -= limpet_spatial_dot(s->motion.dof[a].pose.S, factors->v);
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
    limpet_row_factors factors;
    limpet_contact_kernels_here()->factors(c->M, &s->motion.dof[i], s->turned + 6 * i, &factors);
    write_before(s, i, &factors);
    write_own(s, i, &factors, first, end);
    for (int a = 0; a < 3 && tree->bend_q; ++a)
      s->own->bend[a * tree->n + i - tree->first] -= factors.g[LIMPET_COMPOSITE_A + 3 + a];
  }
}

void limpet_composite_pass_on(limpet_composite_writer *s, int body) {
  const int parent = s->w->probe->model->body_parent[body];
  const limpet_composite *c = &s->body[body];
  limpet_composite *to = &s->body[parent];
  if (s->w->probe->model->body_tree[parent] < 0) return;
  begin(to);
  limpet_spatial_addmul(to->f, 1.0, c->f);
  limpet_axpy(6 * LIMPET_COMPOSITE_WIDTH, 1.0, c->M, to->M);
}
