/* geometry/surface.h: a closed triangle mesh with what its signed distance needs: normals of faces,
 * edges and vertices, and a tree of boxes over the faces. */
#ifndef LIMPET_GEOMETRY_SURFACE_H
#define LIMPET_GEOMETRY_SURFACE_H

#include "limpet/distance.h"

enum {
  LIMPET_SURFACE_LEAF = 4,    // faces
  LIMPET_SURFACE_DEPTH = 64,  // of the tree: more than any number of faces needs
  LIMPET_SURFACE_FLAT = 127   // doubt of a face without area
};

// Inner node: its first child follows it, `next` is the second. Leaf: count > 0 faces from `next`
// on.
typedef struct limpet_surface_node {
  double low[3], high[3];  // [m]  box of all faces below
  int next, count;
} limpet_surface_node;

struct limpet_surface {
  int vertex_count, face_count, node_count;
  double *vertices;     // (vertex_count x 3)  [m]  all different
  int *faces;           // (face_count x 3)  in the order of the leaves
  double *face_normal;  // (face_count x 3)  unit; zero: the face has no area
  double *edge_normal;  // (face_count x 3 x 3)  of the edge behind each corner: sum of the normals
                        // of its two faces
  double *vertex_normal;  // (vertex_count x 3)  sum of face normals, weighted by their angles there
  unsigned char *doubt;   // (face_count)  bit k: edge k, bit 3 + k: corner k, bit 6: face: its
                          // normal does not decide the sign
  limpet_surface_node *node;
};

// Signed distance of c and its gradient (unit).
double limpet_surface_distance(double gradient[3], const limpet_surface *surface,
                               const double c[3]);

/* How often the surface winds around c: 1 inside, 0 outside of a closed surface; from the solid
 * angles of all faces. */
double limpet_surface_winding(const limpet_surface *surface, const double c[3]);

// Orders the faces and fills the nodes. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_surface_tree_build(limpet_surface *surface);

#endif
