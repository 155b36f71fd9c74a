/* model/parameter_effect.h: where numbers of a description are, and which of them do not count. */
#ifndef LIMPET_MODEL_PARAMETER_EFFECT_H
#define LIMPET_MODEL_PARAMETER_EFFECT_H

#include "limpet/parameter.h"

/* Why the number of object `i` of a target does not count, and what to set instead; NULL: it does.
 */
const char *limpet_parameter_in_vain(const limpet_builder *builder,
                                     const limpet_parameter_target *target, int i);
// The struct that has the number of object `i` of a target; *index: of the number in its field.
void *limpet_parameter_record(limpet_builder *builder, const limpet_parameter_target *target, int i,
                              int *index);

#endif
