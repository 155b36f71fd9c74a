/* gradient/momentum_link.h: the velocity that a momentum gives the first joint of a tree of several
 * bodies that floats, and its derivatives.
 *
 *   M_b(q1) v1 = y = [p; R1' (L + e1 x p)],   p = z_l + t m g,   L = R0 z_a - e0 x z_l
 *   dy = [dz_l; R1' (dL + de1 x p + e1 x dz_l) + [R1' (L + e1 x p)] dtheta1]
 *   dL = R0 dz_a + R0 (dtheta0 x z_a) - de0 x z_l - e0 x dz_l
 * z [kg m/s, kg m^2/s]: momentum at q0, v0 and what impulses and forces on the first joint add to
 * it; _l: linear (W), _a: angular (body axes); t [s]: from q0 to q1; e [m], W: from the body's
 * origin to the centre of mass of the tree; R: rotation of that body; M_b: the first six rows of
 * M. D = d(M_b v)/dq, de = (M_l/m - [1 0 0]) dq; theta: rotations of the first joint, dofs 3 to 5.
 * Cost: one sweep of the tree a pose, 100 flops a velocity. */
#ifndef LIMPET_GRADIENT_MOMENTUM_LINK_H
#define LIMPET_GRADIENT_MOMENTUM_LINK_H

#include "limpet/data.h"
#include "step/prepared.h"

// A pose and a velocity of the tree.
typedef struct limpet_momentum_look {
  const double *R;   // rotation of the first body
  double arm[3];     // e
  double *M, *by_q;  // (6 x n)  first rows of M and of d(M v)/dq
  double y[6];       // M_b v
} limpet_momentum_look;

typedef struct limpet_momentum_link {
  const limpet_model *model;
  int tree, first, n;
  double mass, dt;  // [kg], [s]  of the tree; t
  limpet_momentum_look start, end;
  double z[6], p[3], w[3];  // w: R1' (L + e1 x p)
} limpet_momentum_link;

// Of a step's tree; looks, z, p and w are not set.
limpet_momentum_link limpet_momentum_link_of(const limpet_model *model,
                                             const limpet_solved_step *solved, int tree, double dt);
// A look at what `data` is at, with its kinematics and velocities; room: (12 n), its matrices.
void limpet_momentum_look_at(const limpet_momentum_link *link, limpet_data *data, double *room,
                             limpet_momentum_look *look);
// p and w from z, after both looks; of looks R and arm alone are read.
void limpet_momentum_link_find(limpet_momentum_link *link, const limpet_solved_step *solved);
// Columns (6 x n) of z become those of y without what q1 has in it; own: they are those of q0.
void limpet_momentum_link_carry(const limpet_momentum_link *link, bool own, double *X);
// X (6 x n) = what q1 has in dy - D1 dq1.
void limpet_momentum_link_by_end(const limpet_momentum_link *link, double *X);

#endif
