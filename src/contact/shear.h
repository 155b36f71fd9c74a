/* contact/shear.h: the shear that a contact surface keeps from step to step, as one small motion of
 * B against A.
 *
 *   z(p) = shift + turn x (p - centre)     [m]  W  of the surface at p; friction sees its part
 *                                          along the tangents
 * Bodies are rigid, so what sticks creeps by a rigid motion, and this is all that has to be kept to
 * hold a load without creep (kept.h). Points of a surface come and go: each takes its stretch from
 * the field where it is, so that force and moment of the stored shear follow the points that there
 * are, and none comes out of nowhere. Stress that no rigid motion makes is forgotten.
 *
 * After a step each point has the slip u, of which h u is its stretch. The field is that of the
 * least squares
 *   sum_i w_i |P_i (z(p_i) - h u_i)|^2 + ridge,   w_i = mu gamma_n/eps_s   tangential stiffness
 * where the ridge takes what no point feels, as the motion along the normal of a flat face. The
 * field goes with the centre of the points, so that what rolls takes it along. It grows until
 * friction is at 99.7 % of its bound, t = 0.997 in the mean over the points by w |z|^2. Single
 * points may be beyond: they slide, and others hold.
 * Cost: 42 products for each point, one factor of 6 x 6. */
#ifndef LIMPET_CONTACT_SHEAR_H
#define LIMPET_CONTACT_SHEAR_H

#include "contact/problem.h"
#include "contact/record.h"

// Whether contacts of the pair keep shear together.
bool limpet_shear_is_kept(const limpet_contact_problem *problem,
                          const limpet_contact_records *records, int contact);
// The contact after the last one of the pair of contact `first`. Those of a pair follow each other.
int limpet_shear_end(const limpet_contact_problem *problem, const limpet_contact_records *records,
                     int first);
// z (3) [m]  W  at a point [m].
void limpet_shear_at(const limpet_shear *shear, const double point[3], double z[3]);
/* That of the next step, of the pair whose contacts are first to end - 1, of a patch with the given
 * point [m]. gamma, velocity (contact_count x 3): as of limpet_contact_kept_next. False: nothing is
 * kept. */
bool limpet_shear_next(const limpet_contact_problem *problem, const limpet_contact_records *records,
                       const double point[3], int first, int end, const double *gamma,
                       const double *velocity, limpet_shear *next);

#endif
