// gradient/tree_centre.c: see tree_centre.h. Cost: of a product 60 flops for each velocity, of rows
// 20 for each pair of velocities on a path.
#include "gradient/tree_centre.h"

#include <string.h>

#include "dynamics/tree.h"
#include "gradient/body_path.h"
#include "math/dense_table.h"
#include "math/vec3.h"
#include "step/flight.h"

bool limpet_tree_is_centred(const limpet_probe *probe, int tree) {
  const limpet_flight *flight = probe->residual->solved->motion.flight;
  return flight && flight->centred[tree] && !limpet_flight_alone(flight, tree);
}

enum { TRANSLATIONS = 3, MOST_PAIRS = 21 };  // of the first joint; of a block of six velocities

static bool was_held(const limpet_probe *probe, int tree) {
  return !(probe->data->tree_held[tree] < LIMPET_FLIGHT_HELD_OUTSIDE);
}

bool limpet_tree_centre_known(const limpet_probe *probe, int tree) {
  return probe->model->vertex_count == 0 || !limpet_tree_is_centred(probe, tree);
}

void limpet_tree_centre_force(const limpet_probe *probe, int tree, double force[3]) {
  const limpet_flight *flight = probe->residual->solved->motion.flight;
  limpet_vec3_copy(force, flight->balance[tree].F);
  if (was_held(probe, tree))
    limpet_vec3_sub(force, force, flight->force + probe->model->tree_dof[tree]);
}

limpet_status limpet_tree_centre_make(const limpet_model *model, const limpet_data *data, int tree,
                                      limpet_arena *arena, limpet_tree_centre *to) {
  *to = (limpet_tree_centre){.model = model,
                             .data = data,
                             .first = model->tree_dof[tree],
                             .n = model->tree_dof_count[tree]};
  to->N = LIMPET_TAKE(arena, double, 3 * to->n);
  return to->N ? limpet_flight_centre_rows(model, data, tree, arena, to->N) : LIMPET_ERROR_MEMORY;
}

/* c_k = N_k x y_k and e_k = y_k x w_k, which give y_a . dN_a/dq_b = w_b . c_a of b before a and of
 * a itself, e_a . N_b of a before b; work (n x 6). */
static void turn_weights(const limpet_tree_centre *c, const double *y, double *work) {
  for (int k = 3; k < c->n; ++k) {
    limpet_vec3_cross(work + 6 * k, c->N + 3 * k, y + 3 * k);
    limpet_vec3_cross(work + 6 * k + 3, y + 3 * k, c->data->dof_axis + 6 * (c->first + k));
  }
}

static bool turn_together(const limpet_model *model, int a, int d) {
  return model->dof_joint[a] == model->dof_joint[d] && limpet_dofs_turn_together(model, a, d);
}

// to (n x n, rows of `width`): to_ab += share y_a . dN_a/dq_b; y (n x 3), work (n x 6).
static void add_rows(const limpet_tree_centre *c, double share, const double *y, int width,
                     double *work, double *to) {
  const limpet_model *model = c->model;
  const double *axes = c->data->dof_axis;
  turn_weights(c, y, work);
  for (int k = 3; k < c->n; ++k) {
    const double *N = c->N + 3 * k, *own = work + 6 * k, *w = axes + 6 * (c->first + k);
    to[k * width + k] += share * limpet_vec3_dot(w, own);
    for (int d = model->dof_parent[c->first + k]; d >= c->first + 3; d = model->dof_parent[d]) {
      const int j = d - c->first;
      const double *moved = work + 6 * j;
      to[k * width + j] += share * limpet_vec3_dot(axes + 6 * d, own);
      to[j * width + k] +=
          share * (turn_together(model, d, c->first + k) ? limpet_vec3_dot(w, moved)
                                                         : limpet_vec3_dot(N, moved + 3));
    }
  }
}

/* Sums of x (3 each, `stride` apart) over what is behind each velocity, itself included, in
 * place. */
static void sum_behind(const limpet_tree_centre *c, int stride, double *x) {
  for (int k = c->n - 1; k > 3; --k) {
    const int parent = c->model->dof_parent[c->first + k] - c->first;
    if (parent < 3) continue;
    limpet_vec3_add(x + stride * parent, x + stride * parent, x + stride * k);
  }
}

// Sums over what is before each velocity, itself included.
static void sum_before(const limpet_tree_centre *c, int stride, double *x) {
  for (int k = 4; k < c->n; ++k) {
    const int parent = c->model->dof_parent[c->first + k] - c->first;
    if (parent >= 3) limpet_vec3_add(x + stride * k, x + stride * k, x + stride * parent);
  }
}

