/* fem/body.h: what a deformable body knows: elements in batches of four, and the pattern of its
 * matrix.
 *
 * k nodes and Q points for each element: 4 and 1 (linear), 10 and 4 (quadratic). Nodes of an
 * element are stored in ascending order, so that the block of the pair a < b lies in the lower
 * triangle. The last batch is filled up with copies of the last element that have no weight. */
#ifndef LIMPET_FEM_BODY_H
#define LIMPET_FEM_BODY_H

#include "base/arena.h"
#include "fem/elastic_law.h"
#include "fem/gas.h"
#include "fem/thin.h"

enum { LIMPET_FEM_LANES = 4 };  // elements of a batch

struct limpet_fem_body {
  limpet_fem_body_info info;
  limpet_elastic_constants constants;  // of the law
  limpet_elastic_constants lame;       // of E and nu: stiffness at rest
  limpet_fem_damping damping;
  limpet_arena arena;

  // elements
  int element_nodes, element_points;  // k, Q
  int batch_count;
  double *rest;           // (node_count x 3)  [m]
  int *tetrahedra;        // (tetrahedron_count x 4)  vertices, positive volume
  int *element_node;      // (tetrahedron_count x k)  ascending
  int *faces;             // (face_count x 3)
  int *face_tetrahedron;  // (face_count)
  int *piece;  // (tetrahedron_count)  towards the first one of those joined through faces
  unsigned char *exact_mass;  // (tetrahedron_count)  see body_inertia.c
  int *node;                  // (batch_count x k x 4)
  double *gradient;           // (batch_count x Q x k x 3 x 4)  [1/m]
  double *weight;             // (batch_count x Q x 4)  [m^3]

  // shells and ropes
  int *segments;  // (segment_count x 2)
  limpet_fem_thin thin;
  limpet_fem_gas_body gas;

  // lower blocks of the matrix, by rows, columns ascending: the diagonal comes last in its row
  int block_count;
  int *row_begin;     // (node_count + 1)
  int *column;        // (block_count)
  double *mass;       // (block_count)  [kg]  M, times the 3 x 3 identity
  double *node_mass;  // (node_count)  [kg]  row sums of M
  int *place;         // (batch_count x k (k + 1)/2 x 4)  block of the pair (b, a <= b)
  int *order;         // (node_count)  of elimination (body_order.c); NULL: minimum degree
};

/* Parts of limpet_fem_body_state (state.c), [J]: kinetic energy, that of weight, and of the
 * elements elastic energy, volume, inverted ones and pressure alone, with their stress as
 * limpet_fem_body_stress finds it, or NULL. */
double limpet_fem_body_kinetic(const limpet_fem_body *body, const double *v);
double limpet_fem_body_weight_energy(const limpet_fem_body *body, const double *q,
                                     const double gravity[3]);
limpet_fem_state limpet_fem_body_strained(const limpet_fem_body *body, const double *q,
                                          double *von_mises);

// Elements and their surface (body_mesh.c), checked (body_check.c), the pattern
// (body_pattern.c), and its order (body_order.c). `body->info` and `rest` are filled; memory comes
// from the arena.
limpet_status limpet_fem_body_check(const limpet_fem_description *description, limpet_error *error);
// Of tetrahedra: that those whose faces lie in one place have the vertices there in common.
limpet_status limpet_fem_body_check_joined(const limpet_fem_description *description,
                                           limpet_error *error);
limpet_status limpet_fem_body_mesh(limpet_fem_body *body, const limpet_fem_description *description,
                                   limpet_error *error);
// Which pieces, of body->piece, need the exact mass (body_inertia.c).
limpet_status limpet_fem_body_inertia(limpet_fem_body *body);
limpet_status limpet_fem_body_elements(limpet_fem_body *body);
limpet_status limpet_fem_body_pattern(limpet_fem_body *body);
limpet_status limpet_fem_body_order(limpet_fem_body *body);
// Its matrix for a factorisation: rows of each node's block, and all pairs of nodes (block_count).
void limpet_fem_body_blocks(const limpet_fem_body *body, int *size, int *pairs);
/* Shells and ropes in their place (body_thin.c): surface, elements and masses of the nodes; and,
 * after the pattern, masses on its diagonal. */
limpet_status limpet_fem_body_thin(limpet_fem_body *body, const limpet_fem_description *description,
                                   limpet_error *error);
void limpet_fem_body_thin_masses(limpet_fem_body *body);

#endif
