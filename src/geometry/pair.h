/* geometry/pair.h: contact points of two shapes: one function for each pair of kinds, in one table.
 *
 * A and B are the shapes as given. The normal is a unit vector from A to B, `distance` is negative
 * inside, and for every point
 *   distance = (point on B - point on A) . normal. */
#ifndef LIMPET_GEOMETRY_PAIR_H
#define LIMPET_GEOMETRY_PAIR_H

#include "geometry/shape.h"

enum {
  LIMPET_MANIFOLD_CAPACITY = LIMPET_CLOUD_CONTACTS,  // of two shapes, one of which may be a cloud
  LIMPET_MANIFOLD_POINTS = 8                         // of two shapes with surfaces
};

typedef struct limpet_contact_point {
  double on_a[3], on_b[3];  // [m]  on the surfaces, common frame
  double normal[3];         // from A to B
  double distance;          // [m]
  uint32_t feature;  // which features of A and B met; the same while they stay the same, unique
                     // within the manifold
} limpet_contact_point;

typedef struct limpet_manifold {
  int count;
  limpet_contact_point point[LIMPET_MANIFOLD_CAPACITY];
} limpet_manifold;

/* Fills `manifold` with the points of A and B that are closer than `margin` (>= 0)  [m]. */
typedef void limpet_pair_function(limpet_manifold *manifold, const limpet_shape *a,
                                  const limpet_shape *b, double margin);

typedef struct limpet_shape_pair {
  limpet_shape_kind a, b;          // a <= b
  limpet_pair_function *manifold;  // all contact points
  limpet_pair_function
      *single;       // one point, where Drake puts it; NULL: the deepest of the manifold
  const char *text;  // one sentence: method and number of points
  const char *reference;
} limpet_shape_pair;

// (LIMPET_SHAPE_COUNT x LIMPET_SHAPE_COUNT) by kinds; NULL: the two never touch (plane with plane,
// cloud with cloud).
extern const limpet_shape_pair
    *const limpet_shape_pair_table[LIMPET_SHAPE_COUNT][LIMPET_SHAPE_COUNT];

/* Dispatch by kinds in either order. `single`: only the deepest point (ties: the lowest feature),
 * or what the pair's own function for one point gives: for a half space the centre of what lies
 * flat on it. */
void limpet_shape_contact(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                          double margin, bool single);

/* Signed distance of two convex shapes, planes excluded, with witness points; by GJK where they are
 * apart and EPA where they overlap. Exact to 1e-9 of the shapes' size for polyhedra. The normal is
 * from A to B. */
double limpet_convex_distance(const limpet_shape *a, const limpet_shape *b, double on_a[3],
                              double on_b[3], double normal[3]);

#endif
