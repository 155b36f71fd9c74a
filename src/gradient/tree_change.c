/* gradient/tree_change.c: see tree_change.h. Cost: one pass of the derivatives of inverse dynamics
 * and one mass matrix for each tree. */
#include "gradient/tree_change.h"

#include <math.h>
#include <string.h>

#include "dynamics/tree.h"
#include "gradient/integration.h"
#include "gradient/tree_centre.h"
#include "math/dense.h"
#include "math/dense_table.h"
#include "math/vec3.h"
#include "model/integrate.h"
#include "step/flight.h"

enum { FREE_DOFS = 6 };

typedef limpet_tree_product filler;
struct limpet_tree_product {
  const limpet_probe *probe;
  limpet_integration way;     // from q0 to q_m
  limpet_tree_middle middle;  // q_m
  double *u;                  // (nv)
  double *slope;              // (nv)  of the share of flight, by v0: flight_share.c
  double *vdot;               // (nv)  (v - v0)/h
  double *work;               // (nv x 21, mass_size at least)  where weights are wanted
  double *block_q, *block_v, *block_work;  // (nv x 21)  likewise: of the block of a joint
  double *bias_v;                          // (mass_size)
  double *passive_q, *passive_v;           // (mass_size)
  // of products: where each tree is
  limpet_data **at;        // (tree_count)
  struct centres *centre;  // (tree_count)
};

static bool is_alone(const limpet_probe *probe, int tree) {
  const limpet_flight *flight = probe->residual->solved->motion.flight;
  return flight && limpet_flight_alone(flight, tree);
}

// Share of flight in the step of a tree; 0: M and bias were taken at its start.
static double share_of(const limpet_probe *probe, int tree) {
  const limpet_flight *flight = probe->residual->solved->motion.flight;
  return flight && !is_alone(probe, tree) ? flight->balance[tree].share : 0.0;
}

// u = v0 + share c/2
static double middle_velocity(const limpet_data *data, double share, int dof) {
  return data->v[dof] + 0.5 * share * data->warm_start[dof];
}

/* X (rows x n), by the way h/2 share u to q_m and by u, become those by v0:
 *   d(share u) = share dv0 + (u + share c/2) ds,   du = dv0 + c/2 ds,   ds = slope . dv0
 * by_change (rows x n; NULL) += those by c, which share and u have with v0 as v0 + c/2. */
static void add_slope(const filler *f, const limpet_tree_change *t, double share, int rows,
                      double *by_way, double *by_u, double *by_change) {
  const limpet_data *data = f->probe->data;
  for (int i = 0; i < rows; ++i) {
    double *way = by_way + i * t->n, along = 0.0;
    const double *u = by_u ? by_u + i * t->n : NULL;
    for (int k = 0; k < t->n && share < 1.0; ++k) {
      const double half = 0.5 * data->warm_start[t->first + k];
      along += way[k] * (middle_velocity(data, share, t->first + k) + share * half);
      if (u) along += u[k] * half;
    }
    for (int k = 0; k < t->n && by_change; ++k)
      by_change[i * t->n + k] += 0.5 * share * (share * way[k] + (u ? u[k] : 0.0));
    if (!(share < 1.0)) continue;
    for (int k = 0; k < t->n; ++k) way[k] *= share;
    limpet_axpy(t->n, along, f->slope + t->first, way);
    if (by_change) limpet_axpy(t->n, 0.5 * along, f->slope + t->first, by_change + i * t->n);
  }
}

// The world of a tree where its M and bias were taken.
static limpet_data *place(filler *f, limpet_tree_change *t, int tree) {
  const limpet_probe *probe = f->probe;
  const limpet_model *model = probe->model;
  limpet_data *data = probe->data;
  const limpet_range joints = limpet_tree_joints(model, tree);
  const double h = probe->settings->time_step, share = share_of(probe, tree);
  t->by_middle = false;
  if (share == 0.0) return data;
  for (int d = t->first; d < t->first + t->n; ++d) {
    f->u[d] = middle_velocity(data, share, d);
    t->by_middle = t->by_middle || !(h * fabs(f->u[d]) < LIMPET_FLIGHT_STILL_WAY);
  }
  if (!t->by_middle) return data;
  memcpy(f->middle.world.v + t->first, f->u + t->first, (size_t)t->n * sizeof *f->u);
  if (f->middle.posed) return &f->middle.world;
  limpet_integrate_joints(model, joints.first, joints.end, f->middle.world.q, data->q, f->u,
                          0.5 * h * share, probe->settings->compatibility.first_order_rotation);
  limpet_tree_kinematics(model, &f->middle.world, tree);
  limpet_tree_velocities(model, &f->middle.world, tree);
  return &f->middle.world;
}

