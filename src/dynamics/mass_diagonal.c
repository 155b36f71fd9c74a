/* dynamics/mass_diagonal.c: derivatives by the pose of the diagonal of the mass matrix, and of its
 * blocks between the velocities of one joint.
 *
 *   M_kk = S_k . I S_k,  I of what k moves
 *   along j behind k     -2 (S_j x S_k) . I_j S_k: what j moves turns against the axis of k
 *   along j before k     0: all of it moves as one rigid body, and so do rotations of one joint
 * Rotations of a free joint about axes C_i = sum_c R_ic S_c that do not turn with the body:
 *   along j behind       likewise with C_i
 *   along its rotations  2 C_i . I sum_c (R [e_a])_ic S_c     where R turns with a
 * Blocks      M_kl = S_k . I S_l: -(S_j x S_k) . I_j S_l where j does not move k, and likewise with
 *             k and l exchanged; rotations of a free joint move each other, not its translations
 * Products x' need one matrix a velocity: T_j = sum of S_k F_k' before j, F_k = x_k S_k, or of
 * blocks X the sum of X_kl S_l.
 * Source: own derivation. Workspace: 10 doubles for each body, 36 for each velocity of products.
 * Cost: 70 flops for each velocity and each of its ancestors; of products 350 for each velocity. */
#include <assert.h>
#include <string.h>

#include "dynamics/tree.h"
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

void limpet_tree_mass_diagonal_derivative(const limpet_model *model, limpet_data *data, int tree,
                                          double *by_q) {
  assert(model && data && tree >= 0 && tree < model->tree_count && by_q);
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  const int n = dofs.end - dofs.first;
  double *carried = limpet_scratch_begin(data->workspace, 10 * (size_t)model->body_count);
  carried_inertias(model, data, tree, carried);
  memset(by_q, 0, (size_t)n * (size_t)n * sizeof *by_q);
  for (int j = dofs.first; j < dofs.end; ++j)
    for (int k = model->dof_parent[j]; k >= 0; k = model->dof_parent[k])
      if (!turn_together(model, k, j))
        by_q[(k - dofs.first) * n + j - dofs.first] =
            change_of(model, data, carried, j, data->dof_axis + 6 * k);
  limpet_scratch_end(data->workspace);
}

void limpet_tree_mass_block_derivative(const limpet_model *model, limpet_data *data, int joint,
                                       double *by_q) {
  const int first = model->joint_v[joint], tree = model->dof_tree[first];
  const int count = limpet_joint_kind_nv(model->joint_kind[joint]);
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  const int n = dofs.end - dofs.first;
  double *carried = limpet_scratch_begin(data->workspace, 10 * (size_t)model->body_count);
  carried_inertias(model, data, tree, carried);
  memset(by_q, 0, (size_t)(count * (count + 1) / 2 * n) * sizeof *by_q);
  for (int j = first; j < dofs.end; ++j) {
    double momentum[6][6], turned[6];
    for (int l = 0; l < count; ++l)
      limpet_spatial_inertia_mul(momentum[l], carried + 10 * model->dof_body[j],
                                 data->dof_axis + 6 * (first + l));
    for (int k = model->dof_parent[j]; k >= first; k = model->dof_parent[k]) {
      if (model->dof_joint[k] != joint || turn_together(model, k, j)) continue;
      const int own = k - first;
      limpet_spatial_cross_motion(turned, data->dof_axis + 6 * j, data->dof_axis + 6 * k);
      for (int l = 0; l < count; ++l) {
        const int high = own > l ? own : l, low = own > l ? l : own;
        by_q[(high * (high + 1) / 2 + low) * n + j - dofs.first] -=
            (own == l ? 2.0 : 1.0) * limpet_spatial_dot(turned, momentum[l]);
      }
    }
  }
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
