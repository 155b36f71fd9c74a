/* dynamics/flown.h: how a body alone is expected to move in a step in which loops hold it: impulses
 * act on it at the start, and then it flies (step/flight_body.c). */
#ifndef LIMPET_DYNAMICS_FLOWN_H
#define LIMPET_DYNAMICS_FLOWN_H

#include <stdbool.h>

typedef struct limpet_flown {
  bool known;        // of a body alone that a loop holds
  double centre[3];  // [m]  W  its centre of mass, at the start
  double spin[3];    // [rad/s]  W  that its impulses are expected to leave it
  double turn[4];    // W  by which it then flies on in the step
} limpet_flown;

#endif
