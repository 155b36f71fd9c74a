/* optim/cone_equations.h: Newton's equations of the barrier function of cone_barrier.h, solved for
 * forces on velocities.
 *
 * With D the Hessian of the cones (3 x 3 blocks, D^-1 = L L'), g and S gradient and Hessian of f0
 * over u, h the gradient of the bound, E = W_N Z'Z over the open blocks, s their slacks, the
 * direction is
 *
 *   D dx = -grad - h sigma - W (F'f + E'theta),     F'f = t (g + S W'dx) + multipliers of the
 *                                                   normal velocities
 *   [ F W'D^-1 W F' + Q     F W'D^-1 h            F W'D^-1 W E'          ] [   f   ]
 *   [        .             bound^2 + h'D^-1 h     h'D^-1 W E'            ] [ sigma ]
 *   [        .                    .               s^2 + E W'D^-1 W E'    ] [ theta ]
 *
 *   energy   F = 1, Q = B/t, B the projector on velocities that keep the normal ones, Z'Z: n + 1
 *              + open unknowns, few where there are many cones and few columns. What no cone sees
 *              (`unseen`) is taken out of B and gets a weight of its own
 *   squares    F = [W_T; P], Q = [1/(2 t); 0]: tangential velocities and an orthonormal basis P of
 *              the rows W_N, since f0 does not see all velocities: up to 2 blocks + n unknowns
 *
 * The matrix is positive definite, and nothing is lost in D^-1, so that small normals, small slacks
 * and large t do little harm; refinement undoes most of it. Where the squares in it are too coarse
 * (`careful`) the factor comes from Householder reflections of the rows whose squares they are,
 * largest first. Normal velocities are kept to round-off.
 * References: Boyd, Vandenberghe, Convex Optimization, 10.4 and 11.8; Powell, Reid, On applying
 * Householder transformations to linear least squares problems (1968). Cost: O(blocks n +
 * size^3); careful: O((blocks + n) size^2). */
#ifndef LIMPET_OPTIM_CONE_EQUATIONS_H
#define LIMPET_OPTIM_CONE_EQUATIONS_H

#include "optim/cone_barrier.h"
#include "optim/cone_term.h"

// Z: velocities that keep the normal ones of those that push. First of all.
void limpet_cone_equations_null_space(limpet_cone_barrier_workspace *workspace);
/* Energy: velocities as seen from surfaces that move, as far as a motion of the bodies makes them
 * rest: u and wanted_u with that motion, left: what remains of c. f0 changes by a constant. */
void limpet_cone_equations_frame(limpet_cone_barrier_workspace *workspace);
// Everything else that does not change with x: B or F.
void limpet_cone_equations_begin(limpet_cone_barrier_workspace *workspace);
/* The bound's gradient at the start less a combination of the constraints, which changes nothing
 * along directions that keep the normal velocities: the least such. Where friction does not change
 * the bound nothing is left of it. */
void limpet_cone_equations_bound(limpet_cone_barrier_workspace *workspace);

// Cones at x; `curvature`: of the bound on each normal.
void limpet_cone_equations_cones(limpet_cone_barrier_workspace *workspace, double curvature);
// Factors the matrix; `bordered`: with the bound and the open rows. Returns its size, 0 where
// that fails.
int limpet_cone_equations_factor(limpet_cone_barrier_workspace *workspace, bool bordered);
// dx, du. False where refinement leaves more than the share 1e-6 of du uncertain.
bool limpet_cone_equations_solve(limpet_cone_barrier_workspace *workspace, int size, bool bordered);
// dx, du that bring back normal velocities which drifted by round-off, with the last factor.
void limpet_cone_equations_restore(limpet_cone_barrier_workspace *workspace);

// Rate of the bound along dx.
double limpet_cone_bound_rate(const limpet_cone_barrier_workspace *workspace);

// The cone of a block.
static inline limpet_cone_term limpet_cone_term_of(const limpet_cone_barrier_workspace *p,
                                                   int block) {
  return (limpet_cone_term){p->problem->squares, p->problem->mu[block]};
}
// Whether number i of the blocks that push has friction.
static inline bool limpet_cone_rubs(const limpet_cone_barrier_workspace *p, int i) {
  return p->problem->mu[p->problem->push[i]] > 0.0;
}
// Tangential velocity of an unknown, squares.
static inline double limpet_cone_speed(const limpet_cone_barrier_workspace *p, int unknown) {
  return p->problem->linear[unknown] + limpet_block_rows_dot(&p->problem->rows, unknown, p->u);
}

#endif
