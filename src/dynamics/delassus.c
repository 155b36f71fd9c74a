/* dynamics/delassus.c: diagonal Delassus estimates: see delassus.h. */
#include <assert.h>

#include "dynamics/delassus.h"

#include "math/spatial.h"
#include "model/workspace.h"

void limpet_delassus_diagonal(const limpet_model *model, const limpet_data *data, int tree,
                              const double *A, double *inverse) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  assert(tree >= 0 && tree < model->tree_count && A && inverse);
  const int first = model->tree_dof[tree], n = model->tree_dof_count[tree];
  for (int k = 0; k < n; ++k) inverse[k] = 1.0 / A[k * n + k];
  if (model->joint_kind[model->dof_joint[first]] != LIMPET_JOINT_FREE) return;
  const double *R = data->body_rotation + 9 * model->dof_body[first];
  for (int i = 0; i < 3; ++i) {
    double sum = 0.0;
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) sum += R[3 * i + j] * A[(3 + j) * n + 3 + k] * R[3 * i + k];
    inverse[3 + i] = 1.0 / sum;
  }
}

static bool turns_free(const limpet_model *model, int dof) {
  const int joint = model->dof_joint[dof];
  return model->joint_kind[joint] == LIMPET_JOINT_FREE && dof - model->joint_v[joint] == 3;
}

// Lower triangle, and some numbers above it. Translations have no angular part.
static inline void add_outer(double D[36], double factor, const double S[6]) {
  if (S[0] == 0.0 && S[1] == 0.0 && S[2] == 0.0) {
    for (int i = 3; i < 6; ++i) {
      const double s = factor * S[i];
      for (int j = 3; j <= i; ++j) D[6 * i + j] += s * S[j];
    }
    return;
  }
  const limpet_spatial_lanes *x = (const limpet_spatial_lanes *)S;
  limpet_spatial_lanes *y = (limpet_spatial_lanes *)D;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; 2 * j <= i; ++j) y[3 * i + j] += factor * S[i] * x[j];
}

void limpet_delassus_add(const limpet_model *model, const limpet_data *data, int count,
                         const int *dof, const double *column, const double *inverse,
                         double D[36]) {
  assert(count >= 0 && (count == 0 || (dof && column)));
  for (int k = 0; k < count; ++k) {
    const double *S = column + 6 * k;
    if (!turns_free(model, dof[k])) {
      add_outer(D, inverse[dof[k]], S);
      continue;
    }
    const double *R = data->body_rotation + 9 * model->dof_body[dof[k]];
    for (int i = 0; i < 3; ++i) {
      double turned[6] = {0};
      for (int j = 0; j < 3; ++j) limpet_spatial_addmul(turned, R[3 * i + j], S + 6 * j);
      add_outer(D, inverse[dof[k] + i], turned);
    }
    k += 2;
  }
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < i; ++j) D[6 * j + i] = D[6 * i + j];
}
