/* law/spin.h: friction of a contact against turning: torsion about the normal, rolling resistance
 * about the two tangents.
 *
 *   tau = -rho b w/s,   s = sqrt(|w|^2 + eps^2),   |tau| <= rho b                  beside the cone
 *   cost  rho b (s - eps), convex in w for a given b; G = rho b (I - w w'/s^2)/s
 *   w [rad/s] turning of B relative to A about the axes, tau [N m s] angular impulse on B
 *   rho [m] length: friction_torsional, friction_rolling; b [N s] the normal impulse that bounds
 *     friction of the contact: friction_form and lagged_impulse of contact_model.h
 *   eps [rad/s] = eps_s sqrt(w_r/w), w_r [1/(kg m^2)], w [1/kg]: Delassus numbers of turning and of
 *     the contact. What is at the radius of gyration of the bodies creeps with eps_s.
 * The law is that of friction, with moments in place of forces; torsion is the disc of one axis.
 * Newton's method has the direction of tau as a variable of its own: friction_direction.h.
 * Three bounds of their own - sliding, torsion, rolling - are what lengths in a data sheet mean. A
 * patch that slides has less torsion (Contensou, Couplage entre frottement de glissement et
 * frottement de pivotement, 1963), how much depends on the pressure. MuJoCo's elliptic
 * cone bounds the norm of the three shares: the same where one acts, less of each where several
 * do. */
#ifndef LIMPET_LAW_SPIN_H
#define LIMPET_LAW_SPIN_H

#include <math.h>

// `bound` = rho b [N m s]; w, tau, dual: (2) along the two axes.

// The cost [J]; tau is filled.
static inline double limpet_spin_evaluate(double bound, double eps, const double w[2],
                                          double tau[2]) {
  const double size2 = w[0] * w[0] + w[1] * w[1], s = sqrt(size2 + eps * eps);
  tau[0] = -bound / s * w[0];
  tau[1] = -bound / s * w[1];
  return bound * size2 / (s + eps);  // = bound (s - eps), to all digits
}
/* Hessian G (t1t1, t1t2, t2t2) [kg m^2]; `dual`: the direction as a variable of its own, NULL:
 * exact. */
void limpet_spin_hessian(double bound, double eps, const double w[2], const double *dual,
                         double G[3]);
// dual after a Newton step dw from w.
static inline void limpet_spin_dual_step(double eps, const double w[2], const double dw[2],
                                         double dual[2]) {
  const double s = sqrt(w[0] * w[0] + w[1] * w[1] + eps * eps);
  const double t1 = w[0] / s, t2 = w[1] / s, along = t1 * dw[0] + t2 * dw[1];
  const double d1 = t1 + (dw[0] - dual[0] * along) / s, d2 = t2 + (dw[1] - dual[1] * along) / s;
  const double size = sqrt(d1 * d1 + d2 * d2), shrink = size > 1.0 ? 1.0 / size : 1.0;
  dual[0] = shrink * d1, dual[1] = shrink * d2;
}
// slope += and curvature += those of the cost along dw at w + alpha dw.
void limpet_spin_along(double bound, double eps, const double w[2], const double dw[2],
                       double alpha, double *slope, double *curvature);

#endif
