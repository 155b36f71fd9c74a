/* geometry/pair.h: contact points of two shapes: one function for each pair of kinds, in one table.
 *
 * A and B are the shapes as given. The normal is a unit vector from A to B, `distance` is negative
 * inside, and for every point
 *   distance = (point on B - point on A) . normal. */
#ifndef LIMPET_GEOMETRY_PAIR_H
#define LIMPET_GEOMETRY_PAIR_H

#include "base/arena.h"
#include "geometry/shape.h"

enum {
  LIMPET_MANIFOLD_ROOM = LIMPET_CLOUD_CONTACTS,  // points that need no memory
  LIMPET_MANIFOLD_POINTS = 8                     // of two shapes with surfaces
};

typedef struct limpet_contact_point {
  double on_a[3], on_b[3];  // [m]  on the surfaces, common frame
  double normal[3];         // from A to B
  double distance;          // [m]
  uint64_t feature;  // which features of A and B met; the same while they stay the same, unique
                     // within the manifold
} limpet_contact_point;

// Edges of two shapes by the numbers of their ends (convex_edges.c), ascending; the same one twice:
// none.
typedef struct limpet_edges {
  int a[2], b[2];
} limpet_edges;

// A face that carries the other shape, or the edges that are nearest to each other.
typedef struct limpet_rest {
  int face;            // its number (face.h); -1: none
  bool of_b;           // of the shape with the higher kind, else of the other
  limpet_edges edges;  // of the shape with the lower kind, and of the other
} limpet_rest;

// Any number of points: those that find no room in the struct lie in an arena.
typedef struct limpet_manifold {
  int count, room;
  limpet_contact_point *point;  // (room)
  limpet_arena *arena;          // where room grows; NULL: nowhere
  bool failed;                  // there was no memory, and points are missing
  limpet_rest rest;  // in: the face or edges of the last time; out: those of now. The points do not
                     // depend on it
  limpet_contact_point first[LIMPET_MANIFOLD_ROOM];
} limpet_manifold;

// Before use, once; limpet_shape_contact does it for a manifold without an arena.
void limpet_manifold_create(limpet_manifold *manifold, limpet_arena *arena);
// More room, and the next point.
limpet_contact_point *limpet_manifold_grow(limpet_manifold *manifold);
// Exchanges the roles of A and B.
void limpet_manifold_swap(limpet_manifold *manifold);
// The next point, to be filled.
static inline limpet_contact_point *limpet_manifold_append(limpet_manifold *manifold) {
  return manifold->count < manifold->room ? &manifold->point[manifold->count++]
                                          : limpet_manifold_grow(manifold);
}

/* Fills `manifold` with the points of A and B that are closer than `margin` (>= 0)  [m]. */
typedef void limpet_pair_function(limpet_manifold *manifold, const limpet_shape *a,
                                  const limpet_shape *b, double margin);

typedef struct limpet_shape_pair {
  limpet_shape_kind a, b;          // a <= b
  limpet_pair_function *manifold;  // all contact points
  // one point, where Drake puts it; NULL: the deepest of the manifold
  limpet_pair_function *single;
  const char *text;  // one sentence: method and number of points
  const char *reference;
} limpet_shape_pair;

// (LIMPET_SHAPE_COUNT x LIMPET_SHAPE_COUNT) by kinds; NULL: the two never touch (plane with plane,
// cloud with cloud).
extern const limpet_shape_pair
    *const limpet_shape_pair_table[LIMPET_SHAPE_COUNT][LIMPET_SHAPE_COUNT];

/* The points of A and B, into a manifold that was created. Dispatch by kinds in either order.
 * `single`: only the deepest point (ties: the lowest feature), or what the pair's own function for
 * one point gives: for a half space the centre of what lies flat on it. */
void limpet_shape_contacts(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                           double margin, bool single);
// The same for a manifold that need not be created, of LIMPET_MANIFOLD_ROOM points at most.
void limpet_shape_contact(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                          double margin, bool single);

/* Signed distance of two convex shapes, planes excluded, with witness points; by GJK where they are
 * apart and EPA where they overlap. Exact to 1e-9 of the shapes' size for polyhedra. The normal is
 * from A to B. */
double limpet_convex_distance(const limpet_shape *a, const limpet_shape *b, double on_a[3],
                              double on_b[3], double normal[3]);

#endif
