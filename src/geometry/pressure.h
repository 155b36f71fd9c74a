/* geometry/pressure.h: what a pressure field is inside.
 *
 * A field is up to three things. Cells: convex polyhedra with a linear pressure p = gradient.x +
 * offset, bounded by planes and by p >= 0 (the cells of a box or a hull have no outer plane, so
 * that they continue outside). Faces: convex polygons of a rigid boundary. A shape: the closed form
 * of a primitive. Both cells and faces have a tree of boxes. All in the frame of the field. */
#ifndef LIMPET_GEOMETRY_PRESSURE_H
#define LIMPET_GEOMETRY_PRESSURE_H

#include "geometry/item_tree.h"
#include "limpet/pressure.h"

typedef struct limpet_pressure_cell {
  double gradient[3], offset;    // [Pa/m], [Pa]
  int plane_begin, plane_count;  // into plane: inside is a.x + b >= 0
  double low[3], high[3];        // [m]  box of the part with p >= 0
  int piece;                     // the smooth piece it belongs to
} limpet_pressure_cell;

struct limpet_pressure_field {
  limpet_pressure_info info;
  bool rigid;
  limpet_shape_kind kind;  // LIMPET_SHAPE_COUNT: tetrahedra or triangles
  double size[3];          // [m]  of a primitive
  double modulus;          // [Pa]  rigid: 1, so that the closed form tells inside from outside
  double depth;            // [m]  inner radius
  double centre[3];        // [m]  of a hull's volume
  double spread;           // [-]  a box of a cell grows by this times the reach
  int cell_count, plane_count, vertex_count, face_count, corner_count;
  limpet_pressure_cell *cell;  // (cell_count)
  double *plane;               // (plane_count x 4)
  double *vertices;            // (vertex_count x 3)  [m]  of tetrahedra
  double *pressure;            // (vertex_count)  [Pa]
  int *tetrahedra;             // (cell_count x 4)  NULL: cells are none
  double *quad;                // (cell_count x 4 x 4)  x, y, z, pressure of their vertices
  int *face_begin;             // (face_count + 1)  into corner
  double *corner;              // (corner_count x 3)  [m]
  double *face_normal;         // (face_count x 3)  outward
  limpet_item_tree tree;       // over cells, or over faces of a rigid field
};

// The tree of a field's cells, or of its faces.
limpet_status limpet_pressure_field_tree(limpet_pressure_field *field);

// Cells of a box, a hull, a half space; faces of a rigid box or hull.
limpet_status limpet_pressure_cells_box(limpet_pressure_field *field);
limpet_status limpet_pressure_cells_hull(limpet_pressure_field *field, const limpet_hull *hull,
                                         limpet_error *error);
limpet_status limpet_pressure_cells_half_space(limpet_pressure_field *field);

limpet_status limpet_pressure_material_check(const limpet_pressure_material *material,
                                             limpet_error *error);

/* [Pa/m]  Slope of both fields in series, each from its core to its boundary by the shortest way:
 * what a point's gradient is where its normal goes along both. Of the last query. */
double limpet_pressure_slope(const limpet_pressure_surface *surface);
// Whether one of the fields of the last query has tetrahedra.
bool limpet_pressure_is_meshed(const limpet_pressure_surface *surface);
/* Whether the last query found nothing that pushes, though the middle of one body lies in the
 * other: so deep that one field is above the other everywhere. */
bool limpet_pressure_is_swallowed(const limpet_pressure_surface *surface);

/* Closed form of a convex primitive, of a box or of a hull, continued outside: p [Pa], gradient
 * (3) [Pa/m] (may be NULL), and the number of the smooth piece that x lies in. */
double limpet_pressure_closed_form(const limpet_pressure_field *field, const double x[3],
                                   double gradient[3], int *piece);
/* A function of x that changes its sign where one smooth piece of a primitive, a box or a hull
 * meets another one; NAN: they do not meet. */
double limpet_pressure_piece_gap(const limpet_pressure_field *field, const double x[3], int piece,
                                 int other);
/* How far x, in a piece, is from any other one: the least size of such functions, 0 where pieces
 * meet. INFINITY: there is one piece. */
double limpet_pressure_piece_margin(const limpet_pressure_field *field, const double x[3],
                                    int piece);
// Tetrahedron that holds x (the lowest number of several), -1: none. `hint`: tried first, or -1.
int limpet_pressure_locate(const limpet_pressure_field *field, const double x[3], int hint);

#endif
