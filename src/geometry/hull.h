/* geometry/hull.h: memory of a hull: one block for the struct and its arrays, so that a mesh can keep its hull inside its own block. */
#ifndef LIMPET_GEOMETRY_HULL_H
#define LIMPET_GEOMETRY_HULL_H

#include "limpet/geometry.h"

typedef struct limpet_hull_size {
  int vertex_count, face_count, edge_count, corner_count;  // corner_count: entries of face_vertex
} limpet_hull_size;

// Bytes of a hull of that size, a multiple of 64.
size_t limpet_hull_memory_size(const limpet_hull_size *size);
// Lays a hull out in `memory` (64-byte aligned): counts and array pointers are set, the arrays not.
limpet_hull *limpet_hull_place(void *memory, const limpet_hull_size *size);
limpet_hull_size limpet_hull_size_of(const limpet_hull *hull);
// Copy of a hull in `memory` of limpet_hull_memory_size bytes.
limpet_hull *limpet_hull_copy(void *memory, const limpet_hull *hull);

#endif
