/* gradient/tree_free_end.c: see tree_free_end.h.
 *
 * x1: position of the first body; p0 = M_l(q0) v0.
 *
 *   dx1 = dc - (M_l(q1)/m) dq1 of the other velocities
 *   dc = (M_l(q0)/m) dq0 + h dp0/m + h^2 dF/(2m)
 *   M_bb(q1) dv1 = dy - D1 dq1 - M_bj(q1) ds_j          momentum_link.h
 *
 * Cost: two sweeps of the tree, and products of 6 x n matrices. */
#include "gradient/tree_free_end.h"

#include <string.h>

#include "dynamics/tree.h"
#include "math/dense.h"
#include "math/dense_table.h"
#include "math/lu.h"
#include "math/vec3.h"
#include "model/integrate.h"
#include "step/flight.h"

enum { SIX = 6 };

typedef struct maker {
  const limpet_solved_step *solved;
  const limpet_tree_flight *flight;
  limpet_momentum_link link;
  limpet_tree_free_end *to;
  bool inside;              // impulses within the tree act
  int turns;                // limpet_flight_balance.turns
  bool follows;             // likewise
  limpet_integration half;  // from q0 along w for half the step
  limpet_data there;        // a mirror of the world
  int n, width;             // as in `to`
  double *looks;            // (12 n)
  double *by_end, *by_w;    // (6 x n)  what a pose has in M_bb v; what w has
  double *given[3];         // (6 x n)  what q0, v0 and f have in y
  double *W;                // (6 x 4n)  w of the first joint
  double *mean;             // (nv)  w
} maker;

static limpet_status take(maker *m, const limpet_data *start, limpet_arena *arena) {
  const limpet_model *model = m->link.model;
  const size_t size = SIX * (size_t)m->n, joints = 9 * (size_t)model->joint_count;
  double *room = LIMPET_TAKE(arena, double, 12 * size + (size_t)model->nv + 2 * joints);
  if (!room || limpet_mirror_make(model, start, arena, &m->there)) return LIMPET_ERROR_MEMORY;
  m->looks = room, m->by_end = room + 2 * size, m->by_w = m->by_end + size;
  for (int k = 0; k < 3; ++k) m->given[k] = m->by_w + (size_t)(k + 1) * size;
  m->W = room + 7 * size;
  m->mean = m->W + 5 * size;
  m->half.by_q = m->mean + model->nv;
  m->half.by_v = m->half.by_q + joints;
  return LIMPET_OK;
}

// w, as the step had it.
static void find_mean(maker *m, const limpet_data *start) {
  const limpet_free_motion *motion = &m->solved->motion;
  const double *s = m->solved->solution.v, *u = motion->flight->mean;
  for (int d = m->link.first; d < m->link.first + m->n; ++d) {
    const bool base = m->to->kept && d < m->link.first + SIX;
    if (base && (m->turns > 0 || m->follows)) m->mean[d] = motion->flight->end[d];
    else if (base) m->mean[d] = m->inside ? u[d] + s[d] - motion->v_free[d] : u[d];
    else m->mean[d] = m->inside ? s[d] : 0.5 * (start->v[d] + s[d]);
  }
}

// What start and forces have in the momentum after a time link->dt.
static void give(maker *m) {
  const int n = m->n;
  const size_t size = SIX * (size_t)n * sizeof(double);
  limpet_momentum_link *link = &m->link;
  const double *f = m->solved->motion.flight->force + link->first;
  for (int i = 0; i < SIX; ++i) link->z[i] = link->start.y[i] + link->dt * f[i];
  limpet_momentum_link_find(link, m->solved);
  memcpy(m->given[0], link->start.by_q, size);
  memcpy(m->given[1], link->start.M, size);
  memset(m->given[2], 0, size);
  for (int i = 0; i < SIX; ++i) m->given[2][i * n + i] = link->dt;
  for (int k = 0; k < 3; ++k) limpet_momentum_link_carry(link, k == 0, m->given[k]);
}

// X (6 x n), by all but the first joint of a pose that w leads to along `way`, into to (6 x 4n).
static void add_joints(const maker *m, const limpet_integration *way, int rows, double *X,
                       double *to) {
  const limpet_tree_free_end *end = m->to;
  const int n = m->n;
  limpet_integration_chain(way, end->tree, rows, X, m->by_w);
  for (int i = 0; i < rows; ++i)
    for (int k = SIX; k < n; ++k) {
      double *row = to + i * m->width;
      row[k] += X[i * n + k];
      row[n + k] += end->carried * m->by_w[i * n + k];
      row[3 * n + k] += (1.0 - end->carried) * m->by_w[i * n + k];
    }
}

