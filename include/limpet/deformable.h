/* limpet/deformable.h: describing a deformable body to the builder of model.h. Floor 3. */
#ifndef LIMPET_DEFORMABLE_H
#define LIMPET_DEFORMABLE_H

#include "limpet/fem.h"
#include "limpet/material.h"

#ifdef __cplusplus
extern "C" {
#endif

// Vertices of a deformable body that move with a rigid body; the world: they are clamped.
typedef struct limpet_tie {
  int body;                // body handle
  int vertex_count;        // 0: those within the box
  const int *vertices;     // (vertex_count)  of the description's mesh
  double low[3], high[3];  // [m]  of the box, in the frame of the mesh, after scale; edges included
} limpet_tie;

/* A deformable body of linear or quadratic tetrahedra, given as such or as a closed surface that is
 * filled; or a shell of triangles, or a rope of segments. Its surface is a geom of kind
 * LIMPET_SHAPE_SOFT of the world body, which the builder adds and which bears its name, contact
 * material and filters. Theory: docs/theory/fem.md; users: docs/deformable-bodies.md. */
typedef struct limpet_deformable_description {
  const char *name;
  const char *file;  // for messages and records; may be NULL
  int vertex_count, tetrahedron_count, face_count;
  const double *vertices;  // (vertex_count x 3)  [m before scale]  at rest
  const int *tetrahedra;   // (tetrahedron_count x 4)  none: the surface `faces` is filled
  const int *faces;  // (face_count x 3)  counter-clockwise from outside; with tetrahedra unused
  bool shell;        // faces are a shell with a thickness; they need not be closed; false
  int segment_count;
  const int *segments;  // (segment_count x 2)  a rope, besides the faces of a shell or alone
  double scale[3];      // [-]  1
  int body;             // whose frame the pose is in, at the reference pose; 0: world
  double position[3], quaternion[4];  // [m, -]  of the mesh
  double fill_size;                   // [m]  edge of the tetrahedra that fill; 0: automatic
  limpet_fem_element element;
  const limpet_elastic_law *law;  // NULL: linear-corotated
  double youngs_modulus;          // [Pa]  1e6
  double poissons_ratio;          // [-]  0.4
  double density;                 // [kg/m^3]  1000
  double mass_damping;            // [1/s]  0
  double stiffness_damping;       // [s]  0
  // shells and ropes: as limpet_fem_description
  double thickness;                     // [m]  1e-3
  bool membrane, bending;               // true
  double edge_stiffness, edge_damping;  // [N/m], [N s/m]  0
  limpet_fem_gas gas;
  bool gravity;              // has weight; true
  bool self_contact;         // its surface meets itself; false
  double surface_stiffness;  // [Pa/m]  of its skin, where it meets pressure fields; 1e8
  // contact: as limpet_geom_description
  limpet_material material;
  unsigned contype, conaffinity;  // 1, 1
  int condim;                     // 3
  int priority;                   // 0
  double margin;                  // [m]  0
  int group;                      // 0
  float rgba[4];
  int tie_count;
  const limpet_tie *ties;  // (tie_count)
  int geom;                // handle of its geom: filled by the builder
  limpet_place place;
} limpet_deformable_description;

LIMPET_API limpet_deformable_description limpet_deformable_description_default(void);

#ifdef __cplusplus
}
#endif
#endif