// Of a tree that is centred: N in the middle and at the start of the step.
typedef struct centres {
  bool are;
  limpet_tree_centre middle, start;
} centres;

static limpet_status find_centres(const limpet_probe *probe, const limpet_data *at, int tree,
                                  limpet_arena *arena, centres *c) {
  c->are = limpet_tree_is_centred(probe, tree);
  if (!c->are) return LIMPET_OK;
  return limpet_tree_centre_make(probe->model, at, tree, arena, &c->middle) ||
                 limpet_tree_centre_make(probe->model, probe->data, tree, arena, &c->start)
             ? LIMPET_ERROR_MEMORY
             : LIMPET_OK;
}

// The acceleration of the first joint at which the force on it is zero.
static void find_base(filler *f, const limpet_tree_centre *middle, int tree) {
  const limpet_probe *probe = f->probe;
  double u[3];
  limpet_tree_centre_base(middle, probe, tree, probe->residual->v, u);
  for (int k = 0; k < 3; ++k)
    f->vdot[middle->first + k] =
        (u[k] - probe->data->v[middle->first + k]) / probe->settings->time_step;
}

static limpet_status dynamics(filler *f, limpet_data *at, limpet_tree_change *t, int tree,
                              const centres *c, limpet_arena *arena) {
  const limpet_model *model = f->probe->model;
  limpet_data *data = f->probe->data;
  const double h = f->probe->settings->time_step, share = share_of(f->probe, tree);
  const int n = t->n, block = model->tree_mass[tree];
  if (c->are) find_base(f, &c->middle, tree);
  limpet_tree_rnea_derivatives(model, at, tree, f->vdot, t->q, f->bias_v + block);
  if (!f->probe->has_mass) limpet_tree_mass_matrix(model, at, tree);
  const double *M = data->mass_matrix + block, *springs = f->passive_q + block;
  for (int i = 0; i < n * n; ++i) t->q[i] *= h, f->bias_v[block + i] *= h;
  if (t->by_middle) {
    limpet_integration_chain(&f->way, tree, n, t->q, t->v);
    add_slope(f, t, share, n, t->v, f->bias_v + block, NULL);
  } else {
    memset(t->v, 0, (size_t)(n * n) * sizeof *t->v);
  }
  for (int i = 0; i < n * n; ++i) t->v[i] += f->bias_v[block + i];
  for (int i = 0; i < n * n && t->change; ++i) t->change[i] = t->by_middle ? 0.5 * t->v[i] : 0.0;
  for (int i = 0; i < n * n; ++i) t->v[i] -= M[i];
  if (c->are) {
    limpet_tree_centre_part(&c->middle, n, t->q);
    limpet_tree_centre_part(&c->middle, n, t->v);
    if (t->change) limpet_tree_centre_part(&c->middle, n, t->change);
    if (limpet_tree_centre_whole(&c->start, f->probe, tree, arena, n, t->q, t->v))
      return LIMPET_ERROR_MEMORY;
  }
  if (t->change && t->impulse_change)
    memcpy(t->impulse_change, t->change, FREE_DOFS * (size_t)n * sizeof *t->change);
  if (t->impulse_q) {
    memcpy(t->impulse_q, t->q, FREE_DOFS * (size_t)n * sizeof *t->q);
    memcpy(t->impulse_v, t->v, FREE_DOFS * (size_t)n * sizeof *t->v);
  }
  for (int i = 0; i < n * n; ++i) t->q[i] -= h * springs[i];
  return LIMPET_OK;
}

/* How the acceleration of the centre of mass at constant joint velocities changes: t->bend_q,
 * bend_v. */
static limpet_status find_bend(filler *f, limpet_tree_change *t, int tree, limpet_arena *arena) {
  const limpet_model *model = f->probe->model;
  const size_t n = (size_t)t->n;
  const double m = f->probe->residual->solved->motion.flight->balance[tree].start.mass;
  t->bend_q = LIMPET_TAKE(arena, double, 6 * n);
  if (!t->bend_q) return LIMPET_ERROR_MEMORY;
  t->bend_v = t->bend_q + 3 * n;
  limpet_tree_bend_derivatives(model, f->probe->data, tree, t->bend_q, t->bend_v);
  for (size_t i = 0; i < 6 * n; ++i) t->bend_q[i] /= m;
  return LIMPET_OK;
}

