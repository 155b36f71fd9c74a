/* gradient/tree_weights.c: see tree_weights.h. */
#include "gradient/tree_weights.h"

#include <string.h>

#include "dynamics/tree.h"
#include "math/dense_table.h"
#include "math/vec3.h"

enum { MOST_PAIRS = LIMPET_TREE_MOST_PAIRS };

// 1/A_kk from A_kk: by_q (count x n), of rows first .. first + count.
static void invert(int count, int n, const double *diagonal, double *by) {
  for (int k = 0; k < count; ++k)
    for (int j = 0; j < n; ++j) by[k * n + j] /= -diagonal[k] * diagonal[k];
}

void limpet_tree_steady_diagonal(const double R[9], const double *A, int n, double diagonal[3]) {
  limpet_vec3_zero(diagonal);
  for (int i = 0; i < 3; ++i)
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        diagonal[i] += R[3 * i + a] * A[(3 + a) * n + 3 + b] * R[3 * i + b];
}

/* X (rows x n), by the pose where M was taken, become those by q0; those by v0 into by_v, where M
 * was taken elsewhere. */
static void chain_weights(const limpet_tree_weights *w, const limpet_tree_change *t, int tree,
                          int rows, double *X, double *by_v) {
  if (t->flight) {
    const int n = t->n, width = t->flight->width;
    double *by_q = w->work;
    for (int i = 0; i < rows * n; ++i) by_q[i] = by_v[i] = 0.0, X[i] = -X[i];
    limpet_dense()->sub_mul(rows, n, n, X, n, 1, t->flight->middle, width, by_q, n);
    limpet_dense()->sub_mul(rows, n, n, X, n, 1, t->flight->middle + n, width, by_v, n);
    memcpy(X, by_q, (size_t)(rows * n) * sizeof *X);
  } else if (t->by_middle) {
    limpet_integration_chain(&w->place->way, tree, rows, X, by_v);
    limpet_tree_place_slope(w->place, t, limpet_tree_share(w->place->probe, tree), rows, by_v, NULL,
                            NULL);
  }
}

// What `mass` N'N has in the rows of the three rotations.
static limpet_status centre_steady_rows(const limpet_tree_centre *c, double mass, const double R[9],
                                        limpet_arena *arena, double *by_q, double by_turn[9]) {
  for (int i = 0; i < 3; ++i) {
    double weight[3] = {0.0};
    weight[i] = 1.0;
    if (limpet_tree_centre_steady(c, mass, R, weight, arena, by_q + i * c->n, by_turn + 3 * i))
      return LIMPET_ERROR_MEMORY;
  }
  return LIMPET_OK;
}

static limpet_status steady_rows(limpet_tree_weights *w, limpet_data *at,
                                 const limpet_tree_change *t, int tree,
                                 const limpet_tree_centres *c, limpet_arena *arena) {
  const limpet_probe *probe = w->place->probe;
  const limpet_model *model = probe->model;
  const int n = t->n, body = model->dof_body[t->first];
  const double *R = probe->data->body_rotation + 9 * body;
  const double *A = probe->residual->solved->motion.A + model->tree_mass[tree];
  double by_turn[9], diagonal[3], *by_q = t->steady_q + 3 * n, *by_v = t->steady_v + 3 * n;
  limpet_tree_steady_diagonal_derivative(model, at, tree, R, by_q, by_turn);
  if (c->are &&
      centre_steady_rows(&c->middle, -limpet_tree_mass(probe, tree), R, arena, by_q, by_turn))
    return LIMPET_ERROR_MEMORY;
  chain_weights(w, t, tree, 3, by_q, by_v);
  if (c->are &&
      centre_steady_rows(&c->start, limpet_tree_mass(probe, tree), R, arena, by_q, by_turn))
    return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < 3; ++i)
    for (int a = 0; a < 3; ++a) by_q[i * n + 3 + a] += by_turn[3 * i + a];
  limpet_tree_steady_diagonal(R, A, n, diagonal);
  invert(3, n, diagonal, by_q);
  invert(3, n, diagonal, by_v);
  return LIMPET_OK;
}

bool limpet_tree_has_world_axes(const limpet_probe *probe, const limpet_tree_change *t) {
  const limpet_model *model = probe->model;
  return model->joint_kind[model->dof_joint[t->first]] == LIMPET_JOINT_FREE &&
         !probe->residual->solved->problem.model->whole_joints;
}

