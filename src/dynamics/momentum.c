/* dynamics/momentum.c: centre of mass and momentum of a subtree. The bodies of a subtree follow
 * each other. */
#include <assert.h>

#include "limpet/dynamics.h"
#include "math/spatial.h"
#include "model/workspace.h"

void limpet_centre_of_mass(const limpet_model *model, const limpet_data *data, int body,
                           double com[3]) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  assert(body >= 0 && body < model->body_count && com);
  double mass = 0.0, first[3] = {0.0, 0.0, 0.0};
  for (int b = body; b < model->body_subtree_end[body]; ++b) {
    mass += model->body_mass[b];
    limpet_vec3_addmul(first, first, model->body_mass[b], data->body_com + 3 * b);
  }
  if (mass > 0.0) limpet_vec3_scale(com, 1.0 / mass, first);
  else limpet_vec3_copy(com, data->body_com + 3 * body);
}

void limpet_momentum(const limpet_model *model, const limpet_data *data, int body,
                     const double point[3], double momentum[6]) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES | LIMPET_MARK_VELOCITIES));
  assert(body >= 0 && body < model->body_count && point && momentum);
  limpet_spatial_zero(momentum);
  for (int b = body; b < model->body_subtree_end[body]; ++b) {
    const int tree = model->body_tree[b];
    if (tree < 0) continue;
    double own[6], lever[3], moment[3];
    limpet_spatial_inertia_mul(own, data->body_inertia + 10 * b, data->body_velocity + 6 * b);

    // from the tree's origin to the point
    limpet_vec3_sub(lever, data->tree_origin + 3 * tree, point);
    limpet_vec3_cross(moment, lever, own + 3);
    limpet_vec3_add(own, own, moment);
    limpet_spatial_addmul(momentum, 1.0, own);
  }
}