void limpet_tree_centre_product(const limpet_tree_centre *c, double share, const double *y,
                                double *work, double *to) {
  const limpet_model *model = c->model;
  const double *axes = c->data->dof_axis;
  turn_weights(c, y, work);
  // rotations of one joint turn each other
  for (int k = 4; k < c->n; ++k)
    for (int d = model->dof_parent[c->first + k];
         d >= c->first + 3 && turn_together(model, d, c->first + k); d = model->dof_parent[d]) {
      const double *moved = work + 6 * (d - c->first);
      to[k] += share * (limpet_vec3_dot(axes + 6 * (c->first + k), moved) -
                        limpet_vec3_dot(c->N + 3 * k, moved + 3));
    }
  sum_behind(c, 6, work);
  sum_before(c, 6, work + 3);
  for (int k = 3; k < c->n; ++k) {
    const int parent = model->dof_parent[c->first + k] - c->first;
    double sum = limpet_vec3_dot(axes + 6 * (c->first + k), work + 6 * k);
    if (parent >= 3) sum += limpet_vec3_dot(c->N + 3 * k, work + 6 * parent + 3);
    to[k] += share * sum;
  }
}

void limpet_tree_centre_rate(const limpet_tree_centre *c, const double *v, double *work,
                             double *to) {
  const limpet_model *model = c->model;
  const double *axes = c->data->dof_axis;
  double turned[3];
  for (int k = 3; k < c->n; ++k) {
    limpet_vec3_scale(work + 6 * k, v[k], c->N + 3 * k);
    limpet_vec3_scale(work + 6 * k + 3, v[k], axes + 6 * (c->first + k));
  }
  for (int k = 4; k < c->n; ++k)
    for (int d = model->dof_parent[c->first + k];
         d >= c->first + 3 && turn_together(model, d, c->first + k); d = model->dof_parent[d]) {
      const double *moved = work + 6 * (d - c->first);
      double lost[3];
      limpet_vec3_cross(turned, axes + 6 * (c->first + k), moved);
      limpet_vec3_cross(lost, moved + 3, c->N + 3 * k);
      for (int i = 0; i < 3; ++i) to[i * c->n + k] += turned[i] - lost[i];
    }
  sum_behind(c, 6, work);
  sum_before(c, 6, work + 3);
  for (int k = 3; k < c->n; ++k) {
    const int parent = model->dof_parent[c->first + k] - c->first;
    double sum[3];
    limpet_vec3_cross(sum, axes + 6 * (c->first + k), work + 6 * k);
    if (parent >= 3) {
      limpet_vec3_cross(turned, work + 6 * parent + 3, c->N + 3 * k);
      limpet_vec3_add(sum, sum, turned);
    }
    for (int i = 0; i < 3; ++i) to[i * c->n + k] += sum[i];
  }
}

/* y (3) of N_a . N_c for rotations or translations a, c of one joint, so that y . N_b is its
 * derivative along b behind the joint. */
static void pair_factors(const limpet_tree_centre *c, int a, int b, double share, double y[3]) {
  const double *axes = c->data->dof_axis + 6 * c->first;
  double one[3] = {0.0}, other[3] = {0.0};
  if (a >= TRANSLATIONS) limpet_vec3_cross(one, c->N + 3 * b, axes + 6 * a);
  if (b >= TRANSLATIONS) limpet_vec3_cross(other, c->N + 3 * a, axes + 6 * b);
  for (int i = 0; i < 3; ++i) y[i] = share * (one[i] + other[i]);
}

// -N' (3 x n)
static void turn_rows(const limpet_tree_centre *c, double *turned) {
  for (int k = 0; k < c->n; ++k)
    for (int i = 0; i < 3; ++i) turned[i * c->n + k] = -c->N[3 * k + i];
}

void limpet_tree_centre_diagonal(const limpet_tree_centre *c, double share,
                                 const limpet_range *behind, double *work, double *to) {
  const int n = c->n;
  turn_rows(c, work);
  for (int k = TRANSLATIONS; k < n; ++k) {
    double y[3], *restrict row = to + k * n;
    const double *restrict N = work;
    if (behind[k].first == behind[k].end) continue;
    pair_factors(c, k, k, share, y);
    for (int j = behind[k].first; j < behind[k].end; ++j)
      row[j] -= y[0] * N[j] + y[1] * N[n + j] + y[2] * N[2 * n + j];
  }
}

