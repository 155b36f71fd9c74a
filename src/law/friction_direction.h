/* law/friction_direction.h: friction's direction as a variable of its own in Newton's method.
 *
 *   t = v_t/s,  s = sqrt(|v_t|^2 + eps^2);  the exact Hessian of s is (I - t t')/s
 * A second variable w stands for one t, and s w = v_t is linearised instead of t:
 *   Hessian    (I - (t w' + w t')/2)/s,  |w| <= 1: positive definite, so the step descends; exact
 *              where w = t
 *   step       w <- t + (dv - w (t . dv))/s, shortened to |w| <= 1
 * Newton's method then needs about as many iterations for any eps. With the exact Hessian it needs
 * ever more as eps shrinks.
 * Reference: Chan, Golub, Mulet, A nonlinear primal-dual method for total variation-based image
 * restoration, SIAM J. Sci. Comput. 20 (1999). */
#ifndef LIMPET_LAW_FRICTION_DIRECTION_H
#define LIMPET_LAW_FRICTION_DIRECTION_H

#include "law/contact_model.h"

// The dual_step of contact models with regularised friction.
void limpet_friction_direction_step(const limpet_contact_constants *constants, int count,
                                    const double *v, const double *dv, double *dual);

/* Change of gamma_t = -bound v_t/s, s = sqrt(|v_t|^2 + eps^2), into dgamma (2), by changes of
 * bound, eps and v. Returns that of s. */
double limpet_friction_change(double bound, double dbound, double eps, double deps,
                              const double v[2], const double dv[2], double dgamma[2]);

#endif
