/* gradient/tree_end.c: see tree_end.h.
 *
 *   dz = D0 dq0 + dP_q dq0 + (M_b(q0) + dP_v) dv0 + A ds           D = d(M_b v)/dq, dP + h df:
 * columns de = (M_l/m - [1 0 0]) dq,   d(R x) = -R [x] dtheta,   d(R' x) = [R' x] dtheta dL = R0
 * dz_a + R0 (dtheta0 x z_a) - de0 x z_l - e0 x dz_l dy = [dz_l; R1' (dL + de1 x p + e1 x dz_l) +
 * [R1' (L + e1 x p)] dtheta1] M_bb(q1) dv1 = dy - D1 dq1 - M_bj(q1) ds_j,   dq1 = E_q dq0 + E_s ds
 * integration.h [x] y = x x y; theta: rotations of the first joint, dofs 3 to 5. Cost: two sweeps
 * of the tree, 400 flops a velocity. */
#include "gradient/tree_end.h"

#include <math.h>
#include <string.h>

#include "dynamics/tree.h"
#include "math/dense.h"
#include "math/lu.h"
#include "math/vec3.h"
#include "step/flight.h"

enum { SIX = 6 };

// A pose and a velocity of the tree.
typedef struct look {
  const double *R;   // rotation of the first body
  double arm[3];     // e
  double *M, *by_q;  // (6 x n)  first rows of M and of d(M v)/dq
  double y[SIX];     // M_b v
} look;

typedef struct maker {
  const limpet_model *model;
  int tree, first, n;
  double mass, dt;
  look start, end;
  double z[SIX], p[3], w[3];  // w: R1' (L + e1 x p)
} maker;

// First rows of M and of its derivative along v at the pose that `data` is in, with its kinematics.
static limpet_status look_at(const maker *m, limpet_data *data, limpet_arena *arena, look *to) {
  const limpet_model *model = m->model;
  const int body = model->tree_body[m->tree];
  double centre[3];
  to->M = LIMPET_TAKE(arena, double, 2 * SIX * m->n);
  if (!to->M) return LIMPET_ERROR_MEMORY;
  to->by_q = to->M + SIX * m->n;
  to->R = data->body_rotation + 9 * body;
  limpet_tree_first_momentum(model, data, m->tree, data->v, to->M, to->by_q, centre);
  for (int i = 0; i < SIX; ++i) to->y[i] = limpet_dot(m->n, to->M + i * m->n, data->v + m->first);
  limpet_vec3_sub(to->arm, centre, data->body_position + 3 * body);
  return LIMPET_OK;
}

// Change of the arm by the pose along dof k.
static void arm_change(const maker *m, const look *at, int k, double de[3]) {
  for (int i = 0; i < 3; ++i) de[i] = at->M[i * m->n + k] / m->mass - (i == k ? 1.0 : 0.0);
}

static bool is_turn(int k) { return k >= 3 && k < SIX; }

