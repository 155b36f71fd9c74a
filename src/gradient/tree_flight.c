/* gradient/tree_flight.c: see tree_flight.h.
 *
 *   dr = B dq_m + h b_u du - M dv0 - h df,   B = h d(RNEA)/dq at the acceleration (v - v0)/h
 *   dq_m = E_q dq0 + E_v dw,   M_bb(q_m) du_b = dy - D dq_m - M_bj dw_j      momentum_link.h
 *   dv* = -A^-1 dr at v = v*
 * r at v and at v* differ by M(q_m)(v - v*). */
#include "gradient/tree_flight.h"

#include <string.h>

#include "dynamics/tree.h"
#include "gradient/integration.h"
#include "gradient/tree_centre.h"
#include "math/dense.h"
#include "math/dense_table.h"
#include "math/lu.h"
#include "math/vec3.h"
#include "model/integrate.h"
#include "step/flight.h"

enum { SIX = 6 };

// Nothing acts on the tree whose law reads its A, which moves with forces where w was renewed.
static bool is_free(const limpet_probe *probe, int tree) {
  const limpet_contact_problem *problem = &probe->residual->solved->problem;
  return problem->block[problem->dof_block[probe->model->tree_dof[tree]]].island < 0;
}

bool limpet_tree_flies(const limpet_probe *probe, int tree) {
  const limpet_flight *flight = probe->residual->solved->motion.flight;
  if (!flight || limpet_flight_alone(flight, tree)) return false;
  const limpet_flight_balance *balance = &flight->balance[tree];
  const bool flew = probe->data->tree_held[tree] < LIMPET_FLIGHT_HELD_OUTSIDE,
             leaves = balance->kept && balance->held < LIMPET_FLIGHT_HELD_OUTSIDE;
  // u of one that leaves and follows its joints has no momentum of the balance: by differences
  return (flew || (leaves && !balance->follows)) && balance->share == 1.0 &&
         balance->renewals >= 0 && (!balance->kept || balance->start.mass > 0.0) &&
         limpet_tree_centre_known(probe, tree) && limpet_flight_parts(flight, tree) == 1 &&
         (balance->renewals == 0 || is_free(probe, tree));
}

