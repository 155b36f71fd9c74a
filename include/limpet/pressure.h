/* limpet/pressure.h: pressure fields of shapes and the contact surfaces of two of them. Floor 2.
 *
 * A compliant body carries a pressure field p(x) [Pa]: modulus E in its core, 0 on its boundary,
 * negative outside. Two bodies touch where both fields are positive. Their contact surface is
 * {p_A = p_B >= 0}; of a compliant and a rigid body it is the part of the rigid boundary inside
 * the compliant one. The traction on B is p n, n from A into B.
 *
 * Fields, in the frame of the shape (d: its inner radius, where p = E):
 *   sphere R       E (1 - |x|/R)               ellipsoid S   E (1 - |x/S|)
 *   box h          E min_i(h_i - |x_i|)/d      capsule R     E (1 - distance to the axis/R)
 *   cylinder R, l  E min(R - r, l - |z|)/d     half space    -E z/d, d the slab thickness
 *   hull           E (1 - gauge about its centre of volume), linear on each (face, centre) cell
 *   tetrahedra     linear on each; at a vertex E dist/max(dist), dist [m] from the boundary
 *
 * A surface is handed out as points, each with its share of the area. Their sums equal the
 * integrals of force and moment: for linear fields to round-off, for curved fields to the
 * tolerance that is asked for. Theory: docs/theory/pressure-fields.md. */
#ifndef LIMPET_PRESSURE_H
#define LIMPET_PRESSURE_H

#include "limpet/distance.h"

