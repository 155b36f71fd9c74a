/* random_pairs.h: random pairs of convex shapes that touch, overlap deeply, are far or stand
 * aligned. Sizes are 1 mm to 0.3 m, with sides up to 300 times as long as others. */
#ifndef LIMPET_TESTS_RANDOM_PAIRS_H
#define LIMPET_TESTS_RANDOM_PAIRS_H

#include <stdbool.h>

#include "geometry/pair.h"

enum { RANDOM_PAIR_HULLS = 40 };

// What pairs are drawn from; the same seed gives the same pairs.
typedef struct random_pairs {
  unsigned long seed;
  limpet_hull *hulls[RANDOM_PAIR_HULLS];  // of 6 to 59 random points
} random_pairs;

// Its shape points to the arrays beside it.
typedef struct random_shape {
  limpet_shape shape;
  double size[3], position[3], rotation[9];
} random_shape;

// Makes the hulls. False: there is no memory.
bool random_pairs_create(random_pairs *r, unsigned long seed);
void random_pairs_destroy(random_pairs *r);

double random_pair_between(random_pairs *r, double low, double high);
double random_pair_log(random_pairs *r, double low, double high);  // on a log scale
int random_pair_below(random_pairs *r, int count);
void random_pair_direction(double u[3], random_pairs *r);

// Two kinds, the second no plane, in their order.
void random_pair_kinds(limpet_shape_kind *ka, limpet_shape_kind *kb, random_pairs *r);
void random_pair_draw(random_shape *a, random_shape *b, random_pairs *r, limpet_shape_kind ka,
                      limpet_shape_kind kb);

// Height of the support point along u [m], and the gap min over B of u.x - max over A of u.x.
double random_pair_support(const limpet_shape *shape, const double u[3]);
double random_pair_gap(const limpet_shape *a, const limpet_shape *b, const double u[3]);

#endif
