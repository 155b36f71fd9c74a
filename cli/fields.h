/* cli/fields.h: pressure fields of a model, and contact surfaces of a run, in words and JSON. */
#ifndef LIMPET_CLI_FIELDS_H
#define LIMPET_CLI_FIELDS_H

#include <jansson.h>

#include "limpet/limpet.h"

// A table of the compliant geoms with warnings of thin and dead fields; nothing where there are
// none.
void limpet_fields_print(const limpet_model *model);
// The field of a geom; null where it has none.
json_t *limpet_field_json(const limpet_model *model, int geom);

// The contact surfaces of the last step, a line each; nothing where there are none.
void limpet_surfaces_print(const limpet_model *model, const limpet_data *data);
json_t *limpet_surfaces_json(const limpet_data *data);

#endif
