/* format/mesh/solid.h: tetrahedra of simple solids, for deformable bodies without a mesh file. */
#ifndef LIMPET_FORMAT_MESH_SOLID_H
#define LIMPET_FORMAT_MESH_SOLID_H

#include "limpet/format.h"

typedef enum limpet_solid_kind {
  LIMPET_SOLID_BOX,       // size: half lengths
  LIMPET_SOLID_ELLIPSOID  // size: semi-axes
} limpet_solid_kind;

/* Fills the box of `cells` cubes with six tetrahedra each; an ellipsoid is such a box drawn to its
 * shape. size [m], 3 numbers. Arrays by malloc: limpet_mesh_file_free. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_solid_make(limpet_mesh_file *mesh, limpet_solid_kind kind,
                                const double size[3], const int cells[3]);

#endif
