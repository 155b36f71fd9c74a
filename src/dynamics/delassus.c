/* dynamics/delassus.c: diagonal Delassus estimates: see delassus.h. */
#include <assert.h>

#include "dynamics/delassus.h"

#include "math/spatial.h"
#include "model/workspace.h"

void limpet_delassus_diagonal(const limpet_model *model, const limpet_data *data, int tree,
                              const double *A, bool body_axes, double *inverse) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  assert(tree >= 0 && tree < model->tree_count && A && inverse);
  const int first = model->tree_dof[tree], n = model->tree_dof_count[tree];
  for (int k = 0; k < n; ++k) inverse[k] = 1.0 / A[k * n + k];
  if (body_axes || model->joint_kind[model->dof_joint[first]] != LIMPET_JOINT_FREE) return;
  const double *R = data->body_rotation + 9 * model->dof_body[first], *turning = A + 3 * n + 3;
  for (int i = 0; i < 3; ++i) {
    const double *r = R + 3 * i;
    double sum = 0.0;
    for (int j = 0; j < 3; ++j)
      sum += r[j] * (turning[n * j] * r[0] + turning[n * j + 1] * r[1] + turning[n * j + 2] * r[2]);
    inverse[3 + i] = 1.0 / sum;
  }
}

static bool is_free(const limpet_model *model, int dof) {
  return model->joint_kind[model->dof_joint[dof]] == LIMPET_JOINT_FREE;
}

// Pairs of numbers of a 6 x 6 matrix, row by row, that hold its lower triangle.
static const int lower_places[12] = {0, 3, 6, 7, 9, 10, 12, 13, 14, 15, 16, 17};

/* Lower triangle, and some numbers above it, of the columns from the first on; in world axes up to
 * one of a free joint. Returns how many these are. The sums stay in registers. */
static int add_outer(const limpet_model *model, int count, const int *dof, const double *column,
                     const double *inverse, bool body_axes, double D[36]) {
  limpet_spatial_lanes sum[12], *y = (limpet_spatial_lanes *)D;
  int k = 0;
#pragma GCC unroll 12
  for (int i = 0; i < 12; ++i) sum[i] = y[lower_places[i]];
  for (; k < count && (body_axes || !is_free(model, dof[k])); ++k) {
    const double *S = column + 6 * k, factor = inverse[dof[k]];
    const limpet_spatial_lanes x[3] = {{S[0], S[1]}, {S[2], S[3]}, {S[4], S[5]}};
    sum[0] += factor * S[0] * x[0];
    sum[1] += factor * S[1] * x[0];
    sum[2] += factor * S[2] * x[0];
    sum[3] += factor * S[2] * x[1];
    sum[4] += factor * S[3] * x[0];
    sum[5] += factor * S[3] * x[1];
    for (int j = 0; j < 3; ++j) sum[6 + j] += factor * S[4] * x[j];
    for (int j = 0; j < 3; ++j) sum[9 + j] += factor * S[5] * x[j];
  }
#pragma GCC unroll 12
  for (int i = 0; i < 12; ++i) y[lower_places[i]] = sum[i];
  return k;
}

/* Lower triangle of what the six columns of a free joint add: about the axes e_i of the world they
 * are [e_i; e_i x d] and [0; e_i], d from the body's origin to the point, of either sign. R'
 * (translations' sign) turns the rotations of `column` into these. inverse: of the joint's six. */
static void add_free(double D[36], const double R[9], const double *column, const double *inverse) {
  const double *turn = column + 18, sign = column[3], *a = inverse + 3;
  double d[3] = {0.0, 0.0, 0.0};
  for (int j = 0; j < 3; ++j) {
    const double *v = turn + 6 * j + 3;
    d[0] -= sign * R[3 + j] * v[2];
    d[1] += sign * R[j] * v[2];
    d[2] -= sign * R[j] * v[1];
  }
  for (int i = 0; i < 3; ++i) D[7 * i] += a[i], D[7 * (3 + i)] += inverse[i];

  // translations against rotations: rows are e_i x d
  D[18 + 1] += a[1] * d[2], D[18 + 2] -= a[2] * d[1];
  D[24 + 0] -= a[0] * d[2], D[24 + 2] += a[2] * d[0];
  D[30 + 0] += a[0] * d[1], D[30 + 1] -= a[1] * d[0];
  const double xx = d[0] * d[0], yy = d[1] * d[1], zz = d[2] * d[2];
  D[18 + 3] += a[1] * zz + a[2] * yy;
  D[24 + 4] += a[0] * zz + a[2] * xx;
  D[30 + 5] += a[0] * yy + a[1] * xx;
  D[24 + 3] -= a[2] * d[0] * d[1];
  D[30 + 3] -= a[1] * d[0] * d[2];
  D[30 + 4] -= a[0] * d[1] * d[2];
}

void limpet_delassus_add(const limpet_model *model, const limpet_data *data, int count,
                         const int *dof, const double *column, const double *inverse,
                         bool body_axes, double D[36]) {
  assert(count >= 0 && (count == 0 || (dof && column)));
  for (int k = 0; k < count;) {
    if (body_axes || !is_free(model, dof[k])) {
      k += add_outer(model, count - k, dof + k, column + 6 * k, inverse, body_axes, D);
      continue;
    }
    assert(k + 5 < count && dof[k + 5] == dof[k] + 5);
    const double *R = data->body_rotation + 9 * model->dof_body[dof[k]];
    add_free(D, R, column + 6 * k, inverse + dof[k]);
    k += 6;
  }
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < i; ++j) D[6 * j + i] = D[6 * i + j];
}

void limpet_delassus_add_points(const limpet_model *model, const limpet_data *data, int count,
                                const int *dof, const double *column, const double *inverse,
                                bool body_axes, double D[36]) {
  double xx = 0.0, yx = 0.0, yy = 0.0, zx = 0.0, zy = 0.0, zz = 0.0;
  for (int k = 0; k < count; ++k) {
    if (!body_axes && is_free(model, dof[k])) {
      limpet_delassus_add(model, data, count, dof, column, inverse, body_axes, D);
      return;
    }
    const double *v = column + 6 * k + 3, factor = inverse[dof[k]];
    const double x = factor * v[0], y = factor * v[1], z = factor * v[2];
    xx += x * v[0], yx += y * v[0], yy += y * v[1];
    zx += z * v[0], zy += z * v[1], zz += z * v[2];
  }
  D[21] += xx, D[28] += yy, D[35] += zz;
  D[27] += yx, D[33] += zx, D[34] += zy;
  D[22] = D[27], D[23] = D[33], D[29] = D[34];
}
