/* gradient/tree_flight.h: how the velocity of a step of a tree in free flight depends on what the
 * step starts from (step/flight_part.c), in closed form.
 *
 *   r = M(q_m)(v - v0) + K v + h b(q_m, u) - h f,   q_m = q0 (+) h/2 w,   K: implicit, constant
 *   u: w, but of a first joint that floats what gives the tree its momentum in q_m
 *   w_0 = v0 + c/2;   w_k+1 = v0 + (v_k - v0)/2,   A v_k = ... at w_k; its first joint what
 *   gives the tree its momentum with these in the pose of w_k
 * with as many renewals k as the step made, at the last of them: the poses of those before differ
 * by less than what is neglected in each digit (flight_part.c: 1e-12 rad). Columns: of q0, v0,
 * the generalised force f, and c where it is wanted, n of each; forces of springs by q0 are in
 * those of q0. Cost: two products of n x n x 3n, one pass of the derivatives of inverse dynamics,
 * and for each renewal a solution with 3n columns. */
#ifndef LIMPET_GRADIENT_TREE_FLIGHT_H
#define LIMPET_GRADIENT_TREE_FLIGHT_H

#include "gradient/momentum_link.h"
#include "gradient/probe.h"

typedef struct limpet_tree_flight {
  bool made;
  int width;       // 3n, or 4n with columns of c
  double *r;       // (n x width)  at the velocity that was solved for
  double *middle;  // (n x width)  q_m
  // of trees that keep their momentum; of others not filled
  // (6 x width), (6 x n)  u of the first joint; where its end follows the joints
  // (step/flight_end.c) its mean velocity there, and that by what was solved for
  double *mean, *by_s;
  double *free;                // (6 x width)  the first rows of v*
  double *impulse_f;           // (6 x n)  of r + h f on the first joint by f
  limpet_momentum_look start;  // its matrices are the room of LIMPET_FLIGHT_ROOM
} limpet_tree_flight;
// mean, free, impulse_f and start, for each velocity.
enum { LIMPET_FLIGHT_ROOM = 72 };

/* Whether the step of a tree has this form: it flew, or leaves what held it, in one part. The world
 * of the probe is at the start of the step. */
bool limpet_tree_flies(const limpet_probe *probe, int tree);
// The middle of the step.
typedef struct limpet_tree_middle {
  limpet_data world;
  bool posed;  // trees are there, but for v; else it is a mirror of the probe's world
} limpet_tree_middle;

// Where trees are placed. Memory from the arena stays. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_tree_middle_take(const limpet_probe *probe, limpet_arena *arena,
                                      limpet_tree_middle *middle);

// What is asked for of a tree.
typedef struct limpet_tree_flight_input {
  int tree;
  const double *springs;  // (n x n)  of passive forces by q0
  bool by_change;         // with columns of c
  double *room;           // (LIMPET_FLIGHT_ROOM n)
} limpet_tree_flight_input;

/* middle: of limpet_tree_middle_take; receives the tree at q_m, u. r and middle of `flight` are
 * from the arena. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_tree_flight_make(const limpet_probe *probe,
                                      const limpet_tree_flight_input *input,
                                      limpet_tree_middle *middle, limpet_arena *arena,
                                      limpet_tree_flight *flight);

#endif
