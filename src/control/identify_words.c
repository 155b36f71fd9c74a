// control/identify_words.c: what a fit says of itself, see identify.h.
#include <assert.h>
#include <math.h>

#include "control/identify.h"

const char *limpet_identify_outcome_word(limpet_identify_outcome outcome) {
  assert(outcome >= LIMPET_IDENTIFY_CONVERGED && outcome <= LIMPET_IDENTIFY_FAILED);
  switch (outcome) {
    case LIMPET_IDENTIFY_CONVERGED: return "converged";
    case LIMPET_IDENTIFY_ITERATION_LIMIT: return "iteration limit";
    case LIMPET_IDENTIFY_NO_DESCENT: return "no further descent";
    case LIMPET_IDENTIFY_NOT_DETERMINED: return "not determined by the data";
    case LIMPET_IDENTIFY_FAILED: break;
  }
  return "a simulation failed";
}

double limpet_identify_error(const limpet_identify_parameter *parameter) {
  assert(parameter);
  return isnan(parameter->error_grouped) ? parameter->error : parameter->error_grouped;
}

const char *limpet_identify_doubt(const limpet_identify *fit) {
  assert(fit);
  if (!(fit->residual > 3.0)) return NULL;
  return "what is left is far above the noise, and error bars say nothing: it is one of several "
         "minima (try \"windows\", or \"starts\" with limits), the model cannot move as was "
         "recorded, or the noise is larger";
}
