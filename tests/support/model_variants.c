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

limpet_model *varied(limpet_builder *builder, const char *name, double value) {
  limpet_error error = {0};
  int axis;
  if (strcmp(name, "time_step") == 0) return compiled(builder);
  if (sscanf(name, "gravity[%d]", &axis) == 1) {
    double *gravity = &limpet_builder_options(builder)->gravity[axis], before = *gravity;
    *gravity = value;
    limpet_model *model = compiled(builder);
    *gravity = before;
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
