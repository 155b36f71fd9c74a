/* cli/quantity.h: numbers with units, read from the command line and written for people. */
#ifndef LIMPET_CLI_QUANTITY_H
#define LIMPET_CLI_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

/* Reads "2ms", "5 N", "30deg", "0.1" (a bare number is in SI) into `value` in `unit`, one of: "s",
 * "m", "m/s", "rad", "rad/s", "N", "N m", "J", "N/m", "kg", "Pa", ..., "1" (pure number). On
 * failure returns false and says in `problem` what was expected. */
bool limpet_quantity_parse(const char *text, const char *unit, double *value, char *problem,
                           size_t problem_size);

// What help shows for a value of that unit: "SPEED" for "m/s".
const char *limpet_quantity_placeholder(const char *unit);

// "a time: s, ms, us, ns, min, h": what a quantity of that unit may be written in; for help and
// messages.
const char *limpet_quantity_units(const char *unit, char *text, size_t size);

enum { LIMPET_QUANTITY_TEXT_SIZE = 40 };
/* `value` (SI, in `unit`) with a prefix that keeps it between 1 and 1000, four
 * significant digits: "1.25 ms", "980 um", "0 J". */
const char *limpet_quantity_text(char text[LIMPET_QUANTITY_TEXT_SIZE], double value,
                                 const char *unit);

/* The unit with that prefix, "mm" for 3e-3 of "m", and its size in SI: for columns of numbers that
 * share one unit. */
void limpet_quantity_scale(double value, const char *unit, double *factor,
                           char symbol[LIMPET_QUANTITY_TEXT_SIZE]);

#endif
