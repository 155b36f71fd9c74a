/* gradient/tree_place.h: where M and bias of the trees of a step were taken, q_m and u of
 * tree_change.h, and how they follow the state. */
#ifndef LIMPET_GRADIENT_TREE_PLACE_H
#define LIMPET_GRADIENT_TREE_PLACE_H

#include "gradient/integration.h"
#include "gradient/tree_centre.h"
#include "gradient/tree_change.h"

typedef struct limpet_tree_place {
  const limpet_probe *probe;
  limpet_integration way;     // from q0 to q_m
  limpet_tree_middle middle;  // q_m
  double *u;                  // (nv)
  double *slope;              // (nv)  of the share of flight, by v0: flight_share.c
  double *vdot;               // (nv)  (v - v0)/h
} limpet_tree_place;

// Of a tree that is centred: N in the middle and at the start of the step.
typedef struct limpet_tree_centres {
  bool are;
  limpet_tree_centre middle, start;
} limpet_tree_centres;

// Whether the tree is a body that flies alone.
bool limpet_tree_alone(const limpet_probe *probe, int tree);
// Share of flight in the step of a tree; 0: M and bias were taken at its start.
double limpet_tree_share(const limpet_probe *probe, int tree);
// [kg]
double limpet_tree_mass(const limpet_probe *probe, int tree);

/* Accelerations, and the way from q0 to q_m. Memory from the arena stays. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_tree_place_begin(limpet_tree_place *place, const limpet_probe *probe,
                                      const limpet_tree_change *trees, limpet_arena *arena);
// The world of a tree where its M and bias were taken; fills tree->by_middle.
limpet_data *limpet_tree_place_at(limpet_tree_place *place, limpet_tree_change *change, int tree);
/* X (rows x n), by the way h/2 share u to q_m and by u, become those by v0:
 *   d(share u) = share dv0 + (u + share c/2) ds,   du = dv0 + c/2 ds,   ds = slope . dv0
 * by_change (rows x n; NULL) += those by c, which share and u have with v0 as v0 + c/2. */
void limpet_tree_place_slope(const limpet_tree_place *place, const limpet_tree_change *change,
                             double share, int rows, double *by_way, double *by_u,
                             double *by_change);
/* at: the world in the middle of the step. Memory from the arena stays. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_tree_centres_make(const limpet_probe *probe, const limpet_data *at, int tree,
                                       limpet_arena *arena, limpet_tree_centres *centres);
// vdot of the first joint becomes that at which the force on it is zero.
void limpet_tree_place_base(limpet_tree_place *place, const limpet_tree_centre *middle, int tree);
// Fills q and v of a body alone, r = M (v - v*).
void limpet_tree_place_alone(limpet_tree_place *place, limpet_tree_change *change, int tree);

#endif
