// tests/support/sdformat_text.c: see sdformat_text.h.
#include "sdformat_text.h"

#include <string.h>

limpet_model *sdformat_load_with(const char *text, limpet_error *error) {
  limpet_builder *builder = limpet_builder_create();
  const limpet_status status =
      limpet_sdformat_read_text(builder, text, strlen(text), "model.sdf", NULL, error);
  limpet_model *model = status == LIMPET_OK ? limpet_builder_compile(builder, error) : NULL;
  limpet_builder_destroy(builder);
  return model;
}
