/* gradient/tree_end.c: see tree_end.h.
 *
 *   dz = D0 dq0 + dP_q dq0 + (M_b(q0) + dP_v) dv0 + A ds   D = d(M_b v)/dq, dP + h df: columns
 *   M_bb(q1) dv1 = dy - D1 dq1 - M_bj(q1) ds_j,   dq1 = E_q dq0 + E_s ds             integration.h
 * dy by dz and dq1: momentum_link.h. Cost: two sweeps of the tree, 400 flops a velocity. */
#include "gradient/tree_end.h"

#include <math.h>
#include <string.h>

#include "dynamics/tree.h"
#include "gradient/tree_centre.h"
#include "math/dense.h"
#include "math/lu.h"
#include "math/vec3.h"
#include "step/flight.h"

enum { SIX = 6 };

// z of impulses P = A (s - v*), p and w.
static void find_momentum(limpet_momentum_link *m, const limpet_solved_step *solved,
                          const double *A) {
  const limpet_free_motion *motion = &solved->motion;
  const double *s = solved->solution.v + m->first, *f = motion->flight->force + m->first;
  for (int i = 0; i < SIX; ++i)
    m->z[i] = m->start.y[i] + limpet_dot(m->n, A + i * m->n, s) - motion->momentum[m->first + i] +
              m->dt * f[i];
  limpet_momentum_link_find(m, solved);
}

static void add(int count, const double *from, double *to) {
  for (int i = 0; i < count; ++i) to[i] += from[i];
}

// False: the tree has no inertia.
static bool fill(const limpet_momentum_link *m, const limpet_ending *ending, const double *A,
                 double *by_end, limpet_tree_end *to) {
  const limpet_columns *columns = ending->columns;
  const int n = m->n, size = SIX * n;
  double factor[SIX * SIX];
  for (int i = 0; i < SIX; ++i)
    for (int j = 0; j < SIX; ++j) factor[SIX * i + j] = m->end.M[i * n + j];
  if (limpet_cholesky(SIX, factor, SIX)) return false;

  // by_end becomes what the pose at the start has in the one at the end; v_by_q is its workspace
  double *by_s = to->v_by_q ? to->v_by_q : to->v_by_s;
  limpet_momentum_link_by_end(m, by_end);
  limpet_integration_chain(ending->integration, m->tree, SIX, by_end, by_s);
  if (by_s != to->v_by_s) memcpy(to->v_by_s, by_s, (size_t)size * sizeof *by_s);
  double *carried = m->start.M;  // read for the last time below
  if (to->v_by_q) {
    const size_t at = SIX * (size_t)m->first;
    memcpy(to->v_by_q, m->start.by_q, (size_t)size * sizeof *by_s);
    add(size, columns->impulse_q + at, to->v_by_q);
    limpet_momentum_link_carry(m, true, to->v_by_q);
    add(size, by_end, to->v_by_q);
    memcpy(to->v_by_v, m->start.M, (size_t)size * sizeof *by_s);
    add(size, columns->impulse_v + at, to->v_by_v);
    limpet_momentum_link_carry(m, false, to->v_by_v);
    limpet_cholesky_solve_many(SIX, factor, n, to->v_by_q);
    limpet_cholesky_solve_many(SIX, factor, n, to->v_by_v);
  }
  if (to->v_by_f) {
    memcpy(to->v_by_f, columns->flight[m->tree].impulse_f, (size_t)size * sizeof *by_s);
    limpet_momentum_link_carry(m, false, to->v_by_f);
    limpet_cholesky_solve_many(SIX, factor, n, to->v_by_f);
  }
  if (to->v_by_c) {
    memcpy(to->v_by_c, columns->impulse_change + SIX * (size_t)m->first,
           (size_t)size * sizeof *by_s);
    limpet_momentum_link_carry(m, false, to->v_by_c);
    limpet_cholesky_solve_many(SIX, factor, n, to->v_by_c);
  }
  memcpy(carried, A, (size_t)size * sizeof *carried);
  limpet_momentum_link_carry(m, false, carried);
  add(size, carried, to->v_by_s);
  for (int i = 0; i < SIX; ++i)
    for (int j = SIX; j < n; ++j) to->v_by_s[i * n + j] -= m->end.M[i * n + j];
  limpet_cholesky_solve_many(SIX, factor, n, to->v_by_s);
  return true;
}