// What rotations of the first joint do to its rows against translations: to (rows x 3).
static void turn_translations(const limpet_tree_centre *c, double share, int count, double *to) {
  for (int a = TRANSLATIONS; a < count; ++a)
    for (int b = TRANSLATIONS; b < count; ++b) {
      double turned[3];
      limpet_vec3_cross(turned, c->data->dof_axis + 6 * (c->first + b), c->N + 3 * a);
      for (int l = 0; l < TRANSLATIONS; ++l)
        to[3 * (a * (a + 1) / 2 + l) + b - TRANSLATIONS] =
            share * limpet_vec3_dot(c->N + 3 * l, turned);
    }
}

// to (rows x 3) = -mix from
static void mix_rows(int rows, const double *mix, const double *from, double *to) {
  memset(to, 0, 3 * (size_t)rows * sizeof *to);
  limpet_dense()->sub_mul(rows, 3, rows, mix, rows, 1, from, 3, to, 3);
}

void limpet_tree_centre_block(const limpet_tree_centre *c, double share, int own, int count,
                              const double *mix, double *work, double *to) {
  const int rows = count * (count + 1) / 2, n = c->n;
  double y[3 * MOST_PAIRS], mixed[3 * MOST_PAIRS], *of = y;
  int end;
  const int first = limpet_tree_behind(c->model, c->first + own, &end) - c->first;
  turn_rows(c, work);
  for (int a = 0; a < count; ++a)
    for (int b = 0; b <= a; ++b, of += 3) pair_factors(c, own + a, own + b, -share, of);
  mix_rows(rows, mix, y, mixed);
  limpet_dense()->sub_mul(rows, end - c->first - first, 3, mixed, 3, 1, work + first, n, to + first,
                          n);
  if (own > 0) return;
  memset(y, 0, sizeof y);
  turn_translations(c, -share, count, y);
  mix_rows(rows, mix, y, mixed);
  for (int i = 0; i < rows; ++i)
    limpet_vec3_add(to + i * n + TRANSLATIONS, to + i * n + TRANSLATIONS, mixed + 3 * i);
}

/* n = R N_r, rotations about axes that do not turn; y (n x 3) += share 2 R_ia n_i for the rotations
 * a, by_turn += share 2 n_i . dn_i. */
static void steady_axis(const limpet_tree_centre *c, double share, int i, const double R[9],
                        double *y, double by_turn[3]) {
  const double *N = c->N + 9;
  double own[3] = {0.0};
  for (int a = 0; a < 3; ++a) limpet_vec3_addmul(own, own, R[3 * i + a], N + 3 * a);
  for (int a = 0; a < 3; ++a) {
    limpet_vec3_addmul(y + 9 + 3 * a, y + 9 + 3 * a, 2.0 * share * R[3 * i + a], own);
    // of R [e_a]: its columns b and c are R_c and -R_b
    const int b = (a + 1) % 3, last = (a + 2) % 3;
    by_turn[a] += 2.0 * share *
                  (R[3 * i + last] * limpet_vec3_dot(own, N + 3 * b) -
                   R[3 * i + b] * limpet_vec3_dot(own, N + 3 * last));
  }
}

limpet_status limpet_tree_centre_steady(const limpet_tree_centre *c, double share,
                                        const double R[9], const double weight[3],
                                        limpet_arena *arena, double *by_pose, double by_turn[3]) {
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  double *y = LIMPET_TAKE_ZERO(arena, double, 9 * c->n);
  if (!y) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < 3; ++i) steady_axis(c, share * weight[i], i, R, y, by_turn);
  limpet_tree_centre_product(c, 1.0, y, y + 3 * c->n, by_pose);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

void limpet_tree_centre_velocity(const limpet_tree_centre *c, int from, const double *v,
                                 double velocity[3]) {
  limpet_vec3_zero(velocity);
  for (int k = from; k < c->n; ++k) limpet_vec3_addmul(velocity, velocity, v[k], c->N + 3 * k);
}

void limpet_tree_centre_part(const limpet_tree_centre *middle, int width, double *X) {
  limpet_dense()->sub_mul(middle->n - 3, width, 3, middle->N + 9, 3, 1, X, width, X + 3 * width,
                          width);
  memset(X, 0, 3 * (size_t)width * sizeof *X);
}

// v - v0 of a tree.
static void change_of(const limpet_tree_centre *c, const limpet_probe *probe, double *change) {
  for (int k = 0; k < c->n; ++k)
    change[k] = probe->residual->v[c->first + k] - probe->data->v[c->first + k];
}