// The columns `from` on of a tree that flies, to (rows x n).
static void take_block(const limpet_tree_change *t, int rows, const double *X, int from,
                       double *to) {
  for (int i = 0; i < rows; ++i)
    memcpy(to + i * t->n, X + i * t->flight->width + from, (size_t)t->n * sizeof *to);
}

static limpet_status flight_dynamics(filler *f, limpet_tree_change *t, int tree,
                                     limpet_arena *arena) {
  const limpet_tree_flight_input input = {tree, f->passive_q + f->probe->model->tree_mass[tree],
                                          t->change != NULL, t->flight_room};
  if (limpet_tree_flight_make(f->probe, &input, &f->middle, arena, t->flight))
    return LIMPET_ERROR_MEMORY;
  take_block(t, t->n, t->flight->r, 0, t->q);
  take_block(t, t->n, t->flight->r, t->n, t->v);
  if (t->change) take_block(t, t->n, t->flight->r, 3 * t->n, t->change);
  if (t->impulse_change) take_block(t, FREE_DOFS, t->flight->r, 3 * t->n, t->impulse_change);
  if (!t->impulse_q) return LIMPET_OK;
  take_block(t, FREE_DOFS, t->flight->r, 0, t->impulse_q);
  take_block(t, FREE_DOFS, t->flight->r, t->n, t->impulse_v);
  return LIMPET_OK;
}

// r = M (v - v*) of a body alone.
static void body_dynamics(filler *f, limpet_tree_change *t, int tree) {
  const limpet_model *model = f->probe->model;
  limpet_data *data = f->probe->data;
  const double *v_free = f->probe->residual->solved->motion.v_free;
  for (int d = t->first; d < t->first + t->n; ++d)
    f->vdot[d] = f->probe->residual->v[d] - v_free[d];
  limpet_tree_mass_derivative(model, data, tree, f->vdot, t->q);
  limpet_tree_mass_matrix(model, data, tree);
  const double *M = data->mass_matrix + model->tree_mass[tree];
  for (int i = 0; i < t->n * t->n; ++i) t->v[i] = -M[i];
}

// 1/A_kk from A_kk: by_q (count x n), of rows first .. first + count.
static void invert(int count, int n, const double *diagonal, double *by) {
  for (int k = 0; k < count; ++k)
    for (int j = 0; j < n; ++j) by[k * n + j] /= -diagonal[k] * diagonal[k];
}

// R A_rr R' of the rotations of a free joint: its diagonal.
static void steady_diagonal(const double R[9], const double *A, int n, double diagonal[3]) {
  limpet_vec3_zero(diagonal);
  for (int i = 0; i < 3; ++i)
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        diagonal[i] += R[3 * i + a] * A[(3 + a) * n + 3 + b] * R[3 * i + b];
}

/* X (rows x n), by the pose where M was taken, become those by q0; those by v0 into by_v, where M
 * was taken elsewhere. */
static void chain_weights(const filler *f, const limpet_tree_change *t, int tree, int rows,
                          double *X, double *by_v) {
  if (t->flight) {
    const int n = t->n, width = t->flight->width;
    double *by_q = f->work;
    for (int i = 0; i < rows * n; ++i) by_q[i] = by_v[i] = 0.0, X[i] = -X[i];
    limpet_dense()->sub_mul(rows, n, n, X, n, 1, t->flight->middle, width, by_q, n);
    limpet_dense()->sub_mul(rows, n, n, X, n, 1, t->flight->middle + n, width, by_v, n);
    memcpy(X, by_q, (size_t)(rows * n) * sizeof *X);
  } else if (t->by_middle) {
    limpet_integration_chain(&f->way, tree, rows, X, by_v);
    add_slope(f, t, share_of(f->probe, tree), rows, by_v, NULL, NULL);
  }
}

