/* tests/support/rest_worlds.h: random worlds of things that lie flat on pressure fields. */
#ifndef LIMPET_TEST_REST_WORLDS_H
#define LIMPET_TEST_REST_WORLDS_H

#include <stdbool.h>

typedef struct rest_count {
  int runs;      // worlds times contact models
  int moving;    // that are faster than the bound at the end
  int unsolved;  // steps
  double worst;  // [m/s, rad/s]  fastest velocity at the end of any
} rest_count;

/* Steps `count` worlds from number `first` on with coulomb, lagged and similar for `time` [s].
 * Each has one or two of cubes, blocks, prisms and upright cylinders of 2 to 20 cm on a plane or
 * block, askew and turned about the vertical; one or both sides soft with 1e6 to 1e8 Pa; steps of
 * 1 to 10 ms, on log scales. Those that end above `bound` are printed. */
rest_count rest_worlds_run(int first, int count, double time, double bound);

#endif
