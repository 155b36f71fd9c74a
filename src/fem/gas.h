/* fem/gas.h: gas inside the closed surface of a shell.
 *
 *   p(V) = p0 (V0/V)^g                pressure of the gas [Pa], absolute; g = 1: isothermal, 1.4:
 *                                     adiabatic air
 *   U = -int_V0^V (p - p_out) dV      f = -(p - p_out) dV/dq
 * V [m^3] within the triangles, p_out [Pa] the pressure outside. A step takes p as linear in the
 * positions: c = -dp/dV > 0 adds the rank-one term c n n', n = dV/dq, to the stiffness, which every
 * solve takes in by the formula of Sherman and Morrison. That dV/dq turns with the surface is left
 * to the next step. */
#ifndef LIMPET_FEM_GAS_H
#define LIMPET_FEM_GAS_H

#include "limpet/fem.h"

typedef struct limpet_fem_gas_body {
  bool present;
  double pressure, outside, exponent;  // [Pa, Pa, -]
  double volume;                       // [m^3]  V0
} limpet_fem_gas_body;

typedef struct limpet_fem_gas_step {
  double excess;    // [Pa]  p - p_out at the start of the step
  double slope;     // [Pa/m^3]  c there
  double *normal;   // (node_count x 3)  [m^2]  n there
  double rigidity;  // [kg/m^4]  c in H
  double *u;        // (node_count x 3)  H0^-1 n, H0 without the gas; 0 at fixed nodes
  double scale;     // [kg/m^4]  rigidity/(1 + rigidity n.u)
} limpet_fem_gas_step;

// V [m^3] within the faces, and n = dV/dq where it is wanted (NULL: not).
double limpet_fem_gas_volume(const limpet_fem_body *body, const double *q, double *normal);
double limpet_fem_gas_pressure(const limpet_fem_body *body, double volume);
double limpet_fem_gas_energy(const limpet_fem_body *body, double volume);
// The surface has to be closed and to look outwards.
limpet_status limpet_fem_gas_check(const limpet_fem_description *d, limpet_error *error);

#endif
