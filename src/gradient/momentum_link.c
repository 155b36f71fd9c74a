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

// T = R' [x]
static void turned_cross(const double R[9], const double x[3], double T[9]) {
  const double cross[9] = {0.0, -x[2], x[1], x[2], 0.0, -x[0], -x[1], x[0], 0.0};
  limpet_mat3_tmul(T, R, cross);
}

// y (3 x n, rows y, y1, y2) = Q y + P x for rows x (3 x n).
static void mix(int n, const double Q[9], const double P[9], const double *restrict x,
                double *restrict y, double *restrict y1, double *restrict y2) {
  const double *x1 = x + n, *x2 = x1 + n;
  for (int k = 0; k < n; ++k) {
    const double a = y[k], b = y1[k], c = y2[k], d = x[k], e = x1[k], f = x2[k];
    y[k] = Q[0] * a + Q[1] * b + Q[2] * c + P[0] * d + P[1] * e + P[2] * f;
    y1[k] = Q[3] * a + Q[4] * b + Q[5] * c + P[3] * d + P[4] * e + P[5] * f;
    y2[k] = Q[6] * a + Q[7] * b + Q[8] * c + P[6] * d + P[7] * e + P[8] * f;
  }
}

/* y (3 x n) += T de, de = (M_l/m - [1 0 0]) dq: the change of an arm by the pose. */
static void add_arm(const limpet_momentum_link *m, const limpet_momentum_look *at,
                    const double T[9], double *y) {
  static const double one[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  double share[9];
  for (int i = 0; i < 9; ++i) share[i] = T[i] / m->mass;
  mix(m->n, one, share, at->M, y, y + m->n, y + 2 * m->n);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) y[i * m->n + k] -= T[3 * i + k];
}

// The turns of the first joint: y (3 x n) += Q (e x x) along axis e.
static void add_turns(int n, const double Q[9], const double x[3], double *y) {
  const double cross[9] = {0.0, x[2], -x[1], -x[2], 0.0, x[0], x[1], -x[0], 0.0};
  double T[9];
  limpet_mat3_mul(T, Q, cross);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) y[i * n + 3 + k] += T[3 * i + k];
}

void limpet_momentum_link_carry(const limpet_momentum_link *m, bool own, double *X) {
  const limpet_momentum_look *a = &m->start, *b = &m->end;
  const int n = m->n;
  double apart[3], turn[9], lever[9], moved[9], *L = X + 3 * n;
  limpet_vec3_sub(apart, b->arm, a->arm);
  limpet_mat3_tmul(turn, b->R, a->R);
  turned_cross(b->R, apart, lever);
  mix(n, turn, lever, X, L, L + n, L + 2 * n);
  if (!own) return;
  turned_cross(b->R, m->z, moved);
  add_arm(m, a, moved, L);
  add_turns(n, turn, m->z + 3, L);
}

void limpet_momentum_link_by_end(const limpet_momentum_link *m, double *X) {
  static const double one[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  double back[3], moved[9], turned[3];
  for (int i = 0; i < SIX * m->n; ++i) X[i] = -m->end.by_q[i];
  limpet_vec3_scale(back, -1.0, m->p);
  turned_cross(m->end.R, back, moved);
  add_arm(m, &m->end, moved, X + 3 * m->n);
  limpet_vec3_scale(turned, -1.0, m->w);
  add_turns(m->n, one, turned, X + 3 * m->n);
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
