/* gradient/meet_change.h: how a contact point between flat faces and straight edges moves, once it
 * is known what meets there. Of boxes and hulls. */
#ifndef LIMPET_GRADIENT_MEET_CHANGE_H
#define LIMPET_GRADIENT_MEET_CHANGE_H

#include "gradient/box_change.h"

// As face_meet.c numbers them.
typedef enum limpet_meet_kind {
  LIMPET_MEET_CORNER_OF_A,
  LIMPET_MEET_CORNER_OF_B,
  LIMPET_MEET_EDGES
} limpet_meet_kind;

// What meets at a point, in the common frame.
typedef struct limpet_meet {
  limpet_meet_kind kind;
  double k[3];        // normal of the other one's face, over a corner
  double u[3], w[3];  // along the edges of A and B
} limpet_meet;

// What the normal of a contact is that of.
typedef struct limpet_meet_normal {
  double n[3];        // from A to B
  int owner;          // whose face it is normal to: 0, 1; -1: it is that of two edges
  double u[3], w[3];  // along these edges of A and B
} limpet_meet_normal;

// False: two edges are nearly parallel.
bool limpet_meet_is_one_place(const limpet_meet_normal *normal, const limpet_meet *meet);

/* Rates of one contact point along the six twists of B about P: rotations, then translations. */
void limpet_meet_rates(const limpet_meet_normal *normal, const limpet_meet *meet,
                       const limpet_contact_point *point, const double P[3],
                       limpet_box_point_change change[6]);

#endif
