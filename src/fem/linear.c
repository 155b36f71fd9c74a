/* fem/linear.c: linear elasticity of small displacements,
 *   psi = mu e:e + lambda/2 tr(e)^2,  e = sym(F) - I,  P = 2 mu e + lambda tr(e) I. */
#include "fem/elastic_law.h"

const limpet_elastic_law limpet_elastic_law_linear = {
    .descriptor = {.name = "linear",
                   .text = "Linear elasticity of small displacements. A body that turns swells and "
                           "stiffens; use it where nothing turns by more than a degree or two.",
                   .reference = "docs/theory/fem.md"},
    .frozen = true,
};
