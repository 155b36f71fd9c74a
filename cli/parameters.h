/* cli/parameters.h: --param NAME.FIELD=VALUE: numbers of a model, set before it is compiled. */
#ifndef LIMPET_CLI_PARAMETERS_H
#define LIMPET_CLI_PARAMETERS_H

#include "limpet/limpet.h"

/* Splits "pad.friction=0.4" at its last '=', looks the name up, reads the value in the unit of the
 * field and sets it. LIMPET_ERROR_INPUT says what is wrong. */
limpet_status limpet_assignment_apply(limpet_builder *builder, const char *text,
                                      limpet_error *error);

// A number with its unit for a target; `assignment`, of which it is a part, names it in messages.
limpet_status limpet_assignment_value(limpet_builder *builder,
                                      const limpet_parameter_target *target, const char *assignment,
                                      const char *text, double *value, limpet_error *error);

// --gravity "X,Y,Z" or "Z" [m/s^2]  into options.gravity.
limpet_status limpet_gravity_apply(limpet_builder *builder, const char *text, limpet_error *error);

#endif
