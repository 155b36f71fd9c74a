/* step/flight_part.h: one part of a tree's step of flight, which flight_motion.c divides. */
#ifndef LIMPET_STEP_FLIGHT_PART_H
#define LIMPET_STEP_FLIGHT_PART_H

#include "math/ldl3.h"
#include "step/flight.h"

typedef struct limpet_flyer {
  const limpet_model *model;
  const limpet_step_settings *settings;
  limpet_free_motion *motion;
  limpet_data *start;   // the world at q0, v0
  limpet_data *middle;  // the world at q_m, u
  const double *q, *v;  // (nq), (nv)  at the start of the part of the step
  double *own;          // (nq + nv)  where q and v of parts are that begin later than the step
  double *change;       // (nv)  of u, where it was renewed last
  limpet_ldl3 locked;   // of I_c of a tree that floats, in the pose q_m: lock
  bool locks;           // whether it has one
  bool astray;          // a part of the tree's step was too long for what happened in it
} limpet_flyer;

// A part of the step of one tree.
typedef struct limpet_flight_part {
  int tree;
  double h, middle;  // [s]  its length; from the start of the step to where M and bias are taken
  bool floats;       // u has the momentum of the balance
  bool renews;       // u is renewed where it missed
  bool stays;        // q_m is q0, and u too slow for a bias
  double share;      // of flight: flight_share.c
} limpet_flight_part;

/* One part of the step, from the estimate of u in the middle world: v1 in motion->v_free, u in
 * flight->mean, q1 in flight->q. False: v1 is not known. */
bool limpet_flight_part_fly(limpet_flyer *f, const limpet_flight_part *p);
// A v1 = M v0 + h (f - b) of a tree, and v1. False: A is not positive definite.
bool limpet_flight_part_solve(limpet_flyer *f, const limpet_flight_part *p);
// A of a tree: M and a share of what is implicit.
void limpet_flight_add_implicit(const limpet_flyer *f, int tree, double share, const double *M,
                                double *A);
/* c (n): the bias of a tree but for its weight, by the poses that `bias` is of. What weight gives
 * is no error. */
void limpet_flight_motion_bias(const limpet_flyer *f, int tree, const limpet_data *poses,
                               double *c);

#endif
