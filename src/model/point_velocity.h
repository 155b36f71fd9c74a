/* model/point_velocity.h: the velocity of a point of a body. */
#ifndef LIMPET_MODEL_POINT_VELOCITY_H
#define LIMPET_MODEL_POINT_VELOCITY_H

#include "limpet/data.h"
#include "math/vec3.h"

/* v [m/s], W, of the point of `body` that is at `point` (W), by twists about the origins of trees
 * (body_count x 6), as data->body_velocity. */
static inline void limpet_point_velocity_by(const limpet_model *model, const limpet_data *data,
                                            const double *twist, int body, const double point[3],
                                            double v[3]) {
  const int tree = model->body_tree[body];
  const double *V = twist + 6 * body;
  double arm[3];
  limpet_vec3_zero(v);
  if (tree < 0) return;
  limpet_vec3_sub(arm, point, data->tree_origin + 3 * tree);
  limpet_vec3_cross(v, V, arm);
  limpet_vec3_add(v, v, V + 3);
}

#endif
