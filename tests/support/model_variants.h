/* tests/support/model_variants.h: models of one description, one of whose numbers differs. */
#ifndef LIMPET_TEST_MODEL_VARIANTS_H
#define LIMPET_TEST_MODEL_VARIANTS_H

#include "limpet/model.h"

// From an MJCF text. All of these fail the test where there is an error.
limpet_builder *builder_of(const char *text);
limpet_model *compiled(limpet_builder *builder);
/* The model with another value of a number, named as in limpet_parameter_find or gravity[axis]; the
 * same model where the number is the time step. */
limpet_model *varied(limpet_builder *builder, const char *name, double value);

#endif