void limpet_tree_centre_momentum(const limpet_tree_centre *start, const limpet_probe *probe,
                                 int tree, double z[3]) {
  const limpet_flight *flight = probe->residual->solved->motion.flight;
  const limpet_flight_balance *balance = &flight->balance[tree];
  double weight[3];
  limpet_vec3_zero(z);
  for (int k = 0; k < start->n; ++k)
    limpet_vec3_addmul(z, z,
                       probe->residual->v[start->first + k] - probe->data->v[start->first + k],
                       start->N + 3 * k);
  limpet_tree_centre_force(probe, tree, weight);
  limpet_vec3_scale(z, balance->start.mass, z);
  limpet_vec3_addmul(z, z, -probe->settings->time_step, weight);
}

/* What N_0' z has but for N_0: rows of z by q0 and v0 with the other sign, to (3 x n each); what
 * the rows of N_0 turn goes to by_q, rows of `width`. LIMPET_OK or LIMPET_ERROR_MEMORY. */
static limpet_status find_whole(const limpet_tree_centre *start, const limpet_probe *probe,
                                int tree, limpet_arena *arena, int width, double *by_q,
                                double *const to[2]) {
  double *rate = to[0], *across = to[1];
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  const int n = start->n;
  const double m = probe->residual->solved->motion.flight->balance[tree].start.mass;
  double *change = LIMPET_TAKE(arena, double, 10 * n), *y = change + n, *work = y + 3 * n, z[3];
  if (!change) return LIMPET_ERROR_MEMORY;
  change_of(start, probe, change);
  limpet_tree_centre_momentum(start, probe, tree, z);
  for (int a = 0; a < n; ++a) limpet_vec3_copy(y + 3 * a, z);
  add_rows(start, 1.0, y, width, work, by_q);
  memset(rate, 0, 3 * (size_t)n * sizeof *rate);
  limpet_tree_centre_rate(start, change, work, rate);
  // by_q += m N' rate, by_v -= m N'N
  for (int i = 0; i < 3; ++i)
    for (int b = 0; b < n; ++b) {
      rate[i * n + b] *= -m;
      across[i * n + b] = m * start->N[3 * b + i];
    }
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

limpet_status limpet_tree_centre_whole(const limpet_tree_centre *start, const limpet_probe *probe,
                                       int tree, limpet_arena *arena, int width, double *by_q,
                                       double *by_v) {
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  const int n = start->n;
  double *rate = LIMPET_TAKE(arena, double, 6 * n), *across = rate + 3 * n;
  if (!rate || find_whole(start, probe, tree, arena, width, by_q, (double *const[]){rate, across}))
    return LIMPET_ERROR_MEMORY;
  limpet_dense()->sub_mul(n, n, 3, start->N, 3, 1, rate, n, by_q, width);
  limpet_dense()->sub_mul(n, n, 3, start->N, 3, 1, across, n, by_v, width);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

limpet_status limpet_tree_centre_both(const limpet_tree_centre *middle,
                                      const limpet_tree_centre *start, const limpet_probe *probe,
                                      int tree, limpet_arena *arena, double *by_q, double *by_v) {
  enum { BOTH = 6 };
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  const int n = start->n;
  const size_t size = 3 * (size_t)n * sizeof(double);
  double *q = LIMPET_TAKE(arena, double, 3 * BOTH * n), *v = q + BOTH * n, *N = v + BOTH * n;
  if (!q || find_whole(start, probe, tree, arena, n, by_q, (double *const[]){q + 3 * n, v + 3 * n}))
    return LIMPET_ERROR_MEMORY;
  memcpy(q, by_q, size);
  memcpy(v, by_v, size);
  memset(by_q, 0, size);
  memset(by_v, 0, size);
  for (int k = 0; k < n; ++k) {
    if (k < TRANSLATIONS) limpet_vec3_zero(N + BOTH * k);
    else limpet_vec3_copy(N + BOTH * k, middle->N + 3 * k);
    limpet_vec3_copy(N + BOTH * k + 3, start->N + 3 * k);
  }
  limpet_dense()->sub_mul(n, n, BOTH, N, BOTH, 1, q, n, by_q, n);
  limpet_dense()->sub_mul(n, n, BOTH, N, BOTH, 1, v, n, by_v, n);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

void limpet_tree_centre_base(const limpet_tree_centre *middle, const limpet_probe *probe, int tree,
                             const double *v, double u[3]) {
  double beside[3];
  limpet_tree_centre_velocity(middle, 3, v + middle->first, beside);
  limpet_vec3_sub(u, probe->residual->solved->motion.flight->balance[tree].middle, beside);
}
