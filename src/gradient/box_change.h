/* gradient/box_change.h: how the contact points of two boxes move when box B moves as a rigid body
 * and A stays. */
#ifndef LIMPET_GRADIENT_BOX_CHANGE_H
#define LIMPET_GRADIENT_BOX_CHANGE_H

#include "geometry/pair.h"

// In the common frame, per unit of a twist.
typedef struct limpet_box_point_change {
  double on_a[3], on_b[3];  // [m]
  double turn[3];           // [rad]  of the frame of the contact, which turns with its normal
  double distance;          // [m]
} limpet_box_point_change;

// What two boxes and their contact normal are to each other.
typedef struct limpet_box_meeting {
  const limpet_shape *box[2];  // A, B
  double normal[3];            // from A to B
  int owner;                   // whose face has this normal: 0, 1; -1: two edges cross
  int edge[2];                 // the axes of these edges
  bool tie;        // another axis separates as much: rotations have a kink, and where its
  bool tie_apart;  // direction is another, translations, too
} limpet_box_meeting;

/* False: the normal is neither of a face nor of two edges (boxes that are apart may be closest at a
 * corner). */
bool limpet_box_meeting_make(const limpet_shape *a, const limpet_shape *b, const double normal[3],
                             limpet_box_meeting *meeting);

/* Rates of one contact point along the six twists about P: rotations, then translations. False:
 * the point is not where its name says, as where corners coincide. */
bool limpet_box_point_rates(const limpet_box_meeting *meeting, const limpet_contact_point *point,
                            const double P[3], limpet_box_point_change change[6]);

#endif
