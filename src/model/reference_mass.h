/* model/reference_mass.h: the mass matrix at the reference pose and products with its inverse, for
 * quantities that the compiler derives from it. */
#ifndef LIMPET_MODEL_REFERENCE_MASS_H
#define LIMPET_MODEL_REFERENCE_MASS_H

#include "model/compile.h"

typedef struct limpet_reference_mass {
  const limpet_model *model;
  const double *body_position, *body_quaternion;  // world poses at the reference pose
  double *origin;  // (tree_count x 3)  [m]  origin of the spatial vectors of a tree
  // (body_count x 10)  inertia of the subtree about the tree's origin, world axes
  double *composite;
  double *axis;      // (nv x 6)  motion per unit of velocity
  double *diagonal;  // (nv)  diagonal of M, joint armature included
  double *factor;    // (mass_size)  M = L' D L for each tree, D on the diagonal; armature of joints
                     // and tendons included
  double *scratch;   // (nv)
  double *tendon_row;  // (tendon_dof_count)  as data->tendon_row
  bool bodies_only;    // no armature, no tendon_row
  int singular_dof;    // a velocity whose pivot vanished, or -1
} limpet_reference_mass;

limpet_status limpet_reference_mass_create(limpet_reference_mass *mass, limpet_compiler *compiler);
// Without armature of joints and tendons; tendons need not be known.
limpet_status limpet_reference_mass_of_bodies(limpet_reference_mass *mass,
                                              limpet_compiler *compiler);

/* sum over trees of a M^-1 b, where a and b (nv, dense) vanish outside the trees [tree_first,
 * tree_last]. */
double limpet_reference_mass_product(const limpet_reference_mass *mass, const double *a,
                                     int tree_first, int tree_last);

/* x = M^-1 a on those trees; x (nv) elsewhere stays. */
void limpet_reference_mass_solve(const limpet_reference_mass *mass, const double *a, int tree_first,
                                 int tree_last, double *x);

// World velocity of a point fixed to the body of a velocity, per unit of that velocity.  [m]
void limpet_reference_point_velocity(const limpet_reference_mass *mass, int dof,
                                     const double point[3], double velocity[3]);

#endif
