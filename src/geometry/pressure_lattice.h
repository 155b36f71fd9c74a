/* geometry/pressure_lattice.h: tetrahedra that the library makes inside a closed surface. */
#ifndef LIMPET_GEOMETRY_PRESSURE_LATTICE_H
#define LIMPET_GEOMETRY_PRESSURE_LATTICE_H

#include "geometry/pressure.h"
#include "geometry/surface.h"

// The field of a closed surface, of tetrahedra of edge `material->size` [m], 0: chosen.
limpet_pressure_field *limpet_pressure_lattice(const limpet_surface *surface,
                                               const limpet_pressure_material *material,
                                               limpet_error *error);

#endif