// [kg]
static double mass_of(const filler *f, int tree) {
  return f->probe->residual->solved->motion.flight->balance[tree].start.mass;
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

static limpet_status steady_rows(filler *f, limpet_data *at, const limpet_tree_change *t, int tree,
                                 const centres *c, limpet_arena *arena) {
  const limpet_model *model = f->probe->model;
  const int n = t->n, body = model->dof_body[t->first];
  const double *R = f->probe->data->body_rotation + 9 * body;
  const double *A = f->probe->residual->solved->motion.A + model->tree_mass[tree];
  double by_turn[9], diagonal[3], *by_q = t->steady_q + 3 * n, *by_v = t->steady_v + 3 * n;
  limpet_tree_steady_diagonal_derivative(model, at, tree, R, by_q, by_turn);
  if (c->are && centre_steady_rows(&c->middle, -mass_of(f, tree), R, arena, by_q, by_turn))
    return LIMPET_ERROR_MEMORY;
  chain_weights(f, t, tree, 3, by_q, by_v);
  if (c->are && centre_steady_rows(&c->start, mass_of(f, tree), R, arena, by_q, by_turn))
    return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < 3; ++i)
    for (int a = 0; a < 3; ++a) by_q[i * n + 3 + a] += by_turn[3 * i + a];
  steady_diagonal(R, A, n, diagonal);
  invert(3, n, diagonal, by_q);
  invert(3, n, diagonal, by_v);
  return LIMPET_OK;
}

// Whether Delassus estimates take the tree's first rotations in world axes.
static bool has_world_axes(const filler *f, const limpet_tree_change *t) {
  const limpet_model *model = f->probe->model;
  return model->joint_kind[model->dof_joint[t->first]] == LIMPET_JOINT_FREE &&
         !f->probe->residual->solved->problem.model->whole_joints;
}

enum { MOST_PAIRS = 21 };  // of a joint: the lower triangle of 6 x 6

// Places of the velocities of a tree in their joints. Returns how many weights there are.
static int place_weights(const filler *f, limpet_tree_change *t) {
  const limpet_model *model = f->probe->model;
  const bool whole = f->probe->residual->solved->problem.model->whole_joints;
  int pairs = 0;
  for (int k = 0; k < t->n; ++k) {
    t->local[k] = whole ? t->first + k - model->joint_v[model->dof_joint[t->first + k]] : 0;
    t->pair[k] = pairs;
    pairs += t->local[k];
  }
  return t->n + pairs;
}

