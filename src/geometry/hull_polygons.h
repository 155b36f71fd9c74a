/* geometry/hull_polygons.h: convex hull of points as a closed surface of planar polygons, the raw
 * form of a limpet_hull. */
#ifndef LIMPET_GEOMETRY_HULL_POLYGONS_H
#define LIMPET_GEOMETRY_HULL_POLYGONS_H

#include "limpet/geometry.h"

/* Faces are loops of corners, counter-clockwise seen from outside. Corner c starts the half edge
 * from its vertex to that of the next corner of the face; twin[c] is the opposite half edge. Arrays
 * by malloc. */
typedef struct limpet_polygons {
  int vertex_count, face_count;
  double *vertices;    // (vertex_count x 3)  [m]
  int *vertex_point;   // (vertex_count)  index of the point that qhull was given
  int *face_begin;     // (face_count + 1)  into the corners
  int *corner_vertex;  // (corners)
  int *corner_face;    // (corners)
  int *twin;           // (corners)
  int edge_count;
  int *edges;  // (edge_count x 2)  vertices of the edges that the hull had before facets were
               // merged; NULL straight from qhull
} limpet_polygons;

/* Hull of points with coplanar facets merged. vertex_limit < 0: none. On failure nothing is
 * kept. */
limpet_status limpet_polygons_create(limpet_polygons *polygons, const double *points, int count,
                                     int vertex_limit, limpet_error *error);
/* The facets as qhull gives them: mostly triangles; only vertices of the hull are kept. twin and
 * corner_face are filled. */
limpet_status limpet_polygons_qhull(limpet_polygons *polygons, const double *points, int count,
                                    int vertex_limit, limpet_error *error);
void limpet_polygons_free(limpet_polygons *polygons);

/* Fills corner_face and twin from the faces. LIMPET_ERROR_INPUT if they are not a closed,
 * consistently oriented surface, LIMPET_ERROR_MEMORY without memory. */
limpet_status limpet_polygons_join(limpet_polygons *polygons);

#endif
