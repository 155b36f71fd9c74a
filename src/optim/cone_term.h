/* optim/cone_term.h: the logarithmic barrier of one cone.
 *
 *   mu > 0    -log q,  q = mu^2 x_N^2 - |x_T|^2     convex on either nappe of the cone,
 *             self-concordant, of parameter 2
 *   mu = 0    -log x_N  energy;  none  squares;   x_T = 0
 * x = (x_T1, x_T2, x_N). For the Hessian D the inverse is known in closed form, without differences
 * of large numbers, however near to the cone x is (R = diag(-1, -1, mu^2)): D^-1 = x x' - q/2 R^-1,
 * and D^-1 times the gradient is -x.
 * Reference: Nesterov, Nemirovskii, Interior-point polynomial algorithms in convex programming
 * (1994), 5.4. */
#ifndef LIMPET_OPTIM_CONE_TERM_H
#define LIMPET_OPTIM_CONE_TERM_H

#include <stdbool.h>

typedef struct limpet_cone_term {
  bool squares;
  double mu;  // [-]
} limpet_cone_term;

// q, or x_N, or 1 where there is no barrier; not positive: x is not admissible. The energy cone
// is that of x_N > 0.
double limpet_cone_term_slack(limpet_cone_term barrier, const double x[3]);
// Number of its parameter: 2, 1 or 0.
double limpet_cone_term_parameter(limpet_cone_term barrier);
/* Coefficients of slack(x + a dx)/slack(x) = 1 + a (first + a second). */
void limpet_cone_term_ray(limpet_cone_term barrier, const double x[3], const double dx[3],
                          double *first, double *second);
/* root L (3 x 3) of an inverse Hessian, L L' = (D + curvature e_N e_N')^-1, each entry to
 * round-off; its last column is nearly along x, the others are short near the cone. step (3): minus
 * that inverse times the gradient of the barrier. */
void limpet_cone_term_inverse(limpet_cone_term barrier, const double x[3], double curvature,
                              double root[9], double step[3]);

#endif