// dz along dof k becomes dy without what q1 has in it; own: the start moves in this dof, too.
static void carry_on(const maker *m, const double dz[SIX], bool own, int k, double dy[SIX]) {
  const look *a = &m->start, *b = &m->end;
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

// Columns (6 x n) of z become those of y.
static void carry_columns(const maker *m, bool own, double *X) {
  for (int k = 0; k < m->n; ++k) {
    double dz[SIX], dy[SIX];
    for (int i = 0; i < SIX; ++i) dz[i] = X[i * m->n + k];
    carry_on(m, dz, own, k, dy);
    for (int i = 0; i < SIX; ++i) X[i * m->n + k] = dy[i];
  }
}

// X (6 x n) = what q1 has in dy - D1 dq1.
static void by_end_pose(const maker *m, double *X) {
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

// z, p and w.
static void find_momentum(maker *m, const limpet_solved_step *solved, const double *A) {
  const limpet_free_motion *motion = &solved->motion;
  const limpet_flight_balance *balance = &motion->flight->balance[m->tree];
  const double *s = solved->solution.v + m->first, *f = motion->flight->force + m->first;
  for (int i = 0; i < SIX; ++i)
    m->z[i] = m->start.y[i] + limpet_dot(m->n, A + i * m->n, s) - motion->momentum[m->first + i] +
              m->dt * f[i];
  double weight[3], L[3], moment[3];
  limpet_vec3_sub(weight, balance->F, f);
  limpet_vec3_addmul(m->p, m->z, m->dt, weight);
  limpet_mat3_mul_vec(L, m->start.R, m->z + 3);
  limpet_vec3_cross(moment, m->start.arm, m->z);
  limpet_vec3_sub(L, L, moment);
  limpet_vec3_cross(moment, m->end.arm, m->p);
  limpet_vec3_add(L, L, moment);
  limpet_mat3_tmul_vec(m->w, m->end.R, L);
}

static void add(int count, const double *from, double *to) {
  for (int i = 0; i < count; ++i) to[i] += from[i];
}

// False: the tree has no inertia.
static bool fill(const maker *m, const limpet_columns *columns,
                 const limpet_integration *integration, const double *A, double *by_end,
                 limpet_tree_end *to) {
  const int n = m->n, size = SIX * n;
  double factor[SIX * SIX];
  for (int i = 0; i < SIX; ++i)
    for (int j = 0; j < SIX; ++j) factor[SIX * i + j] = m->end.M[i * n + j];
  if (limpet_cholesky(SIX, factor, SIX)) return false;

  // by_end becomes what the pose at the start has in the one at the end; v_by_q is its workspace
  double *by_s = to->v_by_q ? to->v_by_q : to->v_by_s;
  by_end_pose(m, by_end);
  limpet_integration_chain(integration, m->tree, SIX, by_end, by_s);
  if (by_s != to->v_by_s) memcpy(to->v_by_s, by_s, (size_t)size * sizeof *by_s);
  double *carried = m->start.M;  // read for the last time below
  if (to->v_by_q) {
    const size_t at = SIX * (size_t)m->first;
    memcpy(to->v_by_q, m->start.by_q, (size_t)size * sizeof *by_s);
    add(size, columns->impulse_q + at, to->v_by_q);
    carry_columns(m, true, to->v_by_q);
    add(size, by_end, to->v_by_q);
    memcpy(to->v_by_v, m->start.M, (size_t)size * sizeof *by_s);
    add(size, columns->impulse_v + at, to->v_by_v);
    carry_columns(m, false, to->v_by_v);
    limpet_cholesky_solve_many(SIX, factor, n, to->v_by_q);
    limpet_cholesky_solve_many(SIX, factor, n, to->v_by_v);
  }
  memcpy(carried, A, (size_t)size * sizeof *carried);
  carry_columns(m, false, carried);
  add(size, carried, to->v_by_s);
  for (int i = 0; i < SIX; ++i)
    for (int j = SIX; j < n; ++j) to->v_by_s[i * n + j] -= m->end.M[i * n + j];
  limpet_cholesky_solve_many(SIX, factor, n, to->v_by_s);
  return true;
}

limpet_status limpet_tree_end_make(const limpet_residual *residual, const limpet_columns *columns,
                                   const limpet_integration *integration, limpet_data *start,
                                   const limpet_data *end, int tree, limpet_arena *arena,
                                   limpet_tree_end *to, bool *known) {
  const limpet_model *model = start->model;
  const limpet_solved_step *solved = residual->solved;
  const bool by_state = columns->q != NULL;
  maker m = {.model = model,
             .tree = tree,
             .first = model->tree_dof[tree],
             .n = model->tree_dof_count[tree],
             .mass = solved->motion.flight->balance[tree].start.mass,
             .dt = solved->problem.dt};
  const int size = SIX * m.n;
  *known = m.mass > 0.0 && (!by_state || (columns->impulse_known && columns->impulse_known[tree]));
  if (!*known) return LIMPET_OK;
  *to = (limpet_tree_end){.first = m.first, .n = m.n};
  to->v_by_s = LIMPET_TAKE(arena, double, by_state ? 3 * size : size);
  if (!to->v_by_s) return LIMPET_ERROR_MEMORY;
  if (by_state) to->v_by_q = to->v_by_s + size, to->v_by_v = to->v_by_q + size;

  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  // the step leaves what follows from the pose at its end
  limpet_data there = solved->motion.flight->other;
  there.q = end->q, there.v = end->v;
  there.workspace = start->workspace;
  double *by_end = LIMPET_TAKE(arena, double, size);
  if (!by_end || look_at(&m, start, arena, &m.start) || look_at(&m, &there, arena, &m.end))
    return LIMPET_ERROR_MEMORY;
  const double *A = solved->motion.A + model->tree_mass[tree];
  find_momentum(&m, solved, A);
  *known = fill(&m, columns, integration, A, by_end, to);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

void limpet_tree_end_pass(const limpet_tree_end *end, double *velocity) {
  double v1[SIX];
  for (int i = 0; i < SIX; ++i)
    v1[i] = limpet_dot(end->n, end->v_by_s + i * end->n, velocity + end->first);
  memcpy(velocity + end->first, v1, sizeof v1);
}

void limpet_tree_end_weigh(const limpet_tree_end *end, double *weight, double *by_q, double *by_v) {
  double x[SIX];
  memcpy(x, weight + end->first, sizeof x);
  memset(weight + end->first, 0, sizeof x);
  for (int i = 0; i < SIX; ++i) {
    limpet_axpy(end->n, x[i], end->v_by_s + i * end->n, weight + end->first);
    if (by_q && end->v_by_q) limpet_axpy(end->n, x[i], end->v_by_q + i * end->n, by_q + end->first);
    if (by_v && end->v_by_v) limpet_axpy(end->n, x[i], end->v_by_v + i * end->n, by_v + end->first);
  }
}

// ----------------------------------------------------------------------------------- products

// Arm and y of one look.
static void look_short(const limpet_model *model, const limpet_data *data, int tree, double M[36],
                       double y[SIX], double R[9], double arm[3]) {
  const int body = model->tree_body[tree];
  double centre[3];
  limpet_tree_first_block(model, data, tree, M, y, centre);
  memcpy(R, data->body_rotation + 9 * body, 9 * sizeof *R);
  limpet_vec3_sub(arm, centre, data->body_position + 3 * body);
}

bool limpet_tree_end_product_make(const limpet_residual *residual, limpet_data *start,
                                  const limpet_data *end, int tree, limpet_tree_end_product *to) {
  const limpet_model *model = start->model;
  const limpet_solved_step *solved = residual->solved;
  maker m = {.model = model,
             .tree = tree,
             .first = model->tree_dof[tree],
             .n = model->tree_dof_count[tree],
             .mass = solved->motion.flight->balance[tree].start.mass,
             .dt = solved->problem.dt};
  double M[36], y[SIX];
  if (!(m.mass > 0.0)) return false;
  *to = (limpet_tree_end_product){.tree = tree, .first = m.first, .n = m.n, .mass = m.mass};
  // the step leaves what follows from the pose at its end
  to->end = solved->motion.flight->other;
  to->end.q = end->q, to->end.v = end->v;
  to->end.workspace = start->workspace;
  limpet_tree_body_velocities(model, &to->end, tree);
  look_short(model, start, tree, M, m.start.y, to->start_R, to->start_arm);
  look_short(model, &to->end, tree, to->factor, y, to->end_R, to->end_arm);
  m.start.R = to->start_R, m.end.R = to->end_R;
  limpet_vec3_copy(m.start.arm, to->start_arm);
  limpet_vec3_copy(m.end.arm, to->end_arm);
  find_momentum(&m, solved, solved->motion.A + model->tree_mass[tree]);
  memcpy(to->z, m.z, sizeof to->z);
  limpet_vec3_copy(to->p, m.p);
  limpet_vec3_copy(to->w, m.w);
  return !limpet_cholesky(SIX, to->factor, SIX);
}

// x'dz for x'dy; a = R1 x_a.
static void carry_back(const limpet_tree_end_product *e, const double x[SIX], const double a[3],
                       double of_z[SIX]) {
  double apart[3], lever[3];
  limpet_vec3_sub(apart, e->end_arm, e->start_arm);
  limpet_vec3_cross(lever, a, apart);
  limpet_vec3_add(of_z, x, lever);
  limpet_mat3_tmul_vec(of_z + 3, e->start_R, a);
}

/* sum g . de over the velocities of de = (M_l/m - [1 0 0]) dq: what the rows of M have in x (6),
 * the rest is added to `to`. */
static void weigh_arm(const limpet_tree_end_product *e, const double g[3], double x[SIX],
                      double *to) {
  for (int i = 0; i < 3; ++i) {
    x[i] += g[i] / e->mass;
    to[i] -= g[i];
  }
}

void limpet_tree_end_product_weigh(limpet_tree_end_product *e, const limpet_residual *residual,
                                   const limpet_integration *integration, limpet_data *start,
                                   double *weight, double *by_q, double *by_v, double *of_P,
                                   double *work) {
  const limpet_model *model = start->model;
  const double *A = residual->solved->motion.A + model->tree_mass[e->tree];
  const int n = e->n;
  double x[SIX], a[3], g[3], of_z[SIX], turn[3], rows[SIX] = {0.0}, part[3];
  double *xM = work, *moved = work + n, *by_end = work + 2 * n, *by_s = work + 3 * n,
         *zM = work + 4 * n;
  memcpy(x, weight + e->first, sizeof x);
  memset(weight + e->first, 0, sizeof x);
  limpet_cholesky_solve(SIX, e->factor, SIX, x);
  limpet_mat3_mul_vec(a, e->end_R, x + 3);

  // by the pose at the end: the arm, the turn of w, and the momentum that M carries there
  memset(by_end, 0, (size_t)n * sizeof *by_end);
  limpet_vec3_cross(g, e->p, a);
  weigh_arm(e, g, rows, by_end);
  limpet_vec3_cross(turn, x + 3, e->w);
  limpet_vec3_add(by_end + 3, by_end + 3, turn);
  limpet_tree_first_product(model, &e->end, e->tree, e->end.v, rows, x, x, xM, moved, zM);
  for (int j = SIX; j < n; ++j) weight[e->first + j] -= zM[j];
  for (int k = 0; k < n; ++k) by_end[k] += xM[k] - moved[k];
  limpet_integration_chain(integration, e->tree, 1, by_end, by_s);
  limpet_axpy(n, 1.0, by_s, weight + e->first);
  limpet_axpy(n, 1.0, by_end, by_q + e->first);

  // by what was solved for, and by impulses and forces
  carry_back(e, x, a, of_z);
  for (int i = 0; i < SIX; ++i) {
    limpet_axpy(n, of_z[i], A + i * n, weight + e->first);
    of_P[e->first + i] = of_z[i];
  }

  // by pose and velocity at the start
  memset(rows, 0, sizeof rows);
  limpet_vec3_cross(g, a, e->z);
  weigh_arm(e, g, rows, by_q + e->first);
  limpet_vec3_cross(part, e->z + 3, of_z + 3);
  limpet_vec3_add(by_q + e->first + 3, by_q + e->first + 3, part);
  limpet_tree_first_product(model, start, e->tree, start->v, rows, of_z, of_z, xM, moved, zM);
  limpet_axpy(n, 1.0, xM, by_q + e->first);
  limpet_axpy(n, 1.0, moved, by_q + e->first);
  limpet_axpy(n, 1.0, zM, by_v + e->first);
}
