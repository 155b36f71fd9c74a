/* collide/soft_hull.h: a rigid geom with corners, a box or a convex hull with few, as a surface of
 * triangles and edges that moves from the start of a step to its end; of a capsule its axis. */
#ifndef LIMPET_COLLIDE_SOFT_HULL_H
#define LIMPET_COLLIDE_SOFT_HULL_H

#include "collide/soft_surface.h"

enum { LIMPET_SOFT_MOST_CORNERS = 64 };

typedef struct limpet_soft_corners_of {
  limpet_soft_surface surface;  // vertices, numbered from model->vertex_count on, faces and edges
  // (surface.vertex_count x 3)  [m]  W  corners at start and end, less a skin within which contacts
  // may be, and how far the real ones are out from there
  double *x, *end, *skin, *skin_end;
  double radius;  // [m]  around the edge of a capsule; others: 0
} limpet_soft_corners_of;

// Whether a geom is such a thing.
bool limpet_soft_has_corners(const limpet_model *model, int geom);
// Its surface, or that of a capsule, in the arena of the search. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_soft_corners_take(limpet_soft_search *search,
                                       const limpet_soft_sweep_request *request, int geom,
                                       limpet_soft_corners_of *corners);

#endif