#ifdef __cplusplus
extern "C" {
#endif

// --------------------------------------------------------------------------- fields

typedef struct limpet_pressure_field limpet_pressure_field;  // immutable; any number of threads

// Relative depth at a point x [m]: 1 in the core, 0 on the boundary, negative outside.
typedef double limpet_pressure_function(void *context, const double x[3]);
// Told what share [-] of a field is made; false ends it.
typedef bool limpet_pressure_progress(void *context, double share);

// How a shape becomes a field. limpet_pressure_material_default() fills it.
typedef struct limpet_pressure_material {
  double modulus;         // [Pa]  pressure in the core; INFINITY: rigid, the boundary alone counts
  double slab_thickness;  // [m]  half space: depth where p = modulus
  double margin;          // [m]  tetrahedra: thickness of a layer outside in which p < 0
  double size;            // [m]  edge of tetrahedra that the library makes; 0: it chooses
  // field of tetrahedra that the library makes; NULL: by the distance from the boundary
  limpet_pressure_function *function;
  void *context;
  // told the share [-] of the way while tetrahedra are made, which false ends with
  // LIMPET_ERROR_STATE; NULL: nobody
  limpet_pressure_progress *progress;
  void *progress_context;
} limpet_pressure_material;

LIMPET_API limpet_pressure_material limpet_pressure_material_default(void);  // 1e7 Pa, 0.1 m, ...

/* Field of a primitive in closed form, or of a hull (LIMPET_SHAPE_MESH, `hull` not NULL) by its
 * gauge. size (3)  [m]  as limpet_shape_kind says. Errors: sizes or modulus not positive, shapes of
 * points, flat hulls. */
LIMPET_API limpet_pressure_field *limpet_pressure_field_of_shape(
    limpet_shape_kind kind, const double size[3], const limpet_hull *hull,
    const limpet_pressure_material *material, limpet_error *error);

/* Field of tetrahedra as given; their order of vertices may be either. The boundary is what no two
 * tetrahedra share. depth (vertex_count)  [-]: pressure at the vertices as a share of the modulus;
 *   NULL: by the distance rule. Tetrahedra whose four vertices lie on the boundary would be dead
 * (zero pressure): they are split at their centroid and counted.
 * Errors name the tetrahedron: without volume, index out of range, overlapping neighbours; parts
 * that overlap; a pressure that is positive nowhere. */
LIMPET_API limpet_pressure_field *limpet_pressure_field_of_tetrahedra(
    const double *vertices, int vertex_count, const int *tetrahedra, int tetrahedron_count,
    const double *depth, const limpet_pressure_material *material, limpet_error *error);

/* Field of a closed triangle mesh, convex or not. Compliant: the library fills it with tetrahedra
 * of edge `material->size` that have vertices inside. Rigid: its triangles alone. Errors give
 * numbers: open edges, inside-out, crossing faces, a part in another that is no hollow, no area,
 * thinner than the mesh can fill. */
LIMPET_API limpet_pressure_field *limpet_pressure_field_of_triangles(
    const double *vertices, int vertex_count, const int *faces, int face_count,
    const limpet_pressure_material *material, limpet_error *error);

LIMPET_API void limpet_pressure_field_destroy(limpet_pressure_field *field);

typedef struct limpet_pressure_info {
  bool rigid;
  bool exact;             // closed form, no mesh
  int elements;           // linear cells: tetrahedra, pyramids of a box or hull; triangles if rigid
  int vertices;           // of tetrahedra
  int dead;               // tetrahedra as given whose field would vanish, split
  int thin;               // tetrahedra with an angle between faces below 1 degree
  int flat;               // triangles without area, left out
  double given_most;      // [-]  largest pressure over modulus given at vertices; 0: none was given
  double given_rim;       // [-]  largest of them on the boundary, where it should be 0
  double modulus;         // [Pa]
  double volume;          // [m^3]  INFINITY: half space
  double depth;           // [m]  inner radius: largest distance of an inner point from the boundary
  double gradient_least;  // [Pa/m]
  double gradient_most;   // [Pa/m]
  double low[3], high[3];  // [m]  box around it, in its frame
} limpet_pressure_info;

LIMPET_API limpet_pressure_info limpet_pressure_field_info(const limpet_pressure_field *field);

/* Pressure [Pa] at x [m] in the frame of the field, and its gradient [Pa/m] (NULL: not wanted).
 * Outside: negative, as far as the field goes; then -INFINITY and no gradient. Not for rigid
 * ones. */
LIMPET_API double limpet_pressure_field_value(const limpet_pressure_field *field, const double x[3],
                                              double gradient[3]);

// --------------------------------------------------------------------------- contact surfaces

// A field in a pose; all pointers are borrowed.
typedef struct limpet_pressure_body {
  const limpet_pressure_field *field;
  const double *position;  // (3)  [m]  in the common frame W
  const double *rotation;  // (9)  row-major, axes of the field to those of W
} limpet_pressure_body;

typedef enum limpet_pressure_points {
  // one for a small polygon (below 1/64 of the area), three for others, and more for large ones
  LIMPET_PRESSURE_POINTS_BY_SIZE,
  // three and more: sums equal the integrals of force, moment and stiffness to round-off
  LIMPET_PRESSURE_POINTS_EXACT,
  LIMPET_PRESSURE_POINTS_CENTROID  // one for each polygon, at its centroid, as Drake
} limpet_pressure_points;

// What is asked. limpet_pressure_query_default() fills it.
typedef struct limpet_pressure_query {
  /* [-]  relative error of force and area that is gone for, where a field is curved. Above 1e-4 it
   * ends after a few halvings, so that steps have a bounded cost: limpet_pressure_surface.error
   * tells what came out, which may be more. */
  double tolerance;
  double reach;  // [m]  points with -gradient * reach <= p < 0 come too: before bodies touch
  limpet_pressure_points points;
  bool polygons;     // outlines of the points of curved surfaces; linear ones always have polygons
  bool face_filter;  // drop faces more than 112.5 degrees from a gradient, as Drake
  /* A number of this pair of bodies: which cells may meet is kept for its next query. 0: nothing is
   * kept. Results do not depend on it. */
  uint64_t pair;
} limpet_pressure_query;

LIMPET_API limpet_pressure_query limpet_pressure_query_default(void);  // 1e-3, 0, by size

typedef struct limpet_pressure_point {
  double position[3];        // [m, W]
  double normal[3];          // [-, W]  unit, from A to B
  double area;               // [m^2]  its share
  double pressure;           // [Pa]  p0; negative: the bodies do not touch there yet
  double gradient_a;         // [Pa/m]  -grad p_A . n >= 0; INFINITY: A is rigid
  double gradient_b;         // [Pa/m]  grad p_B . n >= 0; INFINITY: B is rigid
  double gradient;           // [Pa/m]  1/(1/gradient_a + 1/gradient_b); 0: no stiffness along n
  uint64_t feature;          // which cells meet there; stays while they do
  int element_a, element_b;  // cells of the fields, faces of rigid ones; -1: curved, or none
} limpet_pressure_point;

/* A contact surface: results of the last query, and the room for the next one. Arrays grow and are
 * kept, so that steady queries allocate nothing. Integrals count p >= 0 alone. */
typedef struct limpet_pressure_surface {
  int point_count;
  limpet_pressure_point *point;  // (point_count)
  int polygon_count;             // 0 unless asked for
  int *polygon_begin;            // (polygon_count + 1)  into vertex; polygon k belongs to:
  int *polygon_point;            // (polygon_count)  its first point
  double *vertex;                // (polygon_begin[polygon_count] x 3)  [m, W]
  double *vertex_pressure;       // (polygon_begin[polygon_count])  [Pa]
  double area;                   // [m^2]
  double force[3];               // [N, W]  on B: integral of p n dA
  double moment[3];              // [N m, W]  on B about the origin of W
  double centroid[3];            // [m, W]  of the area; 0 where there is none
  double centre_of_pressure[3];  // [m, W]  0 where there is none
  double pressure_integral;      // [N]  integral of p dA
  double pressure_most;          // [Pa]  at a point
  double error;                  // [-]  estimate for force and area, relative; 0: round-off
  int dropped;                   // faces without stiffness along their normal, or filtered
  int growth_count;              // times that an array grew
  struct limpet_pressure_workspace *workspace;
} limpet_pressure_surface;

LIMPET_API limpet_pressure_surface *limpet_pressure_surface_create(limpet_error *error);
LIMPET_API void limpet_pressure_surface_destroy(limpet_pressure_surface *surface);

/* The contact surface of A and B. Every pair but rigid with rigid (an assertion). Deterministic.
 * LIMPET_OK, or LIMPET_ERROR_MEMORY: the surface is then empty. */
LIMPET_API limpet_status limpet_pressure_surface_compute(limpet_pressure_surface *surface,
                                                         const limpet_pressure_body *a,
                                                         const limpet_pressure_body *b,
                                                         const limpet_pressure_query *query);

#ifdef __cplusplus
}
#endif
#endif
