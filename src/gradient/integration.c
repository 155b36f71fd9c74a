/* gradient/integration.c: derivatives of the integration of rotations.
 *
 *   Q1 = Q0 exp(phi),  phi = dt w  (first order: 2 atan(dt |w|/2) w/|w|)
 *   exp(phi + d) = exp(phi) exp(T d),   T = 1 - (1 - cos p)/p^2 [phi] + (p - sin p)/p^3 [phi]^2,  p
 *                                       = |phi|
 *   Q0 exp(d) exp(phi) = Q1 exp(R' d),  R the matrix of phi
 * Reference: Chirikjian, Stochastic models, information theory and Lie groups 2, section 10
 * (Jacobians of SO(3)). */
#include "gradient/integration.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/quaternion.h"
#include "model/trees.h"

static int rotation_dof(const limpet_model *model, int joint) {
  if (model->joint_kind[joint] == LIMPET_JOINT_FREE) return model->joint_v[joint] + 3;
  return model->joint_kind[joint] == LIMPET_JOINT_BALL ? model->joint_v[joint] : -1;
}

// a 1 + b [x] + c x x'
static void combine(double M[9], double a, double b, double c, const double x[3]) {
  const double cross[9] = {0.0, -x[2], x[1], x[2], 0.0, -x[0], -x[1], x[0], 0.0};
  for (int i = 0; i < 9; ++i)
    M[i] = (i % 4 == 0 ? a : 0.0) + b * cross[i] + c * x[i / 3] * x[i % 3];
}

// T; [phi]^2 = phi phi' - p^2 1
static void right_jacobian(double T[9], const double phi[3]) {
  const double p = limpet_vec3_norm(phi), p2 = p * p;
  const double b = p < 1e-3 ? 0.5 - p2 / 24.0 : (1.0 - cos(p)) / p2;
  const double c = p < 1e-2 ? 1.0 / 6.0 - p2 / 120.0 + p2 * p2 / 5040.0 : (p - sin(p)) / (p2 * p);
  combine(T, 1.0 - c * p2, -b, c, phi);
}

static void rotation_blocks(double by_q[9], double by_v[9], const double w[3], double dt,
                            bool first_order) {
  const double speed = limpet_vec3_norm(w), half = 0.5 * dt * speed;
  const double turn = first_order && half > 1e-8 ? 2.0 * atan(half) / speed : dt;  // phi = turn w
  double phi[3], quaternion[4], R[9], T[9], rate[9];
  limpet_vec3_scale(phi, turn, w);
  limpet_quaternion_exp(quaternion, phi);
  limpet_quaternion_to_matrix(R, quaternion);
  for (int i = 0; i < 9; ++i) by_q[i] = R[3 * (i % 3) + i / 3];

  right_jacobian(T, phi);
  const double along = first_order ? dt / (1.0 + half * half) : dt;
  combine(rate, turn, 0.0, speed > 0.0 ? (along - turn) / (speed * speed) : 0.0, w);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      by_v[3 * i + j] =
          T[3 * i] * rate[j] + T[3 * i + 1] * rate[3 + j] + T[3 * i + 2] * rate[6 + j];
}

void limpet_integration_compute(limpet_integration *a, const double *v, bool first_order) {
  for (int j = 0; j < a->model->joint_count; ++j) {
    const int dof = rotation_dof(a->model, j);
    if (dof >= 0) rotation_blocks(a->by_q + 9 * j, a->by_v + 9 * j, v + dof, a->dt, first_order);
  }
}

void limpet_integration_compute_tree(limpet_integration *a, int tree, const double *v,
                                     bool first_order) {
  const limpet_range joints = limpet_tree_joints(a->model, tree);
  for (int j = joints.first; j < joints.end; ++j) {
    const int dof = rotation_dof(a->model, j);
    if (dof >= 0) rotation_blocks(a->by_q + 9 * j, a->by_v + 9 * j, v + dof, a->dt, first_order);
  }
}

void limpet_integration_by_v(const limpet_integration *a, const double *from, double *to) {
  for (int i = 0; i < a->model->nv; ++i) to[i] = a->dt * from[i];
  for (int j = 0; j < a->model->joint_count; ++j) {
    const int dof = rotation_dof(a->model, j);
    if (dof >= 0) limpet_mat3_mul_vec(to + dof, a->by_v + 9 * j, from + dof);
  }
}

