/* fem/thin.h: thin parts of a deformable body: triangles of a shell, their bending, and edges of
 * ropes and of cloth that edges hold.
 *
 *   triangle  Saint Venant-Kirchhoff in plane stress: with F (3 x 2) = sum x_a (x) g_a,
 *             E = (F'F - I)/2,  W = h A (mu E:E + l/2 tr(E)^2),  l = E nu/(1 - nu^2)
 *   bending   of a triangle and its neighbours, a sum of W = k/2 |sum w_a x_a - c n|^2, w of
 *             cotangents, n the normal at the start of the step, c rest: thin_bending.c
 *   edge      W = k/2 (|x_b - x_a| - L)^2, and a damper along it
 * A step takes forces as linear in the positions, f0 + K+ (x - x0), with K+ the positive
 * semidefinite part of their derivative at the start of the step: of a triangle that of strain and
 * of tension, of an edge that along it and of tension. Where that would give energy the step takes
 * forces as they are at its end: thin_follow.c.
 * Sources: Baraff, Witkin, Large steps in cloth simulation (1998); Bergou, Wardetzky, Harmon,
 * Zorin, Grinspun, A quadratic bending model for inextensible surfaces (2006). */
#ifndef LIMPET_FEM_THIN_H
#define LIMPET_FEM_THIN_H

#include "base/arena.h"
#include "limpet/fem.h"

enum { LIMPET_THIN_NODES = 12, LIMPET_THIN_PAIRS = 78 };

typedef enum limpet_thin_kind {
  LIMPET_THIN_TRIANGLE,
  LIMPET_THIN_BENDING,
  LIMPET_THIN_EDGE
} limpet_thin_kind;

typedef struct limpet_thin_element {
  limpet_thin_kind kind;
  int count;
  int node[LIMPET_THIN_NODES];       // (count)  ascending
  int place[LIMPET_THIN_PAIRS];      // blocks of the pairs (b, a <= b)
  double weight[LIMPET_THIN_NODES];  // bending: w of each node [1]
  double gradient[3][2];             // triangle: g of each node [1/m]
  double area;                       // [m^2]  triangle
  double rest;                       // edge: L [m]; bending: c [m]
  double stiffness;                  // [N/m]  edge, bending: k
  double elastic;                    // [N/m]  the part of it that grows with E
  double damping;                    // [N s/m]  edge
  // bending: corners of the triangle, the first one once more, numbers within node
  int corner[4];
  // bending: how these change with nu
  double weight_by_nu[LIMPET_THIN_NODES], rest_by_nu, stiffness_by_nu;
} limpet_thin_element;

typedef struct limpet_fem_thin {
  int count;
  limpet_thin_element *element;  // (count)
  bool damped;                   // an edge has a damper
  double lambda, mu;             // [N/m]  times the thickness
  // of the description
  bool membrane, bending;
  double edge_stiffness, edge_damping;  // [N/m], [N s/m]
} limpet_fem_thin;

/* Energy [J] of an element with nodes at x; f (count x 3) [N] its derivative, and K (36 x 36 with
 * rows of 36, the first 3 count of each) [N/m] as above, or where `whole` with compression, too;
 * both may be NULL. x0: positions that the normal of bending is taken at. */
double limpet_thin_energy(const limpet_fem_thin *thin, const limpet_thin_element *e,
                          const double *x0, const double *x, bool whole, double *f, double *K);
/* K as above with nodes at x, but with the stress that strains taken as linear from `was` on would
 * have there. Nodes that went straight on while their elements turned by a stretch these by a^2/2:
 * no stress of the body, but it outweighs all else in the K at x where the body is stiff. */
void limpet_thin_stiffness_seen(const limpet_fem_thin *thin, const limpet_thin_element *e,
                                const double *was, const double *x, bool whole, double *K);

/* Cauchy stress (xx yy zz yz zx xy) [Pa] of a triangle or an edge with nodes at x: its force over
 * `section`, the thickness of a triangle [m] or the section of a rope [m^2]. */
void limpet_thin_stress(const limpet_fem_thin *thin, const limpet_thin_element *e, const double *x,
                        double section, double stress[6]);

// Puts nodes into ascending order and what belongs to them along.
void limpet_thin_sort_nodes(limpet_thin_element *e);
/* What lies around a triangle. Edge k begins at corner k. wing: the vertex beyond each edge;
 * beyond: those beyond the edges of the triangle there, first the edge that ends at the wing, then
 * that which begins there, in the order of the triangle itself. -1: none. */
typedef struct limpet_thin_patch {
  int wing[3], beyond[3][2];
} limpet_thin_patch;

// The terms of bending of a triangle with vertices at x [m], at most three. Returns how many.
int limpet_thin_bend(const double *x, const int *triangle, const limpet_thin_patch *patch, double D,
                     double nu, limpet_thin_element *term);

// The elements of a description, without places; masses are added to node_mass.
limpet_status limpet_thin_make(const limpet_fem_description *description, limpet_arena *arena,
                               limpet_fem_thin *thin, double *node_mass);
// What a description of thin parts refuses, with numbers.
limpet_status limpet_thin_check(const limpet_fem_description *description, limpet_error *error);

#endif
