/* solve/friction_disc.h: regularised friction, linear where a contact alone would be after a step:
 * see coulomb_start.c. Sliding, torsion and rolling are each such a disc. */
#ifndef LIMPET_SOLVE_FRICTION_DISC_H
#define LIMPET_SOLVE_FRICTION_DISC_H

// Friction of which a linear model is foreseen: |impulse| <= bound, regularised below eps.
typedef struct limpet_friction_disc {
  double eps;       // [m/s, rad/s]
  double delassus;  // [1/kg, 1/(kg m^2)]
  double bound;     // [N s, N m s]
} limpet_friction_disc;
/* Point (2), direction (2) and stiffness G (t1t1, t1t2, t2t2) of friction for the speed p (2) that
 * there would be without it. */
void limpet_friction_disc_foresee(const limpet_friction_disc *disc, const double p[2],
                                  double point[2], double direction[2], double G[3]);

#endif
