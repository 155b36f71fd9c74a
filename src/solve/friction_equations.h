/* solve/friction_equations.h: Newton's equations of the barrier function of phase two, solved for
 * forces on velocities.
 *
 * With D the Hessian of the cones (3 x 3 blocks, D^-1 = L L'), g and S gradient and Hessian of f0
 * over u, h the gradient of the bound, E = W_N Z'Z over the open contacts, s their slacks, the
 * direction is
 *
 *   D dx = -grad - h sigma - W (F'f + E'theta),     F'f = t (g + S W'dx) + multipliers of the
 *                                                   normal velocities
 *   [ F W'D^-1 W F' + Q     F W'D^-1 h            F W'D^-1 W E'          ] [   f   ]
 *   [        .             bound^2 + h'D^-1 h     h'D^-1 W E'            ] [ sigma ]
 *   [        .                    .               s^2 + E W'D^-1 W E'    ] [ theta ]
 *
 *   repaired   F = 1, Q = B/t, B the projector on velocities that keep the normal ones, Z'Z: n + 1
 *              + open unknowns, few where many contacts touch few bodies. What no contact sees
 *              (`unseen`) is taken out of B and gets a weight of its own
 *   literal    F = [W_T; P], Q = [1/(2 t); 0]: tangential velocities and an orthonormal basis P of
 *              the normal rows, since f0 does not see all velocities: up to 2 contacts + n unknowns
 *
 * The matrix is positive definite, and nothing is lost in D^-1, so that small normals, small slacks
 * and large t do little harm; refinement undoes most of it. Where the squares in it are too coarse
 * (`careful`) the factor comes from Householder reflections of the rows whose squares they are,
 * largest first. Normal velocities are kept to round-off.
 * References: Boyd, Vandenberghe, Convex Optimization, 10.4 and 11.8; Powell, Reid, On applying
 * Householder transformations to linear least squares problems (1968). Cost: O(contacts n +
 * size^3); careful: O((contacts + n) size^2). */
#ifndef LIMPET_SOLVE_FRICTION_EQUATIONS_H
#define LIMPET_SOLVE_FRICTION_EQUATIONS_H

#include "solve/friction_programme.h"

// Z: velocities that keep the normal ones of those that push. First of all.
void limpet_friction_equations_null_space(limpet_friction_programme *programme);
/* Repaired: velocities as seen from surfaces that move, as far as a motion of the bodies makes them
 * rest: u and wanted_u with that motion, left: what remains of c. f0 changes by a constant. */
void limpet_friction_equations_frame(limpet_friction_programme *programme);
// Everything else that does not change with x: B or F.
void limpet_friction_equations_begin(limpet_friction_programme *programme);
/* The bound's gradient at the start less a combination of the constraints, which changes nothing
 * along directions that keep the normal velocities: the least such. Where friction does not change
 * the bound nothing is left of it. */
void limpet_friction_equations_bound(limpet_friction_programme *programme);

// Cones at x; `curvature`: of the bound on each normal.
void limpet_friction_equations_cones(limpet_friction_programme *programme, double curvature);
// Factors the matrix; `bordered`: with the bound and the open contacts. Returns its size, 0 where
// that fails.
int limpet_friction_equations_factor(limpet_friction_programme *programme, bool bordered);
// dx, du. Returns 1 where refinement leaves more than the share 1e-6 of du uncertain.
int limpet_friction_equations_solve(limpet_friction_programme *programme, int size, bool bordered);
// dx, du that bring back normal velocities which drifted by round-off, with the last factor.
void limpet_friction_equations_restore(limpet_friction_programme *programme);

// Gradient of the bound with respect to the impulses of number i of those that push; its rate along
// dx.
void limpet_friction_bound_gradient(const limpet_friction_programme *programme, int i, double h[3]);
double limpet_friction_bound_rate(const limpet_friction_programme *programme);

// Contact number `contact` of the island.
static inline limpet_friction_barrier limpet_friction_barrier_of(const limpet_friction_programme *p,
                                                                 int contact) {
  return (limpet_friction_barrier){p->literal, p->mu[contact]};
}
// Tangential velocity of an unknown, literal.
static inline double limpet_friction_speed(const limpet_friction_programme *p, int unknown) {
  return p->linear[unknown] + limpet_contact_root_dot(p->root, unknown, p->u);
}

#endif
