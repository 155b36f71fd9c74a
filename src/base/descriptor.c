/* base/descriptor.c: looking up a parameter of a descriptor. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "limpet/base.h"

double limpet_parameter_default(const limpet_descriptor *descriptor, const char *name) {
  assert(descriptor && name);
  for (int i = 0; i < descriptor->parameter_count; ++i)
    if (strcmp(descriptor->parameters[i].name, name) == 0) return descriptor->parameters[i].value;
  return NAN;
}
