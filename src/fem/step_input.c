// fem/step_input.c: what the input of a step says of its scheme and of its nodes.
#include <string.h>

#include "fem/step.h"

double limpet_fem_share(const limpet_fem_step *step) {
  return step->input.backward_euler ? 1.0 : 0.5;
}

void limpet_fem_clear_fixed(const limpet_fem_step *step, double *x) {
  for (int k = 0; k < step->input.fixed_count; ++k)
    memset(x + 3L * step->input.fixed[k], 0, 3 * sizeof *x);
}
