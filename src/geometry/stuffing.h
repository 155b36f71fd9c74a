/* geometry/stuffing.h: tetrahedra that end at a surface, cut from a lattice that covers it. */
#ifndef LIMPET_GEOMETRY_STUFFING_H
#define LIMPET_GEOMETRY_STUFFING_H

#include "limpet/base.h"

// Arrays by malloc, limpet_stuffing_free frees them.
typedef struct limpet_stuffing {
  int vertex_count, tetrahedron_count;
  double *vertices;  // (vertex_count x 3)  [m]
  int *tetrahedra;   // (tetrahedron_count x 4)  positive volume
} limpet_stuffing;

/* What of the tetrahedra lies where `depth`, linear between the vertices, is positive.
 * vertices (vertex_count x 3) [m], depth (vertex_count) in any unit, tetrahedra (count x 4), those
 * of a body-centred cubic lattice. Returns LIMPET_OK or LIMPET_ERROR_MEMORY; none come out where
 * depth is positive nowhere. */
limpet_status limpet_stuff(const double *vertices, int vertex_count, const double *depth,
                           const int *tetrahedra, int count, limpet_stuffing *out);
void limpet_stuffing_free(limpet_stuffing *stuffing);

#endif
