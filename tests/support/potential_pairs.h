/* tests/support/potential_pairs.h: all pairs of convex shapes at random poses, and whether force
 * and moment of their surfaces are the gradient of the potential. */
#ifndef LIMPET_TEST_POTENTIAL_PAIRS_H
#define LIMPET_TEST_POTENTIAL_PAIRS_H

#include "limpet/distance.h"

typedef struct test_potential_pairs {
  const limpet_shape_kind *kind;  // (kind_count)
  int kind_count;
  int variants;      // 1: both compliant, and either one rigid; 3: one of these for each pair
  bool differences;  // U at moved poses, too
  double allowed;    // [-]  of the integral of pressure, if no less is stated; moments: times 1 m
  unsigned long seed;
} test_potential_pairs;

/* Every pair of kinds of which one is curved, sunk into each other by a thousandth to 0.3 of their
 * size along a random way. What is off by more than allowed is printed. Returns how many are, and
 * the number of those that touch. */
int test_potential_pairs_check(const test_potential_pairs *pairs, int *checked);

#endif
