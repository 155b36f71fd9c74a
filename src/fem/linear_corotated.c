/* fem/linear_corotated.c: linear elasticity in axes that turn with each element,
 *   psi = mu e:e + lambda/2 tr(e)^2,  e = sym(R0' F) - I,  P = R0 (2 mu e + lambda tr(e) I)
 * R0: rotation of F at the start of the step. Positive semidefinite for any F, so that a step with
 * contact is a convex problem. Source: Han, Masterjohn, Castro, A convex formulation of frictional
 * contact between rigid and deformable bodies (2023). */
#include "fem/elastic_law.h"

const limpet_elastic_law limpet_elastic_law_linear_corotated = {
    .descriptor = {.name = "linear-corotated",
                   .text = "Linear elasticity in axes that turn with each element, those of the "
                           "start of the step. One linear solve a step, also where the body turns "
                           "far; strains should stay moderate.",
                   .reference = "Han, Masterjohn, Castro, A convex formulation of frictional "
                                "contact between rigid and deformable bodies (2023)"},
    .rotates = true,
};