limpet_status limpet_tree_middle_take(const limpet_probe *probe, limpet_arena *arena,
                                      limpet_tree_middle *middle) {
  const limpet_flight *flight = probe->residual->solved->motion.flight;
  limpet_data *world = &middle->world;
  middle->posed = flight && flight->has_middle;
  if (!middle->posed) return limpet_mirror_make(probe->model, probe->data, arena, world);
  *world = flight->middle;
  world->workspace = probe->data->workspace;
  world->mass_matrix = probe->data->mass_matrix;
  world->v = LIMPET_TAKE(arena, double, probe->model->nv);
  return world->v ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

typedef struct maker {
  const limpet_probe *probe;
  limpet_data *middle;
  bool posed;
  int tree, first, n, width;
  double h;
  bool floats;             // the first joint has the momentum of the balance
  limpet_integration way;  // from q0 to q_m
  double *w, *vdot;        // (nv)
  double *B, *by_u;        // (n x n)  of r at v*
  double *factor;          // (n x n)  of A
  double *U, *Q, *V;       // (n x 3n)  dw or du, dq_m, work
  limpet_momentum_link link;
  double *given, *turned;            // (6 x 3n), (6 x n)  what state and q_m have in M_bb du_b
  double *look;                      // (12 n)
  double first_factor[36];           // of M_bb
  bool centred, leaves;              // leaves: it was held before
  limpet_tree_centre centre, begin;  // N at q_m, and at q0
  double *free;                      // (n)  v* of the middle
} maker;

static limpet_status take(maker *m, double *kept, limpet_arena *arena, limpet_tree_flight *to) {
  const limpet_model *model = m->probe->model;
  const size_t n = (size_t)m->n, width = (size_t)m->width, nv = (size_t)model->nv;
  to->r = LIMPET_TAKE(arena, double, 2 * n * width);
  double *room =
      LIMPET_TAKE(arena, double, 3 * n * n + (2 * n + SIX) * width + 3 * SIX * n + 2 * nv + n);
  m->way.by_q = LIMPET_TAKE(arena, double, 18 * (size_t)model->joint_count);
  if (!to->r || !room || !m->way.by_q) return LIMPET_ERROR_MEMORY;
  to->middle = to->r + n * width;
  to->mean = kept, to->free = to->mean + SIX * width, to->by_s = to->free + SIX * width;
  to->impulse_f = to->by_s + SIX * n;
  m->way.by_v = m->way.by_q + 9 * (size_t)model->joint_count;
  m->B = room, m->by_u = m->B + n * n, m->factor = m->by_u + n * n;
  m->U = m->factor + n * n, m->Q = to->middle, m->V = m->U + n * width;
  m->given = m->V + n * width, m->turned = m->given + SIX * width;
  m->look = m->turned + SIX * n;
  m->w = m->look + 2 * SIX * n, m->vdot = m->w + nv, m->free = m->vdot + nv;
  return LIMPET_OK;
}

/* u of the first joint as M and bias were taken with it: where joints were not renewed, that of
 * their first estimate. */
static void place_first_joint(maker *m) {
  const limpet_model *model = m->probe->model;
  limpet_data *middle = m->middle;
  const int body = model->tree_body[m->tree];
  double *u = middle->v + m->first;
  if (!m->posed) {
    limpet_tree_momentum now;
    double linear[3], angular[3];
    limpet_tree_momentum_compute(model, middle, m->tree, &now);
    limpet_flight_balance_at(&m->probe->residual->solved->motion.flight->balance[m->tree],
                             0.5 * m->h, linear, angular);
    limpet_tree_momentum_give(model, middle, m->tree, linear, angular, &now);
    limpet_tree_velocities(model, middle, m->tree);
    return;
  }
  const double *V = middle->body_velocity + 6 * body;
  double arm[3], turned[3];
  limpet_vec3_sub(arm, middle->body_position + 3 * body, middle->tree_origin + 3 * m->tree);
  limpet_vec3_cross(turned, V, arm);
  limpet_vec3_add(u, V + 3, turned);
  limpet_mat3_tmul_vec(u + 3, middle->body_rotation + 9 * body, V);
}

// The tree at q_m, with the velocity u.
static void place(maker *m) {
  const limpet_model *model = m->probe->model;
  const limpet_data *data = m->probe->data;
  const limpet_flight *flight = m->probe->residual->solved->motion.flight;
  const limpet_range joints = limpet_tree_joints(model, m->tree);
  const bool first_order = m->probe->settings->compatibility.first_order_rotation;
  const bool renewed = flight->balance[m->tree].renewals > 0;
  double *u = m->middle->v + m->first;
  for (int d = m->first; d < m->first + m->n; ++d)
    m->w[d] = renewed ? flight->mean[d] : data->v[d] + 0.5 * data->warm_start[d];
  memcpy(u, m->w + m->first, (size_t)m->n * sizeof *u);
  if (m->floats) memcpy(u, flight->mean + m->first, SIX * sizeof *u);
  limpet_integration_compute_tree(&m->way, m->tree, m->w, first_order);
  if (!m->posed) {
    limpet_integrate_joints(model, joints.first, joints.end, m->middle->q, data->q, m->w,
                            0.5 * m->h, first_order);
    limpet_tree_kinematics(model, m->middle, m->tree);
    limpet_tree_velocities(model, m->middle, m->tree);
  }
  if (m->floats && !renewed) place_first_joint(m);
}

// A of the middle of the step, which the problem of a centred tree has no more.
static void take_matrix(maker *m) {
  const limpet_solved_step *solved = m->probe->residual->solved;
  const limpet_flight *flight = solved->motion.flight;
  const int at = m->probe->model->tree_mass[m->tree], size = m->n * m->n;
  const double *A = m->centred ? m->probe->data->mass_matrix : solved->motion.A;
  memcpy(m->factor, A + at, (size_t)size * sizeof *m->factor);
  if (!m->centred || !flight->balance[m->tree].implicit) return;
  const int step = flight->implicit_diagonal ? m->n + 1 : 1;
  for (int i = 0; i < size; i += step) m->factor[i] += flight->implicit[at + i];
}

/* A v*_m = A_0 v* + m N_m' c - N_0' (p0 + h F),  c: limpet_flight_balance.middle
 * (step/flight_centre.c). After the factor. */
static void find_free(maker *m) {
  const limpet_free_motion *motion = &m->probe->residual->solved->motion;
  const limpet_flight_balance *balance = &motion->flight->balance[m->tree];
  double p[3];
  limpet_tree_centre_force(m->probe, m->tree, p);
  limpet_vec3_scale(p, m->h, p);
  limpet_vec3_add(p, p, balance->start.linear);
  for (int i = 0; i < m->n; ++i)
    m->free[i] = motion->momentum[m->first + i] - limpet_vec3_dot(p, m->begin.N + 3 * i) +
                 balance->start.mass * limpet_vec3_dot(balance->middle, m->centre.N + 3 * i);
  limpet_cholesky_solve(m->n, m->factor, m->n, m->free);
}

static void dynamics(maker *m) {
  const limpet_model *model = m->probe->model;
  const int n = m->n;
  if (!m->probe->has_mass) limpet_tree_mass_matrix(model, m->middle, m->tree);
  take_matrix(m);
  limpet_cholesky(n, m->factor, n);  // as in the step
  if (m->centred) find_free(m);
  else
    memcpy(m->free, m->probe->residual->solved->motion.v_free + m->first,
           (size_t)n * sizeof *m->free);
  for (int i = 0; i < n; ++i)
    m->vdot[m->first + i] = (m->free[i] - m->probe->data->v[m->first + i]) / m->h;
  limpet_tree_rnea_derivatives(model, m->middle, m->tree, m->vdot, m->h, m->B, m->by_u);
}

// What the balance of a tree that floats gives u. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status link_momentum(maker *m, limpet_arena *arena) {
  const limpet_solved_step *solved = m->probe->residual->solved;
  const double *f = solved->motion.flight->force + m->first;
  const int n = m->n, width = m->width;
  limpet_momentum_link *link = &m->link;
  limpet_momentum_look_at(link, m->middle, m->look, &link->end);
  for (int i = 0; i < SIX; ++i) link->z[i] = link->start.y[i] + link->dt * f[i];
  limpet_momentum_link_find(link, solved);
  limpet_momentum_link_by_end(link, m->turned);
  double *by_state = LIMPET_TAKE_ZERO(arena, double, 3 * SIX * n), *by_v = by_state + SIX * n,
         *by_f = by_v + SIX * n;
  if (!by_state) return LIMPET_ERROR_MEMORY;
  memcpy(by_state, link->start.by_q, SIX * (size_t)n * sizeof *by_state);
  memcpy(by_v, link->start.M, SIX * (size_t)n * sizeof *by_v);
  for (int i = 0; i < SIX; ++i) by_f[i * n + i] = link->dt;
  limpet_momentum_link_carry(link, true, by_state);
  limpet_momentum_link_carry(link, false, by_v);
  limpet_momentum_link_carry(link, false, by_f);
  memset(m->given, 0, SIX * (size_t)width * sizeof *m->given);
  for (int i = 0; i < SIX; ++i)
    for (int k = 0; k < 3; ++k)
      memcpy(m->given + i * width + k * n, by_state + (k * SIX + i) * n,
             (size_t)n * sizeof *by_state);
  for (int i = 0; i < SIX; ++i)
    for (int j = 0; j < SIX; ++j) m->first_factor[SIX * i + j] = link->end.M[i * n + j];
  limpet_cholesky(SIX, m->first_factor, SIX);  // a mass above zero
  return LIMPET_OK;
}

