/* fem/neo_hookean.h: what the neo-Hookean laws share. */
#ifndef LIMPET_FEM_NEO_HOOKEAN_H
#define LIMPET_FEM_NEO_HOOKEAN_H

#include "fem/elastic_law.h"

/* psi = mu/2 (|F|^2 - 3) + U(J), with U = energy, U' = pressure, U'' = stiffness [Pa] at the J of
 * the principal stretches s: fills `out`, returns psi [J/m^3]. */
double limpet_neo_hookean_by_volume(double mu, double energy, double pressure, double stiffness,
                                    const double s[3], limpet_principal *out);

// psi = mu/2 (|F|^2 - 3) - mu (J - 1) + lambda/2 (J - 1)^2
limpet_principal_function limpet_neo_hookean_principal;

#endif
