/* tests/support/sdformat_text.h: models from small SDFormat texts. The text counts as the file
 * "model.sdf". */
#ifndef LIMPET_TEST_SDFORMAT_TEXT_H
#define LIMPET_TEST_SDFORMAT_TEXT_H

#include "limpet/format.h"

// The model, or NULL with the error.
limpet_model *sdformat_load_with(const char *text, limpet_error *error);

#endif
