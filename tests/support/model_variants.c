// tests/support/model_variants.c: see model_variants.h.
#include "model_variants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/format.h"
#include "limpet/parameter.h"

limpet_builder *builder_of(const char *text) {
  limpet_error error;
  limpet_builder *builder = limpet_builder_create();
  if (limpet_mjcf_read_text(builder, text, strlen(text), NULL, NULL, &error) != LIMPET_OK)
    fail_msg("%s", error.message);
  return builder;
}

limpet_model *compiled(limpet_builder *builder) {
  limpet_error error;
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) fail_msg("%s", error.message);
  return model;
}

// The option of that name, "gravity[2]"; NULL: it is none.
static double *option_of(limpet_options *options, const char *name) {
  int axis;
  if (sscanf(name, "gravity[%d]", &axis) == 1) return &options->gravity[axis];
  if (sscanf(name, "wind[%d]", &axis) == 1) return &options->wind[axis];
  if (strcmp(name, "density") == 0) return &options->density;
  return strcmp(name, "viscosity") == 0 ? &options->viscosity : NULL;
}

limpet_model *varied(limpet_builder *builder, const char *name, double value) {
  limpet_error error = {0};
  if (strcmp(name, "time_step") == 0) return compiled(builder);
  limpet_options *options = limpet_builder_options(builder), before = *options;
  double *option = option_of(options, name);
  if (option) {
    *option = value;
    limpet_model *model = compiled(builder);
    *options = before;
    return model;
  }
  limpet_parameter_target target;
  limpet_model *model = NULL;
  if (limpet_parameter_find(builder, name, &target, &error) == LIMPET_OK)
    model = limpet_parameter_compile(builder, &target, value, &error);
  limpet_parameter_free(&target);
  if (!model) fail_msg("%s: %s", name, error.message);
  return model;
}
