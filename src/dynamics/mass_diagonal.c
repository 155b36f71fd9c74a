/* dynamics/mass_diagonal.c: derivatives by the pose of the diagonal of the mass matrix, and of its
 * blocks between the velocities of one joint.
 *
 *   M_kk = S_k . I S_k,  I of what k moves
 *   along j behind k     -2 (S_j x S_k) . I_j S_k: what j moves turns against the axis of k
 *   along j before k     0: all of it moves as one rigid body, and so do rotations of one joint
 * Rotations of a free joint about axes C_i = sum_c R_ic S_c that do not turn with the body:
 *   along j behind       likewise with C_i
 *   along its rotations  2 C_i . I sum_c (R [e_a])_ic S_c     where R turns with a
 * Blocks      M_kl = S_k . I S_l
 *   along j behind       likewise
 *   along rotations j, l of a free joint     -(S_j x S_k) . I S_l of its translations k
 *
 * Along j the inertia that it carries changes by nine numbers, as its mass stays: h' and I', so
 *   S_k . I' S_l = w_k . I' w_l + h' . (v_l x w_k + v_k x w_l)
 * Products x' need one matrix a velocity: T_j = sum of S_k F_k' before j, F_k = x_k S_k, or of
 * blocks X the sum of X_kl S_l.
 *
 * Source: own derivation. Workspace: 10 doubles for each body, 9 for each velocity, 36 of products.
 * Cost: 18 flops for each velocity and each of its ancestors; of products 350 for each velocity. */
#include <assert.h>
#include <string.h>

#include "dynamics/tree.h"
#include "math/dense_table.h"
#include "math/spatial.h"
#include "model/workspace.h"

// Inertia of everything that each body of a tree carries.
static void carried_inertias(const limpet_model *model, const limpet_data *data, int tree,
                             double *carried) {
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  memcpy(carried + 10 * bodies.first, data->body_inertia + 10 * bodies.first,
         10 * (size_t)(bodies.end - bodies.first) * sizeof *carried);
  for (int b = bodies.end - 1; b > bodies.first; --b)
    for (int i = 0; i < 10; ++i) carried[10 * model->body_parent[b] + i] += carried[10 * b + i];
}

// -2 (S_j x axis) . I_j axis
static double change_of(const limpet_model *model, const limpet_data *data, const double *carried,
                        int j, const double axis[6]) {
  double turned[6], momentum[6];
  limpet_spatial_cross_motion(turned, data->dof_axis + 6 * j, axis);
  limpet_spatial_inertia_mul(momentum, carried + 10 * model->dof_body[j], axis);
  return -2.0 * limpet_spatial_dot(turned, momentum);
}

static bool is_rotation(const limpet_model *model, int dof) {
  const int joint = model->dof_joint[dof];
  return model->joint_kind[joint] != LIMPET_JOINT_FREE || dof >= model->joint_v[joint] + 3;
}

static bool turn_together(const limpet_model *model, int a, int b) {
  return model->dof_joint[a] == model->dof_joint[b] && is_rotation(model, a) &&
         is_rotation(model, b);
}

enum { RATES = 9, PAIRS = 21, JOINT = 6 };

/* h' and I' (xx yy zz xy xz yz) of an inertia that moves with S: with its mass m, center h/m and
 * I = sum of m (c.c 1 - c c'). Numbers `stride` apart. */
