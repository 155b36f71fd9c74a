/* solve/island_spins.h: friction against turning in Newton's method on one island: law/spin.h.
 *
 * Spins are further blocks of unknown velocities w = e . V_patch, e pure rotations, beside those of
 * the contacts. Their bound is that of the friction of their contact. Islands without them pay
 * nothing. In the step of coulomb.h their impulses are linear as those of friction are,
 *   tau = -rho b direction - G (w - point)
 * with the b of their contact: the coupling (*) there holds for them without another term, as
 * dtau/dv_n = -rho n' t = rho k' t, and only b carries it. */
#ifndef LIMPET_SOLVE_ISLAND_SPINS_H
#define LIMPET_SOLVE_ISLAND_SPINS_H

#include "contact/problem.h"

struct limpet_island_solver;

typedef struct limpet_island_spins {
  int count;
  const limpet_spin *spin;               // (count)
  double *w, *dw, *tau, *dual, *before;  // (count x 2)  before: w at the start of a line search
  double *G;                             // (count x 3)  t1t1, t1t2, t2t2
  double *point, *direction;             // (count x 2)  of the linear models of coulomb.h
} limpet_island_spins;

// Takes the memory. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_island_spins_create(struct limpet_island_solver *solver, limpet_arena *arena);
// Turning of the bodies about the axes for the velocities x: linear, for rays dw.
void limpet_island_spins_speeds(const struct limpet_island_solver *solver, const double *x,
                                double *w);
// The state w for the velocities x: surfaces that turn by themselves included.
void limpet_island_spins_rates(struct limpet_island_solver *solver, const double *x);
// Cost and tau at the state.
double limpet_island_spins_evaluate(struct limpet_island_solver *solver);
// impulse += J' tau
void limpet_island_spins_impulse(const struct limpet_island_solver *solver, double *impulse);
/* tau into the bounds of the normal impulses at the state, contact_gamma, in place of those that
 * were expected; the solver's impulse with it. */
void limpet_island_spins_project(struct limpet_island_solver *solver);
// w += alpha dw
void limpet_island_spins_move(struct limpet_island_solver *solver, double alpha);
// Slope and curvature along the ray are added.
void limpet_island_spins_along(const struct limpet_island_solver *solver, double alpha,
                               double *slope, double *curvature);
// The direction of friction after the whole ray from w.
void limpet_island_spins_dual_step(struct limpet_island_solver *solver, const double *w);
// G at the state; `dual` as in contact_model.h.
void limpet_island_spins_hessian(struct limpet_island_solver *solver, const double *dual);
// K (6 x 6) += of the spins of one patch. Returns whether they add anything.
bool limpet_island_spins_stiffness(const struct limpet_island_solver *solver,
                                   const limpet_patch *patch, double K[36]);

// Linear models at the state.
void limpet_island_spins_linearise(struct limpet_island_solver *solver);
// The same but for G.
void limpet_island_spins_expand(struct limpet_island_solver *solver);
// Linear models where a turning contact alone would be: see coulomb_start.c. `torque` (count x 2):
// of sweeps or of a linear step, with the velocities of the state; NULL: there were none.
void limpet_island_spins_foresee(struct limpet_island_solver *solver, const double *torque);
// tau of the linear models at the state, for the bounds (contacts) [N s].
void limpet_island_spins_torque(struct limpet_island_solver *solver, const double *bound);
// The same, and impulse += J' tau.
void limpet_island_spins_push(struct limpet_island_solver *solver, const double *bound,
                              double *impulse);

#endif
