/* collide/shape_of_geom.h: a geom at its present pose as a shape. */
#ifndef LIMPET_COLLIDE_SHAPE_OF_GEOM_H
#define LIMPET_COLLIDE_SHAPE_OF_GEOM_H

#include "geometry/shape.h"
#include "limpet/data.h"

// After limpet_geom_kinematics; points into model and data. Every field of `shape` is set, one by
// one: a struct that is returned is copied, and the copy waits for its parts.
static inline void limpet_shape_set(limpet_shape *shape, const limpet_model *model,
                                    const limpet_data *data, int geom) {
  const limpet_shape_kind kind = model->geom_kind[geom];
  const limpet_mesh *mesh = kind == LIMPET_SHAPE_MESH ? &model->mesh[model->geom_mesh[geom]] : NULL;
  shape->kind = kind;
  shape->size = model->geom_size + 3 * geom;
  shape->position = data->geom_position + 3 * geom;
  shape->rotation = data->geom_rotation + 9 * geom;
  shape->hull = mesh ? mesh->hull : NULL;
  shape->surface = NULL;
  shape->grid = NULL;
  shape->cloud = kind == LIMPET_SHAPE_CLOUD ? model->cloud[model->geom_cloud[geom]] : NULL;
  shape->heights = mesh ? mesh->heights : NULL;
}

static inline limpet_shape limpet_shape_of_geom(const limpet_model *model, const limpet_data *data,
                                                int geom) {
  limpet_shape shape;
  limpet_shape_set(&shape, model, data, geom);
  return shape;
}

#endif