// Places of the velocities of a tree in their joints. Returns how many weights there are.
static int place_weights(const limpet_tree_weights *w, limpet_tree_change *t) {
  const limpet_probe *probe = w->place->probe;
  const limpet_model *model = probe->model;
  const bool whole = probe->residual->solved->problem.model->whole_joints;
  int pairs = 0;
  for (int k = 0; k < t->n; ++k) {
    t->local[k] = whole ? t->first + k - model->joint_v[model->dof_joint[t->first + k]] : 0;
    t->pair[k] = pairs;
    pairs += t->local[k];
  }
  return t->n + pairs;
}

void limpet_tree_invert_block(const double *A, int n, int count, double Z[36]) {
  double inverse[6], mix[36];
  const limpet_delassus_weights weights = {inverse, mix};
  limpet_delassus_factor(A, n, count, inverse, mix);
  limpet_delassus_joint(&weights, 0, count, Z);
}

/* How the entries of A_JJ^-1 change by those of A_JJ (lower triangles), -Z dA Z:
 *   dZ_ab = -sum over c >= d of [Z_ac Z_db + Z_ad Z_cb] dA_cd, once where c = d */
static void mix_entries(int count, const double Z[36], double *mix) {
  for (int a = 0; a < count; ++a)
    for (int b = 0; b <= a; ++b)
      for (int c = 0; c < count; ++c) {
        for (int d = 0; d < c; ++d)
          *mix++ = Z[count * a + c] * Z[count * d + b] + Z[count * a + d] * Z[count * c + b];
        *mix++ = Z[count * a + c] * Z[count * c + b];
      }
}

// The rows of A_JJ^-1 (n each) of a joint, to where they belong.
static void put_rows(const limpet_tree_change *t, int own, int count, const double *from,
                     double *to) {
  const int n = t->n;
  for (int a = 0; a < count; ++a)
    for (int b = 0; b <= a; ++b, from += n)
      memcpy(to + limpet_tree_weight(t, own + a, b) * n, from, (size_t)n * sizeof *to);
}

/* Of a joint of `count` velocities from `own` on. The inverse mixes rows and the way from q0 mixes
 * columns: the rows are mixed once, before that. */
static void block_of(limpet_tree_weights *w, limpet_data *at, limpet_tree_change *t, int tree,
                     const limpet_tree_centres *c, limpet_range dofs) {
  const limpet_probe *probe = w->place->probe;
  const limpet_model *model = probe->model;
  const int own = dofs.first, count = dofs.end - dofs.first, n = t->n;
  const int rows = count * (count + 1) / 2;
  const size_t size = (size_t)(rows * n) * sizeof(double);
  const double *A = probe->residual->solved->motion.A + model->tree_mass[tree];
  const double m = c->are && t->by_middle ? limpet_tree_mass(probe, tree) : 0.0;
  double Z[36], mix[MOST_PAIRS * MOST_PAIRS];
  limpet_tree_invert_block(A + own * (n + 1), n, count, Z);
  mix_entries(count, Z, mix);
  limpet_tree_mass_block_derivative(model, at, model->dof_joint[t->first + own], w->block_q);
  memset(w->mixed_q, 0, size);
  memset(w->mixed_v, 0, size);
  limpet_dense()->sub_mul(rows, n, rows, mix, rows, 1, w->block_q, n, w->mixed_q, n);
  // where the middle is the start both cancel
  if (m > 0.0) limpet_tree_centre_block(&c->middle, m, own, count, mix, w->work, w->mixed_q);
  chain_weights(w, t, tree, rows, w->mixed_q, w->mixed_v);
  if (m > 0.0) limpet_tree_centre_block(&c->start, -m, own, count, mix, w->work, w->mixed_q);
  put_rows(t, own, count, w->mixed_q, t->steady_q);
  put_rows(t, own, count, w->mixed_v, t->steady_v);
}

// Of the joints with several velocities.
static void block_rows(limpet_tree_weights *w, limpet_data *at, limpet_tree_change *t, int tree,
                       const limpet_tree_centres *c) {
  const limpet_model *model = w->place->probe->model;
  for (int k = 0, count; k < t->n; k += count) {
    count = limpet_joint_kind_nv(model->joint_kind[model->dof_joint[t->first + k]]);
    if (count > 1) block_of(w, at, t, tree, c, (limpet_range){k, k + count});
  }
}

/* Whether rows of the diagonal stay zero but behind their joints when they become those by q0 and
 * v0. */
static bool rows_stay(const limpet_tree_weights *w, const limpet_tree_change *t, int tree) {
  const limpet_model *model = w->place->probe->model;
  const limpet_range joints = limpet_tree_joints(model, tree);
  if (t->flight || (t->by_middle && limpet_tree_share(w->place->probe, tree) < 1.0)) return false;
  for (int j = joints.first + 1; j < joints.end; ++j)
    if (limpet_joint_kind_nv(model->joint_kind[j]) > 1) return false;
  return true;
}

