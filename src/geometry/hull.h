/* geometry/hull.h: memory of a hull: one block for the struct and its arrays, so that a mesh
 * can keep its hull inside its own block. */
#ifndef LIMPET_GEOMETRY_HULL_H
#define LIMPET_GEOMETRY_HULL_H

#include <math.h>

#include "limpet/geometry.h"

typedef struct limpet_hull_size {
  int vertex_count, face_count, edge_count;
  int corner_count, neighbour_count;  // entries of face_vertex and of neighbour
} limpet_hull_size;

// Bytes of a hull of that size, a multiple of 64.
size_t limpet_hull_memory_size(const limpet_hull_size *size);
limpet_hull_size limpet_hull_size_of(const limpet_hull *hull);
// Copy of a hull in `memory` of limpet_hull_memory_size bytes.
limpet_hull *limpet_hull_copy(void *memory, const limpet_hull *hull);

/* Cells of directions: the cube around the origin, each side in 4 x 4 cells. The cell of a
 * direction (any length > 0), and the direction of a cell's centre (not normalised). */
static inline int limpet_hull_cell(const double d[3]) {
  int i = 0;
  if (fabs(d[1]) > fabs(d[i])) i = 1;
  if (fabs(d[2]) > fabs(d[i])) i = 2;
  const double scale = 2.0 / fabs(d[i]);
  int u = (int)(d[(i + 1) % 3] * scale + 2.0), v = (int)(d[(i + 2) % 3] * scale + 2.0);
  u = u > 3 ? 3 : u, v = v > 3 ? 3 : v;
  return 16 * (2 * i + (d[i] > 0.0)) + 4 * u + v;
}

static inline void limpet_hull_direction(double d[3], int cell) {
  const int i = cell / 32;
  d[i] = cell / 16 % 2 ? 1.0 : -1.0;
  d[(i + 1) % 3] = 0.5 * (cell / 4 % 4) - 0.75;
  d[(i + 2) % 3] = 0.5 * (cell % 4) - 0.75;
}

#endif
