/* dynamics/point_columns.h: how velocities move a point of a body.
 *
 * column (6) of a velocity: motion of the point per unit of it, [w; u + w x (point - origin)] with
 * [w; u] = data->dof_axis, spatial [angular; linear] in world axes [-, m]; times a sign. Columns of
 * a path ascend in the index of their velocity. */
#ifndef LIMPET_DYNAMICS_POINT_COLUMNS_H
#define LIMPET_DYNAMICS_POINT_COLUMNS_H

#include "limpet/data.h"

// Velocities on the path from the world to `body`.
int limpet_point_path_length(const limpet_model *model, int body);
// The last velocity on both paths, each given by its last velocity (-1: none); -1: there is none.
int limpet_point_common_dof(const limpet_model *model, int a, int b);
// Columns of the path from `last` up to, but without, `stop` (-1: all of it). dof (count), column
// (count x 6). Returns count.
int limpet_point_columns(const limpet_model *model, const limpet_data *data, int last, int stop,
                         const double point[3], double sign, int *dof, double *column);

#endif
