/* geometry/convex.h: the Minkowski difference of two shapes and its distance from the origin, for
 * GJK and EPA.
 *
 * A shape is a core and a radius of rounding: sphere = point, capsule = segment, ellipsoid = one
 * that is worn off by its least radius of curvature, all others are their own core with radius 0.
 * The support function of a rounded set is that of its core plus the radius, so depth and distance
 * of the cores give those of the shapes:
 *   distance(A, B) = distance(core A, core B) - radius A - radius B,
 * and the curved parts of spheres and capsules cost neither accuracy nor iterations. All vectors
 * are in the axes of A about A's origin, so accuracy does not depend on where in the world the pair
 * is. */
#ifndef LIMPET_GEOMETRY_CONVEX_H
#define LIMPET_GEOMETRY_CONVEX_H

#include "geometry/pair.h"
#include "geometry/shape.h"

// Point of the core that is farthest along `direction`, both in the shape's own axes. Defined in
// shape.c by kind; NULL for planes and clouds.
typedef void limpet_core_support_function(double point[3], const limpet_shape *shape,
                                          const double direction[3]);
extern limpet_core_support_function *const limpet_core_support[LIMPET_SHAPE_COUNT];

// Radius of rounding: that of spheres, capsules and ellipsoids, 0 for all other kinds  [m].
double limpet_core_radius(const limpet_shape *shape);

// Whether the core has a curved side.
static inline bool limpet_core_is_curved(const limpet_shape *shape) {
  return shape->kind == LIMPET_SHAPE_ELLIPSOID || shape->kind == LIMPET_SHAPE_CYLINDER;
}

// Index of the hull's vertex that is farthest along `direction` (hull axes); ties go to the lowest
// index.
int limpet_hull_support(const limpet_hull *hull, const double direction[3]);
/* The same from a vertex that is thought to be near (LIMPET_NONE: not known); of ties it may give
 * another one. */
int limpet_hull_support_from(const limpet_hull *hull, const double direction[3], int vertex);

typedef struct limpet_minkowski {
  const limpet_shape *a, *b;
  double rotation[9];         // axes of B in those of A
  double offset[3];           // origin of B in A  [m]
  double radius_a, radius_b;  // [m]
} limpet_minkowski;

// A point w = a - b of the difference of the cores.
typedef struct limpet_minkowski_point {
  double w[3], a[3], b[3];  // [m]
  int vertex[2];            // of hulls; where the search for the next point may begin
} limpet_minkowski_point;

// Before the first search with it.
static inline limpet_minkowski_point limpet_minkowski_point_none(void) {
  return (limpet_minkowski_point){.vertex = {-1, -1}};
}

void limpet_minkowski_create(limpet_minkowski *pair, const limpet_shape *a, const limpet_shape *b);
// The point farthest along `direction`; `point` says from where hulls are searched.
void limpet_minkowski_support(limpet_minkowski_point *point, const limpet_minkowski *pair,
                              const double direction[3]);

typedef struct limpet_simplex {
  int count;  // 1..4
  limpet_minkowski_point point[4];
  double weight[4];  // of the point that is closest to the origin
} limpet_simplex;

typedef enum limpet_gjk_outcome {
  LIMPET_GJK_BEYOND,  // farther apart than the limit
  LIMPET_GJK_APART,   // closest point found
  LIMPET_GJK_OVERLAP  // the cores overlap, or touch to round-off
} limpet_gjk_outcome;

/* Distance of the cores. `v` is the point of the difference that is closest to the origin, |v| the
 * distance; the search ends
 * early when the distance is known to exceed `limit`  [m]. */
limpet_gjk_outcome limpet_gjk(double v[3], limpet_simplex *simplex, const limpet_minkowski *pair,
                              double limit);
// The same from a direction v, not zero, that is near that of the answer.
limpet_gjk_outcome limpet_gjk_along(double v[3], limpet_simplex *simplex,
                                    const limpet_minkowski *pair, double limit);
