/* gradient/hull_change.h: how the contact points of boxes and hulls of meshes move when B moves as
 * a rigid body and A stays, where a face or two edges are certain to give the normal. */
#ifndef LIMPET_GRADIENT_HULL_CHANGE_H
#define LIMPET_GRADIENT_HULL_CHANGE_H

#include "geometry/face.h"
#include "gradient/meet_change.h"

// What two polyhedra and their contact normal are to each other.
typedef struct limpet_hull_meeting {
  const limpet_shape *shape[2];  // A, B
  limpet_meet_normal normal;
  bool has_edges;        // two edges of the shapes are nearest to each other
  double through[2][3];  // points of them, common frame
  limpet_face face[2];   // those that face each other, common frame
} limpet_hull_meeting;

/* What two polyhedra are to each other by their contact normal [unit, from A to B], but for its
 * owner and edges. False: the shapes are none of these, or have no faces there. */
bool limpet_hull_meeting_begin(const limpet_shape *a, const limpet_shape *b, const double normal[3],
                               limpet_hull_meeting *meeting);

/* The face that may carry the other shape; none: .face is -1. Not certain before a query took it.
 */
limpet_rest limpet_hull_rest_of(const limpet_hull_meeting *meeting);

/* rest: what a query at these poses is certain of (limpet_convex_rest, limpet_convex_edges). False:
 * it is not certain, or a face of the other shape has the normal, too, as good as. */
bool limpet_hull_meeting_end(limpet_hull_meeting *meeting, const limpet_rest *rest);

/* Rates of one contact point along the six twists about P: rotations, then translations. False:
 * the point is not where its name says. */
bool limpet_hull_point_rates(const limpet_hull_meeting *meeting, const limpet_contact_point *point,
                             const double P[3], limpet_box_point_change change[6]);

#endif
