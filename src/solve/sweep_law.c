// solve/sweep_law.c: see sweep_law.h.
#include "solve/sweep_law.h"

limpet_sweep_law limpet_sweep_law_of(const limpet_contact_constants *constants, const double *bias,
                                     const double *w, const double *slant) {
  const double dt = constants->dt;
  return (limpet_sweep_law){.bias = {bias[0], bias[1], bias[2]},
                            .w = {w[0], w[1], w[2]},
                            .slant = {slant[0], slant[1]},
                            .dt = dt,
                            .force = constants->elastic_force,
                            .give = dt * constants->stiffness,
                            .dissipation = constants->dissipation,
                            .alpha = dt * dt * constants->stiffness * w[2],
                            .beta = dt * constants->dissipation * w[2]};
}