static void inertia_rate(const double S[6], const double I[10], size_t stride, double *rate) {
  const double *w = S, *u = S + 3, *h = I + 1;
  const double along = h[0] * u[0] + h[1] * u[1] + h[2] * u[2];
  double moved[3];
  limpet_vec3_cross(moved, w, h);
  for (int i = 0; i < 3; ++i) rate[(size_t)i * stride] = moved[i] + I[0] * u[i];
  rate[3 * stride] = 2.0 * (w[1] * I[8] - w[2] * I[7] + along - h[0] * u[0]);
  rate[4 * stride] = 2.0 * (w[2] * I[7] - w[0] * I[9] + along - h[1] * u[1]);
  rate[5 * stride] = 2.0 * (w[0] * I[9] - w[1] * I[8] + along - h[2] * u[2]);
  rate[6 * stride] =
      w[1] * I[9] - w[2] * I[5] + w[2] * I[4] - w[0] * I[8] - h[0] * u[1] - h[1] * u[0];
  rate[7 * stride] =
      w[1] * I[6] - w[2] * I[9] + w[0] * I[7] - w[1] * I[4] - h[0] * u[2] - h[2] * u[0];
  rate[8 * stride] =
      w[2] * I[8] - w[0] * I[6] + w[0] * I[5] - w[1] * I[7] - h[1] * u[2] - h[2] * u[1];
}

// Factors of the same numbers in S_k . I' S_l.
static void pair_factors(const double k[6], const double l[6], double factor[RATES]) {
  double one[3], other[3];
  limpet_vec3_cross(one, l + 3, k);
  limpet_vec3_cross(other, k + 3, l);
  limpet_vec3_add(factor, one, other);
  for (int i = 0; i < 3; ++i) factor[3 + i] = k[i] * l[i];
  factor[6] = k[0] * l[1] + k[1] * l[0];
  factor[7] = k[0] * l[2] + k[2] * l[0];
  factor[8] = k[1] * l[2] + k[2] * l[1];
}

// Rates of what the velocities first .. end carry, of a tree: (9 x n), after the `carried`.
static void find_rates(const limpet_model *model, const limpet_data *data, const double *carried,
                       limpet_range dofs, double *rates) {
  for (int j = dofs.first; j < dofs.end; ++j)
    inertia_rate(data->dof_axis + 6 * j, carried + 10 * model->dof_body[j],
                 (size_t)(dofs.end - dofs.first), rates + j - dofs.first);
}

int limpet_tree_behind(const limpet_model *model, int dof, int *end) {
  const int joint = model->dof_joint[dof], tree = model->dof_tree[dof];
  const int first = model->joint_v[joint] + limpet_joint_kind_nv(model->joint_kind[joint]);
  const int last = limpet_tree_dofs(model, tree).end;
  for (*end = first; *end < last && model->dof_parent[*end] >= dof;) ++*end;
  return first;
}

void limpet_tree_mass_diagonal_derivative(const limpet_model *model, limpet_data *data, int tree,
                                          double *by_q) {
  assert(model && data && tree >= 0 && tree < model->tree_count && by_q);
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  const int n = dofs.end - dofs.first;
  const size_t bodies = 10 * (size_t)model->body_count;
  double *carried = limpet_scratch_begin(data->workspace, bodies + RATES * (size_t)n);
  double *rates = carried + bodies;
  carried_inertias(model, data, tree, carried);
  find_rates(model, data, carried, dofs, rates);
  memset(by_q, 0, (size_t)n * (size_t)n * sizeof *by_q);
  for (int k = dofs.first; k < dofs.end; ++k) {
    int end;
    const int first = limpet_tree_behind(model, k, &end);
    double factor[RATES];
    if (first == end) continue;
    pair_factors(data->dof_axis + 6 * k, data->dof_axis + 6 * k, factor);
    for (int e = 0; e < RATES; ++e) factor[e] = -factor[e];
    limpet_dense()->sub_mul(1, end - first, RATES, factor, RATES, 1, rates + first - dofs.first, n,
                            by_q + (k - dofs.first) * n + first - dofs.first, n);
  }
  limpet_scratch_end(data->workspace);
}

// What the rotations of a free joint do to its block.
static void turn_block(const limpet_data *data, const double I[10], int first, int n,
                       double *by_q) {
  const double *axes = data->dof_axis + 6 * first;
  for (int l = 3; l < JOINT; ++l) {
    double momentum[6], turned[6];
    limpet_spatial_inertia_mul(momentum, I, axes + 6 * l);
    for (int k = 0; k < 3; ++k)
      for (int j = 3; j < JOINT; ++j) {
        limpet_spatial_cross_motion(turned, axes + 6 * j, axes + 6 * k);
        by_q[(l * (l + 1) / 2 + k) * n + j] -= limpet_spatial_dot(turned, momentum);
      }
  }
}

