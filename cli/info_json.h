/* cli/info_json.h: a model as JSON. */
#ifndef LIMPET_CLI_INFO_JSON_H
#define LIMPET_CLI_INFO_JSON_H

#include <jansson.h>

#include "limpet/limpet.h"

// Keys as docs/cli.md lists them.
json_t *limpet_info_json(const limpet_model *model, const char *path);

const char *limpet_transmission_word(limpet_transmission transmission);  // "joint", "tendon", ...

#endif