// y (3 x width, rows y, y1, y2) = T x
static void turn_into(size_t width, const double T[9], const double *restrict x, double *restrict y,
                      double *restrict y1, double *restrict y2) {
  const double *x1 = x + width, *x2 = x1 + width;
  for (size_t c = 0; c < width; ++c) {
    const double a = x[c], b = x1[c], d = x2[c];
    y[c] = T[0] * a + T[1] * b + T[2] * d;
    y1[c] = T[3] * a + T[4] * b + T[5] * d;
    y2[c] = T[6] * a + T[7] * b + T[8] * d;
  }
}

void limpet_integration_rows(const limpet_integration *a, int width, const double *from,
                             double *to) {
  const size_t n = (size_t)width;
  limpet_axpy(a->model->nv * width, a->dt, from, to);
  for (int j = 0; j < a->model->joint_count; ++j) {
    const int dof = rotation_dof(a->model, j);
    if (dof < 0) continue;
    double *y = to + (size_t)dof * n;
    turn_into(n, a->by_v + 9 * j, from + (size_t)dof * n, y, y + n, y + 2 * n);
  }
}

// X (3 x width) <- T X
static void turn_rows(int width, const double T[9], double *X) {
  double *x = X, *y = X + width, *z = y + width;
  for (int c = 0; c < width; ++c) {
    const double a = x[c], b = y[c], d = z[c];
    x[c] = T[0] * a + T[1] * b + T[2] * d;
    y[c] = T[3] * a + T[4] * b + T[5] * d;
    z[c] = T[6] * a + T[7] * b + T[8] * d;
  }
}

void limpet_integration_tree_rows(const limpet_integration *a, int tree, int width, int at,
                                  double *X) {
  const limpet_model *model = a->model;
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  for (int d = dofs.first; d < dofs.end; ++d) {
    const int joint = model->dof_joint[d], turn = rotation_dof(model, joint), i = d - dofs.first;
    double *row = X + (size_t)i * (size_t)width;
    if (d == turn) turn_rows(width, a->by_v + 9 * joint, row);
    const bool turns = turn >= 0 && d >= turn;
    for (int c = 0; c < width && !turns; ++c) row[c] *= a->dt;
    for (int k = 0; k < 3 && at >= 0 && turns; ++k)
      row[at + turn - dofs.first + k] += a->by_q[9 * joint + 3 * (d - turn) + k];
    if (at >= 0 && !turns) row[at + i] += 1.0;
  }
}

void limpet_integration_add_by_q(const limpet_integration *a, int dof, double *to, int stride) {
  const int joint = a->model->dof_joint[dof], first = rotation_dof(a->model, joint);
  if (first < 0 || dof < first) {
    to[dof * stride] += 1.0;
    return;
  }
  for (int i = 0; i < 3; ++i) to[(first + i) * stride] += a->by_q[9 * joint + 3 * i + dof - first];
}

void limpet_integration_adjoint(const limpet_integration *a, const double *from, double *by_v,
                                double *by_q) {
  for (int i = 0; i < a->model->nv; ++i) by_v[i] = a->dt * from[i], by_q[i] = from[i];
  for (int j = 0; j < a->model->joint_count; ++j) {
    const int dof = rotation_dof(a->model, j);
    if (dof < 0) continue;
    limpet_mat3_tmul_vec(by_v + dof, a->by_v + 9 * j, from + dof);
    limpet_mat3_tmul_vec(by_q + dof, a->by_q + 9 * j, from + dof);
  }
}

// X (rows x n) <- X T, T of the rotations of one joint.
static void turn_columns(int rows, int n, int at, const double T[9], double *X) {
  for (int i = 0; i < rows; ++i) {
    double *x = X + (size_t)i * (size_t)n + at;
    const double a = x[0], b = x[1], c = x[2];
    for (int k = 0; k < 3; ++k) x[k] = a * T[k] + b * T[3 + k] + c * T[6 + k];
  }
}

void limpet_integration_chain(const limpet_integration *a, int tree, int rows, double *by_q,
                              double *by_v) {
  const limpet_model *model = a->model;
  const limpet_range joints = limpet_tree_joints(model, tree);
  const int n = model->tree_dof_count[tree];
  if (by_v) {
    memset(by_v, 0, (size_t)(rows * n) * sizeof *by_v);
    limpet_axpy(rows * n, a->dt, by_q, by_v);
  }
  for (int j = joints.first; j < joints.end; ++j) {
    if (rotation_dof(model, j) < 0) continue;
    const int at = rotation_dof(model, j) - model->tree_dof[tree];
    for (int i = 0; i < rows && by_v; ++i)
      memcpy(by_v + i * n + at, by_q + i * n + at, 3 * sizeof *by_v);
    if (by_v) turn_columns(rows, n, at, a->by_v + 9 * j, by_v);
    turn_columns(rows, n, at, a->by_q + 9 * j, by_q);
  }
}
