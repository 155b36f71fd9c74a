/* cli/descriptor.h: parameters of contact models, laws and schemes on the command line. */
#ifndef LIMPET_CLI_DESCRIPTOR_H
#define LIMPET_CLI_DESCRIPTOR_H

#include <stdbool.h>

#include <limpet/limpet.h>

/* Reads "NAME=VALUE", NAME being a parameter of the descriptor and VALUE a quantity of its unit
 * within its range, into values[its index]. Otherwise says what is wrong with `option` and returns
 * false. */
bool limpet_descriptor_assign(const char *option, const limpet_descriptor *descriptor,
                              const char *assignment, double *values);

#endif