/* Rotation rows of q (6 x 4n) that w of the first joint has, W (6 x 4n), along `way`. */
static void turn(const maker *m, const limpet_integration *way, const double *W, double *q) {
  const int width = m->width, joint = way->model->dof_joint[m->to->first];
  const double *T = way->by_v + 9 * joint, *E = way->by_q + 9 * joint;
  for (int c = 0; c < width; ++c) {
    double w[3], turned[3];
    for (int i = 0; i < 3; ++i) w[i] = W[(3 + i) * width + c];
    limpet_mat3_mul_vec(turned, T, w);
    for (int i = 0; i < 3; ++i) q[(3 + i) * width + c] = turned[i];
  }
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) q[(3 + i) * width + 3 + k] += E[3 * i + k];
}

/* v (6 x 4n) of the first joint that its momentum gives at the pose of link.end, whose rotation
 * rows are in q; positions have no part in it. False: it has no inertia. */
static bool give_velocity(const maker *m, const limpet_integration *way, const double *q,
                          double *v) {
  const int n = m->n, width = m->width;
  const double *M = m->link.end.M;
  double factor[SIX * SIX];
  limpet_momentum_link_by_end(&m->link, m->by_end);
  memset(v, 0, SIX * (size_t)width * sizeof *v);
  for (int i = 0; i < SIX; ++i) {
    double *row = v + i * width;
    for (int k = 0; k < 3; ++k) limpet_axpy(n, 1.0, m->given[k] + i * n, row + k * n);
    for (int k = 3; k < SIX; ++k) limpet_axpy(width, m->by_end[i * n + k], q + k * width, row);
    for (int k = SIX; k < n; ++k) row[3 * n + k] -= M[i * n + k];
    for (int k = 0; k < SIX; ++k) factor[SIX * i + k] = M[i * n + k];
  }
  add_joints(m, way, SIX, m->by_end, v);
  if (limpet_cholesky(SIX, factor, SIX)) return false;
  limpet_cholesky_solve_many(SIX, factor, width, v);
  return true;
}

// w of the first joint: u, or with impulses within the tree u + s - v*, or what follows joints.
static void first_mean(const maker *m, double *W) {
  const int n = m->n;
  for (int i = 0; i < SIX; ++i) {
    double *row = W + i * m->width;
    const double *mean = m->flight->mean + i * m->flight->width,
                 *free = m->flight->free + i * m->flight->width;
    memcpy(row, mean, 3 * (size_t)n * sizeof *row);
    memset(row + 3 * n, 0, (size_t)n * sizeof *row);
    if (m->width > 4 * n) memcpy(row + 4 * n, mean + 3 * n, (size_t)n * sizeof *row);
    if (m->follows) memcpy(row + 3 * n, m->flight->by_s + i * n, (size_t)n * sizeof *row);
    if (!m->inside || m->follows) continue;
    limpet_axpy(3 * n, -1.0, free, row);
    if (m->width > 4 * n) limpet_axpy(n, -1.0, free + 3 * n, row + 4 * n);
    row[3 * n + i] += 1.0;
  }
}

// Position rows of q.
static void shift(const maker *m, double *X) {
  const limpet_momentum_link *link = &m->link;
  const int n = m->n, width = m->width;
  const double h = link->dt, share = 1.0 / link->mass;
  double *q = m->to->q;
  for (int i = 0; i < 3; ++i) {
    double *row = q + i * width;
    memset(row, 0, (size_t)width * sizeof *row);
    limpet_axpy(n, share, link->start.M + i * n, row);
    limpet_axpy(n, h * share, link->start.by_q + i * n, row);
    limpet_axpy(n, h * share, link->start.M + i * n, row + n);
    row[2 * n + i] += 0.5 * h * h * share;
    for (int k = 0; k < n; ++k) X[i * n + k] = -share * link->end.M[i * n + k];
    for (int k = 3; k < SIX; ++k) limpet_axpy(width, X[i * n + k], q + k * width, row);
  }
  add_joints(m, &m->to->way, 3, X, q);
}

/* The look at link.end of a tree at q (nq) with the velocity v (nv), in a world of its own: the one
 * that the step leaves is shifted in part. */
static void look_at(maker *m, const double *q, const double *v) {
  const limpet_model *model = m->link.model;
  const limpet_range positions = limpet_tree_positions(model, m->link.tree);
  limpet_data *there = &m->there;
  if (q != there->q)
    memcpy(there->q + positions.first, q + positions.first,
           (size_t)(positions.end - positions.first) * sizeof *q);
  memcpy(there->v + m->link.first, v + m->link.first, (size_t)m->n * sizeof *v);
  limpet_tree_kinematics(model, there, m->link.tree);
  limpet_tree_velocities(model, there, m->link.tree);
  limpet_momentum_look_at(&m->link, there, m->looks, &m->link.end);
}

