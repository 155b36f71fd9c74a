/* gradient/pair_view.h: a pair of geoms in contact as its derivatives see it: its contacts, and the
 * same pair where geom B is elsewhere. */
#ifndef LIMPET_GRADIENT_PAIR_VIEW_H
#define LIMPET_GRADIENT_PAIR_VIEW_H

#include "gradient/pair_change.h"

// One pair, its contacts and what is filled.
typedef struct limpet_pair_view {
  limpet_probe *probe;
  const limpet_collision_pair *pair;
  double share_a;  // of the acting point
  int first, count;
  const double *P;
  limpet_point_change *change;  // (count x 6)
} limpet_pair_view;

// Contact i of the pair, and the share of its point on A in the one that it acts at.
const limpet_collision_contact *limpet_pair_contact(const limpet_pair_view *view, int i);
double limpet_pair_share(const limpet_pair_view *view, const limpet_collision_contact *contact);

// Geom B at the start, and what its contacts are asked into.
typedef struct limpet_pair_mover {
  const limpet_pair_view *view;
  limpet_manifold manifold;
  double position[3], rotation[9];
} limpet_pair_mover;

void limpet_pair_mover_make(limpet_pair_mover *mover, const limpet_pair_view *view,
                            limpet_arena *arena);
// B turned by turn [rad] about P, then shifted [m].
void limpet_pair_move_geom(const limpet_pair_mover *mover, const double turn[3],
                           const double shift[3]);
// B moved along number k of a twist about P.
void limpet_pair_move_along(const limpet_pair_mover *mover, int k, double by);
void limpet_pair_move_back(const limpet_pair_mover *mover);
// The points of the pair where B is now. Faces or edges of the last time make it cheap.
void limpet_pair_ask(limpet_pair_mover *mover);
// The point with a feature; NULL: there is none.
const limpet_contact_point *limpet_pair_find(const limpet_manifold *manifold, uint64_t feature);

// Fills view->change by differences of the points (pair_differences.c); kinked: see pair_change.h.
// LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_pair_by_differences(const limpet_pair_view *view, double width,
                                         limpet_arena *arena, unsigned char *kinked);

#endif
