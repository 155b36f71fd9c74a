/* dynamics/jacobian.c: Jacobians of body-fixed points and their transposes.
 *
 * Column of a velocity on the path from the body to the world: [w; l + w x (point - origin)] for
 * its axis [w; l]. Cost: 12 flops for each velocity on the path. */
#include <assert.h>
#include <string.h>

#include "limpet/dynamics.h"
#include "math/spatial.h"
#include "model/workspace.h"

void limpet_jacobian(const limpet_model *model, const limpet_data *data, int body,
                     const double point[3], double *J) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  assert(body >= 0 && body < model->body_count && point);
  assert(model->nv == 0 || J);
  const int nv = model->nv, last = model->body_last_dof[body];
  memset(J, 0, 6 * (size_t)nv * sizeof *J);
  if (last < 0) return;
  double lever[3];
  limpet_vec3_sub(lever, point, data->tree_origin + 3 * model->dof_tree[last]);
  for (int d = last; d >= 0; d = model->dof_parent[d]) {
    const double *S = data->dof_axis + 6 * d;
    double turn[3];
    limpet_vec3_cross(turn, S, lever);
    for (int i = 0; i < 3; ++i) {
      J[i * nv + d] = S[i];
      J[(3 + i) * nv + d] = S[3 + i] + turn[i];
    }
  }
}

void limpet_wrench_to_joints(const limpet_model *model, const limpet_data *data, int body,
                             const double point[3], const double wrench[6], double *tau) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  assert(body >= 0 && body < model->body_count && point && wrench);
  const int last = model->body_last_dof[body];
  if (last < 0) return;

  // the wrench about the tree's origin, then power per unit of velocity
  double lever[3], F[6];
  limpet_vec3_sub(lever, point, data->tree_origin + 3 * model->dof_tree[last]);
  limpet_vec3_cross(F, lever, wrench + 3);
  limpet_vec3_add(F, F, wrench);
  limpet_vec3_copy(F + 3, wrench + 3);
  for (int d = last; d >= 0; d = model->dof_parent[d])
    tau[d] += limpet_spatial_dot(data->dof_axis + 6 * d, F);
}
