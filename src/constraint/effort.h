/* constraint/effort.h: servos that share the effort limit of a joint or tendon. */
#ifndef LIMPET_CONSTRAINT_EFFORT_H
#define LIMPET_CONSTRAINT_EFFORT_H

#include "constraint/kind.h"

enum { LIMPET_EFFORT_ROOM = 64 };  // servos that share one limit, at most

/* Servos of one joint or tendon, each with the force range of its own. */
typedef struct limpet_effort {
  int count;
  limpet_servo servo[LIMPET_EFFORT_ROOM];
  double gear[LIMPET_EFFORT_ROOM];  // not 0
  double dt;                        // [s]
} limpet_effort;

/* The limits of servo `self` with which all of them together, each within its own, give
 *
 *   clamp(sum_i gear_i f_i, lower, upper)   [N, N m]  in any motion */
void limpet_effort_share(const limpet_effort *effort, int self, double lower, double upper,
                         limpet_servo *servo);

#endif