static void negate(int count, double *x) {
  for (int i = 0; i < count; ++i) x[i] = -x[i];
}

// First rows of U: dw becomes du.
static void give_momentum(maker *m) {
  const int n = m->n, width = m->width;
  double *X = m->V;
  memcpy(X, m->given, SIX * (size_t)width * sizeof *X);
  negate(SIX * width, X);
  limpet_dense()->sub_mul(SIX, width, n, m->turned, n, 1, m->Q, width, X, width);
  negate(SIX * width, X);
  limpet_dense()->sub_mul(SIX, width, n - SIX, m->link.end.M + SIX, n, 1, m->U + SIX * width, width,
                          X, width);
  limpet_cholesky_solve_many(SIX, m->first_factor, width, X);
  memcpy(m->U, X, SIX * (size_t)width * sizeof *X);
}

// R (n x 3n): dr at v* and at the dw in U, which becomes du.
static void balance(maker *m, double *R) {
  const int n = m->n, width = m->width;
  const double *M = m->probe->data->mass_matrix + m->probe->model->tree_mass[m->tree];
  const size_t size = (size_t)n * (size_t)width;
  memcpy(m->Q, m->U, size * sizeof *m->Q);
  limpet_integration_tree_rows(&m->way, m->tree, width, 0, m->Q);
  if (m->floats) give_momentum(m);
  memset(R, 0, size * sizeof *R);
  limpet_dense()->sub_mul(n, width, n, m->B, n, 1, m->Q, width, R, width);
  limpet_dense()->sub_mul(n, width, n, m->by_u, n, 1, m->U, width, R, width);
  negate(n * width, R);
  for (int i = 0; i < n; ++i) {
    double *row = R + i * width;
    limpet_axpy(n, -1.0, M + i * n, row + n);
    row[2 * n + i] -= m->h;
  }
}

