/* gradient/pair_change.h: how the contact points of a pair of geoms move when geom B moves as a
 * rigid body and A stays.
 *
 * Six twists about a point P: rotations about the axes of the world, then translations along them.
 * The frame of a contact turns with its normal by the least rotation, or with a body: friction is
 * the same in all directions. */
#ifndef LIMPET_GRADIENT_PAIR_CHANGE_H
#define LIMPET_GRADIENT_PAIR_CHANGE_H

#include "gradient/probe.h"

// Of one contact, per unit of a twist [1/rad, 1/m].
typedef struct limpet_point_change {
  double point[3];   // [m]  where the force acts
  double turn[3];    // [rad]  of the frame
  double distance;   // [m]
  double force;      // [N]  of a point of a contact surface: area times pressure
  double stiffness;  // [N/m]  likewise
  double shear;      // [N/m]  likewise: what counts for shear
} limpet_point_change;

// Contacts `first` .. first + count of the step's problem, which belong to one pair.
typedef struct limpet_pair_contacts {
  int first, count;
  const double *P;  // (3)  [m]  that twists are about
  double width;     // [m, rad]  of differences
} limpet_pair_contacts;

/* change (count x 6) of contacts. Half spaces, balls, capsules, boxes, hulls, and what touches
 * something curved in one point, in closed form, else by differences of fourth order around the two
 * geoms alone. carried, kinked (of the whole problem, by contact): set where a contact lost its
 * feature, or where its geometry has a kink within the differences. After limpet_geom_kinematics of
 * the world, which is as it was on return. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_pair_change(limpet_probe *probe, const limpet_pair_contacts *contacts,
                                 limpet_arena *arena, unsigned char *kinked,
                                 limpet_point_change *change);

#endif