// Where rows of the diagonal are not zero.
static void find_behind(const limpet_tree_weights *w, const limpet_tree_change *t) {
  for (int k = 0; k < t->n; ++k) {
    limpet_range *to = &w->behind[k];
    to->first = limpet_tree_behind(w->place->probe->model, t->first + k, &to->end) - t->first;
    to->end -= t->first;
  }
}

// chain_weights of the diagonal, where rows_stay; own_v is zero.
static void chain_diagonal(const limpet_tree_weights *w, const limpet_tree_change *t) {
  const double dt = w->place->way.dt;
  for (int k = 0; k < t->n && t->by_middle; ++k) {
    const double *restrict q = t->own_q + k * t->n;
    double *restrict v = t->own_v + k * t->n;
    for (int j = w->behind[k].first; j < w->behind[k].end; ++j) v[j] = dt * q[j];
  }
}

limpet_status limpet_tree_weights_fill(limpet_tree_weights *w, limpet_data *at,
                                       limpet_tree_change *t, int tree,
                                       const limpet_tree_centres *c, limpet_arena *arena) {
  const limpet_probe *probe = w->place->probe;
  const limpet_model *model = probe->model;
  const int n = t->n;
  const size_t size = (size_t)(n * n) * sizeof(double);
  const double *A = probe->residual->solved->motion.A + model->tree_mass[tree];
  const double m = c->are && t->by_middle ? limpet_tree_mass(probe, tree) : 0.0;
  const bool stay = rows_stay(w, t, tree);
  find_behind(w, t);
  limpet_tree_mass_diagonal_derivative(model, at, tree, t->own_q);
  memset(t->own_v, 0, size);
  // where the middle is the start both cancel
  if (m > 0.0) limpet_tree_centre_diagonal(&c->middle, -m, w->behind, w->work, t->own_q);
  if (stay) chain_diagonal(w, t);
  else chain_weights(w, t, tree, n, t->own_q, t->own_v);
  if (m > 0.0) limpet_tree_centre_diagonal(&c->start, m, w->behind, w->work, t->own_q);
  for (int k = 0; k < n; ++k) {
    const limpet_range part = stay ? w->behind[k] : (limpet_range){0, n};
    const int width = part.end - part.first, first = k * n + part.first;
    invert(1, width, A + k * (n + 1), t->own_q + first);
    invert(1, t->by_middle ? width : 0, A + k * (n + 1), t->own_v + first);
  }
  memcpy(t->steady_q, t->own_q, size);
  memcpy(t->steady_v, t->own_v, size);
  if (probe->residual->solved->problem.model->whole_joints) block_rows(w, at, t, tree, c);
  if (!limpet_tree_has_world_axes(probe, t)) return LIMPET_OK;
  memset(t->steady_v + 3 * n, 0, 3 * (size_t)n * sizeof *t->steady_v);
  return steady_rows(w, at, t, tree, c, arena);
}

limpet_status limpet_tree_weights_take(limpet_tree_weights *w, limpet_arena *arena,
                                       limpet_tree_change *trees) {
  const limpet_model *model = w->place->probe->model;
  const size_t nv = (size_t)model->nv, size = (size_t)model->mass_size, blocks = MOST_PAIRS * nv;
  int *places = LIMPET_TAKE(arena, int, 2 * nv);
  w->work = LIMPET_TAKE(arena, double, size > blocks ? size : blocks);
  w->block_q = LIMPET_TAKE(arena, double, 3 * blocks);
  w->behind = LIMPET_TAKE(arena, limpet_range, nv);
  if (!places || !w->work || !w->block_q || !w->behind) return LIMPET_ERROR_MEMORY;
  w->mixed_q = w->block_q + blocks, w->mixed_v = w->mixed_q + blocks;
  for (int t = 0; t < model->tree_count; ++t) {
    trees[t].local = places + trees[t].first, trees[t].pair = trees[t].local + nv;
    trees[t].weights = place_weights(w, &trees[t]);
    const size_t room = (size_t)trees[t].weights * (size_t)trees[t].n;
    trees[t].steady_q = LIMPET_TAKE(arena, double, 2 * room);
    if (!trees[t].steady_q) return LIMPET_ERROR_MEMORY;
    trees[t].steady_v = trees[t].steady_q + room;
  }
  return LIMPET_OK;
}
