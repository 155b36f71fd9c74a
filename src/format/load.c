/* format/load.c: from a file to a model. */

#include "base/error.h"
#include "format/read/text.h"
#include "limpet/format.h"

limpet_model *limpet_load(const char *path, const limpet_load_options *options,
                          limpet_error *error) {
  if (!limpet_path_ends_in(path, ".xml") && !limpet_path_ends_in(path, ".mjcf")) {
    limpet_error_fill_at(error, LIMPET_ERROR_UNSUPPORTED, path, 0, 0,
                         "models are read from MJCF files, which end in .xml");
    return NULL;
  }
  limpet_builder *builder = limpet_builder_create();
  if (!builder) {
    limpet_error_fill_at(error, LIMPET_ERROR_MEMORY, path, 0, 0, "no memory to read the model");
    return NULL;
  }
  limpet_model *model = NULL;
  if (limpet_mjcf_read(builder, path, options, error) == LIMPET_OK)
    model = limpet_builder_compile(builder, error);
  limpet_builder_destroy(builder);
  return model;
}