// dw of the next renewal from dr at v*; the first joint gets its momentum in the pose of before.
static void renew(maker *m, const double *R) {
  const int n = m->n, width = m->width;
  memcpy(m->V, R, (size_t)n * (size_t)width * sizeof *R);
  limpet_cholesky_solve_many(n, m->factor, width, m->V);
  for (int i = m->floats ? SIX : 0; i < n; ++i) {
    double *row = m->U + i * width;
    for (int c = 0; c < width; ++c) row[c] = -0.5 * m->V[i * width + c];
    row[n + i] += 0.5;
  }
  if (m->floats) give_momentum(m);
}

/* D at the mean velocity of the step, whose joints an estimate that was not renewed missed, by up
 * to what dampers take. */
static void look_at_mean(maker *m) {
  const limpet_solved_step *solved = m->probe->residual->solved;
  double centre[3];
  memcpy(m->w + m->first, solved->motion.flight->mean + m->first, (size_t)m->n * sizeof *m->w);
  limpet_tree_first_momentum(m->probe->model, m->middle, m->tree, m->w, m->link.end.M,
                             m->link.end.by_q, centre);
  limpet_momentum_link_by_end(&m->link, m->turned);
}

// The first rows of dv* and of the mean velocity. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status first_rows(const maker *m, limpet_arena *arena, limpet_tree_flight *to) {
  const int n = m->n, width = m->width;
  const size_t size = SIX * (size_t)width * sizeof(double);
  double *Z = LIMPET_TAKE_ZERO(arena, double, SIX *n);
  if (!Z) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < SIX; ++i) Z[i * SIX + i] = 1.0;
  limpet_cholesky_solve_many(n, m->factor, SIX, Z);
  memset(to->free, 0, size);
  limpet_dense()->sub_mul(SIX, width, n, Z, 1, SIX, to->r, width, to->free, width);
  memcpy(to->mean, m->floats ? m->U : to->free, size);
  for (int i = 0; i < SIX && !m->floats; ++i) {
    for (int c = 0; c < width; ++c) to->mean[i * width + c] *= 0.5;
    to->mean[i * width + n + i] += 0.5;
  }
  // v* of a centred tree that leaves: the rows of its translations have no forces, others N_0' h f
  for (int i = 0; i < SIX && m->leaves; ++i)
    for (int k = 0; k < 3; ++k) {
      double sum = Z[k * SIX + i];
      for (int j = 3; j < n; ++j) sum += Z[j * SIX + i] * m->begin.N[3 * j + k];
      to->free[i * width + 2 * n + k] -= m->h * sum;
    }
  return LIMPET_OK;
}

