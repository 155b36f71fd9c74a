// fem/step_input.c: what the input of a step says of its scheme and of its nodes.
#include <assert.h>
#include <string.h>

#include "fem/rigid_set.h"

double limpet_fem_share(const limpet_fem_step *step) {
  return step->input.backward_euler ? 1.0 : 0.5;
}

void limpet_fem_step_positions(const limpet_fem_step *step, const double *v, double *q) {
  assert(step && step->input.position && v && q);
  const double share = limpet_fem_share(step), ahead = share * step->input.dt,
               behind = (1.0 - share) * step->input.dt;
  for (long i = 0; i < 3L * step->body->info.node_count; ++i)
    q[i] = step->input.position[i] + behind * step->start[i] + ahead * v[i];
}

void limpet_fem_clear_fixed(const limpet_fem_step *step, double *x) {
  for (int k = 0; k < step->input.fixed_count; ++k)
    memset(x + 3L * step->input.fixed[k], 0, 3 * sizeof *x);
  limpet_fem_rigid_project(step, x);
}