/* What gives the first joint its momentum in the pose of `there`, to which w led: the next w, as
 * flight_end.c finds it. */
static void renew_mean(maker *m) {
  const limpet_model *model = m->link.model;
  const limpet_flight_balance *balance = &m->solved->motion.flight->balance[m->link.tree];
  limpet_data *there = &m->there;
  limpet_tree_momentum now;
  double linear[3], angular[3];
  memcpy(there->v + m->link.first, m->mean + m->link.first, (size_t)m->n * sizeof *m->mean);
  limpet_tree_kinematics(model, there, m->link.tree);
  limpet_tree_body_velocities(model, there, m->link.tree);
  limpet_tree_momentum_compute(model, there, m->link.tree, &now);
  limpet_flight_balance_at(balance, m->half.dt, linear, angular);
  limpet_tree_momentum_give(model, there, m->link.tree, linear, angular, &now);
  memcpy(m->mean + m->link.first, there->v + m->link.first, SIX * sizeof *m->mean);
}

/* Of trees that loops hold: w of the first joint is what gives it its momentum in the pose that w
 * leads to in half the step, found from W as often as the step did. The step stops where w misses
 * by a turn of 1e-6 rad, so each pose is that of the w before. */
static bool turn_again(maker *m, const limpet_data *start, bool first_order, double *W) {
  const limpet_model *model = m->link.model;
  const limpet_free_motion *motion = &m->solved->motion;
  const limpet_range joints = limpet_tree_joints(model, m->link.tree);
  const double h = m->link.dt, *s = m->solved->solution.v;
  double *q = m->to->q, *v = m->to->v;
  m->link.dt = m->half.dt;
  for (int d = m->link.first; d < m->link.first + SIX; ++d)
    m->mean[d] = motion->flight->mean[d] + s[d] - motion->v_free[d];
  bool known = true;
  for (int k = 0; k < m->turns && known; ++k) {
    limpet_integrate_joints(model, joints.first, joints.end, m->there.q, start->q, m->mean,
                            m->half.dt, first_order);
    limpet_integration_compute_tree(&m->half, m->link.tree, m->mean, first_order);
    if (k + 1 < m->turns) renew_mean(m);
    else
      memcpy(m->mean + m->link.first, motion->flight->end + m->link.first, SIX * sizeof *m->mean);
    look_at(m, m->there.q, m->mean);
    give(m);
    turn(m, &m->half, W, q);
    known = give_velocity(m, &m->half, q, v);
    memcpy(W, v, SIX * (size_t)m->width * sizeof *W);
  }
  m->link.dt = h;
  return known;
}

// The first joint. *known: it has inertia.
static void end_first(maker *m, const limpet_data *start, const limpet_data *end, bool first_order,
                      bool *known) {
  limpet_tree_free_end *to = m->to;
  first_mean(m, m->W);
  *known = m->turns == 0 || turn_again(m, start, first_order, m->W);
  if (!*known) return;
  look_at(m, end->q, end->v);
  give(m);
  turn(m, &to->way, m->W, to->q);
  shift(m, m->by_end);
  *known = give_velocity(m, &to->way, to->q, to->v);
}