/* Where the end of the step gave the first joint what the joints leave it of the momentum, in the
 * pose q_m: that in place of u. After all that reads u. */
static void follow_joints(maker *m, limpet_tree_flight *to) {
  const limpet_solved_step *solved = m->probe->residual->solved;
  const int n = m->n, width = m->width;
  double centre[3], *row = to->mean;
  memcpy(m->w + m->first, solved->motion.flight->end + m->first, SIX * sizeof *m->w);
  for (int d = m->first + SIX; d < m->first + n; ++d) m->w[d] = solved->solution.v[d];
  limpet_tree_first_momentum(m->probe->model, m->middle, m->tree, m->w, m->link.end.M,
                             m->link.end.by_q, centre);
  limpet_momentum_link_by_end(&m->link, m->turned);
  memcpy(row, m->given, SIX * (size_t)width * sizeof *row);
  negate(SIX * width, row);
  limpet_dense()->sub_mul(SIX, width, n, m->turned, n, 1, m->Q, width, row, width);
  negate(SIX * width, row);
  limpet_cholesky_solve_many(SIX, m->first_factor, width, row);
  for (int i = 0; i < SIX; ++i)
    for (int k = 0; k < n; ++k) to->by_s[i * n + k] = k < SIX ? 0.0 : -m->link.end.M[i * n + k];
  limpet_cholesky_solve_many(SIX, m->first_factor, n, to->by_s);
}

// X (rows x width): columns of q0 get what springs have in f.
static void add_springs(int rows, int n, int width, const double *springs, double *X) {
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < n; ++k)
      if (X[i * width + 2 * n + k] != 0.0)
        limpet_axpy(n, X[i * width + 2 * n + k], springs + k * n, X + i * width);
}

static void add_all_springs(int n, bool kept, const double *springs, limpet_tree_flight *to) {
  if (limpet_is_zero(n * n, springs)) return;
  add_springs(n, n, to->width, springs, to->r);
  add_springs(n, n, to->width, springs, to->middle);
  if (!kept) return;
  add_springs(SIX, n, to->width, springs, to->mean);
  add_springs(SIX, n, to->width, springs, to->free);
}

// From v* to what was solved for.
static limpet_status add_impulses(const maker *m, limpet_arena *arena, limpet_tree_flight *to) {
  const limpet_solved_step *solved = m->probe->residual->solved;
  const int n = m->n, width = m->width;
  double *by_q = LIMPET_TAKE(arena, double, n *n);
  if (!by_q) return LIMPET_ERROR_MEMORY;
  double *change = m->vdot + m->first, u[3];
  for (int i = 0; i < n; ++i) change[i] = m->free[i] - solved->solution.v[m->first + i];
  if (m->centred) {
    limpet_tree_centre_base(&m->centre, m->probe, m->tree, solved->solution.v, u);
    limpet_vec3_sub(change, m->free, u);
  }
  if (limpet_is_zero(n, m->vdot + m->first)) return LIMPET_OK;
  limpet_tree_mass_derivative(m->probe->model, m->middle, m->tree, m->vdot, by_q);
  limpet_dense()->sub_mul(n, width, n, by_q, n, 1, to->middle, width, to->r, width);
  return LIMPET_OK;
}

/* From r of the middle to that of a tree that is centred: forces on one that leaves act as they
 * are. LIMPET_OK or LIMPET_ERROR_MEMORY. */
