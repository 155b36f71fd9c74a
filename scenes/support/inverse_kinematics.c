/* scenes/support/inverse_kinematics.c: damped least squares; see the header. Reference: Buss, Introduction to inverse
 * kinematics with Jacobian transpose, pseudoinverse and damped least squares methods (2004). */
#include "inverse_kinematics.h"

#include <math.h>
#include <stdlib.h>

int reach_find(reach *r, const limpet_model *model, limpet_data *data, const char *body, int joint_count,
               const char *const *joints) {
  *r = (reach){
      .model = model, .data = data, .body = limpet_model_find(model, LIMPET_OBJECT_BODY, body), .joint_count = joint_count};
  for (int i = 0; i < joint_count; ++i) {
    const int joint = limpet_model_find(model, LIMPET_OBJECT_JOINT, joints[i]);
    if (joint < 0) return 1;
    r->q[i] = model->joint_q[joint], r->v[i] = model->joint_v[joint];
  }
  return r->body < 0;
}

// Solves the symmetric positive definite 6 x 6 system A x = b in place, by Gauss without pivoting.
static void solve6(double A[36], double b[6]) {
  for (int k = 0; k < 6; ++k)
    for (int i = k + 1; i < 6; ++i) {
      const double f = A[6 * i + k] / A[6 * k + k];
      for (int j = k; j < 6; ++j) A[6 * i + j] -= f * A[6 * k + j];
      b[i] -= f * b[k];
    }
  for (int i = 5; i >= 0; --i) {
    for (int j = i + 1; j < 6; ++j) b[i] -= A[6 * i + j] * b[j];
    b[i] /= A[6 * i + i];
  }
}

// e = [rotation that is missing, 1/2 sum of axis x wanted axis; displacement that is missing].
static double pose_error(const reach *r, const double position[3], const double axes[9], double e[6]) {
  const double *R = r->data->body_rotation + 9 * r->body, *p = r->data->body_position + 3 * r->body;
  double square = 0.0;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    e[i] = 0.0;
    for (int axis = 0; axis < 3; ++axis)
      e[i] += 0.5 * (R[3 * j + axis] * axes[3 * k + axis] - R[3 * k + axis] * axes[3 * j + axis]);
    e[3 + i] = position[i] - p[i];
  }
  for (int i = 0; i < 6; ++i) square += e[i] * e[i];
  return sqrt(square);
}

double reach_pose(reach *r, const double position[3], const double axes[9], double *angles) {
  const int nv = r->model->nv;
  double *J = malloc(6 * (size_t)nv * sizeof *J), error = INFINITY;
  if (!J) return INFINITY;
  for (int iteration = 0; iteration < 300; ++iteration) {
    double e[6], A[36];
    for (int i = 0; i < r->joint_count; ++i) r->data->q[r->q[i]] = angles[i];
    limpet_kinematics(r->model, r->data);
    error = pose_error(r, position, axes, e);
    if (error < 1e-13) break;
    limpet_jacobian(r->model, r->data, r->body, r->data->body_position + 3 * r->body, J);
    const double lambda = 1e-5 + 0.05 * fmin(error, 1.0);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        A[6 * i + j] = i == j ? lambda * lambda : 0.0;
        for (int k = 0; k < r->joint_count; ++k) A[6 * i + j] += J[i * nv + r->v[k]] * J[j * nv + r->v[k]];
      }
    solve6(A, e);
    for (int k = 0; k < r->joint_count; ++k)
      for (int i = 0; i < 6; ++i) angles[k] += J[i * nv + r->v[k]] * e[i];
  }
  free(J);
  return error;
}
