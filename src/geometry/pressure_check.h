/* geometry/pressure_check.h: the checks of a surface that a pressure field is made from. */
#ifndef LIMPET_GEOMETRY_PRESSURE_CHECK_H
#define LIMPET_GEOMETRY_PRESSURE_CHECK_H

#include "geometry/surface.h"

/* The surface of these triangles; NULL and an error with numbers if it is open, looks inwards,
 * crosses itself, or has a part in another one that does not make a hollow of it. */
limpet_surface *limpet_pressure_surface_check(const double *vertices, int vertex_count,
                                              const int *faces, int face_count,
                                              limpet_error *error);

#endif
