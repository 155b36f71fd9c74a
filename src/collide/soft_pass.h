/* collide/soft_pass.h: one vertex and triangle, or two edges, that pass through each other on their
 * ways: see soft_sweep.c. */
#ifndef LIMPET_COLLIDE_SOFT_PASS_H
#define LIMPET_COLLIDE_SOFT_PASS_H

#include "collide/soft_hull.h"
#include "collide/soft_surface.h"

// Two things, the second of which may be the first, a deformable body, or a rigid geom.
typedef struct limpet_soft_ways {
  limpet_soft_search *search;
  const limpet_soft_sweep_request *request;
  limpet_soft_passes *passes;
  const limpet_soft_surface *of[2];
  int geom[2];
  int first[2];                           // vertex from which features count
  const limpet_soft_corners_of *corners;  // of the second one, a rigid geom; NULL: it is none
  const double *x;    // (vertex_count x 3)  [m]  start; of a rigid geom its corners follow
  const double *end;  // (vertex_count x 3)  [m]  end, less the mean way of the first one
  // (vertex_count x 3)  [m]  from these points to the surfaces, at start and end; NULL: none
  const double *skin, *skin_end;
  const unsigned char *side;  // (vertex_count)  of what they have in common that a way is beyond
} limpet_soft_ways;

static inline bool limpet_soft_with_itself(const limpet_soft_ways *s) {
  return s->of[0] == s->of[1];
}

// [m]  that contacts may be within a closed deformable body.
double limpet_soft_skin(const limpet_soft_ways *s, const limpet_soft_surface *surface);
// Counts, and stops, vertex v of one side that passes triangle `number` of side `other`.
void limpet_soft_pass_vertex(const limpet_soft_ways *s, int other, int v, int number);
// Likewise edge a of the first side and edge b of the second one.
void limpet_soft_pass_edges(const limpet_soft_ways *s, int a, int b);

#endif
