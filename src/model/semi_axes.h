/* model/semi_axes.h: the ellipsoid that a geom counts as for the medium. */
#ifndef LIMPET_MODEL_SEMI_AXES_H
#define LIMPET_MODEL_SEMI_AXES_H

#include "limpet/model.h"

// Semi-axes [m] of an ellipsoid that fills the geom; of an ellipsoid, a box or a mesh its size.
static inline void limpet_geom_semi_axes(const limpet_model *model, int geom, double axes[3]) {
  const double *size = model->geom_size + 3 * geom;
  const limpet_shape_kind kind = model->geom_kind[geom];
  for (int k = 0; k < 3; ++k) axes[k] = size[k];
  if (kind == LIMPET_SHAPE_SPHERE) axes[1] = axes[2] = size[0];
  if (kind == LIMPET_SHAPE_CAPSULE) axes[1] = size[0], axes[2] = size[0] + size[1];
  if (kind == LIMPET_SHAPE_CYLINDER) axes[1] = size[0], axes[2] = size[1];
}

#endif
