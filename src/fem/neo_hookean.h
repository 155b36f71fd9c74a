/* fem/neo_hookean.h: what the two neo-Hookean laws share. */
#ifndef LIMPET_FEM_NEO_HOOKEAN_H
#define LIMPET_FEM_NEO_HOOKEAN_H

#include "fem/elastic_law.h"

// psi = mu/2 (|F|^2 - 3) - mu (J - 1) + lambda/2 (J - 1)^2
limpet_principal_function limpet_neo_hookean_principal;

#endif