// The same to a millionth of the distance, and the direction of v to 1.4e-3 rad.
limpet_gjk_outcome limpet_gjk_roughly(double v[3], limpet_simplex *simplex,
                                      const limpet_minkowski *pair, double limit);
// The same from a simplex that is at hand: 1..4 points of the difference, the nearer to the answer
// the better.
limpet_gjk_outcome limpet_gjk_continue(double v[3], limpet_simplex *simplex,
                                       const limpet_minkowski *pair, double limit);

/* Depth of overlapping cores: the least distance from the origin to the boundary of the difference,
 * along the unit `normal` (from A to B). Starts from the simplex that GJK ended with. The witness
 * points satisfy a - b = depth * normal. */
double limpet_epa(double normal[3], double a[3], double b[3], const limpet_minkowski *pair,
                  const limpet_simplex *simplex);

/* Lowers a depth from nearly the least (EPA's, of curved cores) to the least, and finds its witness
 * points. `simplex`:
 * points of the difference near its boundary there, overwritten; `size` is the scale of the
 *   tolerances  [m]. normal, a and b as limpet_epa has them, in and out. */
double limpet_depth_refine(double normal[3], double a[3], double b[3], const limpet_minkowski *pair,
                           limpet_simplex *simplex, double depth, double size);

// A depth that a search need not find again.
typedef struct limpet_known_depth {
  double depth;      // [m]
  double normal[3];  // of A to B; 0: it is no least depth of Newton's method
} limpet_known_depth;

/* The depth by Newton's method from a normal near that of the least, of cores that are none of
 * hulls. False: it found none, or none lower than what is known (NULL: nothing). normal in and out,
 * a and b out as limpet_epa has them. A least depth among those nearby, which need not be the least
 * of all. */
bool limpet_depth_newton(double normal[3], double a[3], double b[3], double *depth,
                         const limpet_minkowski *pair, double size,
                         const limpet_known_depth *known);
/* The same for a hull with another core, where all points of a simplex near the answer have one
 * vertex or one edge of the hull. */
bool limpet_depth_newton_hull(double normal[3], double a[3], double b[3], double *depth,
                              const limpet_minkowski *pair, const limpet_simplex *corners,
                              double size);
/* The same to round-off, from a normal and a depth that are nearly so: of cores that are apart,
 * too, whose depth is minus their distance. False: nothing is changed, as at a cylinder's cap. */
bool limpet_depth_newton_settle(double normal[3], double a[3], double b[3], double *depth,
                                const limpet_minkowski *pair, const limpet_simplex *corners,
                                double size);

// What the two together give for the shapes with their radii; in the axes of A.
typedef struct limpet_convex_result {
  double distance;          // [m]  negative inside
  double normal[3];         // unit, from A to B
  double on_a[3], on_b[3];  // [m]
  limpet_edges edges;       // where GJK ended, if it did on edges
} limpet_convex_result;

/* The edges of both cores that carry the point of the simplex that is closest to the origin, which
 * GJK ended with; none where it is not two corners of each. Of boxes, hulls, capsules only. */
void limpet_convex_edges_of(limpet_edges *edges, const limpet_minkowski *pair,
                            const limpet_simplex *simplex);
/* Distance and points where it is certain that these edges are nearest to each other: true, and the
 * result does not depend on how they were found. margin [m]: of the manifold. */
bool limpet_convex_edges(limpet_convex_result *result, const limpet_minkowski *pair,
                         const limpet_edges *edges, double margin);

/* Sets the witness points anew from normal and distance where a shape (sphere, ellipsoid) has only
 * one point that looks along the normal. */
void limpet_convex_witness(limpet_convex_result *result, const limpet_minkowski *pair);

// False: the shapes are farther apart than `limit` and the result is not filled.
bool limpet_convex_query(limpet_convex_result *result, const limpet_minkowski *pair, double limit);

#endif