static limpet_status move_centre(const maker *m, limpet_arena *arena, limpet_tree_flight *to) {
  const int n = m->n, width = m->width;
  for (int a = 0; a < n && m->leaves; ++a) to->r[a * width + 2 * n + a] += m->h;
  limpet_tree_centre_part(&m->centre, width, to->r);
  for (int a = 0; a < n && m->leaves; ++a) to->r[a * width + 2 * n + a] -= m->h;
  for (int a = 0; a < n && !m->leaves; ++a)
    for (int i = 0; i < 3; ++i) to->r[a * width + 2 * n + i] -= m->h * m->begin.N[3 * a + i];
  return limpet_tree_centre_whole(&m->begin, m->probe, m->tree, arena, width, to->r, to->r + n);
}

static void impulses_by_force(const maker *m, limpet_tree_flight *to) {
  for (int i = 0; i < SIX; ++i) {
    memcpy(to->impulse_f + i * m->n, to->r + i * m->width + 2 * m->n, (size_t)m->n * sizeof *to->r);
    to->impulse_f[i * m->n + i] += m->h;
  }
}

limpet_status limpet_tree_flight_make(const limpet_probe *probe,
                                      const limpet_tree_flight_input *input,
                                      limpet_tree_middle *middle, limpet_arena *arena,
                                      limpet_tree_flight *to) {
  const limpet_model *model = probe->model;
  const int tree = input->tree;
  const bool by_change = input->by_change;
  const limpet_solved_step *solved = probe->residual->solved;
  const limpet_flight_balance *balanced = &solved->motion.flight->balance[tree];
  const double h = probe->settings->time_step;
  maker m = {.probe = probe,
             .middle = &middle->world,
             .posed = middle->posed,
             .tree = tree,
             .centred = limpet_tree_is_centred(probe, tree),
             .leaves = limpet_tree_is_centred(probe, tree) &&
                       !(probe->data->tree_held[tree] < LIMPET_FLIGHT_HELD_OUTSIDE),
             .first = model->tree_dof[tree],
             .n = model->tree_dof_count[tree],
             .width = (by_change ? 4 : 3) * model->tree_dof_count[tree],
             .h = h,
             .floats = balanced->kept && probe->data->tree_held[tree] < LIMPET_FLIGHT_HELD_OUTSIDE,
             .way = {.model = model, .dt = 0.5 * h},
             .link = limpet_momentum_link_of(model, solved, tree, 0.5 * h)};
  to->width = m.width;
  if (take(&m, input->room, arena, to)) return LIMPET_ERROR_MEMORY;
  place(&m);
  if (balanced->kept)
    limpet_momentum_look_at(&m.link, probe->data, to->impulse_f + SIX * m.n, &m.link.start);
  if (m.centred && (limpet_tree_centre_make(model, m.middle, tree, arena, &m.centre) ||
                    limpet_tree_centre_make(model, probe->data, tree, arena, &m.begin)))
    return LIMPET_ERROR_MEMORY;
  dynamics(&m);
  if (m.floats && link_momentum(&m, arena)) return LIMPET_ERROR_MEMORY;
  to->start = m.link.start;

  memset(m.U, 0, (size_t)m.n * (size_t)m.width * sizeof *m.U);
  for (int i = 0; i < m.n; ++i) {
    m.U[i * m.width + m.n + i] = 1.0;
    if (by_change) m.U[i * m.width + 3 * m.n + i] = 0.5;
  }
  balance(&m, to->r);
  for (int k = 0; k < balanced->renewals; ++k) {
    renew(&m, to->r);
    balance(&m, to->r);
  }
  if (m.floats) {
    look_at_mean(&m);
    renew(&m, to->r);
  }
  if (balanced->kept && first_rows(&m, arena, to)) return LIMPET_ERROR_MEMORY;
  if (balanced->follows) follow_joints(&m, to);
  if (add_impulses(&m, arena, to)) return LIMPET_ERROR_MEMORY;
  if (m.centred && move_centre(&m, arena, to)) return LIMPET_ERROR_MEMORY;
  if (balanced->kept) impulses_by_force(&m, to);
  add_all_springs(m.n, balanced->kept, input->springs, to);
  to->made = true;
  return LIMPET_OK;
}
