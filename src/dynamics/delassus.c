/* dynamics/delassus.c: diagonal Delassus estimates: see delassus.h. */
#include <assert.h>

#include "dynamics/delassus.h"

#include "dynamics/column_kernels.h"
#include "math/spatial.h"
#include "model/workspace.h"

// Of the joint of a velocity.
static int velocities_of(const limpet_model *model, int dof) {
  const limpet_joint_kind kind = model->joint_kind[model->dof_joint[dof]];
  return kind == LIMPET_JOINT_FREE ? 6 : kind == LIMPET_JOINT_BALL ? 3 : 1;
}

static bool is_free(const limpet_model *model, int dof) {
  return model->joint_kind[model->dof_joint[dof]] == LIMPET_JOINT_FREE;
}

// Of `count` velocities, a constant: all loops unroll.
static inline __attribute__((always_inline)) void factor_of(const int count, const double *A, int n,
                                                            double *inverse, double *mix) {
  double L[36], Ld[6], d[6], r[6], X[36];  // strictly lower; a row of L d
#pragma GCC unroll 6
  for (int i = 0; i < count; ++i) {
    d[i] = A[i * n + i];
#pragma GCC unroll 6
    for (int j = 0; j < i; ++j) {
      Ld[j] = A[i * n + j];
#pragma GCC unroll 6
      for (int k = 0; k < j; ++k) Ld[j] -= Ld[k] * L[6 * j + k];
      L[6 * i + j] = Ld[j] * r[j];
      d[i] -= Ld[j] * L[6 * i + j];
    }
    inverse[i] = r[i] = 1.0 / d[i];
    // row i of L^-1
#pragma GCC unroll 6
    for (int j = 0; j < i; ++j) {
      double x = -L[6 * i + j];
#pragma GCC unroll 6
      for (int k = j + 1; k < i; ++k) x -= L[6 * i + k] * X[6 * k + j];
      mix[6 * i + j] = X[6 * i + j] = x;
    }
    mix[6 * i + i] = 1.0;
  }
}

void limpet_delassus_factor(const double *A, int n, int count, double *inverse, double *mix) {
  assert(count == 1 || count == 3 || count == 6);
  if (count == 6) factor_of(6, A, n, inverse, mix);
  else if (count == 3) factor_of(3, A, n, inverse, mix);
  else factor_of(1, A, n, inverse, mix);
}

static void factor_joints(const limpet_model *model, int tree, const double *A, double *inverse,
                          double *mix) {
  const int first = model->tree_dof[tree], n = model->tree_dof_count[tree];
  for (int k = 0, count; k < n; k += count) {
    count = velocities_of(model, first + k);
    limpet_delassus_factor(A + k * (n + 1), n, count, inverse + k, mix + 6 * k);
  }
}

// 1/A_kk, of the rotations of free joints in world axes.
static void invert_diagonal(const limpet_model *model, const limpet_data *data, int tree,
                            const double *A, double *inverse) {
  const int first = model->tree_dof[tree], n = model->tree_dof_count[tree];
  for (int k = 0; k < n; ++k) inverse[k] = 1.0 / A[k * n + k];
  if (!is_free(model, first)) return;
  const double *R = data->body_rotation + 9 * model->dof_body[first], *turning = A + 3 * n + 3;
  for (int i = 0; i < 3; ++i) {
    const double *r = R + 3 * i;
    double sum = 0.0;
    for (int j = 0; j < 3; ++j)
      sum += r[j] * (turning[n * j] * r[0] + turning[n * j + 1] * r[1] + turning[n * j + 2] * r[2]);
    inverse[3 + i] = 1.0 / sum;
  }
}

void limpet_delassus_weigh(const limpet_model *model, const limpet_data *data, int tree,
                           const double *A, double *inverse, double *mix) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  assert(tree >= 0 && tree < model->tree_count && A && inverse);
  if (mix) factor_joints(model, tree, A, inverse, mix);
  else invert_diagonal(model, data, tree, A, inverse);
}

void limpet_delassus_joint(const limpet_delassus_weights *weights, int first, int count,
                           double Z[36]) {
  assert(weights->mix && count > 0 && count <= 6);
  const double *mix = weights->mix + 6 * first, *inverse = weights->inverse + first;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (int k = i; k < count; ++k) sum += inverse[k] * mix[6 * k + i] * mix[6 * k + j];
      Z[count * i + j] = Z[count * j + i] = sum;
    }
}

