/* geometry/face.h: the flat or straight features of shapes that can meet in more than one point,
 * and the points in which two meet. */
#ifndef LIMPET_GEOMETRY_FACE_H
#define LIMPET_GEOMETRY_FACE_H

#include "geometry/convex.h"
#include "geometry/pair.h"

enum { LIMPET_FACE_CAPACITY = 32, LIMPET_CANDIDATE_CAPACITY = 2 * LIMPET_FACE_CAPACITY };

// A feature of a core: nothing flat (count 0), a segment (2) or a polygon, counter-clockwise seen
// from outside.
typedef struct limpet_face {
  int count;
  double point[LIMPET_FACE_CAPACITY][3];  // [m]
  int id[LIMPET_FACE_CAPACITY];  // of the vertices; an edge is called after the vertex where it
                                 // begins
  double normal[3];              // outward; polygons only
  int number;  // of the face of its shape: limpet_shape_face_numbered; -1: no flat face
} limpet_face;

/* The feature of the shape's core that meets whatever comes from the unit `direction`: the face
 * most nearly perpendicular to it among those that touch the support plane; caps of cylinders
 * become polygons, their sides and capsules segments. In the shape's own axes. */
void limpet_shape_face(limpet_face *face, const limpet_shape *shape, const double direction[3]);
void limpet_box_face(limpet_face *face, const double size[3], const double direction[3]);

/* A flat face by its number; false: there is no such face. Regular where it stands for a round
 * cap. */
bool limpet_shape_face_numbered(limpet_face *face, const limpet_shape *shape, int number);

// From the axes of B to those of A.
void limpet_face_turn(limpet_face *face, const limpet_minkowski *pair);

// Contact points before the best are chosen, all along one normal.
typedef struct limpet_candidates {
  int count;
  double on_a[LIMPET_CANDIDATE_CAPACITY][3], on_b[LIMPET_CANDIDATE_CAPACITY][3];  // [m]
  double distance[LIMPET_CANDIDATE_CAPACITY];                                     // [m]
  uint32_t feature[LIMPET_CANDIDATE_CAPACITY];
} limpet_candidates;

/* Fills `candidates` with the corners of what the two features have in common when they are
 * projected along the unit `normal` (from A to B), each with its points on A and B and its distance
 * along the normal; none if a feature is empty or they pass each other. */
void limpet_face_meet(limpet_candidates *candidates, const limpet_face *a, const limpet_face *b,
                      const double normal[3]);

/* Chooses `keep` of the candidates `index` (count > keep entries) and leaves them in the first
 * places, in their order: the first `fixed` of them, or with none the deepest; then again and again
 * the one that is farthest from all chosen ones. */
void limpet_manifold_thin(int *index, int count, const limpet_candidates *candidates, int fixed,
                          int keep);

/* Appends the candidates with distance < margin (or <= 0) to the manifold, eight at most: the
 * deepest and those that are spread widest. They are moved from the axes of the shape `frame` to
 * the common frame. */
void limpet_manifold_fill(limpet_manifold *manifold, const limpet_candidates *candidates,
                          const limpet_shape *frame, const double normal[3], double margin);

// Whether a point of that distance counts.
static inline bool limpet_within_margin(double distance, double margin) {
  return distance < margin || distance <= 0.0;
}

// Appends one point; everything in the common frame.
static inline void limpet_manifold_add(limpet_manifold *manifold, const double on_a[3],
                                       const double on_b[3], const double normal[3],
                                       double distance, uint64_t feature) {
  limpet_contact_point *point = limpet_manifold_append(manifold);
  for (int i = 0; i < 3; ++i)
    point->on_a[i] = on_a[i], point->on_b[i] = on_b[i], point->normal[i] = normal[i];
  point->distance = distance;
  point->feature = feature;
}

/* Contact of two shapes by their convex distance and the features that face each other; the
 * manifold function of every pair that has no special one. */
limpet_pair_function limpet_convex_contact;

/* The contact where a face of one shape carries the other, and it is certain that this is their
 * distance: true, and the manifold is the one that limpet_convex_contact gives. */
bool limpet_convex_rest(limpet_manifold *manifold, const limpet_minkowski *pair,
                        const limpet_rest *rest, double margin);
// Whether the face is the one that is found along its own normal: of nearly parallel ones not all.
bool limpet_convex_rest_own(const limpet_shape *shape, int face);

// The same for shapes whose normal and distance are already known (in the axes of A): builds the
// manifold.
void limpet_convex_manifold(limpet_manifold *manifold, const limpet_minkowski *pair,
                            const limpet_convex_result *result, double margin);
// Likewise, of pairs that need no face that carries: their query costs no more.
void limpet_convex_points(limpet_manifold *manifold, const limpet_minkowski *pair,
                          const limpet_convex_result *result, double margin);

#endif