void limpet_tree_mass_block_derivative(const limpet_model *model, limpet_data *data, int joint,
                                       double *by_q) {
  const int first = model->joint_v[joint], tree = model->dof_tree[first];
  const int count = limpet_joint_kind_nv(model->joint_kind[joint]), rows = count * (count + 1) / 2;
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  const int n = dofs.end - dofs.first;
  const size_t bodies = 10 * (size_t)model->body_count;
  double *carried = limpet_scratch_begin(data->workspace, bodies + RATES * (size_t)n);
  double *rates = carried + bodies, factors[RATES * PAIRS], *factor = factors;
  int end;
  const int behind = limpet_tree_behind(model, first, &end);
  carried_inertias(model, data, tree, carried);
  find_rates(model, data, carried, dofs, rates);
  memset(by_q, 0, (size_t)(rows * n) * sizeof *by_q);
  for (int k = 0; k < count; ++k)
    for (int l = 0; l <= k; ++l, factor += RATES) {
      pair_factors(data->dof_axis + 6 * (first + k), data->dof_axis + 6 * (first + l), factor);
      for (int e = 0; e < RATES; ++e) factor[e] = -factor[e];
    }
  limpet_dense()->sub_mul(rows, end - behind, RATES, factors, RATES, 1, rates + behind - dofs.first,
                          n, by_q + behind - dofs.first, n);
  if (model->joint_kind[joint] == LIMPET_JOINT_FREE)
    turn_block(data, carried + 10 * model->dof_body[first], first, n, by_q + first - dofs.first);
  limpet_scratch_end(data->workspace);
}

// C_i of R, with columns S of the three rotations from `dof` on.
static void steady_axis(const limpet_data *data, int dof, const double row[3], double axis[6]) {
  limpet_spatial_zero(axis);
  for (int c = 0; c < 3; ++c) limpet_spatial_addmul(axis, row[c], data->dof_axis + 6 * (dof + c));
}

void limpet_tree_steady_diagonal_derivative(const limpet_model *model, limpet_data *data, int tree,
                                            const double R[9], double *by_pose, double by_turn[9]) {
  assert(model && data && tree >= 0 && tree < model->tree_count && R && by_pose && by_turn);
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  const int n = dofs.end - dofs.first, first = dofs.first + 3;
  double *carried = limpet_scratch_begin(data->workspace, 10 * (size_t)model->body_count);
  carried_inertias(model, data, tree, carried);
  memset(by_pose, 0, 3 * (size_t)n * sizeof *by_pose);
  for (int i = 0; i < 3; ++i) {
    const double *row = R + 3 * i;
    double axis[6], momentum[6];
    steady_axis(data, first, row, axis);
    for (int j = dofs.first + 6; j < dofs.end; ++j)
      by_pose[i * n + j - dofs.first] = change_of(model, data, carried, j, axis);
    limpet_spatial_inertia_mul(momentum, carried + 10 * model->dof_body[first], axis);
    const double turned[3][3] = {
        {0.0, row[2], -row[1]}, {-row[2], 0.0, row[0]}, {row[1], -row[0], 0.0}};
    for (int a = 0; a < 3; ++a) {
      double moved[6];
      steady_axis(data, first, turned[a], moved);
      by_turn[3 * i + a] = 2.0 * limpet_spatial_dot(moved, momentum);
    }
  }
  limpet_scratch_end(data->workspace);
}

// sum of S_k x* I F_k for T = sum of S_k F_k'.
static void turn_against(const double T[36], const double I[10], double sum[6]) {
  double X[36];  // rows: S_i f
  for (int i = 0; i < 6; ++i) limpet_spatial_inertia_mul(X + 6 * i, I, T + 6 * i);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    sum[i] = X[6 * j + k] - X[6 * k + j] + X[6 * (3 + j) + 3 + k] - X[6 * (3 + k) + 3 + j];
    sum[3 + i] = X[6 * j + 3 + k] - X[6 * k + 3 + j];
  }
}

