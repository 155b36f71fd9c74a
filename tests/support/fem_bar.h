/* tests/support/fem_bar.h: bars of tetrahedra, and a deformable body with its state, for tests. */
#ifndef LIMPET_TEST_FEM_BAR_H
#define LIMPET_TEST_FEM_BAR_H

#include "limpet/fem.h"

/* A box of nx x ny x nz cells with one corner at the origin, six tetrahedra for each cell around
 * the diagonal (Kuhn). Vertices are numbered z first, then y, then x. */
typedef struct fem_bar {
  int cells[3];
  double size[3];  // [m]
  limpet_fem_description description;
  double *vertices;
  int *tetrahedra;
} fem_bar;

fem_bar fem_bar_make(int nx, int ny, int nz, double lx, double ly, double lz);
void fem_bar_free(fem_bar *bar);

// A body with step and state, at rest; fails the test with the error's text.
typedef struct fem_world {
  limpet_fem_body *body;
  limpet_fem_step *step;
  limpet_fem_input input;  // points to q, v, fixed
  int n;                   // 3 node_count
  double *q, *v, *next;
  int *fixed;
} fem_world;

fem_world fem_world_make(const limpet_fem_description *description);
void fem_world_free(fem_world *world);
// Fixes the nodes whose coordinate `axis` is `value` at rest.
void fem_world_fix(fem_world *world, int axis, double value);
// One step; fails the test where it is not solved.
void fem_world_step(fem_world *world);

#endif
