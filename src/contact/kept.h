/* contact/kept.h: what contacts of the model `coulomb` keep from one step for the next, besides
 * their force: the stretch of a bristle, and the speed of a rebound.
 *
 * Bristle. Regularised friction creeps: it needs a slip u_t to hold a load. Sticking contacts keep
 * that slip as a stretch z and get it back in the next step:
 *   u_t = v_t + z0/h,   gamma_t = -mu n t(u_t),   z1 = h u_t,   |z1| <= h reach eps_s
 *   v_t [m/s] slip, h [s] step, z [m], eps_s [m/s] slip speed of the regularisation
 * At rest v_t = 0 and u_t = z/h: the load is held by the stretch, a spring of the tangential
 * stiffness mu f_n/(h eps_s) [N/m], and nothing creeps. The spring is implicit, so it neither rings
 * nor bounds the step, and z0/h is a constant of the step, so the problem is as convex as without.
 * Friction of a sliding contact has the direction of v_t, because z is at most `reach` steps of
 * eps_s: 20 nm at the defaults. At the reach friction is 99.5 % of its bound, and the contact
 * begins to slide.
 * z is kept in the frame of A's body and follows its turns; points that are new to a pair take the
 * mean of the points that it had. Those of a contact surface keep theirs together: shear.h.
 *
 * Rebound. restitution.h: an impact that was stopped in this step parts in the next. */
#ifndef LIMPET_CONTACT_KEPT_H
#define LIMPET_CONTACT_KEPT_H

#include "contact/problem.h"

enum { LIMPET_BRISTLE_REACH = 10 };  // of eps_s: there friction is 99.5 % of its bound

// Bias of bristles and speeds of rebounds into the problem, from problem->stretch and ->rebound.
// `plain`: see restitution.h.
void limpet_contact_kept_apply(limpet_contact_problem *problem, bool plain);

// Whether a contact of a patch parts: rebound (contacts) [m/s].
static inline bool limpet_patch_parts(const limpet_patch *patch, const double *rebound) {
  for (int i = patch->contact; i < patch->contact + patch->contact_count; ++i)
    if (rebound[i] > 0.0) return true;
  return false;
}
// The contact parts with a share [-] of the speed v_e of its rebound.
void limpet_contact_part(limpet_contact_problem *problem, int contact, double share, bool plain);

/* After the solve: stretch (contact_count x 3) [m] W and rebound (contact_count) [m/s] for the next
 * step, from the impulses gamma and velocities (contact_count x 3) of this one. slowest [m/s]: an
 * impact that does not bounce, 2 |g| h: things that rest on each other fall together, so that their
 * own free motion tells of no weight. */
void limpet_contact_kept_next(const limpet_contact_problem *problem, const double *gamma,
                              const double *velocity, bool plain, double slowest, double *stretch,
                              double *rebound);

// [J]  What contacts may give back that part in this step.
double limpet_contact_taken(const limpet_contact_problem *problem);

/* [J]  What the shear springs of contact surfaces store (coulomb.c): those that are softer than the
 * regularisation of friction. mu f_e0 (sqrt(z^2 + R^2) - R), R = h eps_s, so kappa k z^2/2 while it
 * sticks. velocity (contact_count x 3): at the end of the step; NULL: at its start. */
double limpet_contact_kept_energy(const limpet_contact_problem *problem, const double *velocity,
                                  double stiction_speed);

#endif