// Where a centred tree goes: N at both ends, the room of y and of a row.
typedef struct placing {
  limpet_tree_centre start;
  double *N_1, *y, *work, *row, *by_row;  // (n x 3), (n x 3), (n x 6), (n), (n)
} placing;

static limpet_status take_placing(limpet_data *start, const limpet_data *end, int tree,
                                  limpet_arena *arena, placing *to) {
  const limpet_model *model = start->model;
  if (limpet_tree_centre_make(model, start, tree, arena, &to->start)) return LIMPET_ERROR_MEMORY;
  const int n = to->start.n;
  to->N_1 = LIMPET_TAKE(arena, double, 14 * n);
  if (!to->N_1) return LIMPET_ERROR_MEMORY;
  to->y = to->N_1 + 3 * n, to->work = to->y + 3 * n;
  to->row = to->work + 6 * n, to->by_row = to->row + n;
  return limpet_flight_centre_rows(model, end, tree, arena, to->N_1);
}

// by_q, by_s (n) += what x (3) has of the addition to x1.
static void place(const placing *p, const limpet_integration *integration, int tree,
                  const double *s, const double x[3], double *by_q, double *by_s) {
  const int n = p->start.n;
  for (int a = 0; a < n; ++a) {
    const double own = a < 3 ? 0.0 : limpet_vec3_dot(x, p->start.N + 3 * a);
    p->row[a] = a < 3 ? 0.0 : -limpet_vec3_dot(x, p->N_1 + 3 * a);
    limpet_vec3_scale(p->y + 3 * a, s[a], x);
    by_q[a] += own;
    by_s[a] += integration->dt * own;
  }
  limpet_tree_centre_product(&p->start, integration->dt, p->y, p->work, by_q);
  limpet_integration_chain(integration, tree, 1, p->row, p->by_row);
  for (int a = 0; a < n; ++a) by_q[a] += p->row[a], by_s[a] += p->by_row[a];
}

static bool is_placed(const limpet_solved_step *solved, int tree) {
  return solved->motion.flight->centred[tree];
}

