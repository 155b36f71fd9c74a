/* cli/summary_soft.h: deformable bodies at the end of a run, in words and as JSON. */
#ifndef LIMPET_CLI_SUMMARY_SOFT_H
#define LIMPET_CLI_SUMMARY_SOFT_H

#include <jansson.h>

#include "limpet/limpet.h"

// One line for each body, and one for each thing that it touches.
void limpet_soft_print(const limpet_model *model, const limpet_data *data);
// An array with an object for each; null: the model has none.
json_t *limpet_soft_json(const limpet_model *model, const limpet_data *data);

#endif
