// gradient/momentum_link.c: see momentum_link.h.
#include "gradient/momentum_link.h"

#include "dynamics/tree.h"
#include "math/dense.h"
#include "math/vec3.h"
#include "step/flight.h"

enum { SIX = 6 };

limpet_momentum_link limpet_momentum_link_of(const limpet_model *model,
                                             const limpet_solved_step *solved, int tree,
                                             double dt) {
  return (limpet_momentum_link){.model = model,
                                .tree = tree,
                                .first = model->tree_dof[tree],
                                .n = model->tree_dof_count[tree],
                                .mass = solved->motion.flight->balance[tree].start.mass,
                                .dt = dt};
}

void limpet_momentum_look_at(const limpet_momentum_link *m, limpet_data *data, double *room,
                             limpet_momentum_look *to) {
  const limpet_model *model = m->model;
  const int body = model->tree_body[m->tree];
  double centre[3];
  to->M = room;
  to->by_q = to->M + SIX * m->n;
  to->R = data->body_rotation + 9 * body;
  limpet_tree_first_momentum(model, data, m->tree, data->v, to->M, to->by_q, centre);
  for (int i = 0; i < SIX; ++i) to->y[i] = limpet_dot(m->n, to->M + i * m->n, data->v + m->first);
  limpet_vec3_sub(to->arm, centre, data->body_position + 3 * body);
}

// Change of the arm by the pose along dof k.
static void arm_change(const limpet_momentum_link *m, const limpet_momentum_look *at, int k,
                       double de[3]) {
  for (int i = 0; i < 3; ++i) de[i] = at->M[i * m->n + k] / m->mass - (i == k ? 1.0 : 0.0);
}

static bool is_turn(int k) { return k >= 3 && k < SIX; }

// dz along dof k becomes dy without what q1 has in it; own: the start moves in this dof, too.
static void carry_on(const limpet_momentum_link *m, const double dz[SIX], bool own, int k,
                     double dy[SIX]) {
  const limpet_momentum_look *a = &m->start, *b = &m->end;
  double dL[3], turned[3], change[3];
  limpet_vec3_copy(turned, dz + 3);
  if (own && is_turn(k)) {
    double unit[3] = {0.0};
    unit[k - 3] = 1.0;
    limpet_vec3_cross(change, unit, m->z + 3);
    limpet_vec3_add(turned, turned, change);
  }
  limpet_mat3_mul_vec(dL, a->R, turned);
  limpet_vec3_cross(turned, a->arm, dz);
  limpet_vec3_sub(dL, dL, turned);
  if (own) {
    arm_change(m, a, k, change);
    limpet_vec3_cross(turned, change, m->z);
    limpet_vec3_sub(dL, dL, turned);
  }
  limpet_vec3_cross(turned, b->arm, dz);
  limpet_vec3_add(dL, dL, turned);
  limpet_vec3_copy(dy, dz);
  limpet_mat3_tmul_vec(dy + 3, b->R, dL);
}

void limpet_momentum_link_carry(const limpet_momentum_link *m, bool own, double *X) {
  for (int k = 0; k < m->n; ++k) {
    double dz[SIX], dy[SIX];
    for (int i = 0; i < SIX; ++i) dz[i] = X[i * m->n + k];
    carry_on(m, dz, own, k, dy);
    for (int i = 0; i < SIX; ++i) X[i * m->n + k] = dy[i];
  }
}

void limpet_momentum_link_by_end(const limpet_momentum_link *m, double *X) {
  for (int k = 0; k < m->n; ++k) {
    double de[3], moment[3], turned[3], unit[3] = {0.0};
    arm_change(m, &m->end, k, de);
    limpet_vec3_cross(moment, de, m->p);
    limpet_mat3_tmul_vec(turned, m->end.R, moment);
    if (is_turn(k)) {
      unit[k - 3] = 1.0;
      limpet_vec3_cross(moment, m->w, unit);
      limpet_vec3_add(turned, turned, moment);
    }
    for (int i = 0; i < SIX; ++i)
      X[i * m->n + k] = (i < 3 ? 0.0 : turned[i - 3]) - m->end.by_q[i * m->n + k];
  }
}

void limpet_momentum_link_find(limpet_momentum_link *m, const limpet_solved_step *solved) {
  const double *f = solved->motion.flight->force + m->first;
  double weight[3], L[3], moment[3];
  limpet_vec3_sub(weight, solved->motion.flight->balance[m->tree].F, f);
  limpet_vec3_addmul(m->p, m->z, m->dt, weight);
  limpet_mat3_mul_vec(L, m->start.R, m->z + 3);
  limpet_vec3_cross(moment, m->start.arm, m->z);
  limpet_vec3_sub(L, L, moment);
  limpet_vec3_cross(moment, m->end.arm, m->p);
  limpet_vec3_add(L, L, moment);
  limpet_mat3_tmul_vec(m->w, m->end.R, L);
}
