/* law/impedance.h: MuJoCo's reference acceleration (solref, solimp) in newtons and metres.
 *
 *   a_ref = -b v - k r,  force = (a_ref - a)/R,  R = (1 - d)/d Ahat
 * At rest the force is k d/((1 - d) Ahat) (-r), and MuJoCo scales k by d(r) once more:
 *   stiffness  K = k_ref d(r)^2/((1 - d(r)) Ahat)   [N/m]
 *              k_ref = 1/(d_max^2 tau^2 zeta^2), or s0/d_max^2 (direct)
 *   damping    C = b d(r)/((1 - d(r)) Ahat)         [N s/m]
 *              b = 2/(d_max tau), or s1/d_max (direct)
 *   d(r)       impedance, a sigmoid of |r| from d_0 to d_max = d_width
 *   Ahat       inverse weight of the constraint at the reference pose  [1/kg]
 * Source: MuJoCo documentation, Computation and Modeling chapters; shared reference mujoco.md,
 * 5.2. */
#ifndef LIMPET_LAW_IMPEDANCE_H
#define LIMPET_LAW_IMPEDANCE_H

#include "limpet/model.h"

typedef struct limpet_impedance_values {
  double impedance;  // [-]  d(r)
  // [1/s^2]  k_ref d: acceleration per metre, before the division by (1 - d)/d Ahat
  double stiffness;
  double damping;  // [1/s]  b
} limpet_impedance_values;

// At the violation r [m, rad] and for steps of dt, which bounds the time constant from below (2 dt)
// as MuJoCo does.
limpet_impedance_values limpet_impedance_at(const limpet_impedance *impedance, double r, double dt);

/* Static stiffness K [N/m] and damping C [N s/m] of a constraint of inverse weight `weight`
 * [1/kg]. */
void limpet_impedance_stiffness(const limpet_impedance *impedance, double r, double dt,
                                double weight, double *K, double *C);
// C at r = 0.
double limpet_impedance_damping_at_rest(const limpet_impedance *impedance, double dt,
                                        double weight);
// K and C, and their slopes by |r|.
typedef struct limpet_impedance_slopes {
  double K, C, K_by_r, C_by_r;
} limpet_impedance_slopes;
limpet_impedance_slopes limpet_impedance_stiffness_slopes(const limpet_impedance *impedance,
                                                          double r, double dt, double weight);

#endif
