/* limpet/geometry.h: shapes and meshes. Floor 2. */
#ifndef LIMPET_GEOMETRY_H
#define LIMPET_GEOMETRY_H

#include "limpet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum limpet_shape_kind {
  LIMPET_SHAPE_PLANE,    // half space z < 0, outward normal +z; size: half x, y, drawn; 0 = endless
  LIMPET_SHAPE_SPHERE,   // size: radius
  LIMPET_SHAPE_CAPSULE,  // size: radius, half length of the straight part; along z
  LIMPET_SHAPE_ELLIPSOID,  // size: semi-axes
  LIMPET_SHAPE_CYLINDER,   // size: radius, half length; along z
  LIMPET_SHAPE_BOX,        // size: half lengths
  LIMPET_SHAPE_MESH,       // the convex hull of a mesh
  LIMPET_SHAPE_CLOUD,      // the points of a cloud, or balls around them
  LIMPET_SHAPE_SOFT,       // the surface of a deformable body: model->deformable_*
  LIMPET_SHAPE_COUNT
} limpet_shape_kind;

LIMPET_API const char *limpet_shape_kind_word(limpet_shape_kind kind);  // "plane", "sphere", ...

typedef enum limpet_mesh_inertia {
  LIMPET_MESH_INERTIA_LEGACY,  // absolute volumes from the origin (MuJoCo's old default)
  LIMPET_MESH_INERTIA_EXACT,   // signed volumes; the mesh must be closed
  LIMPET_MESH_INERTIA_CONVEX,  // of the convex hull
  LIMPET_MESH_INERTIA_SHELL    // mass spread over the surface
} limpet_mesh_inertia;

enum { LIMPET_HULL_DIRECTIONS = 96 };

/* Convex hull of a mesh, in the frame of the geoms that use it (the mesh's inertial frame). Faces
 * are planar polygons, counter-clockwise seen from outside; coplanar triangles are merged. */
typedef struct limpet_hull {
  int vertex_count, face_count, edge_count;
  const double *vertices;  // (vertex_count x 3)  [m]
  // (3 x count up to a multiple of 4)  [m]  the same: all x, y, z, padded with the first vertex
  const double *vertices_soa;
  const int *face_begin;     // (face_count + 1)  into face_vertex
  const int *face_vertex;    // vertex indices
  const double *face_plane;  // (face_count x 4)  [-, m]  outward unit normal n, offset n.x
  // (vertex_count + 1)  into neighbour: vertices joined by an edge, of faces or inside one
  const int *neighbour_begin;
  const int *neighbour;
  const int *edge;               // (edge_count x 4)  vertex a, vertex b, face left, face right
  const int *vertex_face_begin;  // (vertex_count + 1)  into vertex_face: faces around a vertex
  const int *vertex_face;
  // (LIMPET_HULL_DIRECTIONS)  a vertex far along each of the directions of a cube's 6 x 4 x 4 cells
  const int *start;
  double centre[3];  // [m]  a point inside
  double radius;     // [m]  of the ball about the origin that holds it
} limpet_hull;

/* Heights over a rectangle, in a frame of their own: x over the columns, y over the rows, z up.
 * Each cell is two triangles that meet along the diagonal from (row, column) to (row + 1, column +
 * 1), and everything below them down to -base. */
typedef struct limpet_height_field {
  int rows, columns;     // 2 at least
  double half[2];        // [m]  half lengths along x, y
  double base;           // [m]  > 0: thickness below the height 0
  const double *height;  // (rows x columns)  [m]  0 or more; the first row lies at -half[1]
  double highest;        // [m]  of them
  double position[3];    // [m]  of the frame in the mesh's inertial frame
  double rotation[9];    // to the axes of the inertial frame
} limpet_height_field;

typedef struct limpet_item_tree limpet_item_tree;

typedef struct limpet_mesh {
  const char *name, *file;
  int vertex_count, face_count;
  const double *vertices;  // (vertex_count x 3)  [m]  in the mesh's inertial frame
  const int *faces;        // (face_count x 3)
  int tetrahedron_count;   // of a volume mesh; 0: none
  const int *tetrahedra;   // (tetrahedron_count x 4)  of positive volume
  const double *field;     // (vertex_count)  [-]  pressure over modulus; NULL: not given
  // (face_count x 3 x 2)  [-]  of each corner, for pictures: u to the right, v up; NULL: none
  const float *texture_coordinates;
  const double *tangents;  // (vertex_count x 2 x 3)  [-]  along which a skin feels; NULL: none
  bool concave;            // pressure fields take the faces, not the hull
  double position[3], quaternion[4];  // inertial frame in the frame of the file, after scale
  double volume;                      // [m^3]  (shell: area [m^2])
  double box[3];                      // [m]  half lengths of the equivalent inertia box
  double aabb[6];           // [m]  centre, half lengths of the bounding box in the inertial frame
  const limpet_hull *hull;  // NULL: no geom collides with it
  // the mesh is that of a height field, cell by cell in contact; NULL: contact is with the hull
  const limpet_height_field *heights;
  const limpet_item_tree *face_tree;  // search tree of the faces; NULL: no ray looks at them
} limpet_mesh;

enum {
  LIMPET_CLOUD_POINTS = 32,   // contact points of a cloud with one geom, where nothing else is set
  LIMPET_CLOUD_CONTACTS = 64  // most of them that can be set
};

typedef struct limpet_cloud_tree limpet_cloud_tree;

// Points in the frame of the geoms that use them.
typedef struct limpet_cloud {
  const char *name, *file;
  int point_count;
  int contact_points;             // most contact points with one geom, 1 to LIMPET_CLOUD_CONTACTS
  double point_radius;            // [m]  of the ball around each point
  const double *points;           // (point_count x 3)  [m]
  double aabb[6];                 // [m]  centre, half lengths of the bounding box, balls included
  double radius;                  // [m]  of the sphere about the origin that holds all balls
  double centroid[3];             // [m]  mean of the points: the centre of mass of equal balls
  double inertia[9];              // [m^2]  of equal balls about the centroid, of unit mass together
  const limpet_cloud_tree *tree;  // search tree
} limpet_cloud;

// The table of shape pairs, for `limpet list shapes`: name "box box", what makes its contact
// points; ended by a NULL name.
LIMPET_API const limpet_descriptor *limpet_shape_pairs(void);

#ifdef __cplusplus
}
#endif
#endif
