/* cli/descriptor.c: see descriptor.h. */
#include "descriptor.h"

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "quantity.h"
#include "suggest.h"

// Complains that the descriptor has no parameter of that name, and which there are.
static bool parameter_unknown(const char *option, const limpet_descriptor *descriptor,
                              const char *name) {
  limpet_suggestion best = {0};
  char hint[160], list[256] = "it has none";
  int length = 0;
  for (int i = 0; i < descriptor->parameter_count && length < (int)sizeof list; ++i) {
    limpet_suggest(&best, name, descriptor->parameters[i].name);
    length += snprintf(list + length, sizeof list - (size_t)length, "%s%s",
                       i ? ", " : "it has: ", descriptor->parameters[i].name);
  }
  limpet_complain("%s: '%s' has no parameter '%s'%s; %s", option, descriptor->name, name,
                  limpet_suggestion_text(hint, sizeof hint, &best), list);
  return false;
}

bool limpet_descriptor_assign(const char *option, const limpet_descriptor *descriptor,
                              const char *assignment, double *values) {
  const char *equals = strchr(assignment, '=');
  char name[64], problem[256];
  if (!equals) {
    limpet_complain("%s %s: expected NAME=VALUE", option, assignment);
    return false;
  }
  snprintf(name, sizeof name, "%.*s", (int)(equals - assignment), assignment);
  int index = 0;
  while (index < descriptor->parameter_count &&
         strcmp(descriptor->parameters[index].name, name) != 0)
    ++index;
  if (index == descriptor->parameter_count) return parameter_unknown(option, descriptor, name);

  const limpet_parameter *parameter = &descriptor->parameters[index];
  double value;
  if (!limpet_quantity_parse(equals + 1, parameter->unit, &value, problem, sizeof problem)) {
    limpet_complain("%s %s: %s", option, name, problem);
    return false;
  }
  if (!(value >= parameter->minimum && value <= parameter->maximum)) {
    limpet_complain("%s %s: %g %s is out of range, which is %g to %g", option, name, value,
                    parameter->unit, parameter->minimum, parameter->maximum);
    return false;
  }
  values[index] = value;
  return true;
}