// Fills x_by_q and x_by_s of a centred tree.
static limpet_status fill_place(const limpet_ending *ending, const limpet_data *end, int tree,
                                limpet_arena *arena, limpet_tree_end *to) {
  const double *s = ending->residual->solved->solution.v + to->first;
  const int n = to->n;
  to->x_by_q = LIMPET_TAKE_ZERO(arena, double, 6 * n);
  if (!to->x_by_q) return LIMPET_ERROR_MEMORY;
  to->x_by_s = to->x_by_q + 3 * n;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  placing p;
  double *rate = LIMPET_TAKE_ZERO(arena, double, 9 * n);
  if (!rate || take_placing(ending->start, end, tree, arena, &p)) return LIMPET_ERROR_MEMORY;
  double *rows = rate + 3 * n, *by_rows = rows + 3 * n;
  const double dt = ending->integration->dt;
  for (int i = 0; i < 3; ++i)
    for (int a = 3; a < n; ++a) {
      to->x_by_q[i * n + a] = p.start.N[3 * a + i];
      rows[i * n + a] = -p.N_1[3 * a + i];
    }
  limpet_axpy(3 * n, dt, to->x_by_q, to->x_by_s);
  limpet_tree_centre_rate(&p.start, s, p.work, rate);
  limpet_axpy(3 * n, dt, rate, to->x_by_q);
  limpet_integration_chain(ending->integration, tree, 3, rows, by_rows);
  limpet_axpy(3 * n, 1.0, rows, to->x_by_q);
  limpet_axpy(3 * n, 1.0, by_rows, to->x_by_s);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

limpet_status limpet_tree_end_make(const limpet_ending *ending, int tree, limpet_arena *arena,
                                   limpet_tree_end *to, bool *known) {
  limpet_data *start = ending->start;
  const limpet_model *model = start->model;
  const limpet_columns *columns = ending->columns;
  const limpet_solved_step *solved = ending->residual->solved;
  const bool by_state = columns->q != NULL;
  limpet_momentum_link m = limpet_momentum_link_of(model, solved, tree, solved->problem.dt);
  const int size = SIX * m.n;
  *known = m.mass > 0.0 && !(is_placed(solved, tree) && model->vertex_count > 0) &&
           (!by_state || (columns->impulse_known && columns->impulse_known[tree]));
  if (!*known) return LIMPET_OK;
  *to = (limpet_tree_end){.first = m.first, .n = m.n};
  const limpet_tree_flight *flight = columns->flight ? &columns->flight[tree] : NULL;
  const bool flew = flight && flight->made;
  const bool by_change = columns->change_known && columns->change_known[tree];
  to->v_by_s = LIMPET_TAKE(arena, double, flew ? 4 * size : by_state ? 3 * size : size);
  if (by_change) to->v_by_c = LIMPET_TAKE(arena, double, size);
  if (!to->v_by_s || (by_change && !to->v_by_c)) return LIMPET_ERROR_MEMORY;
  if (flew) to->v_by_f = to->v_by_s + 3 * size;
  if (by_state) to->v_by_q = to->v_by_s + size, to->v_by_v = to->v_by_q + size;

  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  // the step leaves what follows from the pose at its end
  limpet_data there = solved->motion.flight->other;
  there.q = ending->end->q, there.v = ending->end->v;
  there.workspace = start->workspace;
  double *by_end = LIMPET_TAKE(arena, double, 5 * size), *looks = by_end + size;
  if (!by_end) return LIMPET_ERROR_MEMORY;
  limpet_momentum_look_at(&m, start, looks, &m.start);
  limpet_momentum_look_at(&m, &there, looks + 2 * size, &m.end);
  const double *A = solved->motion.A + model->tree_mass[tree];
  find_momentum(&m, solved, A);
  *known = fill(&m, ending, A, by_end, to);
  limpet_arena_release(arena, mark);
  return is_placed(solved, tree) ? fill_place(ending, &there, tree, arena, to) : LIMPET_OK;
}

void limpet_tree_end_pass(const limpet_tree_end *end, double *velocity, double *shift) {
  double v1[SIX];
  for (int i = 0; i < 3 && end->x_by_s; ++i)
    shift[end->first + i] += limpet_dot(end->n, end->x_by_s + i * end->n, velocity + end->first);
  for (int i = 0; i < SIX; ++i)
    v1[i] = limpet_dot(end->n, end->v_by_s + i * end->n, velocity + end->first);
  memcpy(velocity + end->first, v1, sizeof v1);
}

void limpet_tree_end_place(const limpet_tree_end *end, const double *weight, double *by_s,
                           double *by_q) {
  for (int i = 0; i < 3 && end->x_by_s; ++i) {
    limpet_axpy(end->n, weight[end->first + i], end->x_by_s + i * end->n, by_s + end->first);
    limpet_axpy(end->n, weight[end->first + i], end->x_by_q + i * end->n, by_q + end->first);
  }
}

// to (nv; NULL: not wanted) += share times a row of a tree.
static void add_row(const limpet_tree_end *end, double share, const double *rows, int row,
                    double *to) {
  if (rows && to) limpet_axpy(end->n, share, rows + row * end->n, to + end->first);
}

void limpet_tree_end_weigh(const limpet_tree_end *end, const limpet_end_weights *weights,
                           double *weight) {
  double x[SIX];
  memcpy(x, weight + end->first, sizeof x);
  memset(weight + end->first, 0, sizeof x);
  for (int i = 0; i < SIX; ++i) {
    add_row(end, x[i], end->v_by_s, i, weight);
    add_row(end, x[i], end->v_by_q, i, weights->by_q);
    add_row(end, x[i], end->v_by_v, i, weights->by_v);
    add_row(end, x[i], end->v_by_f, i, weights->by_f);
    add_row(end, x[i], end->v_by_c, i, weights->by_change);
  }
}

// ----------------------------------------------------------------------------------- products

// Rotation and arm of one look, whose momentum is y; M (36): M_bb.
static void look_short(const limpet_data *data, int tree, limpet_tree_sums *sum, double R[9],
                       limpet_momentum_look *look, double M[36]) {
  const limpet_model *model = data->model;
  const int body = model->tree_body[tree];
  double centre[3];
  limpet_tree_sums_make(model, data, tree, sum);
  limpet_tree_first_block(model, data, tree, sum, M, look->y, centre);
  memcpy(R, data->body_rotation + 9 * body, 9 * sizeof *R);
  limpet_vec3_sub(look->arm, centre, data->body_position + 3 * body);
  look->R = R;
}

limpet_status limpet_tree_end_product_make(const limpet_ending *ending, int tree,
                                           limpet_arena *arena, limpet_tree_end_product *to,
                                           bool *known) {
  limpet_data *start = ending->start;
  const limpet_model *model = start->model;
  const limpet_solved_step *solved = ending->residual->solved;
  limpet_momentum_link m = limpet_momentum_link_of(model, solved, tree, solved->problem.dt);
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  const size_t count = (size_t)(bodies.end - bodies.first);
  double M[36];
  *known = m.mass > 0.0;
  if (!*known) return LIMPET_OK;
  *to = (limpet_tree_end_product){.tree = tree, .first = m.first, .n = m.n, .mass = m.mass};
  // the step leaves what follows from the pose at its end
  to->end = solved->motion.flight->other;
  to->end.q = ending->end->q, to->end.v = ending->end->v;
  to->end.workspace = start->workspace;
  to->start_sum = LIMPET_TAKE(arena, limpet_tree_sums, 2 * count);
  if (!to->start_sum) return LIMPET_ERROR_MEMORY;
  to->end_sum = to->start_sum + count;
  limpet_tree_body_velocities(model, &to->end, tree);
  look_short(start, tree, to->start_sum, to->start_R, &m.start, M);
  look_short(&to->end, tree, to->end_sum, to->end_R, &m.end, to->factor);
  limpet_vec3_copy(to->start_arm, m.start.arm);
  limpet_vec3_copy(to->end_arm, m.end.arm);
  find_momentum(&m, solved, solved->motion.A + model->tree_mass[tree]);
  memcpy(to->z, m.z, sizeof to->z);
  limpet_vec3_copy(to->p, m.p);
  limpet_vec3_copy(to->w, m.w);
  *known = !limpet_cholesky(SIX, to->factor, SIX);
  return LIMPET_OK;
}

limpet_status limpet_tree_end_product_place(const limpet_tree_end_product *e,
                                            const limpet_ending *ending, const double *weight,
                                            limpet_arena *arena, double *by_s, double *by_q) {
  const limpet_solved_step *solved = ending->residual->solved;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  placing p;
  if (!is_placed(solved, e->tree)) return LIMPET_OK;
  if (take_placing(ending->start, &e->end, e->tree, arena, &p)) return LIMPET_ERROR_MEMORY;
  place(&p, ending->integration, e->tree, solved->solution.v + e->first, weight + e->first,
        by_q + e->first, by_s + e->first);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
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

void limpet_tree_end_product_weigh(limpet_tree_end_product *e, const limpet_ending *ending,
                                   double *weight, double *by_q, double *by_v, double *of_P,
                                   double *work) {
  limpet_data *start = ending->start;
  const limpet_model *model = start->model;
  const double *A = ending->residual->solved->motion.A + model->tree_mass[e->tree];
  const int n = e->n;
  double x[SIX], a[3], g[3], of_z[SIX], turn[3], rows[SIX] = {0.0}, part[3];
  double *xM = work, *moved = work + n, *by_end = work + 2 * n, *by_s = work + 3 * n,
         *yM = work + 4 * n;
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
  limpet_tree_first_product(model, &e->end, e->tree, e->end_sum, rows, x, xM, moved, yM);
  for (int j = SIX; j < n; ++j) weight[e->first + j] -= yM[j];
  for (int k = 0; k < n; ++k) by_end[k] += xM[k] - moved[k];
  limpet_integration_chain(ending->integration, e->tree, 1, by_end, by_s);
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
  limpet_tree_first_product(model, start, e->tree, e->start_sum, rows, of_z, xM, moved, yM);
  limpet_axpy(n, 1.0, xM, by_q + e->first);
  limpet_axpy(n, 1.0, moved, by_q + e->first);
  limpet_axpy(n, 1.0, yM, by_v + e->first);
}
