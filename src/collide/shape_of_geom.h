/* collide/shape_of_geom.h: a geom at its present pose as a shape. */
#ifndef LIMPET_COLLIDE_SHAPE_OF_GEOM_H
#define LIMPET_COLLIDE_SHAPE_OF_GEOM_H

#include "geometry/shape.h"
#include "limpet/data.h"

// After limpet_geom_kinematics; points into model and data.
static inline limpet_shape limpet_shape_of_geom(const limpet_model *model, const limpet_data *data,
                                                int geom) {
  return (limpet_shape){
      .kind = model->geom_kind[geom],
      .size = model->geom_size + 3 * geom,
      .position = data->geom_position + 3 * geom,
      .rotation = data->geom_rotation + 9 * geom,
      .hull = model->geom_kind[geom] == LIMPET_SHAPE_MESH ? model->mesh[model->geom_mesh[geom]].hull
                                                          : NULL,
      .cloud = model->geom_kind[geom] == LIMPET_SHAPE_CLOUD ? model->cloud[model->geom_cloud[geom]]
                                                            : NULL,
      .heights = model->geom_kind[geom] == LIMPET_SHAPE_MESH
                     ? model->mesh[model->geom_mesh[geom]].heights
                     : NULL,
  };
}

#endif