static void add_square(double T[36], double share, const double axis[6]) {
  for (int i = 0; i < 6; ++i) limpet_spatial_addmul(T + 6 * i, share * axis[i], axis);
}

// T += S_k F_k'
static void add_weighed(const limpet_model *model, const limpet_data *data, int k, double x,
                        const double *blocks, double T[36]) {
  const double *S = data->dof_axis + 6 * k;
  const int joint = model->dof_joint[k], first = model->joint_v[joint];
  const int count = limpet_joint_kind_nv(model->joint_kind[joint]);
  double F[6] = {0.0};
  limpet_spatial_addmul(F, x, S);
  for (int l = 0; l < count && blocks && count > 1; ++l)
    limpet_spatial_addmul(F, blocks[l], data->dof_axis + 6 * (first + l));
  for (int i = 0; i < 6; ++i) limpet_spatial_addmul(T + 6 * i, S[i], F);
}

// x of axes C_i that do not turn: T (of all that is behind), and what rotations of R do.
static void steady_product(const limpet_data *data, const double carried[10], int first,
                           const double R[9], const double x[3], double T[36], double by_turn[3]) {
  limpet_vec3_zero(by_turn);
  for (int i = 0; i < 3; ++i) {
    const double *row = R + 3 * i;
    double axis[6], momentum[6];
    if (x[i] == 0.0) continue;
    steady_axis(data, first, row, axis);
    add_square(T, x[i], axis);
    limpet_spatial_inertia_mul(momentum, carried, axis);
    const double turned[3][3] = {
        {0.0, row[2], -row[1]}, {-row[2], 0.0, row[0]}, {row[1], -row[0], 0.0}};
    for (int a = 0; a < 3; ++a) {
      double moved[6];
      steady_axis(data, first, turned[a], moved);
      by_turn[a] += 2.0 * x[i] * limpet_spatial_dot(moved, momentum);
    }
  }
}

void limpet_tree_mass_diagonal_product(const limpet_model *model, limpet_data *data, int tree,
                                       const double *x, const double *blocks, const double R[9],
                                       const double steady[3], double *by_q, double by_turn[3]) {
  assert(model && data && tree >= 0 && tree < model->tree_count && x && R && steady && by_q);
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  const size_t bodies = 10 * (size_t)model->body_count;
  double *carried = limpet_scratch_begin(data->workspace, bodies + 36 * (size_t)model->nv);
  double *sums = carried + bodies;
  carried_inertias(model, data, tree, carried);
  limpet_vec3_zero(by_turn);
  for (int j = dofs.first; j < dofs.end; ++j) {
    // squares of all axes up to j, and of those that j moves against
    double *T = sums + 36 * j, sum[6];
    const int parent = model->dof_parent[j], joint = model->dof_joint[j], body = model->dof_body[j];
    int before = parent;
    while (before >= 0 && turn_together(model, before, j)) before = model->dof_parent[before];
    by_q[j - dofs.first] = 0.0;
    if (before >= 0) {
      turn_against(sums + 36 * before, carried + 10 * body, sum);
      by_q[j - dofs.first] = -2.0 * limpet_spatial_dot(data->dof_axis + 6 * j, sum);
    }
    if (parent < 0) memset(T, 0, 36 * sizeof *T);
    else memcpy(T, sums + 36 * parent, 36 * sizeof *T);
    const int own = j - dofs.first;
    add_weighed(model, data, j, x[own], blocks ? blocks + 6 * own : NULL, T);
    if (model->joint_kind[joint] == LIMPET_JOINT_FREE && j == model->joint_v[joint] + 5)
      steady_product(data, carried + 10 * body, j - 2, R, steady, T, by_turn);
  }
  limpet_scratch_end(data->workspace);
}
