/* cli/list_structs.h: the fields of public structs, as their tables tell. */
#ifndef LIMPET_CLI_LIST_STRUCTS_H
#define LIMPET_CLI_LIST_STRUCTS_H

#include <jansson.h>

void limpet_structs_print(void);
json_t *limpet_structs_json(void);
// The presets of the settings of a step, with what they change.
json_t *limpet_presets_json(void);

#endif