// Lower triangle, and some numbers above it, of `count` columns.
static void add_outer(int count, const double *column, const double *inverse, const int *dof,
                      double D[36]) {
  limpet_column_kernels_here()->add_outer(count, column, inverse, dof, D);
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

// C of the velocities from `from` on of a joint, as far as those from there mix.
static void mix_from(int from, int count, const double *S, const double *mix, double C[36]) {
  const limpet_spatial_lanes *s = (const limpet_spatial_lanes *)S;
  limpet_spatial_lanes *c = (limpet_spatial_lanes *)C;
  for (int k = from; k < count; ++k) {
    for (int i = 0; i < 3; ++i) c[3 * k + i] = s[3 * k + i];
    for (int j = from; j < k; ++j)
      for (int i = 0; i < 3; ++i) c[3 * k + i] += mix[6 * k + j] * s[3 * j + i];
  }
}

// Rotations of a free joint, whose translations are along the axes of the world.
static void mix_free(const double *S, const double *mix, double C[36]) {
  mix_from(3, 6, S, mix, C);
  for (int k = 3; k < 6; ++k)
    for (int j = 0; j < 3; ++j) C[6 * k + 3 + j] += mix[6 * k + j] * S[7 * j + 3];
}

/* All of a free joint. Translations do not mix: each adds to one place of the diagonal, as factor
 * times the square of its sign. */
static void add_free_mixed(const int *dof, const double *column,
                           const limpet_delassus_weights *weights, double D[36]) {
  double C[36];
  for (int k = 0; k < 3; ++k) D[7 * (3 + k)] += weights->inverse[dof[k]];
  mix_free(column, weights->mix + 6 * dof[0], C);
  add_outer(3, C + 18, weights->inverse, dof + 3, D);
}

// The columns of one joint that has several.
static void add_joint(const limpet_data *data, int body, int count, const int *dof,
                      const double *column, const limpet_delassus_weights *weights, double D[36]) {
  double C[36];
  if (weights->mix && count == 6) {
    add_free_mixed(dof, column, weights, D);
  } else if (weights->mix) {
    mix_from(0, count, column, weights->mix + 6 * dof[0], C);
    add_outer(count, C, weights->inverse, dof, D);
  } else {
    add_free(D, data->body_rotation + 9 * body, column, weights->inverse + dof[0]);
  }
}

// Velocities from k on that count one by one.
static int run_of(const limpet_model *model, int count, const int *dof, bool mixed) {
  int k = 0;
  while (k < count && (mixed ? velocities_of(model, dof[k]) == 1 : !is_free(model, dof[k]))) ++k;
  return k;
}

void limpet_delassus_add(const limpet_model *model, const limpet_data *data, int count,
                         const int *dof, const double *column,
                         const limpet_delassus_weights *weights, double D[36]) {
  assert(count >= 0 && (count == 0 || (dof && column)));
  for (int k = 0; k < count;) {
    const int run = run_of(model, count - k, dof + k, weights->mix != NULL);
    if (run > 0) add_outer(run, column + 6 * k, weights->inverse, dof + k, D);
    k += run;
    if (k == count) break;
    const int together = velocities_of(model, dof[k]);
    assert(k + together <= count && dof[k + together - 1] == dof[k] + together - 1);
    add_joint(data, model->dof_body[dof[k]], together, dof + k, column + 6 * k, weights, D);
    k += together;
  }
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < i; ++j) D[6 * j + i] = D[6 * i + j];
}

void limpet_delassus_add_points(const limpet_model *model, const limpet_data *data, int count,
                                const int *dof, const double *column,
                                const limpet_delassus_weights *weights, double D[36]) {
  if (run_of(model, count, dof, weights->mix != NULL) < count) {
    limpet_delassus_add(model, data, count, dof, column, weights, D);
    return;
  }
  double xx = 0.0, yx = 0.0, yy = 0.0, zx = 0.0, zy = 0.0, zz = 0.0;
  for (int k = 0; k < count; ++k) {
    const double *v = column + 6 * k + 3, factor = weights->inverse[dof[k]];
    const double x = factor * v[0], y = factor * v[1], z = factor * v[2];
    xx += x * v[0], yx += y * v[0], yy += y * v[1];
    zx += z * v[0], zy += z * v[1], zz += z * v[2];
  }
  D[21] += xx, D[28] += yy, D[35] += zz;
  D[27] += yx, D[33] += zx, D[34] += zy;
  D[22] = D[27], D[23] = D[33], D[29] = D[34];
}