limpet_status limpet_tree_free_end_make(const limpet_ending *ending, int tree, limpet_arena *arena,
                                        limpet_tree_free_end *to, bool *known) {
  const limpet_model *model = ending->start->model;
  const limpet_columns *columns = ending->columns;
  const limpet_solved_step *solved = ending->residual->solved;
  const limpet_flight_balance *balance = &solved->motion.flight->balance[tree];
  const limpet_tree_flight *flight = columns->flight ? &columns->flight[tree] : NULL;
  *known = flight && flight->made && balance->held < LIMPET_FLIGHT_HELD_OUTSIDE;
  if (!*known) return LIMPET_OK;
  const size_t joints = (size_t)model->joint_count;
  maker m = {.solved = solved,
             .flight = flight,
             .link = limpet_momentum_link_of(model, solved, tree, solved->problem.dt),
             .to = to,
             .inside = balance->held > 0.0,
             .turns = balance->turns,
             .follows = balance->follows,
             .half = {.model = model, .dt = 0.5 * solved->problem.dt},
             .n = model->tree_dof_count[tree],
             .width = flight->width + model->tree_dof_count[tree]};
  *to = (limpet_tree_free_end){.tree = tree,
                               .first = m.link.first,
                               .n = m.n,
                               .width = m.width,
                               .kept = balance->kept,
                               .carried = m.inside ? 0.0 : 0.5,
                               .way = {.model = model, .dt = solved->problem.dt}};
  to->q = LIMPET_TAKE(arena, double, 2 * SIX * m.width);
  to->way.by_q = LIMPET_TAKE(arena, double, 18 * joints);
  if (!to->q || !to->way.by_q) return LIMPET_ERROR_MEMORY;
  to->way.by_v = to->way.by_q + 9 * joints, to->v = to->q + SIX * m.width;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  if (take(&m, ending->start, arena)) return LIMPET_ERROR_MEMORY;
  find_mean(&m, ending->start);
  limpet_integration_compute_tree(&to->way, tree, m.mean, ending->first_order);
  m.link.start = flight->start;
  if (to->kept) end_first(&m, ending->start, ending->end, ending->first_order, known);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

// ------------------------------------------------------------------------------------ rows

// to (6 x width) = rows of the first joint, by S, by own columns and by F.
static void first_rows(const limpet_tree_free_end *e, const double *by, const limpet_end_columns *c,
                       const double *S, double *to) {
  const int n = e->n, stride = e->width, width = c->width;
  const size_t size = SIX * (size_t)width;
  memset(to, 0, size * sizeof *to);
  limpet_dense()->sub_mul(SIX, width, n, by + 3 * n, stride, 1, S, width, to, width);
  if (c->F) limpet_dense()->sub_mul(SIX, width, n, by + 2 * n, stride, 1, c->F, width, to, width);
  for (size_t i = 0; i < size; ++i) to[i] = -to[i];
  if (c->own == LIMPET_END_BY_NONE) return;
  for (int i = 0; i < SIX; ++i)
    limpet_axpy(n, 1.0, by + i * stride + (int)c->own * n, to + i * width + c->at);
}

void limpet_tree_free_end_rows(const limpet_tree_free_end *e, const limpet_end_columns *c,
                               double *v, double *q, double *work) {
  const int n = e->n, width = c->width;
  const size_t size = SIX * (size_t)width;
  double *first_q = work, *first_v = work + size;
  if (e->kept) {
    first_rows(e, e->q, c, v, first_q);
    first_rows(e, e->v, c, v, first_v);
  }
  for (int i = 0; i < n * width; ++i) q[i] = (1.0 - e->carried) * v[i];
  for (int i = 0; i < n && c->own == LIMPET_END_BY_V; ++i) q[i * width + c->at + i] += e->carried;
  limpet_integration_tree_rows(&e->way, e->tree, width, c->own == LIMPET_END_BY_Q ? c->at : -1, q);
  if (!e->kept) return;
  memcpy(q, first_q, size * sizeof *q);
  memcpy(v, first_v, size * sizeof *v);
}

void limpet_tree_free_end_weigh(const limpet_tree_free_end *e, const limpet_end_weights *weights,
                                double *by_s, double *work) {
  const double *weight_q = weights->of_q, *weight_v = weights->of_v;
  double *by_q = weights->by_q, *by_v = weights->by_v, *by_f = weights->by_f,
         *by_c = weights->by_change;
  const int n = e->n, first = e->first, base = e->kept ? SIX : 0;
  double *x = work, *y = work + n, *to = by_s + first;
  memset(to, 0, (size_t)n * sizeof *to);
  for (int i = base; i < n && weight_v; ++i) to[i] = weight_v[first + i];
  for (int i = 0; i < n; ++i) x[i] = weight_q && i >= base ? weight_q[first + i] : 0.0;
  limpet_integration_chain(&e->way, e->tree, 1, x, y);
  limpet_axpy(n, 1.0 - e->carried, y, to);
  limpet_axpy(n, e->carried, y, by_v + first);
  limpet_axpy(n, 1.0, x, by_q + first);
  for (int i = 0; i < base; ++i) {
    const double shares[2] = {weight_q ? weight_q[first + i] : 0.0,
                              weight_v ? weight_v[first + i] : 0.0};
    for (int k = 0; k < 2; ++k) {
      const double *row = (k ? e->v : e->q) + i * e->width;
      limpet_axpy(n, shares[k], row, by_q + first);
      limpet_axpy(n, shares[k], row + n, by_v + first);
      limpet_axpy(n, shares[k], row + 2 * n, by_f + first);
      limpet_axpy(n, shares[k], row + 3 * n, to);
      if (by_c && e->width > 4 * n) limpet_axpy(n, shares[k], row + 4 * n, by_c + first);
    }
  }
}
