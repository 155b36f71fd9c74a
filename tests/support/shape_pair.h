/* tests/support/shape_pair.h: two shapes, one of which moves: what tests of the rates of contact
 * points compare with. */
#ifndef LIMPET_TEST_SHAPE_PAIR_H
#define LIMPET_TEST_SHAPE_PAIR_H

#include "geometry/shape.h"
#include "gradient/box_change.h"

typedef struct shape_pair {
  double size[2][3], position[2][3], rotation[2][9];
  const limpet_hull *hull[2];  // of meshes
  limpet_shape shape[2];       // of these numbers, by shape_pair_of
  // what a point of contact, of any name, becomes before it is compared; NULL: nothing
  void (*improve)(const limpet_shape shape[2], limpet_contact_point *point);
} shape_pair;

// Makes the shapes of the pair's own numbers: after they were set or copied.
void shape_pair_of(shape_pair *pair, limpet_shape_kind a, limpet_shape_kind b);
/* Largest error of a point's rates along twist k of B about P against differences of fourth order
 * of a width (of the scale), lengths over `scale` [m]. margin [m]: of contacts. INFINITY: the point
 * loses its name. */
double shape_pair_rate_error(const shape_pair *pair, const double P[3], int k, double width,
                             double scale, double margin, const limpet_contact_point *point,
                             const limpet_box_point_change *change);

#endif
