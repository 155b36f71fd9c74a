// gradient/tree_centre.c: see tree_centre.h. Cost: 20 flops for each pair of velocities on a path.
#include "gradient/tree_centre.h"

#include <string.h>

#include "gradient/body_path.h"
#include "math/vec3.h"
#include "step/flight.h"

bool limpet_tree_is_centred(const limpet_probe *probe, int tree) {
  const limpet_flight *flight = probe->residual->solved->motion.flight;
  return flight && flight->centred[tree] && !limpet_flight_alone(probe->model, flight, tree);
}

static bool was_held(const limpet_probe *probe, int tree) {
  return !(probe->data->tree_held[tree] < LIMPET_FLIGHT_HELD_OUTSIDE);
}

bool limpet_tree_centre_known(const limpet_probe *probe, int tree) {
  if (!limpet_tree_is_centred(probe, tree)) return true;
  const limpet_flight *flight = probe->residual->solved->motion.flight;
  const bool leaves =
      was_held(probe, tree) && flight->balance[tree].held < LIMPET_FLIGHT_HELD_OUTSIDE;
  return probe->model->vertex_count == 0 && !leaves;
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

// dN_a/dq_b, where it is not zero.
typedef void (*visitor)(void *context, int a, int b, const double dN[3]);

static void visit(const limpet_tree_centre *c, visitor use, void *context) {
  const limpet_model *model = c->model;
  for (int k = 3; k < c->n; ++k)
    for (int d = c->first + k; d >= c->first + 3; d = model->dof_parent[d]) {
      const int j = d - c->first;
      double turned[3];
      limpet_vec3_cross(turned, c->data->dof_axis + 6 * d, c->N + 3 * k);
      use(context, k, j, turned);
      if (j == k) continue;
      if (limpet_dofs_turn_together(model, d, c->first + k))
        limpet_vec3_cross(turned, c->data->dof_axis + 6 * (c->first + k), c->N + 3 * j);
      use(context, j, k, turned);
    }
}

typedef struct sums {
  double share;
  const double *y, *v;
  int width, own, count;
  const double *N;
  double *to;
} sums;

static void add_entry(void *context, int a, int b, const double dN[3]) {
  const sums *s = context;
  s->to[a * s->width + b] += s->share * limpet_vec3_dot(s->y + 3 * a, dN);
}

void limpet_tree_centre_rows(const limpet_tree_centre *c, double share, const double *y, int width,
                             double *to) {
  visit(c, add_entry, &(sums){.share = share, .y = y, .width = width, .to = to});
}

void limpet_tree_centre_product(const limpet_tree_centre *c, double share, const double *y,
                                double *to) {
  visit(c, add_entry, &(sums){.share = share, .y = y, .to = to});
}

static void add_rate(void *context, int a, int b, const double dN[3]) {
  const sums *s = context;
  for (int i = 0; i < 3; ++i) s->to[i * s->width + b] += s->v[a] * dN[i];
}

void limpet_tree_centre_rate(const limpet_tree_centre *c, const double *v, double *to) {
  visit(c, add_rate, &(sums){.v = v, .width = c->n, .to = to});
}

static void add_pairs(void *context, int a, int b, const double dN[3]) {
  const sums *s = context;
  const int local = a - s->own;
  if (local < 0 || local >= s->count) return;
  for (int l = 0; l < s->count; ++l) {
    const int high = l > local ? l : local, low = l > local ? local : l;
    const double both = l == local ? 2.0 : 1.0;
    s->to[(high * (high + 1) / 2 + low) * s->width + b] +=
        both * s->share * limpet_vec3_dot(s->N + 3 * (s->own + l), dN);
  }
}

void limpet_tree_centre_block(const limpet_tree_centre *c, double share, int own, int count,
                              double *to) {
  visit(c, add_pairs,
        &(sums){.share = share, .own = own, .count = count, .N = c->N, .width = c->n, .to = to});
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
  double *y = LIMPET_TAKE_ZERO(arena, double, 3 * c->n);
  if (!y) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < 3; ++i) steady_axis(c, share * weight[i], i, R, y, by_turn);
  limpet_tree_centre_product(c, 1.0, y, by_pose);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

void limpet_tree_centre_velocity(const limpet_tree_centre *c, int from, const double *v,
                                 double velocity[3]) {
  limpet_vec3_zero(velocity);
  for (int k = from; k < c->n; ++k) limpet_vec3_addmul(velocity, velocity, v[k], c->N + 3 * k);
}

void limpet_tree_centre_part(const limpet_tree_centre *middle, int width, double *X) {
  for (int a = 3; a < middle->n; ++a)
    for (int i = 0; i < 3; ++i) {
      const double share = middle->N[3 * a + i];
      for (int b = 0; b < width && share != 0.0; ++b) X[a * width + b] -= share * X[i * width + b];
    }
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

limpet_status limpet_tree_centre_whole(const limpet_tree_centre *start, const limpet_probe *probe,
                                       int tree, limpet_arena *arena, int width, double *by_q,
                                       double *by_v) {
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  const int n = start->n;
  const double m = probe->residual->solved->motion.flight->balance[tree].start.mass;
  double *change = LIMPET_TAKE(arena, double, n), *rate = LIMPET_TAKE_ZERO(arena, double, 3 * n),
         *y = LIMPET_TAKE(arena, double, 3 * n), z[3];
  if (!change || !rate || !y) return LIMPET_ERROR_MEMORY;
  change_of(start, probe, change);
  limpet_tree_centre_momentum(start, probe, tree, z);
  for (int a = 0; a < n; ++a) limpet_vec3_copy(y + 3 * a, z);
  limpet_tree_centre_rows(start, 1.0, y, width, by_q);
  limpet_tree_centre_rate(start, change, rate);
  for (int a = 0; a < n; ++a)
    for (int i = 0; i < 3; ++i) {
      const double share = m * start->N[3 * a + i];
      for (int b = 0; b < n && share != 0.0; ++b) {
        by_q[a * width + b] += share * rate[i * n + b];
        by_v[a * width + b] -= share * start->N[3 * b + i];
      }
    }
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

void limpet_tree_centre_base(const limpet_tree_centre *middle, const limpet_probe *probe, int tree,
                             const double *v, double u[3]) {
  double beside[3];
  limpet_tree_centre_velocity(middle, 3, v + middle->first, beside);
  limpet_vec3_sub(u, probe->residual->solved->motion.flight->balance[tree].middle, beside);
}