// The block of A (rows n apart) of one joint, inverted: Z (count x count).
static void invert_block(const double *A, int n, int count, double Z[36]) {
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

// The rows of A_JJ^-1 (n each) from those of A_JJ.
static void invert_rows(const limpet_tree_change *t, int own, int count, const double *mix,
                        const double *by, double *work, double *to) {
  const int rows = count * (count + 1) / 2, n = t->n;
  memset(work, 0, (size_t)(rows * n) * sizeof *work);
  limpet_dense()->sub_mul(rows, n, rows, mix, rows, 1, by, n, work, n);
  for (int a = 0; a < count; ++a)
    for (int b = 0; b <= a; ++b, work += n)
      memcpy(to + limpet_tree_weight(t, own + a, b) * n, work, (size_t)n * sizeof *to);
}

// Of the joints with several velocities.
static void block_rows(filler *f, limpet_data *at, limpet_tree_change *t, int tree,
                       const centres *c) {
  const limpet_model *model = f->probe->model;
  const double *A = f->probe->residual->solved->motion.A + model->tree_mass[tree];
  for (int k = 0, count; k < t->n; k += count) {
    const int joint = model->dof_joint[t->first + k];
    double Z[36], mix[MOST_PAIRS * MOST_PAIRS];
    count = limpet_joint_kind_nv(model->joint_kind[joint]);
    if (count == 1) continue;
    const int rows = count * (count + 1) / 2;
    limpet_tree_mass_block_derivative(model, at, joint, f->block_q);
    memset(f->block_v, 0, (size_t)(rows * t->n) * sizeof *f->block_v);
    if (c->are)
      limpet_tree_centre_block(&c->middle, -mass_of(f, tree), k, count, f->work, f->block_q);
    chain_weights(f, t, tree, rows, f->block_q, f->block_v);
    if (c->are)
      limpet_tree_centre_block(&c->start, mass_of(f, tree), k, count, f->work, f->block_q);
    invert_block(A + k * (t->n + 1), t->n, count, Z);
    mix_entries(count, Z, mix);
    invert_rows(t, k, count, mix, f->block_q, f->block_work, t->steady_q);
    invert_rows(t, k, count, mix, f->block_v, f->block_work, t->steady_v);
  }
}

static limpet_status weights_of(filler *f, limpet_data *at, limpet_tree_change *t, int tree,
                                const centres *c, limpet_arena *arena) {
  const limpet_model *model = f->probe->model;
  const int n = t->n;
  const size_t size = (size_t)(n * n) * sizeof(double);
  const double *A = f->probe->residual->solved->motion.A + model->tree_mass[tree];
  limpet_tree_mass_diagonal_derivative(model, at, tree, t->own_q);
  memset(t->own_v, 0, size);
  if (c->are) limpet_tree_centre_diagonal(&c->middle, -mass_of(f, tree), f->work, t->own_q);
  chain_weights(f, t, tree, n, t->own_q, t->own_v);
  if (c->are) limpet_tree_centre_diagonal(&c->start, mass_of(f, tree), f->work, t->own_q);
  for (int k = 0; k < n; ++k) {
    invert(1, n, A + k * (n + 1), t->own_q + k * n);
    invert(1, n, A + k * (n + 1), t->own_v + k * n);
  }
  memcpy(t->steady_q, t->own_q, size);
  memcpy(t->steady_v, t->own_v, size);
  if (f->probe->residual->solved->problem.model->whole_joints) block_rows(f, at, t, tree, c);
  if (!has_world_axes(f, t)) return LIMPET_OK;
  memset(t->steady_v + 3 * n, 0, 3 * (size_t)n * sizeof *t->steady_v);
  return steady_rows(f, at, t, tree, c, arena);
}

static limpet_status take_weights(filler *f, limpet_arena *arena, limpet_tree_change *trees) {
  const limpet_model *model = f->probe->model;
  const size_t nv = (size_t)model->nv, size = (size_t)model->mass_size, blocks = MOST_PAIRS * nv;
  int *places = LIMPET_TAKE(arena, int, 2 * nv);
  f->work = LIMPET_TAKE(arena, double, size > blocks ? size : blocks);
  f->block_q = LIMPET_TAKE(arena, double, 3 * blocks);
  if (!places || !f->work || !f->block_q) return LIMPET_ERROR_MEMORY;
  f->block_v = f->block_q + blocks, f->block_work = f->block_v + blocks;
  for (int t = 0; t < model->tree_count; ++t) {
    trees[t].local = places + trees[t].first, trees[t].pair = trees[t].local + nv;
    trees[t].weights = place_weights(f, &trees[t]);
    const size_t room = (size_t)trees[t].weights * (size_t)trees[t].n;
    trees[t].steady_q = LIMPET_TAKE(arena, double, 2 * room);
    if (!trees[t].steady_q) return LIMPET_ERROR_MEMORY;
    trees[t].steady_v = trees[t].steady_q + room;
  }
  return LIMPET_OK;
}

static limpet_status take(filler *f, bool weights, limpet_arena *arena, limpet_tree_change *trees) {
  const limpet_model *model = f->probe->model;
  const size_t nv = (size_t)model->nv, size = (size_t)model->mass_size,
               joints = 9 * (size_t)model->joint_count;
  double *block = LIMPET_TAKE(arena, double, (weights ? 4 : 2) * size);
  if (!block) return LIMPET_ERROR_MEMORY;
  for (int t = 0; t < model->tree_count; ++t) {
    const size_t at = (size_t)model->tree_mass[t];
    trees[t].q = block + at;
    trees[t].v = block + size + at;
    if (!weights) continue;
    trees[t].own_q = block + 2 * size + at, trees[t].own_v = block + 3 * size + at;
  }
  if (weights && take_weights(f, arena, trees)) return LIMPET_ERROR_MEMORY;
  f->u = LIMPET_TAKE(arena, double, 3 * nv);
  f->bias_v = LIMPET_TAKE(arena, double, 3 * size);
  f->way.by_q = LIMPET_TAKE(arena, double, 2 * joints);
  if (!f->u || !f->bias_v || !f->way.by_q) return LIMPET_ERROR_MEMORY;
  f->vdot = f->u + nv, f->slope = f->vdot + nv;
  f->passive_q = f->bias_v + size, f->passive_v = f->passive_q + size;
  f->way.by_v = f->way.by_q + joints;
  return limpet_tree_middle_take(f->probe, arena, &f->middle);
}

// Accelerations, and the way from q0 to q_m.
static void find_way(filler *f, const limpet_tree_change *trees) {
  const limpet_probe *probe = f->probe;
  const limpet_data *data = probe->data;
  const double h = probe->settings->time_step;
  for (int i = 0; i < probe->model->nv; ++i) f->vdot[i] = (probe->residual->v[i] - data->v[i]) / h;
  for (int t = 0; t < probe->model->tree_count; ++t) {
    const double share = share_of(probe, t);
    if (share > 0.0 && share < 1.0)
      limpet_flight_share(probe->model, data, t, h, f->slope + trees[t].first);
    for (int d = trees[t].first; d < trees[t].first + trees[t].n; ++d)
      f->u[d] = share * middle_velocity(data, share, d);
  }
  limpet_integration_compute(&f->way, f->u, probe->settings->compatibility.first_order_rotation);
}

limpet_status limpet_tree_change_fill(const limpet_probe *probe, bool weights, limpet_arena *arena,
                                      limpet_tree_change *trees) {
  const limpet_model *model = probe->model;
  limpet_data *data = probe->data;
  filler f = {.probe = probe, .way = {.model = model, .dt = 0.5 * probe->settings->time_step}};
  if (take(&f, weights, arena, trees)) return LIMPET_ERROR_MEMORY;
  find_way(&f, trees);
  limpet_passive_derivatives(model, data, f.passive_q, f.passive_v);
  for (int t = 0; t < model->tree_count; ++t) {
    if (!trees[t].known && !trees[t].impulse_q && !trees[t].flight) continue;
    limpet_data *at = trees[t].flight ? &f.middle.world : place(&f, &trees[t], t);
    centres c;
    if (trees[t].flight && flight_dynamics(&f, &trees[t], t, arena)) return LIMPET_ERROR_MEMORY;
    if (find_centres(probe, at, t, arena, &c)) return LIMPET_ERROR_MEMORY;
    if (trees[t].flight) trees[t].by_middle = true;
    else if (is_alone(probe, t)) body_dynamics(&f, &trees[t], t);
    else if (dynamics(&f, at, &trees[t], t, &c, arena)) return LIMPET_ERROR_MEMORY;
    if (weights && trees[t].known && weights_of(&f, at, &trees[t], t, &c, arena))
      return LIMPET_ERROR_MEMORY;
    if (c.are && find_bend(&f, &trees[t], t, arena)) return LIMPET_ERROR_MEMORY;
  }
  return LIMPET_OK;
}

// -------------------------------------------------------------------------------- products

static limpet_status take_product(filler *f, limpet_arena *arena) {
  const limpet_model *model = f->probe->model;
  const size_t nv = (size_t)model->nv, joints = 9 * (size_t)model->joint_count;
  f->at = LIMPET_TAKE(arena, limpet_data *, model->tree_count);
  f->centre = LIMPET_TAKE(arena, centres, model->tree_count);
  f->u = LIMPET_TAKE(arena, double, 3 * nv);
  f->way.by_q = LIMPET_TAKE(arena, double, 2 * joints);
  if (!f->centre || !f->at || !f->u || !f->way.by_q) return LIMPET_ERROR_MEMORY;
  f->vdot = f->u + nv, f->slope = f->vdot + nv;
  f->way.by_v = f->way.by_q + joints;
  return limpet_tree_middle_take(f->probe, arena, &f->middle);
}

limpet_tree_product *limpet_tree_product_make(const limpet_probe *probe, limpet_arena *arena,
                                              limpet_tree_change *trees) {
  const limpet_model *model = probe->model;
  filler *f = LIMPET_TAKE_ZERO(arena, filler, 1);
  if (!f) return NULL;
  f->probe = probe;
  f->way = (limpet_integration){.model = model, .dt = 0.5 * probe->settings->time_step};
  if (take_product(f, arena)) return NULL;
  find_way(f, trees);
  for (int t = 0; t < model->tree_count; ++t) {
    f->at[t] = place(f, &trees[t], t);
    if (find_centres(probe, f->at[t], t, arena, &f->centre[t])) return NULL;
    if (f->centre[t].are) find_base(f, &f->centre[t].middle, t);
  }
  return f;
}

// Products x (n) with the pose where M was taken become those with q0; those with v0 into by_v.
static void chain_product(const filler *f, const limpet_tree_change *t, int tree, double *x,
                          double *by_u, double *by_v, double *by_change) {
  memset(by_v, 0, (size_t)t->n * sizeof *by_v);
  if (!t->by_middle) return;
  limpet_integration_chain(&f->way, tree, 1, x, by_v);
  add_slope(f, t, share_of(f->probe, tree), 1, by_v, by_u, by_change ? by_change + t->first : NULL);
}

// N_0' z of a tree that is centred; dual (n).
static limpet_status whole_product(const filler *f, int tree, const double *dual,
                                   const limpet_tree_factors *x, limpet_arena *arena) {
  const limpet_probe *probe = f->probe;
  const limpet_tree_centre *start = &f->centre[tree].start;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  const double m = mass_of(f, tree);
  double *y = LIMPET_TAKE(arena, double, 9 * start->n), z[3], seen[3];
  if (!y) return LIMPET_ERROR_MEMORY;
  limpet_tree_centre_momentum(start, probe, tree, z);
  limpet_tree_centre_velocity(start, 0, dual, seen);
  for (int a = 0; a < start->n; ++a) {
    const int d = start->first + a;
    limpet_vec3_scale(y + 3 * a, dual[a], z);
    limpet_vec3_addmul(y + 3 * a, y + 3 * a, m * (probe->residual->v[d] - probe->data->v[d]), seen);
    x->by_v[d] -= m * limpet_vec3_dot(seen, start->N + 3 * a);
  }
  limpet_tree_centre_product(start, 1.0, y, y + 3 * start->n, x->by_q + start->first);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

// r of a tree of several bodies.
static limpet_status balance_product(filler *f, const limpet_tree_change *t, int tree,
                                     const limpet_tree_factors *x, limpet_arena *arena) {
  const double h = f->probe->settings->time_step;
  double *dual = x->work, *by_q = dual + t->n, *by_v = by_q + t->n, *xM = by_v + t->n;
  memcpy(dual, x->dual + t->first, (size_t)t->n * sizeof *dual);
  limpet_axpy(t->n, 1.0, x->first + t->first, dual);
  const centres *c = &f->centre[tree];
  if (c->are) {
    if (whole_product(f, tree, dual, x, arena)) return LIMPET_ERROR_MEMORY;
    double beside[3];
    limpet_tree_centre_velocity(&c->middle, 3, dual, beside);
    for (int k = 0; k < 3; ++k) dual[k] = -beside[k];
  }
  limpet_tree_rnea_product(f->probe->model, f->at[tree], tree, f->vdot, dual, by_q, by_v, xM);
  for (int i = 0; i < t->n; ++i) by_q[i] *= h, by_v[i] *= h;
  chain_product(f, t, tree, by_q, by_v, dual, x->by_change);
  limpet_axpy(t->n, 1.0, by_q, x->by_q + t->first);
  for (int i = 0; i < t->n; ++i) x->by_v[t->first + i] += dual[i] + by_v[i] - xM[i];
  return LIMPET_OK;
}

// r of a body alone.
static limpet_status body_product(filler *f, const limpet_tree_change *t, int tree,
                                  const limpet_tree_factors *x, limpet_arena *arena) {
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  limpet_tree_change own = *t;
  own.q = LIMPET_TAKE(arena, double, 2 * t->n * t->n);
  if (!own.q) return LIMPET_ERROR_MEMORY;
  own.v = own.q + t->n * t->n;
  body_dynamics(f, &own, tree);
  for (int i = 0; i < t->n; ++i) {
    const double dual = x->dual[t->first + i];
    limpet_axpy(t->n, dual, own.q + i * t->n, x->by_q + t->first);
    limpet_axpy(t->n, dual, own.v + i * t->n, x->by_v + t->first);
  }
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

// What the weights of joints with several velocities have, of the blocks of A: -Z X Z (rows of 6).
static void block_product(const limpet_model *model, const limpet_tree_change *t, const double *A,
                          const double *steady, double *blocks) {
  for (int k = 0, count; k < t->n; k += count) {
    double Z[36], XZ[36] = {0.0};
    count = limpet_joint_kind_nv(model->joint_kind[model->dof_joint[t->first + k]]);
    if (count == 1) continue;
    invert_block(A + k * (t->n + 1), t->n, count, Z);
    for (int a = 0; a < count; ++a)
      for (int b = 0; b < count; ++b)
        for (int c = 0; c < count; ++c)
          XZ[count * a + b] += steady[6 * (k + a) + c] * Z[count * c + b];
    for (int a = 0; a < count; ++a)
      for (int b = 0; b < count; ++b) {
        double *to = &blocks[6 * (k + a) + b];
        *to = 0.0;
        for (int c = 0; c < count; ++c) *to -= Z[count * a + c] * XZ[count * c + b];
      }
  }
}

static bool is_single(const limpet_model *model, int dof) {
  return limpet_joint_kind_nv(model->joint_kind[model->dof_joint[dof]]) == 1;
}

/* What `mass` N'N has in the diagonal of A, share (n), and in the blocks of joints with several
 * velocities, blocks (n x 6; NULL: none): by_q (n) +=. */
static limpet_status centre_weights(const limpet_model *model, const limpet_tree_centre *c,
                                    double mass, const double *share, const double *blocks,
                                    limpet_arena *arena, double *by_q) {
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  double *y = LIMPET_TAKE(arena, double, 9 * c->n);
  if (!y) return LIMPET_ERROR_MEMORY;
  for (int a = 0; a < c->n; ++a) {
    const int joint = model->dof_joint[c->first + a], own = model->joint_v[joint] - c->first;
    const int count = limpet_joint_kind_nv(model->joint_kind[joint]);
    limpet_vec3_scale(y + 3 * a, share[a], c->N + 3 * a);
    for (int l = 0; l < count && blocks && count > 1; ++l)
      limpet_vec3_addmul(y + 3 * a, y + 3 * a, blocks[6 * a + l], c->N + 3 * (own + l));
  }
  limpet_tree_centre_product(c, 2.0 * mass, y, y + 3 * c->n, by_q);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

// Weights of rows and of Delassus estimates.
static limpet_status weight_product(filler *f, const limpet_tree_change *t, int tree,
                                    const limpet_tree_factors *x, limpet_arena *arena) {
  const limpet_model *model = f->probe->model;
  const double *own = x->own + t->first, *steady = x->steady + 6 * t->first;
  if (limpet_is_zero(t->n, own) && limpet_is_zero(6 * t->n, steady)) return LIMPET_OK;
  const double *R = f->probe->data->body_rotation + 9 * model->dof_body[t->first];
  const double *A = f->probe->residual->solved->motion.A + model->tree_mass[tree];
  const bool floats = has_world_axes(f, t),
             whole = f->probe->residual->solved->problem.model->whole_joints;
  double *share = x->work, *by_q = share + t->n, *by_v = by_q + t->n, turning[3] = {0.0},
         *blocks = whole ? by_v + t->n : NULL, by_turn[3];
  for (int k = 0; k < t->n; ++k) {
    const bool apart = whole ? !is_single(model, t->first + k) : floats && k >= 3 && k < FREE_DOFS;
    const double both = apart ? own[k] : own[k] + steady[6 * k];
    share[k] = -both / (A[k * (t->n + 1)] * A[k * (t->n + 1)]);
  }
  if (whole) block_product(model, t, A, steady, blocks);
  if (floats) {
    double diagonal[3];
    steady_diagonal(R, A, t->n, diagonal);
    for (int i = 0; i < 3; ++i) turning[i] = -steady[6 * (3 + i)] / (diagonal[i] * diagonal[i]);
  }
  limpet_tree_mass_diagonal_product(model, f->at[tree], tree, share, blocks, R, turning, by_q,
                                    by_turn);
  const centres *c = &f->centre[tree];
  const double mass = c->are ? mass_of(f, tree) : 0.0;
  if (c->are && (centre_weights(model, &c->middle, -mass, share, blocks, arena, by_q) ||
                 limpet_tree_centre_steady(&c->middle, -mass, R, turning, arena, by_q, by_turn)))
    return LIMPET_ERROR_MEMORY;
  chain_product(f, t, tree, by_q, NULL, by_v, x->by_change);
  if (c->are && (centre_weights(model, &c->start, mass, share, blocks, arena, by_q) ||
                 limpet_tree_centre_steady(&c->start, mass, R, turning, arena, by_q, by_turn)))
    return LIMPET_ERROR_MEMORY;
  limpet_axpy(t->n, 1.0, by_q, x->by_q + t->first);
  limpet_axpy(t->n, 1.0, by_v, x->by_v + t->first);
  for (int i = 0; i < 3 && floats; ++i) x->by_q[t->first + 3 + i] += by_turn[i];
  return LIMPET_OK;
}

limpet_status limpet_tree_product_add(limpet_tree_product *f, const limpet_tree_change *trees,
                                      const limpet_tree_factors *x, limpet_arena *arena) {
  const limpet_model *model = f->probe->model;
  const double h = f->probe->settings->time_step;
  limpet_passive_product(model, f->probe->data, x->dual, x->work);
  for (int t = 0; t < model->tree_count; ++t)
    if (!is_alone(f->probe, t))
      limpet_axpy(trees[t].n, -h, x->work + trees[t].first, x->by_q + trees[t].first);
  for (int t = 0; t < model->tree_count; ++t) {
    if (is_alone(f->probe, t) ? body_product(f, &trees[t], t, x, arena)
                              : balance_product(f, &trees[t], t, x, arena))
      return LIMPET_ERROR_MEMORY;
    if (weight_product(f, &trees[t], t, x, arena)) return LIMPET_ERROR_MEMORY;
  }
  return LIMPET_OK;
}
